"""How one point of a statement is printed: its contract's scalar expression as portable C, elements read from memory."""

from __future__ import annotations

from isamap_smt.codegen.c_folds import folded
from isamap_smt.codegen.c_state import Printer
from isamap_smt.ir.dtypes import dtype
from isamap_smt.ir.expr import substitute
from isamap_smt.ir.pointwise import pointwise
from isamap_smt.ir.program import Use
from isamap_smt.ir.scalar import read
from isamap_smt.mapping.point_c import c_update

FOLD = "isamap_fold"


def c_compute(p: Printer, node: Use) -> str:
    """One assignment. Raises ScheduleError for functions that portable C has no exact form of."""
    function = pointwise(node.instruction)
    names = {t.name: (f"*({p.pointer(r)})", t.dtype) for t, r in zip(function.kernel.tensors, node.reads, strict=True)}
    for k, e in enumerate(function.indices):
        names[f"index_{k}"] = (f"(int64_t)({p.expr(substitute(e, dict(node.point)))})", dtype("i64"))
    target = f"*({p.pointer(node.dst)})"
    fold = folded(
        function.tree, {t.name: r for t, r in zip(function.kernel.tensors, node.reads, strict=True)}, function.dtype
    )
    if fold is None or any(t.dtype != function.dtype for t in function.kernel.tensors):
        return c_update(function.op, function.tree, names, target, function.dtype)
    call, first = fold
    update = c_update(function.op, read(FOLD), {FOLD: (FOLD, function.dtype)}, target, function.dtype)
    return f"{{ const {function.dtype.c} {FOLD} = {call}({p.pointer(first)}); {update} }}"
