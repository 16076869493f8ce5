"""Scalar expressions: values computed from the elements read. SymPy trees whose heads never rewrite themselves.

SymPy's own + and * are commutative and associative; machine arithmetic is not always. So every operation is a head of
its own, and a tree keeps its written order. Leaves: `Read`, sp.Integer, sp.Float.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import sympy as sp

from isamap_smt.ir.dtypes import DType, dtype
from isamap_smt.ir.expr import substitute


class Scalar(sp.Function):
    """Base of all scalar heads: no evaluation, no reordering. Each has a row in isamap_smt.ir.heads.

    floating: it does not exist for integers. The solvers' package, without knowledge of our tables, asks the class.
    whole: it does not exist for floating point.
    """

    floating = False
    whole = False

    @classmethod
    def eval(cls, *args: Any) -> Any:
        return None

    # SymPy's printers go by class name, and would take our Sum for theirs.
    def _sympystr(self, printer: Any) -> str:
        return f"{type(self).__name__}({', '.join(map(printer._print, self.args))})"

    _sympyrepr = _sympystr


class Read(Scalar):
    """Read(tensor, *index): one element of a tensor. The tensor is a Symbol without assumptions."""

    @property
    def tensor(self) -> str:
        return str(self.args[0].name)

    @property
    def index(self) -> tuple[Any, ...]:
        return tuple(self.args[1:])


class IndexValue(Scalar):
    """IndexValue(e): the integer value of an index expression at the point, typed as a literal.

    It is made of axes, sizes and parameters.
    """


class Constant(Scalar):
    """A floating-point value other than a real number, without operands; typed as a literal."""

    floating = True


class Inf(Constant):
    """Infinity."""


class Nan(Constant):
    """No number."""


class Cast(Scalar):
    """Cast(dtype, x): x converted as isamap_smt.ir.convert says."""


class Saturate(Scalar):
    """Saturate(dtype, x): clamp the exact integer x to the range of dtype."""


class Round(Scalar):
    """Round(dtype, x): the integer nearest to the floating-point x, ties to even, clamped to dtype; NaN gives 0."""


class SAdd(Scalar):
    """x + y in the common type."""


class SSub(Scalar):
    """x - y in the common type."""


class SMul(Scalar):
    """x * y in the common type."""


class SDiv(Scalar):
    """x / y, floating point."""

    floating = True


class SShr(Scalar):
    """x >> y of integers: x / 2**y rounded down.

    If y is negative, or at least the type's number of bits, the sign: -1 or 0. Below a saturation x has no type, and y
    may be of any size.
    """

    whole = True


class SShl(Scalar):
    """x << y of integers: x * 2**y modulo 2^bits; 0 if y is negative, or at least the type's number of bits."""

    whole = True


class SAnd(Scalar):
    """x & y of integers, bit by bit; of negative ones the bits of their two's complement."""

    whole = True


class SOr(Scalar):
    """x | y of integers, bit by bit."""

    whole = True


class SXor(Scalar):
    """x ^ y of integers, bit by bit."""

    whole = True


class SInvert(Scalar):
    """~x of integers, every bit: -1 - x modulo 2^bits."""

    whole = True


class SFloorDiv(Scalar):
    """x // y of integers: x / y rounded down, modulo 2^bits, so the least one divided by -1 is itself. 0 if y is 0."""

    whole = True


class SMod(Scalar):
    """x % y: x - floor(x / y) * y, so of y's sign.

    Integers: x if y is 0. Floating point: fmod(x, y), with y added once if it has the other sign; NaN if y is 0.
    """


class SNeg(Scalar):
    """-x."""


class SMax(Scalar):
    """The larger; NaN if either is NaN (NumPy's maximum)."""


class SMin(Scalar):
    """The smaller; NaN if either is NaN (NumPy's minimum)."""


class Relu(Scalar):
    """max(x, 0)."""


class Unary(Scalar):
    """A function of one value: a `Function` in isamap_smt.ir.heads."""

    floating = True


class Exp(Unary):
    """e**x."""


class Log(Unary):
    """The natural logarithm: minus infinity at zero, NaN for negative x."""


class Tanh(Unary):
    """Hyperbolic tangent."""


class Sigmoid(Unary):
    """1 / (1 + e**-x)."""


class Erf(Unary):
    """The error function."""


class Sqrt(Unary):
    """The square root, rounded once: NaN for negative x, -0 at -0."""


class Rsqrt(Unary):
    """1 / sqrt(x), each of the two rounded."""


class Floor(Unary):
    """The largest integer not above x."""


class Ceil(Unary):
    """The smallest integer not below x; -0 for x between -1 and 0."""


class Trunc(Unary):
    """x without its digits behind the point; -0 for x between -1 and 0."""


class Rint(Unary):
    """The nearest integer, ties to even; -0 if x rounds to 0 from below."""


class Tf32(Unary):
    """The number of 11 significant bits nearest to x, ties to even, in x's type: tensor cores round factors to it.

    Beyond the largest an infinity; below 2^-126 a multiple of 2^-136; of f64 the result for the nearest f32.
    """


class Abs(Unary):
    """x without its sign, of integers too: the least one wraps to itself."""

    floating = False


class Sin(Unary):
    """The sine."""


class Cos(Unary):
    """The cosine."""


class Tan(Unary):
    """The tangent."""


class Asin(Unary):
    """The inverse sine, from -pi/2 to pi/2; NaN beyond 1."""


class Acos(Unary):
    """The inverse cosine, from 0 to pi; NaN beyond 1."""


class Atan(Unary):
    """The inverse tangent, from -pi/2 to pi/2."""


class Sinh(Unary):
    """Hyperbolic sine."""


class Cosh(Unary):
    """Hyperbolic cosine."""


class Asinh(Unary):
    """The inverse of sinh."""


class Acosh(Unary):
    """The inverse of cosh, not negative; NaN below 1."""


class Atanh(Unary):
    """The inverse of tanh; infinite of 1, NaN beyond."""


class Binary(Scalar):
    """A function of two values: a `Function` in isamap_smt.ir.heads."""

    floating = True


class Pow(Binary):
    """x**y as in IEEE 754: 1 if y is 0 or x is 1; NaN if x is negative and finite, and y no whole number."""


class Fmod(Binary):
    """x - n y, exactly, n the integer towards zero from x / y: of the sign of x; NaN if y is 0 or x infinite."""


class Compare(Scalar):
    """Compare(op, x, y): op is a Symbol named <, <=, >, >=, == or !=."""


class Select(Scalar):
    """Select(condition, x, y): x if the condition holds, else y."""


class Sum(Scalar):
    """Sum(axis, count, x): x summed over axis in [0, count), in order of the axis."""


def read(tensor: str, *index: Any) -> Any:
    """The element tensor[index]."""
    return Read(sp.Symbol(tensor), *index)


def number_in(value: Any) -> int | float | None:
    """The number denoted by a value, infinities included; None if it is no number, or a zero with a minus sign.

    >>> number_in(SNeg(Inf())), number_in(sp.Integer(3)), number_in(SNeg(sp.Integer(0)))
    (-inf, 3, None)
    """
    if isinstance(value, Inf):
        return float("inf")
    if isinstance(value, SNeg):
        found = number_in(value.args[0])
        return -found if found else None
    number = sp.sympify(value)
    return (int(number) if number.is_Integer else float(number)) if isinstance(number, sp.Number) else None


def cast(to: DType | str, x: Any) -> Any:
    """x converted to `to`."""
    return Cast(sp.Symbol(str(dtype(to))), x)


def saturate(to: DType | str, x: Any) -> Any:
    """x clamped to the range of `to`."""
    return Saturate(sp.Symbol(str(dtype(to))), x)


def round_to(to: DType | str, x: Any) -> Any:
    """The integer of type `to` nearest to x."""
    return Round(sp.Symbol(str(dtype(to))), x)


def reads(expr: Any) -> Iterator[Any]:
    """Every Read in the tree, left to right, repeated ones included."""
    if isinstance(expr, Read):
        yield expr
        return
    for a in getattr(expr, "args", ()):
        yield from reads(a)


def terms_of(value: Any, sign: int = 1) -> Iterator[tuple[int, Any]]:
    """The signed terms of a sum, one by one: a program may add the parts of a sum by themselves."""
    if isinstance(value, SAdd | SSub):
        yield from terms_of(value.args[0], sign)
        yield from terms_of(value.args[1], sign if isinstance(value, SAdd) else -sign)
    elif isinstance(value, SNeg):
        yield from terms_of(value.args[0], -sign)
    else:
        yield sign, value


def sums(expr: Any) -> Iterator[Any]:
    """Every Sum in the tree, outer ones first."""
    if isinstance(expr, Sum):
        yield expr
    for a in getattr(expr, "args", ()):
        yield from sums(a)


def bound_axes(expr: Any) -> dict[str, int]:
    """Axis -> count of every Sum in the tree."""
    return dict(_bound_axes(expr))


@lru_cache(maxsize=4096)
def _bound_axes(expr: Any) -> tuple[tuple[str, int], ...]:
    return tuple((s.args[0].name, int(s.args[1])) for s in sums(expr))


def index_values(expr: Any) -> tuple[Any, ...]:
    """The index expressions used as values in the tree, each once, left to right."""
    if isinstance(expr, Read):
        return ()
    own = (expr.args[0],) if isinstance(expr, IndexValue) else ()
    return tuple(dict.fromkeys((*own, *(e for a in getattr(expr, "args", ()) for e in index_values(a)))))


def put_into_indices(expr: Any, values: Mapping[str, Any]) -> Any:
    """The tree with symbols replaced in every index expression, including those used as values."""
    if isinstance(expr, Read):
        return Read(expr.args[0], *(substitute(i, values) for i in expr.index))
    if isinstance(expr, IndexValue):
        found = substitute(expr.args[0], values)
        return found if found.is_Integer else IndexValue(found)
    if not isinstance(expr, Scalar):
        return expr
    return expr.func(*[put_into_indices(a, values) for a in expr.args])


def rewrite_reads(expr: Any, change: Callable[[Any], Any]) -> Any:
    """The tree with every Read replaced by change(read); nothing else is touched."""
    if isinstance(expr, Read):
        return change(expr)
    if not isinstance(expr, Scalar):
        return expr
    return expr.func(*[rewrite_reads(a, change) for a in expr.args])
