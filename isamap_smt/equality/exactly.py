"""A kernel's results in exact numbers, point by point: a second opinion, independent of any normal form.

Integers wrap by their types. Floating point is computed over the reals: in fractions, and in numbers of 120 digits
after a function that leaves the fractions. No answer is given where these could mislead: beyond 10^20; for a quotient
by less than 10^-20; and for a comparison or a rounding undecided by 30 digits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product
from math import ceil, floor, isqrt, trunc
from typing import Any, ClassVar

import mpmath
import numpy as np
import sympy as sp

from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.expr import RELATIONS, evaluate, held_as
from isamap_smt.ir.heads import FUNCTION_ROWS, HEADS
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.ir.meaning import Meaning, Rows
from isamap_smt.ir.scalar import (
    Abs,
    Binary,
    Cast,
    Constant,
    IndexValue,
    Read,
    Relu,
    Round,
    SAdd,
    SAnd,
    Saturate,
    Scalar,
    SDiv,
    Select,
    SFloorDiv,
    SInvert,
    SMax,
    SMin,
    SMod,
    SMul,
    SNeg,
    SOr,
    SShl,
    SShr,
    SSub,
    Sum,
    SXor,
    Unary,
    put_into_indices,
)
from isamap_smt.ir.time_steps import in_order
from isamap_smt.ir.typed import EXACT, target, typed_value

DIGITS = 120
CLOSE = mpmath.mpf(10) ** -30
FAR = mpmath.mpf(10) ** 20


class UndefinedError(Exception):
    """A value is no real number for these inputs."""


def exact_results(kernel: Kernel, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Results as arrays of objects; None stands for a value that is no real number.

    kernel: of known sizes. arrays: of integers and fractions. Raises UndefinedError if a statement writes outside its
    tensor.
    """
    held = {n: np.asarray(arrays[n], dtype=object) for n in kernel.inputs}
    for s in kernel.statements:
        t = kernel.tensor(s.target.tensor)
        if t.name not in held:
            held[t.name] = np.full(tuple(int(e) for e in t.shape), _neutral(s.op, t.dtype), dtype=object)
    with mpmath.workdps(DIGITS):
        for s in in_order(kernel):
            _run(kernel, s, held)
    return {n: held[n] for n in kernel.results}


def alike(a: Any, b: Any) -> bool:
    """Whether two results are equal, as far as 30 digits tell."""
    with mpmath.workdps(DIGITS):
        return _alike(a, b)


def _alike(a: Any, b: Any) -> bool:
    if not isinstance(a, mpmath.mpf) and not isinstance(b, mpmath.mpf):
        return bool(a == b)
    a, b = _long(a), _long(b)
    if not (mpmath.isfinite(a) and mpmath.isfinite(b)):
        return bool(a == b)
    return bool(a == b or abs(a - b) <= CLOSE * (1 + abs(a) + abs(b)))


def _below(a: Any, b: Any) -> bool:
    """Whether a < b, and not by less than is told apart."""
    a, b = _both(a, b)
    return bool(a < b) and not _alike(a, b)


def _long(x: Any) -> Any:
    return x if isinstance(x, mpmath.mpf) else mpmath.mpf(Fraction(x).numerator) / Fraction(x).denominator


def _told(v: Any) -> Any:
    """The number, if its digits behind the point are known. Raises UndefinedError."""
    if isinstance(v, mpmath.mpf) and mpmath.isfinite(v) and abs(v) > FAR:
        raise UndefinedError("too large to be told apart")
    return v


def _divisor(v: Any) -> Any:
    """The number, if it is known not to be 0. Raises UndefinedError."""
    if isinstance(v, mpmath.mpf) and abs(v) < 1 / FAR:
        raise UndefinedError("too small to be told from 0")
    return v


def _whole(v: Any, to: Callable[[Any], Any]) -> int:
    """A number rounded by one of Python's functions. Raises UndefinedError close to a jump of the function."""
    if not isinstance(v, mpmath.mpf):
        return int(to(Fraction(v)))
    if not mpmath.isfinite(v) or _alike(2 * v, mpmath.nint(2 * v)):  # floor jumps at whole numbers, rint between them
        raise UndefinedError("too close to where it is rounded")
    return int(to(Fraction(int(mpmath.floor(4 * v)) * 2 + 1, 8)))  # in the same quarter


def _compared(holds: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def told(a: Any, b: Any) -> bool:
        a, b = _both(a, b)
        if isinstance(a, mpmath.mpf) and _alike(a, b):
            raise UndefinedError("too close to be told apart")
        return bool(holds(a, b))

    return told


COMPARE = {row.sign: _compared(row.of) for row in RELATIONS.values()}


def _neutral(op: str, kind: DType) -> Any:
    match op:
        case "*":
            return 1
        case "max":
            return -mpmath.inf if kind.is_float else kind.low
        case "min":
            return mpmath.inf if kind.is_float else kind.high
    return 0


class _Held:
    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def at(self, *index: int) -> int:
        return int(self.array[index])


def _run(kernel: Kernel, s: Statement, held: dict[str, np.ndarray]) -> None:
    types = {t.name: t.dtype for t in kernel.tensors}
    kind, value, out = types[s.target.tensor], typed_value(kernel, s), held[s.target.tensor]
    data = {held_as(n): _Held(held[n]) for n in kernel.inputs}
    walk = _Exact(types, held)
    for point in product(*(range(int(a.extent)) for a in s.axes)):
        env = dict(zip((a.name for a in s.axes), point, strict=True)) | data
        if not all(evaluate(g, env) for g in s.guard):
            continue
        walk.env = env
        at = tuple(int(evaluate(i, env)) for i in s.target.index)
        if any(not 0 <= n < e for n, e in zip(at, out.shape, strict=True)):
            raise UndefinedError(f"{s.target.tensor} has no element {list(at)}")
        try:
            found = walk.of(value, kind)
            if s.op != "=" and out[at] is None:
                continue
            out[at] = _typed(_told(_reduced(s.op, out[at], found)), kind)
        except UndefinedError:
            out[at] = None


def _reduced(op: str, a: Any, b: Any) -> Any:
    match op:
        case "+":
            return _add(a, b)
        case "*":
            return _times(a, b)
        case "max":
            return b if _below(a, b) else a
        case "min":
            return a if _below(a, b) else b
    return b


def _both(a: Any, b: Any) -> tuple[Any, Any]:
    return (_long(a), _long(b)) if isinstance(a, mpmath.mpf) or isinstance(b, mpmath.mpf) else (a, b)


def _add(a: Any, b: Any) -> Any:
    a, b = _finite(a, b)
    return a + b


def _times(a: Any, b: Any) -> Any:
    a, b = _finite(a, b)
    return _told(a * b)


def _finite(*values: Any) -> tuple[Any, ...]:
    if any(isinstance(v, mpmath.mpf) and not mpmath.isfinite(v) for v in values):
        raise UndefinedError("infinite")
    return _both(*values)


def _typed(v: Any, kind: DType) -> Any:
    if kind.is_float:
        return v
    if kind.name == "bool":
        return int(v != 0)
    return (int(v) - kind.low) % (1 << kind.bits) + kind.low


class _Exact(Meaning[Any]):
    def __init__(self, types: Mapping[str, DType], held: Mapping[str, np.ndarray]) -> None:
        super().__init__(types)
        self.held, self.exact = held, False
        self.env: dict[str, Any] = {}

    def of(self, x: Any, kind: DType) -> Any:
        if not self.exact or not isinstance(x, Cast | Round):
            return super().of(x, kind)
        self.exact = False
        value = super().of(x, kind)
        self.exact = True
        return _typed(value, target(x))

    def _wrapped(self, v: Any, own: DType) -> Any:
        return v if self.exact else _typed(v, own)

    def _read(self, x: Any, own: DType) -> Any:
        at = tuple(int(evaluate(i, self.env)) for i in x.index)
        array = self.held[x.tensor]
        if any(not 0 <= n < e for n, e in zip(at, array.shape, strict=True)):
            raise UndefinedError(f"{x.tensor} has no element {list(at)}")
        if array[at] is None:
            raise UndefinedError(x.tensor)
        return array[at]

    def _number(self, x: Any, own: DType) -> Any:
        return Fraction(repr(float(x))) if x.is_Float else int(x) if x.is_Integer else Fraction(int(x.p), int(x.q))

    def _constant(self, x: Any, own: DType) -> Any:
        if HEADS[type(x)].text != "inf":
            raise UndefinedError("nan")
        return mpmath.inf

    def _index_value(self, x: Any, own: DType) -> Any:
        return int(evaluate(x.args[0], self.env))

    def _sum(self, x: Any, own: DType) -> Any:
        axis, count, body = x.args
        out: Any = 0
        for n in range(int(count)):
            out = self._wrapped(_add(out, self.of(put_into_indices(body, {axis.name: sp.Integer(n)}), own)), own)
        return out

    def _saturate(self, x: Any, to: DType) -> Any:
        before, self.exact = self.exact, True
        v = self.of(x.args[1], EXACT)
        self.exact = before
        return min(max(v, to.low), to.high)

    def _cast(self, x: Any, to: DType, a: Any) -> Any:
        if to.is_float:
            return a
        if self.given(x).is_float:
            return min(max(_whole(a, trunc), to.low), to.high)
        return _typed(a, to)

    def _round(self, x: Any, to: DType, a: Any) -> Any:
        return min(max(_whole(a, round), to.low), to.high)

    def _select(self, x: Any, own: DType, a: Any, b: Any, yes: Any, no: Any) -> Any:
        return yes if COMPARE[x.args[0].args[0].name](a, b) else no

    def _operation(self, x: Any, own: DType, *values: Any) -> Any:
        return self._wrapped(_OPERATIONS[type(x)](own, *values), own)

    def _function(self, x: Any, own: DType, *values: Any) -> Any:
        name = FUNCTION_ROWS[type(x)].text
        if name in _ROUNDED:
            return _whole(values[0], _ROUNDED[name])
        if name == "fmod":
            return _remainder(own, values[0], values[1], trunc)
        if name in ("log", "rsqrt", "pow"):
            _divisor(values[0])
        if name == "sqrt" and (root := _root(values[0])) is not None:
            return root
        try:
            v = _FUNCTIONS[name](*(_long(_finite(v, 0)[0]) for v in values))
        except (ValueError, ZeroDivisionError, OverflowError, KeyError) as e:
            raise UndefinedError(str(e)) from None
        if isinstance(v, mpmath.mpc) or not mpmath.isfinite(v):
            raise UndefinedError(name)
        return _told(v)

    leaves: ClassVar[Rows] = {
        Read: _read,
        sp.Number: _number,
        Constant: _constant,
        IndexValue: _index_value,
        Saturate: _saturate,
        Sum: _sum,
    }
    rows: ClassVar[Rows] = {
        Cast: _cast,
        Round: _round,
        Select: _select,
        Unary: _function,
        Binary: _function,
        Scalar: _operation,
    }


def _divided(own: DType, a: Any, b: Any) -> Any:
    if b == 0:
        raise UndefinedError("a division by 0")
    a, b = _finite(a, _divisor(b))
    return _told(a / b) if isinstance(a, mpmath.mpf) else Fraction(a) / Fraction(b)


def _quotient(own: DType, a: Any, b: Any) -> Any:
    return 0 if b == 0 else a // b


def _remainder(own: DType, a: Any, b: Any, to: Callable[[Any], Any] = floor) -> Any:
    if own.is_float:
        return _add(a, -_times(b, _whole(_divided(own, a, b), to)))
    return a if b == 0 else a - (a // b) * b


def _up(own: DType, a: int, n: int) -> int:
    return a << n if 0 <= n < own.bits else 0


def _down(own: DType, a: int, n: int) -> int:
    return a >> n if n >= 0 else -(a < 0)


_OPERATIONS: dict[type, Callable[..., Any]] = {
    SAdd: lambda own, a, b: _add(a, b),
    SSub: lambda own, a, b: _add(a, -b),
    SMul: lambda own, a, b: _times(a, b),
    SNeg: lambda own, a: -a,
    SDiv: _divided,
    SFloorDiv: _quotient,
    SMod: _remainder,
    SShl: _up,
    SShr: _down,
    SAnd: lambda own, a, b: a & b,
    SOr: lambda own, a, b: a | b,
    SXor: lambda own, a, b: a ^ b,
    SInvert: lambda own, a: ~a,
    SMax: lambda own, a, b: b if _below(a, b) else a,
    SMin: lambda own, a, b: a if _below(a, b) else b,
    Relu: lambda own, a: a if _below(0, a) else 0,
    Abs: lambda own, a: abs(a),
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{
        n: getattr(mpmath, n)
        for n in ("exp", "log", "tanh", "erf", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh")
    },
    **{n: getattr(mpmath, n) for n in ("asinh", "acosh", "atanh", "sqrt")},
    "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)),
    "rsqrt": lambda x: 1 / mpmath.sqrt(x),
    "pow": mpmath.power,
}
_ROUNDED: dict[str, Callable[[Any], Any]] = {"floor": floor, "ceil": ceil, "trunc": trunc, "rint": round}


def _root(x: Any) -> Any:
    """The exact root of a fraction; None if it is no fraction."""
    if isinstance(x, mpmath.mpf) or x < 0:
        return None
    x = Fraction(x)
    root = Fraction(isqrt(x.numerator), isqrt(x.denominator))
    return root if root * root == x else None


__all__ = ["UndefinedError", "alike", "exact_results"]
