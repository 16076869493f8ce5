"""Numbers as inputs without dimensions, compiled and interpreted: NumPy's keep their type, Python's take the tensor's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.dtypes import DTYPES
from isamap_smt.ir.errors import ArgumentError, DTypeError, SizeError

X = np.arange(6).astype(np.float32)


def both(kind: str, s: Any) -> tuple[np.ndarray, np.ndarray]:
    kernel = im.kernel("Y[i] = X[i] * f32(s[])", name="scaled", dtypes={"s": kind})
    return im.compile(kernel, "scalar")(X=X, s=s), im.run_kernel(kernel, {"X": X, "s": s})["Y"]


@pytest.mark.parametrize(
    ("kind", "s", "taken"),
    [
        ("f32", np.float32(2), 2), ("f32", 2, 2), ("f32", 0.1, np.float32(0.1)), ("f32", np.array(3, np.float32), 3),
        ("f32", float("inf"), np.inf), ("i32", -7, -7), ("i32", np.int32(5), 5), ("f64", 0.1, np.float32(0.1)),
        ("bf16", 1.00390625000001, np.float32(np.array(1.0078125))), ("u8", 255, 255), ("f16", 1e9, np.inf),
    ],
)  # fmt: skip
def test_a_number_is_taken(kind: str, s: Any, taken: Any) -> None:
    with np.errstate(all="ignore"):
        want = X * np.float32(taken)
    for got in both(kind, s):
        assert np.array_equal(got, want, equal_nan=True)


@pytest.mark.parametrize(
    ("kind", "s"),
    [
        ("f32", np.float64(2)),
        ("i32", 2.0),
        ("u8", 256),
        ("u8", -1),
        ("i32", True),
        ("f32", 2**53 + 1),
        ("f32", "2"),
        ("f32", 2j),
    ],
)
def test_what_would_be_another_number_is_refused(kind: str, s: Any) -> None:
    kernel = im.kernel("Y[i] = X[i] * f32(s[])", name="scaled", dtypes={"s": kind})
    with pytest.raises((ArgumentError, DTypeError), match=r"^s "):
        im.compile(kernel, "scalar")(X=X, s=s)
    with pytest.raises(DTypeError, match=r"^s "):
        im.run_kernel(kernel, {"X": X, "s": s})


def test_a_number_is_no_array_of_one_and_no_place_for_a_result() -> None:
    kernel = im.kernel("Y[i] = X[i]", name="copied")
    with pytest.raises(ArgumentError, match=r"^X must be a NumPy array"):
        im.compile(kernel, "scalar")(X=np.float32(1))
    with pytest.raises((DTypeError, SizeError)):
        im.run_kernel(kernel, {"X": np.float32(1)})
    total = im.compile(im.kernel("S[] += X[i]", name="total"), "scalar")
    with pytest.raises(ArgumentError, match=r"^S must be a NumPy array"):
        total(X=X, out=np.float32(1))


def test_repeated_calls_see_each_number() -> None:
    run = im.compile(im.kernel("Y[i] = X[i] * s[]", name="scaled"), "scalar")
    for n in range(6):
        assert np.array_equal(run(X, n), X * np.float32(n))
        assert np.array_equal(run(X, np.array(n, np.float32)), X * np.float32(n))
    assert DTYPES["f32"].numpy == run(X, 2).dtype
