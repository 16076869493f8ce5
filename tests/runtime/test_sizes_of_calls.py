"""Sizes that shapes leave open are given by axis or by size, and an error names values that fit the shapes."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import SizeError

HALVED = im.kernel("Y[i] = X[i//2]", name="halved")
X = np.arange(3, dtype=np.float32)


@pytest.fixture(scope="module")
def halved() -> Any:
    return im.compile(HALVED, "scalar")


@pytest.mark.parametrize("sizes", [{"i": 5}, {"I": 5}, {"i": 5, "I": 5}])
def test_by_axis_or_by_size(halved: Any, sizes: dict[str, int]) -> None:
    right = np.array([0, 0, 1, 1, 2], np.float32)
    np.testing.assert_array_equal(halved(X, sizes=sizes), right)
    np.testing.assert_array_equal(im.run_kernel(HALVED, {"X": X}, sizes=sizes)["Y"], right)


def test_sizes_of_a_packed_kernel_and_of_views() -> None:
    packed = im.compile("gemm", "scalar", constant=["B"])
    a, b = np.ones((2, 3), np.float32), np.ones((3, 4), np.float32)
    np.testing.assert_array_equal(packed.pack(b, sizes={"k": 3})(a, sizes={"i": 2}), a @ b)
    views = im.compile(im.kernel("y[i] += x[i,k]"), "scalar", strided=["x"])
    np.testing.assert_array_equal(views(np.ones((4, 6), np.float32)[:, :3], sizes={"i": 4}), np.full(4, 3, np.float32))


def test_the_rounding_of_a_plan() -> None:
    near = im.rounding_error(im.plan(HALVED, "scalar"), {"X": X}, sizes={"i": 6})["Y"]
    np.testing.assert_array_equal(near.value, X.repeat(2))


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({}, "halved: the shapes do not determine I; pass sizes={'I': 6}, or others that make the same shapes"),
        ({"sizes": {"i": 5, "I": 6}}, "size I=6 contradicts I=5"),
        ({"sizes": {"q": 5}}, "halved has no size 'q'; known: i"),
        ({"sizes": {"i": 0}}, "size i=0: must be at least 1"),
        ({"sizes": {"i": 7}}, "dimension 0 of X is 3, but ((I - 1) // 2) + 1 = 4 because I=7 (sizes={'I': 7})"),
    ],
)
def test_the_error(halved: Any, named: dict[str, Any], said: str) -> None:
    with pytest.raises(SizeError, match=re.escape(said)):
        halved(X, **named)


def test_the_size_that_the_error_names_works(halved: Any) -> None:
    with pytest.raises(SizeError) as told:
        halved(X)
    (value,) = re.findall(r"'I': (\d+)", str(told.value))
    assert halved(X, sizes={"I": int(value)}).shape == (int(value),)
    with pytest.raises(SizeError, match="no sizes were found that make these shapes"):
        halved(np.zeros(0, np.float32))
