"""A schedule's cost and its tiles as bars: the parts of the predicted time, and the contents of each cache.

Segments of a cost add up to the objective; those of a cache are the tiles of all operands there, as the model counts them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from isamap_smt.ir.schedule import Schedule
from isamap_smt.scheduling.breakdown import EXPOSED, PACKING, READ_IN_PLACE, SHARING, SPILLS, TOGETHER
from isamap_smt.scheduling.setting import machine, setting
from isamap_smt.scheduling.supply import tile_bytes, usable

_COLOURS = {TOGETHER: 0, EXPOSED: 7, SPILLS: 4, PACKING: 2, READ_IN_PLACE: 1, SHARING: 5}
_OTHERS = (0, 3, 6, 8)  # of energy's parts, which come first and have no TOGETHER among them


@dataclass(frozen=True)
class Segment:
    """share: of the bar, 0 to 1. colour: a number of the page's link colours."""

    name: str
    amount: float
    share: float
    colour: int


@dataclass(frozen=True)
class CostBar:
    """The parts of the objective, and below them those overlapped inside of the first segment, on the same scale."""

    total: float
    unit: str
    segments: tuple[Segment, ...]
    overlapped: tuple[Segment, ...]


@dataclass(frozen=True)
class MemoryBar:
    """A cache: bytes in all, the bytes usable for tiles, and the tile of each tensor.

    Shares are of all bytes, or of the tiles if these are more; limit is the share of the usable bytes.
    """

    name: str
    capacity: int
    usable: int
    segments: tuple[Segment, ...]
    limit: float

    @property
    def filled(self) -> int:
        """Bytes of all tiles."""
        return round(sum(s.amount for s in self.segments))

    @property
    def streamed(self) -> bool:
        """Whether the tiles exceed the usable bytes: they pass through, and the model counts on no reuse there."""
        return self.filled > self.usable


def cost_bar(schedule: Schedule) -> CostBar | None:
    """The objective's parts; None if the schedule has no price."""
    added = [p for p in schedule.costs if not p.within and p.amount]
    total = sum(p.amount for p in added)
    if not total:
        return None
    inside = [p for p in schedule.costs if p.within]
    return CostBar(
        total,
        schedule.unit,
        tuple(
            Segment(p.told, p.amount, p.amount / total, _COLOURS.get(p.name, _OTHERS[n % len(_OTHERS)]))
            for n, p in enumerate(added)
        ),
        tuple(Segment(p.told, p.amount, min(1.0, p.amount / total), _COLOURS[TOGETHER]) for p in inside),
    )


def memory_bars(planned: Any, schedule: Schedule) -> tuple[MemoryBar, ...]:
    """One for each cache with tiles of the schedule, the nearest first."""
    if not schedule.tiles:
        return ()
    instruction = schedule.proved.mapping.instruction
    s = setting(schedule.proved, planned.hardware, dict(schedule.sizes), tuple(planned.constant), 1)
    points, found = {axis: dict(levels) for axis, levels in schedule.tiles}, []
    for cache in machine(planned.hardware, instruction).caches:
        if not all(cache.name in points.get(a.name, {}) for a in s.axes):
            continue
        tile = {d: points[a.name][cache.name] for d, a in enumerate(s.axes)}
        held = [(s.tensor(o), tile_bytes(s, o, tile)) for o in (*s.inputs, s.output)]
        scale = max(int(cache.capacity), sum(n for _, n in held))
        segments = tuple(Segment(name, n, n / scale, colour) for colour, (name, n) in enumerate(held))
        found.append(MemoryBar(cache.name, int(cache.capacity), usable(cache), segments, usable(cache) / scale))
    return tuple(found)
