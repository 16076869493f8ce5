"""How one point of a statement is printed: its contract's scalar expression as portable C, elements read from memory."""

from __future__ import annotations

from isamap_smt.codegen.c_folds import folded
from isamap_smt.codegen.c_state import Printer
from isamap_smt.ir.dtypes import dtype
from isamap_smt.ir.expr import substitute
from isamap_smt.ir.pointwise import pointwise
from isamap_smt.ir.program import Use
from isamap_smt.ir.scalar import Select, read
from isamap_smt.mapping.point_c import c_update

FOLD, ELEMENT = "isamap_fold", "isamap_element_"


def c_compute(p: Printer, node: Use) -> str:
    """One assignment. Raises ScheduleError for functions that portable C has no exact form of."""
    function = pointwise(node.instruction)
    names = {t.name: (f"*({p.pointer(r)})", t.dtype) for t, r in zip(function.kernel.tensors, node.reads, strict=True)}
    before = ""
    if function.tree.has(
        Select
    ):  # every read is inside, whatever is chosen: of chosen addresses compilers make gathers
        own = {t: (f"{ELEMENT}{n}", d) for n, (t, (_, d)) in enumerate(names.items())}
        before = " ".join(f"const {d.c} {name} = {names[t][0]};" for t, (name, d) in own.items())
        names = own
    for k, e in enumerate(function.indices):
        names[f"index_{k}"] = (f"(int64_t)({p.expr(substitute(e, dict(node.point)))})", dtype("i64"))
    target = f"*({p.pointer(node.dst)})"
    fold = folded(
        function.tree, {t.name: r for t, r in zip(function.kernel.tensors, node.reads, strict=True)}, function.dtype
    )
    if fold is None or any(t.dtype != function.dtype for t in function.kernel.tensors):
        update = c_update(function.op, function.tree, names, target, function.dtype)
        return f"{{ {before} {update} }}" if before else update
    call, first = fold
    update = c_update(function.op, read(FOLD), {FOLD: (FOLD, function.dtype)}, target, function.dtype)
    return f"{{ const {function.dtype.c} {FOLD} = {call}({p.pointer(first)}); {update} }}"
