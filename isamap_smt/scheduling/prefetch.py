"""How far ahead of its loads a packed operand is prefetched: the distance that a calibration measured to be the fastest.

It is decided last, with everything else fixed, because it changes nothing but how long lines are waited for. Without a
calibration, and where none is faster than the machine's own prefetching by a hundredth, there is none.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil, prod

from isamap_encodings.schedule_problem import Choice, Cost, ScheduleProblem
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.schedule import Packing
from isamap_smt.scheduling.figures import Figures
from isamap_smt.scheduling.machine import Machine
from isamap_smt.scheduling.pins import Pins
from isamap_smt.scheduling.setting import Setting

GAIN = 0.01  # of the time, from which a distance is worth its instructions


def prefetched(
    s: Setting, m: Machine, p: ScheduleProblem, c: Choice, cost: Cost, pins: Pins, packing: tuple[Packing, ...]
) -> tuple[tuple[Packing, ...], tuple[str, ...]]:
    """The packing with distances, and notes that say why. Raises ScheduleError for a pin on what is read in place."""
    made, notes = [], []
    for x in packing:
        pinned = pins.prefetch.get(x.operand)
        if pinned is not None:
            if pinned and not vectors(s, x):
                raise ScheduleError(
                    f"prefetch.{s.tensor(x.operand)}={pinned}: {s.tensor(x.operand)} is not read as whole vectors of a packed "
                    "buffer; pack it, or leave this out"
                )
            made.append(replace(x, prefetch=pinned))
            continue
        source = _source(s, m, p, c, cost, x.operand) if vectors(s, x) else ""
        distance, time = _best(m.figures, source)
        made.append(replace(x, prefetch=distance))
        if distance:
            notes.append(
                f"{s.tensor(x.operand)} streams from {source}: prefetched {distance} bytes ahead, which was measured to take "
                f"{time:.0%} of the time"
            )
    return tuple(made), tuple(notes)


def vectors(s: Setting, x: Packing) -> bool:
    """Whether an operand is loaded as vectors from a packed buffer: what is broadcast moves too few bytes."""
    return x.depth is not None and any(s.axes[d].leaf > 1 for d in s.relevant(x.operand))


def _best(figures: Figures, source: str) -> tuple[int, float]:
    """(bytes, time over that without); (0, 1) where nothing helps."""
    known = [(time, distance) for memory, distance, time in figures.ahead if memory == source]
    time, distance = min(known, default=(1.0, 0))
    return (distance, time) if time <= 1 - GAIN else (0, 1.0)


def _source(s: Setting, m: Machine, p: ScheduleProblem, c: Choice, cost: Cost, operand: str) -> str:
    """The memory behind the nearest that most of the operand's loads come from; '' where the nearest cache holds it."""
    n = next(n for n, o in enumerate(p.operands) if o.name == operand)
    tile = p.registers[c.register].tile
    # elements that its loads bring into registers
    loads = prod(ceil(a.extent / tile[d]) * (tile[d] if d in s.relevant(operand) else 1) for d, a in enumerate(p.axes))
    found = ""
    for u in range(1, p.levels + 1):
        if 2 * cost.traffic[n][u - 1] < loads:
            break
        found = m.memories[u].name
    return found
