"""The effect of a statement under the machine's arithmetic: NumPy values of many points at once, exact per dtype.

Integers wrap; saturation clamps the exact integer; every floating-point operation is rounded to its type (bf16 and f16
included). Functions are those of the table in isamap_smt.ir.heads. Points run in the order of the statement's axes, so
a reduction adds in that order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from typing import Any, ClassVar

import numpy as np
import sympy as sp

from isamap_encodings.scalar_values import COMPARE, EXACTLY, spanned
from isamap_smt.ir.activations import rounded
from isamap_smt.ir.convert import constant, converted
from isamap_smt.ir.dtypes import DTYPES, DType
from isamap_smt.ir.errors import SizeError
from isamap_smt.ir.expr import elements, evaluate, held_as
from isamap_smt.ir.heads import HEADS, special
from isamap_smt.ir.indirect import Held
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.ir.meaning import Fold, Meaning, Rows
from isamap_smt.ir.scalar import Cast, Constant, IndexValue, Read, Round, SAdd, Saturate, Scalar, Select, Sum, reads
from isamap_smt.ir.typed import type_of

Array = np.ndarray
Env = dict[str, Any]  # axis -> its value at each point
Function = Callable[[Mapping[str, Array]], Array]
_Exact = tuple[Function, int, int]  # exact integers at each point, and a range that holds them
CHUNK = 1 << 17  # points evaluated at once


def points(statement: Statement, chunk: int) -> Iterator[Env]:
    """The points of the domain, in order, at most `chunk` at a time; points with a false guard are left out."""
    extents = [int(a.extent) for a in statement.axes]
    total = int(np.prod(extents, dtype=object)) if extents else 1
    for start in range(0, total, chunk):
        ids = np.arange(start, min(start + chunk, total))
        values = np.unravel_index(ids, extents) if extents else ()  # of one array: the values of an axis lie apart
        env: Env = {a.name: np.ascontiguousarray(v) for a, v in zip(statement.axes, values, strict=True)}
        env["#"] = ids
        for relation in statement.guard:
            keep = np.broadcast_to(np.asarray(evaluate(relation, env), dtype=bool), env["#"].shape)
            if not keep.all():
                env = {n: v[keep] for n, v in env.items()}
        if env["#"].size:
            yield env


def needs_single_points(statement: Statement) -> bool:
    """Whether a point may read another element written by an earlier point of the same statement."""
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
    """Scalar trees at many points as functions of the arrays. Parts independent of elements are worked out once.

    shapes: of every tensor, by name. The functions leave their arrays unchanged, and may return a view.
    """

    def __init__(self, kernel: Kernel, shapes: Mapping[str, tuple[int, ...]]) -> None:
        self.shapes = shapes
        self.types: dict[str, DType] = {t.name: t.dtype for t in kernel.tensors}

    def flat_index(self, tensor: str, index: tuple[Any, ...], env: Env) -> Array:
        """Offsets of tensor[index] in the flattened array. Raises SizeError naming the point outside of it."""
        shape = self.shapes[tensor]
        flat = np.zeros(env["#"].shape, dtype=np.int64)
        for d, (i, n) in enumerate(zip(index, shape, strict=True)):
            at = np.broadcast_to(np.asarray(evaluate(i, env)), flat.shape)
            if at.size and (at.min() < 0 or at.max() >= n):
                raise _outside(tensor, d, i, n, at, env, int(np.argmax((at < 0) | (at >= n))))
            if d:
                flat *= n
            flat += at
        return flat

    def place(self, tensor: str, index: tuple[Any, ...], env: Env) -> Array | Function:
        """flat_index(); or, for an index made of data, a function computing it from the arrays."""
        if used := {e.tensor for e in elements(index)}:

            def found(arrays: Mapping[str, Array]) -> Array:  # they may be flat, as registers are
                data = {held_as(n): Held(arrays[n].reshape(self.shapes[n])) for n in used}
                return self.flat_index(tensor, index, env | data)

            return found
        return self.flat_index(tensor, index, env)

    def value(self, x: Any, env: Env, kind: DType) -> Function:
        """The value at each point, as an array of the type of x; literals take `kind`."""
        return _At(self, env).of(x, kind)


class _At(Meaning[Function]):
    """Values at these points."""

    def __init__(self, functions: Functions, env: Env) -> None:
        super().__init__(functions.types)
        self.functions, self.env = functions, env

    def _number(self, x: Any, own: DType) -> Function:
        number = np.broadcast_to(constant(x, own), self.env["#"].shape)
        return lambda arrays: number

    def _read(self, x: Any, own: DType) -> Function:
        name, flat = x.tensor, self.functions.place(x.tensor, x.index, self.env)
        if callable(flat):
            return lambda arrays: arrays[name].reshape(-1)[flat(arrays)]
        if flat.size == int(np.prod(self.functions.shapes[name])) and (flat == np.arange(flat.size)).all():
            return lambda arrays: arrays[name].reshape(-1)
        return lambda arrays: arrays[name].reshape(-1)[flat]

    def _index_value(self, x: Any, own: DType) -> Function:
        """The value of an index at each point. A symbol that is no axis names an array."""
        e, env = x.args[0], self.env
        if e.is_Symbol and e.name not in env:
            return lambda arrays: converted(arrays[e.name], own)
        number = converted(np.broadcast_to(np.asarray(evaluate(e, env), dtype=np.int64), env["#"].shape), own)
        return lambda arrays: number

    def _saturate(self, x: Any, to: DType) -> Function:
        exact, _, _ = _Exactly(self.functions, self.env).of(x.args[1])
        return lambda arrays: np.clip(exact(arrays), to.low, to.high).astype(to.numpy)

    def _sum(self, x: Any, own: DType) -> Function:
        axis, count, body = x.args
        terms = [_At(self.functions, {**self.env, axis.name: np.asarray(n)}).of(body, own) for n in range(int(count))]
        return lambda arrays: reduce(np.add, (term(arrays) for term in terms))

    def _cast(self, x: Any, to: DType, a: Function) -> Function:
        return lambda arrays: converted(a(arrays), to)

    def _round(self, x: Any, to: DType, a: Function) -> Function:
        return lambda arrays: rounded(a(arrays), to.low, to.high, to.numpy)

    def _select(self, x: Any, own: DType, a: Function, b: Function, yes: Function, no: Function) -> Function:
        compare = COMPARE[x.args[0].args[0].name]
        return lambda arrays: np.where(compare(a(arrays), b(arrays)), yes(arrays), no(arrays))

    def _operation(self, x: Any, own: DType, *parts: Function) -> Function:
        row = HEADS[type(x)]
        return lambda arrays: row.numpy(*(part(arrays) for part in parts))

    def _special(self, x: Any, own: DType) -> Function:
        number = np.broadcast_to(special(x, own), self.env["#"].shape)
        return lambda arrays: number

    leaves: ClassVar[Rows] = {
        Read: _read,
        sp.Number: _number,
        Constant: _special,
        IndexValue: _index_value,
        Saturate: _saturate,
        Sum: _sum,
    }
    rows: ClassVar[Rows] = {Cast: _cast, Round: _round, Select: _select, Scalar: _operation}


class _Exactly(Fold[_Exact]):
    """Exact integers at these points: Python's if 64 bits might not do."""

    def __init__(self, functions: Functions, env: Env) -> None:
        self.functions, self.env = functions, env

    def _number(self, x: Any) -> _Exact:
        number = np.full(self.env["#"].shape, int(x), dtype=object if abs(x) >= 1 << 62 else np.int64)
        return (lambda arrays: number), int(x), int(x)

    def _typed(self, x: Any) -> _Exact:
        found = self.functions.value(x, self.env, DTYPES["i64"])
        kind = type_of(x, self.functions.types)
        assert kind is not None
        wide = object if kind.high >= 1 << 63 else np.int64
        return (lambda arrays: found(arrays).astype(wide)), kind.low, kind.high

    def _sum(self, x: Any) -> _Exact:
        axis, count, body = x.args
        terms = [_Exactly(self.functions, {**self.env, axis.name: np.asarray(n)}).of(body) for n in range(int(count))]
        return reduce(lambda a, b: _combined(SAdd, a, b), terms)

    def _operation(self, x: Any, *parts: _Exact) -> _Exact:
        if type(x).__name__ not in EXACTLY:
            raise TypeError(f"no exact meaning: {x!r}")
        return _combined(type(x), *parts)

    leaves: ClassVar[Rows] = {sp.Integer: _number, **dict.fromkeys((Read, Cast, Saturate, Round), _typed), Sum: _sum}
    rows: ClassVar[Rows] = {Scalar: _operation}


def _combined(head: type[Scalar], *parts: _Exact) -> _Exact:
    low, high = spanned(head.__name__, *(ends for _, *ends in parts))
    most, row = max(abs(low), abs(high)), HEADS[head]  # an operand of `abs` and `-` may be as far on the other side
    return (lambda arrays: row.numpy(*(_wide(part(arrays), -most, most) for part, _, _ in parts))), low, high


def _outside(tensor: str, dimension: int, index: Any, extent: int, at: Array, env: Env, first: int) -> SizeError:
    """The error for the first point with an index outside of its dimension."""
    point = {
        a: int(np.broadcast_to(v, at.shape)[first]) for a, v in env.items() if a != "#" and not isinstance(v, Held)
    }
    where = ", ".join(f"{a}={v}" for a, v in point.items())
    return SizeError(
        f"{tensor}: index {index} of dimension {dimension} is {at[first]} at {where}, outside [0, {extent});\n"
        f"  correct the shape of {tensor}, or add a guard such as `where 0 <= {index} < {extent}`"
    )


def _wide(v: Array, low: int, high: int) -> Array:
    """v as Python integers if the result might not fit 64 bits."""
    return v if low >= -(1 << 63) and high < 1 << 63 else v.astype(object)
