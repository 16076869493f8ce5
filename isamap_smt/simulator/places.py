"""The cells touched by each use: the cells of its active points, and further ones it clears.

The uses of a site touch few different sets of cells (footprints): a slot is used again and again. So cells are
worked out once for each footprint, and each iteration has the number of its own. A space is an addressed memory or a
tensor of main memory, its cells numbered by rows. The cell after the last stands for every place outside; it is
poison to readers and forgets all writes.

A row of an addressed memory is bytes. Where buffers of one memory have elements of several sizes, a cell is as many
units as its element has, and has the number of its first one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import gcd, lcm, prod
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.engines import ZERO, Operand
from isamap_smt.ir.errors import DTypeError, LanguageError, UnknownNameError, did_you_mean
from isamap_smt.ir.expr import elements, evaluate, symbols_of
from isamap_smt.ir.instruction import GIVE, TAKE, Instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.move_form import MAIN
from isamap_smt.ir.program import Buffer, Program, Ref, immediate
from isamap_smt.ir.scalar import reads
from isamap_smt.ir.traversal import buffers
from isamap_smt.simulator.iterations import column, defined

if TYPE_CHECKING:
    from isamap_smt.simulator.sites import Elaborated, Site

Array = np.ndarray


@dataclass(frozen=True)
class Space:
    """Numbered units of some bytes: of an addressed memory, (rows, units of a row), or of a tensor."""

    name: str
    tensor: bool
    shape: tuple[int, ...]
    unit: int

    @property
    def size(self) -> int:
        """How many units; also the number of the first one for all places outside."""
        return prod(self.shape)


@dataclass(frozen=True, eq=False)
class Access:
    """One operand of one site. which: iteration -> footprint. cells: footprint -> cell of each active point, in the
    order of the contract's axes, by its first unit. cleared: footprint -> cells beyond, set to 0. wrong: footprint ->
    accesses outside, '' if there are none."""

    site: int
    operand: str
    space: Space
    dtype: DType
    reads: bool
    writes: bool
    which: Array
    cells: list[Array]
    cleared: list[Array]
    wrong: list[str]
    slots: Array | None = None

    def touched(self, footprint: int) -> Array:
        """The cells of a footprint, each once, without those outside."""
        both = np.unique(np.concatenate([self.cells[footprint], self.cleared[footprint]]))
        both = both[both < self.space.size]
        return both if self.width == 1 else (both[:, None] + np.arange(self.width)).ravel()

    @property
    def width(self) -> int:
        """Units of a cell."""
        return self.dtype.bytes // self.space.unit


def accesses(elaborated: Elaborated, kernel: Kernel) -> tuple[Access, ...]:
    """Every operand of every site; `kernel` with its sizes fixed. Raises LanguageError for a use with an operand
    without a place, or in a place of another kind."""
    found: list[Access] = []
    for number, site in enumerate(elaborated.sites):
        if site.use.instruction.kind in ("signal", "configure"):
            continue
        if site.use.instruction.kind in (GIVE, TAKE):
            found += _by_the_host(kernel, number, site)
            continue
        check_contract(site.use.instruction)
        places = dict(site.use.operands)
        operands = [o.name for o in site.use.instruction.operands]
        for name in places:
            if name not in operands:
                raise UnknownNameError(
                    f"{site.use.instruction.name} has no operand {name!r}; {did_you_mean(name, operands)}"
                )
        for operand in site.use.instruction.operands:
            if operand.name not in places:
                raise LanguageError(
                    f"a use of {site.use.instruction.name} has no place for {operand.name}; "
                    f"add ({operand.name!r}, Ref(...)) to its operands"
                )
            if operand.name in site.use.instruction.immediates:
                _check_number(site, operand, places[operand.name])
                continue
            found.append(_access(elaborated.program, kernel, number, site, operand, places[operand.name]))
    return tuple(found)


def _by_the_host(kernel: Kernel, number: int, site: Site) -> Iterator[Access]:
    """All elements of the tensors written or read by the host."""
    gives, which, none = site.use.instruction.kind == GIVE, np.zeros(site.count, np.int64), np.zeros(0, np.int64)
    names = [t.name for t in kernel.tensors]
    for name, place in site.use.operands:
        if place.name not in names:
            raise UnknownNameError(
                f"{site.use.instruction.name}: no tensor {place.name!r}; {did_you_mean(place.name, names)}"
            )
        tensor = kernel.tensor(place.name)
        space = Space(place.name, True, tuple(int(e) for e in tensor.shape), tensor.dtype.bytes)
        yield Access(number, name, space, tensor.dtype, not gives, gives, which, [np.arange(space.size)], [none], [""])


def _check_number(site: Site, operand: Operand, place: Ref) -> None:
    """Require that the operand in the code is one number the instruction takes."""
    value, name = immediate(place), site.use.instruction.name
    low, high = site.use.instruction.immediates[operand.name]
    if value is None or not low <= value <= high:
        raise LanguageError(
            f"{name}: operand {operand.name} is {place.name}[{', '.join(map(str, place.index))}]; "
            f"it is a number from {low} to {high} in the code"
        )


def check_contract(instruction: Instruction) -> None:
    """Raise LanguageError unless the contract is one statement reading each operand at one index."""
    if len(instruction.kernel.statements) != 1:
        raise LanguageError(f"{instruction.name}: its contract has to be one statement")
    statement = instruction.kernel.statements[0]
    seen: dict[str, tuple[Any, ...]] = {statement.target.tensor: statement.target.index}
    axes = set(instruction.axes)
    for r in reads(statement.value):
        if seen.setdefault(r.tensor, r.index) != r.index or symbols_of(r.index) - axes:
            raise LanguageError(
                f"{instruction.name}: {r.tensor} is read at two elements in one point; make it two operands"
            )


def points(
    instruction: Instruction, active: Mapping[str, int], front: Mapping[str, int]
) -> tuple[dict[str, Array], dict[str, Array]]:
    """Axis -> values at the active points, in order, and at the others; '#' -> number of the point."""
    statement = instruction.kernel.statements[0]
    largest = instruction.axes
    ids = np.arange(prod(largest.values()))
    values = np.unravel_index(ids, tuple(largest.values())) if largest else ()
    env = dict(zip(largest, values, strict=True))
    inside = np.ones(ids.size, bool)
    for axis, v in env.items():
        inside &= (v >= front.get(axis, 0)) & (v < active[axis])
    env["#"] = ids
    beyond = ~inside
    for relation in statement.guard:
        inside &= np.broadcast_to(np.asarray(evaluate(relation, env), dtype=bool), inside.shape)
    return {a: v[inside] for a, v in env.items()}, {a: v[beyond] for a, v in env.items()}


def _access(program: Program, kernel: Kernel, number: int, site: Site, operand: Operand, place: Ref) -> Access:
    instruction = site.use.instruction
    statement = instruction.kernel.statements[0]
    writes = statement.target.tensor == operand.name
    own_read = any(a.tensor == operand.name for a in statement.inputs)
    dtype = instruction.kernel.tensor(operand.name).dtype
    clears = writes and statement.op == "=" and instruction.beyond == ZERO
    buffer = buffers(program).get(place.name)
    if buffer is None:
        where: _Where = _InTensor(kernel, site, operand, place, dtype)
    else:
        where = _InBuffer(program, site, operand, place, buffer)
    first, which = _different([*where.columns, *site.active.values(), *site.front.values()], site.count)
    empty = np.zeros(0, np.int64)
    cells, cleared, wrong = [empty] * first.size, [empty] * first.size, [""] * first.size
    for active, front, members in _by_active(site, first):
        inside, beyond = points(instruction, active, front)
        inside = _tile(instruction, operand) or inside
        iterations = first[members]
        found, said = where.cells(iterations, inside, inside["#"].size)
        extra, also = where.cells(iterations, beyond, beyond["#"].size) if clears else (None, None)
        for n, m in enumerate(members.tolist()):
            cells[m], wrong[m] = found[n], said[n] or (also[n] if also else "")
            if extra is not None:
                cleared[m] = np.setdiff1d(extra[n], found[n])
    reading = own_read or (writes and statement.op != "=")
    slots = where.slots if isinstance(where, _InBuffer) else None
    return Access(number, operand.name, where.space, dtype, reading, writes, which, cells, cleared, wrong, slots)


def _tile(instruction: Instruction, operand: Operand) -> dict[str, Array] | None:
    """All cells of an operand of which data names one, in order, in the place of its points; None for others."""
    index = next((a.index for a in instruction.kernel.statements[0].inputs if a.tensor == operand.name), ())
    if not elements(index):
        return None
    names = [str(e) for e in (operand.row, operand.column) if e != 0]
    shape = tuple(int(n) for n in instruction.shapes[operand.name])
    ids = np.arange(prod(shape))
    return {**dict(zip(names, np.unravel_index(ids, shape), strict=True)), "#": ids}


def _different(columns: list[Array], count: int) -> tuple[Array, Array]:
    """The first iteration of each combination of values, and the number of the combination of each iteration."""
    code = np.zeros(count, np.int64)
    for values in columns:
        own = np.unique(values, return_inverse=True)[1]
        code = np.unique(code * (int(own.max(initial=0)) + 1) + own, return_inverse=True)[1]
    _, first, which = np.unique(code, return_index=True, return_inverse=True)
    return first, which


def _by_active(site: Site, first: Array) -> Iterator[tuple[dict[str, int], dict[str, int], Array]]:
    """Footprints with the same active points."""
    below, front = ({a: v[first] for a, v in found.items()} for found in (site.active, site.front))
    heads, which = _different([*below.values(), *front.values()], first.size)
    for n, head in enumerate(heads.tolist()):
        active, others = ({a: int(v[head]) for a, v in found.items()} for found in (below, front))
        yield active, others, np.flatnonzero(which == n)


class _Where(ABC):
    """columns: the values the cells depend on beside the active points, by iteration."""

    space: Space
    columns: list[Array]

    @abstractmethod
    def cells(self, iterations: Array, env: dict[str, Array], size: int) -> tuple[list[Array], list[str]]:
        """The cell of each point at each of the iterations, and the accesses outside in each."""

    def _numbered(self, coordinates: list[Array]) -> tuple[Array, Array]:
        """Numbers of units, and whether each is outside the space."""
        number = np.zeros(coordinates[0].shape if coordinates else (1, 1), np.int64)
        outside = np.zeros(number.shape, bool)
        for c, n in zip(coordinates, self.space.shape, strict=True):
            outside |= (c < 0) | (c >= n)
            number = number * n + c
        return np.where(outside, self.space.size, number), outside


class _InBuffer(_Where):
    """A piece of a buffer in an addressed memory."""

    def __init__(self, program: Program, site: Site, operand: Operand, place: Ref, buffer: Buffer) -> None:
        name = site.use.instruction.name
        self.buffer = buffer
        if buffer.memory != operand.memory or operand.row is None or program.machine is None:
            raise LanguageError(
                f"{name}: operand {operand.name} lies in {operand.memory}, buffer {place.name} in {buffer.memory}"
            )
        if len(place.index) not in (1, 2):
            raise LanguageError(
                f"{name}: the place of {operand.name} in {place.name} is a slot, one number, or that and its first row there"
            )
        memory, dtype = program.machine.memory(operand.memory), site.use.instruction.types[operand.name]
        if dtype != buffer.dtype:
            raise DTypeError(f"{name}: operand {operand.name} is {dtype}, buffer {place.name} is {buffer.dtype}")
        self.operand, self.name = operand, name
        widths = {b.dtype.bytes for b in buffers(program).values() if b.memory == memory.name}
        unit, columns = gcd(*widths), memory.row // dtype.bytes
        self.width, self.columns_there = dtype.bytes // unit, columns
        whole = lcm(*widths)  # every cell begins at a multiple of its own size
        self.space = Space(memory.name, False, (memory.rows, -(-memory.row // whole) * whole // unit), unit)
        self.slots = site.rows.column(place.index[0], f"{name}: slot of {place.name}")
        self.firsts = site.rows.column(place.index[1] if len(place.index) > 1 else sp.S.Zero, f"{name}: first row")
        self.columns = [self.slots, self.firsts]

    def cells(self, iterations: Array, env: dict[str, Array], size: int) -> tuple[list[Array], list[str]]:
        b = self.buffer
        row, at = (
            column(e, env, size, f"{self.name}: operand {self.operand.name}")
            for e in (self.operand.row, self.operand.column)
        )
        slots, offset, height = self.slots[iterations], int(b.offset), int(b.rows)
        inner = self.firsts[iterations][:, None] + row[None, :]
        rows = offset + (slots * height)[:, None] + inner
        numbers, outside = self._numbered([rows, np.broadcast_to(at * self.width, rows.shape)])
        outside |= np.broadcast_to(at >= self.columns_there, rows.shape)
        numbers = np.where(outside, self.space.size, numbers)
        past = (inner < 0) | ((slots * height)[:, None] + inner >= height * b.slots)
        said = []
        for n, slot in enumerate(slots.tolist()):
            if size and not 0 <= slot < b.slots:
                said.append(f"slot {slot} of {b.name}, which has {b.slots} slots")
            elif outside[n].any():
                p = int(np.argmax(outside[n]))
                said.append(
                    f"row {rows[n, p]}, column {at[p]} of {b.memory}, which has {self.space.shape[0]} rows of {self.columns_there}"
                )
            else:
                beyond = np.flatnonzero(past[n])[:1]
                said.append(
                    f"row {inner[n, beyond[0]]} of a slot of {b.name}, which has {b.rows} rows" if beyond.size else ""
                )
        return list(numbers), said


class _InTensor(_Where):
    """Elements of a tensor in main memory. Elements apart from the instruction's layout are as wrong as those outside."""

    def __init__(self, kernel: Kernel, site: Site, operand: Operand, place: Ref, dtype: DType) -> None:
        self.name = site.use.instruction.name
        names = [t.name for t in kernel.tensors]
        if place.name not in names:
            raise UnknownNameError(
                f"{self.name}: no tensor or buffer {place.name!r}; {did_you_mean(place.name, names)}"
            )
        if operand.row is not None:
            raise LanguageError(
                f"{self.name}: operand {operand.name} lies in {operand.memory}, {place.name} in {MAIN} memory"
            )
        tensor = kernel.tensor(place.name)
        if tensor.dtype != dtype:
            raise DTypeError(f"{self.name}: operand {operand.name} is {dtype}, {place.name} is {tensor.dtype}")
        self.space = Space(place.name, True, tuple(int(e) for e in tensor.shape), dtype.bytes)
        if len(place.index) != len(self.space.shape):
            raise LanguageError(
                f"{self.name}: {place.name} has {len(self.space.shape)} dimensions, the place {len(place.index)}"
            )
        self.address, self.front = site.use.instruction.address(operand.name), bool(site.use.instruction.front)
        self.index, self.env = tuple(map(sp.sympify, place.index)), site.rows.env
        used = symbols_of(self.index) - set(site.use.instruction.axes)
        if unknown := used - set(self.env):
            raise LanguageError(
                f"{self.name}: the place in {place.name} mentions {min(unknown)}, which is no axis of the instruction; "
                f"{defined(self.env)}"
            )
        self.columns = [v for n in sorted(used) if isinstance(v := self.env[n], np.ndarray)]

    def cells(self, iterations: Array, env: dict[str, Array], size: int) -> tuple[list[Array], list[str]]:
        loops = {n: v[iterations][:, None] if isinstance(v, np.ndarray) else v for n, v in self.env.items()}
        here = {**loops, **{a: v[None, :] for a, v in env.items()}}
        shape = (iterations.size, size)
        coordinates = [np.broadcast_to(np.asarray(evaluate(e, here), dtype=np.int64), shape) for e in self.index]
        numbers, outside = self._numbered(coordinates)
        numbers, outside = np.broadcast_to(numbers, shape), np.broadcast_to(outside, shape)
        apart = self._apart(numbers, env)
        said = []
        for n in range(iterations.size):
            past = outside[n].any()
            why = f"which has shape {list(self.space.shape)}" if past else f"which does not lie at {self.address}"
            wrong = np.flatnonzero(outside[n] if past else apart[n])
            index = ", ".join(str(c[n, wrong[0]]) for c in coordinates) if wrong.size else ""
            said.append(f"{self.space.name}[{index}], {why}" if wrong.size else "")
        return list(np.where(apart, self.space.size, numbers)), said

    def _apart(self, numbers: Array, env: dict[str, Array]) -> Array:
        """Whether each element lies apart from the instruction's layout, counted from its first; none if the first is inactive."""
        if env["#"].size == 0 or (env["#"][0] != 0 and not self.front):
            return np.zeros(numbers.shape, bool)
        index = [np.broadcast_to(np.asarray(evaluate(i, env)), env["#"].shape) for i in self.address.index]
        found = numbers - numbers[:, :1]
        return found != self.address.offsets(index, found)
