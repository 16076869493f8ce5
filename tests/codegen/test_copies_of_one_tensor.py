"""Several operands that read one tensor, each from a copy of its own."""

from __future__ import annotations

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.interpret import random_arrays, run_kernel

KERNELS = {
    "in order of use": ("C: f32\nA: f16\nC[i, j] += sum(e, 4, A[i, j, k, 4*i+e])", {"I": 9, "J": 7, "K": 7}, ("A",)),
    "each call": (
        "C: i32\nA: i32\nC[p] += A[p+r] * A[p+2*r] where p+r < H and p+2*r < H",
        {"H": 9, "P": 9, "R": 3},
        (),
    ),
}


@pytest.mark.parametrize("name", KERNELS)
def test_each_copy_has_a_name_of_its_own(name: str) -> None:
    text, sizes, constant = KERNELS[name]
    kernel = im.kernel(text)
    planned = im.plan(kernel, "scalar", sizes=sizes, constant=constant)
    assert planned.schedule is not None, planned.notes
    assert str(planned.program).count("A_packed") > 1
    a = random_arrays(kernel, sizes)["A"]
    built = im.build(planned)
    got = built.pack(A=a)() if constant else built(a)
    np.testing.assert_allclose(got, run_kernel(kernel, {"A": a}, {}, sizes)["C"], rtol=1e-4, atol=1e-4)
