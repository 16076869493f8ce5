"""Arithmetic of f32 as in Arm's dot products of bf16: rounded to odd, denormals flushed, one NaN for all.

To odd: an inexact result is cut towards zero, and its last bit set; one with an exponent above the largest is an
infinity. A result exactly below 2^-126 is a zero of its sign, and so is an operand. A NaN is 0x7fc00000.
"""

from __future__ import annotations

import numpy as np

from isamap_smt.ir.fused import sum_to_odd

Array = np.ndarray
_TINY, _BEYOND = 2.0**-126, 2.0**128
_CUT = np.uint64((1 << 29) - 1)  # the bits of an f64 beyond an f32
_NAN = np.uint32(0x7FC00000)


def times_odd(a: Array, b: Array) -> Array:
    """a * b of arrays of bf16 or f32, with products exact in f64, as f32."""
    with np.errstate(all="ignore"):
        return _to_f32(_read(a) * _read(b))


def plus_odd(a: Array, b: Array) -> Array:
    """a + b of two arrays of f32."""
    with np.errstate(all="ignore"):
        return _to_f32(sum_to_odd(_read(a), _read(b)))


def dot_odd(acc: Array, a: Array, b: Array) -> Array:
    """acc + (a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1]): two products, their sum, then the accumulator, each rounded to odd."""
    products = [times_odd(a[..., e], b[..., e]) for e in (0, 1)]
    return plus_odd(acc, plus_odd(*products))


def _read(x: Array) -> Array:
    """In f64, denormals of f32 as zeros."""
    wide = x.astype(np.float64)
    return np.where(np.abs(wide) < _TINY, np.copysign(0.0, wide), wide)


def _to_f32(x: Array) -> Array:
    """An f64, itself exact or rounded to odd, as the f32 rounded from the exact value."""
    bits = np.ascontiguousarray(x).view(np.uint64)
    odd = (bits & ~_CUT) | np.where(bits & _CUT, _CUT + np.uint64(1), np.uint64(0))
    size = np.abs(x)
    cut = np.where(np.isfinite(x), odd.view(np.float64), x)
    cut = np.where(size >= _BEYOND, np.copysign(np.inf, x), np.where(size < _TINY, np.copysign(0.0, x), cut))
    return np.where(np.isnan(x), _NAN.view(np.float32), cut.astype(np.float32))
