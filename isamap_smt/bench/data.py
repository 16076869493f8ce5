"""Inputs and their right result, for each family of problems.

Sums of products get inputs whose result is the same whatever the order of the sum: whole numbers, so few that nothing is
rounded. Recurrent layers cannot have that, see isamap_smt.bench.recurrent, nor can all operators, see isamap_smt.bench.operators.

Every partial sum of f32 stays below 2^24 in absolute value, every one of i32 below 2^31, so float64 gives the exact
result and a correct contender gives its bits. Within that bound the numbers use as many bits as they can: a peer that
computes with fewer bits than it says, or saturates on the way, is found out.

A result is right only where it is as near the exact one as its kind can be; what is not a number is near to nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from isamap_smt.bench import operators, recurrent
from isamap_smt.bench.case import Case
from isamap_smt.ir.convert import converted
from isamap_smt.ir.dtypes import DType, from_numpy

Arrays = dict[str, np.ndarray]
Product = Callable[[np.ndarray, np.ndarray], np.ndarray]

_EXACT = {"f32": 2.0**24, "f64": 2.0**53, "i32": 2.0**31 - 1}
_WHOLE = {"f32": 2**24, "f64": 2**53, "bf16": 2**8, "f16": 2**11}  # whole numbers up to this are all representable
_SMALL = 3  # the other input of a floating-point product


def inputs(case: Case, seed: int = 0) -> Arrays:
    """The inputs of a case, by name; the same for the same seed."""
    return _family(case).inputs(case, seed)


def whole_numbers(case: Case, seed: int) -> Arrays:
    """Inputs of a sum of products of which no partial sum is rounded."""
    kernel, shapes = case.problem(), case.shapes()
    rng = np.random.default_rng(seed)
    largest = _EXACT[kernel.tensor(kernel.results[0]).dtype.name] / case.reduction
    found: Arrays = {}
    for name in sorted(kernel.inputs, key=lambda n: n in case.weights):  # weights last: they take what is left
        dtype = kernel.tensor(name).dtype
        low, high = _values(dtype, name in case.weights, largest)
        largest /= max(-low, high)
        found[name] = rng.integers(low, high, shapes[name], _drawn(dtype), endpoint=True).astype(dtype.numpy)
    return found


def _separable_numbers(case: Case, seed: int) -> Arrays:
    """The same for two weights D and W: in every other channel D is wide and W small, in the rest W is wide and D small.

    So a channel adds no more than if the wide one were the only weight, and every partial sum stays exact.
    """
    wide = {n: whole_numbers(replace(case, weights=(n,)), seed) for n in ("D", "W")}
    even = np.arange(case.size["c"]) % 2 == 0
    return {
        "I": wide["D"]["I"],
        "D": np.where(even, wide["D"]["D"], wide["W"]["D"]),
        "W": np.where(even[:, None], wide["D"]["W"], wide["W"]["W"]),
    }


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
    return _family(case).expected(case, arrays)


def tolerance(case: Case, ours: bool) -> float | None:
    """How far a result may be off, of the largest element: see check(). isamap has to be exact where the result is."""
    if case.family in _RECURRENT:
        return recurrent.TOLERANCE
    if case.family in operators.OPERATORS:
        return operators.tolerance(case, ours)
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
    exact = {n: a.astype(np.float64) for n, a in arrays.items()}
    return _CONVOLUTIONS[case.kernel](case.size, exact)


def _pointwise(size: dict[str, int], a: Arrays) -> np.ndarray:
    return np.asarray(a["I"] @ a["W"])


def _separable(size: dict[str, int], a: Arrays) -> np.ndarray:
    """A depthwise convolution with D, then a pointwise one with W."""
    return np.asarray(_windows(size, a["I"], a["D"], np.multiply) @ a["W"])


def _windows(size: dict[str, int], image: np.ndarray, weights: np.ndarray, product: Product) -> np.ndarray:
    """One product for every element of the window, with the image shifted to it."""
    n, p, q = size["n"], size["p"], size["q"]
    pp, pq, sp, sq = size["pp"], size["pq"], size["sp"], size["sq"]
    padded = np.pad(image, ((0, 0), (pp, pp), (pq, pq), (0, 0)))
    total = np.zeros((n, p, q, weights.shape[-1]))
    for r in range(size["r"]):
        for s in range(size["s"]):
            part = padded[:, r : r + sp * (p - 1) + 1 : sp, s : s + sq * (q - 1) + 1 : sq]
            total += product(part, weights[r, s])
    return total


_CONVOLUTIONS: dict[str, Callable[[dict[str, int], Arrays], np.ndarray]] = {
    "conv2d": lambda size, a: _windows(size, a["I"], a["W"], np.matmul),
    "depthwise_conv2d": lambda size, a: _windows(size, a["I"], a["W"], np.multiply),
    "pointwise_conv2d": _pointwise,
    "depthwise_separable_conv2d": _separable,
}


@dataclass(frozen=True)
class _Family:
    inputs: Callable[[Case, int], Arrays]
    expected: Callable[[Case, Arrays], np.ndarray]


_RECURRENT = {"gru": _Family(recurrent.inputs, recurrent.gru), "lstm": _Family(recurrent.inputs, recurrent.lstm)}
_FAMILIES = {
    "matmul": _Family(whole_numbers, _matmul),
    "conv": _Family(whole_numbers, _convolution),
    "separable": _Family(_separable_numbers, _convolution),
    **_RECURRENT,
}


def _family(case: Case) -> _Family:
    return _FAMILIES.get(case.family, _Family(operators.inputs, operators.expected))


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
