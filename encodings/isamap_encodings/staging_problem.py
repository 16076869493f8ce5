"""A staged schedule: in which memory tiles of operands live, inside which loops, in how many slots.

Loops stand in three regions, one around the other, and innermost those over the tiles of a step. A stage stands
inside region 0, 1 or 2: all loops of the regions up to its own are around it. Times are whole numbers of ticks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from math import prod
from operator import ge
from typing import Any

REGIONS = 3


@dataclass(frozen=True)
class StagingAxis:
    """An outer axis of the mapping. tiles: executions of the instruction along it. steps: the numbers of them a step may have.

    points: of the kernel's axis, over all tiles; side: of a whole tile. open: the program does not know its size, so
    no slot can hold all of it.
    """

    name: str
    tiles: int
    points: int
    steps: tuple[int, ...]
    open: bool = False
    side: int = 1


@dataclass(frozen=True)
class Way:
    """A move of one tile by an engine: `start` ticks, and `each` for every point along the axes `per`.

    outer: the stage of the same operand in another memory, the source of the tile; '' for main memory. points: of
    all tiles, if `where` cuts some; None if none is cut. largest: of the largest single move. Of ways to store,
    begins: moves of a tile before its products; ends: after them; waits: the tile is taken on to wait elsewhere until
    it is stored. served: memories shared by several engines, and the least time each serves a move.
    """

    name: str
    start: int
    each: int
    per: tuple[str, ...] = ()
    outer: str = ""
    engine: str = ""
    points: int | None = None
    largest: int = 0
    begins: tuple[Way, ...] = ()
    ends: tuple[Way, ...] = ()
    waits: bool = False
    served: tuple[tuple[str, Way], ...] = ()


@dataclass(frozen=True)
class Sliding:
    """Tiles along two axes that share runs: the one at (along, over) has `runs`, from `step * along + over` on, and each
    `apart` from the next. So runs lie in rounds, by what is left over after division by `apart`.

    A stage holds each run once, unless its tiles lie so far from each other that this is no less.
    """

    along: str
    over: str
    step: int
    runs: int
    apart: int = 1

    def rounds(self, n: Numbers, over: Any) -> Any:
        """Rounds of runs of so many tiles over."""
        return 1 if self.apart == 1 else n.smallest(self.apart, over)

    def of_round(self, n: Numbers, along: Any, over: Any) -> Any:
        """Runs of each round of so many tiles, from the first to the last one."""
        further = over if self.apart == 1 else n.quotient(over + (self.apart - 1), self.apart)
        step = self.step // self.apart
        return step * along + further + (self.runs - step - 1)

    def count(self, n: Numbers, along: Any, over: Any) -> Any:
        """Runs that are held of so many tiles."""
        once = n.times(self.rounds(n, over), self.of_round(n, along, over))
        return n.smallest(once, n.times(self.runs, along, over))


@dataclass(frozen=True)
class StagingOperand:
    """A stage of an operand. axes: those its tiles depend on. rows: of one tile. ways: of filling one, or of storing
    one of the output. of: the operand on whose way it lies; '' for a stage in one of the instruction's own memories.
    spare: rows of a slot behind its last tile, which a move may write. slides: along which axes tiles share runs."""

    name: str
    memory: str
    axes: tuple[str, ...]
    rows: int
    ways: tuple[Way, ...]
    of: str = ""
    spare: int = 0
    slides: Sliding | None = None


@dataclass(frozen=True)
class StagingProblem:
    """inputs and output of one instruction. outers: stages on a way of an input, passed only if this way is chosen.
    memories: rows of each. execute: ticks of one execution on `engine`, the least if they differ; executed: then of
    all, else 0. slots: most of a stage. pins: decision -> value, by the names `tile.AXIS`, `region.AXIS`,
    `stage.OPERAND`, `slots.OPERAND`, `via.OPERAND`,
    `inside.OPERAND`. passed: finished tiles of the output are taken on to slots of
    their own, so no engine waits until one is stored. waiting: the memories with such slots, and how many. served:
    memories shared by several engines, each with the least ticks it serves one execution, and the ticks of all, else
    0. still: operands whose stage stands outside of all loops."""

    axes: tuple[StagingAxis, ...]
    inputs: tuple[StagingOperand, ...]
    output: StagingOperand
    memories: tuple[tuple[str, int], ...]
    execute: int
    engine: str = ""
    slots: int = 4
    outers: tuple[StagingOperand, ...] = ()
    pins: tuple[tuple[str, int], ...] = ()
    passed: bool = False
    waiting: tuple[tuple[str, int], ...] = ()
    executed: int = 0
    served: tuple[tuple[str, int, int], ...] = ()
    still: tuple[str, ...] = ()

    @property
    def operands(self) -> tuple[StagingOperand, ...]:
        """All, the output last."""
        return (*self.inputs, self.output)

    @property
    def stages(self) -> tuple[StagingOperand, ...]:
        """All possible stages: further ones first, the output last."""
        return (*self.outers, *self.operands)

    @property
    def reduced(self) -> tuple[StagingAxis, ...]:
        """Axes of sums: the output's tiles do not depend on them."""
        return tuple(a for a in self.axes if a.name not in self.output.axes)


@dataclass(frozen=True)
class StagingDecision:
    """tiles: axis -> tiles of a step. regions: axis -> region of its loop over steps. stages: operand or outer stage
    -> region it stands in. slots, ways: of the same -> how many, and the number of its way. An outer stage on no
    chosen way has 0, 1 and 0. inside: stages outside of all loops whose tiles are filled inside the loops, each in the
    first iteration of those that it does not depend on; all others are filled where they begin."""

    tiles: dict[str, int]
    regions: dict[str, int]
    stages: dict[str, int]
    slots: dict[str, int]
    ways: dict[str, int]
    inside: tuple[str, ...] = ()


# ---- What is decided, over numbers or over a solver's expressions.


class Numbers:
    """The algebra of Python's nonnegative whole numbers; another one overrides all of it."""

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
        """x if the condition holds, else y."""
        return x if condition else y

    def less(self, x: Any, y: Any) -> Any:
        """max(x - y, 0)."""
        return max(x - y, 0)

    def most(self, *x: Any) -> Any:
        """The largest, for uses that only minimise it."""
        return max(x)

    def some(self, *conditions: Any) -> Any:
        """Whether one holds."""
        return any(conditions)

    def both(self, x: Any, y: Any) -> Any:
        """Whether both hold."""
        return bool(x) and bool(y)

    def without(self, x: Any) -> Any:
        """Whether it does not hold."""
        return not x

    def fewer(self, x: Any, y: Any) -> Any:
        """Whether x < y."""
        return x < y


@dataclass(frozen=True)
class Choices:
    """The decisions, as numbers or expressions.

    regions: of loops over steps. count: steps of an axis. padded: tiles of all steps. first, last: points of its first
    and of its last step.
    outside: (axis, region) -> whether its loop over steps stands in this region or further out. stands: (stage,
    region) -> whether it does. around: (axis, stage) -> whether the axis' loop over steps is around it. single:
    stage -> whether in one slot. ways: stage -> for each way, whether it is the one. present: outer stage -> whether
    the way of its operand leads through it. inside: stage -> whether its tiles are filled inside the loops.
    """

    tiles: dict[str, Any]
    regions: dict[str, Any]
    count: dict[str, Any]
    padded: dict[str, Any]
    first: dict[str, Any]
    last: dict[str, Any]
    outside: dict[tuple[str, int], Any]
    stands: dict[tuple[str, int], Any]
    around: dict[tuple[str, str], Any]
    slots: dict[str, Any]
    single: dict[str, Any]
    ways: dict[str, tuple[Any, ...]]
    present: dict[str, Any]
    inside: dict[str, Any]


def ahead(problem: StagingProblem, a: StagingAxis, b: StagingAxis) -> bool:
    """Whether one loop over steps stands outside of another one if both stand in one region: those of sums come last."""
    order = [x.name for x in problem.axes]
    key = [(x.name not in problem.output.axes, order.index(x.name)) for x in (a, b)]
    return key[0] < key[1]


def rows(problem: StagingProblem, chosen: Choices, n: Numbers) -> dict[str, Any]:
    """Memory -> rows used: of all slots, with all tiles of each stage."""
    found = {m: 0 for m, _ in problem.memories}
    for o in problem.stages:
        own = _tiles(chosen, n, o, chosen.slots[o.name])
        found[o.memory] = found[o.memory] + (n.where(chosen.present[o.name], own, 0) if o.of else own)
    for m, slots in problem.waiting:
        found[m] = found[m] + _tiles(chosen, n, problem.output, slots)
    return found


def _tiles(chosen: Choices, n: Numbers, o: StagingOperand, slots: Any) -> Any:
    """Rows of so many slots, with all tiles of the operand inside its stage."""
    inside = {a: (chosen.tiles[a], n.where(chosen.around[a, o.name], 1, chosen.count[a])) for a in o.axes}
    held, rows_of_one = [], o.rows
    if o.slides is not None:
        along, over = (n.times(*inside.pop(a)) for a in (o.slides.along, o.slides.over))
        held, rows_of_one = [o.slides.count(n, along, over)], o.rows // o.slides.runs
    parts = (*held, *(tiles for tiles, _ in inside.values()), *(steps for _, steps in inside.values()))
    if not o.spare:
        return n.times(rows_of_one, slots, *parts)
    return n.times(slots, n.times(rows_of_one, *parts) + o.spare)


def table(axis: StagingAxis, tiles: int) -> tuple[int, int, int, int]:
    """Of so many tiles of a step: the steps, the tiles of all steps, and the points of the first and of the last step."""
    count = -(-axis.tiles // tiles)
    first = min(axis.points, tiles * axis.side)
    return count, count * tiles, first, axis.points - (count - 1) * tiles * axis.side


def choices(problem: StagingProblem, d: StagingDecision) -> Choices:
    """A decision as numbers."""
    of = {a.name: table(a, d.tiles[a.name]) for a in problem.axes}
    present = {o.name: passes(problem, d, o) for o in problem.outers}
    count, padded, first, last = ({a: line[c] for a, line in of.items()} for c in range(4))
    return Choices(
        d.tiles,
        d.regions,
        count,
        padded,
        first,
        last,
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
        {o.name: o.name in d.inside for o in problem.stages},
    )


def passes(problem: StagingProblem, d: StagingDecision, outer: StagingOperand) -> bool:
    """Whether the way chosen for its operand leads through an outer stage."""
    (of,) = (o for o in problem.inputs if o.name == outer.of)
    return of.ways[d.ways[of.name]].outer == outer.name


def legal(problem: StagingProblem, d: StagingDecision) -> bool:
    """Whether the program can be written and fits: sums end inside the output's stage, slots are of constant size, tiles pass a
    stage further out before the one inside of it."""
    if not _written(problem, d):
        return False
    used = rows(problem, choices(problem, d), Numbers())
    return all(used[m] <= most for m, most in problem.memories)


def _written(problem: StagingProblem, d: StagingDecision) -> bool:
    """Whether the program can be written, be there room or not."""
    absent = [o for o in problem.outers if not passes(problem, d, o)]
    if any((d.stages[o.name], d.slots[o.name], d.ways[o.name]) != (0, 1, 0) for o in absent):
        return False
    standing = [o for o in problem.stages if o not in absent] if absent else problem.stages
    if any(o.of and d.stages[o.name] > d.stages[o.of] for o in standing):
        return False
    if not set(d.inside) <= {o.name for o in _inside(problem, d, standing)}:
        return False
    loops = {0}  # regions around nothing, or with a loop of several steps
    for a in problem.axes:
        several, region = -(-a.tiles // d.tiles[a.name]) > 1, d.regions[a.name]
        if several:
            loops.add(region)
        if not several and not a.open:
            continue
        if a.open and any(region > d.stages[o.name] for o in standing if a.name in o.axes):
            return False
        if any(region <= d.stages[n] for n in (*problem.still, *d.inside)):
            return False
        if a.name not in problem.output.axes and region <= d.stages[problem.output.name]:
            return False
    return all(
        d.stages[o.name] in loops for o in standing
    )  # elsewhere it stands where those of the region around it do


def brings(problem: StagingProblem, o: StagingOperand) -> tuple[bool, ...]:
    """For each way of a stage, whether it can bring tiles one by one inside of loops around which the stage stands: from
    main memory, where tiles share nothing, and no move or use reaches into rows of the next ones."""
    able = o.name != problem.output.name and o.slides is None and not o.spare and o.name not in problem.still
    return tuple(able and not w.outer for w in o.ways)


def within(problem: StagingProblem, o: StagingOperand) -> tuple[str, ...]:
    """The stages inside of whose loops its tiles may be filled: the one they are taken on to, or any other."""
    return (o.of,) if o.of else tuple(x.name for x in problem.stages if x is not o)


def _inside(problem: StagingProblem, d: StagingDecision, standing: Sequence[StagingOperand]) -> list[StagingOperand]:
    """Stages that may be filled inside of the loops of others."""
    deep = {o.name for o in standing if d.stages[o.name]}
    return [o for o in standing if brings(problem, o)[d.ways[o.name]] and deep & set(within(problem, o))]


def without_inside(problem: StagingProblem) -> StagingProblem:
    """The same without stages that are filled inside of loops, but for pinned ones."""
    pinned = dict(problem.pins)
    pins = {f"inside.{o.name}": 0 for o in problem.stages if o is not problem.output} | pinned
    return replace(problem, pins=tuple(sorted(pins.items())))


def forms(problem: StagingProblem, d: StagingDecision) -> Iterator[StagingDecision]:
    """The same plan with its stages outside of loops filled where they begin, or inside, as pinned."""
    pins = dict(problem.pins)
    standing = [o for o in problem.stages if not o.of or passes(problem, d, o)]
    able = [o.name for o in _inside(problem, d, standing)]
    for some in product((False, True), repeat=len(able)):
        made = replace(d, inside=tuple(o for o, bit in zip(able, some, strict=True) if bit))
        obeys = all(
            pins.get(f"inside.{o.name}", o.name in made.inside) == (o.name in made.inside) for o in problem.stages
        )
        if obeys and _written(problem, made):
            yield made


def fullest(problem: StagingProblem, d: StagingDecision) -> list[StagingDecision]:
    """The same steps, regions, stages and ways with as many slots as fit; one of them takes the least time.

    More slots make a program wait for less, if its text stays the same. The order of fills in a region depends on
    the order of its stages' numbers of slots; so plans are compared only if they agree in this order.
    """
    pins, region = dict(problem.pins), d.stages
    absent = {o.name for o in problem.outers if not passes(problem, d, o)}
    if not _written(problem, replace(d, slots=d.slots | dict.fromkeys(absent, 1))):
        return []
    fixed = {o.name: [pins.get(f"slots.{o.name}", 0)] for o in problem.stages if f"slots.{o.name}" in pins}
    values = [[1] if o.name in absent else fixed.get(o.name, range(problem.slots, 0, -1)) for o in problem.stages]
    names = [o.name for o in problem.stages]
    filled = [n for n, x in enumerate(names) if x != problem.output.name and x not in absent]
    pairs = [(a, b) for a, b in combinations(filled, 2) if region[names[a]] == region[names[b]]]
    chosen, n = choices(problem, d), Numbers()
    standing = [(x, o) for x, o in enumerate(problem.stages) if o.name not in absent]
    room = []  # of each memory, with the rows of one slot of each stage in it
    for m, most in problem.memories:
        waiting = sum(_tiles(chosen, n, problem.output, slots) for where, slots in problem.waiting if where == m)
        room.append((most - waiting, [(x, _tiles(chosen, n, o, 1)) for x, o in standing if o.memory == m]))
    found: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
    for slots in product(*values):
        order = tuple((slots[a] > slots[b]) - (slots[a] < slots[b]) for a, b in pairs)
        if any(all(map(ge, more, slots)) for more in found.get(order, ())):
            continue
        if all(sum(each * slots[x] for x, each in of) <= most for most, of in room):
            found.setdefault(order, []).append(slots)
    return [replace(d, slots=dict(zip(names, slots, strict=True))) for same in found.values() for slots in same]
