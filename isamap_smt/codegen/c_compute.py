"""How a Compute node is printed: the statement's own scalar expression as portable C, elements read from memory."""

from __future__ import annotations

import sympy as sp

from isamap_smt.codegen.c_state import Printer
from isamap_smt.ir.pointwise import pointwise
from isamap_smt.ir.program import Alloc, Compute, Program, walk
from isamap_smt.mapping.point_c import c_update, prelude


def c_compute(p: Printer, node: Compute) -> str:
    """One assignment. Raises ScheduleError for functions that portable C has no exact form of."""
    function = pointwise(p.program.kernel, node.statement)
    names = {t.name: (f"*({p.pointer(r)})", t.dtype) for t, r in zip(function.kernel.tensors, node.reads, strict=True)}
    return c_update(function.op, function.tree, names, f"*({p.pointer(node.dst)})", function.dtype)


def compute_prelude(program: Program) -> tuple[str, ...]:
    """The helper functions that such expressions, and copies into buffers of another type, call."""
    nodes = [n for n, _ in walk((*program.ahead, *program.body))]
    held = [(program.kernel.tensor(n.buffer.type.tensor).dtype, n.buffer.dtype) for n in nodes if isinstance(n, Alloc)]
    copied = {kind for kind, wanted in held if kind != wanted}
    computed = {n.statement for n in nodes if isinstance(n, Compute)}
    found: dict[str, None] = dict.fromkeys(prelude(sp.S.Zero, copied))
    for n in sorted(computed):
        s = program.kernel.statements[n]
        kinds = [program.kernel.tensor(t).dtype for t in (s.target.tensor, *(a.tensor for a in s.inputs))]
        found |= dict.fromkeys(prelude(s.value, kinds))
    return tuple(found)
