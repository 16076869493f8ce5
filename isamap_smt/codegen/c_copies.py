"""The C of copies: loops over cells, whole blocks by one call, tests where a copy is cut; c_copy.py decides which form each has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp

from isamap_smt.codegen.c_state import Printer
from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.expr import substitute
from isamap_smt.ir.program import Block, Copy, CopyForm, Ref
from isamap_smt.mapping.convert_c import converted

Over = tuple[tuple[Any, Any], ...]


def print_copy(p: Printer, copy: Copy) -> None:
    """As its form says: tests before loops, in them, or none."""
    form = copy.form or CopyForm(len(copy.over), None if copy.where else ())
    outer, inner = copy.over[: form.split], copy.over[form.split :]
    _copy_loops(p, outer)
    if form.whole is None:
        p.put(f"if ({p.condition(copy.where)}) {{")
        _copy_cells(p, inner, _plain_cell(p, copy), False)
        if copy.fill:
            p.put("} else {")
            _copy_cells(p, inner, _filled_cell(p, copy), False)
        p.put("}")
    elif form.whole:
        p.put(f"if ({p.condition(form.whole)}) {{")
        _print_whole(p, copy, inner, form)
        p.put("} else {")
        _print_cut(p, copy, inner, form.block)
        p.put("}")
    else:
        _print_whole(p, copy, inner, form)
    _close(p, len(outer))


def _print_whole(p: Printer, copy: Copy, inner: Over, form: CopyForm) -> None:
    """All cells of the inner loops, none of which is tested."""
    if form.block is None:
        _copy_cells(p, inner, _plain_cell(p, copy), form.unrolled)
        return
    p.depth += bool(form.whole)
    _call_block(p, copy, inner, form.block, {})
    p.depth -= bool(form.whole)


def _print_cut(p: Printer, copy: Copy, inner: Over, block: Block | None) -> None:
    """A test for each cell; of a block that is cut along its sides, all of it is filled, and what the guard leaves copied."""
    if block is None or block.cut is None:
        _copy_cells(p, inner, _guarded_cell(p, copy), False)
        return
    _copy_cells(p, inner, _filled_cell(p, copy), False)
    p.depth += 1
    _call_block(p, copy, inner, block, dict(block.cut))
    p.depth -= 1


def _call_block(p: Printer, copy: Copy, inner: Over, block: Block, left: dict[str, Any]) -> None:
    """left: how many cells there are along a side of the block, where these are fewer."""
    zero = {v.name: sp.S.Zero for v, _ in inner}
    to, start = (Ref(r.name, tuple(substitute(i, zero) for i in r.index)) for r in (copy.dst, copy.src))
    whole = {v.name: n for v, n in inner}
    counts = [
        f"isamap_max(0, isamap_min({p.expr(whole[n])}, {p.expr(left[n])}))" if n in left else p.expr(whole[n])
        for n in block.sides
    ]
    row = [] if block.to_row is None else [p.expr(block.to_row)]
    p.put(f"{block.call}({', '.join([p.pointer(to), *row, p.pointer(start), p.expr(block.from_row), *counts])});")


def _plain_cell(p: Printer, copy: Copy) -> Callable[[], str]:
    return lambda: f"*({p.pointer(copy.dst)}) = {_source(p, copy)};"


def _source(p: Printer, copy: Copy) -> str:
    """The element copied, in the destination's type."""
    return converted(p.places[copy.dst.name][1], f"*({p.pointer(copy.src)})", p.places[copy.src.name][1])


def _filled_cell(p: Printer, copy: Copy) -> Callable[[], str]:
    return lambda: f"*({p.pointer(copy.dst)}) = {_constant(p.places[copy.dst.name][1], copy.fill)};"


def _guarded_cell(p: Printer, copy: Copy) -> Callable[[], str]:
    fill = _constant(p.places[copy.dst.name][1], copy.fill)
    return lambda: f"*({p.pointer(copy.dst)}) = ({p.condition(copy.where)}) ? {_source(p, copy)} : {fill};"


def _copy_cells(p: Printer, over: Over, cell: Callable[[], str], unrolled: bool) -> None:
    """Loops around one assignment; `unrolled` writes the innermost dimension out."""
    p.depth += 1
    _copy_loops(p, over[:-1] if unrolled else over)
    if unrolled:
        symbol, count = over[-1]
        for k in range(int(count)):
            p.constants[str(symbol)] = k
            p.put(cell())
        del p.constants[str(symbol)]
    else:
        p.put(cell())
    _close(p, len(over) - unrolled)
    p.depth -= 1


def _copy_loops(p: Printer, over: Over) -> None:
    for var, count in over:
        name, end, text = p.names[str(var)], p.ends[str(var)], p.expr(count)
        bound, start = (text, "") if text.isdigit() else (end, f", {end} = {text}")
        p.put(f"for (int64_t {name} = 0{start}; {name} < {bound}; ++{name}) {{")
        p.depth += 1


def _close(p: Printer, count: int) -> None:
    for _ in range(count):
        p.depth -= 1
        p.put("}")


def _constant(dtype: DType, fill: str) -> str:
    if fill == "0":
        return f"({dtype.c})0"
    return "0x8000" if dtype.name in ("bf16",) else f"({dtype.c})-0.0"
