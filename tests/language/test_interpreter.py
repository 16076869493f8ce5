"""The interpreter: exact types, order of reductions, start values, sizes, several statements, instructions."""

from __future__ import annotations

import math
from fractions import Fraction

import ml_dtypes
import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from isamap_smt.ir.errors import DTypeError, SizeError, UnknownNameError
from isamap_smt.ir.fused import fma
from isamap_smt.ir.interpret import random_arrays, reference, run_instruction, run_kernel
from isamap_smt.language import instruction, kernel

f32 = np.float32
bf16 = ml_dtypes.bfloat16


def run(text, arrays, out=None, dtypes=None, sizes=None):
    k = kernel(text, dtypes=dtypes)
    result = run_kernel(k, arrays, out, sizes)
    return result[k.outputs[-1]]


@given(st.data(), st.sampled_from(["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"]))
def test_integers_wrap(data, name):
    kind = np.dtype(f"{name[0]}{int(name[1:]) // 8}")
    a, b, c = (data.draw(hnp.arrays(kind, 5)) for _ in range(3))
    got = run("y[i] += a[i] * b[i] - -a[i]", {"a": a, "b": b}, {"y": c}, dict.fromkeys("yab", name))
    want = [int(z) + int(x) * int(y) + int(x) for x, y, z in zip(a, b, c, strict=True)]
    modulus = 1 << int(name[1:])
    assert [int(v) % modulus for v in got] == [v % modulus for v in want]


@given(hnp.arrays(np.uint8, (3, 4)), hnp.arrays(np.int8, (3, 4)), hnp.arrays(np.int32, 3))
def test_saturation_clamps_the_exact_sum(a, b, acc):
    text = "acc[l] += sum(h, 2, i32(sat_i16(sum(g, 2, i32(a[l,2*h+g]) * i32(b[l,2*h+g])))))"
    got = run(text, {"a": a, "b": b}, {"acc": acc}, {"acc": "i32", "a": "u8", "b": "i8"})
    for l in range(3):
        pairs = [sum(int(a[l, 2 * h + g]) * int(b[l, 2 * h + g]) for g in (0, 1)) for h in (0, 1)]
        total = int(acc[l]) + sum(min(max(p, -(2**15)), 2**15 - 1) for p in pairs)
        assert (int(got[l]) - total) % 2**32 == 0


@given(hnp.arrays(np.uint64, 4), hnp.arrays(np.int64, 4))
def test_saturation_is_exact_beyond_64_bits(a, b):
    text = "y[i] = sat_i64(a[i] * b[i] + max(a[i], b[i]) - sum(e, 3, -b[i]))"
    got = run(text, {"a": a, "b": b}, dtypes={"y": "i64", "a": "u64", "b": "i64"})
    for x, y, z in zip(map(int, a), map(int, b), map(int, got), strict=True):
        assert z == min(max(x * y + max(x, y) + 3 * y, -(2**63)), 2**63 - 1)


def test_operands_are_converted_to_the_output_before_they_are_multiplied():
    a, b = np.array([[255, 255]], np.uint8), np.array([-128, -128], np.int8)
    dtypes = {"y": "i32", "A": "u8", "x": "i8"}
    assert run("y[i] += A[i,k] * x[k]", {"A": a, "x": b}, dtypes=dtypes).tolist() == [-65280]
    narrow = {"y": "i16", "A": "u8", "x": "i8"}
    assert run("y[i] += A[i,k] * x[k]", {"A": a, "x": b}, dtypes=narrow).tolist() == [256]


def test_written_casts_are_all_there_is():
    a, b = np.array([200], np.uint8), np.array([100], np.uint8)
    wide = run("y[i] = i32(a[i]) + i32(b[i])", {"a": a, "b": b}, dtypes={"y": "i32", "a": "u8", "b": "u8"})
    narrow = run("y[i] = i32(a[i] + b[i])", {"a": a, "b": b}, dtypes={"y": "i32", "a": "u8", "b": "u8"})
    assert (wide.tolist(), narrow.tolist()) == ([300], [44])


@pytest.mark.parametrize(("name", "kind"), [("f16", np.float16), ("bf16", bf16), ("f32", f32), ("f64", np.float64)])
def test_a_reduction_rounds_each_addition_in_the_order_of_the_axes(name, kind):
    rng = np.random.default_rng(5)
    a, x = rng.standard_normal((3, 40)).astype(kind), rng.standard_normal(40).astype(kind)
    got = run("y[i] += A[i,k] * x[k] ordered", {"A": a, "x": x}, dtypes=dict.fromkeys(("y", "A", "x"), name))
    for i in range(3):
        total = kind(0)
        for k in range(40):
            total = kind(total + kind(a[i, k] * x[k]))
        assert got[i] == total


def test_two_reduction_axes_run_in_order_of_appearance():
    a = np.array([[1e8, 1.0], [-1e8, 1.0]], f32)
    assert run("y[] += A[r,s]", {"A": a}) == ((f32(1e8) + f32(1)) + f32(-1e8)) + f32(1)
    assert run("y[] += A[r,s] * o[s,r]", {"A": a, "o": np.ones((2, 2), f32)}) == 1
    assert run("y[] += o[s,r] * A[r,s]", {"A": a, "o": np.ones((2, 2), f32)}) == 2


def test_outputs_start_at_the_neutral_element_or_at_out():
    a = np.array([[3, -4]], np.int8)
    dtypes = {"y": "i8", "A": "i8"}
    results = {op: run(f"y[i] {op} A[i,k]", {"A": a}, dtypes=dtypes).tolist() for op in ("+=", "*=", "max=", "min=")}
    assert results == {"+=": [-1], "*=": [-12], "max=": [3], "min=": [-4]}
    y = np.array([100], np.int8)
    assert run("y[i] max= A[i,k]", {"A": a}, {"y": y}, dtypes).tolist() == [100]
    assert y.tolist() == [100]
    empty = run("y[i] max= A[i,k] where k < 0", {"A": a.astype(f32)})
    assert empty.tolist() == [-math.inf]


def test_inputs_and_out_are_left_as_they_are():
    a, y = np.ones((2, 3), f32), np.zeros(2, f32)
    got = run("y[i] += A[i,k]", {"A": a}, {"y": y})
    assert got.tolist() == [3, 3] and y.tolist() == [0, 0] and a.sum() == 6


def test_guarded_points_are_neither_read_nor_written():
    x = np.array([1, 2, 3], f32)
    got = run("y[p] += x[p+r-1] where 0 <= p+r-1 < H", {"x": x}, sizes={"p": 3, "r": 3})
    assert got.tolist() == [3, 6, 5]


def test_maximum_carries_nan_and_functions_agree_with_their_definitions():
    x = np.array([-2.0, 0.5, np.nan], f32)
    assert run("y[i] = max(x[i], 0)", {"x": x})[:2].tolist() == [0, 0.5]
    assert np.isnan(run("y[i] = relu(x[i])", {"x": x})[2])
    assert np.isnan(run("y[] max= x[i]", {"x": x}))
    for name, f in {"exp": np.exp, "tanh": np.tanh, "sigmoid": lambda v: 1 / (1 + np.exp(-v))}.items():
        np.testing.assert_allclose(run(f"y[i] = {name}(x[i])", {"x": x})[:2], f(x[:2].astype(float)), rtol=2.5e-7)
    assert run("y[i] = select(x[i] < 0, -x[i], x[i] / 2)", {"x": x})[:2].tolist() == [2, 0.25]


def test_float_to_integer_truncates():
    x = np.array([-1.75, 1.75], f32)
    assert run("y[i] = i32(x[i])", {"x": x}, dtypes={"y": "i32"}).tolist() == [-1, 1]
    assert run("y[i] = i32(2.9)", {}, dtypes={"y": "i32"}, sizes={"i": 1}).tolist() == [2]


def test_statements_run_one_after_the_other():
    x = np.array([1, 2, 4], f32)
    wide = x.astype(np.float64)
    k = kernel("m[] max= x[i]\ne[i] = exp(x[i] - m[])\ns[] += e[i]\ny[i] = e[i] / s[]")
    got = run_kernel(k, {"x": x})
    want = np.exp(wide - 4) / np.exp(wide - 4).sum()
    np.testing.assert_allclose(got["y"], want, rtol=1e-6)
    np.testing.assert_allclose(reference(k, {"x": x})["y"], want, rtol=1e-12)


def test_a_recurrence_sees_what_earlier_points_wrote():
    x = np.arange(1, 6, dtype=f32)
    got = run("y: [I+1]\ny[i+1] = y[i] + x[i]", {"x": x})
    assert got.tolist() == [0, 1, 3, 6, 10, 15]


def test_a_target_met_twice_is_added_to_twice():
    x = np.arange(6, dtype=f32)
    assert run("y[i//2] += x[i]", {"x": x}).tolist() == [1, 5, 9]
    assert reference(kernel("y[i//2] += x[i]"), {"x": x})["y"].tolist() == [1, 5, 9]


@given(st.integers(1, 6), st.integers(1, 6), st.integers(1, 4), st.integers(1, 3))
def test_the_reference_agrees_with_the_interpreter(p, c, r, s):
    k = kernel(
        "O[p,c] += I[s*3+p+r, c, c] * W[r,c] * V[] where p+2*r > 1 and c % 2 == 0 and s < 2",
        dtypes={"I": "i8", "W": "u8", "O": "i16", "V": "i32"},
    )
    arrays = random_arrays(k, {"p": p, "c": c, "r": r, "s": s}, np.random.default_rng(p), outputs=True)
    out = {"O": arrays.pop("O")}
    sizes = {"p": p, "c": c, "r": r, "s": s}
    np.testing.assert_array_equal(reference(k, arrays, out, sizes)["O"], run_kernel(k, arrays, out, sizes)["O"])


def test_sizes_follow_from_shapes_through_strides():
    k = kernel("param s >= 1\nH = (P-1)*s + R\nx: [H]\ny[p] += x[p*s+r] * w[r]")
    x, w = np.arange(7, dtype=f32), np.ones(3, f32)
    assert run_kernel(k, {"x": x, "w": w}, sizes={"s": 2})["y"].tolist() == [3, 9, 15]


@pytest.mark.parametrize(
    ("arrays", "sizes", "error", "message"),
    [
        ({"A": (2, 3), "B": (4, 5)}, {}, SizeError, "B.shape[0] = 4 contradicts K = 3 from A.shape[1]"),
        ({"A": (2, 3), "B": (3, 5)}, {"k": 4}, SizeError, "A.shape[1] = 3, but the kernel says 4"),
        ({"A": (2, 3), "B": (3,)}, {}, SizeError, "B has 1 dimensions (3,); gemm needs 2: [K, J]"),
        ({"A": (2, 3)}, {"j": 2}, DTypeError, "gemm: input B is missing; it needs A, B"),
        ({"A": (2, 3)}, {}, SizeError, "gemm: sizes missing: J; pass sizes={'J': ...}"),
        ({"A": (2, 3), "X": (3, 5)}, {}, UnknownNameError, "gemm has no tensor 'X'; known: A, B, C"),
        ({"A": (2, 0), "B": (0, 5)}, {}, SizeError, "A.shape[1] = 0: no K >= 1 makes K = 0"),
    ],
)
def test_sizes_that_do_not_fit_are_refused(arrays, sizes, error, message):
    k = kernel("C[i,j] += A[i,k] * B[k,j]", name="gemm")
    with pytest.raises(error) as e:
        run_kernel(k, {n: np.zeros(s, f32) for n, s in arrays.items()}, sizes=sizes)
    assert str(e.value) == message


def test_a_wrong_dtype_is_refused():
    with pytest.raises(DTypeError) as e:
        run("y[i] = x[i]", {"x": np.zeros(3)})
    assert str(e.value) == "x is f64, the kernel says f32; convert it, or set dtypes={'x': 'f64'}"


def test_an_index_outside_is_refused_with_the_point():
    with pytest.raises(SizeError) as e:
        run("x: [H]\ny[p] = x[p+1]", {"x": np.zeros(3, f32)}, sizes={"p": 3})
    assert str(e.value) == (
        "x: index p + 1 of dimension 0 is 3 at p=2, outside [0, 3);\n"
        "  correct the shape of x, or add a guard such as `where 0 <= p + 1 < 3`"
    )


FMA = {"axes": {"l": 64}, "dtypes": dict.fromkeys("cab", "f32"), "places": dict.fromkeys("cab", "ymm")}


def test_a_fused_instruction_rounds_once_and_a_batch_is_many_executions():
    rng = np.random.default_rng(6)
    a, b = (rng.standard_normal((50, 64)).astype(f32) for _ in range(2))
    c = (-(a.astype(float) * b) * (1 + rng.integers(-2, 3, (50, 64)) * 2.0**-24)).astype(f32)
    fused = instruction("fma", "c[l] += a[l] * b[l]", rounding="fused", **FMA)
    unfused = instruction("mul_add", "c[l] += a[l] * b[l]", rounding="unfused", **FMA)
    exact = a.astype(np.longdouble) * b + c  # 48 bits of product and 24 of c, close by: exact in 64 bits
    got = run_instruction(fused, {"a": a, "b": b, "c": c})["c"]
    np.testing.assert_array_equal(got, exact.astype(f32))
    np.testing.assert_array_equal(run_instruction(unfused, {"a": a, "b": b, "c": c})["c"], c + a * b)
    assert (got != c + a * b).any()
    np.testing.assert_array_equal(run_instruction(fused, {"a": a[7], "b": b[7], "c": c[7]})["c"], got[7])


def test_a_fused_reduction_goes_in_order():
    three = instruction(
        "dot", "c[] += a[e] * b[e]", axes={"e": 3}, rounding="fused",
        dtypes=dict.fromkeys("cab", "f64"), places=dict.fromkeys("cab", "zmm"),
    )  # fmt: skip
    a, b, c = np.array([0.1, 0.2, 0.3]), np.array([3.0, 5.0, 7.0]), np.array(-2.0)
    want = c
    for n in range(3):
        want = fma(a[n : n + 1], b[n : n + 1], want.reshape(1))
    assert run_instruction(three, {"a": a, "b": b, "c": c})["c"] == want[0]


EDGES = [0.0, -0.0, 1.0, -1.0, 3e38, -3e38, 1e-45, 1e-38, math.inf, -math.inf, math.nan, 1 + 2.0**-23]


def _exact_fma(x, y, z):
    """By mpmath, whose numbers have no limits at this precision, and IEEE's own rules where they apply as they are."""
    if not all(map(math.isfinite, (x, y, z))) or x == 0 or y == 0:
        return x * y + z
    with mpmath.workprec(5000):
        return float(mpmath.mpf(x) * mpmath.mpf(y) + mpmath.mpf(z))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_fma_keeps_ieee_signs_infinities_and_nans(kind):
    a, b, c = (v.ravel() for v in np.meshgrid(*[np.array(EDGES, kind)] * 3))
    got = fma(a, b, c)
    with np.errstate(all="ignore"):
        want = np.array([_exact_fma(*t) for t in zip(*(v.tolist() for v in (a, b, c)), strict=True)]).astype(kind)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    known = ~np.isnan(want)
    np.testing.assert_allclose(got[known], want[known], rtol=2 * np.finfo(kind).eps)
    zero = known & (want == 0) & (got == 0)
    assert zero.any()
    np.testing.assert_array_equal(np.signbit(got[zero]), np.signbit(want[zero]))


def test_random_arrays_cover_small_integers_and_keep_wide_ones_small():
    k = kernel("C[i] += A[i,k] * B[k]", dtypes={"A": "u8", "B": "i32", "C": "i32"}, sizes={"i": 100, "k": 100})
    arrays = random_arrays(k, rng=np.random.default_rng(0))
    assert set(arrays) == {"A", "B"}
    assert (arrays["A"].min(), arrays["A"].max()) == (0, 255)
    assert np.abs(arrays["B"]).max() <= 1000


@pytest.mark.parametrize(
    "value", ["i8(f32(A[i]) * s[i])", "round_i8(f32(A[i]) * s[i])", "i32(f32(A[i]))", "i64(f32(A[i])) * 3"]
)
def test_the_reference_cuts_off_the_float_that_the_kernel_has(value: str) -> None:
    """An f64 in its place can lie on the other side of an integer."""
    rng = np.random.default_rng(1)
    arrays = {"A": rng.integers(-(2**31), 2**31, 4096).astype(np.int32)}
    if "s[" in value:
        arrays["s"] = (rng.integers(-100, 100, 4096) / arrays["A"]).astype(np.float32)
    k = kernel(f"y[i] = {value}", dtypes={"y": "i32", "A": "i32"} | ({"s": "f32"} if "s[" in value else {}))
    np.testing.assert_array_equal(reference(k, arrays)["y"], run_kernel(k, arrays)["y"])


def test_literals_are_converted_from_their_exact_value() -> None:
    def one(value: str, kind: str) -> float:
        return float(run_kernel(kernel(f"y[i] = {value}", dtypes={"y": kind}), {}, sizes={"i": 1})["y"][0])

    assert one("u8(300.7)", "u8") == 255
    assert one("i8(-1e30)", "i8") == -128
    assert one("u8(300)", "u8") == 44
    assert one("u8(1.5 + 2.5)", "u8") == 4
    assert one("u64(18446744073709551615)", "u64") == 2**64
    assert one("1.0039062500009095", "bf16") == 1.0078125
    assert one("16842753", "bf16") == 16908288
    assert one(str(2**100 + 2**76 + 1), "f32") == 2**100 + 2**77


def test_fma_of_f16_rounds_the_exact_value_once():
    """Against the nearest of all numbers of the type, by fractions; of two as near the one whose last bit is 0."""
    every = (
        np.arange(0x7C01, dtype=np.uint16).view(np.float16).astype(np.float64)
    )  # from 0 to infinity, for which 2^16 stands
    exact = [*map(Fraction, every[:-1]), Fraction(2**16)]
    random = np.random.default_rng(5)
    a, b, c = (random.integers(0, 1 << 16, 3000).astype(np.uint16).view(np.float16) for _ in range(3))
    finite = np.isfinite(a) & np.isfinite(b) & np.isfinite(c)
    compared = 0
    for x, y, z, got in zip(a[finite], b[finite], c[finite], fma(a, b, c)[finite], strict=True):
        value = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
        near = int(np.searchsorted(every, abs(float(value))))
        beside = range(max(0, near - 2), min(len(exact), near + 2))
        best = min(beside, key=lambda n: (abs(exact[n] - abs(value)), n % 2))
        assert float(got) == (-1 if value < 0 else 1) * every[best], (x, y, z)
        compared += 1
    assert compared > 2000


@pytest.mark.parametrize(
    ("text", "sizes", "right"),
    [
        ("x: [I-4]\ny[i] = x[i-4] where 4 <= i", {"i": 4}, [0, 0, 0, 0]),
        ("axis e < K-2\ny[k] += x[e]", {"k": 2}, [0, 0]),
        ("axis e < K-2\ny[k] max= x[e]", {"k": 2}, [-np.inf, -np.inf]),
        ("axis e < K-2\nsize K\ny[e] = x[e]", {"K": 2}, []),
    ],
)
def test_what_is_empty_at_some_sizes(text, sizes, right):
    made = run_kernel(kernel(text), {"x": np.zeros(0, np.float32)}, sizes=sizes)
    np.testing.assert_array_equal(made["y"], np.array(right, np.float32))


def test_nothing_has_fewer_than_no_elements():
    with pytest.raises(SizeError, match=r"w would have shape \[-1\]; no dimension has fewer than 0 elements"):
        run_kernel(kernel("axis e < K-2\ny[k] += w[e]"), {}, sizes={"k": 1})
