"""One point in portable C: every scalar expression means in C what the interpreter says, at the ends of its types."""

from __future__ import annotations

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import ScheduleError

CASES = [
    ("y[i] = sat_i8(A[i]*B[i])", "i8", "i8", "i8"),
    ("y[i] = sat_u8(A[i]-B[i])", "u8", "i8", "i8"),
    ("y[i] = sat_i8(A[i]+B[i])", "i8", "i8", "u8"),
    ("y[i] = sat_i8(max(A[i],-B[i]))", "i8", "i16", "u8"),
    ("y[i] = sat_u16(relu(A[i]-B[i]))", "u16", "i32", "u32"),
    ("y[i] = sat_i16(i32(A[i])*i32(B[i]) + i32(A[i]))", "i16", "i32", "i32"),
    ("y[i] = sat_i64(A[i]+B[i])", "i64", "i64", "i64"),
    ("y[i] = sat_u64(A[i]+B[i])", "u64", "u64", "u64"),
    ("y[i] = sat_i32(A[i]-B[i])", "i32", "u64", "u64"),
    ("y[i] = sat_i64(A[i]*B[i])", "i64", "i64", "i64"),
    ("y[i] = max(A[i], -9223372036854775808) + B[i]", "i64", "i64", "i64"),
    ("y[i] = (A[i] + 18446744073709551615) * B[i]", "u64", "u64", "u64"),
    ("y[i] = -A[i]", "bf16", "bf16", None),
    ("y[i] = -A[i]", "f16", "f16", None),
    ("y[i] = A[i] / B[i]", "f32", "f32", "f32"),
    ("y[i] = 3.7", "f32", None, None),
    ("y[i] += 3", "i32", None, None),
]


def _edges(dtype: im.DType) -> np.ndarray:
    if dtype.is_float:
        return np.array([0.0, -0.0, 1.0, -1.5, 3.0, np.inf, -np.inf, np.nan], np.float32).astype(dtype.numpy)
    values = [0, 1, 2, 7, dtype.high, dtype.high - 1, dtype.low, dtype.low + 1, dtype.high // 2, dtype.low // 2]
    return np.array(values, dtype.numpy)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("text", "y", "a", "b"), CASES, ids=[f"{c[0]} {c[1]}" for c in CASES])
def test_c_means_what_the_interpreter_says(text: str, y: str, a: str | None, b: str | None) -> None:
    kernel = im.kernel(text, dtypes={n: d for n, d in (("y", y), ("A", a), ("B", b)) if d})
    edges = {n: _edges(kernel.tensor(n).dtype) for n in kernel.inputs}
    grids = np.meshgrid(*edges.values(), indexing="ij") if edges else []
    arrays = {n: np.ascontiguousarray(g.reshape(-1)) for n, g in zip(edges, grids, strict=True)}
    sizes = {} if arrays else {"i": 5}
    want = im.run_kernel(kernel, arrays, sizes=sizes)["y"]
    got = im.compile(kernel, im.find_hardware("scalar"), sizes=sizes)(**arrays)
    bits = f"u{want.dtype.itemsize}"
    nan = np.isnan(want.astype(np.float64)) & np.isnan(got.astype(np.float64))
    assert ((want.view(bits) == got.view(bits)) | nan).all()


DEEP = "max(" * 30 + "min(" * 30 + "A[i]" + ",B[i])" * 60


@pytest.mark.one_in(3)
@pytest.mark.parametrize("dtype", ["i8", "i32", "u64", "f32", "f64", "bf16"])
def test_choices_nested_deeply_are_computed(dtype: str) -> None:
    kernel = im.kernel(f"y[i] = {DEEP}", dtypes=dict.fromkeys("yAB", dtype))
    a = _edges(kernel.tensor("A").dtype)
    arrays = {"A": a, "B": np.ascontiguousarray(a[::-1])}
    want = im.run_kernel(kernel, arrays)["y"].astype(np.float64)
    got = im.compile(kernel, im.find_hardware("scalar"))(**arrays).astype(np.float64)
    assert np.array_equal(got, want, equal_nan=True)


def test_choices_nested_deeply_below_a_saturation_are_refused_soon() -> None:
    kernel = im.kernel(f"y[i] = sat_i32({DEEP})", dtypes=dict.fromkeys("yAB", "i32"))
    planned = im.plan(kernel, im.find_hardware("scalar"), sizes={"i": 4})
    with pytest.raises(ScheduleError, match="too deeply for portable C"):
        _ = planned.source
