"""Axes, sizes and parameters as values: exact integers in the type of their surroundings, in the interpreter and in C."""

from __future__ import annotations

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.language import axes, kernel, select, size, tensors, to_text
from isamap_smt.simulator.run import run_program

TEXTS = {
    "m[i] += x[i,n] / N": lambda x: x.astype(np.float64).mean(axis=1),
    "y[i,n] = x[i,n] * (2*i + n // 2) - N": lambda x: x * (2 * _i(x) + _n(x) // 2) - x.shape[1],
    "y[i,n] = select(n <= i, x[i,n], -1)": lambda x: np.where(_n(x) <= _i(x), x, -1),
    "y[i,n] = select(n % 2 == 0, x[i,n], i)": lambda x: np.where(_n(x) % 2 == 0, x, _i(x)),
    "param s >= 2\ny[i,n] = x[i,n] * s + i": lambda x: x * 3 + _i(x),
    "y[i] += x[i,n] * n where n < 3": lambda x: (x * _n(x))[:, :3].sum(axis=1),
    "for i:\n  y[i,n] = x[i,n] + i": lambda x: x + _i(x),
    "y[i,n] = f32(i32(x[i,n]) * i32(n) + 7) ** 2": lambda x: ((x.astype(np.int32) * _n(x)) + 7.0) ** 2,
    "y[i,n] = sum(e, 3, x[i,n] * e)": lambda x: x * 3,
    "y[i,n] = abs(x[i,n] - n) + floor(x[i,n] / 2)": lambda x: np.abs(x - _n(x)) + np.floor(x / 2),
}


def _i(x: np.ndarray) -> np.ndarray:
    return np.arange(x.shape[0])[:, None]


def _n(x: np.ndarray) -> np.ndarray:
    return np.arange(x.shape[1])[None, :]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("text", TEXTS)
def test_interpreter_and_code_agree_with_numpy(text: str) -> None:
    k = kernel(text)
    assert kernel(to_text(k)) == k
    x = np.random.default_rng(3).integers(-8, 9, (5, 7)).astype(np.float32)
    sizes = {"s": 3} if "param" in text else None
    want = TEXTS[text](x)
    ours = im.run_kernel(k, {"x": x}, sizes=sizes)[k.results[0]]
    np.testing.assert_allclose(ours, want, rtol=1e-6)
    for machine, threads in (("scalar", 1), ("host", 2)):
        code = im.compile(k, machine, sizes=sizes or {}, threads=threads)
        assert im.prove_program(code.program).proved
        got = code(x=x)
        np.testing.assert_allclose(got[k.results[0]] if isinstance(got, dict) else got, ours, rtol=1e-6)
    stepped = run_program(code.program, {"x": x}, sizes=sizes).outputs
    np.testing.assert_allclose(stepped[k.results[0]], ours, rtol=1e-6)


def test_axes_are_compared_as_integers() -> None:
    k = kernel("y[i] = select(i < 257, x[i], 0)", dtypes=dict.fromkeys("xy", "bf16"))
    x = np.ones(300, k.tensor("x").dtype.numpy)
    assert im.run_kernel(k, {"x": x})["y"].astype(int).sum() == 257, "bf16 has no 257"
    got = im.compile(k, "scalar")(x=x)
    assert (got["y"] if isinstance(got, dict) else got).astype(int).sum() == 257


def test_a_conversion_of_a_size_wraps() -> None:
    k = kernel("y[i] = x[i] + i8(i)", dtypes=dict.fromkeys("xy", "i8"))
    x = np.zeros(300, np.int8)
    want = np.arange(300).astype(np.int8)
    assert (im.run_kernel(k, {"x": x})["y"] == want).all()
    got = im.compile(k, "scalar")(x=x)
    assert ((got["y"] if isinstance(got, dict) else got) == want).all()


def test_sizes_that_are_fixed_become_numbers() -> None:
    k = kernel("m[i] += x[i,n] / N").with_sizes({"n": 4})
    assert to_text(k).splitlines()[-1] == "m[i] += x[i, n] / 4"
    assert kernel("y[i] = x[i] * N\nsize N").free_sizes == ("I", "N")


def test_the_python_form() -> None:
    i, n = axes("i n")
    x, y = tensors("x y")
    N = size("N")
    assert kernel(y[i, n].set(select(n <= i, x[i, n] ** 2 / N, 0))) == kernel(
        "y[i,n] = select(n <= i, x[i,n]**2 / N, 0)"
    )


def test_powers_are_products_quotients_and_roots() -> None:
    for exponent, same in [
        ("3", "(x[i] + 1) * (x[i] + 1) * (x[i] + 1)"),
        ("1", "x[i] + 1"),
        ("-2", "1 / ((x[i] + 1) * (x[i] + 1))"),
        ("0.5", "sqrt(x[i] + 1)"),
        ("-0.5", "rsqrt(x[i] + 1)"),
    ]:
        assert kernel(f"y[i] = (x[i] + 1) ** {exponent}") == kernel(f"y[i] = {same}")
