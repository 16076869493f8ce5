"""Instructions that saturate their accumulator are sums where no sum of the terms leaves what they compute exactly."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

import isamap_smt as im
from isamap_encodings.verdict import Proved, Refuted, Unknown, Verdict
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.interpret import run_instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.mapping.fuse import fuse
from isamap_smt.proof.mapping import prove

BYTES = {"A": "u8", "B": "i8", "C": "i32"}
WIDE = "sum(e, 4, i32(a[l,e]) * i32(b[l,e]))"


def adds(exact: str, c: str = "i16", a: str = "i16") -> Instruction:
    text = "c[l] += a[l]" if a == c else f"c[l] += {c}(a[l])"
    dtypes = {"a": a, "c": c}
    return im.instruction("t.adds", text, axes={"l": 16}, dtypes=dtypes, places=dict.fromkeys("ac", "v"), exact=exact)


def dot(exact: str) -> Instruction:
    return im.instruction(
        "t.dot", "acc[l] += i32(a[l,e]) * i32(b[l,e])", axes={"l": 16, "e": 4}, exact=exact,
        dtypes={"a": "u8", "b": "i8", "acc": "i32"}, places=dict.fromkeys(("a", "b", "acc"), "v"),
    )  # fmt: skip


def columns(k: int | None, c: str = "i16", a: str = "i16") -> Kernel:
    text = "y[i] += A[k,i]" if a == c else f"y[i] += {c}(A[k,i])"
    made = im.kernel(text, name="columns", dtypes={"A": a, "y": c})
    return made if k is None else made.with_sizes({"k": k})


def gemm(k: int) -> Kernel:
    return im.find_kernel("gemm").with_dtypes(BYTES).with_sizes({"k": k})


def verdict(kernel: Kernel, instruction: Instruction, text: str = "l=i", assume: tuple[str, ...] = ()) -> Verdict:
    """Of the claim that the instruction computes its contract; the other claims are proved."""
    found = prove(fuse(kernel, instruction, text), assume=assume)
    claims = {(c.claim, c.subject): c.verdict for c in found.proof.claims}
    decided = claims.pop(("scalar", "instruction"))
    assert all(isinstance(v, Proved) for v in claims.values())
    return decided


SATURATING = adds("c[l] = sat_i16(c[l] + a[l])")
DOT = dot(f"acc[l] = sat_i32(acc[l] + {WIDE})")
BYTE = ("-128 <= A <= 127",)


@pytest.mark.parametrize(
    ("assume", "most"),
    [(BYTE, 256), (("-127 <= A <= 127",), 258), (("A == 0",), None), (("0 <= A <= 1",), 32767), (("A == -32768",), 1)],
)
def test_as_many_terms_are_legal_as_stay_within_the_type(assume: tuple[str, ...], most: int | None) -> None:
    assert isinstance(verdict(columns(most or 10**6), SATURATING, assume=assume), Proved)
    if most is not None:
        over = verdict(columns(most + 1), SATURATING, assume=assume)
        assert isinstance(over, Refuted)
        assert over.witness["k"] == most + 1
        assert f"k <= {most} would fit" in over.text


def test_a_saturating_dot_product_is_legal_up_to_the_edge() -> None:
    assert isinstance(verdict(gemm(65793), DOT, "l=j,e=k"), Proved)
    over = verdict(gemm(65794), DOT, "l=j,e=k")
    assert isinstance(over, Refuted)
    before = 65793 * 255 * -128
    assert (over.witness["contract"], over.witness["instruction"]) == (before - 255 * 128 + 2**32, -(2**31))
    assert "k <= 65793 would fit" in over.text
    assert [r.text for r in prove(fuse(gemm(65794), DOT, "l=j,e=k")).ranges] == ["A<=254", "-127<=B<=127"]


def test_the_terms_may_be_added_one_by_one() -> None:
    products = " + ".join(f"i32(a[l,{e}]) * i32(b[l,{e}])" for e in range(4))
    assert isinstance(verdict(gemm(65793), dot(f"acc[l] = sat_i32(acc[l] + {products})"), "l=j,e=k"), Proved)


def test_a_narrower_accumulator_bounds_the_sum() -> None:
    """It saturates 24 bits, or keeps 16 without saturating."""
    narrow = dot(f"acc[l] = max(min(i32(acc[l]) + {WIDE}, 8388607), -8388608)")
    assert isinstance(verdict(gemm(257), narrow, "l=j,e=k"), Proved)
    assert isinstance(verdict(gemm(258), narrow, "l=j,e=k"), Refuted)
    kept = adds("c[l] = i16(i8(c[l] + a[l]))")
    assert isinstance(verdict(columns(8), kept, assume=("-16 <= A <= 15",)), Proved)
    assert isinstance(verdict(columns(9), kept, assume=("-16 <= A <= 15",)), Refuted)


@pytest.mark.parametrize(
    ("exact", "assume"),
    [
        ("c[l] = sat_i16(c[l] + a[l])", ()),  # the range is forgotten
        ("c[l] = i16(sat_i8(c[l] + a[l]))", BYTE),
        ("c[l] = i16(i8(c[l] + a[l]))", BYTE),
        ("c[l] = i16(min(i32(c[l]) + i32(a[l]), 32766))", ("0 <= A <= 127",)),
        ("c[l] = sat_i16(c[l] + a[l] + 1)", BYTE),
        ("c[l] = sat_i16(c[l] - a[l])", BYTE),
        ("c[l] = sat_i16(c[l] + max(a[l], -127))", BYTE),
        ("c[l] = sat_i16(a[l])", BYTE),
        ("c[l] = sat_i16(2 * c[l] + a[l])", BYTE),
    ],
)
def test_what_does_not_add_is_refuted(exact: str, assume: tuple[str, ...]) -> None:
    terms = 259 if "32766" in exact else 256
    assert isinstance(verdict(columns(terms), adds(exact), assume=assume), Refuted)


def test_sizes_left_open_are_refuted_with_the_number_that_fits() -> None:
    found = verdict(columns(None), SATURATING, assume=BYTE)
    assert isinstance(found, Refuted)
    assert found.witness["k"] == 257
    assert re.search(r"after 256 of A\[k,i\] = -128 the accumulator is -32768.*k <= 256 would fit", found.text)


def test_the_ranges_that_would_fit_are_exact() -> None:
    rejected = prove(fuse(columns(257, "i16", "i8"), adds("c[l] = sat_i16(c[l] + i16(a[l]))", a="i8"), "l=i"))
    (one,) = rejected.ranges
    assert (one.text, one.exact) == ("-127<=A<=127", True)
    assert 257 * 127 <= 32767 < 257 * 128


@pytest.mark.parametrize(
    ("assume", "ranges"),
    [("3 <= A", [("A", 3, 9)]), ("A <= -3", [("A", -9, -3)]), ("-5 <= A", [("A", -5, 9)]), ("A >= 20", [])],
)
def test_a_range_is_cut_to_what_fits(assume: str, ranges: list[tuple[str, int, int]]) -> None:
    """3500 terms: 9 and -9 fit, 10 and -10 do not."""
    made = adds("c[l] = sat_i16(c[l] + i16(a[l]))", a="i8")
    rejected = prove(fuse(columns(3500, "i16", "i8"), made, "l=i"), assume=[assume])
    assert [(r.tensor, r.low, r.high) for r in rejected.ranges] == ranges
    assert all(r.exact for r in rejected.ranges)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("y[i] = B[i]\ny[i] += A[k,i]", "more than the terms of one sum"),
        ("y[i] += A[k,i]\ny[i] += B[i]", "more than the terms of one sum"),
    ],
)
def test_sums_that_begin_elsewhere_are_not_known(text: str, why: str) -> None:
    kernel = im.kernel(text, name="more").with_sizes({"k": 4, "i": 2})
    kernel = kernel.with_dtypes({t.name: "i16" for t in kernel.tensors})
    number = next(n for n, s in enumerate(kernel.statements) if "A" in {a.tensor for a in s.inputs})
    found = prove(fuse(kernel, SATURATING, "l=i", statement=number), assume=BYTE)
    decided = next(c.verdict for c in found.proof.claims if c.subject == "instruction")
    assert isinstance(decided, Unknown)
    assert why in decided.reason


@pytest.mark.parametrize(("k", "fits"), [(128, True), (129, False)])
def test_terms_of_joined_axes_are_counted(k: int, fits: bool) -> None:
    """Two columns meet in an element: 256 terms of -128 are -32768."""
    kernel = im.kernel("y[i//2] += A[k,i]", name="joined", dtypes={"A": "i16", "y": "i16"}).with_sizes({"k": k, "i": 4})
    found = prove(fuse(kernel, SATURATING, "l=i"), assume=BYTE)
    decided = next(c.verdict for c in found.proof.claims if c.subject == "instruction")
    assert isinstance(decided, Proved if fits else Refuted)
    assert fits or "adds at most 256 of these terms" in decided.text


def test_the_beginning_is_an_assumption_of_outputs_and_not_of_temporaries() -> None:
    found = prove(fuse(columns(4), SATURATING, "l=i"), assume=BYTE)
    assert "0 <= y <= 0" in found.proof.assumptions
    kernel = im.kernel("temporary T\nT[i] += A[k,i]\ny[i] = T[i]", name="two", dtypes=dict.fromkeys("TAy", "i16"))
    found = prove(fuse(kernel.with_sizes({"k": 4}), SATURATING, "l=i"), assume=BYTE)
    assert found
    assert not [a for a in found.proof.assumptions if "T <=" in a]


EXACTS = (
    "c[l] = sat_i8(c[l] + a[l])", "c[l] = max(min(c[l] + a[l], i8(50)), i8(-60))", "c[l] = sat_i8(c[l] + a[l] + a[l])",
    "c[l] = i8(sat_u8(c[l] + a[l]))", "c[l] = sat_i8(max(c[l], -100) + a[l])", "c[l] = i8(i16(c[l]) + i16(a[l]))",
)  # fmt: skip


def test_verdicts_agree_with_what_happens() -> None:
    """Random ranges and lengths: what is proved is a sum in random orders and at its ends, what is refuted shows a difference."""
    some, seen = random.Random(7), dict.fromkeys(("proved", "refuted", "unknown"), 0)
    for _ in range(80):
        exact, terms = some.choice(EXACTS), some.randint(1, 12)
        low, high = sorted(some.randint(-40, 40) for _ in range(2))
        instruction = adds(exact, "i8", "i8")
        found = prove(fuse(columns(terms, "i8", "i8"), instruction, "l=i"), assume=[f"{low} <= A <= {high}"])
        seen[found.proof.word] += 1
        rows = np.array(
            [[some.choice((low, high, some.randint(low, high), 0)) for _ in range(16)] for _ in range(terms)], np.int8
        )
        rows[:, 0], rows[:, 1] = low, high
        c = np.zeros(16, np.int8)
        for row in rows:
            c = run_instruction(instruction, {"a": row, "c": c})["c"]
        if found:
            assert (c == rows.sum(0, dtype=np.int64)).all(), (exact, low, high, terms)
        elif found.refuted:
            witness = next(c.verdict for c in found.proof.claims if c.subject == "instruction").witness
            assert witness["contract"] != witness["instruction"]
    assert min(seen["proved"], seen["refuted"]) > 15, seen
    assert seen["unknown"] < 15, seen
