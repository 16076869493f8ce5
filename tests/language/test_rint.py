"""rint(x) is the nearest integer, ties to even: one row of the table of heads, and what every algebra makes of it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import isamap_hardware
import isamap_smt as im
from isamap_encodings.error_steps import Known, step
from isamap_encodings.scalar import equal_reals
from isamap_encodings.verdict import Proved, Refuted
from isamap_smt.ir.dtypes import dtype
from isamap_smt.ir.errors import DTypeError
from isamap_smt.ir.interpret import run_kernel
from isamap_smt.ir.scalar import Floor, Rint, SAdd, SNeg
from isamap_smt.ir.typed import typed_value
from isamap_smt.language import to_text
from isamap_smt.mapping.fuse import fuse
from isamap_smt.mapping.point_c import c_value
from isamap_smt.proof import Rejection, prove
from isamap_smt.runtime.conformance import check_instructions

X = sp.Symbol("x")
KERNEL = im.kernel("y[i] = rint(x[i])", name="nearest")
KINDS = ("f16", "bf16", "f32", "f64")


def numbers(kind: str) -> np.ndarray:
    """Both zeros, infinities, NaN, halves with their neighbours, what has no digits behind the point, and numbers at random."""
    of, rng = dtype(kind).numpy, np.random.default_rng(5)
    halves = np.arange(-6.5, 7).astype(of)
    beside = [np.nextafter(halves.astype(np.float32), np.float32(to)).astype(of) for to in (-np.inf, np.inf)]
    special = [
        0.0,
        -0.0,
        np.inf,
        -np.inf,
        np.nan,
        1e-30,
        -1e-30,
        2.0**23 + 1,
        2.0**52 + 1,
        2.0**60,
        -(2.0**62),
        1e30,
        -3e38,
    ]
    with np.errstate(all="ignore"):
        found = np.concatenate(
            [halves, *beside, np.array(special).astype(of), (rng.standard_normal(200) * 40).astype(of)]
        )
    return np.ascontiguousarray(found)


def same(got: np.ndarray, want: np.ndarray) -> bool:
    """The same bits, whatever a NaN carries."""
    number = ~np.isnan(want.astype(np.float64))
    return bool((np.isnan(got.astype(np.float64)) == ~number).all()) and got[number].tobytes() == want[number].tobytes()


@pytest.mark.parametrize("kind", KINDS)
def test_the_interpreter_and_c_give_what_numpy_gives(kind: str) -> None:
    kernel, x = KERNEL.with_dtypes(dict.fromkeys("xy", kind)), numbers(kind)
    want = np.rint(x.astype(np.float64)).astype(x.dtype)  # each is a number of the type
    assert same(run_kernel(kernel, {"x": x})["y"], want)
    assert same(im.build(im.plan(kernel, "scalar"))(x), want)


@pytest.mark.parametrize(
    "machine",
    [pytest.param("avx2", marks=pytest.mark.needs("avx2")), pytest.param("avx512", marks=pytest.mark.needs("avx512f"))],
)
@pytest.mark.parametrize("kind", ["f32", "f64"])
def test_vector_instructions_give_what_numpy_gives(machine: str, kind: str) -> None:
    kernel, x = KERNEL.with_dtypes(dict.fromkeys("xy", kind)), numbers(kind)
    plan = im.plan(kernel, machine)
    name = {"avx2": "_mm256_round_", "avx512": "_mm512_roundscale_"}[machine] + {"f32": "ps", "f64": "pd"}[kind]
    assert name in plan.source
    assert same(im.build(plan)(x), np.rint(x))


def test_neon_has_an_instruction() -> None:
    assert "vrndnq_f32" in im.plan(KERNEL, "neon").source


def test_the_text_is_read_back() -> None:
    text = to_text(KERNEL)
    assert text.splitlines()[-1] == "y[i] = rint(x[i])" and im.kernel(text, name="nearest") == KERNEL


@pytest.mark.parametrize(
    ("text", "call"), [("max(min(x[i], 127.4), -128.4)", "isamap_number_f32("), ("x[i]", "isamap_f32_to_i8(")]
)
def test_a_clamp_before_it_spares_the_conversion_its_own(text: str, call: str) -> None:
    kernel, f32 = im.kernel(f"y[i] = i8(rint({text}))", dtypes={"x": "f32", "y": "i8"}), dtype("f32")
    value = typed_value(kernel, kernel.statements[0])
    assert call in c_value(value, {"x": ("x", f32)}, dtype("i8"))[0]
    x = np.float32([127.4, 127.6, 1e9, -128.49, -1e9, 0.5, 1.5, np.inf, -np.inf, np.nan])
    assert im.build(im.plan(kernel, "scalar"))(x).tolist() == [127, 127, 127, -128, -128, 0, 2, 127, -128, 0]


def test_it_is_of_floating_point() -> None:
    kernel = KERNEL.with_dtypes({"x": "i32", "y": "i32"})
    with pytest.raises(DTypeError, match=r"rint needs floating point, not i32; cast its operands, such as f32\(x\)"):
        typed_value(kernel, kernel.statements[0])


def test_over_the_reals() -> None:
    types = {"x": ("f", 32)}
    assert isinstance(equal_reals(Rint(SNeg(X)), SNeg(Rint(X)), types), Proved)
    assert isinstance(equal_reals(Rint(SAdd(X, sp.Integer(2))), SAdd(Rint(X), sp.Integer(2)), types), Proved)
    assert isinstance(equal_reals(Rint(Rint(X)), Rint(X), types), Proved)
    # a tie goes to the even side, so by an odd number it moves the other way
    moved = equal_reals(Rint(SAdd(X, sp.Integer(1))), SAdd(Rint(X), sp.Integer(1)), types)
    assert isinstance(moved, Refuted) and (Fraction(str(moved.witness["x"])) % 1) == Fraction(1, 2)
    assert isinstance(equal_reals(Rint(X), Floor(SAdd(X, sp.Float(0.5))), types), Refuted)


def test_another_instruction_is_refuted_with_a_number() -> None:
    machine = {i.name: i for i in isamap_hardware.load("avx2").instructions}
    assert not isinstance(prove(fuse(KERNEL, machine["avx2.rint_ps"], "l=i")), Rejection)
    refused = prove(fuse(KERNEL, machine["avx2.floor_ps"], "l=i"))
    assert isinstance(refused, Rejection)
    (claim,) = refused.proof.failed()
    assert isinstance(claim.verdict, Refuted) and claim.claim == "scalar"
    x = float(Fraction(claim.verdict.witness["x[i]"]))
    assert np.rint(x) != np.floor(x) and "kernel       rint(x[i])\n  instruction  floor(x[i])" in claim.verdict.text


@pytest.mark.needs("avx2", "fma")
def test_a_description_that_rounds_ties_away_is_noticed() -> None:
    machine = im.find_hardware("avx2")
    right = next(i for i in machine.instructions if i.name == "avx2.rint_ps")
    down = "{c} = _mm256_floor_ps(_mm256_add_ps({a}, _mm256_set1_ps(0.5f)));"
    (found,) = check_instructions([replace(right, emit=down)], machine, results=20_000)
    assert found.status == "wrong"


def test_errors_jump_by_one_where_the_argument_is_off() -> None:
    kernel, exact = im.kernel("y[i] = rint(x[i] * 3)"), KERNEL
    far, none = (im.rounding_bound(k, {"x": (-2, 2)}, {"i": 4})["y"] for k in (kernel, exact))
    assert 1 <= far.error < 1.001 and none.error == 0 and (none.low, none.high) == (-2.5, 2.5)
    x = np.float32([0.5 / 3, 0.4, 1.7, 2.0])
    followed = im.rounding_error(kernel, {"x": x})["y"]
    assert followed.error.tolist()[0] >= 0.5 and not followed.error[1:].any()


def test_a_step_of_it_is_proved_and_not_with_less() -> None:
    given = Known(Fraction(-2), Fraction(2), Fraction(0), Fraction(1, 100))
    result = Known(Fraction(-5, 2), Fraction(5, 2), Fraction(0), Fraction(101, 100))
    assert step("rint", [given], result, None).word == "proved"
    assert step("rint", [given], Known(result.low, result.high, Fraction(0), Fraction(1)), None).word == "refuted"
    assert step("rint", [Known(given.low, given.high)], Known(result.low, result.high), None).word == "proved"
