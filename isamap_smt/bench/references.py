"""What the operators of examples/ mean, in NumPy: independent of the kernels' texts, and slow."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np

Array = Any


def windows(x: Array, size: tuple[int, ...], step: tuple[int, ...], dilation: int = 1) -> Array:
    """All windows over the dimensions 1, 2, ... of x, [n, places..., c..., window...]: what stands at each of a window's places."""
    spread = tuple((r - 1) * dilation + 1 for r in size)
    axes = tuple(range(1, 1 + len(size)))
    found = np.lib.stride_tricks.sliding_window_view(x, spread, axes)
    for axis, t in zip(axes, step, strict=True):
        found = found.take(range(0, found.shape[axis], t), axis)
    places: Any = (..., *[slice(None, None, dilation)] * len(size))
    return found[places]


def grouped(I: Array, W: Array) -> Array:
    return np.einsum("npqgcrs,grsck->npqgk", windows(I, W.shape[1:3], (1, 1)), W)


def volume(I: Array, W: Array) -> Array:
    return np.einsum("npqvcrsw,rswck->npqvk", windows(I, W.shape[:3], (1, 1, 1)), W)


def dilated(I: Array, W: Array, d: int) -> Array:
    return np.einsum("npqcrs,rsck->npqk", windows(I, W.shape[:2], (1, 1), d), W)


def transposed(I: Array, W: Array, t: int) -> Array:
    (n, p, q, _), (r, s, _, k) = I.shape, W.shape
    out = np.zeros((n, t * (p - 1) + r, t * (q - 1) + s, k), np.float32)
    for a, b in product(range(r), range(s)):
        out[:, a : a + t * (p - 1) + 1 : t, b : b + t * (q - 1) + 1 : t] += I @ W[a, b]
    return out


def capsule(I: Array, W: Array) -> Array:
    return np.einsum("npqcimrs,rsckmj->npqkij", windows(I, W.shape[:2], (1, 1)), W)


def batched(I: Array, W: Array) -> Array:
    return np.stack([dilated(x[None], w, 1)[0] for x, w in zip(I, W, strict=True)])


def padded(x: Array, pad: int, value: Any) -> Array:
    return np.pad(x, ((0, 0), (pad, pad), (pad, pad), (0, 0)), constant_values=value)


def max_pool(I: Array, r: int, s: int, t: int, pad: int) -> Array:
    return windows(padded(I, pad, -np.inf), (r, s), (t, t)).max((-1, -2))


def average_pool(I: Array, r: int, s: int, t: int, pad: int) -> Array:
    return np.nanmean(windows(padded(I, pad, np.nan), (r, s), (t, t)), (-1, -2))


def bilinear(I: Array, z: int) -> Array:
    """Row by row, column by column, in f64."""
    for axis in (1, 2):
        count = I.shape[axis]
        at = np.clip((np.arange(count * z) + 0.5) / z - 0.5, 0, count - 1)
        low = np.floor(at).astype(int)
        part = (at - low).reshape([-1 if d == axis else 1 for d in range(4)])
        I = I.take(low, axis) * (1 - part) + I.take(np.minimum(low + 1, count - 1), axis) * part
    return I


def stencil(A: Array) -> Array:
    return (A[1:-1, 1:-1] + A[:-2, 1:-1] + A[2:, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:]) / 5


def mttkrp(X: Array, B: Array, C: Array) -> Array:
    return X.reshape(len(X), -1) @ (B[:, None] * C[None]).reshape(-1, B.shape[1])


def erf(x: Array) -> Array:
    return np.vectorize(math.erf, otypes=[float])(x)


def mlp(name: str, X: Array, W: Array, b: Array, V: Array) -> Array:
    x = X @ W + b
    return (x / (1 + np.exp(-x)) if name == "SILU_MLP" else x * (1 + erf(x / math.sqrt(2))) / 2) @ V


def requantised(total: Array, scale: Array, zero: Array) -> Array:
    """f32 product, nearest integer with ties to even, zero point, u8."""
    rounded = np.rint(total.astype(np.int32).astype(np.float32) * scale).astype(np.int64)
    return np.clip(rounded + int(zero), 0, 255).astype(np.uint8)


def qlinear_matmul(A: Array, B: Array, za: Array, zb: Array, zy: Array, s: Array) -> Array:
    return requantised((A.astype(np.int64) - int(za)) @ (B.astype(np.int64) - zb), s, zy)


def qlinear_conv(I: Array, F: Array, b: Array, z: Array, zy: Array, m: Array, t: int, pad: int) -> Array:
    x = padded(I.astype(np.int64) - int(z), pad, 0)
    total = np.einsum("npqcrs,rsck->npqk", windows(x, F.shape[:2], (t, t)), F.astype(np.int64))
    return requantised(total + b, m, zy)
