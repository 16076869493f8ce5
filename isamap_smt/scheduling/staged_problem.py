"""The scheduling question of one proved mapping on a machine with engines."""

from __future__ import annotations

from collections.abc import Mapping as Dict
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm, prod
from typing import Any

from isamap_encodings.staging_problem import StagingAxis, StagingOperand, StagingProblem, Way
from isamap_encodings.verdict import Proved, Refuted
from isamap_smt.ir.addresses import serves
from isamap_smt.ir.engines import Operand
from isamap_smt.ir.epilogue import Epilogue, epilogue_of
from isamap_smt.ir.errors import HardwareError, ScheduleError
from isamap_smt.ir.expr import evaluate, symbols_of
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.machine_parameters import is_open
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.scalar import Read
from isamap_smt.mapping.epilogue import Cover
from isamap_smt.mapping.layout import GATHER, supply
from isamap_smt.proof.narrow import sums_fit
from isamap_smt.scheduling.staged_cuts import check_cuts, cut_otherwise
from isamap_smt.scheduling.staged_ends import fitting_covers

OPEN = 8  # tiles of a step along an axis whose size is left open, at most
HELD = 256  # and where it is known
PASSED = 2  # slots of finished sums that are taken on: one is stored while the next ones are computed
FINEST = 1000  # ticks of a cycle, at most


@dataclass(frozen=True)
class Question:
    """problem: in ticks, `ticks` of which are a cycle. moves: operand or outer stage -> the instructions its ways stand for.
    covers: of the epilogue, one for each way of the output."""

    problem: StagingProblem
    ticks: int
    moves: dict[str, tuple[Instruction, ...]]
    covers: tuple[Cover, ...]


def question(mapping: Mapping, hardware: Hardware, sizes: Dict[str, int], pins: Dict[str, int]) -> Question:
    """sizes: of the kernel, also of sizes that are left open, for which the plan is then made. Raises ScheduleError for a mapping
    that no program of uses can be made of, with what is missing."""
    _check_machine(hardware)
    epilogue = check_form(mapping)
    compute = hardware.instruction(mapping.instruction.name)
    _check_width(mapping, hardware, compute)
    out = mapping.instruction.kernel.statements[0].target.tensor
    paths = {o.name: _paths(mapping, hardware, compute, o) if o.name != out else () for o in compute.operands}
    ends = fitting_covers(mapping, hardware, compute, epilogue)
    moves = {
        o.name: _moves(mapping, hardware, compute, o, bool(paths[o.name])) for o in compute.operands if o.name != out
    }
    moves[out] = tuple(c.store.instruction for c in ends)
    steps = [m for found in paths.values() for x in found for m in (*x.loads, *x.onward)]
    own = [[*c.before_the_store] for c in ends]
    ticks = _ticks([*(m for found in (*moves.values(), *own) for m in found), *steps, compute])
    axes = tuple(_axis(mapping, a.name, a.extent, sizes) for a in mapping.outer)
    loading = {m.engine for name, found in moves.items() if name != out for m in found}
    loading |= {m.engine for found in paths.values() for x in found for m in x.loads}
    made, outers = {}, []
    for o in compute.operands:
        home = _operand(mapping, compute, o, moves[o.name], ticks)
        for x in paths[o.name]:
            outer = replace(_operand(mapping, compute, o, x.loads, ticks), name=x.name, memory=x.memory, of=o.name)
            made_on = ((m.engine, _way(mapping, o, m, ticks, True)) for m in x.onward)
            here = compute.engine
            onward = (replace(w, outer=x.name, apart=e not in {here, *loading}, computes=e == here) for e, w in made_on)
            home = replace(home, ways=(*home.ways, *onward))
            outers.append(outer)
            moves |= {x.name: x.loads, o.name: (*moves[o.name], *x.onward)}
        made[o.name] = home
    inputs = tuple(v for n, v in made.items() if n != out)
    memories = tuple((m.name, m.rows - _beside(ends, m.name)) for m in hardware.memories if m.rows)
    whole = dict(mapping.instruction.axes)
    executed = round(ticks * compute.occupies.cycles(prod(whole[a] for a in compute.occupies.per)))
    begun = max(sum(round(ticks * i.occupies.cycles(prod(i.axes[a] for a in i.occupies.per))) for i in x) for x in own)
    problem = StagingProblem(
        axes, inputs, made[out], memories, executed, begun, outers=tuple(outers), pins=tuple(sorted(pins.items())),
        passed=all(c.onward is not None for c in ends), waiting=tuple((m, PASSED) for m in _onward(ends)),
    )  # fmt: skip
    return Question(problem, ticks, moves, ends)


def _onward(covers: tuple[Cover, ...]) -> tuple[str, ...]:
    """The memories that finished sums may be taken on to."""
    moves = [c.onward for c in covers if c.onward is not None]
    return tuple(dict.fromkeys(i.operand(i.kernel.statements[0].target.tensor).memory for i in moves))


def _beside(covers: tuple[Cover, ...], memory: str) -> int:
    """The most rows of a memory that hold what is read beside sums, a tile of each."""
    most = 0
    for c in covers:
        steps = (m.instruction for u in c.updates for m in u.moves)
        targets = ((i, i.operand(i.kernel.statements[0].target.tensor)) for i in steps)
        most = max(most, sum(i.axes.get(str(o.row), 1) for i, o in targets if o.memory == memory))
    return most


@dataclass(frozen=True)
class _Path:
    """Through a further memory: loads from main memory to it, and moves from there to the operand's own."""

    name: str
    memory: str
    loads: tuple[Instruction, ...]
    onward: tuple[Instruction, ...]


def _paths(mapping: Mapping, machine: Hardware, compute: Instruction, home: Operand) -> tuple[_Path, ...]:
    """Those through one further memory, by all instructions that lead from it to the operand's."""
    others = {
        i.engine for i in machine.instructions if i.kind == "store"
    }  # moves on by engines that store are in no price
    onward: dict[str, tuple[Instruction, ...]] = {}
    for i in machine.instructions:
        if i.kind == "move" and i.engine not in others and _passes_on(i, home, compute):
            memory = i.operand(i.kernel.statements[0].inputs[0].tensor).memory
            onward[memory] = (*onward.get(memory, ()), i)
    found = []
    for memory, moves in onward.items():
        reach = (i for i in machine.instructions if _reaches(i, memory))
        fitting = (i for i in reach if _takes(mapping, compute, home, i))
        if loads := tuple(i for i in fitting if not cut_otherwise(mapping, home.name, i, _lies(home, i))):
            found.append(_Path(f"{home.name}@{memory}", memory, loads, moves))
    return tuple(found)


def _passes_on(move: Instruction, home: Operand, compute: Instruction) -> bool:
    """Whether it takes whole tiles of the operand to its memory as they lie, cell by cell."""
    s = move.kernel.statements[0]
    target, source = move.operand(s.target.tensor), move.operand(s.inputs[0].tensor)
    same = target.memory == home.memory != source.memory and (target.row, target.column) == (source.row, source.column)
    sides = ((home.row, target.row), (home.column, target.column))
    return same and all(compute.axes.get(str(a), 1) == move.axes.get(str(b), 1) for a, b in sides)


def _check_machine(hardware: Hardware) -> None:
    """Nothing happens for a machine with engines whose uses need to promise nothing. Raises HardwareError."""
    if not hardware.engines:
        raise HardwareError(f"{hardware.name} has no engines; programs of uses are made for machines that have some")
    for m in hardware.memories:
        if is_open(m.capacity) or is_open(m.row):
            named = sorted({str(p) for e in (m.capacity, m.row) if is_open(e) for p in e.free_symbols})
            raise HardwareError(
                f"{hardware.name}: memory {m.name} has {m.rows} rows of {m.row} bytes, and numbers are needed; describe the "
                f"machine with a number in the place of {', '.join(named)}"
            )
    for i in hardware.instructions:
        if i.preconditions:
            raise HardwareError(
                f"{i.where}: precondition {i.preconditions[0]!r}: uses on a machine with engines promise only where cells lie"
            )


def check_form(mapping: Mapping) -> Epilogue:
    """What follows a sum of products of two tensors, each of whose axes is cut by one axis of the instruction at most.

    Raises ScheduleError for anything else.
    """
    s = mapping.statement
    epilogue = epilogue_of(mapping.kernel)
    if s.op != "+" or len(s.inputs) != 2 or s is not mapping.kernel.statements[0]:
        raise ScheduleError(
            f"{mapping.kernel.name}: programs for engines are made of one sum of products of two tensors, and the largest "
            f"statement is `{s.source or mapping.kernel.text.strip()}`"
        )
    if fused := [g for _, g in mapping.groups if len(g) > 1]:
        raise ScheduleError(
            f"{mapping.id}: {' and '.join(fused[0])} are one axis of the instruction, and tiles are boxes"
        )
    check_cuts(mapping)
    return epilogue


def _check_width(mapping: Mapping, machine: Hardware, compute: Instruction) -> None:
    """Nothing happens where sums fit the cells that they lie in. Raises ScheduleError."""
    where = machine.memory(compute.operand(compute.kernel.statements[0].target.tensor).memory)
    verdict = sums_fit(mapping.kernel, where.bits, where.name) if where.bits else Proved()
    if not isinstance(verdict, Proved):
        told = verdict.text if isinstance(verdict, Refuted) else getattr(verdict, "reason", "")
        raise ScheduleError(f"{mapping.id}: {compute.name} keeps sums in {where.name}: {told}")


def _axis(mapping: Mapping, name: str, extent: Any, sizes: Dict[str, int]) -> StagingAxis:
    (of,) = [n for n, e in mapping.forward if name in symbols_of([e])]
    (points,) = [a.extent for a in mapping.statement.axes if a.name == of]
    tiles, is_open = int(evaluate(extent, dict(sizes))), bool(symbols_of([extent]))
    most = OPEN if is_open else HELD
    steps = sorted({-(-tiles // c) for c in range(1, tiles + 1)} | set(range(1, OPEN + 1))) if tiles > 0 else [1]
    found = tuple(t for t in steps if t <= min(most, max(tiles, 1)))
    return StagingAxis(name, max(tiles, 1), int(evaluate(points, dict(sizes))), found, is_open)


def _operand(
    mapping: Mapping, compute: Instruction, o: Operand, moves: tuple[Instruction, ...], ticks: int
) -> StagingOperand:
    needed = symbols_of(mapping.coordinates(o.name))
    axes = tuple(a.name for a in mapping.outer if a.name in needed)
    rows = compute.axes.get(str(o.row), 1)
    ways = tuple(_way(mapping, o, m, ticks) for m in moves)
    return StagingOperand(o.name, o.memory, axes, rows, ways)


def _way(mapping: Mapping, home: Operand, move: Instruction, ticks: int, whole: bool = False) -> Way:
    """The ticks of one move, by the outer axes whose points it counts. whole: of all points of a tile, at the rim, too."""
    target = move.kernel.statements[0].target.tensor
    held = next(o for o in sorted(move.operands, key=lambda o: o.name != target) if o.row is not None)
    lies = {str(held.row): str(home.row), str(held.column): str(home.column)}
    active = dict(move.active)
    outer: dict[str, str] = {}  # axis of the instruction -> outer axis of the mapping
    for _, e in mapping.forward:
        own = symbols_of([e])
        outer |= {t: a.name for t in mapping.instruction.axes if t in own for a in mapping.outer if a.name in own}
    each, per = move.occupies.each, []
    for axis in move.occupies.per:
        if whole or axis not in active:
            each *= move.axes[axis]
        elif lies[axis] in outer:
            per.append(outer[lies[axis]])
    return Way(move.name, round(ticks * move.occupies.start), round(ticks * each), tuple(per))


def _ticks(instructions: list[Instruction]) -> int:
    """Ticks of a cycle, so that all figures are whole, to a thousandth."""
    figures = [Fraction(x).limit_denominator(FINEST) for i in instructions for x in (i.occupies.start, i.occupies.each)]
    return min(FINEST, lcm(*(f.denominator for f in figures)))


def _moves(
    mapping: Mapping, machine: Hardware, compute: Instruction, home: Operand, also: bool
) -> tuple[Instruction, ...]:
    """Instructions that bring the operand's tile from main memory. also: whether it may come another way."""
    tensor = mapping.operand_access(home.name).tensor
    own, taken = mapping.element(home.name), mapping.instruction.kernel.tensor(home.name).dtype
    if own != taken:
        raise ScheduleError(
            f"{mapping.id}: {tensor} is {own}, and {compute.name} takes {home.name} as {taken}: moves convert nothing; say "
            f"--dtypes {tensor}={taken}"
        )
    reach = [i for i in machine.instructions if _reaches(i, home.memory)]
    way, text = f"from memory to {home.memory}", f"{home.name}[r,c] = m[r,c]"
    if not reach and not also:
        raise ScheduleError(
            f"{machine.name}: {home.name} of {compute.name} lies in {home.memory}, and no instruction moves {way}; describe one, "
            f"such as {text!r}{_taking_on(machine, home.memory)}"
        )
    apart = tuple(i for i in reach if _takes(mapping, compute, home, i))
    cut = [cut_otherwise(mapping, home.name, i, _lies(home, i)) for i in apart]
    found = tuple(i for i, why in zip(apart, cut, strict=True) if not why)
    if apart and not found and not also:
        raise ScheduleError(
            f"{mapping.id}: {cut[0]}; give sizes that are whole tiles, or tensors that end in such axes"
        )
    if not found and not also:
        tried = ", ".join(i.name for i in reach)
        raise ScheduleError(
            f"{mapping.id}: no instruction moves tiles of {tensor} {way}: {tried} would need them of another shape, or "
            f"otherwise apart in memory; describe one that does"
        )
    return found


def _taking_on(machine: Hardware, memory: str) -> str:
    """When the moves into a memory from others of the machine would do, in words; '' where there are none."""
    found = [
        i.name
        for i in machine.instructions
        if i.kind == "move" and i.operand(i.kernel.statements[0].target.tensor).memory == memory
    ]
    if not found:
        return ""
    return (
        f"; {', '.join(found)} would do for whole tiles of the operand's shape, rows and columns the same way in both, from "
        "a memory that another instruction fills from main memory"
    )


def _reaches(i: Instruction, memory: str) -> bool:
    """Whether it copies from main memory to this one."""
    s = i.kernel.statements[0]
    if not isinstance(s.value, Read) or s.op != "=":
        return False
    target, source = i.operand(s.target.tensor), i.operand(s.inputs[0].tensor)
    return source.row is None and target.row is not None and target.memory == memory


def _lies(home: Operand, move: Instruction) -> dict[str, str]:
    """Axes of a move along rows and columns -> those of the operand."""
    held = next(o for o in move.operands if o.row is not None)
    return {str(held.row): str(home.row), str(held.column): str(home.column)}


def _takes(mapping: Mapping, compute: Instruction, home: Operand, move: Instruction) -> bool:
    """Whether its cells are the operand's: as many rows and columns, and as far apart in memory as its place says."""
    held = next(o for o in move.operands if o.row is not None)
    main = next(o for o in move.operands if o.row is None)
    mine, other = compute.axes, move.axes
    for a, b in ((home.row, held.row), (home.column, held.column)):
        if mine.get(str(a), 1) != other.get(str(b), 1):
            return False
    lies = _lies(home, move)
    address, lie = move.address(main.name), supply(mapping, home.name)
    taken = {lies.get(str(i)): step for i, step in zip(address.index, address.steps, strict=True)}
    return lie.kind != GATHER and all(serves(taken.get(axis, 0), distance) for axis, distance in lie.strides)
