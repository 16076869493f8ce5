"""What a statement does, with the machine's arithmetic: values by NumPy over many points at once, exact per dtype.

Integers wrap; saturation clamps the exact integer; every floating-point operation is rounded to its type (bf16 and
f16 included). Functions are those of the table in isamap_smt.ir.heads. Points run in the order of the statement's
axes, so a reduction adds in that order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import sympy as sp

from isamap_encodings.scalar_values import ARITHMETIC, spanned
from isamap_smt.ir.activations import rounded
from isamap_smt.ir.convert import constant, converted
from isamap_smt.ir.dtypes import DTYPES, DType
from isamap_smt.ir.errors import SizeError
from isamap_smt.ir.expr import Element, elements, evaluate, held_as
from isamap_smt.ir.heads import applied
from isamap_smt.ir.indirect import Held
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.ir.scalar import (
    Abs,
    Cast,
    IndexValue,
    Read,
    Relu,
    Round,
    SAdd,
    Saturate,
    SDiv,
    Select,
    SMax,
    SMin,
    SMul,
    SNeg,
    SShr,
    SSub,
    Sum,
    Unary,
    reads,
)
from isamap_smt.ir.typed import comparison_kind, literal_kind, type_of

Array = np.ndarray
Env = dict[str, Any]  # axis -> its value at each point
Function = Callable[[Mapping[str, Array]], Array]
CHUNK = 1 << 17  # points evaluated at once

_BINARY: dict[type, Callable[..., Any]] = {
    SAdd: np.add, SSub: np.subtract, SMul: np.multiply, SDiv: np.divide, SMax: np.maximum, SMin: np.minimum,
}  # fmt: skip


def shifted(a: Array, b: Array) -> Array:
    """a >> b as SShr says, of arrays of one integer type, or of Python integers."""
    if np.dtype(object) in (a.dtype, b.dtype):
        return np.asarray(np.frompyfunc(ARITHMETIC["SShr"], 2, 1)(a, b), dtype=object)
    bits = 8 * a.dtype.itemsize
    inside = (b >= 0) & (b < bits)
    return np.where(inside, a >> np.where(inside, b, 0), -(a < 0).astype(a.dtype))


_BINARY[SShr] = shifted
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
    index = statement.target.index
    own = [r for r in reads(statement.value) if r.tensor == statement.target.tensor and not _apart(r.index, index)]
    if not own:
        return False
    moving = [i for i in index if not i.is_Integer]
    plain = {i.name for i in moving if i.is_Symbol}
    one_to_one = len(plain) == len(moving) and plain == {a.name for a in statement.axes}
    return not one_to_one or any(r.index != index for r in own)


def _apart(index: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """Whether some dimension has two different constants: this time step's element and the one before."""
    return any(a.is_Integer and b.is_Integer and a != b for a, b in zip(index, other, strict=True))


class Evaluator:
    """Values of scalar trees at many points. `arrays` holds every tensor by name, with the kernel's dtypes."""

    def __init__(self, kernel: Kernel, arrays: Mapping[str, Array]) -> None:
        self.arrays = arrays
        self._functions = Functions(kernel, {n: np.shape(a) for n, a in arrays.items()})

    def value(self, x: Any, env: Env, kind: DType) -> Array:
        """The value at each point, as an array of the type of x; literals take `kind`."""
        return self._functions.value(x, env, kind)(self.arrays)


class Functions:
    """Scalar trees at many points as functions of the arrays: what does not depend on elements is worked out once.

    shapes: of every tensor, by name. The arrays that a function is given are not changed, and it may return a view.
    """

    def __init__(self, kernel: Kernel, shapes: Mapping[str, tuple[int, ...]]) -> None:
        self.shapes = shapes
        self.types: dict[str, DType] = {t.name: t.dtype for t in kernel.tensors}

    def flat_index(self, tensor: str, index: tuple[Any, ...], env: Env) -> Array:
        """Offsets of tensor[index] in the flattened array. Raises SizeError naming the point that is outside."""
        shape = self.shapes[tensor]
        flat = np.zeros(env["#"].shape, dtype=np.int64)
        for d, (i, n) in enumerate(zip(index, shape, strict=True)):
            at = np.broadcast_to(np.asarray(evaluate(i, env)), flat.shape)
            outside = (at < 0) | (at >= n)
            if outside.any():
                raise _outside(tensor, d, i, n, at, env, int(np.argmax(outside)))
            flat = flat * n + at
        return flat

    def value(self, x: Any, env: Env, kind: DType) -> Function:
        """The value at each point, as an array of the type of x; literals take `kind`."""
        own = type_of(x, self.types) or kind
        match x:
            case Read():
                return self._read(x, env)
            case sp.Number():
                number = np.broadcast_to(constant(x, own), env["#"].shape)
                return lambda arrays: number
            case Cast():
                return self._cast(x, env)
            case IndexValue():
                return self._index_value(x.args[0], env, own)
            case Saturate():
                to = DTYPES[x.args[0].name]
                exact, _, _ = self._exact(x.args[1], env)
                return lambda arrays: np.clip(exact(arrays), to.low, to.high).astype(to.numpy)
            case Sum():
                return self._sum(x, env, own)
            case Select():
                return self._select(x, env, own)
            case SNeg():
                inner = self.value(x.args[0], env, own)
                return lambda arrays: np.negative(inner(arrays))
            case Relu():
                inner, zero = self.value(x.args[0], env, own), np.zeros((), own.numpy)
                return lambda arrays: np.maximum(inner(arrays), zero)
            case Round():
                to = DTYPES[x.args[0].name]
                found = self.value(x.args[1], env, DTYPES["f64"])
                return lambda arrays: rounded(found(arrays), to.low, to.high, to.numpy)
            case Unary():
                inner, head = self.value(x.args[0], env, own), type(x)
                return lambda arrays: applied(head, inner(arrays))
        a, b = (self.value(v, env, own) for v in x.args)
        operation = _BINARY[type(x)]
        return lambda arrays: operation(a(arrays), b(arrays))

    def _read(self, x: Any, env: Env) -> Function:
        if used := {e.tensor for e in elements(x.index)}:
            return lambda arrays: arrays[x.tensor].reshape(-1)[
                self.flat_index(x.tensor, x.index, env | {held_as(n): Held(arrays[n]) for n in used})
            ]
        name, flat = x.tensor, self.flat_index(x.tensor, x.index, env)
        if flat.size == int(np.prod(self.shapes[name])) and (flat == np.arange(flat.size)).all():
            return lambda arrays: arrays[name].reshape(-1)
        return lambda arrays: arrays[name].reshape(-1)[flat]

    def _index_value(self, x: Any, env: Env, own: DType) -> Function:
        """A symbol that is no axis names an array: its value at each point."""
        if x.is_Symbol and x.name not in env:
            return lambda arrays: converted(arrays[x.name], own)
        number = converted(np.broadcast_to(np.asarray(evaluate(x, env), dtype=np.int64), env["#"].shape), own)
        return lambda arrays: number

    def _cast(self, x: Any, env: Env) -> Function:
        to, inner = DTYPES[x.args[0].name], x.args[1]
        found = self.value(inner, env, literal_kind(inner, to))
        return lambda arrays: converted(found(arrays), to)

    def _sum(self, x: Any, env: Env, own: DType) -> Function:
        axis, count, body = x.args
        terms = [self.value(body, {**env, axis.name: np.asarray(n)}, own) for n in range(int(count))]

        def total(arrays: Mapping[str, Array]) -> Array:
            found = terms[0](arrays)
            for term in terms[1:]:
                found = np.add(found, term(arrays))
            return found

        return total

    def _select(self, x: Any, env: Env, own: DType) -> Function:
        condition = x.args[0]
        kind = comparison_kind(condition, self.types, own)
        a, b = (self.value(v, env, kind) for v in condition.args[1:])
        yes, no = (self.value(v, env, own) for v in x.args[1:])
        compare = _COMPARE[condition.args[0].name]
        return lambda arrays: np.where(compare(a(arrays), b(arrays)), yes(arrays), no(arrays))

    def _exact(self, x: Any, env: Env) -> tuple[Function, int, int]:
        """The exact integers at each point, and a range that holds them; Python integers where 64 bits might not do."""
        match x:
            case sp.Integer():
                number = np.full(env["#"].shape, int(x), dtype=object if abs(x) >= 1 << 62 else np.int64)
                return (lambda arrays: number), int(x), int(x)
            case Read() | Cast() | Saturate() | Round():
                v = self.value(x, env, DTYPES["i64"])
                kind = type_of(x, self.types)
                assert kind is not None
                wide = object if kind.high >= 1 << 63 else np.int64
                return (lambda arrays: v(arrays).astype(wide)), kind.low, kind.high
            case Sum():
                return self._exact_sum(x, env)
            case SNeg():
                v, low, high = self._exact(x.args[0], env)
                return (lambda arrays: -_wide(v(arrays), -high, -low)), -high, -low
            case Relu():
                v, low, high = self._exact(x.args[0], env)
                return (lambda arrays: np.maximum(v(arrays), 0)), max(low, 0), max(high, 0)
            case Abs():
                v, *ends = self._exact(x.args[0], env)
                low, high = spanned("Abs", ends)
                return (lambda arrays: np.abs(_wide(v(arrays), -high, high))), low, high
        if type(x).__name__ not in ARITHMETIC:
            raise TypeError(f"no exact meaning: {x!r}")
        (a, *ra), (b, *rb) = (self._exact(v, env) for v in x.args)
        low, high = spanned(type(x).__name__, ra, rb)
        operation = _BINARY[type(x)]
        return (lambda arrays: operation(_wide(a(arrays), low, high), _wide(b(arrays), low, high))), low, high

    def _exact_sum(self, x: Any, env: Env) -> tuple[Function, int, int]:
        axis, count, body = x.args
        terms, bounds = [], [(0, 0)]
        for n in range(int(count)):
            term, low, high = self._exact(body, {**env, axis.name: np.asarray(n)})
            terms.append(term)
            bounds.append((bounds[-1][0] + low, bounds[-1][1] + high))

        def total(arrays: Mapping[str, Array]) -> Array:
            found = terms[0](arrays)
            for term, (low, high) in zip(terms[1:], bounds[2:], strict=True):
                found = _wide(found, low, high) + _wide(term(arrays), low, high)
            return found

        return total, *bounds[-1]


def _outside(tensor: str, dimension: int, index: Any, extent: int, at: Array, env: Env, first: int) -> SizeError:
    """The error for the first point whose index leaves its dimension."""
    point = {
        a: int(np.broadcast_to(v, at.shape)[first]) for a, v in env.items() if a != "#" and not isinstance(v, Held)
    }
    where = ", ".join(f"{a}={v}" for a, v in point.items())
    if isinstance(index, Element):
        return SizeError(
            f"{index} is {at[first]} at {where}, and dimension {dimension} of {tensor} has {extent} elements; every element of "
            f"{index.tensor} must be in [0, {extent})"
        )
    return SizeError(
        f"{tensor}: index {index} of dimension {dimension} is {at[first]} at {where}, outside [0, {extent});\n"
        f"  correct the shape of {tensor}, or add a guard such as `where 0 <= {index} < {extent}`"
    )


def _wide(v: Array, low: int, high: int) -> Array:
    """v as Python integers when the result might not fit 64 bits."""
    return v if low >= -(1 << 63) and high < 1 << 63 else v.astype(object)
