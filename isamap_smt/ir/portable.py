"""Instructions of every machine, made of portable C alone: they copy an element, or compute one point of a statement.

Both are families: one copy for each pair of element types, one point for each statement, with the statement's own
expression as its contract. They are members of no description, and no kernel is mapped onto them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import sympy as sp

from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.instruction import COPY, ELEMENT, Instruction, OwnInstruction
from isamap_smt.ir.kernel import Access, Kernel, Statement, Tensor
from isamap_smt.ir.move_form import MAIN
from isamap_smt.ir.scalar import Read, rewrite_reads
from isamap_smt.ir.typed import typed_value

TO = "to"  # the operand that is written


@lru_cache(maxsize=256)
def copying(source: DType, target: DType) -> Instruction:
    """to[] = from[], converted to a type with all values of the source's."""
    words = f"copy {source}" if source == target else f"copy {source} as {target}"
    return _portable(words, COPY, "=", Read(sp.Symbol("from")), target, (Tensor("from", source, ()),))


@lru_cache(maxsize=512)
def computing(kernel: Kernel, position: int) -> Instruction:
    """to[] op= the value of statement number `position`, in its own arithmetic, of from_0[] ... as Statement.inputs are ordered."""
    s = kernel.statements[position]
    inputs = tuple(Tensor(f"from_{k}", kernel.tensor(a.tensor).dtype, ()) for k, a in enumerate(s.inputs))
    number = {a: k for k, a in enumerate(s.inputs)}
    value = rewrite_reads(
        typed_value(kernel, s), lambda r: Read(sp.Symbol(f"from_{number[Access(r.tensor, r.index)]}"))
    )
    return _portable(f"statement {position + 1}", ELEMENT, s.op, value, kernel.tensor(s.target.tensor).dtype, inputs)


def _portable(name: str, kind: str, op: str, value: Any, target: DType, inputs: tuple[Tensor, ...]) -> Instruction:
    tensors = (Tensor(TO, target, ()), *inputs)
    contract = Kernel(name, tensors, (Statement(Access(TO, ()), op, value, ()),))
    return OwnInstruction(name, contract, kind, tuple((t.name, MAIN) for t in tensors))


__all__ = ["TO", "computing", "copying"]
