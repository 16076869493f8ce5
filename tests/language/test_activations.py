"""exp, tanh and sigmoid: their stated accuracy over all kinds of f32, and rounding at its edges."""

from __future__ import annotations

import numpy as np
import pytest

from isamap_smt.ir.activations import ULP, rounded, smooth

EXACT = {"exp": np.exp, "tanh": np.tanh, "sigmoid": lambda d: 1 / (1 + np.exp(-d))}
EDGES = [
    0.0,
    -0.0,
    1e-45,
    -1e-45,
    1e-38,
    0.0078125,
    -0.0078125,
    0.00781249,
    88.72,
    88.73,
    103.9,
    -103.9,
    110.5,
    -110.5,
    3e38,
    -3e38,
]


def _values() -> np.ndarray:
    """Every exponent and sign alike, and the edges."""
    bits = np.random.default_rng(7).integers(0, 2**32, 400_000, dtype=np.uint64).astype(np.uint32)
    found = np.concatenate(
        [bits.view(np.float32), np.linspace(-110, 110, 200_001, dtype=np.float32), np.float32(EDGES)]
    )
    return found[np.isfinite(found)]


@pytest.mark.parametrize("name", EXACT)
def test_error_in_ulp_is_as_stated(name: str) -> None:
    x = _values()
    with np.errstate(all="ignore"):
        got, want = smooth(name, x), EXACT[name](x.astype(np.longdouble)).astype(np.float64)
        nearest = want.astype(np.float32)
    assert (np.isfinite(got) == np.isfinite(nearest)).all()
    finite = np.isfinite(nearest)
    ulp = np.spacing(np.maximum(np.abs(nearest[finite]), np.float32(2.0**-126))).astype(np.float64)
    error = np.abs(got[finite].astype(np.float64) - want[finite]) / ulp
    assert error.max() <= ULP[name]


@pytest.mark.parametrize(("name", "low", "high"), [("exp", 0.0, np.inf), ("tanh", -1.0, 1.0), ("sigmoid", 0.0, 1.0)])
def test_infinities_and_nan(name: str, low: float, high: float) -> None:
    with np.errstate(all="ignore"):
        got = smooth(name, np.float32([-np.inf, np.inf, np.nan]))
    assert got[0] == low
    assert got[1] == high
    assert np.isnan(got[2])


def test_rounding_is_to_even_clamps_and_takes_nan_for_zero() -> None:
    x = np.float32([0.5, 1.5, 2.5, -0.5, -1.5, 127.5, 126.5, -128.6, 1e30, -np.inf, np.nan])
    assert rounded(x, -128, 127, np.dtype(np.int8)).tolist() == [0, 2, 2, 0, -2, 127, 126, -128, 127, -128, 0]
