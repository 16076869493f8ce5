"""Operands converted on the way to the instruction: right where the wider type has every value, refuted where it has not."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
import widened

import isamap_smt as im
from isamap_encodings.verdict import Refuted
from isamap_smt.ir.convert import converted
from isamap_smt.ir.dtypes import DTYPES, dtype, widens
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.proof.program import prove_program
from isamap_smt.proof.program_trial import trials
from tests.families import with_one


@pytest.mark.parametrize("name", [*widened.ORIGINALS, "through_halves"])
def test_proved_and_runs_right(name: str) -> None:
    program = {**widened.ORIGINALS, "through_halves": widened.through_halves}[name]()
    proof = prove_program(program)
    assert proof.proved, [(c.claim, c.statement, c.verdict) for c in proof.failed()]
    assert trials(program, 6) is None


@pytest.mark.parametrize("name", widened.TRAPS)
def test_refuted_and_wrong_when_run(name: str) -> None:
    make, claim = widened.TRAPS[name]
    program = make()
    failed = prove_program(program).failed()
    assert claim in {c.claim for c in failed if isinstance(c.verdict, Refuted)}
    assert any("changes the element type" in str(c.verdict) for c in failed)
    assert trials(program, 12) is not None


SMALL = [d for d in DTYPES.values() if d.bits <= 16]


@pytest.mark.parametrize("held", SMALL, ids=str)
@pytest.mark.parametrize("wanted", DTYPES.values(), ids=str)
def test_widens_is_true_just_where_every_value_survives(held: im.ir.dtypes.DType, wanted: im.ir.dtypes.DType) -> None:
    """Every bit pattern of the narrow types is converted, back and compared."""
    values = np.arange(1 << held.bits, dtype=f"u{held.bytes}").view(held.numpy)
    if held.is_float and not wanted.is_float:
        assert not widens(held, wanted)  # NaN
        return
    with np.errstate(all="ignore"):
        wide = converted(values, wanted)
        both_nan = np.isnan(values.astype(np.float64)) & np.isnan(wide.astype(np.float64))
        same = np.array([_number(a) == _number(b) for a, b in zip(values, wide, strict=True)]) | both_nan
        if held.is_float:
            same &= (np.signbit(values.astype(np.float64)) == np.signbit(wide.astype(np.float64))) | both_nan
    assert widens(held, wanted) == bool(same.all())


def _number(x: object) -> float | int:
    return int(x) if isinstance(x, np.integer) else float(x)  # type: ignore[arg-type]


TYPES = [("u8", "i8", "i32"), ("i8", "i8", "i32"), ("bf16", "bf16", "f32"), ("f16", "f16", "f32"), ("f32", "i8", "f32")]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("types", "constant"), with_one(TYPES, [(), ("B",)]))
def test_a_product_of_narrow_elements_is_exact(types: tuple[str, str, str], constant: tuple[str, ...]) -> None:
    kernel = im.find_kernel("gemm").with_dtypes(dict(zip("ABC", types, strict=True)))
    integer = types[2] == "i32"
    instruction = "avx2.madd_i16i16" if integer else "avx2.fmadd_ps"
    plan = im.plan(kernel, "avx2", instruction=instruction, sizes={"i": 19, "j": 21, "k": 23}, constant=constant)
    assert plan.proof.word == "proved"
    said = next(c.statement for c in plan.proved.proof.claims if c.subject == "operands")
    assert f"B is converted from {types[1]} to {'i16' if integer else 'f32'}" in said
    rng = np.random.default_rng(6)
    A, B = (_drawn(rng, dtype(t), s) for t, s in zip(types[:2], ((19, 23), (23, 21)), strict=True))
    np.testing.assert_array_equal(im.build(plan)(A, B).astype(np.float64), A.astype(np.float64) @ B.astype(np.float64))


def _drawn(rng: np.random.Generator, of: im.ir.dtypes.DType, shape: tuple[int, int]) -> np.ndarray:
    """The whole range of integers; floating-point numbers with as many bits as the narrowest type has."""
    if of.is_float:
        return rng.integers(-255, 256, shape).astype(np.float32).astype(of.numpy)
    return rng.integers(of.low, of.high, shape, endpoint=True).astype(of.numpy)


def test_every_bf16_arrives() -> None:
    """All 65,536 bit patterns through a product with 1: NaN, infinities and subnormal numbers among them."""
    kernel = im.find_kernel("gemm").with_dtypes({"A": "bf16", "B": "bf16", "C": "f32"})
    plan = im.plan(kernel, "avx2", instruction="avx2.fmadd_ps", sizes={"i": 256, "j": 256, "k": 1})
    values = np.arange(1 << 16, dtype=np.uint16).view(ml_dtypes.bfloat16).reshape(1, -1)
    for part in np.split(values, 256, axis=1):
        got = im.build(plan)(np.ones((256, 1), ml_dtypes.bfloat16), part)
        np.testing.assert_array_equal(got[0], part[0].astype(np.float32))


@pytest.mark.parametrize(
    ("types", "instruction"),
    [
        (("i16", "i8", "i32"), "avx2.madd_i8i8"),  # narrower
        (("u16", "i16", "i32"), "avx2.madd_i16i16"),  # as wide, of another sign
        (("f64", "f64", "f32"), "avx2.fmadd_ps"),
        (("i32", "f32", "f32"), "avx2.fmadd_ps"),  # 2^24 + 1
        (("i8", "i8", "i16"), "avx2.madd_i16i16"),  # the sum itself
    ],
)
def test_what_would_lose_values_is_refuted(types: tuple[str, str, str], instruction: str) -> None:
    kernel = im.find_kernel("gemm").with_dtypes(dict(zip("ABC", types, strict=True)))
    axes = "l=j" if "fmadd" in instruction else "l=j,e=k"
    found = im.prove(im.fuse(kernel, im.find_instruction(instruction), axes))
    assert isinstance(found, im.Rejection)
    assert "operand" in str(found)


def test_a_product_that_wraps_in_the_kernel_is_not_one_that_does_not() -> None:
    """u8 times u8 wraps in the kernel's i16; the instruction's sum has 32 bits."""
    text = "A: u8\nB: u8\nC: i32\nC[i,j] += i32(i16(A[i,k]) * i16(B[k,j]))"
    found = im.prove(im.fuse(im.kernel(text), im.find_instruction("avx2.madd_i16i16"), "l=j,e=k"))
    assert isinstance(found, im.Rejection)
    assert "values differ" in str(found)


def test_in_place_is_refused_with_the_reason() -> None:
    kernel = im.find_kernel("gemm").with_dtypes({"A": "u8", "B": "i8", "C": "i32"})
    with pytest.raises(
        ScheduleError, match=r"A must be packed, because u8 is converted to what avx2\.madd_i16i16 takes"
    ):
        im.plan(kernel, "avx2", instruction="avx2.madd_i16i16", fix={"pack.A": "no"})  # no copy of open sizes
