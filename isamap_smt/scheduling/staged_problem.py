"""The scheduling question of one proved mapping on a machine with engines."""

from __future__ import annotations

import math
from collections.abc import Mapping as Dict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm, prod
from typing import Any

import numpy as np
import sympy as sp

from isamap_encodings.staging_problem import Sliding, StagingAxis, StagingOperand, StagingProblem, Way
from isamap_encodings.verdict import Proved, Refuted
from isamap_smt.ir.addresses import serves
from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.engines import Operand, Work
from isamap_smt.ir.epilogue import Epilogue, epilogue_of, unassigned
from isamap_smt.ir.errors import HardwareError, ScheduleError
from isamap_smt.ir.expr import FloorDiv, FloorMod, affine, evaluate, sym, symbols_of, words
from isamap_smt.ir.hardware import Hardware, Memory
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.layouts import cells_of, first_apart, is_box, lies, of_one_shape, rows_of
from isamap_smt.ir.machine_parameters import is_open
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.scalar import Read
from isamap_smt.ir.staging import active_points, conditions, passed_points
from isamap_smt.mapping.epilogue import Cover
from isamap_smt.mapping.instances import computing
from isamap_smt.mapping.layout import GATHER, supply
from isamap_smt.mapping.named_cells import of_tiles, whole_tiles
from isamap_smt.mapping.overlaps import overlap_of
from isamap_smt.mapping.runs import runs_of
from isamap_smt.proof.narrow import sums_fit
from isamap_smt.scheduling.served import longest, served, shared
from isamap_smt.scheduling.staged_cuts import check_cuts, cut_otherwise, reduced_beyond
from isamap_smt.scheduling.staged_ends import fitting_covers
from isamap_smt.scheduling.staying import NOTHING_KEPT, Kept, Staying, restricted
from isamap_smt.simulator.iterations import vector
from isamap_smt.simulator.service import figures_of, limited, of_whole_tiles

OPEN = 8  # tiles of a step along an axis whose size is left open, at most
HELD = 256  # and where it is known
PASSED = 2  # slots of finished sums that are taken on: one is stored while the next ones are computed
FINEST = 1000  # ticks of a cycle, at most
TICKS = 1 << 48  # of a plan, at most: the solver counts in 64 bits, in sums too
EXECUTIONS = 1 << 33  # that are looked at, at most; an axis of more is planned as if it were shorter
LOOKED_AT = 1 << 20  # tiles of a tensor that `where` cuts


@dataclass(frozen=True)
class Question:
    """problem: in ticks, `ticks` to a cycle. moves: operand or outer stage -> the instructions behind its ways. covers:
    of the epilogue, one for each way of the output. least: cycles of all executions, one after the other. shortened:
    axes with fewer tiles in the problem than in fact, as it would be too large for the solver's numbers. staying:
    operands whose tensors stay between phases."""

    problem: StagingProblem
    ticks: Fraction
    moves: dict[str, tuple[Instruction, ...]]
    covers: tuple[Cover, ...]
    least: float
    shortened: tuple[str, ...] = ()
    staying: tuple[tuple[str, Staying], ...] = ()


def question(
    mapping: Mapping, hardware: Hardware, sizes: Dict[str, int], pins: Dict[str, int], kept: Kept = NOTHING_KEPT
) -> Question:
    """The solver's question for a mapping.

    sizes: of the kernel; the plan is made for them even if sizes are left open. kept: tensors that stay between phases.
    Raises ScheduleError for a mapping without a program of uses; the error says what is missing.
    """
    _check_machine(hardware)
    compute = computing(mapping, hardware)
    epilogue = check_form(mapping, compute)
    _check_width(mapping, hardware, compute)
    one, every = executions(mapping, hardware, sizes)
    mapping, compute = of_tiles(mapping), whole_tiles(compute)
    out = mapping.instruction.kernel.statements[0].target.tensor
    paths = {o.name: _paths(mapping, hardware, compute, o) if o.name != out else () for o in compute.operands}
    ends = fitting_covers(mapping, hardware, compute, epilogue)
    moves = {
        o.name: _moves(mapping, hardware, compute, o, bool(paths[o.name])) for o in compute.operands if o.name != out
    }
    moves[out] = tuple(c.store.instruction for c in ends)
    steps = [m for found in paths.values() for x in found for m in (*x.loads, *x.onward)]
    own = [m for c in ends for m in c.before_the_store]
    known = [_axis(mapping, a.name, a.extent, sizes) for a in mapping.outer]
    axes = _shortened(known)
    used = [*(m for found in moves.values() for m in found), *own, *steps, compute]
    among = shared(hardware)
    ticks = _ticks(used, prod(a.tiles + max(a.steps) for a in axes), limited(hardware))
    direct = frozenset(o.name for o in compute.operands if o.name != out and not paths[o.name])
    of = _Ways(mapping, sizes, ticks, hardware, among, direct)
    made, outers = {}, []
    for o in compute.operands:
        ways = tuple(of.stored(o, c) for c in ends) if o.name == out else tuple(of.way(o, m) for m in moves[o.name])
        home = of.operand(compute, o, ways, o.name != out or any(c.begun_by_elements for c in ends))
        for x in paths[o.name]:
            outer = of.operand(compute, o, tuple(of.way(o, m) for m in x.loads))
            onward = (replace(of.way(o, m, True), outer=x.name) for m in x.onward)
            home = replace(home, ways=(*home.ways, *onward))
            outers.append(replace(outer, name=x.name, memory=x.memory, of=o.name))
            moves |= {x.name: x.loads, o.name: (*moves[o.name], *x.onward)}
        made[o.name] = replace(home, slides=of.sliding(o))
    inputs = tuple(v for n, v in made.items() if n != out)
    memories = tuple((m.name, m.rows - _beside(ends, m.name)) for m in hardware.memories if m.rows)
    problem = StagingProblem(
        axes, inputs, made[out], memories, of.ticks_of(one), compute.engine,
        outers=tuple(outers), pins=tuple(sorted(pins.items())),
        passed=all(c.onward is not None for c in ends), waiting=tuple((m, PASSED) for m in _onward(ends)),
        executed=of.ticks_of(every) if compute.active and known == list(axes) else 0,
        served=tuple(of.executions(compute, m, known == list(axes)) for m in among),
    )  # fmt: skip
    short = tuple(a.name for a, b in zip(known, axes, strict=True) if a != b)
    return restricted(Question(problem, of.ticks, moves, ends, every, short), mapping, kept)


def executions(mapping: Mapping, machine: Hardware, sizes: Dict[str, int]) -> tuple[float, float]:
    """Cycles of one execution of a mapping's instruction, the least, and of all, one after the other: no plan takes less. A step
    may have tiles beyond the last one, of no points."""
    compute = computing(mapping, machine)
    return _executions(mapping, compute, longest(compute, limited(machine)), sizes)


def _executions(mapping: Mapping, compute: Instruction, work: Work, sizes: Dict[str, int]) -> tuple[float, float]:
    """The same of any work of its points."""
    tiles = {a.name: max(1, int(evaluate(a.extent, dict(sizes)))) for a in mapping.outer}
    counts: dict[str, Any] = {a: sp.Integer(n) for a, n in mapping.instruction.axes.items()}
    counts |= passed_points(mapping, {a: sym(a) for a in tiles}, compute)
    counts = {a: counts[a] for a in work.per}
    dims = [a for a in tiles if a in symbols_of(list(counts.values()))]
    if prod(tiles[a] for a in dims) > LOOKED_AT:
        return float(work.start), float(work.start) * prod(tiles.values())
    grid = np.meshgrid(*(np.arange(tiles[a]) for a in dims), indexing="ij")
    env = {**sizes, **{a: g.ravel() for a, g in zip(dims, grid, strict=True)}}
    points: Any = np.ones(prod(tiles[a] for a in dims))
    for count in counts.values():
        points = points * np.asarray(vector(sp.sympify(count))(env))
    cycles = float(work.start) + float(work.each) * points
    least = float(work.start) if compute.active else float(cycles.min())
    return least, float(cycles.sum()) * prod(n for a, n in tiles.items() if a not in dims)


def _shortened(axes: list[StagingAxis]) -> tuple[StagingAxis, ...]:
    """The axes, the longest with fewer tiles until all executions can be counted; no slot then holds all of one of these."""
    found = list(axes)
    while prod(a.tiles for a in found) > EXECUTIONS:
        n = max(range(len(found)), key=lambda n: found[n].tiles)
        tiles = -(-found[n].tiles // 2)
        steps = tuple(t for t in found[n].steps if t <= tiles)
        found[n] = replace(found[n], tiles=tiles, points=tiles * found[n].side, steps=steps, open=True)
    return tuple(found)


def _onward(covers: tuple[Cover, ...]) -> tuple[str, ...]:
    """The memories to which finished sums may be taken on."""
    moves = [c.onward for c in covers if c.onward is not None]
    return tuple(dict.fromkeys(i.operand(i.kernel.statements[0].target.tensor).memory for i in moves))


def _beside(covers: tuple[Cover, ...], memory: str) -> int:
    """The most rows of a memory taken by operands beside sums, a tile of each."""
    most = 0
    for c in covers:
        steps = (m.instruction for u in c.updates for m in u.moves)
        targets = ((i, i.operand(i.kernel.statements[0].target.tensor)) for i in steps)
        most = max(most, sum(rows_of(i, o) for i, o in targets if o.memory == memory))
    return most


@dataclass(frozen=True)
class _Path:
    """Through a further memory: loads from main memory to it, and moves from there to the operand's own."""

    name: str
    memory: str
    loads: tuple[Instruction, ...]
    onward: tuple[Instruction, ...]


def _paths(mapping: Mapping, machine: Hardware, compute: Instruction, home: Operand) -> tuple[_Path, ...]:
    """Paths through one further memory, by all instructions from it to the operand's."""
    onward: dict[str, tuple[Instruction, ...]] = {}
    several = runs_of(mapping, home.name, str(home.row)).several  # a further memory would hold them as one piece
    for i in () if several else machine.instructions:
        if i.kind == "move" and _passes_on(i, home, compute):
            memory = i.operand(i.kernel.statements[0].inputs[0].tensor).memory
            onward[memory] = (*onward.get(memory, ()), i)
    found = []
    for memory, moves in onward.items():
        reach = (i for i in machine.instructions if _reaches(i, memory, compute.types[home.name]))
        fitting = (i for i in reach if _takes(mapping, compute, home, i))
        if loads := tuple(i for i in fitting if not cut_otherwise(mapping, home.name, i, _lies(compute, home, i))):
            found.append(_Path(f"{home.name}@{memory}", memory, loads, moves))
    return tuple(found)


def _passes_on(move: Instruction, home: Operand, compute: Instruction) -> bool:
    """Whether it takes whole tiles of the operand to its memory as they lie, cell by cell."""
    s = move.kernel.statements[0]
    target, source = move.operand(s.target.tensor), move.operand(s.inputs[0].tensor)
    same = target.memory == home.memory != source.memory and (target.row, target.column) == (source.row, source.column)
    typed = move.types[target.name] == move.types[source.name] == compute.types[home.name]
    return same and typed and of_one_shape((compute, home), (move, target))


def _check_machine(hardware: Hardware) -> None:
    """Raises HardwareError unless the machine has engines, known memory sizes, and no preconditions on uses."""
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


def lacking(mapping: Mapping, hardware: Hardware) -> dict[str, str]:
    """Operand -> why the machine cannot move, begin or store its tiles, for each operand without a way.

    Raises ScheduleError, HardwareError for mappings without a program on any machine.
    """
    _check_machine(hardware)
    compute = computing(mapping, hardware)
    epilogue = check_form(mapping, compute)
    mapping, compute = of_tiles(mapping), whole_tiles(compute)
    out = mapping.instruction.kernel.statements[0].target.tensor
    found: dict[str, str] = {}
    for o in compute.operands:
        try:
            if o.name == out:
                _check_width(mapping, hardware, compute)
                fitting_covers(mapping, hardware, compute, epilogue)
            else:
                _moves(mapping, hardware, compute, o, bool(_paths(mapping, hardware, compute, o)))
        except ScheduleError as error:
            found[o.name] = str(error)
    return found


def check_form(mapping: Mapping, compute: Instruction) -> Epilogue:
    """The epilogue behind the statement. Raises ScheduleError unless the instruction computes the statement as it
    stands: it assigns each element once, or reduces as the instruction does, and its tiles lie in runs and are cut
    along one axis at most."""
    s, contract = mapping.statement, compute.kernel.statements[0]
    epilogue = epilogue_of(mapping.kernel)
    told = f"{mapping.kernel.name}: `{s.source or mapping.kernel.text.strip()}`"
    if s is not mapping.kernel.statements[0]:
        raise ScheduleError(
            f"{told}: programs for engines are made of one statement and what follows it, and this one is behind"
        )
    if s.op != contract.op:
        raise ScheduleError(
            f"{told}: {compute.name} computes `{compute.kernel.text.strip()}`, which combines otherwise"
        )
    if epilogue.assigned and (why := unassigned(mapping.kernel if mapping.split is None else mapping.split.origin)):
        raise ScheduleError(f"{told}: {why}")
    if why := reduced_beyond(mapping, compute):
        raise ScheduleError(f"{mapping.id}: {why}")
    tiles = of_tiles(mapping)
    check_cuts(tiles, {o.name: runs_of(tiles, o.name, str(o.row)).view for o in compute.operands})
    return epilogue


def _check_width(mapping: Mapping, machine: Hardware, compute: Instruction) -> None:
    """Raises ScheduleError if sums may not fit their cells."""
    where = machine.memory(compute.operand(compute.kernel.statements[0].target.tensor).memory)
    verdict = sums_fit(mapping.kernel, where.bits, where.name) if where.bits else Proved()
    if not isinstance(verdict, Proved):
        told = verdict.text if isinstance(verdict, Refuted) else getattr(verdict, "reason", "")
        raise ScheduleError(f"{mapping.id}: {compute.name} keeps sums in {where.name}: {told}")


def _axis(mapping: Mapping, name: str, extent: Any, sizes: Dict[str, int]) -> StagingAxis:
    of = [n for n, e in mapping.forward if name in symbols_of([e])]
    points = sp.Mul(*(a.extent for a in mapping.statement.axes if a.name in of))
    tiles, is_open = int(evaluate(extent, dict(sizes))), bool(symbols_of([extent]))
    most = OPEN if is_open else HELD
    found = tuple(t for t in _steps(tiles) if t <= min(most, max(tiles, 1)))
    side = next((int(c) for e in of if (c := _step(dict(mapping.forward)[e], name)) is not None), 1)
    return StagingAxis(name, max(tiles, 1), int(evaluate(points, dict(sizes))), found, is_open, side)


def _step(e: Any, name: str) -> Any | None:
    """Points per tile along an axis, alone or fused."""
    inner = e.args[0] if isinstance(e, FloorDiv | FloorMod) else e
    split = affine(inner, [name])
    return None if split is None else split[0].get(name)


def _steps(tiles: int) -> list[int]:
    """Steps to try for an axis of so many tiles: the smallest ones, and for each number of steps the shortest."""
    if tiles <= 0:
        return [1]
    few = set(range(1, OPEN + 1))
    return sorted({t for t in (-(-tiles // -(-tiles // t)) for t in range(1, HELD + 1)) if t <= tiles} | few)


@dataclass(frozen=True)
class _Ways:
    """Times of moves of tiles in ticks, `ticks` to a cycle. direct: inputs that pass no further memory."""

    mapping: Mapping
    sizes: Dict[str, int]
    ticks: Fraction
    machine: Hardware
    among: tuple[Memory, ...]
    direct: frozenset[str]

    def executions(self, compute: Instruction, memory: Memory, known: bool) -> tuple[str, int, int]:
        """(memory, its least ticks for an execution, ticks for all executions if they differ and are `known`, else 0)."""
        works = [work for _, work in served(compute, (memory,))]
        found = [_executions(self.mapping, compute, work, self.sizes) for work in works]
        one, every = (self.ticks_of(sum(x[n] for x in found)) for n in range(2))
        return memory.name, one, every if compute.active and known else 0

    def operand(
        self, compute: Instruction, o: Operand, ways: tuple[Way, ...], in_pieces: bool = True
    ) -> StagingOperand:
        """An operand in its own memory. in_pieces: whether each run is a content of its own."""
        needed = symbols_of(self.mapping.coordinates(o.name))
        axes = tuple(a.name for a in self.mapping.outer if a.name in needed)
        rows, spare = rows_of(compute, o), 0
        if in_pieces:
            runs = runs_of(self.mapping, o.name, str(o.row))
            rows, spare = runs.rows(rows), runs.spare(rows) * runs.points
        return StagingOperand(o.name, o.memory, axes, rows, ways, spare=spare)

    def sliding(self, o: Operand) -> Sliding | None:
        """Along which axes the tiles of an input from main memory share runs."""
        found = overlap_of(self.mapping, o.name, str(o.row)) if o.name in self.direct else None
        return None if found is None else found.sliding

    def ticks_of(self, cycles: Any) -> int:
        """Ticks of these cycles, rounded down: the results are bounds."""
        return int(_exactly(cycles) * self.ticks)

    def stored(self, home: Operand, cover: Cover) -> Way:
        """A way to store, with all steps on a tile before it."""
        at_once = not cover.begun_by_elements
        onward = () if cover.onward is None else (self.way(home, cover.onward, True, at_once),)
        steps = (s.instruction for u in cover.updates for s in (*u.moves, u))
        ends = (*onward, *(self.way(home, i, at_once=True) for i in steps))
        begins = tuple(self.way(home, s.instruction, at_once=at_once) for s in cover.begins)
        store = self.way(home, cover.store.instruction)
        return replace(store, begins=begins, ends=ends, waits=cover.onward is not None)

    def way(self, home: Operand, move: Instruction, whole: bool = False, at_once: bool = False) -> Way:
        """One move, with its time at memories shared by engines. whole, at_once: as of _way()."""
        parts = [(m, self._way(home, move, work, whole, at_once)) for m, work in served(move, self.among)]
        way = self._way(home, move, longest(move, limited(self.machine)), whole, at_once)
        return replace(way, served=tuple(parts)) if parts else way

    def _way(self, home: Operand, move: Instruction, work: Work, whole: bool, at_once: bool) -> Way:
        """One move with this work, by the outer axes whose points it counts.

        whole: of all points of a tile, also at the rim. at_once: of all runs of a tile; other ways are one move for
        each.
        """
        runs = runs_of(self.mapping, home.name, str(home.row))
        count = 1 if at_once else runs.count
        target = move.kernel.statements[0].target.tensor
        held = next(o for o in sorted(move.operands, key=lambda o: o.name != target) if o.row is not None)
        lie = lies((self.mapping.instruction, home), (move, held))
        active = dict(move.active)
        outer: dict[str, str] = {}  # axis of the instruction -> outer axis of the mapping
        for _, e in self.mapping.forward:
            own = symbols_of([e])
            here = [a.name for a in self.mapping.outer if a.name in own]
            outer |= {t: a for t in self.mapping.instruction.axes if t in own for a in here}
        each, per, counted = _exactly(work.each), [], False
        for axis in work.per:
            if whole or axis not in active:
                each *= move.axes[axis]
                continue
            counted = True
            if lie[axis] in outer:
                per.append(outer[lie[axis]])
        if counted:  # a tile beyond the last one of an axis of single points has none
            needed = symbols_of(self.mapping.coordinates(home.name))
            per += [a.name for a in self.mapping.outer if a.name in needed and a.name not in outer.values()]
        cut = count > 1 or bool(conditions(self.mapping, home.name)) or self.sliding(home) is not None
        points, largest = None, 0
        if counted and cut:
            points, largest = self._points(self.mapping if at_once else runs.view, home, held, move, work)
        start = self.ticks_of(work.start) * count
        each *= 1 if counted else count
        return Way(
            move.name, start, int(each * self.ticks), tuple(per), engine=move.engine, points=points, largest=largest
        )

    def _points(self, mapping: Mapping, home: Operand, held: Operand, move: Instruction, work: Work) -> tuple[int, int]:
        """Active points of the axes counted by a move, of all tiles together and of the largest; 0, and all that it can
        move, if there are too many to look at."""
        index = {a.name: sym(a.name) for a in mapping.outer}
        found = active_points(mapping, home.name, index, home, held, move)
        below = {axis: e for (axis, _), e in zip(move.active, found.active, strict=True)}
        above = {axis: e for (axis, _), e in zip(move.front, found.front, strict=True)}
        counts = [(below.get(a, move.axes[a]), above.get(a, 0)) for a in work.per if a in below or a in above]
        names = symbols_of([sp.sympify(e) for pair in counts for e in pair])
        needed = symbols_of(mapping.coordinates(home.name))
        tiles = {a.name: int(evaluate(a.extent, dict(self.sizes))) for a in mapping.outer if a.name in needed}
        dims = [a for a in tiles if a in names]
        if prod(tiles[a] for a in dims) > LOOKED_AT:
            return 0, prod(move.axes[a] for a in work.per)
        grid = np.meshgrid(*(np.arange(tiles[a]) for a in dims), indexing="ij")
        env = {**self.sizes, **{a: g.ravel() for a, g in zip(dims, grid, strict=True)}}
        total: Any = np.ones(prod(tiles[a] for a in dims), np.int64)
        for pair in counts:
            ends, begins = (np.asarray(vector(sp.sympify(e))(env)) for e in pair)
            total = total * np.maximum(ends - begins, 0)
        return int(total.sum()) * prod(n for a, n in tiles.items() if a not in dims), int(total.max())


def _exactly(x: Any) -> Fraction:
    """A figure of a description: the fraction it stands for, if this is a simple one."""
    near = Fraction(x).limit_denominator(FINEST)
    return near if abs(near - Fraction(x)) <= Fraction(1, 10**12) * max(Fraction(1), near) else Fraction(x)


def _ticks(instructions: list[Instruction], executions: int, memories: tuple[Memory, ...]) -> Fraction:
    """Ticks of a cycle, so that all figures are whole, to a thousandth; fewer if a plan would take too many ticks."""
    every = (x for i in instructions for x in (i.occupies.start, i.occupies.each))
    figures = [Fraction(x).limit_denominator(FINEST) for x in every]
    fine = Fraction(min(FINEST, lcm(*(f.denominator for f in figures), *figures_of(memories))))
    of_a_tile = sum(i.occupies.cycles(prod(i.axes[a] for a in i.occupies.per)) for i in instructions)
    of_a_tile += sum(math.ceil(c) for i in instructions for _, c in of_whole_tiles(i, memories))
    most = executions * Fraction(max(of_a_tile, 1)) * fine
    return fine if most <= TICKS else fine * Fraction(TICKS) / most


def _moves(
    mapping: Mapping, machine: Hardware, compute: Instruction, home: Operand, also: bool
) -> tuple[Instruction, ...]:
    """Instructions that bring the operand's tile from main memory. also: whether it has another way, too."""
    tensor = mapping.operand_access(home.name).tensor
    _require_inverse(mapping, compute, home)
    own, taken = mapping.element(home.name), mapping.instruction.kernel.tensor(home.name).dtype
    if own != taken:
        raise ScheduleError(
            f"{mapping.id}: {tensor} is {own}, and {compute.name} takes {home.name} as {taken}: moves convert nothing; give "
            f"{tensor} as {taken}, with with_dtypes() or --dtypes"
        )
    reach = [i for i in machine.instructions if _reaches(i, home.memory, taken)]
    way, text = f"from memory to {home.memory}", f"{home.name}[r,c] = m[r,c]"
    if not reach and not also:
        raise ScheduleError(
            f"{machine.name}: {home.name} of {compute.name} lies in {home.memory}, and no instruction moves {way}"
            f"{_of_other_types(machine, home, taken)}; describe one, such as {text!r}{_taking_on(machine, home.memory)}"
        )
    view = runs_of(mapping, home.name, str(home.row)).view
    apart = tuple(i for i in reach if _takes(view, compute, home, i))
    cut = [cut_otherwise(view, home.name, i, _lies(compute, home, i)) for i in apart]
    found = tuple(i for i, why in zip(apart, cut, strict=True) if not why)
    if apart and not found and not also:
        raise ScheduleError(
            f"{mapping.id}: {cut[0]}; give sizes that are whole tiles, or tensors that end in such axes"
        )
    if not found and not also and (other := _laid_out_otherwise(compute, home, reach)):
        raise ScheduleError(f"{mapping.id}: {other}")
    if not found and not also:
        tried = ", ".join(i.name for i in reach)
        raise ScheduleError(
            f"{mapping.id}: no instruction moves tiles of {tensor} {way}: {tried} would need them of another shape, or "
            f"otherwise apart in memory; describe one that does"
        )
    return found


def _require_inverse(mapping: Mapping, compute: Instruction, home: Operand) -> None:
    """Raises ScheduleError unless the element of a cell can be told from its row and column."""
    if cells_of(compute, home) is None:
        raise ScheduleError(
            f"{mapping.id}: {home.name} of {compute.name} lies in {home.memory}[{words(home.row)}, {words(home.column)}], and "
            "the element of a cell is not found from its row and column; write both as sums of digits of axes (i // 8, i % 8) "
            "times numbers, or of such sums % a number of which all digits but one are known otherwise"
        )


def _laid_out_otherwise(compute: Instruction, home: Operand, reach: Sequence[Instruction]) -> str:
    """The moves that put elements into other cells than the operand has them in, in words; '' if there are none."""
    if is_box(home):
        return ""
    place, own = f"{home.memory}[{words(home.row)}, {words(home.column)}]", (compute, home)
    others = [(m, _held(m)) for m in reach if not of_one_shape(own, (m, _held(m)))]
    others = [x for x in others if first_apart(own, x)] or others  # those of its shape
    told = [
        f"{x.name} of {move.name} in {x.memory}[{words(x.row)}, {words(x.column)}]{first_apart(own, (move, x))}"
        for move, x in others
    ]
    if not told:
        return ""
    return (
        f"{home.name} of {compute.name} lies in {place}, and {', and '.join(told)}; describe a move with the place of "
        f"{home.name}, over axes of its own"
    )


def _of_other_types(machine: Hardware, home: Operand, taken: DType) -> str:
    """The instructions that move elements of other types there, in words; '' for none."""
    types = dict.fromkeys(t for i in machine.instructions for t in i.types.values() if t != taken)
    found = [f"{i.name} moves {t}" for t in types for i in machine.instructions if _reaches(i, home.memory, t)]
    return f" as {taken}: {' and '.join(found)}" if found else ""


def _taking_on(machine: Hardware, memory: str) -> str:
    """When moves into a memory from others of the machine would do, in words; '' without such moves."""
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


def _reaches(i: Instruction, memory: str, dtype: DType) -> bool:
    """Whether it copies elements of this type from main memory to this one."""
    s = i.kernel.statements[0]
    if not isinstance(s.value, Read) or s.op != "=":
        return False
    target, source = i.operand(s.target.tensor), i.operand(s.inputs[0].tensor)
    typed = i.types[target.name] == dtype
    return source.row is None and target.row is not None and target.memory == memory and typed


def _lies(compute: Instruction, home: Operand, move: Instruction) -> dict[str, str]:
    """Axes of a move along rows and columns -> those of the operand."""
    return lies((compute, home), (move, _held(move)))


def _held(move: Instruction) -> Operand:
    """The operand of a move in a memory of the machine."""
    return next(o for o in move.operands if o.row is not None)


def _takes(mapping: Mapping, compute: Instruction, home: Operand, move: Instruction) -> bool:
    """Whether its cells are the operand's: as many rows and columns, and as far apart in memory as its place says."""
    main = next(o for o in move.operands if o.row is None)
    if not of_one_shape((compute, home), (move, _held(move))):
        return False
    axes = _lies(compute, home, move)
    address, lie = move.address(main.name), supply(mapping, home.name)
    taken = {axes.get(str(i)): step for i, step in zip(address.index, address.steps, strict=True)}
    return lie.kind != GATHER and all(serves(taken.get(axis, 0), distance) for axis, distance in lie.strides)
