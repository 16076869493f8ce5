"""Rounding errors in the results of any program of a kernel, for all inputs in stated ranges: a bound without a run.

Every tensor has a range of its exact elements. A program's elements are off by at most `relative` of the exact one and
by `absolute` besides. u is half the distance from 1 to the next number, t half the smallest one.

    a + b, a - b       of one sign: the larger relative error; else the sum of both absolute errors; and u
    a * b, a / b       (1 + r)(1 + s) - 1, (r + s) / (1 - s); and u, and t
    max, min           the larger of both
    a * a              2 E |a| <= c a^2 + E^2 / c, for any c: for deviations from a mean, with a sum far from 0 if it matters
    exp                e^d - 1 of the result, if the argument is off by d; and its ULP
    other functions    d times the largest slope, and their ULP
    sum of n terms     of one sign: the terms' relative error, and n - 1 roundings; else of n times the largest term

n is the greatest number of points in one element (isamap_smt.ir.fibres). An element without a point keeps its value:
before any write, the first value of the first statement writing the tensor.

A number less the maximum over such numbers is at most 0, and is 0 somewhere: so its `exp` is at most 1, and a sum of
these at least 1.

There is no bound (infinity) if a divisor may be 0, a logarithm's argument negative, or a number too large.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from math import (  # fmt: skip
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atanh,
    cos,
    cosh,
    erf,
    exp,
    expm1,
    inf,
    isfinite,
    log,
    log1p,
    pi,
    sinh,
    sqrt,
    tan,
    tanh,
)
from typing import Any, ClassVar

import numpy as np

from isamap_encodings.error_steps import Total
from isamap_encodings.scalar_values import spanned
from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.errors import RangeError, SizeError, UnknownNameError, did_you_mean
from isamap_smt.ir.heads import FUNCTION_ROWS
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.ir.kinds import require_kind
from isamap_smt.ir.meaning import Rows
from isamap_smt.ir.near import EXACT, SLACK, Unit
from isamap_smt.ir.rounding_walk import Ranges, hull, larger
from isamap_smt.ir.scalar import Cast, SAnd, SFloorDiv, SInvert, SOr, SShl, SShr, SXor, reads

_WIDEST = 700.0  # exponents beyond have no f64
_PARTS = tuple(2.0**-n for n in range(4, 24, 2))  # c; the best one is taken
_LESS, _MORE = 1 - 1e-14, 1 + 1e-14  # for numbers computed in f64
_FAR = 8.0  # times larger: the smaller addend moves a relative error little


@dataclass(frozen=True)
class Bound:
    """Exact elements lie in [low, high]; a program's is off by at most relative * |exact| + absolute.

    peak: among the elements along `over`, axes of the statement computing them, at least one is as large.
    """

    low: float
    high: float
    relative: float = 0.0
    absolute: float = 0.0
    peak: float | None = None
    over: tuple[str, ...] = ()

    @property
    def size(self) -> float:
        """An upper bound of the exact elements' absolute values."""
        return max(abs(self.low), abs(self.high))

    @property
    def error(self) -> float:
        """The largest error of any element."""
        return self.relative * self.size + self.absolute

    def __str__(self) -> str:
        parts = [f"{self.relative:.1e} of each exact element"] if self.relative else []
        parts += [f"{self.absolute:.1e}"] if self.absolute else []
        off = f"off by at most {' and '.join(parts)}" if parts else "exact"
        return f"{off}; exact elements lie between {self.low:g} and {self.high:g}"


NOTHING = Bound(-inf, inf, inf, inf)


def rounding_bound(
    kernel: Kernel,
    ranges: Mapping[str, tuple[float, float]],
    sizes: Mapping[str, int] | None = None,
    trees: Mapping[int, Any] | None = None,
) -> dict[str, Bound]:
    """Output name -> bound of its elements for all inputs in these ranges, with sums in any order.

    It holds for calls that add to nothing. trees: values computed in place of statements, by statement number. Raises
    SizeError for open sizes and recurrences, UnknownNameError for an input without a range, RangeError for an invalid
    range.
    """
    require_kind("rounding_bound", ranges, Mapping, "ranges by name, such as {'A': (-1, 1)}")
    found = nearest(kernel.with_sizes({} if sizes is None else sizes), ranges, trees or {})
    return {n: found.tensors[n] for n in found.kernel.results}


def widest(kernel: Kernel, ranges: Mapping[str, tuple[float, float]]) -> tuple[Statement, float]:
    """The statement with the largest elements relative to those it reads, and their size. Errors as rounding_bound()."""
    found = followed(kernel, ranges, {})
    return max(found.sizes, key=lambda x: x[1] / max(1.0, x[2]))[:2]


def followed(
    fixed: Kernel, ranges: Mapping[str, tuple[float, float]], trees: Mapping[int, Any], by: type[Bounds] | None = None,
    part: float = 0.0,
) -> Bounds:  # fmt: skip
    """The bounds of every tensor behind the last statement.

    by: the class computing them; part: the c of squares. Errors as rounding_bound().
    """
    if fixed.free_sizes or fixed.recurrences:
        what = "has recurrences" if fixed.recurrences else f"needs the sizes {', '.join(fixed.free_sizes)}"
        raise SizeError(f"{fixed.name} {what}: no bound of its rounding is known")
    for n in ranges:
        if n not in fixed.inputs:
            raise UnknownNameError(f"{fixed.name} has no input {n!r}; {did_you_mean(n, fixed.inputs)}")
    known = {n: Bound(float(low), float(high)) for n, low, high in fixed.ranges}
    for t in (fixed.tensor(n) for n in fixed.inputs):
        if t.name in ranges:
            known[t.name] = _given(t.name, t.dtype, ranges[t.name])
        elif not t.dtype.is_float:
            known.setdefault(t.name, Bound(float(t.dtype.low), float(t.dtype.high)))
        else:
            say = f"ranges={{{t.name!r}: (-1, 1)}}"
            raise UnknownNameError(f"{t.name} has no range: say where its elements lie, such as {say}")
    found = (by or Bounds)(fixed, known, part)
    for number, s in enumerate(fixed.statements):
        found.statement(s, trees.get(number))
    return found


def nearest(
    fixed: Kernel, ranges: Mapping[str, tuple[float, float]], trees: Mapping[int, Any], by: type[Bounds] | None = None
) -> Bounds:
    """The same with the c of squares giving the tightest bounds of the results. Errors as rounding_bound()."""
    found = followed(fixed, ranges, trees, by)
    if not found.squares:
        return found
    every = [found, *(followed(fixed, ranges, trees, by, part) for part in _PARTS)]
    return min(every, key=lambda one: sum(one.tensors[n].error for n in fixed.results))


def _given(name: str, kind: DType, ends_: Any) -> Bound:
    """The range of an input. Raises RangeError for an invalid range, or numbers its elements cannot be."""
    numbers = tuple(ends_) if isinstance(ends_, (tuple, list)) else ()
    if len(numbers) != 2 or not all(
        isinstance(e, (int, float, np.number)) and not isinstance(e, bool) for e in numbers
    ):
        raise RangeError(f"ranges[{name!r}]={ends_!r}: pass its least and its greatest element, such as (-1, 1)")
    low, high = map(float, numbers)
    if not low <= high:
        raise RangeError(f"ranges[{name!r}]={ends_!r}: no element is at least {low:g} and at most {high:g}")
    if not kind.is_float and not (kind.low <= low and high <= kind.high and low.is_integer() and high.is_integer()):
        raise RangeError(
            f"ranges[{name!r}]={ends_!r}: elements of {kind} are whole numbers from {kind.low} to {kind.high}"
        )
    return Bound(low, high)


class Bounds(Ranges):
    """In f64. part: the c of squares; squares: whether there are any."""

    def __init__(self, kernel: Kernel, inputs: dict[str, Bound], part: float = 0.0) -> None:
        super().__init__(kernel, inputs)
        self.part, self.squares = part, False
        # each statement, with the largest size of its elements and of those it reads
        self.sizes: list[tuple[Statement, float, float]] = []

    def of(self, x: Any, kind: DType) -> Bound:
        found = super().of(x, kind)
        return self.kept(found if all(map(isfinite, (found.low, found.high, found.error))) else NOTHING, x, kind)

    def kept(self, found: Bound, x: Any, kind: DType) -> Bound:
        """The bound to continue with, given the one found of an expression; x is None for the statement's target."""
        return found

    def written(self, s: Statement, made: Bound, kind: DType) -> Bound:
        read = max((self.tensors[r.tensor].size for r in reads(s.value) if r.tensor in self.tensors), default=0.0)
        fits = made.size < (Unit.of(kind).largest if kind.is_float else inf)
        found = self.kept(made if fits else NOTHING, None, kind)
        self.sizes.append((s, found.size, read))
        return found

    def other(self, x: Any, own: DType) -> Bound:
        return NOTHING

    def nothing(self, why: str, s: Statement | None = None) -> Bound:
        return NOTHING

    def between(self, low: Any, high: Any) -> Bound:
        return Bound(float(low), float(high))

    def peak_of_exponential(self, peak: float) -> float:
        return exp(peak) * _LESS

    def taken(self, s: Statement, found: Bound, before: Bound | None) -> Bound:
        return found if before is None else _RULES[s.op](before, found)

    def total(self, s: Statement, sum_: Total[Bound], kind: DType) -> Bound:
        signed = [a if sign > 0 else _negative(a) for sign, a in sum_.terms]
        a, there, count = reduce(_add, signed), sum_.before or Bound(0.0, 0.0), sum_.points
        low, high = min(a.low * count, a.low * sum_.least), max(a.high * count, a.high * sum_.least)
        if a.low >= 0 and sum_.peak is not None and sum_.peak > 0:
            low = max(low, sum_.peak + (count - 1) * a.low)
        low, high = low + there.low, high + there.high
        if not kind.is_float:
            return _rounded(Bound(low, high, 0.0, a.error + there.error), kind)
        unit = Unit.of(kind)
        left = 1 - (sum_.roundings + 1) * unit.relative
        if left <= 0 or not isfinite(a.error + there.error):
            return NOTHING
        grown = sum_.roundings * unit.relative / left
        if all(x.low >= 0 for x in (*signed, there)) or all(x.high <= 0 for x in (*signed, there)):
            relative = _both(max(a.relative, there.relative), grown)
            absolute = (count * a.absolute + there.absolute) * (1 + grown)
        else:
            sizes = count * sum(x.size + x.error for x in signed) + there.size + there.error
            relative, absolute = 0.0, count * a.error + there.error + grown * sizes
        return Bound(low, high, relative * SLACK, absolute * SLACK)

    def plain_step(self, op: str, x: Any, own: DType, operands: Sequence[Bound], ulp: float, below: bool) -> Bound:
        self.squares |= op == "square" and 0 < operands[0].absolute < inf
        return stepped(op, operands, own, ulp, below, self.part)

    def to_integer(self, x: Any, to: DType, a: Bound) -> Bound:
        if isinstance(x, Cast):
            made = _whole(a) if self.given(x).is_float else a
            return made if made.low - made.error >= to.low and made.high + made.error <= to.high else NOTHING
        least, most = (min(max(v, to.low), to.high) for v in (a.low, a.high))
        return _whole(Bound(least, most, 0.0, a.error))

    def integers(self, x: Any, own: DType, *operands: Bound) -> Bound:
        """The range of an exact integer of the type, computed from exact integers."""
        if own.is_float or any(p.error != 0 for p in operands):
            return NOTHING
        try:
            low, high = spanned(type(x).__name__, *((int(p.low), int(p.high)) for p in operands))
        except KeyError:
            low, high = own.low, own.high
        inside = own.low <= low and high <= own.high
        return Bound(float(low), float(high)) if inside else Bound(float(own.low), float(own.high))

    rows: ClassVar[Rows] = {
        **Ranges.rows,
        **dict.fromkeys(
            (SAnd, SOr, SXor, SInvert, SShl, SShr, SFloorDiv), lambda self, x, own, *o: self.integers(x, own, *o)
        ),
    }


def stepped(
    op: str, operands: Sequence[Bound], kind: DType, ulp: float = 0.5, below: bool = False, part: float = 0.0
) -> Bound:
    """The operation of these, off by so many ULP of its type; with 0 nothing is rounded. part: the c of a square."""
    if NOTHING in operands or op not in _RULES:
        return NOTHING
    made = _square(operands[0], part) if op == "square" else _RULES[op](*operands)
    if below:
        made = replace(made, high=0.0, low=min(made.low, 0.0))
    return _rounded(made, kind, ulp) if ulp else made


def _both(r: float, s: float) -> float:
    """(1 + r)(1 + s) - 1, also for r and s too small to be added to 1."""
    return r + s + r * s


def _rounded(a: Bound, kind: DType, ulp: float = 0.5) -> Bound:
    """The same after an operation off by so many ULP. Integers do not round; beyond their range there is no bound."""
    if not kind.is_float:
        inside = max(kind.low, -EXACT) <= a.low and a.high <= min(kind.high, EXACT)
        return a if inside and a.error == 0 else NOTHING
    unit = Unit.of(kind)
    u, t = 2 * ulp * unit.relative, 2 * ulp * unit.smallest
    relative, absolute = _both(a.relative, u), a.absolute * (1 + u) + t
    made = replace(a, relative=relative * SLACK, absolute=absolute * SLACK)
    return made if isfinite(made.error) and made.size + made.error < unit.largest else NOTHING


def _negative(a: Bound) -> Bound:
    return Bound(-a.high, -a.low, a.relative, a.absolute)


def _add(a: Bound, b: Bound) -> Bound:
    low, high = a.low + b.low, a.high + b.high
    if (a.low >= 0 and b.low >= 0) or (a.high <= 0 and b.high <= 0):
        return Bound(low, high, max(a.relative, b.relative), a.absolute + b.absolute)
    large, small = (a, b) if a.size > b.size else (b, a)
    if large.size < _FAR * small.size:
        return Bound(low, high, 0.0, a.error + b.error)
    return Bound(low, high, large.relative, large.absolute + small.error + large.relative * small.size)


def _multiply(a: Bound, b: Bound) -> Bound:
    corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    relative = _both(a.relative, b.relative)
    absolute = a.absolute * b.size * (1 + b.relative) + b.absolute * a.size * (1 + a.relative) + a.absolute * b.absolute
    return Bound(min(corners), max(corners), relative, absolute)


def _square(a: Bound, part: float) -> Bound:
    """a * a, with both factors possibly rounded in different ways."""
    made, e = _multiply(a, a), a.absolute
    made = replace(made, low=max(made.low, 0.0))
    if not part:
        return made
    more = part * (1 + a.relative)
    return replace(made, relative=_both(a.relative, a.relative) + more, absolute=e * e * (1 + more / part**2))


def _divide(a: Bound, b: Bound) -> Bound:
    least = max(b.low, -b.high)
    grown = b.relative + b.absolute / least if least > 0 else inf
    if grown >= 1:
        return NOTHING
    corners = [x / y for x in (a.low, a.high) for y in (b.low, b.high)]
    return Bound(min(corners), max(corners), (a.relative + grown) / (1 - grown), a.absolute / (least * (1 - grown)))


def _larger(a: Bound, b: Bound, smaller: bool = False) -> Bound:
    found = larger(a, b, smaller)
    return found if found.relative < 1 else NOTHING


def _either(a: Bound, b: Bound) -> Bound:
    """A program may choose otherwise than the exact numbers."""
    found = hull(a, b)
    return replace(found, relative=0.0, absolute=max(a.error, b.error) + found.high - found.low)


def _absolute(a: Bound) -> Bound:
    return Bound(0.0 if a.low < 0 < a.high else min(abs(a.low), abs(a.high)), a.size, a.relative, a.absolute)


def _whole(a: Bound, below: float = 1.0, above: float = 1.0) -> Bound:
    """After rounding to integers lying at most so far below and above."""
    return Bound(a.low - below, a.high + above, 0.0, a.error + 1 if a.error else 0.0)


def _to_tf32(a: Bound) -> Bound:
    """After rounding to 11 bits: each of the two numbers moves by a share of itself, and by half of the least one.

    If the two are equal, they stay so.
    """
    u, t = 2.0**-11 + 2.0**-23, 2.0**-136
    if (a.size + a.error) * (1 + u) + t >= float(np.finfo(np.float32).max):
        return NOTHING
    low, high = a.low - u * abs(a.low) - t, a.high + u * abs(a.high) + t
    if not a.error:
        return Bound(low, high)
    return Bound(low, high, _both(a.relative, u * (2 + a.relative)) * SLACK, (a.absolute * (1 + u) + 2 * t) * SLACK)


def _power(a: Bound, b: Bound) -> Bound:
    """a to the power of b: of positive a' = a (1 + d) it is a^b e^(b log(1 + d) + (b' - b) log a'), and largest at corners."""
    share = a.relative + a.absolute / a.low if a.low > 0 else inf
    if not share < 1 or not isfinite(b.error):
        return NOTHING
    logs = log(a.low), log(a.high)
    corners = [y * x for y in (b.low, b.high) for x in logs]
    more = -log1p(-share)
    moved = ((b.size + b.error) * more + b.error * (max(map(abs, logs)) + more)) * _MORE
    if max(*map(abs, corners), moved) > _WIDEST:
        return NOTHING
    spread = 1 + 1e-12 * (1 + max(map(abs, corners)))  # of powers computed by their logarithms
    return Bound(exp(min(corners)) / spread, exp(max(corners)) * spread, expm1(moved) * _MORE)


def _left_over(a: Bound, b: Bound) -> Bound:
    """fmod(a, b), exactly: of the sign of a, and nearer to 0 than b; it jumps."""
    if max(b.low - b.error, -b.high - b.error) <= 0:
        return NOTHING
    reach = min(a.size, b.size)
    made = Bound(-reach if a.low < 0 else 0.0, reach if a.high > 0 else 0.0)
    exact = a.error == b.error == 0
    return made if exact else replace(made, absolute=(2 * (b.size + b.error)) * _MORE)


def _modulo(a: Bound, b: Bound) -> Bound:
    """a % b, of the sign of b, rounded if b is added."""
    if max(b.low - b.error, -b.high - b.error) <= 0:
        return NOTHING
    exact = a.error == b.error == 0
    return Bound(min(b.low, 0.0), max(b.high, 0.0), 0.0, 0.0 if exact else 2 * (b.size + b.error) * _MORE)


def _exponential(a: Bound) -> Bound:
    d = a.error
    if max(a.high, d) > _WIDEST:
        return NOTHING
    low = exp(a.low) * _LESS if a.low > -_WIDEST else 0.0
    return Bound(low, exp(a.high) * _MORE if a.high else 1.0, expm1(d), 0.0)


def _monotone(
    of: Callable[[float], float], steepest: Callable[[Bound], float] | float, falls: bool = False
) -> Callable[[Bound], Bound]:
    """A monotone function, nowhere steeper than this in the argument's range."""

    def bound(a: Bound) -> Bound:
        steep = steepest(a) if callable(steepest) else steepest
        if not isfinite(steep):
            return NOTHING
        first, last = (a.high, a.low) if falls else (a.low, a.high)
        low, high = (v * (_MORE if (v > 0) == up else _LESS) for v, up in ((of(first), False), (of(last), True)))
        return Bound(low, high, 0.0, a.error * steep)

    return bound


def _reach(a: Bound) -> float:
    """A number above every argument, exact or computed."""
    return (a.size + a.error) * _MORE


def _slope_within_one(power: float) -> Callable[[Bound], float]:
    """Of functions between -1 and 1, with slope (1 - v^2)^-power; for an exact argument it is 0."""

    def steepest(a: Bound) -> float:
        if a.error == 0 and a.size <= (1 if power < 1 else _LESS):
            return 0.0
        reach = _reach(a)
        return ((1 - reach) * (1 + reach)) ** -power * _MORE if reach < 1 - 1e-12 else inf

    return steepest


def _slope_beyond_one(a: Bound) -> float:
    least = (a.low - a.error) * _LESS
    if a.error == 0 and a.low >= 1:
        return 0.0
    return 1 / sqrt((least - 1) * (least + 1)) * _MORE if least > 1 + 1e-12 else inf


def _hyperbolic_cosine(a: Bound) -> Bound:
    """cosh(x + d) is at most e^|d| cosh x."""
    if _reach(a) > _WIDEST:
        return NOTHING
    least = 0.0 if a.low <= 0 <= a.high else min(abs(a.low), abs(a.high))
    return Bound(max(cosh(least) * _LESS, 1.0), cosh(a.size) * _MORE, expm1(a.error) * _MORE, 0.0)


def _positive(of: Callable[[Bound, float], Bound]) -> Callable[[Bound], Bound]:
    """A function of positive numbers off by less than half: by this share of each."""

    def bound(a: Bound) -> Bound:
        share = a.relative + a.absolute / a.low if a.low > 0 else inf
        return of(a, share) if share < 0.5 else NOTHING

    return bound


def _logarithm(a: Bound, share: float) -> Bound:
    return Bound(log(a.low) - 1e-13, log(a.high) + 1e-13, 0.0, -log1p(-share))


def _root(a: Bound, share: float) -> Bound:
    return Bound(sqrt(a.low) * _LESS, sqrt(a.high) * _MORE, share / (1 + sqrt(1 - share)), 0.0)


def _inverse_root(a: Bound, share: float) -> Bound:
    root = sqrt(1 - share)  # 1 / root - 1, without cancellation
    return Bound(1 / sqrt(a.high) * _LESS, 1 / sqrt(a.low) * _MORE, share / (root * (1 + root)), 0.0)


def _sigmoid(x: float) -> float:
    return 1 / (1 + exp(-x)) if x > -_WIDEST else 0.0


# the exact result of inexact numbers
_RULES: dict[str, Callable[..., Bound]] = {
    "+": _add, "-": lambda a, b: _add(a, _negative(b)), "*": _multiply, "/": _divide, "square": _square,
    "neg": _negative, "same": lambda a: a, "abs": _absolute, "max": _larger, "min": lambda a, b: _larger(a, b, True),
    "relu": lambda a: _larger(a, Bound(0.0, 0.0)), "surely": hull, "either": _either,
    "pow": _power, "fmod": _left_over, "%": _modulo,
    **{r.text: partial(_whole, below=r.whole[0], above=r.whole[1]) for r in FUNCTION_ROWS.values() if r.whole is not None},
    "tf32": _to_tf32,
    "exp": _exponential, "tanh": _monotone(tanh, 1.0), "sigmoid": _monotone(_sigmoid, 0.25), "erf": _monotone(erf, 2 / sqrt(pi)),
    **dict.fromkeys(("sin", "cos"), lambda a: Bound(-1.0, 1.0, 0.0, a.error)),
    "atan": _monotone(atan, 1.0), "asinh": _monotone(asinh, 1.0), "cosh": _hyperbolic_cosine,
    "sinh": _monotone(sinh, lambda a: cosh(_reach(a)) * _MORE if _reach(a) < _WIDEST else inf),
    "tan": _monotone(tan, lambda a: cos(_reach(a)) ** -2 * _MORE if _reach(a) < 1.57 else inf),
    "asin": _monotone(asin, _slope_within_one(0.5)), "acos": _monotone(acos, _slope_within_one(0.5), falls=True),
    "atanh": _monotone(atanh, _slope_within_one(1.0)), "acosh": _monotone(acosh, _slope_beyond_one),
    "log": _positive(_logarithm), "sqrt": _positive(_root), "rsqrt": _positive(_inverse_root),
}  # fmt: skip


__all__ = ["Bound", "Bounds", "followed", "nearest", "rounding_bound", "stepped", "widest"]
