"""Types of 8 bits and fewer in kernels: what is computed of them, by the interpreter and compiled, and what is refused."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.dtypes import DTYPES
from isamap_smt.ir.errors import ArgumentError, DTypeError
from isamap_smt.ir.interpret import random_arrays

EIGHT = ("f8e4m3", "f8e5m2", "f8e4m3fnuz", "f8e5m2fnuz")
PARTS = ("f4e2m1", "i4", "u4", "i2", "u2")
STORED = ("e8m0", *PARTS)
DRAW = np.random.default_rng(0)


def elements(name: str, *shape: int) -> np.ndarray:
    """Random bytes as elements; of types of fewer bits, the high bits of a byte are no part of it. Powers of two near 1."""
    ends = (120, 135) if DTYPES[name].is_scale else (0, 256)
    made = DRAW.integers(*ends, shape).astype(np.uint8).view(DTYPES[name].numpy)
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


@pytest.mark.parametrize("name", (*EIGHT, *STORED))
def test_weights_are_dequantised_within_a_product(name: str) -> None:
    text = "temporary T\nW: {}[I,K]\nX: f32[K]\nS: f32[I]\nT: f32[I]\nY: f32[I]\nT[i] += f32(W[i,k]) * X[k]\nY[i] = T[i] * S[i]"
    kernel = im.kernel(text.format(name), name="matvec")
    w, x, s = elements(name, 37, 70), DRAW.integers(-4, 5, 70).astype(np.float32), np.ones(37, np.float32)
    meant = (w.view(np.uint8) & 15 if DTYPES[name].is_part else w.view(np.uint8)).view(w.dtype).astype(np.float64) @ x
    np.testing.assert_allclose(im.compile(kernel, "host")(W=w, X=x, S=s), meant, rtol=1e-5, atol=1e-2)


@pytest.mark.parametrize("name", (*EIGHT, *STORED))
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


def test_powers_of_two_are_drawn_as_numbers() -> None:
    kernel = im.kernel("A: e8m0[I]\nX: f32[I]\nY: f32[I]\nY[i] = f32(A[i]) * X[i]")
    drawn = random_arrays(kernel, {"I": 500})["A"].astype(np.float32)
    assert set(drawn.tolist()) == {0.25, 0.5, 1.0}


@pytest.mark.parametrize("name", STORED)
@pytest.mark.parametrize(
    "text",
    [
        "Y[i] = A[i] + A[i]", "Y[i] = max(A[i], A[i])", "Y[i] = -A[i]", "Y[i] += A[i]", "Y[i] max= A[i]",
        "Y[i] = relu(A[i])",
    ],
)  # fmt: skip
def test_nothing_is_computed_in_what_is_stored(name: str, text: str) -> None:
    with pytest.raises(DTypeError, match=f"{name}, which is stored and converted"):
        im.run_kernel(im.kernel(f"A: {name}[I]\nY: {name}[I]\n{text}"), {"A": elements(name, 8)})


@pytest.mark.parametrize("name", STORED)
def test_none_of_them_is_an_index(name: str) -> None:
    with pytest.raises(DTypeError, match=rf"idx is {name}, and .* is an index"):
        im.run_kernel(
            im.kernel(f"idx: {name}[I]\nE: f32[8]\nY: f32[I]\nY[i] = E[idx[i]]"),
            {"idx": elements(name, 4), "E": np.zeros(8, "f4")},
        )


def test_powers_of_two_in_numbers() -> None:
    """0, negative numbers and what is rounded beyond 2^127 are none; a tie is the larger one; f64 and i64 are rounded once."""
    kernel = im.kernel("A: f64[I]\nY: e8m0[I]\nY[i] = e8m0(A[i])")
    least, most = 2.0**-127, 2.0**127
    given = [0.0, -0.0, -1.0, np.nan, np.inf, 1.5 * most, np.nextafter(1.5 * most, 0), 1e-300, least / 4]
    given += [1.5, np.nextafter(1.5, 0), 3.0, 1.5 * least, np.nextafter(1.5 * least, 0), np.nextafter(least, 1)]
    meant = [255] * 6 + [254, 0, 0, 128, 127, 129, 1, 0, 0]
    assert assert_as_meant(kernel, A=np.array(given)).view(np.uint8).tolist() == meant
    whole = im.kernel("A: i64[I]\nY: e8m0[I]\nY[i] = e8m0(A[i])")
    given_whole = np.array([0, -1, 1, 2, 3, 3 << 60, (3 << 60) - 1, 1 << 62], np.int64)
    assert assert_as_meant(whole, A=given_whole).view(np.uint8).tolist() == [255, 255, 127, 128, 129, 189, 188, 189]


def test_every_f32_becomes_the_nearest_power_of_two_where_it_turns() -> None:
    """Each f32 at which the byte changes, the one before and the one behind; below the least normal one, too."""
    word = np.arange(0, 0x7F800001, 1 << 19, dtype=np.uint64)
    word = np.unique(np.concatenate([word + d for d in range(3)] + [word[1:] - d for d in (1, 2)])).astype(np.uint32)
    x = word.view(np.float32)
    made = assert_as_meant(im.kernel("A: f32[I]\nY: e8m0[I]\nY[i] = e8m0(A[i])"), A=x).view(np.uint8)
    with np.errstate(invalid="ignore"):
        exact = x.astype(np.float64)
    powers = 2.0 ** np.arange(-127, 129)
    turns = (powers[:-1] + powers[1:]) / 2
    np.testing.assert_array_equal(
        made, np.where((exact > 0) & np.isfinite(exact), np.searchsorted(turns, exact, "right"), 255)
    )


@pytest.mark.parametrize(
    ("line", "name", "inside", "outside"),
    [("0.3 <= A <= 100", "e8m0", [126, 133], [125, 134, 255]), ("A <= 3", "f4e2m1", [0, 5, 0x15, 0xFF], [6, 0x16])],
)
def test_ranges_of_stored_types_are_checked(line: str, name: str, inside: list[int], outside: list[int]) -> None:
    made = im.compile(im.kernel(f"A: {name}[I]\nassume {line}\nY: f32[I]\nY[i] = f32(A[i])"), "scalar")
    made(A=np.array(inside, np.uint8).view(DTYPES[name].numpy))
    for byte in outside:
        with pytest.raises(ArgumentError, match="was proved for A in"):
            made(A=np.array([byte], np.uint8).view(DTYPES[name].numpy))


def test_a_run_with_scales_says_its_bounds() -> None:
    text = "temporary T\nW: f32[I,K]\nS: e8m0[I]\nX: f32[K]\nT: f32[I]\nY: f32[I]\nT[i] += W[i,k] * X[k]\nY[i] = T[i] * f32(S[i])"
    command = [sys.executable, "-m", "isamap_smt", "run", "--text", text, "scalar", "--sizes", "I=9,K=5"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "0 <= S <= 1, Y is off" in " ".join(done.stdout.split())
