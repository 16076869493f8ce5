"""Terms over bits on many inputs at once, in NumPy: what a counterexample is found and shown with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from isamap_encodings.bit_terms import Term, walk
from isamap_smt.ir.fused import fma

Array = np.ndarray
FLOATS = {16: np.float16, 32: np.float32, 64: np.float64}


def evaluate(roots: list[Term], inputs: Mapping[str, Array]) -> list[Array]:
    """The bits of each term, as u64, for arrays of the bits of each cell. Terms are of at most 64 bits."""
    found: dict[Term, Array] = {}
    with np.errstate(all="ignore"):
        for t in walk(roots):
            found[t] = _one(t, [found[x] if isinstance(x, Term) else x for x in t.args], inputs)
    return [found[t] for t in roots]


def as_number(bits: Array, width: int) -> Array:
    """The numbers of IEEE 754 with these bits."""
    return np.ascontiguousarray(bits.astype(f"u{width // 8}")).view(FLOATS[width])


def as_bits(numbers: Array) -> Array:
    """The bits of these numbers."""
    return np.ascontiguousarray(numbers).view(f"u{numbers.dtype.itemsize}").astype(np.uint64)


def _mask(x: Array, width: int) -> Array:
    return x if width >= 64 else x & np.uint64((1 << width) - 1)


def _signed(x: Array, width: int) -> Array:
    shift = np.int64(64 - width)
    return (x.astype(np.uint64) << np.uint64(shift)).view(np.int64) >> shift


def _one(t: Term, x: list[Any], inputs: Mapping[str, Array]) -> Array:
    w = t.width
    if w > 64 and t.op not in ("const", "cell"):
        raise ValueError(f"a term of {w} bits is looked at in parts")
    match t.op:
        case "fneg":
            return np.asarray(x[0] ^ np.uint64(1 << (w - 1)))
        case "const":
            return np.uint64(x[0] & (1 << 64) - 1)  # type: ignore[return-value]
        case "cell":
            return inputs[x[0]].astype(np.uint64)
        case "concat":
            return _concat(t, x)
        case "extract":
            return _mask(x[0] >> np.uint64(x[1]), w)
        case "zext":
            return np.asarray(x[0])
        case "sext":
            return _mask(_signed(np.asarray(x[0]), t.args[0].width).view(np.uint64), w)
        case "ite":
            return np.where(x[0] != 0, x[1], x[2]).astype(np.uint64)
        case "eq":
            return (x[0] == x[1]).astype(np.uint64)
        case "ult":
            return (x[0] < x[1]).astype(np.uint64)
        case "slt":
            a, b = (_signed(np.asarray(v), t.args[0].width) for v in x)
            return (a < b).astype(np.uint64)
    if t.op in _INTEGER:
        return _mask(_INTEGER[t.op](x[0], x[1], w), w)
    return _number(t, [np.asarray(v) for v in x])


def _concat(t: Term, x: list[Any]) -> Array:
    found, at = np.uint64(0), 0
    for part, value in zip(t.args, x, strict=True):
        found = found | (value << np.uint64(at))
        at += part.width
    return np.asarray(found)


def _shifted(x: Any, by: Any, width: int, right: bool) -> Array:
    inside = np.minimum(by, np.uint64(63))
    moved = x >> inside if right else x << inside
    return np.where(by < np.uint64(width), moved, np.uint64(0))


_INTEGER: dict[str, Any] = {
    "add": lambda a, b, w: a + b,
    "sub": lambda a, b, w: a - b,
    "mul": lambda a, b, w: a * b,
    "and": lambda a, b, w: a & b,
    "or": lambda a, b, w: a | b,
    "xor": lambda a, b, w: a ^ b,
    "udiv": lambda a, b, w: a // b,
    "shl": lambda a, b, w: _shifted(a, b, w, False),
    "lshr": lambda a, b, w: _shifted(a, b, w, True),
    "ashr": lambda a, b, w: (_signed(np.asarray(a), w) >> np.minimum(b, np.uint64(w - 1)).astype(np.int64)).view(
        np.uint64
    ),
}


def _number(t: Term, x: list[Array]) -> Array:
    source = t.args[0].width
    if t.op in ("sf", "uf"):
        return as_bits(_from_whole(x[0], source, t.op == "sf", t.width))
    v = [as_number(a, source) for a in np.broadcast_arrays(*x)]
    match t.op:
        case "feq":
            return (v[0] == v[1]).astype(np.uint64)
        case "flt":
            return (v[0] < v[1]).astype(np.uint64)
        case "fle":
            return (v[0] <= v[1]).astype(np.uint64)
        case "ff":
            return as_bits(v[0].astype(FLOATS[t.width]))
        case "fs" | "fu":
            return _to_whole(v[0], t.op == "fs", t.width)
        case "fma":
            return as_bits(_fused(v, source))
    operation = {"fadd": np.add, "fsub": np.subtract, "fmul": np.multiply, "fdiv": np.divide}[t.op]
    return as_bits(np.asarray(operation(v[0], v[1])).astype(FLOATS[source]))


def _from_whole(x: Array, source: int, is_signed: bool, width: int) -> Array:
    whole = _signed(x, source) if is_signed else x
    if width == 16:  # past 2^53 an integer is beyond the largest f16 anyhow, so nothing is rounded twice
        return whole.astype(np.float64).astype(np.float16)
    return whole.astype(FLOATS[width])


def _to_whole(x: Array, is_signed: bool, width: int) -> Array:
    low, high = (-(1 << (width - 1)), 1 << (width - 1)) if is_signed else (0, 1 << width)
    wide = x.astype(np.float64)
    inside = np.where((wide > low) & (wide < float(high)), wide, 0.0)
    cut = inside.astype(np.int64).view(np.uint64) if is_signed else inside.astype(np.uint64)
    ends = np.where(wide >= float(high), np.uint64(high - 1), cut)
    return _mask(np.where(wide <= low, np.uint64(low & (1 << 64) - 1), ends), width)


def _fused(v: list[Array], width: int) -> Array:
    if width != 16:
        return fma(*v)
    # the product is exact in f64; the sum is rounded to odd there, after which rounding to f16 is right
    p, z = v[0].astype(np.float64) * v[1].astype(np.float64), v[2].astype(np.float64)
    s = np.atleast_1d(p + z)
    t = s - p
    error = (p - (s - t)) + (z - t)
    even = (s.view(np.int64) & 1) == 0
    moved = np.where(even, np.nextafter(s, np.where(error > 0, np.inf, -np.inf)), s)
    return np.where(np.isfinite(s) & (error != 0), moved, s).astype(np.float16)
