"""Partial results that are combined in halves are printed as a helper in vectors, with the bits of the scalar tree."""

from __future__ import annotations

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.codegen import lower_points
from isamap_smt.codegen.c_folds import LEAST, MOST
from isamap_smt.ir.interpret import run_kernel

SIGNS = {"+": "{} + {}", "max": "max({}, {})", "min": "min({}, {})"}
WORDS = {"+": "sum", "max": "max", "min": "min"}


def tree(op: str, count: int, step: int = 1) -> str:
    """Halves with halves, over x[i, 0], x[i, step] ..."""
    terms = [f"x[i,{n * step}]" for n in range(count)]
    while len(terms) > 1:
        half = len(terms) // 2
        terms = [f"({SIGNS[op].format(a, b)})" for a, b in zip(terms[:half], terms[half:], strict=True)]
    return terms[0]


def values(kind: str, shape: tuple[int, int]) -> np.ndarray:
    rng = np.random.default_rng(9)
    dtype = im.kernel("y[i] = x[i]").with_dtypes({"x": kind, "y": kind}).tensor("x").dtype.numpy
    if kind.startswith("f"):
        found = rng.normal(size=shape).astype(dtype) * rng.choice([1e-20, 1, 1e20], shape).astype(dtype)
        found[rng.random(shape) < 0.02] = np.nan
        found[rng.random(shape) < 0.02] = -np.inf
        return found
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    return rng.integers(low, high, shape, dtype, endpoint=True)


@pytest.mark.parametrize("count", [LEAST, 16, *(pytest.param(n, marks=pytest.mark.exhaustive) for n in (8, MOST))])
@pytest.mark.parametrize(
    "kind", ["f32", "i32", *(pytest.param(k, marks=pytest.mark.exhaustive) for k in ("f64", "i64", "u32"))]
)
@pytest.mark.parametrize("op", SIGNS)
def test_the_helper_has_the_bits_of_the_tree(op: str, kind: str, count: int) -> None:
    text = f"y[i] = {tree(op, count)}\nx: {kind}[I,{count}]\ny: {kind}[I]"
    kernel = im.kernel(text, name="fold")
    built = im.build(lower_points(kernel.with_sizes({"i": 200})))
    assert f"isamap_{WORDS[op]}_{count}_{kind}(" in built.source
    x = values(kind, (200, count))
    got, want = built(x), run_kernel(kernel, {"x": x})["y"]
    if op == "+" or not kind.startswith("f"):
        nan = np.isnan(want) if kind.startswith("f") else np.zeros(len(want), bool)
        assert (got[~nan].tobytes(), list(np.isnan(got[nan]))) == (want[~nan].tobytes(), [True] * int(nan.sum()))
    else:
        np.testing.assert_array_equal(got, want)  # of two zeros either may be the larger one


@pytest.mark.parametrize(
    "value",
    ["x[i,0] + x[i,1] + x[i,2] + x[i,3]", tree("+", 4, step=2), "(x[i,0] + x[i,2]) + (x[i,1] + z[i,3])",
     "(x[i,0] + x[i,2]) + max(x[i,1], x[i,3])", "(x[i,0] + x[i,1]) + (x[i,2] + x[i,3])"],
)  # fmt: skip
def test_other_trees_are_printed_as_they_stand(value: str) -> None:
    kernel = im.kernel(f"y[i] = {value}")
    shapes = {"x": (5, 8), "z": (5, 8)}
    kernel = im.kernel("\n".join([f"y[i] = {value}", *(f"{n}: f32[I,8]" for n in kernel.inputs)]))
    built = im.build(lower_points(kernel.with_sizes({"i": 5})))
    assert "isamap_sum_" not in built.source
    rng = np.random.default_rng(1)
    arrays = {n: rng.normal(size=shapes[n]).astype(np.float32) for n in kernel.inputs}
    assert built(**arrays).tobytes() == run_kernel(kernel, arrays)["y"].tobytes()
