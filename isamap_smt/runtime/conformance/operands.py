"""Operands that find mistakes: random ones, and every edge of the element type."""

from __future__ import annotations

import numpy as np

from isamap_smt.ir.dtypes import DType, bool_

_EDGES = {"f64": (64, 52, 1023), "f32": (32, 23, 127), "f16": (16, 10, 15), "bf16": (16, 7, 127)}


def edges(dtype: DType) -> np.ndarray:
    """Zeros, ones, denormals, extremes, infinities and NaN; all of a float of 8 bits and fewer; for integers the ends of the
    range and their neighbours."""
    if not dtype.is_float:
        values = [dtype.low, dtype.low + 1, 0, 1, 2, dtype.high // 2, dtype.high - 1, dtype.high]
        return np.array([*values, *([-1, -2] if dtype.kind == "i" else [])], dtype.numpy)
    if dtype.bits <= 8:  # all that there are
        return np.arange(1 << dtype.bits, dtype=np.uint8).view(dtype.numpy)
    bits, mantissa, bias = _EDGES[dtype.name]
    word = np.dtype(f"u{bits // 8}")
    one, infinity = bias << mantissa, (2 * bias + 1) << mantissa
    smallest_normal = 1 << mantissa
    positive = [
        0, 1, 2, smallest_normal - 1, smallest_normal, smallest_normal + 1, one - 1, one, one + 1,
        one + (1 << (mantissa - 1)), infinity - 1, infinity, infinity + (1 << (mantissa - 1)),
    ]  # fmt: skip
    both = [*positive, *(v | 1 << (bits - 1) for v in positive)]
    return np.array(both, word).view(dtype.numpy)


def random_values(dtype: DType, count: int, random: np.random.Generator) -> np.ndarray:
    """Any element, or an edge; of floats also one near 1, with few bits (sums cancel) or all (sums round)."""
    raw = random.integers(0, 256 if dtype != bool_ else 2, count * dtype.bytes, dtype=np.uint8).view(dtype.numpy).copy()
    kind = random.integers(0, 4 if dtype.is_float else 3, count)
    if dtype.is_float:
        sign = random.choice([-1.0, 1.0], count)
        sign = np.abs(sign) if dtype.is_scale else sign
        coarse = (sign * random.integers(1, 1 << 12, count) / 64.0).astype(dtype.numpy)
        fine = (sign * random.uniform(0.5, 2.0, count)).astype(dtype.numpy)
        raw = np.where(kind == 1, coarse, np.where(kind == 3, fine, raw))
    special = edges(dtype)
    return np.where(kind == 2, special[random.integers(0, len(special), count)], raw).astype(dtype.numpy)


def simple_values(dtype: DType, count: int, random: np.random.Generator) -> np.ndarray:
    """Whole numbers from 0 to 5: a counterexample of these reads well."""
    return random.integers(0, 6, count).astype(dtype.numpy)


def within(dtype: DType, low: int, high: int, count: int, random: np.random.Generator) -> np.ndarray:
    """Integers from low to high, the ends often."""
    inside = random.integers(low, high, count, endpoint=True, dtype=dtype.numpy)
    ends = np.array([low, high, min(max(0, low), high)], dtype.numpy)
    return np.where(random.integers(0, 3, count) == 0, ends[random.integers(0, 3, count)], inside).astype(dtype.numpy)


def same_bits(got: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Element by element: equal bit patterns, or both NaN (whose payload no instruction promises)."""
    word = np.dtype(f"u{got.dtype.itemsize}")
    equal = np.ascontiguousarray(got).view(word) == np.ascontiguousarray(wanted).view(word)
    if got.dtype.kind in "fV" or got.dtype.name == "bfloat16":
        with np.errstate(all="ignore"):
            return equal | (np.isnan(got.astype(np.float64)) & np.isnan(wanted.astype(np.float64)))
    return equal
