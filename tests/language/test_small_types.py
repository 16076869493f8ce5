"""Types of 8 bits and fewer in kernels: what is computed of them, by the interpreter and compiled, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.dtypes import DTYPES
from isamap_smt.ir.errors import DTypeError

EIGHT = ("f8e4m3", "f8e5m2", "f8e4m3fnuz", "f8e5m2fnuz")
PARTS = ("f4e2m1", "i4", "u4", "i2", "u2")
DRAW = np.random.default_rng(0)


def elements(name: str, *shape: int) -> np.ndarray:
    """Random bytes as elements; of types of fewer bits, the high bits of a byte are no part of it."""
    made = DRAW.integers(0, 256, shape).astype(np.uint8).view(DTYPES[name].numpy)
    if DTYPES[name].is_float and not DTYPES[name].is_part:
        made[~np.isfinite(made.astype(np.float32))] = 1
    return made


def assert_as_meant(kernel: im.Kernel, **arrays: np.ndarray) -> np.ndarray:
    """The compiled kernel gives the interpreter's bits."""
    meant = im.run_kernel(kernel, arrays)[kernel.results[0]]
    found = im.compile(kernel, "host")(**arrays)
    assert found.dtype == meant.dtype
    assert found.tobytes() == meant.tobytes()
    return meant


@pytest.mark.parametrize("name", (*EIGHT, *PARTS))
def test_weights_are_dequantised_within_a_product(name: str) -> None:
    text = "temporary T\nW: {}[I,K]\nX: f32[K]\nS: f32[I]\nT: f32[I]\nY: f32[I]\nT[i] += f32(W[i,k]) * X[k]\nY[i] = T[i] * S[i]"
    kernel = im.kernel(text.format(name), name="matvec")
    w, x, s = elements(name, 37, 70), DRAW.integers(-4, 5, 70).astype(np.float32), np.ones(37, np.float32)
    meant = (w.view(np.uint8) & 15 if DTYPES[name].is_part else w.view(np.uint8)).view(w.dtype).astype(np.float64) @ x
    np.testing.assert_allclose(im.compile(kernel, "host")(W=w, X=x, S=s), meant, rtol=1e-5, atol=1e-2)


@pytest.mark.parametrize("name", (*EIGHT, *PARTS))
def test_elements_are_converted_and_moved(name: str) -> None:
    x = (DRAW.standard_normal(100) * 5).astype(np.float32)
    assert_as_meant(im.kernel(f"A: f32[I]\nY: {name}[I]\nY[i] = {name}(A[i] * 2)"), A=x)
    assert_as_meant(im.kernel(f"A: {name}[I]\nY: {name}[I]\nY[i] = A[I-1-i]"), A=elements(name, 100))
    assert_as_meant(im.kernel(f"A: {name}[I]\nY: f64[I]\nY[i] = f64(A[i])"), A=elements(name, 100))


@pytest.mark.parametrize("name", PARTS[1:])
def test_whole_numbers_are_rounded_and_clamped(name: str) -> None:
    x = (DRAW.standard_normal(100) * 5).astype(np.float32)
    made = assert_as_meant(im.kernel(f"A: f32[I]\nY: {name}[I]\nY[i] = round_{name}(A[i])"), A=x)
    of = DTYPES[name]
    np.testing.assert_array_equal(made.astype(np.int64), np.clip(np.rint(x), of.low, of.high))
    whole = DRAW.integers(-40, 40, 100).astype(np.int32)
    assert_as_meant(im.kernel(f"A: i32[I]\nY: {name}[I]\nY[i] = sat_{name}(A[i])"), A=whole)


@pytest.mark.parametrize("name", EIGHT)
def test_arithmetic_of_eight_bits_is_that_of_f32_rounded(name: str) -> None:
    a, b = elements(name, 200), elements(name, 200)
    made = assert_as_meant(im.kernel(f"A: {name}[I]\nB: {name}[I]\nY: {name}[I]\nY[i] = A[i] + B[i]"), A=a, B=b)
    with np.errstate(all="ignore"):
        meant = (a.astype(np.float32) + b.astype(np.float32)).astype(DTYPES[name].numpy)
    np.testing.assert_array_equal(made.astype(np.float32), meant.astype(np.float32))


@pytest.mark.parametrize("name", EIGHT)
@pytest.mark.parametrize("op", ["max", "min"])
def test_the_largest_of_numbers_is_one_of_them(name: str, op: str) -> None:
    """Where a type has no infinity, a maximum starts from its lowest number."""
    made = assert_as_meant(im.kernel(f"A: {name}[I]\nY: {name}[]\nY[] {op}= A[i]"), A=(a := elements(name, 60)))
    assert float(made[()]) == getattr(a.astype(np.float32), op)()
    low = np.full(3, DTYPES[name].ends[0 if op == "max" else 1], np.float32).astype(DTYPES[name].numpy)
    assert_as_meant(im.kernel(f"A: {name}[I]\nY: {name}[]\nY[] {op}= A[i]"), A=low)


@pytest.mark.parametrize("name", PARTS)
@pytest.mark.parametrize(
    "text",
    [
        "Y[i] = A[i] + A[i]", "Y[i] = max(A[i], A[i])", "Y[i] = -A[i]", "Y[i] += A[i]", "Y[i] max= A[i]",
        "Y[i] = relu(A[i])",
    ],
)  # fmt: skip
def test_nothing_is_computed_in_fewer_bits_than_a_byte(name: str, text: str) -> None:
    with pytest.raises(DTypeError, match=f"{name}, which is stored and converted"):
        im.run_kernel(im.kernel(f"A: {name}[I]\nY: {name}[I]\n{text}"), {"A": elements(name, 8)})


@pytest.mark.parametrize("name", PARTS)
def test_none_of_them_is_an_index(name: str) -> None:
    with pytest.raises(DTypeError, match=rf"idx is {name}, and .* is an index"):
        im.run_kernel(
            im.kernel(f"idx: {name}[I]\nE: f32[8]\nY: f32[I]\nY[i] = E[idx[i]]"),
            {"idx": elements(name, 4), "E": np.zeros(8, "f4")},
        )
