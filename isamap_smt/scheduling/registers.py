"""Register tiles: the executions unrolled along each axis, and the price of one pass over the reduction.

One *step* is one execution per accumulator. It takes as long as the slowest of: starting the executions, loading the
operands, and the latency of an execution (each accumulator is used once per step).
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import replace
from itertools import combinations
from math import ceil, prod

from isamap_encodings.schedule_cost import overlapped
from isamap_encodings.schedule_problem import CEILING, CoreModel, RegisterTile
from isamap_smt.ir.boxes import undecided
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import symbols_of
from isamap_smt.ir.hardware import LINE
from isamap_smt.scheduling.figures import FARTHEST, NEAREST, core_model
from isamap_smt.scheduling.pins import Pins
from isamap_smt.scheduling.rows import room, step_cycles, visit_cycles
from isamap_smt.scheduling.setting import UNIT, Machine, Setting
from isamap_smt.scheduling.supply import copying_cycles, reached

KEPT = 16  # register tiles handed to the solver: the best by their cost in the first cache (24 cost no less in 80 benchmarks)
LOAD_SHARE = 8  # one load in so many delays an execution although a slot was free
ONCE = 4  # executions side by side where each element is computed once
TURN = 5  # registers for each execution of those that take turns, constants included: six on AVX-512, of which eight are no faster
SCOPE_CYCLES = 30.0  # per pass over a reduction tile: a mispredicted branch, the drain
LATENCY_SLACK = 1.02  # where the accumulators just cover the latency, an operand that comes late costs a cycle
STAGED_CYCLES = 2.0  # moving one element between the output and the staging buffer


def register_tiles(s: Setting, m: Machine, pins: Pins, energy: bool) -> tuple[RegisterTile, ...]:
    """The cheapest register tiles that fit the register file, cheapest first: half of them with all operands packed,
    half with all read in place. Raises ScheduleError if none fits."""
    ranked = [(_rank(s, m, r, energy), r) for r in _fitting(s, m, pins, energy)]
    if not ranked:
        raise ScheduleError(_none_fits(s, m, pins))
    ranked = [x for x in ranked if x[1].compute + x[1].scope < CEILING // 8]
    if not ranked:
        raise ScheduleError(
            "these sizes need more than 10^12 cycles; schedule a part of the problem, or leave sizes open"
        )
    ranked.sort(key=lambda x: (x[0], x[1].tile))
    beside = sorted(ranked, key=lambda x: (x[0] + sum(x[1].in_place), x[1].tile))
    best = dict.fromkeys(r for pair in zip(ranked, beside, strict=True) for _, r in pair)
    return tuple(_with_rows(s, m, r, energy) for r in tuple(best)[:KEPT])


def every_tile(s: Setting, m: Machine, axis: int) -> tuple[RegisterTile, ...]:
    """The tiles that fit, and those that fit if the axis' is pinned to a divisor of its extent no larger than one of them."""
    tiles = {r.tile: r for r in _fitting(s, m, Pins(), False)}
    leaf, extent = s.axes[axis].leaf, s.axes[axis].extent
    for n in range(leaf, max((t[axis] for t in tiles), default=0) + 1, leaf):
        if extent % n == 0:
            tiles |= {r.tile: r for r in _fitting(s, m, Pins({axis: n}), False, tiles)}
    return tuple(tiles.values())


def _fitting(
    s: Setting, m: Machine, pins: Pins, energy: bool, known: Container[tuple[int, ...]] = ()
) -> Iterator[RegisterTile]:
    """The tiles that fit the register file, priced, without those known."""
    for tile in _tiles(s, m, pins):
        if tile not in known and registers_used(s, tile) <= (m.registers if pins.registers else _available(s, m, tile)):
            yield _computing(s, m, tile, energy)


def priced(s: Setting, m: Machine, tile: tuple[int, ...], energy: bool) -> RegisterTile:
    """The price of the whole problem with one register tile."""
    return _with_rows(s, m, _computing(s, m, tile, energy), energy)


def _computing(s: Setting, m: Machine, tile: tuple[int, ...], energy: bool) -> RegisterTile:
    """The same without the price of operands' rows; tiles are ranked by this."""
    return _energy(s, m, tile) if energy else _latency(s, m, tile)


def _none_fits(s: Setting, m: Machine, pins: Pins) -> str:
    pinned = {s.axes[d].name: p for d, p in pins.registers.items()}
    tile = tuple(pins.registers.get(d, a.leaf) for d, a in enumerate(s.axes))
    for d, p in pins.registers.items():
        a = s.axes[d]
        if p % a.leaf:
            return f"register.{a.name}={p}: must be a multiple of the instruction's {a.leaf} points"
        if a.reduction and p != a.leaf:
            return f"register.{a.name}={p}: {a.name} is a reduction axis; its register tile is {a.leaf}"
    return (
        f"no register tile with {pinned or 'any shape'} fits: the smallest needs {registers_used(s, tile)} registers, "
        f"{s.mapping.instruction.name} has {m.registers}"
    )


def _available(s: Setting, m: Machine, tile: tuple[int, ...]) -> int:
    """One register fewer if the C needs one, or nothing keeps compilers from loading ahead of use (codegen.c_state)."""
    if m.registers <= 4:
        return m.registers
    counts = {o: units(s, o, tile) for o in s.loaded}
    streamed = max(counts, key=lambda o: counts[o], default="")
    ahead = bool(streamed) and s.vectors(streamed) and units(s, s.output, tile) == counts[streamed]
    return m.registers - max(m.spare, int(ahead))


def units(s: Setting, operand: str, tile: tuple[int, ...]) -> int:
    """Registers with different elements of the operand within one step."""
    return prod(tile[d] // s.axes[d].leaf for d in s.relevant(operand))


def registers_used(s: Setting, tile: tuple[int, ...]) -> int:
    """Accumulators, the operands kept through a step, and one register for the streaming operand."""
    groups = {o: s.mapping.instruction.group(o) for o in (*s.loaded, s.output)}
    counts = {o: units(s, o, tile) * groups[o] for o in s.loaded}
    streamed = max(counts, key=lambda o: counts[o], default="")
    kept = sum(n for o, n in counts.items() if o != streamed)
    return units(s, s.output, tile) * groups[s.output] + kept + (groups[streamed] if streamed else 0)


def _tiles(s: Setting, m: Machine, pins: Pins) -> Iterator[tuple[int, ...]]:
    """Unrolled along at most three axes, pinned ones apart; never more units than the axis has."""
    leaf = tuple(a.leaf for a in s.axes)
    # Accumulators that are open together stand for distinct outputs.
    outputs = [d for d, a in enumerate(s.axes) if not a.reduction and s.separates(d)]
    turns = symbols_of(undecided(s.mapping.statement, *(s.mapping.operand_access(o).index for o in s.inputs)))
    outputs = [d for d in outputs if not turns & set(s.axes[d].members)]  # of which only some are ever executed at once
    if s.once:  # executions of one vector; nothing is reused
        outputs = [d for d in outputs if leaf[d] > 1]
    free = [d for d in outputs if d not in pins.registers and s.axes[d].extent > leaf[d]]
    base = list(leaf)
    for d, p in pins.registers.items():
        if p % leaf[d] or (s.axes[d].reduction and p != leaf[d]):
            return
        base[d] = p
    most = {d: ceil(s.axes[d].extent / leaf[d]) for d in free}
    together = max(ONCE, m.registers // TURN if s.mapping.instruction.chained else 0) if s.once else 32
    seen = set()
    for some in combinations(free, min(3, len(free))):
        for counts in _counts([most[d] for d in some], together):
            tile = list(base)
            for d, n in zip(some, counts, strict=True):
                tile[d] = n * leaf[d]
            if tuple(tile) not in seen:
                seen.add(tuple(tile))
                yield tuple(tile)


def _counts(most: list[int], together: int) -> Iterator[tuple[int, ...]]:
    """Numbers from 1 on, each at most its own limit, whose product is at most `together`."""
    if not most:
        yield ()
        return
    for n in range(1, min(most[0], together) + 1):
        yield from ((n, *rest) for rest in _counts(most[1:], together // n))


def steps(s: Setting, tile: tuple[int, ...]) -> int:
    """Steps of the whole problem: register tiles times reduction points; tails count as whole tiles."""
    return prod(ceil(a.extent / t) for a, t in zip(s.axes, tile, strict=True))


def executing(s: Setting, m: Machine, tile: tuple[int, ...]) -> float:
    """Cycles of the executions of one step. Compilers compute a cover's equal steps on the same registers only once."""
    every, parts = units(s, s.output, tile), s.mapping.instruction.cost.parts
    if not parts:
        return every / m.per_cycle
    axes = [(cycles, {d for o in operands for d in s.relevant(o)}) for cycles, operands in parts]
    shared = sum(cycles * prod(tile[d] // s.axes[d].leaf for d in found) for cycles, found in axes)
    return shared / sum(cycles for cycles, _ in axes) / m.per_cycle


def _latency(s: Setting, m: Machine, tile: tuple[int, ...]) -> RegisterTile:
    accumulators = units(s, s.output, tile)
    loads = sum(units(s, o, tile) for o in s.loaded) / m.loads
    computing = executing(s, m, tile)
    step = max(computing, loads, LATENCY_SLACK * m.latency) + loads / LOAD_SHARE
    count = steps(s, tile)
    passes = prod(ceil(a.extent / t) for a, t in zip(s.axes, tile, strict=True) if not a.reduction)
    scope = accumulators * (1 / m.loads + 1 / m.stores) + m.latency + SCOPE_CYCLES + _staging(s, accumulators)
    if s.once:  # tiles overlap, and no loop ends between them
        step, scope = max(computing, loads, accumulators / m.stores), 1.0 + _staging(s, accumulators)
    in_place = tuple(round(UNIT * (count * step_cycles(s, m, o, tile) + copying_cycles(s, o))) for o in s.inputs)
    return RegisterTile(tile, round(UNIT * step * count), round(UNIT * scope * passes), (*in_place, 0))


def _with_rows(s: Setting, m: Machine, r: RegisterTile, energy: bool) -> RegisterTile:
    """The tile's price with its operands' rows; energy knows no rows."""
    if energy:
        return r
    row = tuple(round(UNIT * visit_cycles(s, m, o, r.tile)) for o in (*s.inputs, s.output))
    kept, ahead = zip(*(room(s, m, o, r.tile) for o in (*s.inputs, s.output)), strict=True)
    return replace(r, row=row, kept=kept, ahead=ahead)


def _staging(s: Setting, accumulators: int) -> float:
    """Cycles to gather and scatter the accumulators' elements when no move reaches them in memory."""
    if reached(s):
        return 0.0
    lanes = prod(s.axes[d].leaf for d in s.relevant(s.output))
    return 2 * STAGED_CYCLES * accumulators * lanes


def _energy(s: Setting, m: Machine, tile: tuple[int, ...]) -> RegisterTile:
    """Reading operands and accumulators from the first cache; executions cost the same in every schedule."""
    per_byte = m.memories[0].energy
    width = m.register_bytes
    read = 0.0
    for o in s.loaded:
        lanes = [d for d in s.relevant(o) if s.axes[d].leaf > 1]
        read += units(s, o, tile) * min(width, s.bytes(o) * prod(s.axes[d].leaf for d in lanes))
    passes = prod(ceil(a.extent / t) for a, t in zip(s.axes, tile, strict=True) if not a.reduction)
    scope = 2 * units(s, s.output, tile) * width * per_byte
    zero = (0,) * (len(s.inputs) + 1)
    return RegisterTile(tile, round(UNIT * read * per_byte * steps(s, tile)), round(UNIT * scope * passes), zero)


def core_of(s: Setting, m: Machine) -> CoreModel:
    """The core model behind prices. Its first cache's figures were measured with registers of a line: tiles of many
    lines are loaded beside computing nearly for nothing (64 cycles of products with two tiles of 1 KB from L2: 71, with
    four: 89)."""
    if not s.streams:
        return core_model(FARTHEST)
    return core_model(m.figures.delaying if m.register_bytes <= LINE else NEAREST)


def _rank(s: Setting, m: Machine, r: RegisterTile, energy: bool) -> float:
    """Cost in the first cache, beside the link into it (as if nothing were reused there)."""
    if energy or len(m.caches) < 2:
        return r.compute + r.scope
    moved = 0
    for o in s.inputs:
        moved += s.bytes(o) * prod(r.tile[d] for d in s.relevant(o))
    return r.scope + overlapped(r.compute, [round(UNIT * steps(s, r.tile) * moved * m.cycles(1))], core_of(s, m))
