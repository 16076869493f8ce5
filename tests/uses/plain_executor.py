"""Programs of engines carried out as plainly as can be: an oracle that shares nothing with the proof or with the simulator.

A machine executes its own instructions, on the engines that its description names, whatever a program says of either. A use begins
when what it awaits was signalled, reads then, and leaves what it writes as garbage until it is complete. In between other engines
go on, one of them favoured, or starved. Memory holds garbage at first. What reaches beyond a slot, a memory or a tensor, waits for
ever, or finds a state that is not as it needs it, is Wrong.
"""

from __future__ import annotations

import operator
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from math import prod
from typing import Any

import numpy as np
import sympy as sp

from isamap_smt.ir.engine_states import needed_value
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.program import Alloc, Buffer, If, Issued, Program, Ref, Serial

RARELY = 200
Env = Mapping[str, Any]


class Wrong(Exception):
    """What goes wrong in a run."""


# ---- numbers -------------------------------------------------------------------------------------------------------------

_RELATIONS = {
    "StrictLessThan": operator.lt, "LessThan": operator.le, "StrictGreaterThan": operator.gt, "GreaterThan": operator.ge,
    "Equality": operator.eq, "Unequality": operator.ne,
}  # fmt: skip


@cache
def made(e: Any) -> Callable[[Env], Any]:
    """An index expression as a function of its names."""
    e = sp.sympify(e)
    if e.is_Symbol:
        return lambda env, name=e.name: env[name]
    if e.is_Integer:
        return lambda env, n=int(e): n
    if type(e).__name__ == "Element":  # of an operand that is an index: what it holds at each point
        return lambda env, name=str(e.args[0].name): env[f"{name} at each point"]
    parts = [made(a) for a in e.args]
    match type(e).__name__:
        case "Add":
            return lambda env: sum(p(env) for p in parts)
        case "Mul":
            return lambda env: prod(p(env) for p in parts)
        case "Pow":
            return lambda env: parts[0](env) ** parts[1](env)
        case "FloorDiv":
            return lambda env: parts[0](env) // parts[1](env)
        case "FloorMod":
            return lambda env: parts[0](env) % parts[1](env)
        case "Inside":  # a cell that does not exist is seen where it is looked for
            return parts[0]
        case "IMin":
            return lambda env: _least([p(env) for p in parts])
        case "IMax":
            return lambda env: -_least([-p(env) for p in parts])
        case name if name in _RELATIONS:
            return lambda env: _RELATIONS[name](*(p(env) for p in parts))
    raise Wrong(f"{e} is no number")


def _has_data(e: Any) -> bool:
    return any(type(x).__name__ == "Element" for x in sp.preorder_traversal(sp.sympify(e)))


def _least(values: list[Any]) -> Any:
    return np.minimum.reduce(np.broadcast_arrays(*values)) if any(np.ndim(v) for v in values) else min(values)


def number(e: Any, env: Env) -> int:
    """Raises Wrong for what has none."""
    try:
        return int(made(e)(env))
    except (KeyError, ZeroDivisionError, TypeError) as error:
        raise Wrong(f"{e} has no value: {error!r}") from None


# ---- values --------------------------------------------------------------------------------------------------------------

Typed = tuple[Any, str]  # values, and their type; '' of a number in the text
_WIDTH = {"i8": 8, "u8": 8, "i16": 16, "u16": 16, "i32": 32, "u32": 32, "i64": 64}


def _wrapped(x: Any, dtype: str, bits: int = 0) -> Any:
    if dtype not in _WIDTH:
        return np.asarray(x, np.float32)
    n = bits or _WIDTH[dtype]
    if n == 64:
        return np.asarray(x, np.int64)
    low = 0 if dtype[0] == "u" else -(1 << (n - 1))
    return (np.asarray(x, np.int64) - low) % (1 << n) + low


def _clamped(x: Any, dtype: str) -> Any:
    n = _WIDTH[dtype]
    low, high = (0, (1 << n) - 1) if dtype[0] == "u" else (-(1 << (n - 1)), (1 << (n - 1)) - 1)
    return np.clip(np.asarray(x), low, high)


def value(e: Any, read: Callable[[Any], Typed], exact: bool = False) -> Typed:
    """A scalar expression of a contract. exact: inside a saturation nothing wraps."""
    name = type(e).__name__
    if isinstance(e, sp.Number):
        return (int(e) if e.is_Integer else np.float32(float(e))), ""
    if name == "Inf":
        return np.float32(np.inf), ""
    if name == "Read":
        return read(e)
    if name in ("Cast", "Saturate", "Round"):
        to = str(e.args[0])
        x, _ = value(e.args[1], read, name == "Saturate")
        if name == "Cast":
            return _wrapped(x, to), to
        if name == "Saturate":
            return _clamped(x, to).astype(np.int64), to
        return np.nan_to_num(_clamped(np.rint(np.asarray(x, np.float32)), to)).astype(np.int64), to
    args = [value(a, read, exact) for a in e.args]
    if name == "Relu":
        args.append((0, ""))
    dtype = next((d for _, d in args if d), "")
    same = [np.asarray(x, np.float32) if dtype == "f32" else x for x, _ in args]
    do: dict[str, Callable[..., Any]] = {
        "SAdd": operator.add, "SSub": operator.sub, "SMul": operator.mul, "SNeg": operator.neg, "SMax": np.maximum,
        "SMin": np.minimum, "Relu": np.maximum, "SShr": lambda x, n: np.asarray(x, np.int64) >> n, "SDiv": operator.truediv,
        "Exp": lambda x: np.exp(np.asarray(x, np.float64)), "Rsqrt": lambda x: 1 / np.sqrt(x), "Sqrt": np.sqrt,
    }  # fmt: skip
    found = do[name](*same)
    return (found if exact or not dtype else _wrapped(found, dtype)), dtype


# ---- a machine at work ---------------------------------------------------------------------------------------------------


@dataclass
class Run:
    """One use of the run: with the machine's own instruction, and the values of variables, numbers and sizes."""

    use: Issued
    instruction: Instruction
    env: dict[str, int]

    @property
    def engine(self) -> str:
        return self.instruction.engine

    @property
    def kind(self) -> str:
        return self.instruction.kind


@dataclass
class Cells:
    """Places of the points of a use in one memory, in bytes from its beginning. beyond: of the points that are not active."""

    memory: np.ndarray
    at: np.ndarray
    beyond: np.ndarray
    kind: np.dtype
    bits: int = 0

    def get(self, at: np.ndarray) -> np.ndarray:
        each = self.memory[at[:, None] + np.arange(self.kind.itemsize)]
        return np.ascontiguousarray(each).view(self.kind).reshape(-1)

    def put(self, at: np.ndarray, values: Any) -> None:
        made = np.broadcast_to(np.asarray(values, self.kind), at.shape).copy().view(np.uint8)
        self.memory[at[:, None] + np.arange(self.kind.itemsize)] = made.reshape(-1, self.kind.itemsize)


@dataclass
class Machine:
    """held: bytes of memories, and tensors, flat. states: (memory, set) -> values."""

    program: Program
    sizes: dict[str, int]
    draw: np.random.Generator
    held: dict[str, np.ndarray] = field(default_factory=dict)
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    states: dict[tuple[str, int], list[Any]] = field(default_factory=dict)
    buffers: dict[str, Buffer] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    results: dict[str, np.ndarray] | None = None
    numbers: dict[int, int] = field(default_factory=dict)

    def garbage(self, count: int, kind: np.dtype) -> np.ndarray:
        if kind.kind == "f":
            return np.full(count, np.nan, kind)
        ends = np.iinfo(kind)
        return self.draw.integers(ends.min, ends.max, count, dtype=kind, endpoint=True)

    def begin(self, arrays: Mapping[str, np.ndarray]) -> None:
        kernel = self.program.kernel
        for t in kernel.tensors:
            shape = self.shapes[t.name] = tuple(number(e, self.sizes) for e in t.shape)
            kind = np.dtype(t.dtype.numpy)
            given = t.name in kernel.inputs
            self.held[t.name] = arrays[t.name].reshape(-1).copy() if given else self.garbage(prod(shape), kind)

    # ---- text

    def issued(self, nodes: tuple[Any, ...], env: dict[str, int]) -> Iterator[Run]:
        machine = self.program.machine
        assert machine is not None
        own = {i.name: i for i in machine.instructions}
        for node in nodes:
            match node:
                case Alloc():
                    self.buffers[node.buffer.name] = node.buffer
                case Serial():
                    trips = number(node.count, env)
                    trips = trips if node.end is None else min(trips, number(node.end, env))
                    for v in range(trips):
                        here = self.numbers.get(id(node), 0)
                        self.numbers[id(node)] = here + 1
                        yield from self.issued(node.body, {**env, node.var.name: v, f"#{node.var.name}": here})
                case If():
                    if all(made(c)(env) for c in node.condition):
                        yield from self.issued(node.body, env)
                case Issued():
                    i = node.instruction
                    if i.kind not in ("signal", "give", "take"):
                        i = own.get(i.name)
                    if i is None or i.engine not in {e.name for e in machine.engines}:
                        raise Wrong(f"{machine.name} has no {node.instruction.name}")
                    yield Run(node, i, env)
                case _:
                    raise Wrong(f"a {type(node).__name__}")

    # ---- one use

    def ready(self, x: Run) -> bool:
        return all(self.counts.get(c, 0) >= number(e, x.env) for c, e in x.use.awaits)

    def read_and_spoil(self, x: Run) -> Callable[[], None]:
        """What a use reads when it begins; what is called when it is complete."""
        if x.kind == "give":
            return lambda: None
        if x.kind == "take":
            self.results = {n: self.held[n].copy() for n in self.program.kernel.results}
            return lambda: None
        if x.kind == "signal":
            return lambda: None
        if x.use.state:
            key = (x.use.state, dict(x.use.sets).get(x.use.state, 0))
            self.states[key] = [self.cell(e, x.env) for e in x.use.cells]
            return lambda: None
        return self.computed(x)

    def cell(self, e: Any, env: Env) -> Any:
        return (e.name, *(number(i, env) for i in e.index)) if isinstance(e, Ref) else number(e, env)

    def computed(self, x: Run) -> Callable[[], None]:
        i, (statement,) = x.instruction, x.instruction.kernel.statements
        extents = {a.name: int(a.extent) for a in i.kernel.axes}
        points = np.indices(tuple(extents.values())).reshape(len(extents), prod(extents.values()))
        axes = dict(zip(extents, points, strict=True))
        active = np.ones(prod(extents.values()), bool)
        if (len(x.use.active), len(x.use.front)) != (len(i.active), len(i.front)):
            raise Wrong(f"{i.name} is given other numbers of active points")
        for given, of, keep in ((x.use.active, i.active, operator.lt), (x.use.front, i.front, operator.ge)):
            for e, (axis, _) in zip(given, of, strict=True):
                n = number(e, x.env)
                if not 0 <= n <= extents[axis]:
                    raise Wrong(f"{i.name} has {n} active points along {axis}")
                active &= keep(axes[axis], n)
        if active.any() or i.beyond != "kept":
            self.configured(x)
        places = dict(x.use.operands)
        if sorted(places) != sorted(o.name for o in i.operands):
            raise Wrong(f"{i.name} has other operands")
        code = {o: number(places[o].index[0], {}) if sp.sympify(places[o].index[0]).is_Integer else float(places[o].index[0])
                for o in i.immediates}  # fmt: skip
        for name, n in code.items():
            low, high = i.immediates[name]
            if not low <= n <= high:
                raise Wrong(f"{i.name}: {name} is {n}")
        where = self.places(x, code, axes, active)
        types = {t.name: str(t.dtype) for t in i.kernel.tensors}
        target = statement.target.tensor

        def read(e: Any) -> Typed:
            name = e.tensor
            found = np.full(active.sum(), code[name]) if name in code else where[name].get(where[name].at)
            wide = np.asarray(found, np.float32 if types[name] == "f32" else np.int64)
            plain = any(
                type(n).__name__ in ("Cast", "Saturate", "Round") for n in sp.preorder_traversal(statement.value)
            )
            return (wide, types[name]) if plain else (_wrapped(wide, types[target]), types[target])

        found, _ = value(statement.value, read)
        found = np.broadcast_to(_wrapped(found, types[target]), (int(active.sum()),))
        to = where[target]
        cells, of = np.unique(to.at, return_inverse=True)
        after = to.get(cells).astype(np.float32 if types[target] == "f32" else np.int64)
        if statement.op == "=":
            after[of] = found
        else:
            {"+": np.add, "max": np.maximum, "min": np.minimum}[statement.op].at(after, of, found)
        after = _wrapped(after, types[target], to.bits)
        cleared = (
            np.setdiff1d(to.beyond, cells) if statement.op == "=" and i.beyond == "zero" else np.zeros(0, np.int64)
        )
        for spoilt in (cells, cleared):
            to.put(spoilt, self.garbage(spoilt.size, to.kind))

        def complete() -> None:
            to.put(cells, after.astype(to.kind))
            to.put(cleared, 0)

        return complete

    def places(self, x: Run, code: Mapping[str, Any], axes: dict[str, Any], active: np.ndarray) -> dict[str, Cells]:
        """Of each operand in a memory; first of indices, which name cells of others."""
        i, (statement,) = x.instruction, x.instruction.kernel.statements
        where: dict[str, Cells] = {}
        indices = {a.tensor: a.index for a in statement.inputs}
        by_data = {o: any(map(_has_data, index)) for o, index in indices.items()}
        given = dict(x.use.operands)
        for o in sorted((o for o in i.operands if o.name not in code), key=lambda o: by_data.get(o.name, False)):
            named = dict(axes)
            if by_data.get(o.name):
                for n, of in where.items():
                    found = named[f"{n} at each point"] = np.zeros(active.shape, np.int64)
                    found[active] = np.nan_to_num(of.get(of.at)).astype(np.int64)
                sides = [e for e in (o.row, o.column) if e != 0]
                for side, e in zip(sides, indices[o.name], strict=True):
                    if str(side) not in axes:
                        named[str(side)] = np.broadcast_to(made(e)(named), active.shape)
            where[o.name] = self.place(x, o.name, given[o.name], named, active)
        return where

    def configured(self, x: Run) -> None:
        sets = dict(x.use.sets)
        for need in x.instruction.cells_needed:
            held = self.states.get((need.memory, sets.get(need.memory, 0)))
            wanted = self.cell(needed_value(x.use, need, {n: list(s) for n, s in self.shapes.items()}), x.env)
            if held is None or need.at(0) >= len(held) or held[need.at(0)] != wanted:
                raise Wrong(f"{x.instruction.name} finds another {need.memory}[{need.at(0)}]")

    def place(self, x: Run, operand: str, ref: Ref, axes: dict[str, Any], active: np.ndarray) -> Cells:
        i, machine = x.instruction, self.program.machine
        assert machine is not None
        (o,) = (o for o in i.operands if o.name == operand)
        kind = i.kernel.tensor(operand).dtype
        every = {**x.env, **axes}
        clears = i.beyond == "zero" and operand == i.kernel.statements[0].target.tensor
        looked = active | clears
        if o.row is None:
            if ref.name not in self.shapes or str(self.program.kernel.tensor(ref.name).dtype) != str(kind):
                raise Wrong(f"{operand} of {i.name} is no tensor of {kind}")
            shape = self.shapes[ref.name]
            if len(shape) != len(ref.index):
                raise Wrong(f"{ref.name} has other dimensions")
            try:
                index = [np.broadcast_to(made(e)(every), active.shape) for e in ref.index]
            except (KeyError, ZeroDivisionError) as error:
                raise Wrong(f"an index of {ref.name} has no value: {error!r}") from None
            at = np.zeros(active.shape, np.int64)
            for v, n in zip(index, shape, strict=True):
                if ((v < 0) | (v >= n))[looked].any():
                    raise Wrong(f"{i.name} reaches beyond {ref.name}")
                at = at * n + v
            self.steps(i, operand, axes, at, active)
            at = at * kind.bytes
            return Cells(self.held[ref.name].view(np.uint8), at[active], at[~active & looked], np.dtype(kind.numpy))
        b = self.buffers.get(ref.name)
        if b is None or b.memory != o.memory or len(ref.index) not in (1, 2):
            raise Wrong(f"{operand} of {i.name} lies in {o.memory}")
        memory = next(m for m in machine.memories if m.name == o.memory)
        columns = memory.row // kind.bytes
        if str(b.dtype) != str(kind):
            raise Wrong(f"{b.name} holds {b.dtype}, not {kind}")
        if memory.name not in self.held:
            self.held[memory.name] = self.rows_of_garbage(memory)
        slot, begins = number(ref.index[0], x.env), number(ref.index[1], x.env) if len(ref.index) == 2 else 0
        row, column = (np.broadcast_to(made(e)(every), active.shape) for e in (o.row, o.column))
        row = row + begins
        height, pieces = number(b.rows, {}), number(b.slots, {})
        beyond = (row < 0) | (slot * height + row >= pieces * height) | (column >= columns)
        if not 0 <= slot < pieces or beyond[looked].any():
            raise Wrong(f"{i.name} reaches beyond {b.name}")
        first = number(b.offset, {}) + slot * number(b.rows, {})
        if first < 0 or (first + row >= memory.rows)[looked].any():
            raise Wrong(f"{i.name} reaches beyond {memory.name}")
        at = (first + row) * memory.row + column * kind.bytes
        return Cells(self.held[memory.name], at[active], at[~active & looked], np.dtype(kind.numpy), memory.bits)

    def rows_of_garbage(self, memory: Any) -> np.ndarray:
        """The bytes of a memory: NaN in rows of floats."""
        found = self.garbage(memory.rows * memory.row, np.dtype(np.uint8)).reshape(memory.rows, memory.row)
        for b in self.buffers.values():
            if b.memory == memory.name and b.dtype.is_float:
                found[number(b.offset, {}) :][: number(b.slots, {}) * number(b.rows, {})] = 0xFF
        return found.reshape(-1)

    def steps(self, i: Instruction, operand: str, axes: dict[str, Any], at: np.ndarray, active: np.ndarray) -> None:
        """Elements lie apart as the instruction takes them: by numbers, or by strides that are the same for all."""
        if not active.any():
            return
        address = i.address(operand)
        index = [np.broadcast_to(made(e)(axes), active.shape)[active] for e in address.index]
        apart, moved = at[active] - at[active][0], [v - v[0] for v in index]
        for step, v in zip(address.steps, moved, strict=True):
            if not isinstance(step, str):
                apart = apart - int(step) * v
        free = [v for step, v in zip(address.steps, moved, strict=True) if isinstance(step, str)]
        if free:
            found = np.rint(np.linalg.lstsq(np.stack(free, 1).astype(float), apart.astype(float), rcond=None)[0])
            apart = apart - np.stack(free, 1) @ found.astype(np.int64)
        if apart.any():
            raise Wrong(f"{operand} of {i.name} does not lie at {address}")


def _chooser(draw: random.Random, engines: list[str]) -> Callable[[list[str]], str]:
    """Who goes on next: mostly the one that is favoured, or anybody but the one that is starved, or whoever is drawn."""
    rank, style = draw.sample(engines, len(engines)), draw.randrange(4)
    state = {"rank": rank}

    def choose(can: list[str]) -> str:
        if style == 3 or draw.randrange(RARELY) == 0:
            return draw.choice(can)
        if style == 1:
            return draw.choice([e for e in can if e != rank[0]] or can)
        if style == 2 and draw.randrange(20) == 0:
            state["rank"] = draw.sample(engines, len(engines))
        return min(can, key=state["rank"].index)

    return choose


def run(
    program: Program, arrays: Mapping[str, np.ndarray], sizes: Mapping[str, int], seed: int
) -> dict[str, np.ndarray]:
    """The results of one run. Raises Wrong."""
    machine = program.machine
    assert machine is not None
    m = Machine(program, dict(sizes), np.random.default_rng(seed))
    m.begin(arrays)
    queues: dict[str, list[Run]] = {e.name: [] for e in machine.engines}
    for x in m.issued(program.body, dict(sizes)):
        queues[x.engine].append(x)
    head, busy = dict.fromkeys(queues, 0), {}
    choose = _chooser(random.Random(seed), list(queues))
    while can := [e for e, q in queues.items() if e in busy or (head[e] < len(q) and m.ready(q[head[e]]))]:
        e = choose(can)
        if e not in busy:
            busy[e] = m.read_and_spoil(queues[e][head[e]])
            continue
        busy.pop(e)()
        for c in queues[e][head[e]].use.signals:
            m.counts[c] = m.counts.get(c, 0) + 1
        head[e] += 1
    if stuck := [e for e, q in queues.items() if head[e] < len(q)]:
        raise Wrong(f"{stuck[0]} waits for ever")
    found = m.results if m.results is not None else m.held
    return {n: found[n].reshape(m.shapes[n]) for n in program.kernel.results}


def differs(
    program: Program,
    arrays: Mapping[str, np.ndarray],
    sizes: Mapping[str, int],
    want: Mapping[str, np.ndarray],
    seeds: int = 3,
    near: float = 0.0,
) -> str:
    """What goes wrong in some of so many runs; '' for nothing. want: the results by name. near: how far from these results may be,
    as a part of them and of 1: functions such as exp are rounded here otherwise."""
    with np.errstate(all="ignore"):
        for seed in range(seeds):
            try:
                found = run(program, arrays, sizes, seed)
            except Wrong as error:
                return f"{dict(sizes)}, executor's seed {seed}: {error}"
            for name, right in want.items():
                if not same(found[name], right, near):
                    return f"{dict(sizes)}, executor's seed {seed}: another {name}"
    return ""


def same(found: np.ndarray, right: np.ndarray, near: float) -> bool:
    """Whether a result is the right one, or as near to it as is allowed."""
    floats = right.dtype.kind == "f"
    close = near and floats and np.allclose(found, right, near, near, equal_nan=True)
    return bool(close) or np.array_equal(found, right, equal_nan=floats)
