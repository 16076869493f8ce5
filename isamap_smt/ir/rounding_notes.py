"""Rounding bounds with few digits, of every expression on the way: the steps of a proof.

Only the finding of a proof depends on these numbers: each is shown to follow from those before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import inf, isfinite, nextafter
from typing import Any

from isamap_encodings.enclosures import shorter
from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.rounding_bound import NOTHING, Bound, Bounds, nearest

DIGITS = 5
Notes = dict[tuple[int, Any, str], Bound]  # statement, expression (None: its target) and its type


def rounding_notes(
    kernel: Kernel, ranges: Mapping[str, tuple[float, float]], trees: Mapping[int, Any]
) -> tuple[dict[str, Bound], Notes]:
    """The range of each input, and the bound of every expression. Errors as rounding_bound()."""
    found = nearest(kernel, ranges, trees, Noted)
    assert isinstance(found, Noted)
    return found.inputs, found.notes


class Noted(Bounds):
    """Goes on with a few digits of each bound, and writes it down."""

    def __init__(self, kernel: Kernel, inputs: dict[str, Bound], part: float = 0.0) -> None:
        super().__init__(kernel, inputs, part)
        self.inputs = dict(inputs)
        self.notes: Notes = {}

    def kept(self, found: Bound, x: Any, kind: DType) -> Bound:
        """A bound at least as large."""
        own = kind if x is None else self.own(x, kind)
        self.notes[self.number, x, own.name] = made = widened(found)
        return made


def widened(b: Bound) -> Bound:
    """The same with few digits, rounded to the weaker side.

    >>> widened(Bound(-4, 1 / 3, 1.23456789e-7))
    Bound(low=-4.0, high=0.333334, relative=1.23457e-07, absolute=0.0, peak=None, over=())
    """
    if not isfinite(b.error) or not isfinite(b.size):
        return NOTHING
    peak = None if b.peak is None else few_digits(b.peak, up=False)
    return Bound(
        few_digits(b.low, up=False), few_digits(b.high, up=True), few_digits(b.relative, up=True), few_digits(b.absolute, up=True),
        peak, b.over,
    )  # fmt: skip


def few_digits(x: float, up: bool) -> float:
    """The nearest number with few digits that is no smaller (up), or no larger."""
    wanted = shorter(Fraction(repr(float(x))), up, DIGITS)
    found = float(wanted)
    if (Fraction(repr(found)) < wanted) if up else (Fraction(repr(found)) > wanted):  # f64 has few digits next to 0
        return nextafter(found, inf if up else -inf)
    return found
