"""The functions of one value: their stated accuracy over all kinds of f32, the same bits in C, and rounding at its edges."""

from __future__ import annotations

import ctypes
import math
import shutil

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir import functions_f64
from isamap_smt.ir.activations import rounded
from isamap_smt.ir.dtypes import dtype
from isamap_smt.ir.heads import FUNCTION_ROWS, FUNCTIONS, applied
from isamap_smt.mapping.point_c import c_value, prelude
from isamap_smt.runtime.cache import build_library

EXACT = {
    "exp": np.exp, "log": np.log, "tanh": np.tanh, "sigmoid": lambda d: 1 / (1 + np.exp(-d)),
    "erf": lambda d: np.frompyfunc(math.erf, 1, 1)(d.astype(np.float64)).astype(np.longdouble),
    "sqrt": np.sqrt, "rsqrt": lambda d: 1 / np.sqrt(d), "floor": np.floor, "ceil": np.ceil,
    "trunc": np.trunc, "rint": np.rint, "abs": np.abs,
}  # fmt: skip
EDGES = [
    0.0, 1e-45, 1e-38,
    0.7071067, 0.70710677, 0.921875, 0.92187506, 1.0, 1.4142135, 3.9192059, 4.0,
    0.0078125, 0.1733, 0.3466, 0.5199, 8.6643, 9.0109, 9.0110, 10.0,
    17.32, 86.99, 87.33, 87.34, 88.72283, 88.72284, 88.73, 89.5, 103.2789, 103.28, 103.972, 103.973, 104.5, 110.5, 3e38,
]  # fmt: skip


def smooth(name: str, x: np.ndarray) -> np.ndarray:
    return applied(FUNCTIONS[name], x)  # type: ignore[arg-type]


def test_every_row_is_tested_here() -> None:
    others = {*functions_f64.NAMES, "fmod", "tf32"}  # tests/language/test_more_functions.py and test_tf32.py
    assert [row.text for row in FUNCTION_ROWS.values() if row.text not in others] == list(EXACT)


def _values() -> np.ndarray:
    """Every exponent and sign alike, and the edges."""
    bits = np.random.default_rng(7).integers(0, 2**32, 400_000, dtype=np.uint64).astype(np.uint32)
    near_zero, edges = np.geomspace(1e-9, 10, 100_001).astype(np.float32), np.float32(EDGES)
    found = np.concatenate(
        [bits.view(np.float32), np.linspace(-110, 110, 200_001, dtype=np.float32), near_zero, -near_zero, edges, -edges]
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
    assert error.max() <= FUNCTION_ROWS[FUNCTIONS[name]].ulp


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("exp", 0.0, np.inf), ("tanh", -1.0, 1.0), ("sigmoid", 0.0, 1.0), ("log", np.nan, np.inf), ("erf", -1.0, 1.0),
        ("sqrt", np.nan, np.inf), ("rsqrt", np.nan, 0.0), ("floor", -np.inf, np.inf), ("ceil", -np.inf, np.inf),
        ("trunc", -np.inf, np.inf), ("rint", -np.inf, np.inf),
        ("abs", np.inf, np.inf),
    ],
)  # fmt: skip
def test_infinities_and_nan(name: str, low: float, high: float) -> None:
    got = smooth(name, np.float32([-np.inf, np.inf, np.nan]))
    np.testing.assert_array_equal(got, np.float32([low, high, np.nan]))


@pytest.mark.parametrize("name", ["log", "sqrt", "rsqrt"])
@pytest.mark.parametrize("kind", ["f16", "bf16", "f32", "f64"])
def test_of_what_is_negative_they_are_nan(name: str, kind: str) -> None:
    assert np.isnan(smooth(name, np.array([-1e-3, -1, -100]).astype(dtype(kind).numpy)).astype(np.float64)).all()


def test_zeros() -> None:
    zeros = np.float32([0.0, -0.0])
    for name in ("sqrt", "floor", "ceil", "trunc", "rint", "erf", "tanh"):
        assert smooth(name, zeros).tobytes() == zeros.tobytes(), name
    assert smooth("abs", zeros).tobytes() == np.zeros(2, np.float32).tobytes()
    assert (smooth("log", zeros) == -np.inf).all()
    assert smooth("rsqrt", zeros).tolist() == [np.inf, -np.inf]
    for head, row in FUNCTION_ROWS.items():
        assert row.arity > 1 or row.zero == (applied(head, zeros) == 0).all()


def test_bounds_hold() -> None:
    x = np.concatenate([_values(), np.float32([np.inf, -np.inf])])
    for head, row in FUNCTION_ROWS.items():
        if row.bounds and row.total:  # others: tests/language/test_more_functions.py
            got = applied(head, x)
            assert row.bounds[0] <= got.min() and got.max() <= row.bounds[1]


def test_what_holds_exactly() -> None:
    x = _values()
    with np.errstate(all="ignore"):
        e, t, s = (smooth(name, x) for name in ("exp", "tanh", "sigmoid"))
        mirrored = smooth("tanh", -x)
    assert (smooth("exp", np.float32([0.0, -0.0])) == 1).all()
    assert (smooth("sigmoid", np.float32([0.0, -0.0])) == 0.5).all()
    assert (t.view(np.uint32) ^ mirrored.view(np.uint32) == 1 << 31).all(), "odd, with the sign of its argument"
    assert (np.abs(t) <= 1).all() and (np.abs(t[np.abs(x) > 9.02]) == 1).all()
    assert (e >= 0).all() and (s >= 0).all() and (s <= 1).all() and (s[x > 17.4] == 1).all()
    assert (e[x < -103.98] == 0).all() and (s[x < -103.98] == 0).all()


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("name", "kind", "cc"),
    [
        *((n, k, c) for n in EXACT for k, c in (("f32", "zig"), ("f32", "gcc"), ("f16", "zig"), ("bf16", "zig"))),
        *((n, "f64", c) for n in EXACT for c in ("zig", "gcc")),
    ],
)
def test_c_gives_the_same_bits(name: str, kind: str, cc: str) -> None:
    if cc != "zig" and not shutil.which(cc):
        pytest.skip(f"no {cc} here")
    kernel, element = im.kernel(f"y[i] = {name}(x[i])", dtypes=dict.fromkeys("xy", kind)), dtype(kind)
    tree = kernel.statements[0].value
    value, result = c_value(tree, {"x": ("x[i]", element)}, element)
    assert result == element
    loop = f"void run(int64_t n, const {element.c} *x, {element.c} *y) {{ for (int64_t i = 0; i < n; i++) y[i] = {value}; }}"
    source = "\n".join(["#include <stdint.h>", "#include <string.h>", *prelude(loop), loop, ""])
    with np.errstate(all="ignore"):
        x = np.concatenate([_values(), np.float32([np.inf, -np.inf, np.nan])]).astype(element.numpy)
    want = smooth(name, x)
    number = ~np.isnan(want)
    for native in (False, True):
        got = np.empty_like(x)
        library = ctypes.CDLL(str(build_library(source, cc=cc, native=native)))
        library.run(ctypes.c_int64(x.size), ctypes.c_void_p(x.ctypes.data), ctypes.c_void_p(got.ctypes.data))
        assert (np.isnan(got) == ~number).all()
        assert got[number].tobytes() == want[number].tobytes()


def test_rounding_is_to_even_clamps_and_takes_nan_for_zero() -> None:
    x = np.float32([0.5, 1.5, 2.5, -0.5, -1.5, 127.5, 126.5, -128.6, 1e30, -np.inf, np.nan])
    assert rounded(x, -128, 127, np.dtype(np.int8)).tolist() == [0, 2, 2, 0, -2, 127, 126, -128, 127, -128, 0]
