"""The bound of a sum of products counts the integers that infinities are converted to."""

from __future__ import annotations

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.runtime.conformance.rounding import bounded

TEXT = "c[l] += f32(i32(a[l])) * b[l]"
I = im.instruction(
    "own.scaled", TEXT, axes={"l": 4}, dtypes=dict.fromkeys("abc", "f32"), places=dict.fromkeys("abc", "reg"),
    exact=TEXT, rounding="fused, in any order",
)  # fmt: skip


def off(exact: np.ndarray, ulps: int) -> np.ndarray:
    found = exact.astype(np.float32)
    for _ in range(ulps):
        found = np.nextafter(found, np.float32(np.inf))
    return found


@pytest.mark.parametrize(("ulps", "right"), [(0, True), (1, True), (100, False)])
def test_they_are_as_large_as_integers_can_be(ulps: int, right: bool) -> None:
    a = np.array([[np.inf, -np.inf, np.nan, 2.5]], np.float32)
    b = np.array([[3.3, 1.7, 0.3, -2.1]], np.float32)
    c = np.array([[0.1, 0.2, 0.3, 0.4]], np.float32)
    exact = c.astype(np.float64) + np.array([2**31 - 1, -(2**31), 0, 2], np.float64) * b.astype(np.float64)
    mask, found = bounded(I, {"a": a, "b": b, "c": c}, off(exact, ulps))
    assert np.allclose(found, exact, rtol=1e-12)
    assert mask.all() if right else not mask.any()


def test_an_infinity_that_is_none_of_them_is_an_infinity() -> None:
    both = im.instruction(
        "own.both", "c[l] += f32(i32(a[l])) * a[l]", axes={"l": 4}, dtypes=dict.fromkeys("ac", "f32"),
        places=dict.fromkeys("ac", "reg"), exact="c[l] += f32(i32(a[l])) * a[l]", rounding="fused, in any order",

    )  # fmt: skip
    a, c = np.full((1, 4), np.inf, np.float32), np.ones((1, 4), np.float32)
    mask, _ = bounded(both, {"a": a, "c": c}, np.array([[np.inf, -np.inf, 1.0, np.nan]], np.float32))
    assert mask.tolist() == [[True, False, False, False]]
