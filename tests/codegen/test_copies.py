"""What is copied without tests: every tile that lies inside, also where the last one is cut."""

from __future__ import annotations

import re

import numpy as np
import pytest

import isamap_smt as im


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
