"""Conversion between element types: one meaning for every pair, and never rounded twice.

    integer -> integer   modulo 2^bits
    float -> integer     towards zero, clamped to the type; NaN is 0
    any -> float         the nearest value, ties to even. Beyond the largest: an infinity, or NaN if the type has none
                         (f8e4m3 and the fnuz types), or the largest if it has neither (f4e2m1). NaN stays NaN, and is -0
                         in f4e2m1; zeros keep their sign if the type has two (fnuz types have one)
    any -> e8m0          the nearest power of two, the larger one of a tie; the least for numbers below it; NaN for zeros,
                         negative numbers and numbers rounded beyond the largest
    any -> bool          whether it is not 0; NaN is not

NumPy rounds once except to bfloat16 and types of 8 bits, reached through f32. A value first rounded *to odd* with at
least two more bits is rounded right the second time (Boldo and Melquiond, 2008), so the step to f32 rounds to odd. To
f16 no integer is rounded twice: those not held by f32 are beyond the largest f16.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from isamap_smt.ir.dtypes import DType, bool_, from_numpy

Array = np.ndarray
_STICKY = 2047  # low bits of a 64-bit integer that f64 may not hold


def converted(x: Array, to: DType) -> Array:
    """Every element of an array of an element type in the type `to`. NumPy may warn of overflow.

    >>> from isamap_smt.ir.dtypes import dtype
    >>> converted(np.array([300.7, -1.5, np.nan]), dtype("u8")).tolist()
    [255, 0, 0]
    >>> float(converted(np.array([1 + 2**-8 + 2**-40]), dtype("bf16"))[0])
    1.0078125
    """
    source = from_numpy(x.dtype)
    if source == to:
        return x
    if (
        source is not None and source.is_part and source.is_float
    ):  # its own casts take the high bits of a byte for a sign
        x = (x.view(np.uint8) & ((1 << source.bits) - 1)).view(source.numpy)
    if to == bool_:
        return np.asarray(x != 0)
    if source is not None and source.is_part and not source.is_float:
        return converted(x.astype(np.int64), to)  # its own casts are not all there
    if to.is_scale:
        return _powers(_odd_single(x)).view(to.numpy)
    if to.is_part and to.is_float:
        made = _odd_single(x).astype(to.numpy)
        return made if x.dtype.kind in "iub" else np.where(np.isnan(x.astype(np.float32)), to.numpy.type(-0.0), made)
    if to.is_float:
        return (_odd_single(x) if to.is_word else x).astype(to.numpy)
    return _truncated(x.astype(np.float64), to) if source is None or source.is_float else x.astype(to.numpy)


def constant(number: Any, kind: DType) -> Any:
    """A SymPy integer or float as one element of the type, converted as above from its exact value.

    It is a 0-dimensional array.
    """
    if isinstance(number, sp.Integer) and not kind.is_float:
        return np.array((int(number) - kind.low) % (1 << kind.bits) + kind.low, kind.numpy)
    exact = number if not isinstance(number, sp.Integer) or kind.bits == 64 else _few_bits(int(number))
    with np.errstate(all="ignore"):
        return converted(np.array(_f64(exact)), kind)


def _f64(value: Any) -> float:
    """The f64 nearest to a number; an integer may be too large for any."""
    try:
        return float(int(value)) if isinstance(value, int | sp.Integer) else float(value)
    except OverflowError:
        return float("inf") if value > 0 else -float("inf")


def _few_bits(value: int) -> int:
    """The integer rounded to odd in 53 bits."""
    size, lost = abs(value), max(abs(value).bit_length() - 53, 0)
    odd = ((size >> lost) | (size & ((1 << lost) - 1) != 0)) << lost
    return odd if value >= 0 else -odd


def _odd_single(x: Array) -> Array:
    """x in f32, rounded to odd: rounding it again to fewer than 23 bits gives x rounded once."""
    if x.dtype.itemsize < 4 or x.dtype == np.float32:
        return x.astype(np.float32)  # exact
    exact = _odd_double(x) if x.dtype.kind in "iu" and x.dtype.itemsize == 8 else x.astype(np.float64)
    near = np.asarray(exact.astype(np.float32))
    size, held = np.abs(exact), np.abs(near.astype(np.float64))
    bits = (near.view(np.uint32) - (held > size)) | (held != size)  # cut off, then odd if anything was lost
    return np.asarray(bits.astype(np.uint32)).view(np.float32)


def _powers(x: Array) -> Array:
    """The exponents of the powers of two nearest to f32 values; 255 unless a value is a positive number.

    As in ml_dtypes, ONNX's reference, numbers between the two least powers are rounded up, however near the lower one.
    """
    word = x.view(np.uint32)
    near = np.where(word < 0x800000, word >= 0x600000, (word + np.uint32(0x400000)) >> 23)
    return np.where((word == 0) | (word > 0x7F800000), 255, near).astype(np.uint8)


def _odd_double(x: Array) -> Array:
    """f64 values of 64-bit integers, rounded to odd."""
    far = x >= 1 << 53
    if x.dtype.kind == "i":
        far |= x <= -(1 << 53)
    low = x.dtype.type(_STICKY)
    odd = (x & ~low) | ((x & low) != 0).astype(x.dtype) << x.dtype.type(11)
    return np.asarray(np.where(far, odd, x).astype(np.float64))


def _truncated(x: Array, to: DType) -> Array:
    """f64 values as integers: cut off towards zero, clamped; NaN is 0."""
    beyond = float(to.high + 1)  # a power of two; to.high itself may be no f64
    number = np.where(np.isnan(x), 0.0, x)
    inside = np.clip(number, float(to.low), min(np.nextafter(beyond, 0.0), float(to.high)))
    return np.asarray(np.where(number >= beyond, to.numpy.type(to.high), inside.astype(to.numpy)))


def single(value: Any, kind: DType) -> Any:
    """A number as a 0-dimensional array: NumPy's of its own type, Python's of `kind`; anything else as it is.

    An int becomes an integer held by the type, or a float if f64 holds it; a float becomes a float. Each is rounded
    once.

    >>> from isamap_smt.ir.dtypes import DTYPES
    >>> single(2, DTYPES["f32"]), single(2.5, DTYPES["i32"])
    (array(2., dtype=float32), 2.5)
    """
    if isinstance(value, np.generic):
        return np.asarray(value)
    if type(value) is bool and kind == bool_:
        return np.asarray(value)
    if type(value) is int and not kind.is_float:
        return np.asarray(value, kind.numpy) if kind.low <= value <= kind.high else value
    if type(value) in (int, float) and kind.is_float and (type(value) is float or abs(value) <= 1 << 53):
        with np.errstate(all="ignore"):
            return np.asarray(converted(np.asarray(value, np.float64), kind))
    return value


__all__ = ["constant", "converted", "single"]
