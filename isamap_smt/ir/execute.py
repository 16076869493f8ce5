"""What a lowered program does, run in NumPy with poisoned memory.

Every cell of a buffer is poison from its Alloc until something is written to it. Poison spreads through loads, stores
and executions; a result that depends on it is a finding. So are an access outside a tensor or buffer, a write to an
input, lanes that are not consecutive in memory, and two iterations of a parallel loop that touch the same element.
Whether an execution depends on a poisoned operand is decided by running it with two different fillings: zero times
anything is clean for integers and is not for floating point.
"""

from __future__ import annotations

from collections.abc import Mapping as Dict
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.errors import SizeError
from isamap_smt.ir.expr import evaluate
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.interpret import neutral
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.lanes import Cells, execute
from isamap_smt.ir.pointwise import pointwise
from isamap_smt.ir.program import Alloc, Compute, Copy, Exec, If, Loop, Move, Node, Program, Ref

POISON, BOUNDS, WRITE, LANES, RACE, UNDEFINED = "poison", "bounds", "write", "lanes", "race", "undefined"


@dataclass(frozen=True)
class Finding:
    """Something a correct program never does: poison, bounds, write, lanes, race or undefined. where: loop variables."""

    kind: str
    text: str
    where: Dict[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        at = " ".join(f"{k}={v}" for k, v in self.where.items())
        return f"{self.kind}: {self.text}" + (f" at {at}" if at else "")


@dataclass(frozen=True)
class Run:
    """outputs by tensor name; poison masks of the same shapes; findings in the order they happened."""

    outputs: Dict[str, np.ndarray]
    poisoned: Dict[str, np.ndarray]
    findings: tuple[Finding, ...]

    @property
    def clean(self) -> bool:
        """Whether nothing was found."""
        return not self.findings


class _Stop(Exception):
    """Execution cannot go on meaningfully after this finding."""


@dataclass
class _Array:
    """One array in memory. tracks: parallel loop instance -> (last writer, last reader) per element."""

    name: str
    data: np.ndarray
    poison: np.ndarray
    dtype: DType
    level: int = 0
    readonly: bool = False
    tracks: dict[int, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)


def run_program(
    program: Program,
    arrays: Dict[str, np.ndarray],
    out: Dict[str, np.ndarray] | np.ndarray | None = None,
    sizes: Dict[str, int] | None = None,
    poison: bool = True,
    seed: int = 0,
) -> Run:
    """Run `ahead`, then `body`. Outputs start at `out`, or at the reduction's neutral element; inputs are not changed.

    Free sizes are read off the arrays' shapes where a dimension is a size by itself; the others come from `sizes`.
    Parallel loops run in an order drawn from `seed`. With poison=False memory starts as zeros and poison is not
    reported. Raises SizeError when a size is unknown or an array's shape does not fit the kernel.
    """
    env = _sizes(program.kernel, arrays, dict(sizes or {}))
    machine = _Machine(program, env, poison, seed)
    machine.bind(arrays, out)
    findings = machine.findings
    try:
        machine.body((*program.ahead, *program.body), dict(env))
    except _Stop:
        pass
    except KeyError as e:
        findings.append(Finding(UNDEFINED, f"nothing defines {e.args[0]} where it is used"))
    held = {n: machine.memory[n] for n in program.kernel.outputs}
    for name, array in held.items():
        if poison and array.poison.any():
            where = tuple(int(i) for i in np.argwhere(array.poison)[0])
            findings.append(Finding(POISON, f"{name}{list(where)} depends on memory nobody wrote"))
    return Run({n: a.data for n, a in held.items()}, {n: a.poison for n, a in held.items()}, tuple(findings))


def _sizes(kernel: Kernel, arrays: Dict[str, np.ndarray], env: dict[str, int]) -> dict[str, int]:
    for t in kernel.tensors:
        if t.name in arrays:
            for e, n in zip(t.shape, np.shape(arrays[t.name]), strict=False):
                if getattr(e, "is_Symbol", False):
                    env.setdefault(e.name, int(n))
    missing = sorted({*kernel.free_sizes, *(p.name for p in kernel.parameters)} - set(env))
    if missing:
        raise SizeError(f"{kernel.name} needs a value for {', '.join(missing)}; pass sizes=")
    return env


class _Machine:
    """The state of one run."""

    def __init__(self, program: Program, env: dict[str, int], poison: bool, seed: int) -> None:
        self.program, self.env, self.poisoning = program, env, poison
        self.random = np.random.default_rng(seed)
        self.memory: dict[str, _Array] = {}
        self.findings: list[Finding] = []
        self.parallel: list[tuple[int, int]] = []  # (instance, iteration) of the parallel loops being run
        self.instances = 0

    def bind(self, arrays: Dict[str, np.ndarray], out: Dict[str, np.ndarray] | np.ndarray | None) -> None:
        """Make the kernel's tensors arrays in memory."""
        kernel = self.program.kernel
        ops = {s.target.tensor: s.op for s in kernel.statements}
        given = out if isinstance(out, Dict) else {} if out is None else {kernel.outputs[0]: out}
        for t in kernel.tensors:
            shape = tuple(int(evaluate(e, self.env)) for e in t.shape)
            if t.name in ops:
                data = given.get(t.name)
                data = np.full(shape, neutral(ops[t.name], t.dtype), t.dtype.numpy) if data is None else data.copy()
            else:
                data = np.ascontiguousarray(arrays[t.name], dtype=t.dtype.numpy)
            if data.shape != shape:
                raise SizeError(f"{t.name} has shape {data.shape}, the kernel needs {shape}")
            self.memory[t.name] = _Array(t.name, data, np.zeros(shape, bool), t.dtype, readonly=t.name not in ops)

    def find(self, kind: str, text: str, env: Dict[str, Any], stop: bool = True) -> None:
        """Note a finding; stop when going on would only repeat it or crash."""
        where = {k: int(v) for k, v in env.items() if not isinstance(v, np.ndarray)}
        self.findings.append(Finding(kind, text, where))
        if stop:
            raise _Stop

    def body(self, nodes: tuple[Node, ...], env: dict[str, Any]) -> None:
        """Run nodes in order; buffers allocated here end with the body."""
        before = dict(self.memory)
        for node in nodes:
            self.node(node, env)
        self.memory = before

    def node(self, node: Node, env: dict[str, Any]) -> None:
        match node:
            case Alloc():
                self.alloc(node, env)
            case Loop():
                self.loop(node, env)
            case If():
                if all(evaluate(c, env) for c in node.condition):
                    self.body(node.body, env)
            case Copy():
                self.copy(node, env)
            case Move():
                self.move(node, env)
            case Exec():
                self.exec(node, env)
            case Compute():
                self.compute(node, env)

    def alloc(self, node: Alloc, env: dict[str, Any]) -> None:
        b = node.buffer
        shape = tuple(max(0, int(evaluate(e, env))) for e in b.shape)
        fill = np.zeros(shape, b.dtype.numpy)
        if self.poisoning:
            fill = garbage(shape, b.dtype, self.random)
        poison = np.full(shape, self.poisoning)
        self.memory[b.name] = _Array(b.name, fill, poison, b.dtype, len(self.parallel))

    def loop(self, node: Loop, env: dict[str, Any]) -> None:
        count = int(evaluate(node.count, env))
        order = range(count)
        if node.kind != "parallel":
            for v in order:
                self.body(node.body, {**env, node.var.name: v})
            return
        self.instances += 1
        instance = self.instances
        for v in self.random.permutation(count):
            self.parallel.append((instance, int(v)))
            self.body(node.body, {**env, node.var.name: int(v)})
            self.parallel.pop()
        for array in self.memory.values():
            array.tracks.pop(instance, None)

    def copy(self, node: Copy, env: dict[str, Any]) -> None:
        points = grid(node.over, env)
        inside = _vector(True, points)
        for g in node.guard:
            inside = inside & np.asarray(evaluate(g, points), bool)
        src, dst = self.place(node.src), self.place(node.dst)
        here = tuple(_vector(evaluate(i, points), points) for i in node.src.index)
        value, poison = self.read(src, here, inside, env)
        fill = np.asarray(-0.0 if node.fill == "-0" else 0).astype(src.dtype.numpy)
        value, poison = np.where(inside, value, fill), poison & inside
        to = tuple(_vector(evaluate(i, points), points) for i in node.dst.index)
        self.write(dst, to, value, poison, inside if node.fill == "" else _vector(True, points), env)

    def move(self, node: Move, env: dict[str, Any]) -> None:
        cells = Cells.of(node.instruction.kernel)
        points = {**env, **cells.points}
        active = _vector(True, cells.points)
        if node.active is not None:
            active = cells.first < int(evaluate(node.active, env))
        register = self.place(node.register)
        lead = tuple(_vector(evaluate(i, env), cells.points) for i in node.register.index)
        kind = node.instruction.kind
        own = cells.read if kind == "store" else cells.target
        lane = (*lead, *own)
        if node.memory is None:
            zero = np.zeros(len(active), register.dtype.numpy)
            self.write(register, lane, zero, np.zeros(len(active), bool), _vector(True, cells.points), env)
            return
        memory = self.place(node.memory)
        at = tuple(_vector(evaluate(i, points), cells.points) for i in node.memory.index)
        self.lanes(node.instruction, memory, at, cells.target if kind == "store" else cells.read, active, env)
        if kind == "store":
            value, poison = self.read(register, lane, active, env)
            self.write(memory, at, value, poison, active, env)
            return
        value, poison = self.read(memory, at, active, env)
        value = np.where(active, value, np.zeros((), memory.dtype.numpy))
        self.write(register, lane, value, poison & active, _vector(True, cells.points), env)

    def lanes(
        self, instruction: Instruction, memory: _Array, at: tuple[np.ndarray, ...],
        own: tuple[np.ndarray, ...], active: np.ndarray, env: dict[str, Any],
    ) -> None:  # fmt: skip
        """The instruction reaches its memory operand through one pointer: addresses must be that of its own cells."""
        if not active.any():
            return
        flat = _flat(at, memory.data.shape)
        m = instruction.kernel.statements[0]
        name = m.target.tensor if instruction.kind == "store" else m.inputs[0].tensor
        shape = tuple(int(e) for e in instruction.kernel.tensor(name).shape)
        if (((flat - flat[0]) != _flat(own, shape) - _flat(own, shape)[0]) & active).any():
            self.find(LANES, f"{instruction.short}: lanes are not consecutive in {memory.name}", env, stop=False)

    def exec(self, node: Exec, env: dict[str, Any]) -> None:
        """Two runs with different fillings of poisoned cells tell what the result depends on."""
        target = node.instruction.kernel.statements[0].target.tensor
        values: dict[str, np.ndarray] = {}
        poison: dict[str, np.ndarray] = {}
        for operand, ref in node.operands:
            array = self.place(ref)
            lead = tuple(int(evaluate(i, env)) for i in ref.index)
            cells = tuple(int(e) for e in node.instruction.kernel.tensor(operand).shape)
            if array.data.shape[len(lead) :] != cells:
                self.find(BOUNDS, f"{ref.name}{list(lead)} is no register of shape {list(cells)}", env)
            if any(not 0 <= i < n for i, n in zip(lead, array.data.shape, strict=False)):
                self.find(BOUNDS, f"{ref.name}{list(lead)}: no such register", env)
            self.note(array, tuple(np.asarray([i]) for i in lead), operand == target, env)
            values[operand], poison[operand] = np.asarray(array.data[lead]), np.asarray(array.poison[lead])
        result = execute(node.instruction, values)
        dirty = np.zeros(result.shape, bool)
        if any(p.any() for p in poison.values()):
            other = {o: np.where(poison[o], _another(v), v).astype(v.dtype) for o, v in values.items()}
            again = execute(node.instruction, other)
            dirty = _bits(again) != _bits(result)
        ref = dict(node.operands)[target]
        array = self.place(ref)
        lead = tuple(int(evaluate(i, env)) for i in ref.index)
        array.data[lead], array.poison[lead] = result, dirty

    def compute(self, node: Compute, env: dict[str, Any]) -> None:
        """Two runs with different fillings of poisoned elements tell whether the result depends on them."""
        function = pointwise(self.program.kernel, node.statement)
        one = np.ones(1, bool)

        def at(ref: Ref) -> tuple[np.ndarray, ...]:
            return tuple(np.asarray([int(evaluate(i, env))]) for i in ref.index)

        found = [self.read(self.place(r), at(r), one, env) for r in node.reads]
        value = function.value([v for v, _ in found])
        other = function.value([np.where(p, _another(v), v).astype(v.dtype) for v, p in found])
        dirty = _bits(other) != _bits(value)
        dst = self.place(node.dst)
        if function.op != "=":
            old, spoiled = self.read(dst, at(node.dst), one, env)
            value, dirty = function.reduce(old, value), dirty | spoiled
        self.write(dst, at(node.dst), value, dirty, one, env)

    def place(self, ref: Ref) -> _Array:
        return self.memory[ref.name]

    def note(self, array: _Array, at: tuple[np.ndarray, ...], write: bool, env: dict[str, Any]) -> None:
        """Race detection: who touched these elements in another iteration of a parallel loop around us?"""
        for depth, (instance, iteration) in enumerate(self.parallel):
            if array.level > depth:
                continue
            shape = array.data.shape
            if instance not in array.tracks:
                array.tracks[instance] = (np.full(shape, -1), np.full(shape, -1))
            writer, reader = array.tracks[instance]
            clash = (writer[at] >= 0) & (writer[at] != iteration)
            if write:
                clash = clash | ((reader[at] != -1) & (reader[at] != iteration))
            if clash.any():
                self.find(RACE, f"two iterations of a parallel loop touch the same element of {array.name}", env)
            if write:
                writer[at] = iteration
            else:
                reader[at] = np.where((reader[at] == -1) | (reader[at] == iteration), iteration, -2)

    def read(
        self, array: _Array, at: tuple[np.ndarray, ...], where: np.ndarray, env: dict[str, Any]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Values and poison at `at` where `where`; elsewhere zero and clean."""
        self.check(array, at, where, env)
        data, poison = np.zeros(len(where), array.dtype.numpy), np.zeros(len(where), bool)
        inside = tuple(i[where] for i in at)
        data[where], poison[where] = array.data[inside], array.poison[inside]
        self.note(array, inside, False, env)
        return data, poison

    def write(
        self, array: _Array, at: tuple[np.ndarray, ...], value: np.ndarray, poison: np.ndarray,
        where: np.ndarray, env: dict[str, Any],
    ) -> None:  # fmt: skip
        self.check(array, at, where, env)
        if array.readonly and where.any():
            self.find(WRITE, f"{array.name} is an input and is written", env)
        inside = tuple(i[where] for i in at)
        written, spoiled = value[where].astype(array.dtype.numpy), poison[where]
        if inside:
            array.data[inside], array.poison[inside] = written, spoiled
        elif len(written):  # a tensor without dimensions has one element, and the last writer wins
            array.data[()], array.poison[()] = written[-1], spoiled[-1]
        self.note(array, inside, True, env)

    def check(self, array: _Array, at: tuple[np.ndarray, ...], where: np.ndarray, env: dict[str, Any]) -> None:
        shape = array.data.shape
        if len(at) != len(shape):
            self.find(BOUNDS, f"{array.name} has {len(shape)} dimensions, not {len(at)}", env)
        for d, (i, n) in enumerate(zip(at, shape, strict=True)):
            bad = where & ((i < 0) | (i >= n))
            if bad.any():
                element = [int(x[bad.argmax()]) for x in at]
                self.find(BOUNDS, f"{array.name}{element} is outside its shape {list(shape)} (dimension {d})", env)


def grid(over: tuple[tuple[Any, Any], ...], env: dict[str, Any]) -> dict[str, Any]:
    """env with one vector per symbol of `over`: all points, outermost first; counts may mention earlier symbols."""
    points: dict[str, np.ndarray] = {}
    length = 1
    for symbol, count in over:
        counts = np.broadcast_to(np.asarray(evaluate(count, {**env, **points})), (length,)).clip(min=0)
        repeat = np.repeat(np.arange(length), counts)
        starts = np.cumsum(counts) - counts
        points = {k: v[repeat] for k, v in points.items()}
        points[symbol.name] = np.arange(len(repeat)) - np.repeat(starts, counts)
        length = len(repeat)
    return {**env, **points, "": np.arange(length)}


def garbage(shape: tuple[int, ...], dtype: DType, random: np.random.Generator) -> np.ndarray:
    """What uninitialised memory may hold."""
    if dtype.is_float:
        return np.asarray(1000 + random.random(shape)).astype(dtype.numpy)
    low, high = max(dtype.low, -(2**62)), min(dtype.high, 2**62)
    return np.asarray(random.integers(low, high, shape, endpoint=True)).astype(dtype.numpy)


def _another(x: np.ndarray) -> np.ndarray:
    """A second filling, different in every cell: NaN, or each cell plus another odd number."""
    if x.dtype.kind in "iu":
        return x + (2 * np.arange(x.size).reshape(x.shape) + 1).astype(x.dtype)
    return np.full_like(x, np.nan)


def _vector(x: Any, points: Dict[str, Any]) -> np.ndarray:
    """x as a vector with one entry per point."""
    return np.broadcast_to(np.asarray(x), (len(points[""]),))


def _flat(at: tuple[np.ndarray, ...], shape: tuple[int, ...]) -> np.ndarray:
    total: Any = np.zeros_like(at[0]) if at else np.zeros(1, int)
    for i, n in zip(at, shape, strict=True):
        total = total * n + i
    return total


def _bits(x: np.ndarray) -> np.ndarray:
    """The array's bit patterns, so that NaN equals itself and -0 differs from 0."""
    return np.asarray(x, order="C").view(f"u{x.dtype.itemsize}")


__all__ = ["Finding", "Run", "garbage", "run_program"]
