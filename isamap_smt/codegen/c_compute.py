"""How one point of a statement is printed: its contract's scalar expression as portable C, elements read from memory."""

from __future__ import annotations

from collections.abc import Sequence

from isamap_smt.codegen.c_state import Printer
from isamap_smt.ir.across import in_a_row, leaves
from isamap_smt.ir.dtypes import dtype
from isamap_smt.ir.expr import substitute
from isamap_smt.ir.move_form import register_operand
from isamap_smt.ir.pointwise import pointwise
from isamap_smt.ir.program import Across, Point, Ref
from isamap_smt.ir.scalar import Select, read
from isamap_smt.mapping.point_c import c_update

FOLD, ELEMENT = "isamap_fold", "isamap_element_"


def c_compute(p: Printer, node: Point) -> str:
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
    if node.across is None:
        update = c_update(function.op, function.tree, names, target, function.dtype)
        return f"{{ {before} {update} }}" if before else update
    update = c_update(function.op, read(FOLD), {FOLD: (FOLD, function.dtype)}, target, function.dtype)
    return f"{{ {_across(p, node.across, [r for _, r in in_a_row(node)])} {update} }}"


def _across(p: Printer, across: Across, places: Sequence[Ref]) -> str:
    """Registers, loaded and combined; what is left stands in FOLD."""
    (register,), lanes = across.last.kernel.inputs, leaves(across.last)
    kind = dict(across.last.c_types)[register]
    held = [f"{FOLD}_{n}" for n in range(len(places) // lanes)]
    own = register_operand(across.load)
    memory = next(o for o, place in across.load.places if place == "memory")
    lines = [f"{kind} {', '.join(held)};"]
    lines += [across.load.statement({own: v, memory: p.pointer(places[n * lanes])}) for n, v in enumerate(held)]
    while len(held) > 1 and across.beside is not None:
        half, level = len(held) // 2, []
        out = across.beside.kernel.statements[0].target.tensor
        for a, b in zip(held[:half], held[half:], strict=True):
            level.append(f"{a}_")  # of its own: what is combined is read until it is
            one, other = across.beside.kernel.inputs
            lines += [f"{kind} {level[-1]};", across.beside.statement({one: a, other: b, out: level[-1]})]
        held = level
    out = across.last.kernel.statements[0].target.tensor
    lines += [f"{dict(across.last.c_types)[out]} {FOLD};", across.last.statement({out: FOLD, register: held[0]})]
    return " ".join(lines)
