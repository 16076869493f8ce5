"""Claim 17 of sums with running maxima: for stated values no sum overflows, and no factor hides a difference that does.

Each is one question: of N terms in any order, to both solvers (isamap_encodings.error_steps); of the exponential of the
largest number times the least factor, to rational numbers around it. Weighted values are not checked in each call,
since an overflow shows in the result (isamap_encodings.infinite).
"""

from __future__ import annotations

from fractions import Fraction

from isamap_encodings.enclosures import ENDS
from isamap_encodings.error_steps import Known, Total, total
from isamap_encodings.infinite import is_seen
from isamap_encodings.verdict import Proved, Refuted, Verdict
from isamap_smt.ir.online_range import OnlineRange
from isamap_smt.proof.rounding import arithmetic
from isamap_smt.proof.scalar_trees import kind


def stays(r: OnlineRange) -> Verdict:
    """Whether no partial sum of so many terms is beyond the largest number."""
    size = Fraction(repr(r.values[1])) if r.values else Fraction(1)
    grown = Fraction(repr(r.grown))
    term = Known(-size if r.values else Fraction(0), size, grown)
    any_error = r.points * size * 10  # the range alone is asked about
    whole = Known(r.points * term.low, r.points * size, Fraction(0), any_error)
    return total(Total(((1, term),), r.points, 0), whole, arithmetic(r.kind))


def vanishes(r: OnlineRange) -> Verdict:
    """Whether a difference beyond the largest number leaves an exponential below the smallest one, as minus infinity does."""
    rounding = arithmetic(r.kind)
    least = min([Fraction(repr(low)) for _, low, _ in r.factors] + [Fraction(1)]) * Fraction(repr(r.scale))
    if ENDS["exp"](-least * rounding.high)[1] <= rounding.smallest:
        return Proved(how="rational numbers around the exponential")
    return Refuted({}, f"exp(-{float(least * rounding.high):g}) is no less than {float(rounding.smallest):g}")


def seen(r: OnlineRange) -> Verdict:
    """Whether an overflow beyond the range is one of the result."""
    return is_seen(kind(r.kind))


def words(r: OnlineRange, tensor: str) -> tuple[str, str, str]:
    """Statements of the claims about a sum with this name."""
    sized = f" of values of at most {r.values[1]:g}" if r.values else ""
    factor = "".join(f" {name} >= {low:g}" for name, low, _ in r.factors)
    return (
        f"no sum of {r.points} terms{sized} overflows in {tensor}, in any order",
        f"a difference of scores that overflows has no weight in {tensor}{', times' if factor else ''}{factor}",
        f"where a sum of {tensor} is infinite all the same, {tensor} is infinite or NaN, and so is a quotient of it",
    )


__all__ = ["seen", "stays", "vanishes", "words"]
