"""Statements computed block by block along a shared axis, so that results are read while they are in a cache.

For each block size all of them are scheduled as if the axis were that long. The block is taken if all blocks
together, with their streams past the cache, are predicted to cost less than one statement after the other. An axis qualifies
if each value of a later statement needs only the same value of the earlier ones; the program's proof shows this.
Blocks may lie inside one value of another such axis: of one head after the other, a few rows each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Mapping as Dict
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import combinations
from math import ceil, prod
from typing import Any

from isamap_smt.ir.arguments import whole_number
from isamap_smt.ir.errors import ScheduleError, SizeError
from isamap_smt.ir.expr import is_constant
from isamap_smt.ir.hardware import Memory
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.ir.schedule import LoopStep, ProgramAxis, Schedule, program_axes
from isamap_smt.pipeline.blocks import Group, alone, statement_of, traffic
from isamap_smt.pipeline.element_by_element import lowered
from isamap_smt.pipeline.nested import nested
from isamap_smt.pipeline.time_steps import constant_along
from isamap_smt.scheduling.arguments import Pin
from isamap_smt.scheduling.figures import FAR, WHOLE, Figures
from isamap_smt.scheduling.setting import machine
from isamap_smt.scheduling.supply import usable

SHARES = (1, 3)  # of a cache: all of it for tensors handed over, or a third beside a block's other reads and writes
IN_ORDER = 0.8  # of a cache, for what goes through it line by line
FEW = (
    32  # points of a statement for one value of the axis that are computed one by one, sooner than rearranged for lanes
)
POINT_CYCLES = 4.0  # of a point that is computed by itself, behind the one before
NOT_FUSED = ("", 0)
Solve = Callable[[Schedule, dict[str, int], tuple[str, ...], dict[str, int]], Schedule]
Floor = Callable[[Schedule, dict[str, int], tuple[str, ...], str], float]


def fusion_pin(pins: tuple[Pin, ...]) -> tuple[str, int] | None:
    """The pin `share=no` or `share.AXIS=POINTS` as NOT_FUSED, or axis and points; None without it. Raises ScheduleError."""
    for pin in pins:
        if pin.kind != "share":
            continue
        if not pin.of:
            if not pin.off:
                raise ScheduleError(
                    f"share={pin.value}: write share=no, or share.AXIS=POINTS for blocks of so many points"
                )
            return NOT_FUSED
        try:
            return pin.of, whole_number(int(pin.value), pin.name, ScheduleError)  # type: ignore[arg-type]
        except (ValueError, TypeError):
            raise ScheduleError(f"{pin}: must be a number of points") from None
    return None


def without_fusion(pins: tuple[Pin, ...]) -> tuple[Pin, ...]:
    """The pins on one statement."""
    return tuple(p for p in pins if p.kind != "share")


@dataclass(frozen=True)
class Fused:
    """Statements in blocks of `points` along an axis, for one value of each of the axes `over` after the other.

    predicted, apart: cycles with and without. left: schedules given up for it.
    """

    axis: str
    over: tuple[str, ...]
    points: int
    schedules: tuple[Schedule, ...]
    predicted: float
    apart: float
    left: tuple[Schedule, ...] = ()

    @property
    def axes(self) -> tuple[str, ...]:
        """Axes of the shared loops, the outermost first."""
        return (*self.over, self.axis)

    def __str__(self) -> str:
        *most, last = (str(s.proved.mapping.statement_index + 1) for s in self.schedules)
        each = f", for each {' and '.join(self.over)}" if self.over else ""
        return (
            f"statements {', '.join(most)} and {last} share blocks of {self.points} along {self.axis}{each}: {self.predicted:,.0f} "
            f"cycles predicted, {self.apart:,.0f} one after the other"
        )


@dataclass(frozen=True)
class _Open:
    """Blocks of `points` that are not scheduled yet. predicted: no schedules of them take fewer cycles."""

    group: Group
    points: int
    predicted: float

    @property
    def axes(self) -> tuple[str, ...]:
        return self.group.axes

    @property
    def schedules(self) -> tuple[Schedule, ...]:
        """Of the statements, one after the other."""
        return self.group.schedules


def _number(s: Schedule) -> int:
    return s.proved.mapping.statement_index


def fused(
    schedules: Sequence[Schedule],
    sizes: Dict[str, int],
    constant: Sequence[str],
    threads: int,
    figures: Figures,
    solve: Solve,
    floor: Floor,
    pinned: tuple[str, int] | None = None,
) -> tuple[tuple[Schedule, ...], tuple[Fused, ...]]:
    """The schedules and the blocks; as many neighbours as possible share blocks if that is predicted to cost less.

    solve(schedule, sizes, constant, pins): the best schedule of the same mapping at other sizes. floor(schedule, sizes,
    constant, axis): no such schedule costs less, tiles of the axis pinned or not. pinned: the user's axis and block size.
    Raises ScheduleError if these are not possible.

    Blocks are scheduled once they are on the cheapest path, where their floor stands for them before. What is on it at last
    costs no more than any path of floors, so no block that was left open could have changed it.
    """
    found = sorted(schedules, key=_number)
    choice = _Choice(sizes, constant, threads, figures, _remembered(solve), _remembered(floor), pinned)
    runs: _Runs = {}
    problems: list[ScheduleError | SizeError] = []
    for at, end in combinations(range(len(found) + 1), 2):
        try:
            runs[at, end] = choice.offered(found[at:end]) if end - at > 1 else ()
        except (ScheduleError, SizeError) as error:
            problems.append(error)
    while True:
        path = _cheapest(found, runs, pinned is not None)
        block = next((x for x in path if isinstance(x, _Open)), None)
        if block is not None:
            runs = _instead(runs, block, choice.scheduled(block))
            continue
        made = tuple(x for x in path if isinstance(x, Fused))
        refused = next((f for f in made if not _lowers(f, problems)), None)
        if refused is None:
            break
        runs = _instead(runs, refused, None)
    if pinned is not None and not made:
        if problems:
            raise problems[-1]
        raise ScheduleError(
            f"share.{pinned[0]}={pinned[1]}: no two neighbouring statements are schedules of whole values of {pinned[0]}, "
            "where the later one needs of the earlier one the same value only"
        )
    inside = {_number(s) for f in made for s in (*f.schedules, *f.left)}
    every = [s for s in found if _number(s) not in inside] + [s for f in made for s in f.schedules]
    return tuple(sorted(every, key=_number)), made


_Runs = dict[
    tuple[int, int], tuple[Fused | _Open, ...]
]  # first and behind the last of neighbours: the blocks they may share
_Path = tuple[float, tuple[Fused | _Open, ...]]  # what it costs, and the blocks on it


def _instead(runs: _Runs, old: Fused | _Open, new: Fused | None) -> _Runs:
    """The runs with other blocks, or none, in the same place."""
    put = () if new is None else (new,)
    return {at: tuple(y for x in offered for y in (put if x is old else (x,))) for at, offered in runs.items()}


def _lowers(f: Fused, problems: list[ScheduleError | SizeError]) -> bool:
    """Whether the blocks can be lowered: what stands between them may have no place in the loop. Adds why not to problems."""
    try:
        lowered(*f.schedules)
    except (ScheduleError, SizeError) as error:
        problems.append(error)
        return False
    return True


def _cheapest(found: Sequence[Schedule], runs: _Runs, pinned: bool) -> tuple[Fused | _Open, ...]:
    """The blocks of least total cost: a shortest path from the first statement to behind the last.

    Its steps are runs in blocks, and single statements. Two runs side by side do not share the same axes: they would be one
    loop. pinned: as many statements in blocks as possible, at any cost.
    """
    best: list[dict[tuple[str, ...], _Path]] = [{(): (0.0, ())}]  # by the axes of the last blocks
    for end, last in enumerate(found, 1):
        alone = 0.0 if pinned else last.objective or 0.0
        ways: list[tuple[tuple[str, ...], _Path]] = [((), (cost + alone, made)) for cost, made in best[-1].values()]
        for at in range(end - 1):
            for f in runs.get((at, end), ()):
                price = float(-len(f.schedules)) if pinned else f.predicted
                before = (path for axes, path in best[at].items() if axes != f.axes)
                ways += [(f.axes, (cost + price, (*made, f))) for cost, made in before]
        here: dict[tuple[str, ...], _Path] = {}
        for axes, path in sorted(ways, key=lambda way: way[1][0]):
            here.setdefault(axes, path)  # of those that cost the same the first
        best.append(here)
    return min(best[-1].values(), key=lambda path: path[0])[1]


def may_share(schedules: Sequence[Schedule], sizes: Dict[str, int]) -> bool:
    """Whether some neighbours could be computed block by block along an axis."""
    found = sorted(schedules, key=_number)
    runs = (found[at:end] for at in range(len(found)) for end in range(at + 2, len(found) + 1))
    return any(True for run in runs for _ in _groups(run, sizes))


def _remembered(ask: Callable[..., Any]) -> Callable[..., Any]:
    """The same, each question about a schedule asked once: groups have statements in common."""
    known: dict[Any, Any] = {}

    def found(s: Schedule, sizes: dict[str, int], constant: tuple[str, ...], more: Any) -> Any:
        about = tuple(sorted(more.items())) if isinstance(more, dict) else more
        key = (_number(s), tuple(sorted(sizes.items())), constant, about)
        if key not in known:
            try:
                known[key] = ask(s, sizes, constant, more)
            except ScheduleError as error:
                known[key] = error
        answer = known[key]
        if isinstance(answer, ScheduleError):
            raise answer
        return answer

    return found


@dataclass(frozen=True)
class _Choice:
    """The setting for choosing blocks. pinned: axis and points."""

    sizes: Dict[str, int]
    constant: Sequence[str]
    threads: int
    figures: Figures
    solve: Solve
    floor: Floor
    pinned: tuple[str, int] | None

    def offered(self, run: Sequence[Schedule]) -> tuple[Fused | _Open, ...]:
        """Blocks of these neighbours that may be cheaper than one after the other; with a pin, all blocks it allows.

        Raises ScheduleError or SizeError if pinned blocks are not possible.
        """
        offered: list[Fused | _Open] = []
        held = False  # whether a core's own caches hold blocks of an axis: those of one further in would lie apart in memory
        for group in _nested(tuple(_groups(run, self.sizes))):
            if self.pinned is not None and group.axis != self.pinned[0]:
                continue
            if held and not group.over:
                break
            for points in (self.pinned[1],) if self.pinned else _sizes(group, self.figures, self.threads):
                if self.pinned is not None:
                    offered.append(_fused(_blocks(group, points, self), self))
                    continue
                with suppress(ScheduleError, SizeError):
                    found = _Open(group, points, _floor(_blocks(group, points, self), self))
                    offered += [found] if found.predicted < group.apart else []
            held = held or (self.pinned is None and group.row <= usable(_caches(group, self.figures)[:2][-1]))
        return tuple(offered)

    def scheduled(self, block: _Open) -> Fused | None:
        """The blocks with their schedules; None if there are none that cost less than one statement after the other."""
        try:
            made = _fused(_blocks(block.group, block.points, self), self)
        except (ScheduleError, SizeError):
            return None
        return made if made.predicted < made.apart else None


def _groups(run: Sequence[Schedule], sizes: Dict[str, int]) -> Iterator[Group]:
    """One for each axis along which the later statements need only the same value of the earlier ones."""
    kernel = run[0].proved.mapping.kernel.with_sizes(dict(sizes))
    here, there = _number(run[0]), _number(run[-1])
    if any(kernel.recurrence_of(n) is not None for n in (here, there)):
        return
    between = kernel.statements[here:there]
    written = {s.target.tensor for s in between}
    reads = [x for s in kernel.statements[here + 1 : there + 1] for x in s.inputs if x.tensor in written]
    places = (*(s.target for s in between), *reads)
    for axis in kernel.statements[here].axes:
        if not is_constant(axis.extent) or int(axis.extent) < 2:
            continue
        apart = _owners(run, axis.name, kernel)
        if apart is None or not all(alone(axis.name, [p.index for p in places if p.tensor == t]) for t in written):
            continue
        taken, left = apart
        later = [x for s in taken[1:] for x in statement_of(s).inputs if x.tensor in written]
        handed = tuple(dict.fromkeys(x.tensor for x in later))
        if handed and all(is_constant(n) for t in handed for n in kernel.tensor(t).shape):
            yield Group(kernel, taken, left, handed, axis.name, int(axis.extent))


def _nested(groups: tuple[Group, ...]) -> Iterator[Group]:
    """The groups; of more than two statements also each inside one value of the axis before it."""
    for n, group in enumerate(groups):
        if n and len(group.schedules) > 2 and group.schedules == groups[n - 1].schedules:
            yield replace(group, over=((groups[n - 1].axis, groups[n - 1].extent),))
        yield group


def _owners(
    run: Sequence[Schedule], axis: str, kernel: Kernel
) -> tuple[tuple[Schedule, ...], tuple[Schedule, ...]] | None:
    """Schedules with the axis to themselves, and those given up for it. A run of two gives up nothing.

    Returns None if others are among them, fewer than two own the axis, or the first does not.
    """
    taken, left = [], []
    for s in run:
        own: ProgramAxis | None = next((x for x in program_axes(s.proved.mapping) if x.members == (axis,)), None)
        others = [a.extent for a in kernel.statements[_number(s)].axes if a.name != axis]
        few = len(run) > 2 and all(map(is_constant, others)) and prod(map(int, others)) <= FEW
        if own is not None and not own.reduction and not (few and own.leaf > 1):
            taken.append(s)
        elif few and axis in {a.name for a in statement_of(s).axes}:
            left.append(s)
        else:
            return None
    fits = len(taken) > 1 and taken[0] is run[0]
    return (tuple(taken), tuple(left)) if fits else None


def _sizes(group: Group, figures: Figures, threads: int) -> tuple[int, ...]:
    """Block sizes worth scheduling, in points of the axis.

    Caches are asked from the nearest on, up to one that holds the whole axis; the whole axis is then offered if there are outer
    axes. Each smaller cache offers, for each share of it, the largest block whose handed-over part fits. Blocks that leave room for
    the streams are preferred, and among them divisors of the extent that are more than half as large. If statements read common
    tensors, only the first cache with an offer counts.

    Several threads without outer axes also try the largest sizes that give each thread as many blocks. These are at most the
    sizes above, or one block per thread if all touched tensors exceed a core's own caches.
    """
    offered = {n for n in range(1, group.extent) if group.extent % n == 0}
    offered |= {n << k for n in (1, 3) for k in range(20) if n << k < group.extent}
    chosen: list[int] = []
    for cache in _caches(group, figures):
        if group.row * group.extent <= usable(cache):
            chosen += [group.extent] if group.over else []
            break
        for share in SHARES:
            fits = [n for n in offered if n * group.row * share <= usable(cache)]
            beside = [n for n in fits if n * group.live <= (cache.capacity or 0) * IN_ORDER]
            largest = max(beside or fits, default=0)
            even = [n for n in beside or fits if group.extent % n == 0 and 2 * n > largest]
            chosen += sorted(even or beside or fits)[-1:]
        if group.common and chosen:
            break  # blocks beyond the first cache would wait for what they read
    if threads > 1 and not group.over:
        own = max((usable(cache) for cache in _caches(group, figures) if not cache.shared), default=0)
        each = [ceil(group.extent / threads)] if group.touched > own else []
        for most in (*chosen, *each):
            alike = [n for n in offered if n <= most and ceil(group.extent / n) % threads == 0]
            chosen = [*chosen, *sorted(alike)[-1:]]
    return tuple(sorted(set(chosen)))


def _caches(group: Group, figures: Figures) -> tuple[Memory, ...]:
    """The machine's caches, the nearest first."""
    hardware = group.schedules[0].hardware
    assert hardware is not None
    return machine(hardware, group.schedules[0].proved.mapping.instruction, figures).caches


@dataclass(frozen=True)
class _Blocks:
    """A group in `count` blocks of `points`. small: the sizes of one of them."""

    group: Group
    points: int
    count: int
    small: dict[str, int]


def _blocks(group: Group, points: int, choice: _Choice) -> _Blocks:
    """Raises ScheduleError if they are no blocks."""
    axis = group.axis
    if points > group.extent or (points == group.extent and not group.over):
        raise ScheduleError(f"a block of {points} is all of {axis}, which has {group.extent}")
    small = {
        **{k: v for k, v in choice.sizes.items() if k not in _names(group)},
        axis: points,
        **{a: 1 for a, _ in group.over},
    }
    return _Blocks(group, points, group.values * ceil(group.extent / points), small)


def _floor(b: _Blocks, choice: _Choice) -> float:
    """No schedules of the blocks take fewer cycles. Raises ScheduleError or SizeError if they have none."""
    least = []
    for s in b.group.schedules:
        _require_whole_lanes(s, b.group, b.points)
        least.append(choice.floor(s, b.small, _held(s, b.group, choice), b.group.axis))
    return _predicted(b, least, choice)[0]


def _predicted(b: _Blocks, costs: Sequence[float], choice: _Choice) -> tuple[float, int | None]:
    """(cycles of all blocks, position of the loop that threads share), from each statement's cycles in one block."""
    group, count, threads, figures = b.group, b.count, choice.threads, choice.figures
    work = sum(costs) * count + POINT_CYCLES * sum(map(_points, _given_up(group)))
    streamed, exposed, again = traffic(group, b.points, count, b.small, dict(choice.sizes), figures)
    work = max(computing * work + moving * again for computing, moving in FAR) / WHOLE
    ways = (
        (
            max(work, streamed) * uneven
            + exposed * (threads if loop is None else 1)
            + starts * threads * figures.start_threads,
            loop,
        )
        for loop, uneven, starts in _shared(group, count, threads)
    )
    return min(ways, key=lambda way: way[0])


def _fused(b: _Blocks, choice: _Choice) -> Fused:
    """The blocks with the best schedules. Raises ScheduleError or SizeError if there are none."""
    group = b.group
    made = tuple(_one(s, b, choice) for s in group.schedules)
    known = [
        dict.fromkeys((*s.decided_outside, *x.decided_outside)) for s, x in zip(group.schedules, made, strict=True)
    ]
    made = tuple(replace(x, decided_outside=tuple(k)) for x, k in zip(made, known, strict=True))
    predicted, parallel = _predicted(b, [s.objective or 0.0 for s in made], choice)
    streams = _streams(group, made, choice.figures)
    done = tuple(
        _around(replace(s, streams=n), group, b.points, choice, parallel) for s, n in zip(made, streams, strict=True)
    )
    return Fused(group.axis, tuple(a for a, _ in group.over), b.points, done, predicted, group.apart, group.left)


def _streams(group: Group, made: Sequence[Schedule], figures: Figures) -> list[int]:
    """Bytes of prefetching allowed to the loads of each schedule.

    For each common tensor, the slowest of its later readers may ask for the first cache's size.
    """
    room = int(next((c.capacity or 0 for c in _caches(group, figures)), 0))
    found = [0] * len(made)
    for tensor in group.common:
        readers = [n for n, s in enumerate(made) if tensor in {a.tensor for a in statement_of(s).inputs}]
        found[max(readers[1:], key=lambda n: made[n].objective or 0.0)] = room
    return found


def _shared(group: Group, count: int, threads: int) -> Iterator[tuple[int | None, float, int]]:
    """Ways to share a loop around `count` blocks: its position, the busiest thread's work over an even share, and thread starts.

    Position None: one thread does everything, the others are idle.
    """
    yield None, threads, 0
    trips = (group.values, count // group.values) if group.over else (count,)
    for position, n in enumerate(trips if threads > 1 else ()):
        if n >= threads:
            yield position, ceil(n / threads) * threads / n, trips[0] if position else 1


def _given_up(group: Group) -> list[Statement]:
    return [group.kernel.statements[_number(s)] for s in group.left]


def _points(s: Statement) -> int:
    return prod(int(a.extent) for a in s.axes)


def _names(group: Group) -> set[str]:
    """The axes, and the sizes of their extents in the kernel of open sizes."""
    extents = [statement_of(group.schedules[0]).axis(a).extent for a in group.axes]
    return {*group.axes, *(s.name for extent in extents for s in extent.free_symbols)}


def _held(schedule: Schedule, group: Group, choice: _Choice) -> tuple[str, ...]:
    """Tensors that are the same in all blocks of the statement."""
    return (*choice.constant, *constant_along(group.kernel, _number(schedule), group.axis))


def _require_whole_lanes(schedule: Schedule, group: Group, points: int) -> None:
    mapping = schedule.proved.mapping
    leaves = {a.name: a.leaf for a in program_axes(mapping)}
    leaf = leaves[group.axis]
    if points % leaf or any(leaves[a] != 1 for a, _ in group.over):
        raise ScheduleError(f"a block of {points} cuts the {leaf} lanes of {mapping.instruction.name}")


def _one(schedule: Schedule, b: _Blocks, choice: _Choice) -> Schedule:
    """The statement's schedule for one block. Steps along the axis must divide it, or the last tile would reach beyond."""
    axis, points, held = b.group.axis, b.points, _held(schedule, b.group, choice)
    _require_whole_lanes(schedule, b.group, points)
    leaf = next(a.leaf for a in program_axes(schedule.proved.mapping) if a.name == axis)
    found = choice.solve(schedule, b.small, held, {})
    if _divides(found, axis, points):
        return found
    tile = max(n for n in range(leaf, found.register(axis) + 1, leaf) if points % n == 0)
    found = choice.solve(schedule, b.small, held, {f"register.{axis}": tile, f"tile.{axis}": points})
    if not _divides(found, axis, points):
        raise ScheduleError(f"no tiles along {axis} divide a block of {points}")
    return found


def _divides(schedule: Schedule, axis: str, points: int) -> bool:
    steps = [x.step for x in schedule.loops if x.axis == axis]
    return all(points % n == 0 for n in (*steps, schedule.register(axis)))


def _around(s: Schedule, group: Group, points: int, choice: _Choice, parallel: int | None) -> Schedule:
    """The schedule of one block, inside a loop over the blocks."""
    mapping = s.proved.mapping
    still = [constant_along(group.kernel, mapping.statement_index, a) for a in group.axes]

    def changes(tensor: str) -> int:
        """Inside how many of the shared loops it is another one."""
        return max((depth for depth, known in enumerate(still, 1) if tensor not in known), default=0)

    closes = () if _closed(s, group.axis, points) else (LoopStep(group.axis, s.register(group.axis)),)
    outer = (*(LoopStep(a, 1) for a, _ in group.over), LoopStep(group.axis, points), *closes)
    every = nested(s, outer, changes=changes, constant=choice.constant, without=[a for a, _ in group.over])
    told = f"chosen for a block of {points} along {group.axis}; traffic and objective are those of one block"
    several = "two" if len(group.schedules) == 2 else len(group.schedules)
    outside = f"blocks of {points} along {group.axis}, in which {several} statements share a cache"
    return replace(
        every, parallel=parallel, notes=(*s.notes, told), sizes=tuple(sorted(choice.sizes.items())), fused=group.axes,
        decided_outside=(*s.decided_outside, outside),
    )  # fmt: skip


def _closed(s: Schedule, axis: str, points: int) -> bool:
    """Whether the innermost loop over the axis steps by the register tile."""
    steps = [x.step for x in s.loops if x.axis == axis] or [points]
    return steps[-1] == s.register(axis)
