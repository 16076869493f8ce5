"""A schedule's cost and its tiles as bars: what the predicted time is made of, and what lies in each cache.

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
    """What the objective adds up from, and below it what is overlapped inside of its first segment, on the same scale."""

    total: float
    unit: str
    segments: tuple[Segment, ...]
    overlapped: tuple[Segment, ...]


@dataclass(frozen=True)
class MemoryBar:
    """A cache: bytes in all, those that tiles may fill, and the tile of each tensor. Shares are of all, or of the tiles if these
    are more; limit is that of the bytes that tiles may fill."""

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
        """Whether the tiles are more than may lie there, so that they pass through and the model counts on no reuse there."""
        return self.filled > self.usable


def cost_bar(schedule: Schedule) -> CostBar | None:
    """The objective's parts; None where the schedule has no price."""
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
    """One for each cache that the schedule has tiles for, the nearest first."""
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
