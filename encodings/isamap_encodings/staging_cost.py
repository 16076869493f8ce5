"""What a staged schedule costs, over numbers or over a solver's expressions.

Engines work beside each other: one that fills, one that computes, one that stores. From the innermost stages to the outermost:

- tiles in one slot are filled and used in turns; in more slots, beside each other: the slower engine counts;
- while a stage further out is filled, its engine does not fill those inside. They run ahead by their slots alone, which hides
  as much of the time;
- an output in one slot is stored before the next one begins; in more, beside it.

Then what the first tiles need before anything is computed, and the last ones after it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

from isamap_encodings.staging_problem import REGIONS, StagingDecision, StagingOperand, StagingProblem


class Numbers:
    """The algebra of Python's whole numbers that are not negative; another one overrides all of it."""

    def times(self, *x: Any) -> Any:
        """Their product."""
        return prod(x)

    def largest(self, *x: Any) -> Any:
        """The largest."""
        return max(x)

    def smallest(self, *x: Any) -> Any:
        """The smallest."""
        return min(x)

    def quotient(self, x: Any, y: Any) -> Any:
        """x // y."""
        return x // y

    def where(self, condition: Any, x: Any, y: Any) -> Any:
        """x where the condition holds, else y."""
        return x if condition else y

    def less(self, x: Any, y: Any) -> Any:
        """max(x - y, 0)."""
        return max(x - y, 0)

    def some(self, *conditions: Any) -> Any:
        """Whether one holds."""
        return any(conditions)


@dataclass(frozen=True)
class Choices:
    """What is decided, as numbers or expressions.

    count: steps of an axis. padded: tiles of all steps. outside: (axis, region) -> whether its loop over steps stands in that
    region or further out. stands: (operand, region) -> whether its stage does. around: (axis, operand) -> whether the axis'
    loop over steps is around the operand's stage. single: operand -> whether in one slot. ways: operand -> for each way,
    whether it is the one.
    """

    tiles: dict[str, Any]
    count: dict[str, Any]
    padded: dict[str, Any]
    outside: dict[tuple[str, int], Any]
    stands: dict[tuple[str, int], Any]
    around: dict[tuple[str, str], Any]
    slots: dict[str, Any]
    single: dict[str, Any]
    ways: dict[str, tuple[Any, ...]]


@dataclass(frozen=True)
class Cost:
    """All in ticks. fill, compute, store: what each engine works. total: the time. rows: memory -> rows used."""

    total: Any
    fill: Any
    compute: Any
    store: Any
    first: Any
    last: Any
    rows: dict[str, Any]


def cost(problem: StagingProblem, chosen: Choices, n: Numbers) -> Cost:
    """The formulas of this module's head."""
    padded = chosen.padded
    visits = [
        n.times(*(n.where(chosen.outside[a.name, r], chosen.count[a.name], 1) for a in problem.axes))
        for r in range(REGIONS)
    ]
    moved = {o.name: _moved(problem, chosen, n, o, padded) for o in problem.operands}
    begins = n.times(problem.begin, *(padded[a] for a in problem.output.axes))
    executed = n.times(problem.execute, *padded.values())
    state = _Pipeline(n, executed)
    for r in reversed(range(REGIONS)):
        state.inside(problem, chosen, r, visits[r], moved)
        state.output(problem, chosen, r, visits[r], moved[problem.output.name], begins)
    first, last = state.first, state.last
    total = n.largest(state.filled + state.shortest, state.time + first) + last
    rows = {
        m: sum(_rows(problem, chosen, n, o) for o in problem.operands if o.memory == m) for m, _ in problem.memories
    }
    return Cost(total, state.filled, state.computed, moved[problem.output.name], first, last, rows)


def _moved(problem: StagingProblem, chosen: Choices, n: Numbers, o: StagingOperand, padded: dict[str, Any]) -> Any:
    """Ticks of all moves of an operand's tiles. Loops around its stage that it does not depend on make them again."""
    again = [
        n.where(chosen.around[a.name, o.name], chosen.count[a.name], 1) for a in problem.axes if a.name not in o.axes
    ]
    points = {a.name: a.points for a in problem.axes}
    costs = []
    for way in o.ways:
        each = n.times(way.each, *(points[a] if a in way.per else padded[a] for a in o.axes))
        costs.append(n.times(way.start, *(padded[a] for a in o.axes)) + each)
    found = costs[0]
    for which, c in zip(chosen.ways[o.name][1:], costs[1:], strict=True):
        found = n.where(which, c, found)
    return n.times(found, *again)


def _rows(problem: StagingProblem, chosen: Choices, n: Numbers, o: StagingOperand) -> Any:
    """Rows of its memory that an operand takes."""
    inside = [n.where(chosen.around[a, o.name], 1, chosen.count[a]) for a in o.axes]
    return n.times(o.rows, chosen.slots[o.name], *(chosen.tiles[a] for a in o.axes), *inside)


class _Pipeline:
    """From the innermost stages to the outermost. time: what engines that fill and compute need together, all in all.

    step, shortest: what the innermost filled tiles take to fill, and to be used. hidden: how far filling may run ahead.
    """

    def __init__(self, n: Numbers, executed: Any) -> None:
        self.n = n
        self.time = self.computed = executed
        self.filled: Any = 0
        self.any: Any = False
        self.step: Any = 0
        self.shortest: Any = 0
        self.hidden: Any = 0
        self.ahead: Any = 0
        self.tail: Any = 0
        self.first: Any = 0
        self.last: Any = 0

    def inside(self, problem: StagingProblem, chosen: Choices, r: int, visits: Any, moved: dict[str, Any]) -> None:
        """The inputs whose stages stand in region r."""
        n = self.n
        stands = {o.name: chosen.stands[o.name, r] for o in problem.inputs}
        here = n.some(*stands.values())
        ones = {o: n.where(s, chosen.single[o], 0) for o, s in stands.items()}
        single = n.some(*ones.values())
        turns = sum(n.where(s, moved[o], 0) for o, s in ones.items())  # filled and used in turns
        filled = sum(n.where(s, moved[o], 0) for o, s in stands.items())
        slots = n.smallest(*(n.where(s, chosen.slots[o], problem.slots) for o, s in stands.items()))
        beside, fill, use = filled - turns, n.quotient(filled, visits), n.quotient(self.time, visits)
        again = n.less(beside, n.quotient(beside, visits))  # all but the first
        innermost = turns + n.largest(self.time, again)
        late = n.smallest(again, n.less(again + n.times(visits, self.step), n.times(visits, self.hidden)))
        restarts = n.where(single, n.less(n.times(visits, self.tail), self.tail), 0)
        steady = n.where(single, 0, n.less(self.filled + again, self.first))
        further = turns + restarts + n.largest(steady, self.time + late)
        self.time = n.where(here, n.where(self.any, further, innermost), self.time)
        new = n.where(self.any, 0, here)  # the innermost one that is filled
        self.step = n.where(new, n.where(single, 0, 2 * fill), self.step)
        self.shortest = n.where(new, use, self.shortest)
        self.hidden = n.where(new, n.times(slots, use), self.hidden)
        self.ahead = n.where(new, n.times(slots, fill), self.ahead)
        self.tail = n.where(new, n.where(single, 0, n.smallest(fill, use)), self.tail)
        self.first = self.first + n.quotient(beside, visits)
        self.filled = self.filled + filled
        self.any = n.some(self.any, here)

    def output(self, problem: StagingProblem, chosen: Choices, r: int, visits: Any, stored: Any, begins: Any) -> None:
        """The output's tiles, if its stage stands in region r."""
        n, name = self.n, problem.output.name
        stands = chosen.stands[name, r]
        time = self.time + begins
        alone = n.largest(time + n.less(stored, n.times(visits, self.ahead)), self.computed + begins + stored)
        self.time = n.where(stands, n.where(chosen.single[name], alone, n.largest(time, stored)), self.time)
        self.computed = self.computed + n.where(stands, begins, 0)
        self.last = self.last + n.where(stands, n.quotient(stored, visits), 0)


def choices(problem: StagingProblem, d: StagingDecision) -> Choices:
    """A decision as numbers."""
    count = {a.name: -(-a.tiles // d.tiles[a.name]) for a in problem.axes}
    return Choices(
        d.tiles,
        count,
        {a: c * d.tiles[a] for a, c in count.items()},
        {(a.name, r): d.regions[a.name] <= r for a in problem.axes for r in range(REGIONS)},
        {(o.name, r): d.stages[o.name] == r for o in problem.operands for r in range(REGIONS)},
        {(a.name, o.name): d.regions[a.name] <= d.stages[o.name] for a in problem.axes for o in problem.operands},
        d.slots,
        {o: s == 1 for o, s in d.slots.items()},
        {o.name: tuple(d.ways[o.name] == w for w in range(len(o.ways))) for o in problem.operands},
    )


def legal(problem: StagingProblem, d: StagingDecision) -> bool:
    """Whether the program can be written and fits: sums end inside the output's stage, slots are of constant size."""
    for a in problem.axes:
        counted = -(-a.tiles // d.tiles[a.name]) > 1 or a.open
        for o in problem.operands:
            inside = counted and d.regions[a.name] > d.stages[o.name]
            if inside and a.open and a.name in o.axes:
                return False
        if counted and a in problem.reduced and d.regions[a.name] <= d.stages[problem.output.name]:
            return False
    counts = [-(-a.tiles // d.tiles[a.name]) for a in problem.axes]
    for r in range(1, REGIONS):
        loops = any(d.regions[a.name] == r and c > 1 for a, c in zip(problem.axes, counts, strict=True))
        if r in d.stages.values() and not loops:
            return False  # it stands where those of the region around it do
    used = cost(problem, choices(problem, d), Numbers()).rows
    return all(used[m] <= rows for m, rows in problem.memories)
