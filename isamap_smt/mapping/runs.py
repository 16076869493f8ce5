"""Runs: the pieces of a tile that lie evenly in memory, where an axis of the instruction stands for several of the kernel.

    i = p_mod4.q        a tile of 4 rows of 7 pixels: the moves of an image with a border are 4 runs of 7 points
    i = p.q             where all pixels follow one another: one run, of as many points as a tile has

A tile in several runs is one along that axis: it holds all points of the group. Runs follow one another along rows of a memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod
from typing import Any

import sympy as sp

from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import is_constant, substitute, sym, symbols_of
from isamap_smt.ir.kernel import Axis
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.staging import conditions, kernel_axes
from isamap_smt.mapping.fuse import digits
from isamap_smt.mapping.layout import even_steps


@dataclass(frozen=True)
class Runs:
    """count: of a tile, numbered by the symbol `number`. points: of each along the rows; 0 where one run is a whole tile. view: the
    mapping of one run, in which `number` is a loop around it."""

    view: Mapping
    count: int = 1
    points: int = 0
    number: str = ""

    @property
    def several(self) -> bool:
        """Whether a tile is more than one run."""
        return self.count > 1

    def slots(self, rows: int) -> int:
        """Pieces of `points` rows that a tile takes. rows: of the instruction's own tile. A move of the last run may write so many,
        too."""
        return -(-((self.count - 1) * self.points + rows) // self.points) if self.several else 1

    def rows(self, rows: int) -> int:
        """Of a tile in all its runs."""
        return self.slots(rows) * self.points if self.several else rows


@lru_cache(maxsize=4096)  # asked anew for each way and for each plan
def runs_of(mapping: Mapping, operand: str, row: str) -> Runs:
    """Of an operand's tiles. row: the instruction's axis along rows. Raises ScheduleError where columns would lie unevenly, or the runs
    are no part of one tile."""
    found = Runs(mapping)
    for axis, group in mapping.groups:
        used = [a for a in group if a in kernel_axes(mapping, operand)]
        if len(group) < 2 or not used:
            continue
        first = _first_even(mapping, operand, axis, group)
        if not first:
            continue
        if axis != row:
            together = ".".join(group)
            raise ScheduleError(
                f"{mapping.id}: {together} are one axis of the instruction, and elements of {mapping.operand_access(operand).tensor} "
                f"lie unevenly along it: columns of a tile are one run"
            )
        found = _cut(mapping, axis, group, first)
    return found


def _first_even(mapping: Mapping, operand: str, axis: str, group: Sequence[str]) -> int:
    """From which member on those of the group lie at one distance in memory, and no `where` cuts them."""
    for n in range(len(group) - 1):
        inner = tuple(group[n:])
        cut = any(symbols_of([g]) & set(inner) for g in conditions(mapping, operand))
        if not cut and even_steps(mapping, operand, axis, inner):
            return n
    return len(group) - 1


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
    name = f"{axis}_run"
    while name in used:
        name += "_"
    return name


def point_of(mapping: Mapping) -> dict[str, Any]:
    """Where an execution stands in the kernel that was asked for: its axes, also where the mapping has some in digits."""
    point = dict(mapping.forward)
    for one in reversed(mapping.split.chain if mapping.split is not None else ()):
        (piece,) = one.pieces
        point = {n: sp.expand(substitute(e, point)) for n, e in piece.point}
    return point
