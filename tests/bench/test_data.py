"""Inputs whose sums are exact, and the checks that rest on it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isamap_smt.bench.case import Case, from_document
from isamap_smt.bench.data import check, expected, inputs
from isamap_smt.bench.deepbench import conv_case
from isamap_smt.ir.interpret import run_kernel

KINDS = {"f32": ("f32", "f32", "f32"), "int8": ("u8", "i8", "i32"), "bf16": ("bf16", "bf16", "f32")}


def product(kernel: str, kinds: tuple[str, str, str], k: int = 24) -> Case:
    """A small matrix product."""
    form = {"gemm": "NN", "gemm_nt": "NT", "gemm_tn": "TN"}[kernel]
    sizes = (("i", 3), ("j", 5), ("k", k))
    return Case("x", "matmul", kernel, sizes, tuple(zip("ABC", kinds, strict=True)), ("B",), "tiny", form)


@pytest.mark.parametrize("kinds", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("kernel", ["gemm", "gemm_nt", "gemm_tn"])
def test_the_reference_is_the_interpreters_result_bit_for_bit(kernel: str, kinds: tuple[str, str, str]) -> None:
    case = product(kernel, kinds)
    arrays = inputs(case)
    (got,) = run_kernel(case.problem(), arrays).values()
    assert check(got, expected(case, arrays), allowed=0.0).exact


@pytest.mark.parametrize(
    ("kernel", "extents", "stride", "pad"),
    [
        ("conv2d", (2, 3, 4, 5, 3, 3, 2), 1, 1),
        ("conv2d", (1, 3, 3, 4, 2, 1, 1), 2, 0),
        ("conv2d", (1, 3, 3, 4, 2, 1, 1), 1, 0),
        ("depthwise_conv2d", (1, 4, 3, 1, 5, 3, 3), 2, 1),
        ("depthwise_separable_conv2d", (1, 4, 3, 6, 5, 3, 3), 2, 1),
        ("depthwise_separable_conv2d", (2, 3, 4, 1, 3, 3, 2), 1, 1),
    ],
)
def test_convolutions_too(kernel: str, extents: tuple[int, ...], stride: int, pad: int) -> None:
    case = conv_case(kernel, extents, stride, pad, "x")
    arrays = inputs(case)
    (got,) = run_kernel(case.problem(), arrays, sizes=case.size).values()
    assert check(got, expected(case, arrays), allowed=0.0).exact


@pytest.mark.parametrize("kinds", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("k", [1, 500, 2048, 500_000])
def test_no_partial_sum_can_be_rounded(k: int, kinds: tuple[str, str, str]) -> None:
    """In any order: the sum of all absolute values is representable, so every part of it is."""
    case = replace(product("gemm", kinds), sizes=(("i", 2), ("j", 2), ("k", k)))
    arrays = inputs(case)
    largest = (abs(arrays["A"].astype(np.float64)) @ abs(arrays["B"].astype(np.float64))).max()
    assert 0 < largest <= (2**31 - 1 if kinds[2] == "i32" else 2**24)


def test_bytes_take_their_full_range() -> None:
    arrays = inputs(replace(product("gemm", KINDS["int8"]), sizes=(("i", 64), ("j", 64), ("k", 512))))
    assert (arrays["A"].min(), arrays["A"].max()) == (0, 255)
    assert (arrays["B"].min(), arrays["B"].max()) == (-128, 127)


def test_the_same_seed_gives_the_same_numbers() -> None:
    case = product("gemm", KINDS["f32"])
    first, second, other = inputs(case), inputs(case), inputs(case, seed=1)
    assert np.array_equal(first["A"], second["A"])
    assert not np.array_equal(first["A"], other["A"])


@pytest.mark.parametrize("kernel", ["conv2d", "depthwise_separable_conv2d"])
def test_a_case_survives_json(kernel: str) -> None:
    case = conv_case(kernel, (2, 3, 4, 5, 3, 3, 2), 1, 1, "x")
    assert from_document(case.document()) == case


EXACT = np.array([[1.0, -2.0], [3.0, 4.0]])


@given(
    st.integers(0, 3),
    st.sampled_from([np.nan, np.inf, -np.inf, 0.0]),
    st.sampled_from([np.float32, np.float64]),
    st.booleans(),
)
def test_one_wrong_element_is_seen(at: int, value: float, kind: type, exactly: bool) -> None:
    got = EXACT.astype(kind)
    assert check(got, EXACT, 0.0 if exactly else None).exact
    got.flat[at] = value
    verdict = check(got, EXACT, 0.0 if exactly else None)
    assert not verdict.right
    assert verdict.words


def test_all_nan_is_wrong() -> None:
    verdict = check(np.full((2, 2), np.nan, np.float32), EXACT)
    assert not verdict.right and verdict.error == float("inf")
    assert verdict.words == "not a number at 0,0: nan, expected 1"


def test_a_wrong_shape_is_wrong() -> None:
    assert check(np.ones((4,), np.float32), EXACT).words == "shape (4,), expected (2, 2)"


def test_rounding_on_the_way_is_allowed_to_peers_only() -> None:
    got = (EXACT * (1 + 1e-6)).astype(np.float32)
    assert check(got, EXACT).right
    assert not check(got, EXACT).exact
    assert not check(got, EXACT, allowed=0.0).right


def test_integers_are_exact() -> None:
    got = EXACT.astype(np.int32)
    assert check(got, EXACT).exact
    got[1, 1] = 5
    assert check(got, EXACT).words == "1 of 4 elements differ, largest error 2.5e-01; at 1,1: 5, expected 4"
