"""One memory for buffers that live at different times: an offset for each, with a small peak.

Offsets come from CP-SAT or from placing one buffer after the other, whichever is better. Before a plan is handed out,
it is checked against the given buffers.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from isamap_encodings import deadline
from isamap_encodings.memory_fit import TURN, Block, Fit, fit, loads, renumbered
from isamap_smt.ir.arguments import time_limit, whole_number
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.scheduling.memory_tiling import tiled

CONFLICTS, FOREVER = 4_000, 2**40  # of all searches together: without a time limit, and with one
AT_BOUND = 4  # times as many conflicts are for the bound as for another peak: most memories reach it
MOST = 2**53  # bytes, of all buffers together; and times

Buffer = tuple[int, int, int]
Offsets = Sequence[int]


@dataclass(frozen=True)
class MemoryPlan:
    """The place of each buffer in one memory, and the plan's quality.

    offsets: of each buffer in bytes, in the given order; None if no plan within the capacity was found.
    peak: size of the memory in bytes. bound: no plan takes fewer bytes. status: OPTIMAL if the peak is the bound;
    FEASIBLE; INFEASIBLE if provably no plan keeps to the capacity; UNKNOWN if none was found at the limit.
    """

    offsets: tuple[int, ...] | None
    peak: int | None
    bound: int
    status: str

    @property
    def gap(self) -> float:
        """Peak less bound, as a fraction of the peak; infinity without a plan."""
        if self.peak is None:
            return math.inf
        return (self.peak - self.bound) / self.peak if self.peak else 0.0

    def __str__(self) -> str:
        if self.offsets is None or self.peak is None:
            return f"{self.status}: no plan; any takes at least {self.bound:,} bytes"
        return f"{self.status}: {len(self.offsets):,} buffers in {self.peak:,} bytes, gap {self.gap:.1%}"


def plan_memory(
    buffers: Iterable[Buffer], capacity: int | None = None, alignment: int = 64, *, timeout: float | None = None
) -> MemoryPlan:  # fmt: skip
    """Offsets for buffers in one memory, with the least peak found: buffers alive together do not overlap.

    buffers: (begin, end, size) of each, alive at the times t with begin <= t < end, size in bytes. capacity: bytes; the first plan
    within them is taken. alignment: a power of two; offsets and the peak are multiples of it, and sizes are rounded up to it.
    timeout: seconds, after which the best plan so far is taken. Without it a count of conflicts ends the search, so that the
    same buffers get the same plan. Ctrl-C ends a search, too.

    Returns: a MemoryPlan. Its peak is at most that of placing the largest buffer first, each as low as it can lie.
    Raises ScheduleError unless all are whole numbers with begin < end and 0 <= size, and the sizes add up to at most 2^53.

    >>> print(plan_memory([(0, 2, 128), (1, 3, 64), (2, 4, 128)]))
    OPTIMAL: 3 buffers in 192 bytes, gap 0.0%
    """
    limit = time_limit(timeout, ScheduleError)
    unit = whole_number(alignment, "alignment", ScheduleError, 1, MOST)
    if unit & (unit - 1):
        raise ScheduleError(f"alignment={unit}: must be a power of two")
    room = None if capacity is None else whole_number(capacity, "capacity", ScheduleError, 0)
    given = _buffers(buffers, unit)
    held = [n for n, (_, _, size) in enumerate(given) if size]
    cells = unit * math.gcd(*(-(-given[n][2] // unit) for n in held)) if held else unit
    blocks = renumbered([Block(begin, end, -(-size // cells)) for begin, end, size in (given[n] for n in held)])
    with deadline.until(limit):
        found = _Search(blocks, FOREVER if limit else CONFLICTS)
        found.least() if room is None else found.within(room // cells)
    if room is not None and found.peak * cells > room:
        return MemoryPlan(None, None, found.bound * cells, "INFEASIBLE" if found.bound * cells > room else "UNKNOWN")
    whole = dict(zip(held, found.offsets, strict=True))
    plan = MemoryPlan(
        tuple([int(whole.get(n, 0)) * cells for n in range(len(given))]),
        found.peak * cells,
        found.bound * cells,
        "OPTIMAL" if found.peak == found.bound else "FEASIBLE",
    )
    _check(plan, given, unit, room)
    return plan


def _buffers(buffers: Any, unit: int) -> list[Buffer]:
    """The buffers as Python's numbers. Raises ScheduleError."""
    try:
        given = list(buffers)
    except TypeError:
        raise ScheduleError(f"buffers is {type(buffers).__name__}: pass (begin, end, size) of each buffer") from None
    made = [_buffer(f"buffers[{n}]", b) for n, b in enumerate(given)]
    if sum(-(-size // unit) * unit for *_, size in made) > MOST:
        raise ScheduleError(f"buffers: their sizes, rounded up to {unit}, add up to more than 2^53 bytes")
    return made


def _buffer(what: str, given: Any) -> Buffer:
    try:
        begin, end, size = given
    except (TypeError, ValueError):
        raise ScheduleError(f"{what} is {type(given).__name__}: pass (begin, end, size)") from None
    begin, end = (
        whole_number(t, f"{what} {w}", ScheduleError, -MOST, MOST) for t, w in ((begin, "begin"), (end, "end"))
    )
    if begin >= end:
        raise ScheduleError(f"{what} is alive from {begin} to before {end}: end must be above begin")
    return begin, end, whole_number(size, f"{what} size", ScheduleError, 0, MOST)


class _Search:
    """The best offsets so far, their peak, and the bound, all in cells.

    It begins with one buffer after the other at its lowest place, so it has a plan at any time.
    """

    def __init__(self, blocks: Sequence[Block], limit: int) -> None:
        self.blocks, self.limit = blocks, limit
        self.bound = max(loads(blocks), default=0)
        self.order = 0
        self.offsets: Offsets = []
        self.peak = -1
        self.stopped = self.begun = False
        for order in _ORDERS:
            if self.peak < 0 or (self.bound < self.peak and not self._late()):
                self._take(_lowest(blocks, sorted(range(len(blocks)), key=lambda n: order(blocks[n]))))

    def within(self, room: int) -> None:
        """Search until the peak is at most `room`, the bound above it, or the limit reached."""
        while self.bound <= room < self.peak and not self._late():
            self._try(room, self.limit)

    def least(self) -> None:
        """Search until the peak is the bound, or the limit reached: the bound first, then by halves; then again for longer."""
        spend = TURN
        while self.bound < self.peak and not self._late():
            self._try(self.bound, AT_BOUND * spend)
            low = self.bound + 1  # no peak below it is tried any more
            while low < self.peak and not self._late():
                middle = (low + self.peak - 1) // 2
                self._try(middle, spend)
                low = max(low, self.bound, middle + 1 if self.peak > middle else 0)
            spend *= 2

    def _late(self) -> bool:
        left = deadline.left()
        return self.stopped or self.limit <= 0 or (left is not None and left <= 0)

    def _try(self, capacity: int, spend: int) -> None:
        try:
            if not self.begun and (tiles := tiled(self.blocks, capacity)) is not None:
                self._take(tiles)
                return
            self.begun = True
            found = fit(self.blocks, capacity, min(spend, self.limit), self.order)
        except KeyboardInterrupt:  # between two runs of the solver
            found = Fit(stopped=True)
        self.limit -= max(1, found.spent)
        self.order, self.stopped = found.order, found.stopped
        if found.offsets is not None:
            offsets = found.offsets
            self._take(_lowest(self.blocks, sorted(range(len(offsets)), key=lambda n: offsets[n])))
        elif found.impossible:
            self.bound = max(self.bound, capacity + 1)

    def _take(self, offsets: Offsets) -> None:
        peak = max((o + b.size for o, b in zip(offsets, self.blocks, strict=True)), default=0)
        if self.peak < 0 or peak < self.peak:
            self.offsets, self.peak = offsets, peak


# Which block is placed next, each at its lowest place.
_ORDERS: tuple[Callable[[Block], Any], ...] = (
    lambda b: (-b.size, b.first),
    lambda b: (-b.size * b.long, b.first),
    lambda b: (-b.long, -b.size),
    lambda b: (b.first, -b.size),
)


def _lowest(blocks: Sequence[Block], order: Sequence[int]) -> list[int]:
    """Offsets of blocks placed in this order, each at the lowest place beside its predecessors."""
    first, last, size = (np.array([f(blocks[n]) for n in order], np.int64) for f in _FIELDS)
    low, high = np.zeros(len(order), np.int64), np.zeros(len(order), np.int64)
    for n in range(len(order)):
        beside = np.flatnonzero((first[:n] < last[n]) & (first[n] < last[:n]))
        beside = beside[np.argsort(low[beside], kind="stable")]
        below = np.maximum.accumulate(np.concatenate(([0], high[beside])))  # where a gap may begin
        free = np.flatnonzero(low[beside] - below[:-1] >= size[n])
        low[n] = below[free[0]] if len(free) else below[-1]
        high[n] = low[n] + size[n]
    offsets = [0] * len(order)
    for n, offset in zip(order, low.tolist(), strict=True):
        offsets[n] = offset
    return offsets


_FIELDS: tuple[Callable[[Block], int], ...] = (lambda b: b.first, lambda b: b.last, lambda b: b.size)


def _check(plan: MemoryPlan, buffers: Sequence[Buffer], unit: int, room: int | None) -> None:
    """Raise ValueError unless the plan holds: by the given times, without blocks or live sets.

    Live buffers stand in order of their offsets, so a beginning one is compared with only two of them.
    """
    assert plan.offsets is not None and plan.peak is not None
    events = [(b[w], w == 0, n) for n, b in enumerate(buffers) if b[2] for w in (0, 1)]
    alive: list[tuple[int, int]] = []  # (offset, end of its cells) of each
    for _, begins, n in sorted(events):
        low, high = plan.offsets[n], plan.offsets[n] + buffers[n][2]
        at = bisect_left(alive, (low, high))
        if not begins:
            del alive[at]
            continue
        if (
            low % unit
            or low < 0
            or high > plan.peak
            or (at and alive[at - 1][1] > low)
            or (at < len(alive) and alive[at][0] < high)
        ):
            raise ValueError(f"the memory plan places buffer {n} wrongly, at {low}; the model and the times disagree")
        alive.insert(at, (low, high))
    if plan.bound > plan.peak or (room is not None and plan.peak > room):
        raise ValueError(
            f"the memory plan has a peak of {plan.peak}, with a bound of {plan.bound} and a capacity of {room}"
        )
