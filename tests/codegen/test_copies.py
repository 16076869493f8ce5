"""What is copied without tests: every tile that lies inside, also where the last one is cut."""

from __future__ import annotations

import re

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.interpret import run_kernel
from isamap_smt.ir.program import Copy
from isamap_smt.ir.traversal import nodes_of


@pytest.mark.needs("avx2", "fma")
@pytest.mark.parametrize("kernel", ["gemm", "gemm_nt"])
def test_only_the_tile_that_is_cut_is_tested_element_by_element(kernel: str) -> None:
    sizes = {"i": 64, "j": 75, "k": 40}
    tiles = {"register.i": 4, "register.j": 16, "tile.j.L3": 80, "tile.j.L2": 80}
    fix = {"pack.B": "L3", "pack.A": "no", **tiles}
    plan = im.plan(kernel, "avx2", sizes=sizes, fix=fix, cost_model="analytic", strategy="exact")
    assert "if (0)" not in plan.source, "the tests for whole tiles never hold"
    assert re.search(r"if \(\d+ - [^?;]*c_j\d[^?;]* >= 0\) \{", plan.source), "no test for whole tiles"
    compiled = im.build(plan)
    rng = np.random.default_rng(1)
    shapes = {"A": (64, 40), "B": (40, 75) if kernel == "gemm" else (75, 40)}
    arrays = {n: rng.integers(-4, 5, shape).astype(np.float32) for n, shape in shapes.items()}
    b = arrays["B"] if kernel == "gemm" else arrays["B"].T
    np.testing.assert_array_equal(compiled(**arrays), arrays["A"] @ b)


@pytest.mark.needs("avx2", "f16c")
@pytest.mark.parametrize("of", ["f16", "i8"])
def test_rows_are_read_one_after_the_other(of: str) -> None:
    """A few of them side by side, as they stand beside each other where they go."""
    kernel = im.kernel("Y[m,i] += X[m,k] * f32(W[i,k])", name="weighted", dtypes={"W": of, "X": "f32", "Y": "f32"})
    plan = im.plan(kernel.with_sizes(dict(m=64, i=96, k=512)), "avx2", cost_model="analytic")
    (copy,) = (c for c in nodes_of(Copy, plan.program) if c.src.name == "W")
    rows, column = copy.src.index
    steps = [(abs(int(rows.coeff(v) or 0)), abs(int(column.coeff(v) or 0))) for v, _ in copy.over]
    last = steps.pop() if steps[-1][0] else None
    assert last is None or copy.over[-1][1] <= 16
    assert steps == sorted(steps, reverse=True)
    compiled, rng = im.build(plan), np.random.default_rng(0)
    w = rng.integers(-3, 4, (96, 512)).astype(np.float16 if of == "f16" else np.int8)
    x = rng.integers(-3, 4, (64, 512)).astype(np.float32)
    np.testing.assert_array_equal(compiled(W=w, X=x), x @ w.T.astype(np.float32))


@pytest.mark.needs("avx2")
def test_quotients_are_numbers_where_cells_are_written_out() -> None:
    text = "Y[a,b,c] = u8(round_u8(rint(X[c,a,b] / 0.036) + 124))"
    kernel = im.kernel(text, name="turned", dtypes={"X": "f32", "Y": "u8"}).with_sizes(dict(a=5, b=64, c=3))
    plan = im.plan(kernel, "avx2", cost_model="analytic")
    (copy,) = (c for c in nodes_of(Copy, plan.program) if c.src.name == "X")
    assert copy.form is not None and copy.form.written
    x = np.random.default_rng(0).standard_normal((3, 5, 64)).astype(np.float32) * 9
    np.testing.assert_array_equal(im.build(plan)(X=x), run_kernel(kernel, {"X": x})["Y"])
