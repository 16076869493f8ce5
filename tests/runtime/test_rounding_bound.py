"""Bounds for all inputs of stated ranges: nothing that was run is beyond, and they are not far from what is followed for arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from examples import attention, norms, reductions
from isamap_smt.ir.errors import RangeError, SizeError, UnknownNameError
from isamap_smt.ir.interpret import reference, run_kernel
from isamap_smt.ir.rounding_bound import rounding_bound as bound_of_kernel
from isamap_smt.proof.rounding import prove_rounding

GELU = im.kernel("y[i] = 0.5 * x[i] * (1 + erf(x[i] * 0.70710678))", name="gelu")
MIXED = im.kernel("y[i] += x[i,n] * w[n] - v[i,n]", name="mixed")
LSE = im.kernel(
    "temporary M, E, D\nM[i] max= x[i,n]\nE[i,n] = exp(x[i,n] - M[i])\nD[i] += E[i,n]\ny[i] = M[i] + log(D[i])",
    name="lse",
)
OTHER = im.kernel(
    "y[i] = sqrt(max(x[i], 0.5)) / (1 + exp(0 - x[i])) + select(x[i] < 1, tanh(x[i]), abs(x[i]))", name="other"
)
CASES: dict[str, tuple[im.Kernel, dict[str, int], float]] = {
    "softmax": (norms.SOFTMAX, {"i": 3, "n": 50}, 1.5),
    "lse": (LSE, {"i": 3, "n": 50}, 1.5),
    "rms": (norms.RMS_NORM, {"i": 3, "n": 40}, 3),
    "row_sum": (reductions.ROW_SUM, {"i": 3, "n": 50}, 3),
    "dot": (reductions.DOT, {"n": 70}, 4),
    "gelu": (GELU, {"i": 40}, 4),
    "mixed": (MIXED, {"i": 3, "n": 20}, 4),
    "other": (OTHER, {"i": 90}, np.inf),  # of a comparison that may go either way, only where both ways lie
    "attention": (attention.ATTENTION, {"h": 1, "q": 3, "k": 12, "d": 4}, 30),
}


def arrays_of(kernel: im.Kernel, sizes: dict[str, int], rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Inputs anywhere within the range, often at its ends."""
    full = kernel.with_sizes(sizes)
    made = {}
    for n in full.inputs:
        low, high = RANGES(n)
        drawn = rng.uniform(low, high, size=tuple(map(int, full.tensor(n).shape)))
        ends = rng.random(drawn.shape)
        made[n] = np.asarray(np.where(ends < 0.1, low, np.where(ends > 0.9, high, drawn)), np.float32)
    return made


def RANGES(name: str) -> tuple[float, float]:
    return (0.25, 0.5) if name in ("z", "g", "gain") else (-4.0, 4.0)


def seen(kernel: im.Kernel, sizes: dict[str, int], times: int, seed: int) -> tuple[float, float]:
    """The largest part of the bound that an error is, and that the bounds of arrays are."""
    bounds = im.rounding_bound(kernel, {n: RANGES(n) for n in kernel.inputs}, sizes)
    rng, worst, followed = np.random.default_rng(seed), 0.0, 0.0
    for _ in range(times):
        arrays = arrays_of(kernel, sizes, rng)
        full = kernel.with_sizes(sizes)
        exact, got, near = reference(full, arrays), run_kernel(full, arrays), im.rounding_error(full, arrays)
        for n, b in bounds.items():
            allowed = b.relative * np.abs(exact[n]) + b.absolute
            assert ((b.low <= exact[n] + 1e-12) & (exact[n] <= b.high + 1e-12)).all()
            worst = max(worst, float((np.abs(got[n].astype(np.float64) - exact[n]) / allowed).max()))
            followed = max(followed, float((near[n].error / allowed).max()))
    return worst, followed


@pytest.mark.parametrize("name", list(CASES))
def test_no_run_is_beyond_and_bounds_are_not_far_from_those_of_arrays(name: str) -> None:
    kernel, sizes, far = CASES[name]
    worst, followed = seen(kernel, sizes, 4, 7)
    assert worst <= 1
    assert followed * far >= 1 or far == np.inf


def test_softmax_is_bounded_by_its_length_and_range_alone() -> None:
    (y,) = im.rounding_bound(norms.SOFTMAX, {"x": (-4, 4)}, {"i": 1, "n": 50}).values()
    assert (y.low >= 0, y.high <= 1 + 1e-9) == (True, True)
    assert 50 * 2.0**-24 < y.relative < 100 * 2.0**-24


def test_programs_are_bounded_by_what_their_instructions_compute() -> None:
    plan = im.plan(reductions.ROW_SUM, "avx2", sizes={"i": 4, "n": 64})
    (y,) = im.rounding_bound(plan, {"x": (0, 1)}).values()
    assert y.high == 64
    assert 13.9 * 2.0**-24 <= y.relative <= 14.1 * 2.0**-24  # 8 in each lane, then 8 lanes


@pytest.mark.parametrize(
    "text",
    ["y[i] = 1 / x[i]", "y[i] = log(x[i])",
      "y[i] = exp(200 * x[i])", "y[i] = sqrt(x[i])", "y[i] *= x[i] * x[i]", "y[i] max= x[i] where i > 0"],
)  # fmt: skip
def test_where_nothing_is_known_the_bound_is_infinite(text: str) -> None:
    (y,) = im.rounding_bound(im.kernel(text, name="wild"), {"x": (-1, 1)}, {"i": 4}).values()
    assert y.error == np.inf


def test_what_is_less_another_maximum_is_not_below_0() -> None:
    """The maximum of other elements, of a row that has changed since, or of part of it."""
    for text in (
        "M[i] max= x[i,n]\nE[i,n] = exp(z[i,n] - M[i])\ny[i] += E[i,n]",
        "S[i,n] = x[i,n]\nM[i] max= S[i,n]\nS[i,n] = z[i,n]\nE[i,n] = exp(S[i,n] - M[i])\ny[i] += E[i,n]",
        "M[i] max= x[i,n]\nE[i,n] = exp(x[n,i] - M[i])\ny[i] += E[i,n]",
        "M[i] max= x[i,n]\nE[i,n] = exp(x[i,n] - M[i])\ny[n] += E[i,n]",
    ):
        kernel = im.kernel(f"axis i < 5\naxis n < 5\nx: [5, 5]\n{text}", name="odd")
        bounds = im.rounding_bound(kernel, dict.fromkeys(kernel.inputs, (-1, 1)))
        e, y = bounds["E"], bounds["y"]
        assert e.high > 7 or y.low < 1


@pytest.mark.parametrize(
    ("ranges", "sizes", "words"),
    [
        ({}, {"i": 4}, "x has no range"),
        ({"x": (0, 1)}, {}, "needs the sizes I"),
        ({"X": (0, 1)}, {"i": 4}, "no input 'X'"),
    ],
)
def test_what_is_missing_is_said(ranges: dict[str, tuple[float, float]], sizes: dict[str, int], words: str) -> None:
    with pytest.raises((SizeError, UnknownNameError), match=words):
        im.rounding_bound(im.kernel("y[i] = x[i] * 2", name="twice"), ranges, sizes)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((4, -4), "no element is at least 4 and at most -4"), ((1,), "its least and its greatest element"), (4, "such as"),
        (("a", "b"), "such as"), ("12", "such as"), ((float("nan"), 1), "no element is at least nan"),
    ],
)  # fmt: skip
def test_a_range_that_is_none_is_refused(given: Any, words: str) -> None:
    with pytest.raises(RangeError, match=words):
        im.rounding_bound(im.kernel("y[i] = x[i] * 2", name="twice"), {"x": given}, {"i": 4})


@pytest.mark.parametrize("given", [(200, 300), (0.5, 0.7)])
def test_a_range_has_numbers_that_elements_can_be(given: Any) -> None:
    kernel = im.kernel("y: i32\nx: i8\ny[i] += i32(x[i])", name="bytes")
    with pytest.raises(RangeError, match="elements of i8 are whole numbers from -128 to 127"):
        im.rounding_bound(kernel, {"x": given}, {"i": 4})


@pytest.mark.parametrize("ask", [im.rounding_bound, im.rounding_error])
def test_what_is_no_kernel_is_named(ask: Any) -> None:
    with pytest.raises(UnknownNameError, match="no kernel"):
        ask(None, {})
    with pytest.raises(UnknownNameError, match="gemmm"):
        ask("gemmm", {})


def test_sums_and_maxima_in_parts_are_those_of_the_whole() -> None:
    """Of a sum in parts it is not known what it is less; of the whole it is, and its terms are the same."""
    plan = im.plan(norms.SOFTMAX, "avx2", sizes={"i": 4, "n": 50})
    assert plan.split is not None
    (y,) = im.rounding_bound(plan, {"x": (-4, 4)}).values()
    (whole,) = im.rounding_bound(norms.SOFTMAX, {"x": (-4, 4)}, {"i": 4, "n": 50}).values()
    assert y.error == whole.error < 1e-5
    (apart,) = bound_of_kernel(plan.program.kernel, {"x": (-4, 4)}).values()
    assert 1e-5 < apart.error < np.inf


def test_a_guarded_maximum_is_bounded_where_each_row_has_a_point() -> None:
    def ends(guard: str) -> tuple[float, float]:
        kernel = im.kernel(f"m[i] max= x[i,k] where {guard}", name="rows").with_sizes({"i": 5, "k": 7})
        (m,) = bound_of_kernel(kernel, {"x": (-2, 3)}).values()
        return m.low, m.high

    assert ends("k <= i") == (-2, 3)
    assert ends("k < i") == (-np.inf, np.inf)


def test_what_is_added_to_a_sum_is_one_rounding_more() -> None:
    kernel = im.kernel("s[] += x[n]\ns[] += z[m]\ny[] = s[]", name="twice").with_sizes({"n": 7, "m": 5})
    s = im.rounding_bound(kernel, {"x": (0, 1), "z": (0, 2)})["s"]
    assert s.high == 17
    assert 11 * 2.0**-24 <= s.relative <= 11.01 * 2.0**-24


def test_a_rounding_of_f64_is_no_less_than_it_is() -> None:
    """1 + u is 1 in f64."""
    kernel = im.kernel("y[i] = x[i] * x[i] + x[i]", name="wide", dtypes={"x": "f64", "y": "f64"}, sizes={"i": 3})
    (y,) = im.rounding_bound(kernel, {"x": (1, 2)}).values()
    assert 2 * 2.0**-53 <= y.relative < 2.1 * 2.0**-53


def test_types_meet_below_a_saturation() -> None:
    mixed = im.kernel("C[i] = sat_i8(A[i] - B[i] * 2)", dtypes={"A": "u32", "B": "i8", "C": "i8"})
    bound = im.rounding_bound(mixed, {"A": (0, 500), "B": (-128, 127)}, {"i": 4})["C"]
    assert (bound.low, bound.high, bound.error) == (-129, 128, 0)
    arrays = {"A": np.uint32([0, 500, 1, 3]), "B": np.int8([127, -128, 1, -1])}
    found = im.rounding_error(mixed, arrays)["C"]
    assert found.value.tolist() == [-128, 127, -1, 5] and not found.error.any()


@pytest.mark.parametrize("value", ["-A[i]", "abs(A[i])"])
def test_what_a_type_of_integers_does_not_hold_has_no_bound(value: str) -> None:
    """-128 of i8 is its own opposite, so its root is no number."""
    kernel = im.kernel(f"Y[i] = sqrt(f32({value}))", dtypes={"A": "i8", "Y": "f32"})
    a = np.array([-128, -4], np.int8)
    assert np.isnan(run_kernel(kernel, {"A": a})["Y"][0])
    assert im.rounding_bound(kernel, {"A": (-128, -1)}, {"i": 2})["Y"].error == np.inf
    assert im.rounding_bound(kernel, {"A": (-127, -1)}, {"i": 2})["Y"].relative < 1e-7
    assert np.isinf(im.rounding_error(kernel, {"A": a})["Y"].error[0])
    proof, derived = prove_rounding(kernel.with_sizes({"i": 2}), {"A": (-128, -1)}, {})
    assert proof.word == "unknown" and not derived
