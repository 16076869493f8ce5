"""A guard that cuts an axis inside the tensor is written into the padded copy, where the cell alone decides it."""

from __future__ import annotations

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.interpret import random_arrays


@pytest.mark.one_in(2)
@pytest.mark.parametrize("guard", ["k < 3", "i < 3", "k < 3 and i >= 2", "k != 2", "i <= k"])
def test_values(guard: str) -> None:
    text = f"C[i] += A[i,k]*B[k] where {guard}"
    kernel = im.kernel(text).with_dtypes(dict.fromkeys("ABC", "i32")).with_sizes({"i": 5, "k": 6})
    run = im.build(im.plan(kernel, "scalar"))
    random = np.random.default_rng(0)
    a, b = random.integers(-9, 9, (5, 6)).astype(np.int32), random.integers(-9, 9, 6).astype(np.int32)
    assert (run(a, b) == im.run_kernel(kernel, {"A": a, "B": b})["C"]).all()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("guard", ["k < 3", "i < 3"])
@pytest.mark.parametrize("machine", ["scalar", "avx2"])
def test_open_sizes_are_proved(guard: str, machine: str) -> None:
    assert im.plan(im.kernel(f"C[i] += A[i,k]*B[k] where {guard}"), machine).proof.proved


@pytest.mark.parametrize("text", ["C[i] += A[i+k]*B[k] where k < 3", "C[i] += A[i,2*k]*B[k] where k < 3"])
def test_a_guard_that_no_cell_decides_is_packed(text: str) -> None:
    kernel = im.kernel(text).with_dtypes(dict.fromkeys("ABC", "i32")).with_sizes({"i": 7, "k": 6})
    planned = im.plan(kernel, "scalar")
    assert planned.schedule.stage(planned.schedule.stages[0].operand).depth is not None
    arrays = random_arrays(kernel, {}, np.random.default_rng(1))
    assert (im.build(planned)(**arrays) == im.run_kernel(kernel, arrays)["C"]).all()
