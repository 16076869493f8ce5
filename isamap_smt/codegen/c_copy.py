"""How a copy is printed: tests outside the loops where they can be, memory in the order that compilers vectorise.

A packed buffer's guard cuts at most the last tile. So the loops over whole tiles are printed twice: without tests for
tiles that lie inside, with a test per element for the tile that is cut. The condition that chooses between them is the
guard at the worst corner of the tile: every relation is affine, so it holds on the tile when it holds there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from isamap_smt.codegen.c_blocks import stride_size
from isamap_smt.ir.boxes import slack
from isamap_smt.ir.expr import affine, symbols_of
from isamap_smt.ir.program import Copy

_TILE = 1024  # guarded cells in one tile, at most
_UNROLLED = 4  # a group of products inside an instruction


@dataclass(frozen=True)
class CopyPlan:
    """Loops outside the choice, the choice (relations), and the loops inside; `split` is their number outside.

    whole: the relations at the worst corner, or None when the guard does not mention the inner loops at all: then it
    is tested once, and where it fails the inner loops only fill. unrolled: the innermost dimension is written out.
    """

    split: int
    whole: tuple[Any, ...] | None
    unrolled: bool


def along_rows(copy: Copy, source_offset: Any) -> Copy:
    """The same copy with its loops in the order in which the source lies in memory, where its innermost elements are
    neighbours there: each row is then read once, piece after piece. source_offset: row-major, in elements."""
    parts = affine(source_offset, [v.name for v, _ in copy.over])
    if parts is None or len(copy.over) < 3 or parts[0].get(copy.over[-1][0].name) != 1:
        return copy
    far = {v.name: stride_size(parts[0].get(v.name, sp.S.Zero)) for v, _ in copy.over}
    left, over = list(copy.over), list(copy.over[:0])
    names = set(far)
    while left:
        placed = {v.name for v, _ in over}
        ready = [x for x in left if symbols_of([x[1]]) & names <= placed]
        over.append(max(ready, key=lambda x: far[x[0].name]))
        left.remove(over[-1])
    return replace(copy, over=tuple(over)) if over[-1] == copy.over[-1] else copy


def plan_copy(copy: Copy, source_offset: Any) -> CopyPlan:
    """Where to test the guard, and whether to write out the innermost dimension. source_offset: row-major, elements."""
    unrolled = _interleaves(copy, source_offset)
    if not copy.where:
        return CopyPlan(0, (), unrolled)
    mentioned = symbols_of(copy.where)
    last = max((n for n, (v, _) in enumerate(copy.over) if v.name in mentioned), default=-1) + 1
    outside = CopyPlan(last, None, False)
    if not copy.fill or _has_lower_bounds(copy):
        return outside
    split = len(copy.over)
    cells = 1
    while split > 0:
        symbol, count = copy.over[split - 1]
        if symbol.name in mentioned:
            if not sp.sympify(count).is_Integer or cells * int(count) > _TILE:
                break
            if split < len(copy.over) and _never(_corner(copy, split - 1)):
                break
            cells *= int(count)
        elif symbols_of([count]):
            break
        split -= 1
    corner = _corner(copy, split)
    return CopyPlan(split, corner, unrolled) if corner is not None else outside


def whole_block(copy: Copy, inside: int) -> tuple[Any, ...] | None:
    """Relations that imply the guard for all cells of the last dimensions; None where none are found, or they never hold."""
    corner = _corner(copy, len(copy.over) - inside)
    return None if _never(corner) else corner


def limits(copy: Copy, inside: int) -> dict[str, Any] | None:
    """How many cells along each of the last dimensions the guard leaves, at most; None where that is no number for each."""
    inner = [v.name for v, _ in copy.over[len(copy.over) - inside :]]
    found: dict[str, Any] = {}
    for g in copy.where:
        room = slack(g)
        parts = affine(room, inner) if room is not None else None
        if parts is None:
            return None
        moving = [n for n in inner if parts[0].get(n, 0) != 0]
        if len(moving) != 1 or parts[0][moving[0]] != -1 or moving[0] in found:
            return None
        found[moving[0]] = parts[1] + 1
    return found


def _has_lower_bounds(copy: Copy) -> bool:
    """The rim of a padded window: no tile as wide as a row lies inside, so tiles do not help; nor where the guard never holds."""
    return any(
        g == sp.false or isinstance(g, sp.Ge | sp.Gt) or not symbols_of([g.args[0]]) for g in copy.where if g != sp.true
    )


def _corner(copy: Copy, split: int) -> tuple[Any, ...] | None:
    """Relations that imply the guard for all cells of the inner loops; None when one is not affine in them."""
    inner = {v.name: count for v, count in copy.over[split:]}
    found = []
    for g in copy.where:
        room = slack(g)
        parts = affine(room, inner) if room is not None else None
        if parts is None:
            return None
        coefficients, worst = parts
        for name, c in coefficients.items():
            if not c.is_Integer:
                return None
            worst = worst + (c * (inner[name] - 1) if c < 0 else 0)  # without cells it holds whatever it says
        found.append(sp.Ge(sp.expand(worst), 0))
    return tuple(f for f in found if f != sp.true)


def _never(relations: tuple[Any, ...] | None) -> bool:
    """Whether a tile so large always reaches beyond the end."""
    return relations is not None and any(r == sp.false for r in relations)


def _interleaves(copy: Copy, source_offset: Any) -> bool:
    """Whether the source advances by one with the last dimension but one: rows are interleaved in small groups."""
    if len(copy.over) < 2 or copy.over[-1][1] not in range(2, _UNROLLED + 1):
        return False
    symbol = copy.over[-2][0].name
    parts = affine(source_offset, [symbol])
    return parts is not None and parts[0].get(symbol) == 1
