"""A mapping carried out as a machine would: load the cells of live lanes, compute every lane, store the live output cells.

Nothing of the prover is used. Cells that no live lane loads hold the fill that the proof names (0 for sums). Of two cells
that hold one output element the later store wins; executions follow one another.
"""

from __future__ import annotations

from collections.abc import Mapping as Dict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.expr import evaluate
from isamap_smt.ir.interpret import run_instruction, run_kernel
from isamap_smt.ir.kernel import Access, Kernel
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.scalar import Cast, Read, SAdd, SMax, SMin, SMul, SSub

Array = np.ndarray
_COMBINE = {"+": np.add, "*": np.multiply, "max": np.maximum, "min": np.minimum}
_HEADS = {SAdd: np.add, SSub: np.subtract, SMul: np.multiply, SMax: np.maximum, SMin: np.minimum}


class Fault(Exception):
    """The machine did something that has no result: an access outside a tensor or a register, a division by zero."""


def fill(op: str) -> int:
    """What a cell holds that no live lane loads."""
    low, high = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    return {"*": 1, "max": int(low), "min": int(high)}.get(op, 0)


def grid(extents: Dict[str, int]) -> dict[str, Array]:
    """Every point of a box, lexicographic; '' numbers them."""
    total = int(np.prod([max(0, e) for e in extents.values()], dtype=np.int64))
    if total > 4_000_000:
        raise MemoryError(f"{total} points")
    shape = [max(0, e) for e in extents.values()]
    found = np.indices(shape).reshape(len(shape), total) if shape else np.zeros((0, total), np.int64)
    return {**dict(zip(extents, found.astype(np.int64), strict=True)), "": np.arange(total)}


def at(index: Sequence[Any], env: Dict[str, Any], shape: Sequence[int], n: int) -> Array:
    """The flat position of every point's element. Raises Fault outside the shape."""
    flat = np.zeros(n, np.int64)
    for e, extent in zip(index, shape, strict=True):
        with np.errstate(divide="raise", invalid="raise"):
            try:
                v = np.broadcast_to(np.asarray(evaluate(e, env)), (n,))
            except (FloatingPointError, ZeroDivisionError):
                raise Fault("division by zero") from None
        if n and (v.min() < 0 or v.max() >= extent):
            raise Fault(f"index {e} leaves a dimension of {extent}")
        flat = flat * extent + v
    return flat


def compute(value: Any, held: Dict[str, Array]) -> Array:
    """The value on int64 arrays by tensor name (modulo 2**64)."""
    match value:
        case Read():
            return held[value.tensor]
        case Cast():
            return compute(value.args[1], held)
        case _ if type(value) in _HEADS:
            a, b = (compute(x, held) for x in value.args)
            return _HEADS[type(value)](a, b)
    return np.int64(int(value))


@dataclass(frozen=True)
class Work:
    """A kernel at one vector of sizes, with random elements and the result it must have. All tensors are int64."""

    kernel: Kernel
    sizes: dict[str, int]
    statement: int = 0
    seed: int = 3

    @cached_property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        return {t.name: tuple(int(evaluate(e, self.sizes)) for e in t.shape) for t in self.kernel.tensors}

    @cached_property
    def elements(self) -> dict[str, Array]:
        """Flat arrays; odd and large, so that a wrong element or a lost or doubled product shows. Where the least or greatest
        counts, of both signs, or (other seeds) each tensor of one sign: a maximum of products is seldom negative else. Some of
        these are even: the least i64 times an odd number is itself, so that a filled cell would hide among odd ones."""
        rng = np.random.default_rng(self.seed)
        if self.kernel.statements[self.statement].op in "+*=":
            return {n: rng.integers(1, 1 << 40, max(0, int(np.prod(s)))) | 1 for n, s in self.shapes.items()}
        found = {n: rng.integers(-(1 << 20), 1 << 20, max(0, int(np.prod(s)))) | 1 for n, s in self.shapes.items()}
        if self.seed % 2:
            return found
        signs = {n: 1 - 2 * (self.seed // 2 >> k & 1) for k, n in enumerate(found)}
        return {n: signs[n] * (abs(v) + self.seed // 2 % 2) for n, v in found.items()}

    @cached_property
    def points(self) -> dict[str, Array]:
        """The points of the kernel's domain."""
        s = self.kernel.statements[self.statement]
        box = grid({a.name: int(evaluate(a.extent, self.sizes)) for a in s.axes})
        keep = np.ones(len(box[""]), bool)
        for g in s.guard:
            keep &= np.broadcast_to(evaluate(g, {**self.sizes, **box}), keep.shape)
        return {n: v[keep] for n, v in box.items() if n} | {"": np.arange(int(keep.sum()))}

    def position(self, access: Access, points: dict[str, Array]) -> Array:
        """Flat element of the access at every point."""
        return at(access.index, {**self.sizes, **points}, self.shapes[access.tensor], len(points[""]))

    @cached_property
    def where(self) -> dict[Access, Array]:
        """position() of every access at the domain's points."""
        s = self.kernel.statements[self.statement]
        return {a: self.position(a, self.points) for a in (s.target, *s.inputs)}

    @cached_property
    def want(self) -> Array:
        """The kernel's output, from the old one in `elements`."""
        s = self.kernel.statements[self.statement]
        result = self.elements[s.target.tensor].copy()
        values = _reads(s.value, {a: self.elements[a.tensor][p] for a, p in self.where.items()}, len(self.points[""]))
        _reduce(s.op, result, self.where[s.target], values)
        return result


def _reads(value: Any, by_access: dict[Access, Array], n: int) -> Array:
    match value:
        case Read():
            return by_access[Access(value.tensor, value.index)]
        case Cast():
            return _reads(value.args[1], by_access, n)
        case _ if type(value) in _HEADS:
            a, b = (_reads(x, by_access, n) for x in value.args)
            return _HEADS[type(value)](a, b)
    return np.full(n, int(value))


def _reduce(op: str, result: Array, where: Array, values: Array) -> None:
    if op == "=":
        result[where] = values
    else:
        _COMBINE[op].at(result, where, values)


@dataclass(frozen=True)
class Lanes:
    """Where every live lane stands. execution: its number; lane: its point in the instruction's box; elements: per
    access its flat element."""

    execution: Array
    lane: Array
    elements: dict[Access, Array]


def run(work: Work, mapping_or_family: Any, binding: tuple[tuple[str, Access], ...], lanes: Lanes) -> Array:
    """The output after every execution. Raises Fault."""
    instruction = mapping_or_family.instruction
    contract = instruction.kernel.statements[0]
    index = {a.tensor: a.index for a in (contract.target, *contract.inputs)}
    box = grid(instruction.axes)
    n = len(box[""])
    used, execution = np.unique(lanes.execution, return_inverse=True)
    execution = execution.reshape(-1)
    out = contract.target.tensor
    values, cell_of = {}, {}
    for operand, access in binding:
        shape = tuple(int(e) for e in instruction.kernel.tensor(operand).shape)
        cell_of[operand] = at(index[operand], box, shape, n)
        cells = int(np.prod(shape, dtype=np.int64))
        start, source = (-1, lanes.elements[access]) if operand == out else (
            fill(contract.op), work.elements[access.tensor][lanes.elements[access]])  # fmt: skip
        held = np.full((len(used), cells), start, np.int64)
        held[execution, cell_of[operand][lanes.lane]] = source
        if operand == out:
            home = held
        else:
            values[operand] = held[:, cell_of[operand]]
    product = np.broadcast_to(compute(contract.value, values), (len(used), n))
    return _stored(work, contract.op, home, cell_of[out], product)


def _stored(work: Work, op: str, home: Array, cell_of: Array, product: Array) -> Array:
    """The output: lanes summed into their cells, cells stored to the elements that live lanes gave them."""
    count, cells = home.shape
    total = np.full((count, cells), fill(op), np.int64)
    rows = np.broadcast_to(np.arange(count)[:, None], product.shape)
    columns = np.broadcast_to(cell_of[None, :], product.shape)
    if op == "=":
        total[rows, columns] = product
    else:
        _COMBINE[op].at(total, (rows, columns), product)
    statement = work.kernel.statements[work.statement]
    result = work.elements[statement.target.tensor].copy()
    live = home >= 0
    number = np.nonzero(live.reshape(-1))[0]
    key = (number // cells) * len(result) + home.reshape(-1)[number]
    _, last = np.unique(key[::-1], return_index=True)  # of equal keys the last one
    chosen = np.sort(len(key) - 1 - last)
    flat = number[chosen]
    _reduce(op, result, home.reshape(-1)[flat], total.reshape(-1)[flat])
    return result


def placed(work: Work, m: Mapping) -> Lanes:
    """The live lanes of any mapping, by its own loops, guard and forward expressions. Raises Fault."""
    sizes = work.sizes
    outer = {a.name: int(evaluate(a.extent, sizes)) for a in m.outer}
    box = grid({**outer, **m.instruction.axes})
    n = len(box[""])
    keep = np.ones(n, bool)
    with np.errstate(divide="raise", invalid="raise"):
        try:
            for g in m.guard:
                keep &= np.broadcast_to(evaluate(g, {**sizes, **box}), (n,))
            live = {k: v[keep] for k, v in box.items()}
            count = int(keep.sum())
            image = {
                a: np.broadcast_to(np.asarray(evaluate(e, {**sizes, **live})), (count,)).astype(np.int64)
                for a, e in m.forward
            }
        except (FloatingPointError, ZeroDivisionError):
            raise Fault("division by zero") from None
    image[""] = np.arange(count)
    lanes = int(np.prod(list(m.instruction.axes.values()), dtype=np.int64))
    return Lanes(
        live[""] // lanes,
        live[""] % lanes,
        {a: work.position(a, image) for a in {a for _, a in m.binding}},
    )


def clashes(m: Any, binding: tuple[tuple[str, Access], ...], lanes: Lanes) -> bool:
    """Whether one execution has a cell with two elements, or two output cells with one element."""
    contract = m.instruction.kernel.statements[0]
    index = {a.tensor: a.index for a in (contract.target, *contract.inputs)}
    box = grid(m.instruction.axes)
    for operand, access in binding:
        shape = tuple(int(e) for e in m.instruction.kernel.tensor(operand).shape)
        cell = at(index[operand], box, shape, len(box[""]))[lanes.lane]
        element = lanes.elements[access]
        both = len(np.unique(np.stack([lanes.execution, cell, element]), axis=1).T)
        if both > len(np.unique(np.stack([lanes.execution, cell]), axis=1).T):
            return True
        stored = operand == contract.target.tensor
        if stored and both > len(np.unique(np.stack([lanes.execution, element]), axis=1).T):
            return True
    return False


def right(work: Work, m: Mapping) -> bool:
    """Whether executing the mapping gives the kernel's result."""
    try:
        return bool(np.array_equal(run(work, m, m.binding, placed(work, m)), work.want))
    except Fault:
        return False


def fused(work: Work, family: Any, code: Sequence[int]) -> Lanes:
    """The live lanes of a candidate of the fuse family, from its codes alone (0: a loop outside, g + 1: axis g)."""
    extents = {a.name: int(evaluate(a.extent, work.sizes)) for a in work.kernel.statements[work.statement].axes}
    n = len(work.points[""])
    execution, lane = np.zeros(n, np.int64), np.zeros(n, np.int64)
    for k, a in enumerate(family.axes):
        if code[k] == 0:
            execution = execution * extents[a] + work.points[a]
    for g, (_, size) in enumerate(family.points):
        f, total = np.zeros(n, np.int64), 1
        for k, a in enumerate(family.axes):
            if code[k] == g + 1:
                f = f * extents[a] + work.points[a]
                total *= extents[a]
        execution = execution * (total // size + 1) + f // size
        lane = lane * size + f % size
    return Lanes(execution, lane, work.where)


def right_fused(work: Work, family: Any, code: Sequence[int], binding: int) -> bool:
    """right() for a candidate, without making its Mapping."""
    try:
        return bool(np.array_equal(run(work, family, family.bindings[binding], fused(work, family, code)), work.want))
    except Fault:
        return False


def typed_right(m: Mapping, sizes: dict[str, int], seed: int) -> bool:
    """Whether the mapping gives the kernel's sums bit for bit in their own types, with the instruction as it really is.

    Integers are drawn from the ends of their types (or of the ranges that the kernel assumes), floating-point numbers are
    small integers, which sum exactly in any order.
    """
    s = m.statement
    if s.op != "+" or m.instruction.kernel.statements[0].op != "+":
        return False
    for operand, access in m.binding:
        if m.instruction.kernel.tensor(operand).dtype != m.kernel.tensor(access.tensor).dtype:
            return False
    work, rng = Work(m.kernel, sizes, m.statement_index), np.random.default_rng(seed)
    kernel = _alone(m)
    own = {n: size for n, size in sizes.items() if n in kernel.free_sizes}
    arrays = {t.name: _extremes(kernel, t, work.shapes[t.name], rng) for t in kernel.tensors}
    out = s.target.tensor
    try:
        lanes = placed(work, m)
        want = run_kernel(kernel, {n: a for n, a in arrays.items() if n != out}, {out: arrays[out]}, own)[out]
    except (Fault, IsamapError, IndexError):
        return False
    return bool(np.array_equal(want, _typed_output(work, m, lanes, arrays)))


def _alone(m: Mapping) -> Kernel:
    """The mapped statement as a kernel of its own; what an earlier statement leaves is an input like any other."""
    tensors = {m.statement.target.tensor, *(access.tensor for access in m.statement.inputs)}
    return replace(
        m.kernel,
        statements=(m.statement,),
        tensors=tuple(t for t in m.kernel.tensors if t.name in tensors),
        ranges=tuple(r for r in m.kernel.ranges if r[0] in tensors),
        temporaries=(),
    )


def _extremes(kernel: Kernel, t: Any, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    if t.dtype.is_float:
        return rng.integers(-3, 4, shape).astype(t.dtype.numpy)
    low, high = next(((a, b) for n, a, b in kernel.ranges if n == t.name), (t.dtype.low, t.dtype.high))
    ends = np.array([low, high, low, high, (low + high) // 2, min(max(1, low), high)], dtype=t.dtype.numpy)
    return ends[rng.integers(0, len(ends), shape)]


def _typed_output(work: Work, m: Mapping, lanes: Lanes, arrays: dict[str, Array]) -> Array:
    contract = m.instruction.kernel.statements[0]
    index = {a.tensor: a.index for a in (contract.target, *contract.inputs)}
    box = grid(m.instruction.axes)
    used, execution = np.unique(lanes.execution, return_inverse=True)
    execution = execution.reshape(-1)
    out, batch, home = contract.target.tensor, {}, np.zeros(0, np.int64)
    for operand, access in m.binding:
        t = m.instruction.kernel.tensor(operand)
        shape = tuple(int(e) for e in t.shape)
        cell = at(index[operand], box, shape, len(box[""]))[lanes.lane]
        cells = int(np.prod(shape, dtype=np.int64))
        if operand == out:
            home = np.full((len(used), cells), -1, np.int64)
            home[execution, cell] = lanes.elements[access]
            batch[operand] = np.zeros((len(used), *shape), t.dtype.numpy)
        else:
            held = np.zeros((len(used), cells), t.dtype.numpy)
            held[execution, cell] = arrays[access.tensor].reshape(-1)[lanes.elements[access]]
            batch[operand] = held.reshape(len(used), *shape)
    result = arrays[m.statement.target.tensor].copy()
    if not len(used):
        return result
    total = run_instruction(m.instruction, batch)[out].reshape(home.shape)
    flat = result.reshape(-1)
    for e in range(len(used)):
        live = home[e] >= 0
        last = dict(zip(home[e][live].tolist(), total[e][live], strict=True))
        for element, value in last.items():
            with np.errstate(over="ignore"):
                flat[element] += value
    return result


__all__ = ["Fault", "Lanes", "Work", "clashes", "fused", "placed", "right", "right_fused", "run", "typed_right"]
