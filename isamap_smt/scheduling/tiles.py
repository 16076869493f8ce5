"""Tile chains: the legal (T0, T1, ..., TU) of an axis.

T0 is a register tile. In the nearest cache a non-reduction axis keeps T1 = T0. The farthest cache's tile cuts the axis
into q nearly equal parts, q from a fixed list; the tiles between divide it.
"""

from __future__ import annotations

from functools import lru_cache
from math import ceil, isqrt

from isamap_encodings.schedule_problem import RegisterTile, TileAxis
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.scheduling.pins import Pins
from isamap_smt.scheduling.setting import Machine, Setting

PARTS = (1, 2, 3, 4, 5, 6, 8, 11, 16, 24, 32, 64, 128)  # how often an axis may be cut for the last cache
DIVISORS = 5  # tiles offered between the register tile and the farthest cache's
SMALL = 12  # an axis of at most so many register tiles is cut in every way


def tile_axes(s: Setting, m: Machine, registers: tuple[RegisterTile, ...], pins: Pins) -> tuple[TileAxis, ...]:
    """Every axis with its chains. Raises ScheduleError when a pinned tile fits no register tile."""
    made = []
    if empty := [a.name for a in s.axes if a.extent < 1]:
        raise ScheduleError(f"axis {empty[0]} has no points at these sizes, so nothing is left to schedule")
    for d, a in enumerate(s.axes):
        chains: set[tuple[int, ...]] = set()
        for t0 in sorted({r.tile[d] for r in registers}):
            if s.once and not _pinned(d, pins):  # no tiles: one loop
                chains.add((t0,) * (len(m.caches) + 1))
                continue
            chains |= _chains(a.extent, t0, a.reduction, len(m.caches), _pinned(d, pins))
        if a.name in s.untiled:
            chains = {c for c in chains if c[1] >= a.extent}
            if any(t < a.extent for t in _pinned(d, pins)):
                raise ScheduleError(
                    f"no tiles of {a.name} can be fixed: {s.kernel.name} is ordered, so of its reduction axes only the "
                    "outermost is cut"
                )
        kept = tuple(sorted(c for c in chains if all(c[u] == t for (x, u), t in pins.tiles.items() if x == d)))
        if not kept:
            told = ", ".join(
                f"tile.{a.name}.{m.names[u - 1]}={t}" for (x, u), t in sorted(pins.tiles.items()) if x == d
            )
            offered = sorted({r.tile[d] for r in registers})
            raise ScheduleError(
                f"no tiles of {a.name} satisfy {told}: each tile must be a multiple of the one inside it and of a "
                f"register tile ({', '.join(map(str, offered))} points)"
                + ("" if a.reduction else f"; the {m.names[0]} tile is the register tile")
            )
        made.append(TileAxis(a.name, a.extent, a.reduction, kept))
    return tuple(made)


def _pinned(d: int, pins: Pins) -> tuple[int, ...]:
    return tuple(t for (x, _), t in pins.tiles.items() if x == d)


def _chains(extent: int, t0: int, reduction: bool, levels: int, pinned: tuple[int, ...]) -> set[tuple[int, ...]]:
    n = ceil(extent / t0)
    parts = range(1, n + 1) if n <= SMALL else PARTS
    outer = {ceil(n / q) for q in parts if q <= n}
    extra = {p // t0 for p in pinned if p % t0 == 0}
    # A pinned inner tile needs outer tiles it divides.
    outer |= extra | {e * ceil(n / (e * q)) for e in extra for q in (1, 2, 4, 8) if e * q <= n}
    found: set[tuple[int, ...]] = set()
    for last in outer:
        rows: list[tuple[int, ...]] = [(last,)]
        for level in range(levels - 1, 0, -1):
            inner = level == 1 and not reduction
            rows = [(t, *row) for row in rows for t in ((1,) if inner else _divisors(row[0], n, extra))]
        if levels == 1 and not reduction:
            rows = [(1,)]
        found |= {(t0, *(t * t0 for t in row)) for row in rows}
    return found


def _divisors(number: int, n: int, extra: set[int]) -> set[int]:
    """Divisors of a tile, thinned to a few when there are many: the largest always, 1 for short axes."""
    every = list(_every_divisor(number))
    pinned = {t for t in extra if number % t == 0}
    if n > SMALL and len(every) > DIVISORS:
        stride = (len(every) - 1) / (DIVISORS - 1)
        every = sorted({every[round(k * stride)] for k in range(DIVISORS)})
    return set(every) | pinned


@lru_cache(maxsize=4096)
def _every_divisor(number: int) -> tuple[int, ...]:
    """In ascending order."""
    small = [n for n in range(1, isqrt(number) + 1) if number % n == 0]
    return tuple(dict.fromkeys((*small, *(number // n for n in reversed(small)))))


def in_words(m: Machine, kept: int) -> str:
    """The space, for the report."""
    caches = ", ".join(m.names)
    return (
        f"{kept} register tiles (the best in {m.names[0]}; unrolled along at most three axes); one tile per axis for each of "
        f"{caches}, each dividing the next, {m.names[-1]}'s cutting the axis into one of {len(PARTS)} numbers of parts; per "
        "cache an order that keeps one operand stationary; each input in place, packed for a cache, or packed ahead if constant"
    )
