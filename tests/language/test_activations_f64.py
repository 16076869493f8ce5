"""The functions of one f64 value: their stated accuracy against mpmath, at every exponent and at the joints of their sequences."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir import activations_f64
from isamap_smt.ir.heads import FUNCTION_ROWS, FUNCTIONS, applied

EXACT = {
    "exp": mp.exp, "log": mp.log, "tanh": mp.tanh, "sigmoid": lambda v: 1 / (1 + mp.exp(-v)), "erf": mp.erf, "sqrt": mp.sqrt,
    "rsqrt": lambda v: 1 / mp.sqrt(v),
}  # fmt: skip
RANGES = {"exp": (-746, 710), "log": (0.4, 2.5), "tanh": (-20, 20), "sigmoid": (-746, 38), "erf": (-6, 6)}
EDGES = [
    5e-324, 1e-310, 2.0**-1022, 2.0**-54, 0.25, 0.34657359, 0.3465736, 0.5, math.sqrt(0.5), math.sqrt(2), 1.0, 2.0, 5.9, 6.0, 6.1,
    19.06, 20.0, 36.7, 37.5, 708.3964, 709.782712893384, 709.7827128933841, 710.0, 745.13, 745.14, 746.0, 1.7e308,
]  # fmt: skip


def arguments(name: str) -> np.ndarray:
    """Every exponent, the range in which the function is not constant, its middle, and edges with their neighbours."""
    rng = np.random.default_rng(11)
    bits = rng.integers(0, 2**64, 700, dtype=np.uint64).view(np.float64)
    edges = np.array(EDGES)
    near = np.concatenate([edges, np.nextafter(edges, 0), np.nextafter(edges, np.inf)])
    spread = rng.uniform(*RANGES.get(name, (0, 9)), 1500)
    small = rng.choice([-1, 1], 700) * np.exp2(rng.uniform(-60, 1, 700))
    found = np.concatenate([bits, near, -near, spread, small])
    found = found[np.isfinite(found)]
    return found[found > 0] if name in ("log", "sqrt", "rsqrt") else found


def in_ulp(got: float, want: mp.mpf) -> float:
    """The distance in units of the last place of the exact value, as an f64 that is normal has it."""
    exponent = max(int(mp.floor(mp.log(abs(want), 2))) if want else -1022, -1022)
    return float(abs(mp.mpf(got) - want) / mp.ldexp(1, exponent - 52))


@pytest.mark.parametrize("name", EXACT)
def test_error_in_ulp_is_as_stated(name: str) -> None:
    x, head = arguments(name), FUNCTIONS[name]
    got = applied(head, x)
    largest = float(np.finfo(np.float64).max)
    with mp.workprec(1300 if name == "tanh" else 160):
        for a, g in zip(x.tolist(), got.tolist(), strict=True):
            want = EXACT[name](mp.mpf(a))
            if not math.isfinite(g):
                assert abs(want) > largest, (a, g)
            else:
                assert in_ulp(g, want) <= FUNCTION_ROWS[head].wide_ulp, (a, g)


@pytest.mark.parametrize(("name", "least"), [("exp", 0.7), ("log", 0.6), ("tanh", 1.5), ("sigmoid", 1.4), ("erf", 0.9)])
def test_what_is_stated_is_no_multiple_of_what_is_found(name: str, least: float) -> None:
    """So the test above would notice a sequence that is half an ULP worse."""
    x, head = arguments(name), FUNCTIONS[name]
    with mp.workprec(160):
        found = [
            in_ulp(g, EXACT[name](mp.mpf(a)))
            for a, g in zip(x.tolist(), applied(head, x).tolist(), strict=True)
            if math.isfinite(g)
        ]
    assert max(found) >= least - 0.2


@pytest.mark.parametrize("constant", ["LN2_LOW", "LN2_HIGH", "LOG2_E"])
def test_another_constant_is_noticed(constant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    was = getattr(activations_f64, constant)
    monkeypatch.setattr(activations_f64, constant, was * (1 + 2.0**-20 if constant != "LOG2_E" else 1.5))
    with pytest.raises(AssertionError):
        test_error_in_ulp_is_as_stated("exp")


def test_ends_and_signs() -> None:
    ends = np.array([-np.inf, np.inf, np.nan, 0.0, -0.0])
    wanted = {
        "exp": [0.0, np.inf, np.nan, 1.0, 1.0],
        "log": [np.nan, np.inf, np.nan, -np.inf, -np.inf],
        "tanh": [-1.0, 1.0, np.nan, 0.0, -0.0],
        "sigmoid": [0.0, 1.0, np.nan, 0.5, 0.5],
        "erf": [-1.0, 1.0, np.nan, 0.0, -0.0],
    }
    for name, values in wanted.items():
        got = applied(FUNCTIONS[name], ends)
        np.testing.assert_array_equal(got, values)
        assert np.array_equal(np.signbit(got[3:]), np.signbit(values[3:])), name
    x = np.random.default_rng(0).uniform(-10, 10, 10_000)
    for name in ("tanh", "erf"):
        assert np.array_equal(applied(FUNCTIONS[name], -x), -applied(FUNCTIONS[name], x))
        assert np.abs(applied(FUNCTIONS[name], x)).max() <= 1


def test_a_kernel_of_f64_is_compiled_with_the_bits_of_the_interpreter() -> None:
    text = "y[i] = exp(0.3 * x[i]) + log(abs(x[i])) + tanh(x[i]) * sigmoid(x[i]) + erf(x[i])"
    kernel = im.kernel(text, dtypes={"x": "f64", "y": "f64"}, name="many")
    x = np.random.default_rng(1).standard_normal(103) * 3
    wanted = im.run_kernel(kernel.with_sizes({"i": 103}), {"x": x, "y": np.zeros(103)})["y"]
    assert np.array_equal(im.compile(kernel, "scalar")(x), wanted)
