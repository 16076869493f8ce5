"""Rational numbers below and above exp, log, tanh, sigmoid and erf of a rational number, by their series and remainders.

Only the first guess of a logarithm is computed in floating point; exp then confirms it.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import factorial, isqrt, log

Ends = tuple[Fraction, Fraction]
DIGITS = 12  # of what others get
_WORK, _TERMS = 40, 30  # digits and terms of a series on the way
_FAR = 6  # beyond, erf is 1 but for e^-36
_DEEP = Fraction(2000)  # below its negative e^x is not told from 0: it is less than any type's smallest number
SLOPE = Fraction(1128379167095512, 10**15), Fraction(1128379167095513, 10**15)  # 2 / sqrt(pi), the steepest erf is


def shorter(x: Fraction, up: bool, digits: int = DIGITS) -> Fraction:
    """A number of about so many decimal digits: the largest one not above x; or the least one not below.

    >>> shorter(Fraction(1, 3), up=False, digits=3), shorter(Fraction(-2, 3), up=True, digits=2)
    (Fraction(3333, 10000), Fraction(-33, 50))
    """
    if x == 0:
        return x
    exponent = (x.numerator.bit_length() - x.denominator.bit_length()) * 30103 // 100_000 - digits
    scaled = x / Fraction(10) ** exponent
    return (-(-scaled // 1) if up else scaled // 1) * Fraction(10) ** exponent


def _short(ends: Ends, digits: int = DIGITS) -> Ends:
    return shorter(ends[0], False, digits), shorter(ends[1], True, digits)


def exp_ends(x: Fraction) -> Ends:
    """e^x is not below the first and not above the second; they differ in the twelfth digit at most.

    >>> [round(float(e), 9) for e in exp_ends(Fraction(1))], exp_ends(Fraction(0)) == (1, 1)
    ([2.718281828, 2.718281828], True)
    """
    return _short(_exp(x))


def _exp(x: Fraction) -> Ends:
    if x == 0:
        return Fraction(1), Fraction(1)
    if x < -_DEEP:
        return Fraction(0), _exp(-_DEEP)[1]
    halved = 0
    while abs(x) > Fraction(1, 2):
        x, halved = x / 2, halved + 1
    sum_ = sum((x**k / factorial(k) for k in range(_TERMS)), Fraction(0))
    left = 2 * abs(x) ** _TERMS / factorial(_TERMS)  # terms behind are at most half of the one before
    ends = _short((sum_ - left, sum_ + left), _WORK)
    for _ in range(halved):
        ends = _short((ends[0] ** 2, ends[1] ** 2), _WORK)
    return ends


def grown(d: Fraction) -> Fraction:
    """Not below e^d - 1, for d >= 0."""
    if d > Fraction(1, 1000):
        return shorter(_exp(d)[1] - 1, True)
    return shorter(d + d**2 / 2 + d**3 / 6 + d**4, True)  # what is left of the series is less than d^4 up to d = 1


def shrunk(s: Fraction) -> Fraction:
    """Not below -log(1 - s), for 0 <= s < 1."""
    if s > Fraction(1, 1000):
        return shorter(-log_ends(1 - s)[0], True)
    return shorter(s + s**2 / 2 + s**3 / 3 + s**4, True)  # what is left of the series is less than s^4 up to s = 1/2


def log_ends(x: Fraction) -> Ends:
    """Below and above log x, for x > 0. Raises ArithmeticError if the guess is not confirmed."""
    if x == 1:
        return Fraction(0), Fraction(0)
    guess = Fraction(log(x))
    away = abs(guess) / 10**11 + Fraction(1, 10**13)
    low, high = guess - away, guess + away
    if not (_exp(low)[1] <= x <= _exp(high)[0]):
        raise ArithmeticError(f"log({float(x):g}) is not between {float(low)} and {float(high)}")
    return _short((low, high))


def root_ends(x: Fraction) -> Ends:
    """Below and above the square root of x, for x >= 0."""
    scale = 10**40
    below = Fraction(isqrt(x.numerator * scale * scale // x.denominator), scale)
    if below * below == x:
        return below, below
    return _short((below, below + Fraction(1, scale)), 2 * DIGITS)


def _sigmoid(x: Fraction) -> Ends:
    if x < -_DEEP:
        return _exp(x)
    low, high = _exp(-x)
    return 1 / (1 + high), 1 / (1 + low)


def _tanh(x: Fraction) -> Ends:
    low, high = _sigmoid(2 * x)
    return 2 * low - 1, 2 * high - 1


def _erf(x: Fraction) -> Ends:
    if x < 0:
        low, high = _erf(-x)
        return -high, -low
    if x > _FAR:
        return 1 - Fraction(1, 10**15), Fraction(1)  # erfc(x) < e^(-x^2)
    x = shorter(x, False, 20)  # whose series has short numbers; what is cut off moves erf by less than two of it
    power, k, sum_ = x, 0, x
    while k < 4 or x * x >= k or power > Fraction(1, 10**25):
        k += 1
        power = shorter(power * x * x / k, False, _WORK)
        sum_ += (-power if k % 2 else power) / (2 * k + 1)
    left = power + Fraction(1, 10**18)  # an alternating series, whose terms fall by now; and digits cut off
    between = sum_ - left, sum_ + left
    return max(between[0], Fraction(0)) * SLOPE[0], between[1] * SLOPE[1]


def _rounded(ends: Callable[[Fraction], Ends]) -> Callable[[Fraction], Ends]:
    def short(x: Fraction) -> Ends:
        return (Fraction(0), Fraction(0)) if x == 0 and ends is not _sigmoid else _short(ends(x))

    return short


ENDS: dict[str, Callable[[Fraction], Ends]] = {
    "exp": exp_ends, "log": log_ends, "sigmoid": _rounded(_sigmoid), "tanh": _rounded(_tanh), "erf": _rounded(_erf),
}  # fmt: skip
