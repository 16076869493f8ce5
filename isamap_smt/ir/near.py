"""Propagation of an error through one operation, and its rounding: a bound for every program rounding it so.

    stepped("+", [a, b], kind)        by the names known to isamap_encodings.error_steps

A `Near` is a number v in f64 and a bound E: the exact number and a program's both lie within E of v. So the exact one
is within 2E of a program's. Each rule takes the exact operands anywhere within their bounds, and a program's anywhere
within theirs. Rounding to a type with unit u (half of the distance from 1 to the next number) and smallest step 2t
gives at most u |result| + t; a function of k ULP gives 2 k (u |result| + t), as an ULP is at most this long. The bound
is infinity, and states nothing, if a result overflows, leaves a function's domain, or is no number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np

from isamap_smt.ir.dtypes import DTYPES, DType
from isamap_smt.ir.heads import FUNCTION_ROWS, FUNCTIONS, HEADS
from isamap_smt.ir.scalar import Fmod, Pow, SMod

Array = np.ndarray
EXACT = 2**53  # f64 holds all integers up to here
TWICE = 0.51  # ULP of a sum rounded to f32, and then to its own type
SLACK = 1 + 2.0**-30  # for the rounding of the bounds themselves, computed in f64


@dataclass(frozen=True)
class Near:
    """v and E of many numbers."""

    value: Array
    error: Array

    @property
    def size(self) -> Array:
        """An upper bound of the absolute values of the exact number and a program's."""
        return np.asarray(np.abs(self.value) + self.error)

    @property
    def low(self) -> Array:
        """A lower bound of both, whatever is rounded here; NaN if the error is NaN."""
        return np.where(self.error == 0, self.value, np.nextafter(self.value - self.error, -np.inf))

    @property
    def high(self) -> Array:
        """An upper bound of both."""
        return np.where(self.error == 0, self.value, np.nextafter(self.value + self.error, np.inf))

    @property
    def apart(self) -> Array:
        """The largest distance between the two."""
        return 2 * self.error


def limits(kind: DType) -> tuple[float, float, float]:
    """Of a type of floating point the distance from 1 to the next number, the smallest number, and the largest one."""
    about: Any = ml_dtypes.finfo(kind.numpy)  # type: ignore[no-untyped-call]
    return float(about.eps), float(about.smallest_subnormal), float(about.max)


@dataclass(frozen=True)
class Unit:
    """u and t of a type, and its largest number."""

    relative: float
    smallest: float
    largest: float

    @staticmethod
    def of(kind: DType) -> Unit:
        """Of a floating-point type."""
        eps, smallest, largest = limits(kind)
        tiny = float(np.finfo(np.float64).tiny)  # below it f64 has too few digits to compute bounds of f64 in
        return Unit(eps / 2, max(smallest / 2, tiny), largest)


def settled(value: Array, error: Array, unit: Unit | None = None) -> Near:
    """Both, with infinity as the error unless all values are finite numbers of the type."""
    with np.errstate(all="ignore"):
        error = np.asarray(error * SLACK)
        fine = np.isfinite(value) & np.isfinite(error)
        if unit is not None:
            fine &= np.abs(value) + error < unit.largest
        return Near(np.asarray(value), np.where(fine, error, np.inf))


def rounded(exact: Near, kind: DType, ulp: float = 0.5, wide_ulp: float = 0.5) -> Near:
    """The rounded result of an operation whose operands' errors leave `exact`.

    It is off by `ulp` of its exact result, and by wide_ulp in f64, the type of v. Integers do not round; beyond their
    range there is no bound.
    """
    if not kind.is_float:
        inside = (exact.low >= max(kind.low, -EXACT)) & (exact.high <= min(kind.high, EXACT))
        return Near(exact.value, np.where(inside, exact.error, np.inf))
    unit, wide = Unit.of(kind), Unit.of(DTYPES["f64"])
    with np.errstate(all="ignore"):
        own = 2 * ulp * (unit.relative * exact.size + unit.smallest)
        ours = 2 * wide_ulp * (wide.relative * exact.size + wide.smallest)
        return settled(exact.value, exact.error + own + ours, unit)


def stepped(op: str, operands: Sequence[Near], kind: DType, ulp: float = 0.5) -> Near:
    """The operation of these, off by so many ULP of its type; with 0 nothing is rounded."""
    row = FUNCTION_ROWS.get(FUNCTIONS[op]) if op in FUNCTIONS else None
    with np.errstate(all="ignore"):
        exact = _RULES[op](*operands) if op in _RULES else _function(op, *operands)
        return rounded(exact, kind, ulp, row.wide_ulp if row else 0.5) if ulp else exact


def _add(a: Near, b: Near) -> Near:
    return Near(a.value + b.value, a.error + b.error)


def _negative(a: Near) -> Near:
    return Near(-a.value, a.error)


def _multiply(a: Near, b: Near) -> Near:
    """|a'b' - ab| <= |a| F + |b| E + E F."""
    return Near(a.value * b.value, np.abs(a.value) * b.error + np.abs(b.value) * a.error + a.error * b.error)


def _divide(a: Near, b: Near) -> Near:
    """|a'/b' - a/b| <= (E + |a/b| F) / |b'|, with |b'| >= |b| - F."""
    quotient, least = a.value / b.value, np.abs(b.value) - b.error
    return Near(quotient, np.where(least > 0, (a.error + np.abs(quotient) * b.error) / least, np.inf))


def larger(a: Near, b: Near, smaller: bool = False) -> Near:
    """The maximum, or the minimum: it lies between those of the operands' lowest and of their highest values."""
    choose = np.minimum if smaller else np.maximum
    return within(choose(a.value, b.value), choose(a.low, b.low), choose(a.high, b.high))


def within(value: Array, low: Array, high: Array) -> Near:
    """A number between the two."""
    with np.errstate(all="ignore"):
        return settled(value, np.maximum(high - value, value - low))


def chosen(certain: Array, condition: Array, a: Near, b: Near) -> Near:
    """a if the condition holds, else b; either one if the condition is not certain."""
    with np.errstate(all="ignore"):
        value = np.where(condition, a.value, b.value)
        either = np.maximum(a.error + np.abs(a.value - value), b.error + np.abs(b.value - value))
        return settled(value, np.where(certain, np.where(condition, a.error, b.error), either))


def whole(a: Near, rounding: Any) -> Near:
    """This rounding of both ends; they lie as far apart as the roundings of any two numbers between."""
    with np.errstate(all="ignore"):
        at = rounding(a.value)
        return within(at, rounding(a.low), rounding(a.high))


def _function(op: str, a: Near) -> Near:
    """E times the largest slope between, or the distances at the ends."""
    row = FUNCTION_ROWS[FUNCTIONS[op]]
    if row.rounds:
        return whole(a, row.f64)
    value = np.asarray(row.f64(np.asarray(a.value, np.float64)))
    return Near(value, np.where(a.error > 0, _MOVED[op](a) if op in _MOVED else np.inf, 0.0))


def _power(a: Near, b: Near) -> Near:
    """a to the power of b: of positive a' = a (1 + d) it is a^b e^(b log(1 + d) + (b' - b) log a')."""
    value = np.asarray(FUNCTION_ROWS[Pow].f64(np.asarray(a.value, np.float64), np.asarray(b.value, np.float64)))
    share = -np.log1p(-a.error / a.value)
    moved = (np.abs(b.value) + b.error) * share + b.error * (np.abs(np.log(a.value)) + share)
    error = np.where(a.low > 0, np.abs(value) * np.expm1(moved), np.inf)
    return Near(value, np.where(a.error + b.error > 0, error, 0.0))


def _left_over(of: Callable[..., Array], a: Near, b: Near) -> Near:
    """fmod, always exact, or %, rounded if b is added: it jumps, and stays nearer to 0 than the divisor."""
    value = np.asarray(of(*np.broadcast_arrays(a.value, b.value)))
    least = np.abs(b.value) - b.error
    jump = np.where(least > 0, np.abs(value) + np.abs(b.value) + b.error, np.inf)
    return Near(value, np.where(a.error + b.error > 0, jump, 0.0))


def _left_exactly(a: Near, b: Near) -> Near:
    found = _left_over(FUNCTION_ROWS[Fmod].f64, a, b)
    return settled(found.value, found.error)


def _moved_exponential(a: Near) -> Array:
    return np.fmin(
        np.exp(a.value) * np.expm1(a.error), np.exp(a.high)
    )  # if the error is large, both lie below the latter


def _moved_sigmoid(a: Near) -> Array:
    z = np.exp(-_nearest(a))
    return np.asarray(a.error * z / (1 + z) ** 2)


def _moved_root(a: Near) -> Array:
    return np.where(a.low >= 0, a.error / sum(_roots(a)), np.inf)


def _moved_inverse_root(a: Near) -> Array:
    root, least = _roots(a)
    return np.where(a.low > 0, a.error / (root * least * (root + least)), np.inf)


def _nearest(a: Near) -> Array:
    """The least distance of the argument from 0, the place of the largest slope."""
    return np.asarray(np.maximum(np.abs(a.value) - a.error, 0.0))


def _roots(a: Near) -> tuple[Array, Array]:
    """Roots of the value and of its lower bound; their distance is error / sum, free of cancellation."""
    return np.sqrt(a.value), np.sqrt(np.maximum(a.low, 0.0))


def _moved_tangent(a: Near) -> Array:
    """Between two poles: it stays `apart` from them."""
    turn = np.abs(a.value - np.pi * np.rint(a.value / np.pi))
    apart = (np.pi / 2 - turn) - a.error - 1e-9
    return np.where((apart > 0) & (np.abs(a.value) < 1e5), a.error / np.sin(np.maximum(apart, 1e-300)) ** 2, np.inf)


def _moved_within_one(a: Near, power: float) -> Array:
    """A slope of (1 - v^2)^-power."""
    size = np.abs(a.value) + a.error
    return np.where(size < 1, a.error / np.maximum((1 - size) * (1 + size), 1e-300) ** power, np.inf)


def _moved_beyond_one(a: Near) -> Array:
    least = a.low
    return np.where(least > 1, a.error / np.sqrt(np.maximum((least - 1) * (least + 1), 1e-300)), np.inf)


def _moved_hyperbola(a: Near) -> Array:
    return np.asarray(a.error * np.cosh(np.abs(a.value) + a.error))


# how far a function goes when its argument goes as far as it may
_MOVED: dict[str, Callable[[Near], Array]] = {
    "exp": _moved_exponential,
    "log": lambda a: np.where(a.low > 0, -np.log1p(-a.error / a.value), np.inf),
    "tanh": lambda a: a.error / np.cosh(np.minimum(_nearest(a), 300.0)) ** 2,
    "sigmoid": _moved_sigmoid,
    "erf": lambda a: a.error * 2 / np.sqrt(np.pi) * np.exp(-_nearest(a) * _nearest(a)),
    "sqrt": _moved_root,
    "rsqrt": _moved_inverse_root,
    **dict.fromkeys(("sin", "cos", "atan", "asinh"), lambda a: a.error),
    **dict.fromkeys(("sinh", "cosh"), _moved_hyperbola),
    **dict.fromkeys(("asin", "acos"), lambda a: _moved_within_one(a, 0.5)),
    "atanh": lambda a: _moved_within_one(a, 1.0),
    "acosh": _moved_beyond_one,
    "tan": _moved_tangent,
}

_RULES: dict[str, Callable[..., Near]] = {
    "+": _add, "-": lambda a, b: _add(a, _negative(b)), "*": _multiply, "square": lambda a: _multiply(a, a), "/": _divide,
    "neg": _negative, "same": lambda a: a, "abs": lambda a: settled(np.abs(a.value), a.error),
    "max": larger, "min": lambda a, b: larger(a, b, True), "relu": lambda a: larger(a, Near(np.zeros(1), np.zeros(1))),
    "pow": _power, "fmod": _left_exactly, "%": partial(_left_over, HEADS[SMod].numpy),
}  # fmt: skip
