"""How far ahead of its loads an operand is prefetched, by a calibration: one packed ahead of the calls, or read in
place across its rows.

It is decided last, with everything else fixed, because it changes only the wait for lines. Without a calibration, or if
none is faster than the machine's own prefetching by a fiftieth, there is none. Blocks of the second cache are another
matter: the bytes from beyond follow from the tiles, so the solver weighs them (`in_blocks`).
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from math import ceil, prod

from isamap_encodings.schedule_cost import blockwise, evaluate
from isamap_encodings.schedule_problem import Choice, Cost, ScheduleProblem
from isamap_smt.ir.hardware import LINE
from isamap_smt.ir.schedule import Stage
from isamap_smt.scheduling.decode import Nest, around
from isamap_smt.scheduling.figures import Figures
from isamap_smt.scheduling.pins import Pins
from isamap_smt.scheduling.registers import units
from isamap_smt.scheduling.rows import piece_bytes, read_across
from isamap_smt.scheduling.setting import Machine, Setting
from isamap_smt.scheduling.supply import kept_between

Sources = tuple[tuple[str, float], ...]  # (memory, share of an operand's loads)
LEAST = 0.005  # of the loads, from which a memory is told
GAIN = 0.02  # of the time, from which a distance is worth its instructions
ALONG = 0.15  # the same along rows that are read in place, where what was measured is one pitch and one size
CROWDED = 0.06  # the same for several threads, as a calibration measures one, which has the memories to itself
ENOUGH = 6  # rows of a register tile, from which a block ahead pays (LSTM, 512 units, batch 4: 160 us a step, with two rows 176)


def prefetched(
    s: Setting, m: Machine, p: ScheduleProblem, c: Choice, cost: Cost, pins: Pins, packing: tuple[Stage, ...]
) -> tuple[tuple[Stage, ...], tuple[str, ...]]:
    """The packing with distances, and notes on the reasons."""
    made, notes = [], []
    for x in packing:
        pinned = pins.prefetch.get(x.operand)
        if pinned is not None:
            made.append(replace(x, prefetch=pinned))
            continue
        # What was packed in this call lies in the cache it was packed for: it is read at half speed when prefetched (Zen 3).
        across = x.depth is None and read_across(s, x.operand)
        # Distances were measured for registers of a line; tiles of many ask for more lines at once than a prefetch helps.
        wanted = s.vectors(x.operand) and (x.ahead or across) and m.register_bytes <= LINE
        sources = _sources(s, m, p, c, cost, x.operand) if wanted else ()
        tile = p.registers[c.register].tile
        rows = units(s, s.output, tile) // units(s, x.operand, tile)
        best = _along_the_row if across else _best
        gain = ALONG if across else GAIN if s.threads == 1 else CROWDED
        distance, time = best(m, sources, rows, gain)
        distance *= piece_bytes(s, x.operand, tile) if across else 1
        made.append(replace(x, prefetch=distance))
        if distance:
            told = ", ".join(f"{share:.0%} {memory}" for memory, share in sources if share >= LEAST)
            notes.append(
                f"{s.tensor(x.operand)} is prefetched {distance} bytes ahead: its loads ({told}) were measured to take {time:.0%} "
                "of the time"
            )
    return tuple(made), tuple(notes)


def in_blocks(
    s: Setting, p: ScheduleProblem, c: Choice, cost: Cost, n: Nest, packing: tuple[Stage, ...]
) -> tuple[tuple[Stage, ...], tuple[str, ...]]:
    """The packing with prefetched blocks, if their uses bring the next ones and this saves time; and notes on them."""
    made, notes = [], []
    room = blockwise(p, c)
    for own, x in zip((o for o in p.operands if not o.output), packing, strict=True):
        operands = (replace(o, blockwise=o.blockwise if o != own else 0) for o in p.operands)
        without = evaluate(replace(p, operands=tuple(operands)), c)
        saved = 1 - cost.total / without.total if own.blockwise and room and without else 0.0
        made.append(replace(x, block=around(p, n, own, 2)) if saved >= GAIN else x)
        if saved >= GAIN:
            notes.append(
                f"each use of a block of {s.tensor(x.operand)} in the second cache brings a share of the next: {saved:.0%} of the "
                "time less"
            )
    return tuple(made), tuple(notes)


def by_blocks(s: Setting, m: Machine, operand: str) -> int:
    """The fewest rows of a register tile with which lines may be prefetched a block ahead; 0: never. Only for whole
    vectors, packed ahead of the calls at known sizes, from a cache beyond the second.

    From main memory they come no sooner: 16x512x500000 ran at 70 GF/s, and at 91 with lines asked for half a KB ahead.
    With few rows the link is the bottleneck, and each prefetched line takes one of its places. A 3x3 convolution of 512
    channels on 7x7 points took 2.34 ms, and takes 1.77; a product of 49 rows, 512 and 2048 took 1.20, and takes 0.87
    when its weights were not used for a while (AVX-512, 1 MiB of second cache).
    """
    lines = s.vectors(operand) and m.register_bytes <= LINE
    asked = lines and 2 < kept_between(s, m) <= len(m.caches) and s.tensor(operand) in s.constant and not s.open
    return ENOUGH if asked else 0


def streaming(s: Setting, m: Machine, operand: str, level: int) -> float:
    """Time of the link into cache `level` for an operand packed ahead of the calls, relative to no prefetching. This is
    the calibration's time at the best distance, for the most executions each vector may have."""
    if level == 1 or not s.vectors(operand) or m.register_bytes > LINE or s.tensor(operand) not in s.constant:
        return 1.0
    mine = s.relevant(operand)
    rows = prod(ceil(a.extent / a.leaf) for d, a in enumerate(s.axes) if d not in mine and not a.reduction)
    distances = {distance for _, _, distance, _ in m.figures.prefetching}
    time = min((_time(m.figures, m.memories[level].name, rows, d) for d in distances), default=1.0)
    return time if time <= 1 - (GAIN if s.threads == 1 else CROWDED) else 1.0


def _best(m: Machine, sources: Sources, rows: int, gain: float) -> tuple[int, float]:
    """(bytes, time relative to none) for vectors used by `rows` executions; (0, 1) if nothing helps.

    A load from far away takes longer than one from near, so its gain counts for more.
    """
    distances = sorted({distance for _, _, distance, _ in m.figures.prefetching})
    spent = [(memory, share * _cycles(m, memory, rows)) for memory, share in sources]
    whole = sum(cycles for _, cycles in spent) or 1.0
    times = [
        (sum(cycles * _time(m.figures, memory, rows, d) for memory, cycles in spent) / whole, d) for d in distances
    ]
    time, distance = min(times, default=(1.0, 0))
    return (distance, time) if sources and time <= 1 - gain else (0, 1.0)


def _along_the_row(m: Machine, sources: Sources, rows: int, gain: float) -> tuple[int, float]:
    """(pieces of a row, time relative to none) for an operand read in place across its rows."""
    known = [(share, m.figures.piece(memory, rows)) for memory, share in sources]
    known = [(share, cycles) for share, cycles in known if cycles]
    options = sorted({pieces for _, cycles in known for pieces in cycles})
    times = {n: sum(share * cycles.get(n, cycles[0]) for share, cycles in known) for n in options}
    best = min(options, key=lambda n: times[n], default=0)
    time = times[best] / times[0] if best else 1.0
    return (best, time) if time <= 1 - gain else (0, 1.0)


def _cycles(m: Machine, memory: str, rows: int) -> float:
    """Cycles for a vector from this memory: of its uses or of its transfer, whichever takes longer."""
    level = [x.name for x in m.memories].index(memory)
    return max(rows / m.per_cycle, m.register_bytes * m.cycles(level) if level else 0.0)


def _time(figures: Figures, memory: str, rows: int, distance: int) -> float:
    """The time relative to none, measured with as many rows, or the next fewer; 1 if it was not measured."""
    known = {r: time for place, r, d, time in figures.prefetching if (place, d) == (memory, distance) and r <= rows}
    return known[max(known)] if known else 1.0


def _sources(s: Setting, m: Machine, p: ScheduleProblem, c: Choice, cost: Cost, operand: str) -> Sources:
    """(memory, share) of the operand's loads, nearest first.

    Data kept by a cache between calls come from it. A cache shared by cores holds less for one thread the more the
    others use it, so half of its data is taken to come from beyond. Several threads are the others themselves; CROWDED
    is for them.
    """
    n = next(n for n, o in enumerate(p.operands) if o.name == operand)
    tile = p.registers[c.register].tile
    # elements that its loads bring into registers, and of these what reaches each cache from beyond
    loads = prod(ceil(a.extent / tile[d]) * (tile[d] if d in s.relevant(operand) else 1) for d, a in enumerate(p.axes))
    last = min(kept_between(s, m), p.levels + 1)
    missed = [1.0, *(min(1.0, cost.traffic[n][u - 1] / loads) for u in range(1, last)), 0.0]
    shares = {m.memories[u].name: max(0.0, missed[u] - missed[u + 1]) for u in range(last)}
    for near, far in pairwise(m.memories[: p.levels + 1]):
        if near.shared and near.name in shares and s.threads == 1:
            half = shares[near.name] / 2
            shares[near.name], shares[far.name] = half, shares.get(far.name, 0.0) + half
    return tuple(shares.items())
