"""How a Compute node is printed: the statement's own scalar expression as portable C, elements read from memory."""

from __future__ import annotations

from isamap_smt.codegen.c_state import Printer
from isamap_smt.ir.pointwise import pointwise
from isamap_smt.ir.program import Compute, Program, walk
from isamap_smt.mapping.point_c import PRELUDE, c_update


def c_compute(p: Printer, node: Compute) -> str:
    """One assignment. Raises ScheduleError for functions that portable C has no exact form of."""
    function = pointwise(p.program.kernel, node.statement)
    names = {t.name: (f"*({p.pointer(r)})", t.dtype) for t, r in zip(function.kernel.tensors, node.reads, strict=True)}
    return c_update(function.op, function.tree, names, f"*({p.pointer(node.dst)})", function.dtype)


def compute_prelude(program: Program) -> tuple[str, ...]:
    """The helper functions that such expressions call."""
    computed = {n.statement for n, _ in walk((*program.ahead, *program.body)) if isinstance(n, Compute)}
    tensors = {s.target.tensor for s in map(program.kernel.statements.__getitem__, computed)}
    tensors |= {a.tensor for n in computed for a in program.kernel.statements[n].inputs}
    return (PRELUDE,) if any(program.kernel.tensor(t).dtype.name == "bf16" for t in tensors) else ()
