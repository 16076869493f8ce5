"""What counts as a right result: equality where arithmetic is exact, a bound elsewhere, and NaN and infinities in their places."""

from __future__ import annotations

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.runtime.judge import IN_ORDER, judge, must_be_equal, wanted

GEMM = im.find_kernel("gemm").with_sizes({"i": 2, "j": 3, "k": 64})
RNG = np.random.default_rng(2)
ARRAYS = {"A": RNG.uniform(-1, 1, (2, 64)).astype(np.float32), "B": RNG.uniform(-1, 1, (64, 3)).astype(np.float32)}


def test_a_sum_may_be_off_by_its_rounding_and_no_more() -> None:
    right = wanted(GEMM, ARRAYS, "reassociate")
    got = (ARRAYS["A"] @ ARRAYS["B"]).astype(np.float32)
    seen = judge(GEMM, got, right)
    assert seen.reason == "" and 0 < seen.bound < 1e-4
    got[1, 2] += 2 * seen.bound * np.abs(right["C"]).max()
    assert "C[1,2] is" in judge(GEMM, got, right).reason


def test_integers_are_equal_or_wrong() -> None:
    kernel = GEMM.with_dtypes(dict.fromkeys("ABC", "i32"))
    arrays = {n: RNG.integers(-9, 9, a.shape, dtype=np.int32) for n, a in ARRAYS.items()}
    right = wanted(kernel, arrays, "exact")
    got = arrays["A"] @ arrays["B"]
    assert judge(kernel, got, right, "exact").exact
    got[0, 1] ^= 1
    seen = judge(kernel, got, right, "exact")
    assert seen.bound == 0.0 and "C is not the exact result: C[0,1] is" in seen.reason


def test_an_ordered_sum_is_compared_bit_for_bit() -> None:
    kernel = im.kernel("C[i,j] += A[i,k] * B[k,j] ordered").with_sizes({"i": 2, "j": 3, "k": 64})
    assert (
        must_be_equal(kernel, "ordered")
        and not must_be_equal(kernel, "reassociate")
        and not must_be_equal(GEMM, "exact")
    )
    right = wanted(kernel, ARRAYS, "ordered")
    total = np.zeros((2, 3), np.float32)
    for k in range(64):
        total += ARRAYS["A"][:, k, None] * ARRAYS["B"][k]
    seen = judge(kernel, total, right, "ordered")
    assert seen.exact and seen.against == IN_ORDER
    total[0, 0] = np.nextafter(total[0, 0], np.float32(9))
    assert "C is not the exact result" in judge(kernel, total, right, "ordered").reason


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_stands_where_the_reference_has_it(value: float) -> None:
    kernel = im.kernel("C[i] = A[i] * 2.0").with_sizes({"i": 3})
    given = np.array([1, value, 3], np.float32)
    right = wanted(kernel, {"A": given}, "reassociate")
    assert judge(kernel, given * 2, right).reason == ""
    for wrong in ([2, 5, 6], [2, 5 if np.isnan(value) else -value, 6], [2, value, value]):
        assert judge(kernel, np.array(wrong, np.float32), right).reason


def test_an_overflow_of_the_type_is_right() -> None:
    kernel = im.kernel("C[i] = A[i] * A[i]").with_sizes({"i": 2})
    given = np.array([3e30, 1], np.float32)
    right = wanted(kernel, {"A": given}, "reassociate")
    assert judge(kernel, np.array([np.inf, 1], np.float32), right).reason == ""
    assert judge(kernel, np.array([3e38, 1], np.float32), right).reason


def test_elements_that_are_nan_on_both_sides_are_counted() -> None:
    kernel = im.kernel("y[i] = log(x[i])", name="logs").with_sizes({"I": 3})
    arrays = {"x": np.array([1, -1, -2], np.float32)}
    with np.errstate(invalid="ignore"):
        right = wanted(kernel, arrays, "exact")
    assert judge(kernel, right["y"].astype(np.float32), right, "exact").undefined == 2
    assert judge(kernel, np.zeros(3, np.float32), right, "exact").undefined == 0


def test_a_row_without_points_is_minus_infinity_and_right() -> None:
    kernel = im.kernel("M[q] max= S[q,k] where q < k").with_sizes({"q": 5, "k": 5})
    arrays = {"S": np.arange(25, dtype=np.float32).reshape(5, 5)}
    got = np.array([4, 9, 14, 19, -np.inf], np.float32)
    near = im.rounding_error(kernel, arrays)
    assert judge(kernel, got, wanted(kernel, arrays, "exact"), near=near).reason == ""
    got[4] = np.inf
    assert "M[4] is inf" in judge(kernel, got, wanted(kernel, arrays, "exact"), near=near).reason
