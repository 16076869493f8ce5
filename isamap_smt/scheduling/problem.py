"""From a mapping at sizes and a machine to CP-SAT's problem, as plain data."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from isamap_encodings.schedule_cost import floor
from isamap_encodings.schedule_problem import IN_PLACE, ScheduleProblem, TileAxis, TileOperand
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import symbols_of
from isamap_smt.mapping.layout import alone
from isamap_smt.mapping.moves import no_padding
from isamap_smt.scheduling.pins import Pins
from isamap_smt.scheduling.prefetch import by_blocks, streaming
from isamap_smt.scheduling.registers import core_of, every_tile, priced, register_tiles
from isamap_smt.scheduling.rows import copy_cycles, read_across, rows
from isamap_smt.scheduling.setting import UNIT, Machine, Setting
from isamap_smt.scheduling.supply import components, kept_between, no_zeros, usable, why_packed
from isamap_smt.scheduling.tiles import tile_axes

INPUT_EXPOSED = 1 / 32  # a little, so that less traffic wins among schedules whose transfers are all hidden
APART = 1 / 2  # of what an operand read across its rows moves into the first cache: nobody fetches it ahead
OUTPUT_EXPOSED = 1.0  # accumulators are loaded before and stored after the reduction: nothing hides that


def problem(s: Setting, m: Machine, pins: Pins, energy: bool) -> ScheduleProblem:
    """All decisions with their costs. Raises ScheduleError when a pin leaves nothing to choose from."""
    registers = register_tiles(s, m, pins, energy)
    axes = tile_axes(s, m, registers, pins)
    # Only register tiles and chains that agree on T0 can be chosen.
    registers = tuple(r for r in registers if all(any(c[0] == r.tile[d] for c in a.chains) for d, a in enumerate(axes)))
    if not registers:
        raise ScheduleError("the pinned tiles agree with no register tile that fits the registers")
    operands = _operands(s, m, pins, energy)
    parallelizable = _parallelizable(s, pins)
    return ScheduleProblem(
        core_of(s, m),
        axes,
        operands,
        registers,
        tuple(map(usable, m.caches)),
        (s.as_it_lies,) if s.once else orders(operands, len(axes)),
        not energy,
        parallelizable,
        s.threads,
        _start(m),
        cutting=frozenset(d for d, shared in enumerate(parallelizable) if shared and _cuts_rows(s, d)),
        or_alone=bool(parallelizable) and not energy and not s.open and pins.parallel is None,
    )


def repriced(plain: ScheduleProblem, s: Setting, m: Machine, pins: Pins, energy: bool) -> ScheduleProblem:
    """The same decisions at the prices of another machine model: a Choice means the same schedule in both, but for how far
    ahead it prefetches."""
    operands = _operands(s, m, pins, energy)
    registers = tuple(priced(s, m, r.tile, energy) for r in plain.registers)
    return replace(plain, operands=operands, registers=registers, start=_start(m), core=core_of(s, m))


def least(s: Setting, m: Machine, axis: str) -> float:
    """Cycles of one thread that no schedule undercuts, with tiles of the axis pinned or not: a roofline that knows latencies
    and accumulators. Raises ScheduleError if no register tile fits."""
    tiles = every_tile(s, m, next(d for d, a in enumerate(s.axes) if a.name == axis))
    if not tiles:
        raise ScheduleError(f"no register tile of {s.mapping.instruction.name} fits")
    axes = tuple(TileAxis(a.name, a.extent, a.reduction, ()) for a in s.axes)
    return floor(axes, _operands(s, m, Pins(), False), tiles, core_of(s, m)) / UNIT


def _operands(s: Setting, m: Machine, pins: Pins, energy: bool) -> tuple[TileOperand, ...]:
    return tuple(_operand(s, m, o, pins, energy) for o in (*s.inputs, s.output))


def orders(operands: tuple[TileOperand, ...], axes: int) -> tuple[tuple[int, ...], ...]:
    """For each operand the order that keeps it stationary: its own axes outermost."""
    found: dict[tuple[int, ...], None] = {}
    for o in operands:
        mine = [d for d in range(axes) if d in o.axes]
        found[tuple(mine + [d for d in range(axes) if d not in o.axes])] = None
    return tuple(found)


def _operand(s: Setting, m: Machine, operand: str, pins: Pins, energy: bool) -> TileOperand:
    output = operand == s.output
    size = s.bytes(operand)
    levels = range(1, len(m.caches) + 1)
    # An output is read and written each time.
    moved = size * (2 if output else 1)
    if energy:
        link = tuple(round(UNIT * moved * m.energy(u)) for u in levels)
        exposed = (0,) * len(link)
        pack = tuple(round(UNIT * size * (m.memories[-1].energy + m.memories[u - 1].energy)) for u in levels)
    else:
        share = OUTPUT_EXPOSED if output else INPUT_EXPOSED
        hint = 1.0 if output or pins.prefetch.get(operand) == 0 else None
        faster = [hint or streaming(s, m, operand, u) for u in levels]
        cycles = tuple(m.cycles(u) * f if u < kept_between(s, m) else 0.0 for u, f in zip(levels, faster, strict=True))
        link = tuple(round(UNIT * moved * c) for c in cycles)
        exposed = tuple(round(UNIT * moved * c * share) for c in cycles)
        copy = _copied(s, m, operand)
        pack = tuple(round(UNIT * size * (copy + m.cycles(u))) for u in levels)
    options = (IN_PLACE,) if output else _options(s, m, operand, pins)
    packed = not output and IN_PLACE not in options
    walked = None if energy else rows(s, operand)
    begun = 0 if output or walked is None else round(UNIT * copy_cycles(s, m, operand))
    apart = 0 if energy or output or not s.streams else round(APART * link[0] * read_across(s, operand))
    blockwise = 0 if energy or output or pins.prefetch.get(operand) == 0 else by_blocks(s, m, operand)
    return TileOperand(
        operand,
        size,
        output,
        components(s, operand, packed),
        link,
        exposed,
        pack,
        options,
        walked,
        begun,
        apart,
        blockwise,
    )


def _copied(s: Setting, m: Machine, operand: str) -> float:
    """Cycles per byte to copy the operand into the order of use."""
    if _rows(s, operand):
        return m.figures.pack_rows
    return m.figures.pack_apart * alone(s.given, operand) / s.bytes(operand) or m.figures.pack_elements


def _rows(s: Setting, operand: str) -> bool:
    """Whether copying the operand into the order of use moves whole rows."""
    lanes = [d for d in s.relevant(operand) if s.axes[d].leaf > 1]
    return bool(lanes) and not why_packed(s, operand)


def _options(s: Setting, m: Machine, operand: str, pins: Pins) -> tuple[int, ...]:
    ahead = len(m.caches) + 1
    constant = s.tensor(operand) in s.constant
    why = why_packed(s, operand)
    pinned = pins.packing.get(operand)
    name = s.tensor(operand)
    ahead_of_loads = pins.prefetch.get(operand, 0)
    if ahead_of_loads and not s.vectors(operand):
        raise ScheduleError(
            f"prefetch.{name}={ahead_of_loads}: only vectors are prefetched, and {name} is not loaded as whole vectors"
        )
    if pinned is not None:
        if pinned == IN_PLACE and why:
            pin = f"pad.{name}" if name in pins.padding else f"pack.{name}=no"
            raise ScheduleError(f"{pin}: {name} must be packed, because {why}")
        if pinned == ahead and not constant:
            raise ScheduleError(f"pack.{name}=ahead: {name} is not declared constant; say so (--constant {name})")
        return (pinned,)
    zeros = not no_zeros(s, operand)
    if why and not zeros:
        why_not = no_padding(s.kernel, s.given.statement, s.hardware, s.given.instruction, operand)
        raise ScheduleError(f"{why_not}; and it must be packed, because {why}")
    if constant and zeros and operand in s.loaded:
        return (ahead,)
    packed = tuple(range(1, ahead))
    if why:
        return packed
    # Neighbouring outputs share elements of such an operand; packed in the order of use it would grow.
    shared = operand not in s.loaded or any(len(c.axes) > 1 for c in components(s, operand, False))
    return (IN_PLACE, *packed) if zeros and not shared else (IN_PLACE,)


def _parallelizable(s: Setting, pins: Pins) -> tuple[bool, ...]:
    if s.threads <= 1 or pins.serial:
        return ()
    allowed = tuple(
        not a.reduction and s.separates(d) and (pins.parallel is None or pins.parallel == d)
        for d, a in enumerate(s.axes)
    )
    if pins.parallel is not None and not any(allowed):
        a = s.axes[pins.parallel]
        why = "is a reduction axis" if a.reduction else "does not tell outputs apart"
        raise ScheduleError(f"parallel={a.name}: {a.name} {why}; threads would add into the same elements")
    return allowed


def _cuts_rows(s: Setting, d: int) -> bool:
    """Whether the axis is not in the index of the output's outermost dimension with more than one element."""
    target = s.mapping.statement.target
    dimensions = zip(target.index, s.kernel.tensor(target.tensor).shape, strict=True)
    outermost = next((i for i, n in dimensions if n != 1), None)
    return outermost is not None and not symbols_of([outermost]) & set(s.axes[d].members)


def _start(m: Machine) -> int:
    return round(UNIT * m.figures.start_threads)


def points(s: Setting) -> int:
    """Kernel points, tails not rounded up."""
    return prod(a.extent for a in s.axes)
