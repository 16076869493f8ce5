"""What a statement does, with the machine's arithmetic: values by NumPy over many points at once, exact per dtype.

Integers wrap; saturation clamps the exact integer; every floating-point operation is rounded to its type (bf16 and
f16 included). exp, tanh and sigmoid are computed in f64 and rounded. Points run in the order of the statement's
axes, so a reduction adds in that order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import sympy as sp

from isamap_smt.ir.dtypes import DTYPES, DType
from isamap_smt.ir.errors import SizeError
from isamap_smt.ir.expr import evaluate
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.ir.scalar import (
    Cast,
    Exp,
    Read,
    Relu,
    SAdd,
    Saturate,
    SDiv,
    Select,
    Sigmoid,
    SMax,
    SMin,
    SMul,
    SNeg,
    SSub,
    Sum,
    Tanh,
    reads,
)
from isamap_smt.ir.typed import type_of

Array = np.ndarray
Env = dict[str, Any]  # axis -> its value at each point
CHUNK = 1 << 17  # points evaluated at once

_BINARY = {SAdd: np.add, SSub: np.subtract, SMul: np.multiply, SDiv: np.divide, SMax: np.maximum, SMin: np.minimum}
_COMPARE = {
    "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal, "==": np.equal, "!=": np.not_equal,
}  # fmt: skip


def points(statement: Statement, chunk: int) -> Iterator[Env]:
    """The points of the domain, in order, at most `chunk` at a time; points where the guard fails are left out."""
    extents = [int(a.extent) for a in statement.axes]
    total = int(np.prod(extents, dtype=object)) if extents else 1
    for start in range(0, total, chunk):
        ids = np.arange(start, min(start + chunk, total))
        values = np.unravel_index(ids, extents) if extents else ()
        env: Env = {a.name: v for a, v in zip(statement.axes, values, strict=True)}
        env["#"] = ids
        for relation in statement.guard:
            keep = np.broadcast_to(np.asarray(evaluate(relation, env), dtype=bool), env["#"].shape)
            if not keep.all():
                env = {n: v[keep] for n, v in env.items()}
        if env["#"].size:
            yield env


def needs_single_points(statement: Statement) -> bool:
    """Whether a point may read what an earlier point of the same statement wrote, other than its own element."""
    own = [r for r in reads(statement.value) if r.tensor == statement.target.tensor]
    if not own:
        return False
    index = statement.target.index
    plain = {i.name for i in index if i.is_Symbol}
    one_to_one = len(plain) == len(index) and plain == {a.name for a in statement.axes}
    return not one_to_one or any(r.index != index for r in own)


class Evaluator:
    """Values of scalar trees at many points. `arrays` holds every tensor by name, with the kernel's dtypes."""

    def __init__(self, kernel: Kernel, arrays: Mapping[str, Array]) -> None:
        self.arrays = arrays
        self.types: dict[str, DType] = {t.name: t.dtype for t in kernel.tensors}

    def flat_index(self, tensor: str, index: tuple[Any, ...], env: Env) -> Array:
        """Offsets of tensor[index] in the flattened array. Raises SizeError naming the point that is outside."""
        shape = self.arrays[tensor].shape
        flat = np.zeros(env["#"].shape, dtype=np.int64)
        for d, (i, n) in enumerate(zip(index, shape, strict=True)):
            at = np.broadcast_to(np.asarray(evaluate(i, env)), flat.shape)
            outside = (at < 0) | (at >= n)
            if outside.any():
                raise _outside(tensor, d, i, n, at, env, int(np.argmax(outside)))
            flat = flat * n + at
        return flat

    def value(self, x: Any, env: Env, kind: DType) -> Array:
        """The value at each point, as an array of the type of x; literals take `kind`."""
        own = type_of(x, self.types) or kind
        match x:
            case Read():
                return self.arrays[x.tensor].reshape(-1)[self.flat_index(x.tensor, x.index, env)]
            case sp.Integer() | sp.Float():
                number = int(x) if isinstance(x, sp.Integer) else float(x)
                return np.full(env["#"].shape, number).astype(own.numpy)
            case Cast():
                return self._cast(x, env)
            case Saturate():
                to = DTYPES[x.args[0].name]
                exact, _, _ = self._exact(x.args[1], env)
                return np.clip(exact, to.low, to.high).astype(to.numpy)
            case Sum():
                return self._sum(x, env, own)
            case Select():
                return self._select(x, env, own)
            case SNeg():
                return np.negative(self.value(x.args[0], env, own))
            case Relu():
                v = self.value(x.args[0], env, own)
                return np.maximum(v, np.zeros((), own.numpy))
            case Exp() | Tanh() | Sigmoid():
                return _smooth(x, self.value(x.args[0], env, own)).astype(own.numpy)
        a, b = (self.value(v, env, own) for v in x.args)
        return _BINARY[type(x)](a, b)

    def _cast(self, x: Any, env: Env) -> Array:
        to = DTYPES[x.args[0].name]
        inner = x.args[1]
        if type_of(inner, self.types) is None:
            return self.value(inner, env, to if to.is_float else _literal_kind(inner)).astype(to.numpy)
        return self.value(inner, env, to).astype(to.numpy)

    def _sum(self, x: Any, env: Env, own: DType) -> Array:
        axis, count, body = x.args
        total: Array | None = None
        for n in range(int(count)):
            term = self.value(body, {**env, axis.name: np.asarray(n)}, own)
            total = term if total is None else np.add(total, term)
        assert total is not None
        return total

    def _select(self, x: Any, env: Env, own: DType) -> Array:
        condition = x.args[0]
        kind = next((t for v in condition.args[1:] if (t := type_of(v, self.types))), own)
        a, b = (self.value(v, env, kind) for v in condition.args[1:])
        holds = _COMPARE[condition.args[0].name](a, b)
        return np.where(holds, *(self.value(v, env, own) for v in x.args[1:]))

    def _exact(self, x: Any, env: Env) -> tuple[Array, int, int]:
        """The exact integers at each point, and a range that holds them; Python integers where 64 bits might not do."""
        match x:
            case sp.Integer():
                return np.full(env["#"].shape, int(x), dtype=object if abs(x) >= 1 << 62 else np.int64), int(x), int(x)
            case Read() | Cast() | Saturate():
                v = self.value(x, env, DTYPES["i64"])
                kind = type_of(x, self.types)
                assert kind is not None
                return v.astype(object if kind.high >= 1 << 63 else np.int64), kind.low, kind.high
            case Sum():
                return self._exact_sum(x, env)
            case SNeg():
                v, low, high = self._exact(x.args[0], env)
                return -_wide(v, -high, -low), -high, -low
            case Relu():
                v, low, high = self._exact(x.args[0], env)
                return np.maximum(v, 0), max(low, 0), max(high, 0)
        (a, *ra), (b, *rb) = (self._exact(v, env) for v in x.args)
        corners = [_exact_operation(x, p, q) for p in ra for q in rb]
        low, high = min(corners), max(corners)
        return _BINARY[type(x)](_wide(a, low, high), _wide(b, low, high)), low, high

    def _exact_sum(self, x: Any, env: Env) -> tuple[Array, int, int]:
        axis, count, body = x.args
        total, low, high = self._exact(body, {**env, axis.name: np.asarray(0)})
        for n in range(1, int(count)):
            term, term_low, term_high = self._exact(body, {**env, axis.name: np.asarray(n)})
            low, high = low + term_low, high + term_high
            total = _wide(total, low, high) + _wide(term, low, high)
        return total, low, high


def _outside(tensor: str, dimension: int, index: Any, extent: int, at: Array, env: Env, first: int) -> SizeError:
    """The error for the first point whose index leaves its dimension."""
    point = {a: int(np.broadcast_to(v, at.shape)[first]) for a, v in env.items() if a != "#"}
    where = ", ".join(f"{a}={v}" for a, v in point.items())
    return SizeError(
        f"{tensor}: index {index} of dimension {dimension} is {at[first]} at {where}, outside [0, {extent});\n"
        f"  correct the shape of {tensor}, or add a guard such as `where 0 <= {index} < {extent}`"
    )


def _literal_kind(x: Any) -> DType:
    """A literal that is cast to an integer type: integers as they are, floats truncated."""
    return DTYPES["f64"] if isinstance(x, sp.Float) else DTYPES["i64"]


def _exact_operation(x: Any, a: int, b: int) -> int:
    match x:
        case SAdd():
            return a + b
        case SSub():
            return a - b
        case SMul():
            return a * b
        case SMax():
            return max(a, b)
        case SMin():
            return min(a, b)
    raise TypeError(f"no exact meaning: {x!r}")


def _wide(v: Array, low: int, high: int) -> Array:
    """v as Python integers when the result might not fit 64 bits."""
    return v if low >= -(1 << 63) and high < 1 << 63 else v.astype(object)


def _smooth(x: Any, v: Array) -> Array:
    v = v.astype(np.float64)
    match x:
        case Exp():
            return np.exp(v)
        case Tanh():
            return np.tanh(v)
    return 1 / (1 + np.exp(-v))
