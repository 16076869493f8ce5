"""How many terms an integer accumulator can take before it may overflow, and the proof of no overflow until then.

`term_range` bounds one term, proved over bit-vectors; `sums_stay` proves by induction over the number of terms: every
sum of up to `count` of them stays within the type, in any order: a partial sum of k terms lies
between k times the least and k times the greatest.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import z3

from isamap_encodings.machine import Bits
from isamap_encodings.scalar import RLIMIT
from isamap_encodings.scalar_values import Kind, kind_of, limits, spanned, value, wrapped
from isamap_encodings.solve import ask
from isamap_encodings.terms import NotExpressible
from isamap_encodings.verdict import Proved, Refuted, Unknown, Verdict

Interval = tuple[int, int]
Ranges = Mapping[str, Interval]
CORNERS = 4096


@dataclass(frozen=True)
class TermRange:
    """Every value of the term lies in [low, high]; least and greatest: elements with the values low and high, if known.

    wraps: whether arithmetic within the term may leave its own type (written conversions may change a value).
    """

    low: int
    high: int
    least: Mapping[str, int] | None
    greatest: Mapping[str, int] | None
    verdict: Verdict
    wraps: bool


def term_range(e: Any, types: Mapping[str, Kind], result: Kind, ranges: Ranges) -> TermRange | None:
    """The least and greatest value of a term, wrapped as its own types say. None for heads outside arithmetic.

    Bounds by interval arithmetic if the extremes of the elements attain them, else by bisection over proofs.
    """
    wraps: list[Any] = []
    try:
        (low, high), _ = _interval(e, types, ranges, wraps)
    except KeyError:
        return None
    top = limits(result)
    low, high = (low, high) if top[0] <= low and high <= top[1] else top
    corners = _corners(e, types, result, ranges)
    b = Bits(types)
    try:
        v = b.value(e, result)
    except (NotExpressible, KeyError):
        return None
    given = [b.between(n, *r) for n, r in sorted(ranges.items()) if n in types]
    less = (lambda x, y: x <= y) if result[0] == "i" else z3.ULE

    def within(x: int, y: int) -> Verdict:
        return ask(
            given, z3.And(less(z3.BitVecVal(x, result[1]), v), less(v, z3.BitVecVal(y, result[1]))), "term", RLIMIT
        )

    if corners:
        least, greatest = min(corners), max(corners)
        low = low if low == least else -_bisect(-low, -least, lambda x: within(-x, high))
        high = high if high == greatest else _bisect(high, greatest, lambda x: within(low, x))
    at_low, at_high = corners.get(low), corners.get(high)
    return TermRange(low, high, at_low, at_high, within(low, high), bool(wraps))


def bounds(e: Any, types: Mapping[str, Kind], ranges: Ranges) -> Interval | None:
    """Bounds by interval arithmetic of a tree without wrapping; None if something may wrap, or for other heads."""
    wraps: list[Any] = []
    try:
        found, _ = _interval(e, types, ranges, wraps)
    except KeyError:
        return None
    return None if wraps else found


def _bisect(proved: int, attained: int, within: Callable[[int], Verdict]) -> int:
    """The least proved bound in [attained, proved]."""
    while attained < proved:
        middle = (attained + proved) // 2
        if isinstance(within(middle), Proved):
            proved = middle
        else:
            attained = middle + 1
    return proved


def _corners(e: Any, types: Mapping[str, Kind], result: Kind, ranges: Ranges) -> dict[int, dict[str, int]]:
    """Value of the term -> elements, with every element at its least, its greatest or 0."""
    names = sorted(types)
    ends = []
    for n in names:
        low, high = ranges.get(n, limits(types[n]))
        ends.append(sorted({low, high, *([0] if low <= 0 <= high else [])}))
    found: dict[int, dict[str, int]] = {}
    for corner in itertools.islice(itertools.product(*ends), CORNERS):
        at = dict(zip(names, corner, strict=True))
        try:
            found.setdefault(wrapped(value(e, at, types)[0], result), at)
        except (KeyError, TypeError):
            return {}
    return found


def _interval(e: Any, types: Mapping[str, Kind], ranges: Ranges, wraps: list[Any]) -> tuple[Interval, Kind | None]:
    """(bounds, type) of a tree. If its type may wrap, the bounds are the type's, and the wrapping arithmetic is
    added to `wraps`. Raises KeyError for other heads."""
    if e.is_Integer:
        return (int(e), int(e)), None
    if e.is_Symbol:
        return ranges.get(e.name, limits(types[e.name])), types[e.name]
    head = type(e).__name__
    if head == "Cast":
        span, source = _interval(e.args[1], types, ranges, wraps)
        to = kind_of(e.args[0])
        if any(k[0] not in ("i", "u") for k in (to, source or to)):
            raise KeyError(head)  # it clamps and rounds
        return _fit(span, to)
    if head == "Saturate":
        narrow = kind_of(e.args[0])
        return limits(narrow), narrow
    args = e.args[1:] if head == "Select" else e.args
    parts = [_interval(a, types, ranges, wraps) for a in args]
    kind = next((k for _, k in parts if k is not None), None)
    spans = [p for p, _ in parts]
    if head == "Select":
        return _fit((min(a for a, _ in spans), max(b for _, b in spans)), kind)
    exact = spanned(head, *spans)
    fitted, _ = _fit(exact, kind)
    if fitted != exact:
        wraps.append(e)
    return fitted, kind


def _fit(span: Interval, kind: Kind | None) -> tuple[Interval, Kind | None]:
    if kind is None:
        return span, None
    low, high = limits(kind)
    return (span if low <= span[0] and span[1] <= high else (low, high)), kind


def largest_count(low: int, high: int, kind: Kind) -> int | None:
    """The largest number of terms in [low, high] whose sum always fits the type; None when every number of them fits."""
    least, most = limits(kind)
    counts = ([most // high] if high > 0 else []) + ([least // low] if low < 0 else [])
    if low > 0:
        counts.append(most // high)
    return min(counts) if counts else None


def sums_stay(low: int, high: int, count: int | None, kind: Kind) -> Verdict:
    """Whether every sum of at most `count` terms in [low, high] (None: of any number) stays within the type.

    By induction over the number of terms, for symbolic sums; refuted with the number of terms and the sum.
    """
    least, most = limits(kind)
    k, total, term, n = z3.Ints("k sum term n")
    bounded = [low <= term, term <= high, k >= 0, k < n, k * low <= total, total <= k * high]
    if count is not None:
        bounded.append(n <= count)
    next_ = total + term
    step = z3.And((k + 1) * low <= next_, next_ <= (k + 1) * high, least <= next_, next_ <= most)
    verdict = ask(bounded, step, "sums stay", RLIMIT)
    if not isinstance(verdict, Refuted):
        return verdict
    if count is None:
        return Unknown("no number of terms was given", verdict.seconds)
    sums = [t for t in (count * low, count * high) if not least <= t <= most]
    if not sums:  # the model is of the induction step alone, and no sum leaves the type
        return Unknown("the induction does not go through", verdict.seconds)
    return Refuted({"terms": count, "sum": sums[0]}, f"{count} terms can add up to {sums[0]}", verdict.seconds)
