"""The instruction for exactly one point of a kernel in portable C: every kernel has this one.

Its contract is the kernel's own scalar expression over operands of one cell, so it is legal for every legal kernel.
"""

from __future__ import annotations

from typing import Any

from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.instruction import Cost, Instruction, OwnInstruction
from isamap_smt.ir.kernel import Access, Kernel, Statement, Tensor
from isamap_smt.ir.scalar import index_values, read, rewrite_reads
from isamap_smt.ir.typed import typed_value
from isamap_smt.mapping.point_c import c_update, prelude


def point_instruction(kernel: Kernel, statement: int = 0) -> Instruction:
    """`scalar.point`: one point of the statement. Raises ScheduleError when portable C cannot say it exactly."""
    s = kernel.statements[statement]
    if values := index_values(s.value):
        raise ScheduleError(f"{values[0]} is a value in it, which no instruction is given")
    typed_value(kernel, s)
    inputs = [a for a in s.inputs if a != s.target]
    names = {a: f"x{n}" for n, a in enumerate(inputs)} | {s.target: "acc"}

    def cell(r: Any) -> Any:
        return read(names[Access(r.tensor, tuple(r.index))])

    operands = [Tensor("acc", kernel.tensor(s.target.tensor).dtype, ())]
    operands += [Tensor(names[a], kernel.tensor(a.tensor).dtype, ()) for a in inputs]
    contract = Statement(Access("acc", ()), s.op, rewrite_reads(s.value, cell), (), (), s.ordered, s.source)
    point = Kernel("scalar.point", tuple(operands), (contract,), (), f"one point of {s.source or kernel.name}")
    kinds = {t.name: (f"{{{t.name}}}", t.dtype) for t in operands}
    emit = c_update(s.op, typed_value(point, contract), kinds, "{acc}", operands[0].dtype)
    return OwnInstruction(
        "scalar.point",
        point,
        places=tuple((t.name, "scalar") for t in operands),
        emit=emit,
        cost=Cost(4.0, 1.0),
        rounding="unfused" if operands[0].dtype.is_float else "exact",
        c_types=tuple((t.name, t.dtype.c) for t in operands),
        headers=("stdint.h", "string.h"),
        prelude=prelude(emit),
    )
