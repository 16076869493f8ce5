"""Ranges of values for sums of exponentials less a maximum to be free of overflow, also if scores have factors.

    sum         N terms of at most 1 are at most N, times the growth by rounding: this must be less than the largest number
    weighted    N terms of at most |v|, so |v| is at most the largest number by N. Beyond, a partial sum may be infinite; then
                everything made of it is infinite or NaN, and no wrong number comes out
    factor      x - m may overflow to minus infinity, though (x - m) z is -4 for a small z. So z is bounded from below: the
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
    """Of a sum of so many terms, in a type, each at most 1 + `grown` times the exponential of a number not above 0.

    factors: of the scores, with their least and greatest values.
    scale: the product of the numbers below 1 multiplied with scores.
    values: the weighted tensor, and its largest absolute value.
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
    """roundings: of a term beside the additions of its block.

    None if so many terms may overflow in any case, or if constant factors make the scores too small.
    """
    unit = Unit.of(kind)
    share = points * unit.relative
    about: Any = ml_dtypes.finfo(kind.numpy)  # type: ignore[no-untyped-call]
    half = log(float(about.smallest_subnormal)) - log(2)
    least = -half * (1 + _NEAR) / unit.largest  # a factor of differences
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
