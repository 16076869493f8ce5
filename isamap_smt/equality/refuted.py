"""Inputs for which two kernels differ, the smallest found: few elements first, then zeros and small numbers in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import numpy as np

from isamap_encodings import deadline
from isamap_smt.equality.arguments import Together
from isamap_smt.equality.exactly import UndefinedError, alike, exact_results
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.expr import elements, evaluate
from isamap_smt.ir.indirect import indices_of
from isamap_smt.ir.interpret import random_arrays, run_kernel
from isamap_smt.ir.kernel import Kernel

QUICK, LONG = 800, 60_000  # points of statements that are computed
LARGEST = 5  # of a size that is tried
DRAWS = 4  # inputs for one choice of sizes
ROUNDS = 6  # in which all sizes are tried again
SHRINKS = 200  # inputs that are tried to make one smaller


@dataclass(frozen=True)
class Difference:
    """sizes: by name. inputs: arrays of numbers. values: of one element of a result, in the first kernel and in the second one."""

    sizes: Mapping[str, int]
    inputs: Mapping[str, np.ndarray]
    result: str
    index: tuple[int, ...]
    values: tuple[Any, Any]

    def __str__(self) -> str:
        a, b = map(number_text, self.values)
        return f"{self.element} is {a} in the first and {b} in the second, for {'; '.join(self._given())}"

    @property
    def element(self) -> str:
        """The element of the result, such as `Y[0, 2]`."""
        return f"{self.result}[{', '.join(map(str, self.index))}]"

    def _given(self) -> list[str]:
        sizes = ", ".join(f"{n}={v}" for n, v in self.sizes.items())
        return [t for t in (sizes, *(f"{n} = {_listed(a)}" for n, a in self.inputs.items())) if t]

    def lines(self, first: str, second: str) -> list[str]:
        """The same for people, by the names of the kernels."""
        a, b = map(number_text, self.values)
        return [f"{self.element}: {a} in {first}, {b} in {second}", *(f"for {g}" for g in self._given())]

    def document(self) -> dict[str, Any]:
        """The same as JSON; numbers are texts."""
        return {
            "sizes": dict(self.sizes),
            "inputs": {n: _nested(a) for n, a in self.inputs.items()},
            "result": self.result,
            "index": list(self.index),
            "values": list(map(number_text, self.values)),
        }


def difference(both: Together, reals: bool, points: int) -> Difference | None:
    """The first difference among small sizes and few draws, or None. points: how many are computed in all."""
    left = points
    rng = np.random.default_rng(0)
    for turn, sizes in product(range(ROUNDS), _sizes(both)):
        try:
            a, b = (_fixed(k, sizes) for k in (both.first, both.second))
            cost = _points(a) + _points(b)
            if cost <= 0 or not _agree(a, b):
                continue
            for draw in (n + turn for n in range(DRAWS)):
                deadline.check()
                left -= cost
                if left < 0:
                    return None
                arrays = _drawn(a, b, rng, draw, reals)
                if arrays is not None and (found := _differs(a, b, arrays, reals)) is not None:
                    return _smaller(a, b, arrays, found, reals, {both.names.get(n, n): v for n, v in sizes.items()})
        except IsamapError:
            continue  # no text of these sizes
    return None


def _sizes(both: Together) -> list[dict[str, int]]:
    """Values of all open sizes under both kernels' conditions, smaller ones first."""
    names = both.sizes
    lows = {p.name: p.low for k in (both.first, both.second) for p in k.parameters}
    highs = {p.name: p.high for k in (both.first, both.second) for p in k.parameters if p.high is not None}
    spans = [range(lows.get(n, 1), min(lows.get(n, 1) + LARGEST, highs.get(n, 1 << 30) + 1)) for n in names]
    for most in (3, 2):
        if prod(map(len, spans)) > 20_000:
            spans = [s[:most] for s in spans]
    spans = [s if n < 12 or prod(map(len, spans)) <= 20_000 else s[:1] for n, s in enumerate(spans)]
    smallest = sorted(product(*spans), key=lambda v: (sum(v), max(v, default=0), v))
    found = (dict(zip(names, values, strict=True)) for values in smallest)
    return [env for env in found if all(evaluate(f, env) for f in both.facts)]


def _fixed(k: Kernel, sizes: Mapping[str, int]) -> Kernel:
    return k.with_extents({n: v for n, v in sizes.items() if n in k.free_sizes})


def _points(k: Kernel) -> int:
    if any(int(e) < 1 for t in k.tensors for e in t.shape):
        return 0
    return sum(prod(max(0, int(a.extent)) for a in s.axes) for s in k.statements)


def _agree(a: Kernel, b: Kernel) -> bool:
    return all(a.tensor(n).shape == b.tensor(n).shape for n in (*a.inputs, *a.results))


def _drawn(a: Kernel, b: Kernel, rng: np.random.Generator, draw: int, reals: bool) -> dict[str, np.ndarray] | None:
    """Inputs of small whole numbers; indices are drawn as for a call."""
    given = random_arrays(a, rng=rng)
    if not reals:
        return {n: _with_zeros(a, b, n, v, rng) for n, v in given.items()} if draw % 2 else given
    data = {e.tensor for k in (a, b) for s in k.statements for e in elements(indices_of(s))}
    out = {}
    for n in a.inputs:
        kind, shape = a.tensor(n).dtype, given[n].shape
        if n in data or kind.name == "bool":
            out[n] = given[n].astype(object)
            continue
        low, high = _range(a, b, n)
        least, most = ((1, 3) if draw % 2 else (-2, 3)) if draw < 3 else (low, high)
        if draw >= 3 and kind.is_float:
            least, most = -9, 9
        least, most = max(least, low), min(most, high)
        if least > most:
            least, most = low, high
        if least > most:
            return None
        whole = (
            rng.integers(int(np.ceil(least)), int(np.floor(most)), shape, endpoint=True) if most - least >= 1 else None
        )
        out[n] = np.vectorize(int, otypes=[object])(whole) if whole is not None else np.full(shape, Fraction(least))
    return out


def _with_zeros(a: Kernel, b: Kernel, name: str, array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A floating-point array with zeros of both signs here and there; operations can tell them apart."""
    (low, high), kind = _range(a, b, name), a.tensor(name).dtype
    if not kind.is_float or kind.is_scale or not low <= 0 <= high:
        return array
    signs = rng.choice(np.array([1, 1, 0.0, -0.0]), array.shape)
    return np.where(signs == 0, signs, array.astype(np.float64)).astype(array.dtype)


def _range(a: Kernel, b: Kernel, name: str) -> tuple[Any, Any]:
    kind = a.tensor(name).dtype
    low, high = (-9, 9) if kind.is_float else (max(kind.low, -(1 << 62)), min(kind.high, 1 << 62))
    for k in (a, b):
        for n, least, most in k.ranges:
            if n == name:
                low, high = max(low, least), min(high, most)
    return low, high


def _results(k: Kernel, arrays: Mapping[str, np.ndarray], reals: bool) -> dict[str, np.ndarray]:
    return exact_results(k, arrays) if reals else run_kernel(k, {n: arrays[n] for n in k.inputs})


Found = tuple[str, tuple[int, ...], tuple[Any, Any]]


def _differs(a: Kernel, b: Kernel, arrays: Mapping[str, np.ndarray], reals: bool) -> Found | None:
    try:
        one, other = _results(a, arrays, reals), _results(b, arrays, reals)
    except UndefinedError:
        return None
    for n in a.results:
        for at in np.ndindex(one[n].shape):
            x, y = one[n][at], other[n][at]
            if any(v is None for v in (x, y)):
                continue
            if not (alike(x, y) if reals else _same_bits(x, y)):
                return n, tuple(map(int, at)), (x, y)
    return None


def _same_bits(x: Any, y: Any) -> bool:
    return bool(x.tobytes() == y.tobytes() or all(np.isnan(v) for v in (x, y)))


def _smaller(
    a: Kernel, b: Kernel, arrays: dict[str, np.ndarray], found: Found, reals: bool, sizes: Mapping[str, int]
) -> Difference:
    """The same difference with as many zeros in the inputs as are found one after the other, then ones."""
    tries = 0
    for number in (0, 1):
        for n, array in arrays.items():
            low, high = _range(a, b, n)
            if not low <= number <= high:
                continue
            for at in np.ndindex(array.shape):
                if tries >= SHRINKS or array[at] == number or (number and array[at] == 0):
                    continue
                tries += 1
                before = array[at]
                array[at] = number
                try:
                    again = _differs(a, b, arrays, reals)
                except IsamapError:
                    again = None
                if again is None:
                    array[at] = before
                else:
                    found = again
    return Difference(dict(sizes), arrays, *found)


def number_text(x: Any) -> str:
    """A number for people: fractions as they are, others to 12 digits."""
    if isinstance(x, int | np.integer | bool | np.bool_):
        return str(int(x))
    if isinstance(x, Fraction):
        return str(x)
    if isinstance(x, np.floating):
        return str(x)
    return f"{float(x):.12g}"


def _listed(a: np.ndarray) -> str:
    if a.ndim == 0:
        return number_text(a[()])
    return f"[{', '.join(_listed(np.asarray(x, dtype=a.dtype)) for x in a)}]"


def _nested(a: np.ndarray) -> Any:
    return number_text(a[()]) if a.ndim == 0 else [_nested(np.asarray(x, dtype=a.dtype)) for x in a]


__all__ = ["LONG", "QUICK", "Difference", "difference"]
