"""The question that a staged schedule answers: where tiles of operands live while which loops run, in how many slots.

Loops stand in three regions, one around the other, and innermost those over the tiles of a step. A stage stands inside region 0, 1
or 2: all loops of the regions up to its own are around it. Times are whole numbers of ticks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

REGIONS = 3


@dataclass(frozen=True)
class StagingAxis:
    """An outer axis of the mapping. tiles: executions of the instruction along it. steps: how many of them a step may have.

    points: of the kernel's axis, over all tiles. open: its size is not known to the program, so that no slot can hold all of it.
    """

    name: str
    tiles: int
    points: int
    steps: tuple[int, ...]
    open: bool = False


@dataclass(frozen=True)
class Way:
    """A move of one tile: `start` ticks, and `each` for every point along the axes `per` that there is.

    outer: the stage of the same operand, in another memory, that it takes the tile from; '' for main memory. apart: whether another
    engine makes it than those that bring tiles from main memory. computes: whether the one that computes makes it.
    """

    name: str
    start: int
    each: int
    per: tuple[str, ...] = ()
    outer: str = ""
    apart: bool = False
    computes: bool = False


@dataclass(frozen=True)
class StagingOperand:
    """A stage of an operand. axes: those that its tiles depend on. rows: of one tile. ways: of filling one, or of storing one of
    the output. of: the operand on whose way it lies, where it is none of the instruction's own memories."""

    name: str
    memory: str
    axes: tuple[str, ...]
    rows: int
    ways: tuple[Way, ...]
    of: str = ""


@dataclass(frozen=True)
class StagingProblem:
    """inputs and output of one instruction. outers: stages that tiles of inputs may pass, on the way that is chosen.
    memories: rows of each. execute, begin: ticks of one execution, and of the beginning of
    a tile of the output, both on one engine. slots: at most so many of a stage. pins: decision -> value, by the names
    `tile.AXIS`, `region.AXIS`, `stage.OPERAND`, `slots.OPERAND`, `via.OPERAND`.
    passed: finished tiles of the output are taken on to slots of their own, so that none waits until it is stored. waiting: the
    memories where that may be, with how many slots."""

    axes: tuple[StagingAxis, ...]
    inputs: tuple[StagingOperand, ...]
    output: StagingOperand
    memories: tuple[tuple[str, int], ...]
    execute: int
    begin: int
    slots: int = 4
    outers: tuple[StagingOperand, ...] = ()
    pins: tuple[tuple[str, int], ...] = ()
    passed: bool = False
    waiting: tuple[tuple[str, int], ...] = ()

    @property
    def operands(self) -> tuple[StagingOperand, ...]:
        """All, the output last."""
        return (*self.inputs, self.output)

    @property
    def stages(self) -> tuple[StagingOperand, ...]:
        """All that may stand, those further out first, the output last."""
        return (*self.outers, *self.operands)

    @property
    def reduced(self) -> tuple[StagingAxis, ...]:
        """Axes of sums: the output's tiles do not depend on them."""
        return tuple(a for a in self.axes if a.name not in self.output.axes)


@dataclass(frozen=True)
class StagingDecision:
    """tiles: axis -> tiles of a step. regions: axis -> region of its loop over steps. stages: operand or outer stage -> region it
    stands in. slots, ways: of the same -> how many, and the number of its way. An outer stage that no way leads through has 0, 1
    and 0."""

    tiles: dict[str, int]
    regions: dict[str, int]
    stages: dict[str, int]
    slots: dict[str, int]
    ways: dict[str, int]


# ---- What a staged schedule costs, over numbers or over a solver's expressions.
#
# Engines work beside each other: one that fills, one that computes, one that stores. From the innermost stages to the outermost:
#
# - tiles in one slot are filled and used in turns; in more slots, beside each other: the slower engine counts;
# - while a stage further out is filled, its engine does not fill those inside. They run ahead by their slots alone, which hides
#   as much of the time;
# - an output in one slot is stored before the next one begins; in more, beside it.
#
# Then what the first tiles need before anything is computed, and the last ones after it.
#
# Where tiles pass a further memory, and another engine brings them on from there, that engine and the one that computes are taken
# together first, as above; then those that fill from main memory, beside all of that. Where the engine that computes brings them on
# itself, it does so between its executions.


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
    region or further out. stands: (stage, region) -> whether it does. around: (axis, stage) -> whether the axis'
    loop over steps is around it. single: stage -> whether in one slot. ways: stage -> for each way, whether it is the one.
    present: outer stage -> whether the way of its operand leads through it.
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
    present: dict[str, Any]


@dataclass(frozen=True)
class Cost:
    """All in ticks. fill, on, compute, store: what each engine works; on: what takes tiles on from further memories, where an
    engine of its own does. total: the time. last: what is stored after the last execution. rows: memory -> rows used."""

    total: Any
    fill: Any
    on: Any
    compute: Any
    store: Any
    last: Any
    rows: dict[str, Any]


def cost(problem: StagingProblem, chosen: Choices, n: Numbers) -> Cost:
    """The formulas of this module's head."""
    padded = chosen.padded
    visits = _visits(problem, chosen, n)
    moved = {o.name: _moved(problem, chosen, n, o, padded) for o in problem.stages}
    begins = n.times(problem.begin, *(padded[a] for a in problem.output.axes))
    executed = n.times(problem.execute, *padded.values())
    executed = executed + sum((_by_the_same(chosen, n, o, moved[o.name]) for o in problem.inputs), start=0)
    inner = _Pipeline(n, executed)
    apart = any(w.apart for o in problem.inputs for w in o.ways)
    outer = None
    for r in reversed(range(REGIONS)):
        inner.inside(problem.slots, _fills(problem, chosen, n, r, moved, apart), visits[r])
        inner.output(problem, chosen, r, visits[r], moved[problem.output.name], begins)
    if apart:
        outer = _Pipeline(n, inner.time)
        for r in reversed(range(REGIONS)):
            outer.inside(problem.slots, _fills(problem, chosen, n, r, moved, False), visits[r])
    state = outer or inner
    first, last = (state.first + inner.first if outer else inner.first), inner.last
    total = n.largest(state.filled + state.shortest, state.time + first) + last
    rows = {m: sum(_rows(problem, chosen, n, o) for o in problem.stages if o.memory == m) for m, _ in problem.memories}
    for m, slots in problem.waiting:
        rows[m] = rows[m] + _tiles(chosen, n, problem.output, slots)
    return Cost(
        total, state.filled, inner.filled if outer else 0, inner.computed, moved[problem.output.name], last, rows
    )


def before(problem: StagingProblem, d: StagingDecision) -> int:
    """Ticks before the first execution: each input's stages are filled once, by each engine one after the other, those further out
    first, and one that tiles are taken on from before the one inside of it. With Cost.last at most Cost.total."""
    n, chosen = Numbers(), choices(problem, d)
    visits = _visits(problem, chosen, n)
    stages = [o for o in (*problem.outers, *problem.inputs) if chosen.present.get(o.name, True)]
    busy: dict[tuple[bool, bool], int] = {}  # engine -> until when
    filled = {"": 0}
    for o in sorted(stages, key=lambda o: (d.stages[o.name], not o.of, -d.slots[o.name])):
        way = o.ways[d.ways[o.name]]
        engine, moved = (way.apart, way.computes), int(_moved(problem, chosen, n, o, chosen.padded))
        begin = max(busy.get(engine, 0), filled[way.outer])
        busy[engine] = filled[o.name] = begin + moved // visits[d.stages[o.name]]
    return max(filled.values())


def _visits(problem: StagingProblem, chosen: Choices, n: Numbers) -> list[Any]:
    """How often each region is entered."""
    return [
        n.times(*(n.where(chosen.outside[a.name, r], chosen.count[a.name], 1) for a in problem.axes))
        for r in range(REGIONS)
    ]


def _by_the_same(chosen: Choices, n: Numbers, o: StagingOperand, moved: Any) -> Any:
    """Ticks of moves of an operand by the engine that computes."""
    own = [bit for bit, w in zip(chosen.ways[o.name], o.ways, strict=True) if w.computes]
    return n.where(n.some(*own), moved, 0) if own else 0


@dataclass(frozen=True)
class _Fill:
    """What fills a stage in one region: whether it stands there, in one slot, in how many, and its moves."""

    stands: Any
    single: Any
    slots: Any
    moved: Any


def _fills(
    problem: StagingProblem, chosen: Choices, n: Numbers, r: int, moved: dict[str, Any], apart: bool
) -> list[_Fill]:
    """Of stages in region r that engines of their own fill (apart), or those that bring tiles from main memory."""
    found = []
    for o in (*problem.outers, *problem.inputs):
        mine = [w.apart == apart and not w.computes for w in o.ways]
        own = n.some(*(bit for bit, here in zip(chosen.ways[o.name], mine, strict=True) if here))
        mixed = any(w.apart or w.computes for w in o.ways)
        stands = n.where(own, chosen.stands[o.name, r], 0) if mixed else chosen.stands[o.name, r]
        if any(mine):
            found.append(_Fill(stands, chosen.single[o.name], chosen.slots[o.name], moved[o.name]))
    return found


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
    return n.where(chosen.present[o.name], n.times(found, *again), 0) if o.of else n.times(found, *again)


def _rows(problem: StagingProblem, chosen: Choices, n: Numbers, o: StagingOperand) -> Any:
    """Rows of its memory that an operand takes."""
    rows = _tiles(chosen, n, o, chosen.slots[o.name])
    return n.where(chosen.present[o.name], rows, 0) if o.of else rows


def _tiles(chosen: Choices, n: Numbers, o: StagingOperand, slots: Any) -> Any:
    """Rows of so many slots, with all tiles of the operand that its stage holds."""
    inside = [n.where(chosen.around[a, o.name], 1, chosen.count[a]) for a in o.axes]
    return n.times(o.rows, slots, *(chosen.tiles[a] for a in o.axes), *inside)


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

    def inside(self, most: int, fills: Sequence[_Fill], visits: Any) -> None:
        """The inputs whose stages stand in one region. most: slots of any."""
        n = self.n
        if not fills:
            return
        here = n.some(*(f.stands for f in fills))
        ones = [n.where(f.stands, f.single, 0) for f in fills]
        single = n.some(*ones)
        turns = sum(n.where(one, f.moved, 0) for one, f in zip(ones, fills, strict=True))  # filled and used in turns
        filled = sum(n.where(f.stands, f.moved, 0) for f in fills)
        slots = n.smallest(*(n.where(f.stands, f.slots, most) for f in fills))
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
    present = {o.name: passes(problem, d, o) for o in problem.outers}
    return Choices(
        d.tiles,
        count,
        {a: c * d.tiles[a] for a, c in count.items()},
        {(a.name, r): d.regions[a.name] <= r for a in problem.axes for r in range(REGIONS)},
        {
            (o.name, r): d.stages[o.name] == r and present.get(o.name, True)
            for o in problem.stages
            for r in range(REGIONS)
        },
        {(a.name, o.name): d.regions[a.name] <= d.stages[o.name] for a in problem.axes for o in problem.stages},
        d.slots,
        {o: s == 1 and not (problem.passed and o == problem.output.name) for o, s in d.slots.items()},
        {o.name: tuple(d.ways[o.name] == w for w in range(len(o.ways))) for o in problem.stages},
        present,
    )


def passes(problem: StagingProblem, d: StagingDecision, outer: StagingOperand) -> bool:
    """Whether the way that is chosen for its operand leads through an outer stage."""
    (of,) = (o for o in problem.inputs if o.name == outer.of)
    return of.ways[d.ways[of.name]].outer == outer.name


def legal(problem: StagingProblem, d: StagingDecision) -> bool:
    """Whether the program can be written and fits: sums end inside the output's stage, slots are of constant size, tiles pass a
    stage further out before the one inside of it."""
    absent = [o for o in problem.outers if not passes(problem, d, o)]
    if any((d.stages[o.name], d.slots[o.name], d.ways[o.name]) != (0, 1, 0) for o in absent):
        return False
    standing = [o for o in problem.stages if o not in absent]
    if any(o.of and d.stages[o.name] > d.stages[o.of] for o in standing):
        return False
    for a in problem.axes:
        counted = -(-a.tiles // d.tiles[a.name]) > 1 or a.open
        for o in standing:
            inside = counted and d.regions[a.name] > d.stages[o.name]
            if inside and a.open and a.name in o.axes:
                return False
        if counted and a in problem.reduced and d.regions[a.name] <= d.stages[problem.output.name]:
            return False
    counts = [-(-a.tiles // d.tiles[a.name]) for a in problem.axes]
    for r in range(1, REGIONS):
        loops = any(d.regions[a.name] == r and c > 1 for a, c in zip(problem.axes, counts, strict=True))
        if any(d.stages[o.name] == r for o in standing) and not loops:
            return False  # it stands where those of the region around it do
    used = cost(problem, choices(problem, d), Numbers()).rows
    return all(used[m] <= rows for m, rows in problem.memories)
