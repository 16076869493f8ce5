"""Move instructions: the right bytes and no others, wherever the description lets the memory lie.

A register with only a number is seen by the machine's own store, or by an instruction computing with it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from isamap_smt.ir.convert import constant
from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import ACCUMULATE, Instruction
from isamap_smt.ir.interpret import left_beyond, run_instruction
from isamap_smt.ir.kernel import Tensor
from isamap_smt.ir.move_form import register_operand
from isamap_smt.ir.preconditions import Related
from isamap_smt.mapping.moves import lane_symbols, memory_shape
from isamap_smt.runtime.conformance import source
from isamap_smt.runtime.conformance.arena import Arena
from isamap_smt.runtime.conformance.operands import random_values, same_bits
from isamap_smt.runtime.conformance.outcome import NotRunnableError, Step, cells_differ, example, first_place, named
from isamap_smt.runtime.conformance.rounding import judged_by, right
from isamap_smt.runtime.conformance.spots import Spot, as_cells, as_memory, cell_index, live, offsets, spots

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Seen:
    """How to see the register of a move. before: a load filling the register first. by: a store, or a compute instruction.

    operand: the register's name in `by`. loads: of its other operands; after: the store of its result.
    """

    move: Instruction
    before: Instruction | None
    by: Instruction
    operand: str
    loads: dict[str, Instruction]
    after: Instruction | None

    def function(self, number: int, machine: Hardware) -> str:
        """The move as C, with the instructions before and after it."""
        return source.numbered_move(number, self.move, machine, self.before, self.by, self.loads, self.after)

    def places(
        self, first: int, register: np.ndarray, random: np.random.Generator, arena: Arena
    ) -> tuple[tuple[int, ...], tuple[int, ...], Arrays]:
        """The places of its operands, the places to look at afterwards, and the other operands of `by`."""
        filled = arena.room(1) if self.before is None else arena.array(as_memory(self.before, register))
        given: Arrays = {}
        others = []
        for n, load in self.loads.items():
            t = self.by.kernel.tensor(n)
            given[n] = plain_values(t.dtype, source.size(t) // t.dtype.bytes, random).reshape(
                *(int(e) for e in t.shape)
            )
            others.append(arena.array(as_memory(load, given[n])))
        return (first, filled, *others), (arena.room(source.size(self._shown)),), given

    @property
    def _shown(self) -> Tensor:
        return self.by.kernel.tensor(self.by.kernel.outputs[0] if self.after else self.operand)

    def differs(self, wanted: np.ndarray, a: Arena, at: int, given: Arrays) -> str:
        """How the bytes seen differ from those of a register with these cells; '' if they do not."""
        t, shows = self._shown, self.after or self.by
        got = as_cells(shows, a.read(at, source.size(t)).view(t.dtype.numpy))
        if self.after is None:
            return cells_differ(self.move, wanted, got, f", seen by {shows.short}")
        arrays = {n: c[None] for n, c in {**given, self.operand: wanted}.items()}
        found, expected = right(self.by, arrays, got[None])
        return "" if found.all() else f"seen by {self.by.short}: {example(self.by, arrays, got[None], expected, found)}"


def plain_values(dtype: DType, count: int, random: np.random.Generator) -> np.ndarray:
    """Elements whose sums of products are exact, so that no cell hides another."""
    return random.integers(1, 100, count).astype(dtype.numpy)


def seen_by(move: Instruction, machine: Hardware) -> Seen:
    """How to see the register of a move with only a number. Raises NotRunnableError."""
    r = register_operand(move)
    before = source.whole_move(machine, move, r, store=False)
    if move.kind == "store":
        if before is None:
            raise NotRunnableError(f"{machine.name} has no load of all cells of what it stores")
        return Seen(move, before, move, r, {}, None)
    store = source.whole_move(machine, move, r, store=True)
    if store is not None:
        return Seen(move, before, store, register_operand(store), {}, None)
    place, t = dict(move.places)[r], move.kernel.tensor(r)
    for i in machine.computes:
        target = i.kernel.outputs[0]
        for o in (x for x in i.kernel.tensors if x.name != target):
            if (dict(i.places)[o.name], o.dtype, o.shape) != (place, t.dtype, t.shape) or not judged_by(i):
                continue
            others = {x.name: source.whole_move(machine, i, x.name, store=False) for x in i.kernel.tensors if x != o}
            after = source.whole_move(machine, i, target, store=True)
            loads = {n: load for n, load in others.items() if load is not None}
            if len(loads) == len(others) and after is not None:
                return Seen(move, before, i, o.name, loads, after)
    raise NotRunnableError(
        f"{machine.name} has nothing that shows its register: no store of it, and none of a result of it"
    )


_MOST = 33  # numbers of active points along an axis that are all tried
_BEFORE = 3  # elements between the pointer that the C has and the first element


def function(i: Instruction, machine: Hardware, number: int) -> str:
    """The move as C. Raises NotRunnableError."""
    _check_form(i)
    if i.numbered:
        return seen_by(i, machine).function(number, machine)
    r = register_operand(i)
    if r not in dict(i.c_types):
        raise NotRunnableError(f"operand {r} has no C type; add c_types={{{r!r}: ...}}")
    return source.move(number, i, machine)


def _check_form(i: Instruction) -> None:
    r = register_operand(i)
    if any(place == "memory" for operand, place in i.places if operand == r) or len(i.kernel.tensors) > 2:
        raise NotRunnableError("it moves between something else than a register and memory")
    if not all(s.is_Symbol for s in lane_symbols(i)) or len(set(lane_symbols(i))) < len(lane_symbols(i)):
        raise NotRunnableError("the index of its register is more than its axes")


def active_points(i: Instruction) -> list[tuple[int, ...]]:
    """Numbers of active points to try along each masked axis, within its preconditions."""
    counts = []
    for points in list(i.axes.values())[: len(i.active)]:
        some = {0, 1, 2, points // 2, points - 1, points}
        every = range(points + 1) if points < _MOST and len(i.active) == 1 else sorted(n for n in some if n <= points)
        counts.append(every)
    return [c for c in itertools.product(*counts) if _allowed(i, c)]


def _allowed(i: Instruction, active: tuple[int, ...]) -> bool:
    if not active:
        return True
    known = {parameter: n for (_, parameter), n in zip(i.active, active, strict=True)}
    conditions = (p.condition for p in i.asks if isinstance(p, Related))
    return all(c.holds(known) for c in conditions if c.names and c.names <= set(known))


def steps(i: Instruction, machine: Hardware, number: int, random: np.random.Generator, arena: Arena) -> list[Step]:
    """The steps to run, laid out in the arena."""
    seen = seen_by(i, machine) if i.numbered else None
    return list(_steps(i, seen, source.FUNCTION.format(number), random, arena))


def _steps(i: Instruction, seen: Seen | None, name: str, random: np.random.Generator, arena: Arena) -> Iterator[Step]:
    t = i.kernel.tensor(register_operand(i))
    shape = tuple(int(e) for e in t.shape)
    for active in active_points(i):
        cells = live(i, shape, active)
        if source.memory_operand(i) is None:
            ones = np.full(cells.size * t.dtype.bytes, 0xFF, np.uint8).view(t.dtype.numpy)
            for held in (ones, *(random_values(t.dtype, cells.size, random) for _ in range(3))):
                register = held.reshape(shape)
                yield _step(i, seen, name, register, active, cells, None, random, arena)
            continue
        for spot in spots(i, cells, arena, random, plain_values if seen is not None and seen.after else random_values):
            register = random_values(t.dtype, cells.size, random).reshape(shape)
            yield _step(i, seen, name, register, active, cells, spot, random, arena)


def _step(
    i: Instruction,
    seen: Seen | None,
    name: str,
    register: np.ndarray,
    active: tuple[int, ...],
    cells: np.ndarray,
    spot: Spot | None,
    random: np.random.Generator,
    arena: Arena,
) -> Step:
    """One execution at one place, on one register."""
    numbers = (*(*active, 0, 0)[:2], _BEFORE, 24, *(s - 24 for s in (spot.strides if spot else ())))
    first = spot.first if spot else arena.room(64)
    told = [f"with {word}={n}" for word, n in zip((p for _, p in i.active), active, strict=False)]
    where = ", ".join([*told, *([spot.where] if spot else [])]) or "on a register that holds other values"
    given: dict[str, np.ndarray] = {}
    begin: tuple[int, ...] = (first, arena.array(register)) if seen is None else ()
    end: tuple[int, ...] = (arena.room(1), arena.room(register.nbytes)) if seen is None else ()
    if seen is not None:
        begin, end, given = seen.places(first, register, random, arena)

    def verify(a: Arena) -> str:
        after = register
        if seen is None:
            after = a.read(end[1], register.nbytes).view(register.dtype).reshape(register.shape)
        if i.kind == "store":
            assert spot is not None
            if not (same := same_bits(after, register)).all():
                at = named(register_operand(i), first_place(~same))
                return f"{where}: it overwrites {at} of the register that it stores"
            return _stored(i, register, cells, spot, a, where)
        wanted = _loaded(i, register, cells, spot, a)
        found = seen.differs(wanted, a, end[0], given) if seen else cells_differ(i, wanted, after, live=cells)
        return f"{where}: {found}" if found else ""

    return Step(((name, begin, end, numbers, 1, 1, 0),), verify, where, int(cells.size))


def _loaded(i: Instruction, register: np.ndarray, cells: np.ndarray, spot: Spot | None, a: Arena) -> np.ndarray:
    """The register's contents by the contract. Inactive lanes are 0 or as `beyond` says; an accumulating move adds this to them."""
    r, m = register_operand(i), source.memory_operand(i)
    given: dict[str, np.ndarray] = {}
    if m is not None and spot is not None:
        dtype = i.kernel.tensor(m).dtype.numpy
        memory = np.zeros(memory_shape(i), dtype)
        index = cell_index(i, cells.shape)
        images = {place: a.before(place, count) for place, count in spot.regions}
        for cell, element in _elements(i, cells, spot, images):
            memory[tuple(x[cell] for x in index)] = element.view(dtype)[0]
        given[m] = memory
    if i.kernel.statements[0].op != "=":
        given[r] = register
    found = run_instruction(i, given)[r]
    kind = i.kernel.tensor(r).dtype
    fill = constant(left_beyond(i.beyond, kind), kind)
    if i.kind == ACCUMULATE:
        with np.errstate(all="ignore"):
            fill = register + fill
    return np.where(cells, found, fill).astype(found.dtype)


def _elements(
    i: Instruction, cells: np.ndarray, spot: Spot, images: dict[int, np.ndarray]
) -> Iterator[tuple[tuple[int, ...], np.ndarray]]:
    """Each active cell, and the bytes of its element in the images of the spot's regions."""
    at = offsets(i, cells.shape, spot.strides)
    for cell in map(tuple, np.argwhere(cells)):
        start = spot.first + int(at[cell])
        region = next(p for p, count in spot.regions if p <= start < p + count)
        yield cell, images[region][start - region :][: i.kernel.tensor(source.memory_operand(i) or "").dtype.bytes]


def _stored(i: Instruction, register: np.ndarray, cells: np.ndarray, spot: Spot, a: Arena, where: str) -> str:
    """How memory differs from its earlier contents with the active cells written; '' if it does not."""
    m = source.memory_operand(i)
    assert m is not None
    dtype = i.kernel.tensor(m).dtype.numpy
    written = run_instruction(i, {register_operand(i): register})[m]
    index, at = cell_index(i, cells.shape), offsets(i, cells.shape, spot.strides)
    wanted = {place: a.before(place, count) for place, count in spot.regions}
    for cell, element in _elements(i, cells, spot, wanted):
        element[:] = np.ascontiguousarray(written[tuple(x[cell] for x in index)]).reshape(1).view(np.uint8)
    for place, count in spot.regions:
        wrong = np.flatnonzero(a.read(place, count) != wanted[place])
        if wrong.size:
            byte = int(wrong[0]) + place - spot.first
            inside = [
                tuple(int(n) for n in c) for c in np.argwhere(cells) if 0 <= byte - int(at[tuple(c)]) < dtype.itemsize
            ]
            if inside:
                told = named(register_operand(i), inside[0])
                return f"{where}: {told} is not stored where the contract {i.kernel.text.strip()} says"
            return f"{where}: it writes byte {byte} from the first element on, which is none of its active elements'"
    return ""
