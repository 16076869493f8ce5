"""Runs: evenly spaced pieces of a tile in memory, if an axis of the instruction stands for several of the kernel.

    i = p_mod4.q        a tile of 4 rows of 7 pixels: the moves of an image with a border are 4 runs of 7 points
    i = p.q             if all pixels follow one another: one run, of as many points as a tile has

A tile in several runs is one along this axis: it holds all points of the group. Runs follow one another along rows of a
memory.

The digits of p and q that fill a tile are a choice: 4 rows of 8 points leave none of 32 empty in an image of 56x56, and
take 4 moves; one row of 28 takes one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Mapping as Dict
from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod
from typing import Any

import sympy as sp

from isamap_smt.ir.epilogue import epilogue_of
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import free_name, is_constant, substitute, sym, symbols_of
from isamap_smt.ir.kernel import Access, Axis
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.staging import conditions, fused_point, kernel_axes
from isamap_smt.mapping.fuse import digits
from isamap_smt.mapping.layout import even_steps


@dataclass(frozen=True)
class Runs:
    """count: of a tile, numbered by the symbol `number`. points: of each along the rows; 0 if one run is a whole tile.
    view: the mapping of one run, with `number` as a loop around it."""

    view: Mapping
    count: int = 1
    points: int = 0
    number: str = ""

    @property
    def several(self) -> bool:
        """Whether a tile is more than one run."""
        return self.count > 1

    def spare(self, rows: int) -> int:
        """Pieces of `points` rows behind the last run of a slot. rows: of the instruction's own tile; a move of this run may
        write as many."""
        return -(-(rows - self.points) // self.points) if self.several else 0

    def rows(self, rows: int) -> int:
        """Rows of a tile in all its runs."""
        return self.count * self.points if self.several else rows


@lru_cache(maxsize=4096)  # asked anew for each way and for each plan
def runs_of(mapping: Mapping, operand: str, row: str) -> Runs:
    """The runs of an operand's tiles. row: the instruction's axis along rows. Raises ScheduleError if columns would lie
    unevenly, or the runs are no part of one tile."""
    mapping = _without_ones(mapping)
    found = Runs(mapping)
    for axis, group in mapping.groups:
        used = [a for a in group if a in kernel_axes(mapping, operand)]
        if len(group) < 2 or not used:
            continue
        first = _first_even(mapping, operand, axis, group)
        if not first:
            continue
        if axis != row:
            together, tensor = ".".join(group), mapping.operand_access(operand).tensor
            raise ScheduleError(
                f"{mapping.id}: {together} are one axis of the instruction, and elements of {tensor} lie unevenly along it: "
                "columns of a tile are one run"
            )
        found = _cut(mapping, axis, group, first)
    return found


def _without_ones(mapping: Mapping) -> Mapping:
    """The mapping without fused axes of one point: they are at 0."""
    ones = {a.name for a in mapping.statement.axes if a.extent == 1}
    fused = {a for _, g in mapping.groups if len(g) > 1 for a in g} & ones
    if not fused:
        return mapping
    extents = {a.name: a.extent for a in mapping.statement.axes}
    forward = dict(mapping.forward) | dict.fromkeys(fused, sp.S.Zero)
    groups = []
    for axis, group in mapping.groups:
        left = tuple(a for a in group if a not in fused)
        if left != group and left:
            forward |= digits(fused_point(mapping, group), left, extents)
        groups.append((axis, left or group[:1]))
    return replace(mapping, groups=tuple(groups), forward=tuple((n, forward[n]) for n, _ in mapping.forward))


def _first_even(mapping: Mapping, operand: str, axis: str, group: Sequence[str]) -> int:
    """Index of the group's first member from which on all lie at one distance in memory, and no `where` cuts a later one."""
    for n in range(len(group) - 1):
        inner = tuple(group[n:])
        cut = any(symbols_of([g]) & set(inner[1:]) for g in conditions(mapping, operand))
        if not cut and all(even_steps(mapping, a, axis, inner) for a in _accesses(mapping, operand)):
            return n
    return len(group) - 1


def _accesses(mapping: Mapping, operand: str) -> tuple[Access, ...]:
    """Accesses to main memory by moves of the operand's tiles; for sums: to the results and all elements read with them."""
    own = mapping.operand_access(operand)
    if own != mapping.statement.target:
        return (own,)
    epilogue = epilogue_of(mapping.kernel)
    if epilogue.statement is None:
        return (own,)
    others = (epilogue.statement.target, *(a for a in epilogue.statement.inputs if a.tensor != epilogue.sum))
    return tuple(Access(a.tensor, epilogue.index(a, own.index)) for a in others)


def _cut(mapping: Mapping, axis: str, group: Sequence[str], first: int) -> Runs:
    extents = {a.name: a.extent for a in mapping.statement.axes}
    points = mapping.instruction.axes[axis]
    sides = [extents[a] for a in group]
    if not all(map(is_constant, sides)) or prod(map(int, sides)) > points:
        raise ScheduleError(
            f"{mapping.id}: {' and '.join(group)} are one axis of the instruction, and their elements lie in runs of "
            f"{'.'.join(group[first:])}: a tile of {points} points would begin and end inside of one; take a digit of "
            f"{group[0]}, such as {axis}={group[0]}%2.{'.'.join(group[1:])}"
        )
    number = _named(mapping, axis)
    outer, inner = tuple(group[:first]), tuple(group[first:])
    forward = dict(mapping.forward) | digits(sym(number), outer, extents) | digits(sym(axis), inner, extents)
    count, of_each = (prod(int(extents[a]) for a in g) for g in (outer, inner))
    groups = tuple((t, inner if t == axis else g) for t, g in mapping.groups)
    loops = (*mapping.outer, Axis(number, sp.Integer(count)))
    view = replace(mapping, forward=tuple((n, forward[n]) for n, _ in mapping.forward), groups=groups, outer=loops)
    return Runs(view, count, of_each, number)


def _named(mapping: Mapping, axis: str) -> str:
    used = {a.name for a in (*mapping.outer, *mapping.statement.axes)} | set(mapping.instruction.axes)
    used |= set(mapping.kernel.free_sizes) | {p.name for p in mapping.kernel.parameters}
    return free_name(f"{axis}_run", used)


# ---- Digits of axes that fill one tile.

MOST = 3  # ways to fill a tile that are looked at, of one mapping


def tilings(mapping: Mapping, row_of: Dict[str, str]) -> tuple[dict[str, list[str]], ...]:
    """The axes of similar mappings, with the uneven group split into digits that fill a tile; fewest tiles first. Empty
    if no group is uneven, or extents are open. row_of: operand -> the instruction's axis along its rows."""
    extents = {a.name: a.extent for a in mapping.statement.axes}
    groups = dict(mapping.groups)
    uneven = [t for t, g in groups.items() if len(g) > 1 and not _one_tile(mapping, t, g, extents)]
    uneven = [t for t in uneven if any(_lies_unevenly(mapping, o, t) for o in row_of)]
    if len(uneven) != 1 or mapping.split is not None:
        return ()
    (axis,) = uneven
    sides = [extents[a] for a in groups[axis]]
    if not all(map(is_constant, sides)):
        return ()
    found = []
    for box in boxes(tuple(map(int, sides)), mapping.instruction.axes[axis]):
        members = [_digit(a, int(e), b) for a, e, b in zip(groups[axis], sides, box, strict=True) if b > 1]
        if len(members) > 1:
            found.append({t: members if t == axis else list(g) for t, g in groups.items()})
    return tuple(found[:MOST])


def _one_tile(mapping: Mapping, axis: str, group: Sequence[str], extents: Dict[str, Any]) -> bool:
    total = sp.Mul(*(extents[a] for a in group))
    return is_constant(total) and int(total) <= mapping.instruction.axes[axis]


def _lies_unevenly(mapping: Mapping, operand: str, axis: str) -> bool:
    group = dict(mapping.groups)[axis]
    used = kernel_axes(mapping, operand)
    return any(a in used for a in group) and bool(_first_even(mapping, operand, axis, group))


def _digit(axis: str, extent: int, points: int) -> str:
    return axis if points == extent else f"{axis}%{points}"


@lru_cache(maxsize=1024)
def boxes(sides: tuple[int, ...], points: int) -> tuple[tuple[int, ...], ...]:
    """Sides of boxes of at most `points` points, for covering `sides` with few boxes. Fewest boxes first; behind each,
    boxes with a higher count and fewer runs.

    >>> boxes((56, 56), 32)
    ((4, 8), (1, 28))
    """
    every = sorted(_covers(sides, points), key=lambda b: (_count(sides, b), prod(b[:-1]), [-x for x in b]))
    found: list[tuple[int, ...]] = []
    for b in every:
        if not found or prod(b[:-1]) < prod(found[-1][:-1]):
            found.append(b)
    return tuple(found)


def _covers(sides: tuple[int, ...], points: int) -> Iterator[tuple[int, ...]]:
    if not sides:
        yield ()
        return
    for b in sorted({-(-sides[0] // t) for t in range(1, sides[0] + 1)}):
        if b <= points:
            yield from ((b, *rest) for rest in _covers(sides[1:], points // b))


def _count(sides: tuple[int, ...], box: tuple[int, ...]) -> int:
    return prod(-(-s // b) for s, b in zip(sides, box, strict=True))


def blocked(mapping: Mapping, axis: str, tiles: int) -> dict[str, list[str]]:
    """The axes of the mapping with one more loop, around blocks of so many tiles along an axis of the instruction: it is one of
    the kernel."""
    low = {} if mapping.split is None else mapping.split.low_digits
    groups = {t: [low.get(a, a) for a in g] for t, g in mapping.groups}
    (member,) = groups[axis]
    return groups | {axis: [f"{member}%{tiles * mapping.instruction.axes[axis]}"]}


def blocks(mapping: Mapping) -> dict[str, str]:
    """Axes of the instruction over one kernel axis of known extent, not taken apart yet -> the loop over its tiles."""
    low = {} if mapping.split is None else mapping.split.low_digits
    forward, found = dict(mapping.forward), {}
    for t, g in mapping.groups:
        if len(g) == 1 and g[0] not in low and is_constant(mapping.statement.axis(g[0]).extent):
            (found[t],) = [a.name for a in mapping.outer if a.name in symbols_of([forward[g[0]]])]
    return found


def point_of(mapping: Mapping) -> dict[str, Any]:
    """The execution's point in the original kernel: over its axes, even if the mapping has some in digits."""
    point = dict(mapping.forward)
    for one in reversed(mapping.split.splits if mapping.split is not None else ()):
        (piece,) = one.pieces
        point = {n: sp.expand(substitute(e, point)) for n, e in piece.point}
    return point
