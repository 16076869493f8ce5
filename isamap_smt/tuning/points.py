"""The space of a search: the schedules of the best few mappings together. A point is one of them."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from isamap_encodings.schedule_problem import Choice, Cost, ScheduleProblem
from isamap_smt.ir.schedule import Schedule
from isamap_smt.scheduling.figures import Figures
from isamap_smt.scheduling.record import Record, program_of, to_record
from isamap_smt.scheduling.setting import UNIT
from isamap_smt.scheduling.space import ScheduleSpace

_TRIES = 2000  # draws before a part of the space counts as empty


@dataclass(frozen=True)
class Point:
    """mapping: position in the space's parts. choice: a schedule of this mapping."""

    mapping: int
    choice: Choice


@dataclass(frozen=True)
class Space:
    """parts: the spaces of the mappings, the most promising mapping first, at the prices of one cost model."""

    parts: tuple[ScheduleSpace, ...]
    _keys: dict[Point, str] = field(default_factory=dict, compare=False, repr=False)

    def part(self, point: Point) -> ScheduleSpace:
        """The space of the point's mapping."""
        return self.parts[point.mapping]

    def priced_by(self, figures: Figures) -> Space:
        """The same space at other prices; the same points mean the same schedules, but for how far ahead they prefetch."""
        if all(p.machine.figures == figures for p in self.parts):
            return self
        return Space(tuple(p.priced_by(figures) for p in self.parts))

    def cost(self, point: Point) -> Cost | None:
        """The price in parts; None if the point is not in the space."""
        return self.part(point).cost(point.choice)

    def cycles(self, point: Point) -> float:
        """Cycles from start to end by the space's prices; infinite if the point is not in the space."""
        cycles = self.part(point).elapsed(point.choice)
        return math.inf if cycles is None else cycles

    def schedule(self, point: Point) -> Schedule:
        """The schedule of a point."""
        return self.part(point).schedule(point.choice)

    def record(self, point: Point) -> Record:
        """The schedule as plain data."""
        return to_record(self.schedule(point))

    def key(self, point: Point) -> str:
        """Sixteen hexadecimal digits of the point's program; points with the same program share it."""
        if point not in self._keys:
            self._keys[point] = program_of(self.record(point))
        return self._keys[point]

    def draw(self, generator: random.Random) -> Point | None:
        """A random point: any mapping, register tile, tiles fitting it, orders and packing; None after many misses."""
        for _ in range(_TRIES):
            mapping = generator.randrange(len(self.parts))
            point = Point(mapping, _draw(self.parts[mapping].problem, generator))
            if self.cost(point) is not None:
                return point
        return None

    def neighbours(self, point: Point) -> Iterator[Point]:
        """Every point differing in one decision; another register tile takes its most similar tiles.

        Some of them may lie outside the space.
        """
        for choice in _neighbours(self.part(point).problem, point.choice):
            yield Point(point.mapping, choice)


def features(space: Space, point: Point) -> dict[str, float]:
    """Inputs of a learned model: the parts of the price in cycles, the tiles in points, and how each operand is fed."""
    part, cost = space.part(point), space.cost(point)
    if cost is None:
        raise ValueError("a point outside the space has no features")
    found = {"compute": cost.compute, "exposed": cost.exposed, "scopes": cost.scopes, "packing": cost.packing}
    found |= {"in_place": cost.in_place} | {f"link{u}": x for u, x in enumerate(cost.links, 1)}
    made: dict[str, float] = {f"log_{n}": math.log2(1 + v / UNIT) for n, v in found.items()}
    made["log_cycles"] = math.log2(1 + space.cycles(point))
    problem, choice = part.problem, point.choice
    lanes = [x for x in range(len(problem.axes)) if not problem.axes[x].reduction]
    row = problem.registers[choice.register].tile
    made["log_register_points"] = math.log2(math.prod(row[d] for d in lanes))
    for role, pick in (("outputs", lanes), ("reductions", [d for d in range(len(row)) if d not in lanes])):
        for level in range(1, problem.levels + 1):
            tiles = [min(problem.axes[d].chains[choice.chains[d]][level], problem.axes[d].extent) for d in pick]
            made[f"log_{role}_{level}"] = math.log2(math.prod(tiles))
    for n, option in enumerate(choice.packing):
        made[f"packed_{n}"] = float(option)
    return made


def _draw(p: ScheduleProblem, generator: random.Random) -> Choice:
    register = generator.randrange(len(p.registers))
    tile = p.registers[register].tile
    chains = tuple(generator.choice(_fitting(p, d, tile[d])) for d in range(len(p.axes)))
    orders = tuple(generator.randrange(len(p.orders)) for _ in range(p.levels))
    return Choice(register, chains, orders, tuple(generator.choice(o.options) for o in p.operands))


def _fitting(p: ScheduleProblem, d: int, tile: int) -> list[int]:
    """Chains of the axis beginning with this register tile; every register tile of a problem has some."""
    return [n for n, row in enumerate(p.axes[d].chains) if row[0] == tile]


def _neighbours(p: ScheduleProblem, c: Choice) -> Iterator[Choice]:
    for register in range(len(p.registers)):
        if register != c.register:
            tile = p.registers[register].tile
            chains = tuple(_similar(p, d, tile[d], p.axes[d].chains[c.chains[d]]) for d in range(len(p.axes)))
            yield Choice(register, chains, c.orders, c.packing)
    for d, n in enumerate(c.chains):
        for other in _fitting(p, d, p.axes[d].chains[n][0]):
            if other != n:
                yield Choice(c.register, _with(c.chains, d, other), c.orders, c.packing)
    for block, n in enumerate(c.orders):
        for other in range(len(p.orders)):
            if other != n:
                yield Choice(c.register, c.chains, _with(c.orders, block, other), c.packing)
    for n, operand in enumerate(p.operands):
        for option in operand.options:
            if option != c.packing[n]:
                yield Choice(c.register, c.chains, c.orders, _with(c.packing, n, option))


def _similar(p: ScheduleProblem, d: int, tile: int, wanted: Sequence[int]) -> int:
    def distance(n: int) -> float:
        return sum(abs(math.log2(a / b)) for a, b in zip(p.axes[d].chains[n], wanted, strict=True))

    return min(_fitting(p, d, tile), key=distance)


def _with(values: tuple[int, ...], position: int, value: int) -> tuple[int, ...]:
    return (*values[:position], value, *values[position + 1 :])
