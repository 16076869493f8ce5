"""For which values no sum of exponentials less a maximum overflows, and no factor of the scores hides a difference that does.

    sum         N terms of at most 1 are at most N, times what rounding adds: that is to be less than the largest number
    weighted    N terms of at most |v|, so |v| is at most the largest number by N. Beyond, a partial sum may be infinite; all that
                is made of it is infinite or NaN then, and no wrong number comes out
    factor      x - m may overflow to minus infinity, where (x - m) z is -4 if z is small. So z is at least so large that the
                exponential of the largest number times z is below the smallest number

isamap_smt.proof.online_range asks whether it is so.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import expm1, log
from typing import Any

import ml_dtypes

from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.near import Unit
from isamap_smt.ir.rounding_notes import few_digits

_NEAR = 1e-3  # of limits, so that few digits of them fit


@dataclass(frozen=True)
class OnlineRange:
    """Of a sum of so many terms, in a type, where each is at most 1 + `grown` times an exponential of what is not positive.

    factors: of the scores, with their least and greatest values; scale: the product of the numbers below 1 by which scores are
    multiplied, too. values: what is weighted, and how large it may be.
    """

    kind: DType
    points: int
    grown: float
    factors: tuple[tuple[str, float, float], ...]
    scale: float
    values: tuple[str, float] | None


def online_range(
    kind: DType, points: int, roundings: float, weights: tuple[str, ...], factors: tuple[str, ...], scale: float
) -> OnlineRange | None:
    """roundings: of a term beside the additions of its block. None where so many terms may overflow in any case, or where numbers
    make the scores too small."""
    unit = Unit.of(kind)
    share = points * unit.relative
    about: Any = ml_dtypes.finfo(kind.numpy)  # type: ignore[no-untyped-call]
    half = log(float(about.smallest_subnormal)) - log(2)
    least = -half * (1 + _NEAR) / unit.largest  # by which a difference is multiplied
    if share >= 1 or scale < least:
        return None
    grown = few_digits(expm1(roundings * unit.relative), up=True)
    most = unit.largest * (1 - share) / (points * (1 + grown)) * (1 - _NEAR)
    if most < 1:
        return None
    ends = few_digits(least / scale, up=True), few_digits(unit.largest, up=False)
    values = (weights[0], few_digits(most, up=False)) if weights else None
    return OnlineRange(kind, points, grown, tuple((f, *ends) for f in factors), scale, values)


__all__ = ["OnlineRange", "online_range"]
