"""Fused multiply-add: a * b + c rounded once, in NumPy."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

Array = np.ndarray


def fma(a: Array, b: Array, c: Array) -> Array:
    """a * b + c of three arrays of f16, of f32 or of f64, rounded once to nearest even.

    f16, f32: the product is exact in f64. The sum is rounded to odd in f64; then rounding to f16 or f32 is right (Boldo
    and Melquiond, 2008: 53 >= 24 + 2 bits). f64: exact fractions, one element at a time.
    """
    if a.dtype == np.float64:
        flat = [_fma64(float(x), float(y), float(z)) for x, y, z in zip(a.flat, b.flat, c.flat, strict=True)]
        return np.array(flat, dtype=np.float64).reshape(a.shape)
    if a.dtype not in (np.float16, np.float32):
        raise TypeError(f"fma of {a.dtype}")
    with np.errstate(all="ignore"):
        return sum_to_odd(a.astype(np.float64) * b.astype(np.float64), c.astype(np.float64)).astype(a.dtype)


def sum_to_odd(p: Array, z: Array) -> Array:
    """p + z of two f64 arrays, rounded to odd: an inexact sum becomes the neighbour with 1 as its last bit."""
    s = p + z
    # TwoSum: error is exactly what s lost.
    t = s - p
    error = (p - (s - t)) + (z - t)
    if not error.any():  # all are exact: as small whole numbers are
        return np.asarray(s)
    return np.where(np.isfinite(s) & (error != 0), _to_odd(s, error), s)


def _to_odd(s: Array, error: Array) -> Array:
    """s moved to its neighbour in the direction of the error when its last bit is even."""
    s = np.ascontiguousarray(s)
    even = (s.view(np.int64) & 1) == 0
    towards = np.where(error > 0, np.inf, -np.inf)
    return np.where(even, np.nextafter(s, towards), s)


def _fma64(x: float, y: float, z: float) -> float:
    if not (math.isfinite(x) and math.isfinite(y)):
        with np.errstate(all="ignore"):
            return float(np.float64(x) * np.float64(y) + np.float64(z))
    if not math.isfinite(z):
        return z  # also when x * y alone would overflow
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    if exact == 0:
        # An exact cancellation is +0; a zero product plus a zero keeps IEEE 754's rule for signs.
        return x * y + z if x == 0 or y == 0 else 0.0
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf
