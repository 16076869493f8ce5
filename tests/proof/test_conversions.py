"""Conversions as Z3 understands them are those of plain fractions; another meaning is refuted, with numbers that replay."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
import z3

import isamap_smt as im
from isamap_encodings.machine import SORTS, converted
from isamap_encodings.scalar_values import kind_of
from isamap_encodings.verdict import Proved, Refuted, Unknown, Verdict
from isamap_smt.ir.dtypes import dtype
from isamap_smt.mapping.fuse import fuse
from isamap_smt.proof import prove
from tests import conversions as oracle

EACH = 40  # elements of each pair


def _in_z3(bits: int, source: str, to: str) -> int | str:
    a, b = kind_of(source), kind_of(to)
    word = z3.BitVecVal(bits, oracle.BITS[source])
    found = converted(z3.fpBVToFP(word, z3.FPSort(*SORTS[a])) if a in SORTS else word, a, b)
    if b in SORTS:
        if z3.is_true(z3.simplify(z3.fpIsNaN(found))):
            return "nan"
        found = z3.fpToIEEEBV(found)
    value = z3.simplify(found)
    assert z3.is_bv_value(value), value
    return int(value.as_long())


EXPRESSIBLE = tuple(n for n in oracle.NAMES if n not in oracle.LACKING)


@pytest.mark.parametrize("to", EXPRESSIBLE)
def test_z3_converts_as_the_oracle_does(to: str) -> None:
    for source in EXPRESSIBLE:
        elements = oracle.some(source, to, 20)
        for bits in random.Random(f"{source} {to}").sample(elements, min(EACH, len(elements))):
            got, want = _in_z3(bits, source, to), oracle.converted(bits, source, to)
            assert got == want, (source, to, oracle.decoded(bits, source), got, want)


@pytest.mark.parametrize("name", oracle.LACKING)
def test_a_type_that_z3_has_no_sort_for_is_unknown(name: str) -> None:
    """Its bits are no whole number, nor those of another type."""
    for ours, theirs, a, y in ((f"{name}(x)", f"{name}(f64(x))", "f32", name), ("f32(x)", "f32(f64(x))", name, "f32")):
        assert isinstance(judged(ours, theirs, a, y), Unknown)


def judged(ours: str, theirs: str, a: str, y: str) -> Verdict:
    """The scalar claim of `y[i] = ours` on an instruction that computes `y[l] = theirs`, of x: a."""
    made = im.kernel(f"y[i] = {ours.replace('x', 'A[i]')}", name="mine", dtypes={"y": y, "A": a})
    instruction = im.instruction(
        "toy.cells", f"y[l] = {theirs.replace('x', 'a[l]')}", axes={"l": 8}, dtypes={"y": y, "a": a},
        places=dict.fromkeys("ya", "v"), rounding="unfused",
    )  # fmt: skip
    return next(c.verdict for c in prove(fuse(made, instruction, "l=i")).proof.claims if c.subject == "value")


@pytest.mark.parametrize(
    ("ours", "theirs", "a", "y"),
    [
        ("i8(x)", "i8(f64(x))", "f32", "i8"),
        ("u8(x)", "u8(f32(x))", "bf16", "u8"),
        ("f16(x)", "f16(f32(x))", "i32", "f16"),  # what f32 rounds is beyond the largest f16
        ("bf16(x)", "bf16(f32(x))", "i16", "bf16"),
        ("f32(x)", "f32(f64(x))", "i32", "f32"),
        ("i8(f32(x))", "i8(f64(x))", "i16", "i8"),
        ("i8(x)", "sat_i8(i32(x))", "f32", "i8"),  # clamping in two steps is clamping
        ("round_i8(x)", "round_i8(f64(x))", "f32", "i8"),
    ],
)
def test_conversions_that_are_one_are_proved(ours: str, theirs: str, a: str, y: str) -> None:
    assert isinstance(judged(ours, theirs, a, y), Proved)


@pytest.mark.parametrize(
    ("ours", "theirs", "a", "y"),
    [
        ("bf16(x)", "bf16(f32(x))", "f64", "bf16"),  # rounded twice
        ("f16(x)", "f16(f32(x))", "f64", "f16"),
        ("bf16(x)", "bf16(f32(x))", "i32", "bf16"),
        ("bf16(x)", "bf16(f64(x))", "i64", "bf16"),
        ("f32(x)", "f32(f64(x))", "i64", "f32"),
        ("u8(x)", "u8(i32(x))", "f32", "u8"),  # wraps
        ("i8(x)", "i8(i64(x))", "f64", "i8"),
        ("u32(x)", "u32(i64(x))", "f32", "u32"),  # what one compiler made of C's undefined conversion
        ("i8(x)", "round_i8(x)", "f32", "i8"),
        (
            "f32(i8(x))",
            "f32(i8(f32(x)))",
            "i16",
            "f32",
        ),  # wraps there, clamps here: two functions over the reals as well
        ("i32(x)", "select(x == x, i32(x), -2147483648)", "f32", "i32"),  # x86's answer to a NaN
        ("i8(x)", "i8(f32(x))", "i16", "i8"),
    ],
)
def test_another_meaning_is_refuted_and_its_witness_replays(ours: str, theirs: str, a: str, y: str) -> None:
    verdict = judged(ours, theirs, a, y)
    assert isinstance(verdict, Refuted), verdict
    (x,) = (v for n, v in verdict.witness.items() if n.startswith("A"))
    made = np.array([float(x) if isinstance(x, str) else x]).astype(dtype(a).numpy)
    with np.errstate(all="ignore"):
        left, right = (
            im.run_kernel(im.kernel(f"y[i] = {t.replace('x', 'A[i]')}", dtypes={"y": y, "A": a}), {"A": made})["y"]
            for t in (ours, theirs)
        )
    assert left.tobytes() != right.tobytes()
    word = int(made.view(oracle.WORDS[a])[0])
    if ours in (f"{y}(x)",):
        want = oracle.converted(word, a, y)
        assert int(left.view(oracle.WORDS[y])[0]) == want, "the kernel's side is the oracle's"
    assert isinstance(oracle.decoded(word, a), Fraction | str)


def test_an_exact_form_that_clamps_otherwise_is_refuted_with_numbers() -> None:
    unit = im.instruction(
        "toy.cut", "y[l] = i8(a[l])", axes={"l": 8}, dtypes={"y": "i8", "a": "f32"}, places={"y": "v", "a": "v"},
        exact="y[l] = i8(i32(a[l]))", rounding="unfused",
    )  # fmt: skip
    made = im.kernel("y[i] = i8(A[i])", name="mine", dtypes={"y": "i8", "A": "f32"})
    claim = next(c for c in prove(fuse(made, unit, "l=i")).proof.claims if c.subject == "instruction")
    assert isinstance(claim.verdict, Refuted)
    assert claim.verdict.witness["contract"] != claim.verdict.witness["instruction"]


def test_over_the_reals_wrapping_is_not_clamping() -> None:
    """A sum may be reordered, so its terms are compared over the reals: there, too, both are not one function."""
    made = im.kernel("y[i] += f32(i8(A[i,k]))", name="mine", dtypes={"y": "f32", "A": "i16"})
    for theirs, word in (("f32(i8(a[l]))", "proved"), ("f32(i8(f32(a[l])))", "unknown")):
        unit = im.instruction(
            "toy.sum", f"y[l] += {theirs}", axes={"l": 8}, dtypes={"y": "f32", "a": "i16"}, places=dict.fromkeys("ya", "v"),
            rounding="unfused",
        )  # fmt: skip
        claim = next(c for c in prove(fuse(made, unit, "l=i")).proof.claims if c.subject == "value")
        assert claim.verdict.word == word, theirs
