"""Guards that hold everywhere, or nowhere, at the sizes that are fixed."""

from __future__ import annotations

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.interpret import random_arrays, run_kernel

GUARDS = ("i % 2 == 0", "i % 2 == 1", "i < 1", "i >= 1", "0 <= i", "i % 3 < 2", "i // 2 == 0", "i != 0", "i != 1")


@pytest.mark.one_in(
    3,
    each=(
        "guard",
        "extent",
    ),
)
@pytest.mark.parametrize("extent", [1, 2])
@pytest.mark.parametrize("guard", GUARDS)
def test_a_guard_that_the_sizes_decide(guard: str, extent: int) -> None:
    kernel = im.kernel(f"C: i32\nA: i8\nB: i8\nC[i] += i32(A[i]) * i32(B[i]) where {guard}")
    planned = im.plan(kernel, "scalar", sizes={"I": extent})
    assert not any("fault of" in n for n in planned.notes)
    arrays = random_arrays(kernel, {"I": extent})
    got = im.build(planned)(arrays["A"], arrays["B"])
    np.testing.assert_array_equal(got, run_kernel(kernel, arrays, {}, {"I": extent})["C"])
