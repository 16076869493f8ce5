"""Statements computed block by block along an axis they share, so that what one leaves is read while it is in a cache.

For each block size both statements are scheduled as if the axis were that long, and the block is taken where all blocks
together, with what they stream past the cache, are predicted to cost less than one statement after the other. Axes qualify
whose every value of the later statement needs the same value of the earlier one only; the program's proof shows that it does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Mapping as Dict
from dataclasses import dataclass, replace
from math import ceil, prod
from typing import Any

from isamap_smt.codegen import lower
from isamap_smt.ir.arguments import whole_number
from isamap_smt.ir.errors import ScheduleError, SizeError
from isamap_smt.ir.expr import is_constant, sym
from isamap_smt.ir.hardware import Memory
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.schedule import LoopStep, Schedule, program_axes
from isamap_smt.pipeline.nested import nested
from isamap_smt.pipeline.time_steps import constant_along
from isamap_smt.scheduling.figures import Figures
from isamap_smt.scheduling.machine import machine
from isamap_smt.scheduling.problem import INPUT_EXPOSED, OUTPUT_EXPOSED
from isamap_smt.scheduling.setting import setting
from isamap_smt.scheduling.supply import compulsory, kept_between, usable

SHARES = (1, 3)  # of a cache: all of it for what is handed over, or a third beside what else a block reads and writes
NOT_FUSED = ("", 0)
Solve = Callable[[Schedule, dict[str, int], tuple[str, ...], dict[str, int]], Schedule]


def fusion_pin(pins: Dict[str, Any]) -> tuple[str, int] | None:
    """What `share=no` or `share.AXIS=POINTS` among the pins says: NOT_FUSED, axis and points, or None without it."""
    for key, value in pins.items():
        kind, _, axis = key.partition(".")
        if kind != "share":
            continue
        if not axis:
            if str(value) not in ("no", "none"):
                raise ScheduleError(f"share={value}: write share=no, or share.AXIS=POINTS for blocks of so many points")
            return NOT_FUSED
        try:
            return axis, whole_number(int(value), key, ScheduleError)
        except ValueError:
            raise ScheduleError(f"{key}={value}: must be a number of points") from None
    return None


def without_fusion(pins: Dict[str, Any]) -> dict[str, Any]:
    """The pins that are about one statement."""
    return {k: v for k, v in pins.items() if k.partition(".")[0] != "share"}


@dataclass(frozen=True)
class Fused:
    """Two statements in blocks of `points` along an axis. predicted, apart: cycles with and without."""

    axis: str
    points: int
    schedules: tuple[Schedule, ...]
    predicted: float
    apart: float

    def __str__(self) -> str:
        numbers = " and ".join(str(s.proved.mapping.statement_index + 1) for s in self.schedules)
        return (
            f"statements {numbers} share blocks of {self.points} along {self.axis}: {self.predicted:,.0f} cycles predicted, "
            f"{self.apart:,.0f} one after the other"
        )


@dataclass(frozen=True)
class _Pair:
    """Two schedules, of neighbouring mapped statements, and what the first hands to the second."""

    kernel: Kernel
    first: Schedule
    second: Schedule
    handed: tuple[str, ...]
    axis: str
    extent: int

    @property
    def schedules(self) -> tuple[Schedule, Schedule]:
        return self.first, self.second

    @property
    def row(self) -> int:
        """Bytes handed over for one value of the axis."""
        tensors = [self.kernel.tensor(t) for t in self.handed]
        return sum(prod(map(int, t.shape)) * t.dtype.bytes for t in tensors) // self.extent


def fused(
    schedules: Sequence[Schedule],
    sizes: Dict[str, int],
    constant: Sequence[str],
    threads: int,
    figures: Figures,
    solve: Solve,
    pinned: tuple[str, int] | None = None,
) -> tuple[tuple[Schedule, ...], tuple[str, ...]]:
    """The schedules, pairs of neighbours in blocks where that is predicted to cost less; and what was decided, in words.

    solve(schedule, sizes, constant, pins): the best schedule of the same mapping at other sizes. pinned: axis
    and block size that the user chose. Raises ScheduleError when that is not possible.
    """
    found = sorted(schedules, key=lambda s: s.proved.mapping.statement_index)
    notes: list[str] = []
    at = 0
    while at + 1 < len(found):
        best = _best(found[at], found[at + 1], sizes, constant, threads, figures, solve, pinned)
        if best is not None and (pinned is not None or best.predicted < best.apart):
            found[at : at + 2] = best.schedules
            notes.append(str(best))
            at += 1
        at += 1
    if pinned is not None and not notes:
        raise ScheduleError(
            f"share.{pinned[0]}={pinned[1]}: no two neighbouring statements are schedules of whole values of {pinned[0]}, "
            "where the later one needs of the earlier one the same value only"
        )
    return tuple(found), tuple(notes)


def _best(
    first: Schedule,
    second: Schedule,
    sizes: Dict[str, int],
    constant: Sequence[str],
    threads: int,
    figures: Figures,
    solve: Solve,
    pinned: tuple[str, int] | None,
) -> Fused | None:
    best: Fused | None = None
    for pair in _pairs(first, second, sizes):
        if pinned is not None and pair.axis != pinned[0]:
            continue
        for points in (pinned[1],) if pinned else _sizes(pair, figures):
            try:
                made = _fused(pair, points, sizes, constant, threads, figures, solve)
                lower(*made.schedules)  # what stands between them may need loops of its own
            except (ScheduleError, SizeError):
                if pinned is not None:
                    raise
                continue
            if best is None or made.predicted < best.predicted:
                best = made
        if pinned is None and pair.row <= usable(_caches(pair, figures)[:2][-1]):
            break  # a core's own caches hold blocks of this axis: those of an axis further in would lie apart in memory
    return best


def _pairs(first: Schedule, second: Schedule, sizes: Dict[str, int]) -> Iterator[_Pair]:
    """One for each axis along which the second needs of the first the same value only."""
    a, b = first.proved.mapping, second.proved.mapping
    kernel = a.kernel.with_sizes(dict(sizes))
    here, there = a.statement_index, b.statement_index
    if kernel.recurrence_of(here) is not None or kernel.recurrence_of(there) is not None:
        return
    between = kernel.statements[here:there]
    written = {s.target.tensor for s in between}
    reads = [x for s in (*between[1:], kernel.statements[there]) for x in s.inputs if x.tensor in written]
    handed = tuple(dict.fromkeys(x.tensor for x in kernel.statements[there].inputs if x.tensor in written))
    places = (*(s.target for s in between), *reads)
    if not handed or not all(is_constant(n) for t in handed for n in kernel.tensor(t).shape):
        return
    own = [{x.name for x in program_axes(m) if x.members == (x.name,) and not x.reduction} for m in (a, b)]
    for axis in kernel.statements[here].axes:
        if axis.name not in own[0] & own[1] or not is_constant(axis.extent) or int(axis.extent) < 2:
            continue
        if all(_alone(axis.name, [p.index for p in places if p.tensor == t]) for t in written):
            yield _Pair(kernel, first, second, handed, axis.name, int(axis.extent))


def _alone(axis: str, indices: list[tuple[object, ...]]) -> bool:
    """Whether the axis by itself is one and the same dimension wherever the tensor is written and read."""
    return any(all(i[d] == sym(axis) for i in indices) for d in range(len(indices[0])))


def _sizes(pair: _Pair, figures: Figures) -> tuple[int, ...]:
    """The largest blocks whose handed-over part fits a share of a cache that does not hold the whole of it."""
    offered = {n for n in range(1, pair.extent) if pair.extent % n == 0}
    offered |= {n << k for n in (1, 3) for k in range(20) if n << k < pair.extent}
    chosen: list[int] = []
    for cache in _caches(pair, figures):
        if pair.row * pair.extent <= usable(cache):
            break
        for share in SHARES:
            chosen += sorted(n for n in offered if n * pair.row * share <= usable(cache))[-1:]
    return tuple(sorted(set(chosen)))


def _caches(pair: _Pair, figures: Figures) -> tuple[Memory, ...]:
    """The machine's caches, the nearest first."""
    hardware = pair.first.hardware
    assert hardware is not None
    return machine(hardware, pair.first.proved.mapping.instruction, figures).caches


def _fused(
    pair: _Pair,
    points: int,
    sizes: Dict[str, int],
    constant: Sequence[str],
    threads: int,
    figures: Figures,
    solve: Solve,
) -> Fused:
    axis, count = pair.axis, ceil(pair.extent / points)
    if points >= pair.extent:
        raise ScheduleError(f"a block of {points} is all of {axis}, which has {pair.extent}")
    small = {**{k: v for k, v in sizes.items() if k not in _names(pair)}, axis: points}
    parallel = threads > 1 and count >= threads
    made = tuple(_one(s, pair, points, small, constant, solve) for s in pair.schedules)
    work = sum(s.objective or 0.0 for s in made) * count
    streamed, exposed = _streamed(pair, small, sizes, figures)
    uneven = ceil(count / threads) * threads / count if parallel else threads
    known = [dict.fromkeys((*s.decided_outside, *x.decided_outside)) for s, x in zip(pair.schedules, made, strict=True)]
    made = tuple(replace(x, decided_outside=tuple(k)) for x, k in zip(made, known, strict=True))
    done = tuple(_around(s, pair, points, sizes, constant, 0 if parallel else None) for s in made)
    starts = threads * figures.start_threads if parallel else 0.0
    predicted = max(work, streamed) * uneven + exposed + starts
    return Fused(axis, points, done, predicted, sum(s.objective or 0.0 for s in pair.schedules))


def _names(pair: _Pair) -> set[str]:
    """The axis, and the size that is its extent in the kernel of open sizes."""
    extent = pair.first.proved.mapping.statement.axis(pair.axis).extent
    return {pair.axis, *(s.name for s in extent.free_symbols)}


def _one(
    schedule: Schedule, pair: _Pair, points: int, small: dict[str, int], constant: Sequence[str], solve: Solve
) -> Schedule:
    """The statement's schedule for one block. Steps along the axis must divide it, or the last tile would reach beyond."""
    mapping = schedule.proved.mapping
    held = (*constant, *constant_along(pair.kernel, mapping.statement_index, pair.axis))
    leaf = next(a.leaf for a in program_axes(mapping) if a.name == pair.axis)
    if points % leaf:
        raise ScheduleError(f"a block of {points} cuts the {leaf} lanes of {mapping.instruction.name}")
    found = solve(schedule, small, held, {})
    if _divides(found, pair.axis, points):
        return found
    tile = max(n for n in range(leaf, found.register(pair.axis) + 1, leaf) if points % n == 0)
    found = solve(schedule, small, held, {f"register.{pair.axis}": tile, f"tile.{pair.axis}": points})
    if not _divides(found, pair.axis, points):
        raise ScheduleError(f"no tiles along {pair.axis} divide a block of {points}")
    return found


def _divides(schedule: Schedule, axis: str, points: int) -> bool:
    steps = [x.step for x in schedule.loops if x.axis == axis]
    return all(points % n == 0 for n in (*steps, schedule.register(axis)))


def _around(
    s: Schedule, pair: _Pair, points: int, sizes: Dict[str, int], constant: Sequence[str], parallel: int | None
) -> Schedule:
    """The schedule of one block, inside a loop over the blocks."""
    mapping = s.proved.mapping
    stays = constant_along(pair.kernel, mapping.statement_index, pair.axis)
    closes = () if _closed(s, pair.axis, points) else (LoopStep(pair.axis, s.register(pair.axis)),)
    every = nested(s, (LoopStep(pair.axis, points), *closes), stays=stays, constant=constant)
    told = f"chosen for a block of {points} along {pair.axis}; traffic and objective are those of one block"
    outside = f"blocks of {points} along {pair.axis}, in which two statements share a cache"
    return replace(
        every, parallel=parallel, notes=(*s.notes, told), sizes=tuple(sorted(sizes.items())), fused=pair.axis,
        decided_outside=(*s.decided_outside, outside),
    )  # fmt: skip


def _closed(s: Schedule, axis: str, points: int) -> bool:
    """Whether the innermost loop over the axis steps by the register tile."""
    steps = [x.step for x in s.loops if x.axis == axis] or [points]
    return steps[-1] == s.register(axis)


def _streamed(pair: _Pair, small: dict[str, int], sizes: Dict[str, int], figures: Figures) -> tuple[float, float]:
    """Cycles to bring what no block shares from where the whole of it lies, and the part of them that nothing hides.

    The price of a block takes it to be where a block would stay between calls.
    """
    total = exposed = 0.0
    for schedule in pair.schedules:
        mapping, hardware = schedule.proved.mapping, schedule.hardware
        assert hardware is not None
        block = setting(schedule.proved, hardware, small, (), 1)
        every = setting(schedule.proved, hardware, dict(sizes), (), 1)
        m = machine(hardware, mapping.instruction, figures)
        levels = range(kept_between(block, m), kept_between(every, m))
        stays = (*pair.handed, *constant_along(pair.kernel, mapping.statement_index, pair.axis))
        for o in (*every.inputs, every.output):
            if every.tensor(o) in stays or (o == every.output and every.tensor(o) in _written(pair)):
                continue
            output = o == every.output
            moved = compulsory(every, o) * every.bytes(o) * (2 if output else 1)
            cycles = sum(moved * m.cycles(u) for u in levels)
            total += cycles
            exposed += cycles * (OUTPUT_EXPOSED if output else INPUT_EXPOSED)
    return total, exposed


def _written(pair: _Pair) -> set[str]:
    """What the first statement writes, which stays in the cache with what it hands over."""
    return {pair.first.proved.mapping.statement.target.tensor}
