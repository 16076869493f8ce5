"""Stages in addressed memories: the number of tiles in each, and its place.

The loops around one execution of the mapped instruction are the mapping's outer axes, each cut into steps: an outer
loop over steps, in the order given, and inside of all of them an inner loop over the tiles of a step. A stage holds an
operand's tiles while the loops from its depth on run; it is filled (the output's: begun, and stored) at their start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod
from typing import Any

import sympy as sp

from isamap_smt.ir.boxes import extreme
from isamap_smt.ir.engines import Operand
from isamap_smt.ir.expr import FloorDiv, FloorMod, IMax, IMin, affine, ceil_div, substitute, sym, symbols_of
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Axis
from isamap_smt.ir.layouts import along as axes_along
from isamap_smt.ir.layouts import lies
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.schedule import LoopStep, Stage


def steps(extent: Any, tiles: int) -> Any:
    """The number of steps of so many tiles in an axis: ceil(extent / tiles).

    It takes one division, also if the extent is one itself.

    >>> from isamap_smt.ir.expr import FloorDiv, sym
    >>> steps(FloorDiv(sym("I") + 7, 8), 2)
    FloorDiv(I + 15, 16)
    """
    if isinstance(extent, FloorDiv):
        a, b = extent.args
        return FloorDiv(a + b * (tiles - 1), b * tiles)
    return ceil_div(extent, tiles)


def counts(mapping: Mapping, loops: Sequence[LoopStep], blocks: Sequence[LoopStep] = ()) -> dict[str, Any]:
    """The number of steps of each loop, by its axis; in one block, if there are some."""
    extents = {a.name: a.extent for a in mapping.outer} | {b.axis: sp.sympify(b.step) for b in blocks}
    return {x.axis: steps(extents[x.axis], x.step) for x in loops}


def tiles_of(
    mapping: Mapping, loops: Sequence[LoopStep], operand: str, depth: int, blocks: Sequence[LoopStep] = ()
) -> int:
    """The number of an operand's tiles in one slot of a stage at this depth: those of a step, and of the loops inside."""
    needed, of = symbols_of(mapping.coordinates(operand)), counts(mapping, loops, blocks)
    inside = [int(of[x.axis]) for x in loops[depth:] if x.axis in needed]
    return prod(x.step for x in loops if x.axis in needed) * prod(inside)


def side_by_side(stages: Sequence[Stage], rows: Sequence[int]) -> tuple[Stage, ...]:
    """The stages, one behind the other in each memory; stages kept between phases have their places already. rows: of a
    slot of each."""
    ends: dict[str, int] = {}
    found = []
    for s, of_slot in zip(stages, rows, strict=True):
        if s.stays:
            found.append(s)
            continue
        offset = ends.get(s.memory, 0)
        found.append(replace(s, offset=offset))
        ends[s.memory] = offset + s.slots * of_slot
    return tuple(found)


# ---- The points of a tile: the numbers of rows and columns of a move, and the cells of a tile with an element.


def kernel_axes(mapping: Mapping, operand: str) -> dict[str, Any]:
    """Axes of the kernel in the index of the operand's tensor, with their extents."""
    used = symbols_of(mapping.operand_access(operand).index)
    return {a.name: a.extent for a in mapping.statement.axes if a.name in used}


def spans(mapping: Mapping, operand: str) -> dict[str, tuple[Any, Any]]:
    """Name -> (value over outer axes and cells, the extent it stays below), for the operand's axes.

    Axes fused in an axis of the instruction count as one, `p.q`.
    """
    forward, used = dict(mapping.forward), kernel_axes(mapping, operand)
    fused = {m: g for _, g in mapping.groups if len(g) > 1 for m in g}
    found: dict[str, tuple[Any, Any]] = {}
    for n, extent in used.items():
        group = fused.get(n, (n,))
        value = fused_point(mapping, group) if len(group) > 1 else forward[n]
        found.setdefault(
            ".".join(group), (value, prod(used.get(m, sp.S.One) for m in group) if len(group) > 1 else extent)
        )
    return found


def fused_point(mapping: Mapping, group: Sequence[str]) -> Any:
    """The point along an axis of the instruction and the tiles around it; fused axes are its digits."""
    extents = {a.name: a.extent for a in mapping.statement.axes}
    last = dict(mapping.forward)[next((m for m in reversed(group) if extents[m] != 1), group[0])]
    return last.args[0] if isinstance(last, FloorMod) else last


def conditions(mapping: Mapping, operand: str) -> list[Any]:
    """The parts of the statement's guard over these axes alone, without those always true."""
    axes, s = set(kernel_axes(mapping, operand)), mapping.statement
    every = {a.name for a in s.axes}
    return [g for g in s.guard if symbols_of([g]) & every <= axes and not _everywhere(g, s.axes)]


@lru_cache(maxsize=4096)  # asked for each operand and for each way
def _everywhere(condition: Any, axes: tuple[Axis, ...]) -> bool:
    """Whether all points of a box of known extents meet it."""
    least = [extreme(m, axes, False) for m in _margins(condition)]
    return bool(least) and all(e is not None and e.is_Integer and e >= 1 for e in least)


def guards(mapping: Mapping, operand: str, index: dict[str, Any], cells: dict[str, Any]) -> list[Any]:
    """Conditions for a cell to hold an element. index: outer axis -> tile; cells: instruction axis -> cell."""
    forward = {n: substitute(substitute(e, index), cells) for n, e in mapping.forward}
    inside = [sp.Lt(substitute(substitute(e, index), cells), extent) for e, extent in spans(mapping, operand).values()]
    inside += [substitute(g, forward) for g in conditions(mapping, operand)]
    used = symbols_of([e for _, e in mapping.forward])
    inside += [sp.Lt(cell, 1) for a, cell in cells.items() if a in mapping.instruction.axes and a not in used]
    return [g for g in inside if g != sp.true]


@dataclass(frozen=True)
class Points:
    """Numbers of active points, and of inactive first ones, for each use parameter of the instruction.

    They belong to a use moving, beginning or changing a tile.
    """

    active: tuple[Any, ...] = ()
    front: tuple[Any, ...] = ()


def active_points(
    mapping: Mapping, operand: str, index: dict[str, Any], home: Operand, held: Operand, move: Instruction
) -> Points:
    """The active points of a move of one tile, for each of its use parameters.

    home, held: the cells' places for the compute instruction and for the move; index: outer axis -> tile.
    """
    whole = dict(mapping.instruction.axes)
    lie = lies((mapping.instruction, home), (move, held))
    along = kernel_axes(mapping, operand)
    beside = symbols_of(
        [e for n, e in mapping.forward if n not in along]
    )  # axes at all of whose points lies one element
    counts: dict[str, Any] = {a: sp.Integer(n) for a, n in whole.items() if a in beside}
    for e, extent in spans(mapping, operand).values():
        for a in (a for a in whole if a in symbols_of([e])):
            counts[a] = IMin(whole[a], extent - substitute(substitute(e, index), {a: 0}))
    first, ends = _cuts(mapping, operand, index)
    for a, end in ends:
        counts[a] = IMin(counts.get(a, sp.Integer(whole[a])), end)
    present = [left for left in _present(mapping, operand, index) if not _always(left)]
    found: list[Any] = []
    for axis, _ in move.active:
        here = lie[axis]
        count = counts.get(here, sp.S.One)
        largest = whole.get(here, 1)
        for left in present if not found else ():
            count = IMin(count, largest * left)
        found.append(IMax(0, count))
    front = tuple(_first(lie[axis], whole.get(lie[axis], 1), first) for axis, _ in move.front)
    return Points(tuple(found), front)


def passed_points(mapping: Mapping, index: dict[str, Any], compute: Instruction) -> dict[str, Any]:
    """Axis -> number of its active points in a tile, for each axis of the compute instruction with such a number.

    Beyond these there are no points of the kernel. The first operand with such axes decides, sums first.
    """
    target = compute.kernel.statements[0].target.tensor
    found: dict[str, Any] = {}
    for o in sorted(compute.operands, key=lambda o: o.name != target):
        own = tuple((a, p) for a, p in compute.active if a in axes_along(o) and a not in found)
        if own:
            points = active_points(mapping, o.name, index, o, o, replace(compute, active=own, front=()))
            found |= {a: count for (a, _), count in zip(own, points.active, strict=True)}
    return found


def _first(home: str, points: int, first: list[tuple[str, Any]]) -> Any:
    """The number of inactive points in front, from 0 to all."""
    bounds = [e for a, e in first if a == home]
    found: Any = sp.S.Zero
    for e in bounds:
        found = IMax(found, IMin(points, e))
    return found


def _cuts(mapping: Mapping, operand: str, index: dict[str, Any]) -> tuple[list[tuple[str, Any]], list[tuple[str, Any]]]:
    """(axis of the instruction, first point), and (axis, end), for each part of the guard decided by one axis."""
    forward, first, ends = dict(mapping.forward), [], []
    for g in conditions(mapping, operand):
        if cut_along(mapping, g) is None:
            continue
        at = substitute(g, {n: substitute(e, index) for n, e in forward.items()})
        for margin in _margins(at):
            found = _along(mapping, margin)
            assert found is not None
            if found.step > 0:
                first.append((found.axis, found.point(ceil_div(1 - found.rest, found.step))))
            else:
                end = FloorDiv(sp.expand(found.rest - 1 - found.step), -found.step)
                ends.append((found.axis, found.point(end)))
    return first, ends


@dataclass(frozen=True)
class _Along:
    """A number growing by `step` with each point of an axis, or with each `unit` of them; `rest` at 0.

    The units are counted from `begins` before the first point.
    """

    axis: str
    step: Any
    rest: Any
    unit: Any = sp.S.One
    begins: Any = sp.S.Zero

    def point(self, count: Any) -> Any:
        """The first point of the axis with so many units."""
        return sp.expand(self.unit * count - self.begins)


def _along(mapping: Mapping, margin: Any) -> _Along | None:
    """The number's change along one axis of the instruction, in known steps; None if it is not one axis."""
    inside = sorted(symbols_of([margin]) & set(mapping.instruction.axes))
    if len(inside) != 1:
        return None
    (axis,) = inside
    unit, begins, counted = sp.S.One, sp.S.Zero, axis
    quotients = [q for q in margin.atoms(FloorDiv) if axis in symbols_of([q])]
    if len(quotients) == 1:
        divided = affine(quotients[0].args[0], [axis])
        unit = quotients[0].args[1]
        if divided is None or divided[0].get(axis) != 1 or not unit.is_Integer:
            return None
        begins, counted = divided[1], f"{axis}//"
        margin = margin.subs(quotients[0], sym(counted))
    split = affine(margin, [counted])
    step = sp.S.Zero if split is None else split[0].get(counted, sp.S.Zero)
    if split is None or not step.is_Integer or step == 0 or (counted != axis and axis in symbols_of([margin])):
        return None
    return _Along(axis, step, split[1], unit, begins)


def cut_along(mapping: Mapping, condition: Any) -> str | None:
    """The axis of the instruction along which a part of the guard cuts tiles in known steps; None for other parts."""
    margins = _margins(substitute(condition, dict(mapping.forward)))
    found = [_along(mapping, m) for m in margins]
    axes = {f.axis for f in found if f is not None}
    return axes.pop() if found and None not in found and len(axes) == 1 else None


def cuts_front(mapping: Mapping, condition: Any) -> bool:
    """Whether it leaves out points from the front of tiles."""
    if cut_along(mapping, condition) is None:
        return False
    found = [_along(mapping, m) for m in _margins(substitute(condition, dict(mapping.forward)))]
    return any(f is not None and f.step > 0 for f in found)


def cut_off(mapping: Mapping, operand: str, move: Instruction, lies: dict[str, str]) -> str:
    """Why tiles of an operand may have fewer points than a move always takes, or ''.

    lies: axes of the move -> axes of the compute instruction.
    """
    forward, given = dict(mapping.forward), dict(move.active)
    for axis, home in lies.items():
        points = move.axes.get(axis, 1)
        if axis in given or points == 1:
            continue
        along = {n: extent for n, (e, extent) in spans(mapping, operand).items() if home in symbols_of([e])}
        if not along:
            return f"{move.name} takes {points} points of {axis}, and nothing of {mapping.kernel.name} lies along it"
        for n, extent in along.items():
            guarded = any(home in symbols_of([substitute(g, forward)]) for g in conditions(mapping, operand))
            if guarded or not extent.is_Integer or extent % points:
                what = "`where` leaves out some" if guarded else f"it has {extent}"
                return f"{move.name} takes {points} points of {axis} at once, along axis {n} of {mapping.kernel.name}, and {what}"
    return ""


def _present(mapping: Mapping, operand: str, index: dict[str, Any]) -> list[Any]:
    """Numbers all at least 1 exactly if the tile has a point at all.

    They come from loops along single points, and from conditions not decided by a cell of the tile.
    """
    forward = dict(mapping.forward)
    inner = set(mapping.instruction.axes)
    found = []
    for e, extent in spans(mapping, operand).values():
        at = substitute(e, index)
        if not symbols_of([e]) & inner and not at.is_Symbol:  # a loop over the axis itself stays below its extent
            found.append(extent - at)
    for g in conditions(mapping, operand):
        at = substitute(g, {n: substitute(e, index) for n, e in forward.items()})
        if not symbols_of([at]) & inner:
            found += _margins(at)
    return found


def _margins(relation: Any) -> list[Any]:
    """Whole numbers, all at least 1 if the relation holds."""
    left, right = relation.args
    match relation:
        case sp.StrictLessThan():
            return [right - left]
        case sp.LessThan():
            return [right - left + 1]
        case sp.StrictGreaterThan():
            return [left - right]
        case sp.GreaterThan():
            return [left - right + 1]
        case sp.Equality():
            return [right - left + 1, left - right + 1]
    return []


def _always(left: Any) -> bool:
    return bool(left.is_Integer and left >= 1)
