"""Inputs and their right result, for each family of problems.

Sums of products get inputs whose result is the same whatever the order of the sum: whole numbers, so few that nothing is
rounded. Recurrent layers cannot have that, see isamap_smt.bench.recurrent.

Every partial sum of f32 stays below 2^24 in absolute value, every one of i32 below 2^31, so float64 gives the exact
result and a correct contender gives its bits. Within that bound the numbers use as many bits as they can: a peer that
computes with fewer bits than it says, or saturates on the way, is found out.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from isamap_smt.bench import recurrent
from isamap_smt.bench.case import Case
from isamap_smt.ir.dtypes import DType

Arrays = dict[str, np.ndarray]

_EXACT = {"f32": 2.0**24, "f64": 2.0**53, "i32": 2.0**31 - 1}
_WHOLE = {"f32": 2**24, "f64": 2**53, "bf16": 2**8, "f16": 2**11}  # whole numbers up to this are all representable
_SMALL = 3  # the other input of a floating-point product


def inputs(case: Case, seed: int = 0) -> Arrays:
    """The inputs of a case, by name; the same for the same seed."""
    return _FAMILIES[case.family].inputs(case, seed)


def whole_numbers(case: Case, seed: int) -> Arrays:
    """Inputs of a sum of products of which no partial sum is rounded."""
    kernel, shapes = case.problem(), case.shapes()
    rng = np.random.default_rng(seed)
    largest = _EXACT[kernel.tensor(kernel.outputs[0]).dtype.name] / case.reduction
    found: Arrays = {}
    for name in sorted(kernel.inputs, key=lambda n: n in case.weights):  # weights last: they take what is left
        dtype = kernel.tensor(name).dtype
        low, high = _values(dtype, name in case.weights, largest)
        largest /= max(-low, high)
        found[name] = rng.integers(low, high, shapes[name], _drawn(dtype), endpoint=True).astype(dtype.numpy)
    return found


def _values(dtype: DType, weights: bool, largest: float) -> tuple[int, int]:
    """The least and greatest number to draw, so that a product with what is drawn later stays within `largest`."""
    if dtype.is_float:
        bound = min(math.floor(largest), _WHOLE[dtype.name]) if weights else _SMALL
        return -max(1, bound), max(1, bound)
    bound = max(1, math.floor(largest))
    return max(int(dtype.low), -bound), min(int(dtype.high), bound)


def _drawn(dtype: DType) -> type:
    """The integer type that is drawn: no wider than needed, large weights have a billion elements."""
    return np.int32 if dtype.is_float else dtype.numpy.type


def expected(case: Case, arrays: Arrays) -> np.ndarray:
    """The result in float64 (outputs start at zero); exact for whole numbers."""
    return _FAMILIES[case.family].expected(case, arrays)


def tolerance(case: Case, ours: bool) -> float | None:
    """How far a result may be off, of the largest element: see check(). isamap has to be exact where the result is."""
    if case.family in _RECURRENT:
        return recurrent.TOLERANCE
    return 0.0 if ours else None


_BLOCK = 1 << 16  # of a reduction: float64 copies of the longest operands would not fit in memory


def _matmul(case: Case, arrays: Arrays) -> np.ndarray:
    a, b = arrays["A"], arrays["B"]
    x = a.T if case.form == "TN" else a
    w = b.T if case.form == "NT" else b
    total = np.zeros((x.shape[0], w.shape[1]))
    for k in range(0, x.shape[1], _BLOCK):
        total += x[:, k : k + _BLOCK].astype(np.float64) @ w[k : k + _BLOCK].astype(np.float64)
    return total


def _convolution(case: Case, arrays: Arrays) -> np.ndarray:
    """One product for every element of the window, with the image shifted to it."""
    size = case.size
    n, p, q = size["n"], size["p"], size["q"]
    image = arrays["I"].astype(np.float64)
    if case.kernel == "pointwise_conv2d":
        return np.asarray(image @ arrays["W"].astype(np.float64))
    weights = arrays["W"].astype(np.float64)
    pp, pq, sp, sq = size["pp"], size["pq"], size["sp"], size["sq"]
    padded = np.pad(image, ((0, 0), (pp, pp), (pq, pq), (0, 0)))
    total = np.zeros((n, p, q, weights.shape[-1]))
    for r in range(size["r"]):
        for s in range(size["s"]):
            part = padded[:, r : r + sp * (p - 1) + 1 : sp, s : s + sq * (q - 1) + 1 : sq]
            total += part * weights[r, s] if case.kernel == "depthwise_conv2d" else part @ weights[r, s]
    return total


@dataclass(frozen=True)
class _Family:
    inputs: Callable[[Case, int], Arrays]
    expected: Callable[[Case, Arrays], np.ndarray]


_RECURRENT = {"gru": _Family(recurrent.inputs, recurrent.gru), "lstm": _Family(recurrent.inputs, recurrent.lstm)}
_FAMILIES = {"matmul": _Family(whole_numbers, _matmul), "conv": _Family(whole_numbers, _convolution), **_RECURRENT}
