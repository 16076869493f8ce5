"""The effects of a core's nodes, one row after the other, on memory with poisoned cells.

Every cell of a buffer is poison from its Alloc until something is written to it. Poison spreads through transfers
and executions. An execution is run with two different fillings to decide whether it depends on a poisoned operand:
zero times anything is clean for integers, but not for floating point.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from isamap_smt.ir.across import pointwise
from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.expr import elements, evaluate, held_as, substitute
from isamap_smt.ir.indirect import Held
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.interpret import instruction_actions
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.move_form import MAIN
from isamap_smt.ir.program import Across, Alloc, Ask, Compute, Copy, Loop, Move, Point, Ref, SetState
from isamap_smt.ir.scalar import reads
from isamap_smt.ir.states import grants, needs_at
from isamap_smt.simulator.findings import BOUNDS, LANES, UNDEFINED, Stop
from isamap_smt.simulator.iterations import BEGIN, END, START, Rows, Standing
from isamap_smt.simulator.transfers import Cells, Transfer, check_types, copied, moved, start_of

# ---- Instructions that combine elements side by side, step by step: what the C of such a point does, on the elements
# in memory.


Array = np.ndarray
instruction_steps = lru_cache(maxsize=1_000)(instruction_actions)


def combined_in_steps(across: Across, elements: Sequence[Array]) -> Array:
    """The one number made by the steps from these elements, each an array of one. Raises Stop if a step takes something else."""
    row = np.concatenate(elements)
    lanes = _size(across.last, across.last.kernel.inputs[0])
    if len(row) % lanes or across.load.active:
        raise Stop(LANES, f"{across.load.name} does not fill registers of {lanes} lanes with {len(row)} elements")
    memory = _size(across.load, across.load.kernel.inputs[0])
    held = [_run(across.load, row[n : n + memory]) for n in range(0, len(row), lanes)]
    while len(held) > 1:
        if across.beside is None or len(held) % 2:
            raise Stop(LANES, f"nothing combines {len(held)} registers for {across.last.name}")
        half = len(held) // 2
        held = [_run(across.beside, a, b) for a, b in zip(held[:half], held[half:], strict=True)]
    return _run(across.last, held[0])


def in_order(places: Sequence[tuple[int, Any]]) -> list[Any]:
    """The values at these cells, in the cells' order. Raises Stop if they are not side by side."""
    ordered = sorted(places, key=lambda p: p[0])
    if [n for n, _ in ordered] != list(range(ordered[0][0], ordered[0][0] + len(ordered))):
        raise Stop(LANES, "elements that do not lie side by side are combined by instructions")
    return [x for _, x in ordered]


def _size(i: Instruction, operand: str) -> int:
    return prod(int(e) for e in i.kernel.tensor(operand).shape)


def _run(i: Instruction, *given: Array) -> Array:
    k = i.kernel
    for operand, values in zip(k.inputs, given, strict=True):
        if values.dtype != k.tensor(operand).dtype.numpy or len(values) != _size(i, operand):
            raise Stop(LANES, f"{i.name} takes {k.tensor(operand)} for {operand}, not {len(values)} of {values.dtype}")
    out = k.statements[0].target.tensor
    held = dict(zip(k.inputs, given, strict=True)) | {out: np.zeros(_size(i, out), k.tensor(out).dtype.numpy)}
    for step in instruction_steps(i):
        step(held)
    return held[out]


Act = Callable[[int], None]
POOL = 997  # values of each type that uninitialised memory is filled from


@dataclass(frozen=True)
class Space:
    """A tensor (number -1), or the buffer of the declaration with this number. level: how many parallel loops stand around it."""

    name: str
    number: int
    shape: tuple[int, ...]
    dtype: DType
    level: int = 0
    readonly: bool = False
    registers: range = range(0)

    @property
    def size(self) -> int:
        """How many cells."""
        return prod(self.shape)


@dataclass(frozen=True)
class Table:
    """A tensor read by an execution at what its index registers hold.

    first: each row's element from which they count. indices: each register's operand, with the cells of all lanes: an
    address is formed for every lane, whatever becomes of it.
    """

    operand: str
    space: Space
    first: Array
    indices: tuple[tuple[str, Array], ...]

    def named(self, row: int, values: Mapping[str, Array], poison: Mapping[str, Array]) -> Array:
        """The elements read. Raises Stop if an index holds anything, or none of the tensor's."""
        found = []
        for operand, at in self.indices:
            if operand in poison and poison[operand][at].any():
                raise Stop(UNDEFINED, f"{operand} was not filled, and names an element of {self.space.name}")
            number = values[operand][at].astype(np.int64) + self.first[row]
            if wrong := number[(number < 0) | (number >= self.space.size)].tolist():
                raise Stop(
                    BOUNDS, f"{self.space.name}[{wrong[0]}] is outside its shape {list(self.space.shape)} ({operand})"
                )
            found.append(number)
        return np.concatenate(found)


class Core:
    """One run. states: state memory -> its cells, on the running thread; 0 in unwritten ones."""

    def __init__(
        self, kernel: Kernel, tensors: Mapping[str, Space], poisoning: bool, random: np.random.Generator
    ) -> None:
        self.kernel, self.poisoning, self.random = kernel, poisoning, random
        self.tensors = dict(tensors)
        self.buffers: dict[int, Space] = {}
        self.data: dict[Space, Array] = {}
        self.mask: dict[Space, Array] = {}
        self.states: dict[str, tuple[int, ...]] = {}
        self.around: list[dict[str, tuple[int, ...]]] = []
        self.touches: list[
            tuple[Rows, Cells, bool]
        ] = []  # what is touched inside of parallel loops, and whether it is written
        self._pools: dict[str, Array] = {}
        self._turn = 0

    def put(self, space: Space, data: Array, poison: bool) -> None:
        """The cells of a space at the start: its own, whatever `data` is a part of."""
        self.data[space], self.mask[space] = data.copy(), np.full(space.size, poison)

    def space(self, rows: Rows, name: str) -> Space:
        """The tensor or buffer that a name means there."""
        found = (rows.buffers or {}).get(name)
        if found is None and name not in self.tensors:
            raise Stop(UNDEFINED, f"nothing defines {name} where it is used")
        return self.tensors[name] if found is None else self.buffers[found[0]]

    def fresh(self, size: int, dtype: DType) -> Array:
        """The content of a new buffer: anything; zeros if nothing is poisoned."""
        if not self.poisoning:
            return np.zeros(size, dtype.numpy)
        pool = self._pools.get(dtype.name)
        if pool is None:
            pool = garbage(POOL, dtype, self.random)
        if len(pool) < POOL + size:
            pool = np.resize(pool, -(-(POOL + size) // POOL) * POOL)  # the same values, over and over
        self._pools[dtype.name] = pool
        self._turn = (self._turn + 101) % POOL
        return pool[self._turn : self._turn + size]

    def act(self, number: int, standing: Standing) -> Act:
        """The function to carry out a row of the node."""
        node, rows = standing.node, standing.rows
        match node:
            case Alloc():
                return self._alloc(number, node, rows)
            case Loop():
                return self._thread(standing.what)
            case Copy():
                return self._transfer(rows, copied(self, node, rows))
            case Point():
                return self._compute(node, rows)
            case Move():
                return self._checked(node, rows, self._transfer(rows, moved(self, node, rows)))
            case Compute():
                return self._checked(node, rows, self._execute(node, rows))
            case Ask():
                return self._ask(node, rows)
            case SetState():
                return self._configure(node)
        raise Stop(UNDEFINED, f"no core runs a {type(node).__name__}")

    def _alloc(self, number: int, node: Alloc, rows: Rows) -> Act:
        b = node.buffer
        columns = [rows.column(e, f"the shape of {b.name}").clip(min=0) for e in b.shape]
        if any(c.size and (c != c[0]).any() for c in columns):
            raise Stop(UNDEFINED, f"{b.name} has another shape each time")
        shape = tuple(int(c[0]) if c.size else 0 for c in columns)
        space = Space(b.name, number, shape, b.dtype, len(rows.turns), registers=b.numbers)
        self.buffers[number] = space
        self.put(space, np.zeros(space.size, b.dtype.numpy), True)
        data, mask, size, numbers = self.data[space], self.mask[space], space.size, b.numbers

        def act(row: int) -> None:
            if numbers:
                self.lose(numbers)
            data[:] = self.fresh(size, b.dtype)
            mask.fill(self.poisoning)

        return act

    def lose(self, numbers: range | None = None) -> None:
        """Lose the content of registers with these numbers; None: of all numbered ones."""
        for space in self.buffers.values():
            if set(space.registers) & set(space.registers if numbers is None else numbers):
                self.data[space][:] = self.fresh(space.size, space.dtype)
                self.mask[space][:] = True

    def _thread(self, what: str) -> Act:
        """Each iteration of a parallel loop is run by a thread of its own, or by the one around."""

        def act(row: int) -> None:
            if what == START:
                self.around.append(self.states)
            elif what == BEGIN:
                self.states = self.around[-1] if self.random.integers(2) else {}
            elif what == END:
                self.states = self.around.pop()

        return act

    def _configure(self, node: SetState) -> Act:
        def act(row: int) -> None:
            self.lose()
            self.states = {**self.states, node.state: node.cells}

        return act

    def _ask(self, node: Ask, rows: Rows) -> Act:
        """A number is granted, by chance one of the allowed ones."""
        asked, most = rows.column(node.number, "what is asked for"), int(node.instruction.grants)

        def act(row: int) -> None:
            may_be = grants(int(asked[row]), most)
            self.states = {**self.states, node.state: (int(self.random.choice(may_be)),)}

        return act

    def _granted(self, node: Move | Compute, rows: Rows, act: Act) -> Act:
        """The act, if the granted numbers are those of its active points; else it raises Stop."""
        i, counts = node.instruction, node.parameters
        wanted = [
            (h, rows.column(counts[h.parameter], "a number of active points").clip(0, i.axes[h.axis]))
            for h in i.numbers_needed
        ]

        def granted(row: int) -> None:
            for held, points in wanted:
                has = self.states.get(held.memory)
                if has is None or has[0] != points[row]:
                    found = "nothing has asked for it" if has is None else f"it is {has[0]}"
                    raise Stop(UNDEFINED, f"{i.name} needs '{held.text}', which is {points[row]}, and {found}")
            act(row)

        return granted

    def _checked(self, node: Move | Compute, rows: Rows, act: Act) -> Act:
        """The act, if the thread's states are as the instruction needs them for its registers; else it raises Stop."""
        i = node.instruction
        if i.numbers_needed:
            act = self._granted(node, rows, act)
        if not i.cells_needed:
            return act
        lies = {}
        for o, ref in node.operands:
            if o in i.registers:
                space = self.space(rows, ref.name)
                start, size = start_of(space, rows, ref)
                lies[o] = space.registers.start + start // max(1, size)

        def checked(row: int) -> None:
            for need, number in needs_at(i, {o: (int(n[row]),) for o, n in lies.items()}):
                cells, at = self.states.get(need.memory, ()), need.at(number)
                has = cells[at] if at < len(cells) else 0
                if has != need.value:
                    raise Stop(UNDEFINED, f"{i.name} needs {need.memory}[{at}] = {need.value}, and it is {has}")
            act(row)

        return checked

    def _touch(self, rows: Rows, cells: Cells, writes: bool) -> None:
        if rows.turns and cells.space.level < len(rows.turns):
            self.touches.append((rows, cells, writes))

    def _transfer(self, rows: Rows, t: Transfer) -> Act:
        if t.source is not None:
            self._touch(rows, t.source, False)
        self._touch(rows, t.target, True)
        to, to_mask = self.data[t.target.space], self.mask[t.target.space]
        begins, whole = t.begins.tolist(), t.whole.tolist()
        target, inside, fill = t.target.number, t.inside, t.fill
        if t.source is None:

            def clear(row: int) -> None:
                t.check(row)
                d = target[begins[row] : begins[row + 1]]
                to[d], to_mask[d] = fill, False

            return clear
        source, of, of_mask = t.source.number, self.data[t.source.space], self.mask[t.source.space]

        def act(row: int) -> None:
            t.check(row)
            a, b = begins[row], begins[row + 1]
            d, s = target[a:b], source[a:b]
            if not whole[row]:
                keep = inside[a:b]
                if fill is not None:
                    values, poison = np.full(b - a, fill).astype(to.dtype), np.zeros(b - a, bool)
                    values[keep], poison[keep] = of[s[keep]], of_mask[s[keep]]
                    to[d], to_mask[d] = values, poison
                    return
                d, s = d[keep], s[keep]
            if t.adds:
                to[d], to_mask[d] = to[d] + of[s], to_mask[d] | of_mask[s]
            else:
                to[d], to_mask[d] = of[s], of_mask[s]

        return act

    def _execute(self, node: Compute, rows: Rows) -> Act:
        """Registers, whole, and the accumulator after one execution."""
        kernel = node.instruction.kernel
        s = kernel.statements[0]
        output, names = s.target.tensor, {s.target.tensor, *(a.tensor for a in s.inputs)}
        if sorted(o for o, _ in node.operands) != sorted(names):
            raise Stop(UNDEFINED, f"{node.instruction.short} has operands {sorted(names)}, and is given others")
        actions = instruction_steps(node.instruction)
        places, tables = [], []
        for o, ref in node.operands:
            if dict(node.instruction.places).get(o) == MAIN:
                tables.append(self._table(node, rows, o, ref))
                continue
            space, tensor = self.space(rows, ref.name), kernel.tensor(o)
            start, size = start_of(space, rows, ref, tensor)
            cells = Cells.registers(space, start, size)
            self._touch(rows, cells, o == output)
            places.append((o, start.tolist(), size, self.data[space], self.mask[space]))
        target = next(p for p in places if p[0] == output)

        def run(values: Mapping[str, Array]) -> Array:
            held = {**values, output: values[output].copy()}
            for act in actions:
                act(held)
            return held[output]

        def act(row: int) -> None:
            values, poison = {}, {}
            for o, at, n, data, mask in places:
                cells = slice(at[row], at[row] + n)
                values[o] = data[cells]
                if np.count_nonzero(spoilt := mask[cells]):
                    poison[o] = spoilt
            for table in tables:
                named = table.named(row, values, poison)
                first = table.first[row]
                values[table.operand] = self.data[table.space][first:]
                if np.count_nonzero(self.mask[table.space][named]):
                    poison[table.operand] = self.mask[table.space][first:]
            result = run(values)
            dirty: Any = False
            if poison:
                other = {
                    o: np.where(poison[o], another(v), v).astype(v.dtype) if o in poison else v
                    for o, v in values.items()
                }
                dirty = bits(run(other)) != bits(result)
            _, at, n, data, mask = target
            data[at[row] : at[row] + n], mask[at[row] : at[row] + n] = result, dirty

        return act

    def _table(self, node: Compute, rows: Rows, operand: str, ref: Ref) -> Table:
        """A tensor that an execution reads in memory. Raises Stop for anything else in its place."""
        kernel, space = node.instruction.kernel, self.space(rows, ref.name)
        if not len(ref.index) == len(space.shape) == 1 or space not in self.tensors.values():
            raise Stop(
                BOUNDS, f"{node.instruction.short} reads {operand} from an element on, of a tensor of one dimension"
            )
        first = rows.column(ref.index[0], f"an index of {ref.name}")
        if space.dtype != kernel.tensor(operand).dtype:
            raise Stop(
                UNDEFINED, f"{space.name} holds {space.dtype}, operand {operand} is {kernel.tensor(operand).dtype}"
            )
        if rows.turns:
            self._touch(rows, Cells.registers(space, np.zeros(rows.count, np.int64), space.size), False)
        axes = node.instruction.axes
        lanes = dict(zip(axes, np.indices(tuple(axes.values())).reshape(len(axes), -1), strict=True))
        found = []
        for e in elements(i for r in reads(kernel.statements[0].value) if r.tensor == operand for i in r.index):
            shape, at = tuple(map(int, kernel.tensor(e.tensor).shape)), np.zeros(prod(axes.values()), np.int64)
            for i, n in zip(e.index, shape, strict=True):
                at = at * n + evaluate(i, lanes)
            found.append((e.tensor, at))
        return Table(operand, space, first, tuple(found))

    def _with_indices(self, node: Point, rows: Rows) -> Rows:
        """The rows, with the elements used as indices: they are of inputs, which nothing changes."""
        used = {e.tensor: self.tensors[e.tensor] for e in elements(i for r in (node.dst, *node.reads) for i in r.index)}
        held = {held_as(n): Held(self.data[space].reshape(space.shape)) for n, space in used.items()}
        return replace(rows, env=rows.env | held) if held else rows

    def _compute(self, node: Point, rows: Rows) -> Act:
        check_types(self, node, rows)
        function = pointwise(node.instruction)
        rows = self._with_indices(node, rows)
        reads = [Cells.of(self.space(rows, r.name), rows, r.index) for r in node.reads]
        target = Cells.of(self.space(rows, node.dst.name), rows, node.dst.index, writes=True)
        for cells in reads:
            self._touch(rows, cells, False)
        self._touch(rows, target, True)
        places = [(self.data[c.space], self.mask[c.space], c.number) for c in reads]
        point = dict(node.point)
        indices = [rows.column(substitute(e, point), "an index that is a value") for e in function.indices]
        to, to_mask, into = self.data[target.space], self.mask[target.space], target.number

        def computed(row: int, values: Sequence[Array]) -> Array:
            if node.across is not None:
                cells = [int(at[row]) for _, _, at in places]
                return combined_in_steps(node.across, in_order(list(zip(cells, values, strict=True))))
            return function.value(values, [v[row : row + 1] for v in indices])

        def act(row: int) -> None:
            for cells in (*reads, target):
                cells.check(row)
            values = [data[at[row : row + 1]] for data, _, at in places]
            value = computed(row, values)
            poison = [bool(mask[at[row]]) for _, mask, at in places]
            dirty: Any = np.zeros(1, bool)
            if any(poison):
                other = [another(v) if p else v for v, p in zip(values, poison, strict=True)]
                dirty = bits(computed(row, other)) != bits(value)
            at = into[row : row + 1]
            if function.op != "=":
                value, dirty = function.reduce(to[at], value), dirty | to_mask[at]
            to[at], to_mask[at] = value, dirty

        return act


def garbage(count: int, dtype: DType, random: np.random.Generator) -> Array:
    """Possible content of uninitialised memory."""
    if dtype.is_float:
        return np.asarray(1000 + random.random(count)).astype(dtype.numpy)
    low, high = max(dtype.low, -(2**62)), min(dtype.high, 2**62)
    return np.asarray(random.integers(low, high, count, endpoint=True)).astype(dtype.numpy)


def another(x: Array) -> Array:
    """A second filling, different in every cell: NaN, or each cell plus another odd number."""
    if x.dtype.kind in "iu":
        return x + (2 * np.arange(x.size).reshape(x.shape) + 1).astype(x.dtype)
    return np.full_like(x, np.nan)


def bits(x: Array) -> Array:
    """The array's bit patterns: NaN equals itself and -0 differs from 0."""
    return np.asarray(x, order="C").view(f"u{x.dtype.itemsize}")


def races(touches: Sequence[tuple[Rows, Cells, bool]]) -> str:
    """A conflict between two iterations of a parallel loop: both touch an element and one writes it; '' if there is none."""
    by: dict[tuple[int, Any], list[tuple[Array, Array, Array]]] = {}
    for rows, cells, writes in touches:
        for depth, turn in enumerate(rows.turns):
            if cells.space.level <= depth:
                row = cells.row[cells.live]
                run, iteration = turn.run[row], turn.iteration[row]
                key = run * max(1, cells.space.size) + cells.number[cells.live]
                by.setdefault((turn.loop, cells.space), []).append((key, iteration, np.full(len(key), writes)))
    for (_, space), found in by.items():
        key, iteration, written = (np.concatenate(c) for c in zip(*found, strict=True))
        order = np.argsort(key, kind="stable")
        key, iteration, written = key[order], iteration[order], written[order]
        first = np.flatnonzero(np.r_[True, key[1:] != key[:-1]]) if key.size else np.zeros(0, np.int64)
        if not first.size:
            continue
        several = np.minimum.reduceat(iteration, first) != np.maximum.reduceat(iteration, first)
        if (several & np.logical_or.reduceat(written, first)).any():
            return f"two iterations of a parallel loop touch the same element of {space.name}"
    return ""
