"""One operation carries rounding errors from operands to result: a question over the reals for every bound of it.

Exact operands a, b lie in ranges; those of a program, a' and b', are off by at most `relative` of them and by
`absolute`. The exact result is r, the operation of a' and b' is e, and a program has r', e rounded: off by at most
`2 k (u |e| + t)`, for k ULP. The questions: r lies in its range, r' is off by no more than the bound, e does not
overflow, and nothing is divided by 0. Only functions without a polynomial are abstracted: rational bounds on their
values (isamap_encodings.enclosures) and on their slopes are assumed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, reduce
from operator import add
from typing import Any, Generic, TypeVar

import z3

from isamap_encodings.enclosures import ENDS, SLOPE, grown, root_ends, shorter, shrunk
from isamap_encodings.solve import ask, is_recording
from isamap_encodings.verdict import Proved, Unknown, Verdict

_STEEPEST = {"tanh": Fraction(1), "sigmoid": Fraction(1, 4), "erf": SLOPE[1]}
_HALF = Fraction(1, 2)
_R, _E = "r", "e"


@dataclass(frozen=True)
class Known:
    """Exact numbers lie in [low, high]; a program's are off by at most relative * |exact| + absolute."""

    low: Fraction
    high: Fraction
    relative: Fraction = Fraction(0)
    absolute: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        if self.low > self.high or self.relative < 0 or self.absolute < 0:  # anything would follow from it
            raise ValueError(f"{self} holds of no number")

    @property
    def size(self) -> Fraction:
        """An upper bound on the sizes of exact numbers."""
        return max(abs(self.low), abs(self.high))

    @property
    def error(self) -> Fraction:
        """How far a program's number may be off."""
        return self.relative * self.size + self.absolute


@dataclass(frozen=True)
class Arithmetic:
    """u: half of the distance from 1 to the next number; t: half of the smallest; 0 for integers. low, high: of all numbers."""

    unit: Fraction
    smallest: Fraction
    low: Fraction
    high: Fraction


def _once(question: Callable[..., Verdict], *of: Any) -> Verdict:
    """The verdict, asked once in this process; asked each time if the text of questions is recorded."""
    return question(*of) if is_recording() else _remembered(question, *of)


@lru_cache(maxsize=20_000)
def _remembered(question: Callable[..., Verdict], *of: Any) -> Verdict:
    return question(*of)


def step(
    op: str, operands: Sequence[Known], result: Known, arithmetic: Arithmetic | None, ulp: Fraction = _HALF,
    below: bool = False,
) -> Verdict:  # fmt: skip
    """Whether `op` of such operands, off by `ulp` ULP, is such a result. arithmetic: None if nothing is rounded.

    op: + - * / max min neg abs relu floor ceil trunc rint same exp log tanh sigmoid erf sin cos sqrt rsqrt,
    square (of an operand computed twice), either and surely (one of two; in `surely` a
    program takes the same one as the exact result). below: a is known to be at most b.
    """
    return _once(_step, op, tuple(operands), result, arithmetic, ulp, below)


def _step(
    op: str, operands: tuple[Known, ...], result: Known, arithmetic: Arithmetic | None, ulp: Fraction, below: bool
) -> Verdict:
    started = time.perf_counter()
    asked: list[tuple[list[Any], Any]] = []
    if op == "square":
        asked, facts = _square(operands[0], result, arithmetic)
    else:
        names = ("a", "b")[: len(operands)]
        x, p = [z3.Real(n) for n in names], [z3.Real(f"{n}'") for n in names]
        facts = [f for v, w, k in zip(x, p, operands, strict=True) for f in _within(v, w, k)]
        if below:
            facts.append(x[0] <= x[1])
        try:
            goals, about = _OPERATIONS.get(op, _named)(op, x, p, list(operands))
        except ArithmeticError as error:
            return Unknown(str(error), time.perf_counter() - started)
        asked += [(facts, g) for g in goals]
        facts = [*facts, *about]
    r, e, made = z3.Real("r"), z3.Real("e"), z3.Real("r'")
    if arithmetic is None:
        facts_after = [*facts, made == e]
    else:
        asked += [(facts, g) for g in (_q(arithmetic.low) <= e, e <= _q(arithmetic.high))]
        facts_after = [*facts, *_off(made, e, 2 * ulp, arithmetic)]
    asked += [(facts_after, g) for g in _within(r, made, result)]
    return _all(asked, op, started)


def _square(k: Known, result: Known, arithmetic: Arithmetic | None) -> tuple[list[tuple[list[Any], Any]], list[Any]]:
    """(questions, facts) of a square. Asked: if a' and b' are off by at most d of a, their product is off by 2 |a| d + d^2.

    Facts of the square r: the size of a; the bound above for d = relative |a| + absolute; and (c |a| - absolute)^2 >=
    0, which solvers do not find by themselves. Here c is the share of the result's relative bound left for the absolute
    part.
    """
    a, p, q, d, m = z3.Reals("a a' b' d size")
    near = [m == _size(a), *(f for v in (p, q) for f in (v - a <= d, a - v <= d))]
    off = 2 * m * d + d * d
    asked: list[tuple[list[Any], Any]] = [(near, p * q - a * a <= off), (near, a * a - p * q <= off)]
    r, e, by = z3.Real(_R), z3.Real(_E), _q(k.relative) * m + _q(k.absolute)
    least = max(k.low, -k.high, Fraction(0))
    facts = [m >= _q(least), m <= _q(k.size), r == m * m]
    u = arithmetic.unit if arithmetic else Fraction(0)
    left = (result.relative - u - (2 + k.relative) * k.relative * (1 + u)) / ((1 + k.relative) * (1 + u))
    if left > 0 and k.absolute:
        root = _q(shorter(left, up=False)) * m - _q(k.absolute)
        facts.append(root * root >= 0)
    return asked, [*facts, e - r <= 2 * m * by + by * by, r - e <= 2 * m * by + by * by]


def _all(asked: Sequence[tuple[Sequence[Any], Any]], name: str, started: float) -> Verdict:
    """The first verdict other than Proved, or Proved."""
    for facts, goal in asked:
        verdict = ask(facts, goal, name)
        if not isinstance(verdict, Proved):
            return replace(verdict, seconds=time.perf_counter() - started)
    return Proved(time.perf_counter() - started)


def _q(x: Fraction) -> Any:
    return z3.Q(x.numerator, x.denominator)


def _size(x: Any, k: Known | None = None) -> Any:
    if k is not None and k.low >= 0:
        return x
    return -x if k is not None and k.high <= 0 else z3.If(x >= 0, x, -x)


def _within(x: Any, p: Any, k: Known) -> list[Any]:
    """The constraints of Known on an exact number and on a program's."""
    allowed = _q(k.relative) * _size(x, k) + _q(k.absolute)
    return [x >= _q(k.low), x <= _q(k.high), p - x <= allowed, x - p <= allowed]


def _off(made: Any, e: Any, ulps: Fraction, arithmetic: Arithmetic) -> list[Any]:
    allowed = _q(ulps * arithmetic.unit) * _size(e) + _q(ulps * arithmetic.smallest)
    return [made - e <= allowed, e - made <= allowed]


# Each gives what must hold of the operands, and what r and e are of them.
Meaning = tuple[list[Any], list[Any]]


def _polynomial(of: Callable[..., Any]) -> Callable[..., Meaning]:
    def meaning(op: str, x: list[Any], p: list[Any], known: list[Known]) -> Meaning:
        return [], [z3.Real(_R) == of(*x), z3.Real(_E) == of(*p)]

    return meaning


def _quotient(op: str, x: list[Any], p: list[Any], known: list[Known]) -> Meaning:
    r, e = z3.Real(_R), z3.Real(_E)
    return [x[1] != 0, p[1] != 0], [r * x[1] == x[0], e * p[1] == p[0]]


def _root(op: str, x: list[Any], p: list[Any], known: list[Known]) -> Meaning:
    """a' is a (1 + d) with |d| <= s < 1. So sqrt a' is sqrt a times sqrt(1 + d), within 1 - sqrt(1 - s) of 1; and
    the inverse of sqrt(1 + d) is within 1 / sqrt(1 - s) - 1 of 1."""
    (k,) = known
    if k.low <= 0 or (share := k.relative + k.absolute / k.low) >= 1:
        return [z3.BoolVal(False)], []
    r, e = z3.Real(_R), z3.Real(_E)
    ends = [root_ends(v) for v in (k.low, k.high)]
    least = root_ends(1 - share)[0]
    if op == "rsqrt":
        ends, more = [(1 / high, 1 / low) for low, high in reversed(ends)], 1 / least - 1
    else:
        more = 1 - least
    more = shorter(more, up=True)
    return [], [r >= _q(ends[0][0]), r <= _q(ends[1][1]), e - r <= _q(more) * r, r - e <= _q(more) * r]


def _whole(below: Fraction, above: Fraction) -> Callable[..., Meaning]:
    """A function to integers, at most so far below and above its argument: it jumps."""

    def meaning(op: str, x: list[Any], p: list[Any], known: list[Known]) -> Meaning:
        r, e = z3.Real(_R), z3.Real(_E)
        near = [f for v, w in ((r, x[0]), (e, p[0])) for f in (v >= w - _q(below), v <= w + _q(above))]
        return [], [*near, z3.Implies(p[0] == x[0], e == r)]

    return meaning


def _chosen(op: str, x: list[Any], p: list[Any], known: list[Known]) -> Meaning:
    first = z3.Bool("exactly")
    taken = first if op == "surely" else z3.Bool("computed")
    return [], [z3.Real(_R) == z3.If(first, x[0], x[1]), z3.Real(_E) == z3.If(taken, p[0], p[1])]


def _exponential(op: str, x: list[Any], p: list[Any], known: list[Known]) -> Meaning:
    """e^(a + d) is e^a e^d, and |e^d - 1| <= e^|d| - 1."""
    (k,) = known
    r, e, more = z3.Real(_R), z3.Real(_E), _q(grown(k.error))
    return [], [r >= _q(ENDS["exp"](k.low)[0]), r <= _q(ENDS["exp"](k.high)[1]), e - r <= more * r, r - e <= more * r]


def _logarithm(op: str, x: list[Any], p: list[Any], known: list[Known]) -> Meaning:
    """log a' - log a is the logarithm of a' / a, a number within s of 1; and -log(1 - s) is larger than log(1 + s)."""
    (k,) = known
    if k.low <= 0 or (share := k.relative + k.absolute / k.low) >= 1:
        return [z3.BoolVal(False)], []
    r, e, more = z3.Real(_R), z3.Real(_E), _q(shrunk(share))
    return [], [r >= _q(ENDS["log"](k.low)[0]), r <= _q(ENDS["log"](k.high)[1]), e - r <= more, r - e <= more]


def _bent(op: str, x: list[Any], p: list[Any], known: list[Known]) -> Meaning:
    """A function that grows, nowhere steeper than this."""
    (k,) = known
    r, e, steep = z3.Real(_R), z3.Real(_E), _q(_STEEPEST[op])
    off = steep * _size(p[0] - x[0])
    return [], [r >= _q(ENDS[op](k.low)[0]), r <= _q(ENDS[op](k.high)[1]), e - r <= off, r - e <= off]


def _named(op: str, x: list[Any], p: list[Any], known: list[Known]) -> Meaning:
    raise ArithmeticError(f"what {op} does to a rounding error is not described")


def _max(a: Any, b: Any) -> Any:
    return z3.If(a >= b, a, b)


def _wave(op: str, x: list[Any], p: list[Any], known: list[Known]) -> Meaning:
    """Between -1 and 1, and nowhere steeper than 1."""
    r, e, d = z3.Real(_R), z3.Real(_E), _size(p[0] - x[0])
    return [], [r >= -1, r <= 1, e >= -1, e <= 1, e - r <= d, r - e <= d]


_OPERATIONS: dict[str, Callable[[str, list[Any], list[Any], list[Known]], Meaning]] = {
    "+": _polynomial(lambda a, b: a + b),
    "-": _polynomial(lambda a, b: a - b),
    "*": _polynomial(lambda a, b: a * b),
    "max": _polynomial(_max),
    "min": _polynomial(lambda a, b: z3.If(a <= b, a, b)),
    "neg": _polynomial(lambda a: -a),
    "sin": _wave,
    "cos": _wave,
    "same": _polynomial(lambda a: a),
    "relu": _polynomial(lambda a: _max(a, z3.RealVal(0))),
    "abs": _polynomial(_size),
    "/": _quotient, "sqrt": _root, "rsqrt": _root, "floor": _whole(Fraction(1), Fraction(0)),
    "ceil": _whole(Fraction(0), Fraction(1)), "trunc": _whole(Fraction(1), Fraction(1)),
    "rint": _whole(_HALF, _HALF), "either": _chosen, "surely": _chosen,
    "exp": _exponential, "log": _logarithm, "tanh": _bent, "sigmoid": _bent, "erf": _bent,
}  # fmt: skip


Of = TypeVar("Of")


@dataclass(frozen=True)
class Total(Generic[Of]):
    """A sum over `points`, or at least `least` of them, of all these terms with their signs, and of the value there before.

    peak: of the only term, one at least is as large; only if each point has the terms.
    """

    terms: tuple[tuple[int, Of], ...]
    points: int
    least: int
    before: Of | None = None
    peak: Any = None

    @property
    def roundings(self) -> int:
        """The most roundings of any term, in any order of additions."""
        return max(0, self.points * len(self.terms) - 1 + (self.before is not None))


def total(sum_: Total[Known], result: Known, arithmetic: Arithmetic) -> Verdict:
    """Whether such a sum is such a result, in any order: off by at most k u / (1 - k u) of the sum of its terms' sizes."""
    return _once(_total, sum_, result, arithmetic)


def _total(sum_: Total[Known], result: Known, arithmetic: Arithmetic) -> Verdict:
    started = time.perf_counter()
    share = sum_.roundings * arithmetic.unit
    if share >= 1:
        return Unknown(f"{sum_.roundings} roundings may be as large as the sum is")
    grown_ = share / (1 - share)
    m, r, e, made, sizes = z3.Reals("m r e r' sizes")
    facts = [z3.And(m >= sum_.least, m <= sum_.points)]
    exact: list[Any] = []
    computed: list[Any] = []
    size: list[Any] = []
    for n, (sign, k) in enumerate(sum_.terms, 1):
        s, d, whole = z3.Real(f"s{n}"), z3.Real(f"d{n}"), z3.Real(f"size{n}")
        off = _q(k.relative) * whole + _q(k.absolute) * m
        facts += [s >= m * _q(k.low), s <= m * _q(k.high), d <= off, -d <= off, *_sizes(s, whole, m, k)]
        exact.append(sign * s)
        computed.append(sign * (s + d))
        size.append(whole + off)
    if sum_.peak is not None:
        facts.append(z3.Real("s1") >= _q(sum_.peak) + (m - 1) * _q(sum_.terms[0][1].low))
    if sum_.before is not None:
        b, was = z3.Reals("b b'")
        facts += _within(b, was, sum_.before)
        exact.append(b)
        computed.append(was)
        size.append(_size(was))
    facts += [r == _plus(exact), e == _plus(computed), sizes == _plus(size)]
    facts += [made - e <= _q(grown_) * sizes, e - made <= _q(grown_) * sizes]
    if arithmetic.unit:  # no partial sum overflows
        goals = [_q(1 + grown_) * sizes <= _q(arithmetic.high)]
    else:  # sums of integers that wrap around are right at the end
        goals = [_q(arithmetic.low) <= e, e <= _q(arithmetic.high)]
    goals += _within(r, made, result)
    return _all([(facts, g) for g in goals], "total", started)


def _plus(terms: list[Any]) -> Any:
    return reduce(add, terms)


def _sizes(s: Any, whole: Any, m: Any, k: Known) -> list[Any]:
    """Facts about the sum of the sizes of terms, beside those about the terms."""
    if k.low >= 0:
        return [whole == s]
    if k.high <= 0:
        return [whole == -s]
    return [whole >= s, whole >= -s, whole <= m * _q(k.size)]


def any_order(arithmetic: Arithmetic) -> Verdict:
    """Why sums in any order are off by k u / (1 - k u) of the sizes: two sums off by E of theirs make one off by
    (1 + E)(1 + u) - 1; and from h roundings to h + 1, (1 + u)^h stays below 1 / (1 - h u)."""
    return _once(_any_order, arithmetic)


def _any_order(arithmetic: Arithmetic) -> Verdict:
    started = time.perf_counter()
    u = _q(arithmetic.unit)
    s, t, made, sizes, other = z3.Reals("s t r' size_s size_t")
    s_, t_, off, more = z3.Reals("s' t' off_s off_t")
    facts = [f for x, y, d in ((s, s_, off), (t, t_, more)) for f in (x - y <= d, y - x <= d)]
    facts += [sizes >= s, sizes >= -s, other >= t, other >= -t]
    e = s_ + t_
    facts += [made - e <= u * _size(e), e - made <= u * _size(e)]
    allowed = u * (sizes + other) + (1 + u) * (off + more)
    goals = [made - (s + t) <= allowed, (s + t) - made <= allowed]
    h, now, then = z3.Reals("h now then")
    rounds = [h >= 0, (h + 1) * u < 1, now * (1 - h * u) == 1, then * (1 - (h + 1) * u) == 1]
    return _all([*((facts, g) for g in goals), (rounds, now * (1 + u) <= then)], "any order", started)


def at_most(result: Known, stated: Known) -> Verdict:
    """Whether numbers known by `result` are off by no more than `stated` says."""
    x, p = z3.Reals("r r'")
    started = time.perf_counter()
    facts = _within(x, p, result)
    return _all([(facts, g) for g in _within(x, p, stated)], "stated", started)
