"""Is a result right? Only what is as near the exact result as its kind can be; what is not a number is near to nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isamap_smt.ir.convert import converted
from isamap_smt.ir.dtypes import from_numpy

#: Of the largest element. Peers may transform (Winograd), which rounds; sums in less than f32 are far outside.
TOLERANCE = {"float32": 1e-4, "float64": 1e-12, "bfloat16": 1e-2}


@dataclass(frozen=True)
class Verdict:
    """exact: bit for bit. error: the largest distance over the largest element; infinite for NaN and wrong shapes."""

    right: bool
    exact: bool
    error: float
    words: str = ""


def check(got: np.ndarray, expected: np.ndarray, allowed: float | None = None) -> Verdict:
    """Compare with the exact result, rounded once to the type of `got`.

    It may be off by `allowed` of the largest element, by default TOLERANCE of its type. `words` say what is wrong.

    >>> check(np.array([1.0, np.nan], np.float32), np.array([1.0, 2.0])).words
    'not a number at 1: nan, expected 2'
    """
    if got.shape != expected.shape:
        return Verdict(False, False, float("inf"), f"shape {got.shape}, expected {expected.shape}")
    kind = from_numpy(got.dtype)
    rounded = expected.astype(got.dtype) if kind is None else converted(expected, kind)
    if np.array_equal(got, rounded):
        return Verdict(True, True, 0.0)
    distance = np.abs(got.astype(np.float64) - expected)
    strange = ~np.isfinite(distance)
    if strange.any():
        return Verdict(False, False, float("inf"), f"not a number at {_where(strange, got, expected)}")
    error = float(distance.max() / max(np.abs(expected).max(), 1e-300))
    wrong = got != rounded
    count = f"{int(wrong.sum())} of {got.size} elements differ, largest error {error:.1e}"
    words = f"{count}; at {_where(distance == distance.max(), got, expected)}"
    if error <= (TOLERANCE.get(got.dtype.name, 0.0) if allowed is None else allowed):
        return Verdict(True, False, error)
    return Verdict(False, False, error, words)


def _where(mask: np.ndarray, got: np.ndarray, expected: np.ndarray) -> str:
    """The first element of the mask, with both values."""
    at = tuple(int(n) for n in np.argwhere(mask)[0])
    return f"{','.join(map(str, at))}: {got[at]!s}, expected {expected[at]:g}"
