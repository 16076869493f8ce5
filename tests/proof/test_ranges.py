"""Assumed values: read from text, hypotheses in proofs, run-time checks of compiled kernels."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import isamap_smt as im
from isamap_encodings.verdict import Refuted, Unknown
from isamap_smt.ir.dtypes import DTYPES
from isamap_smt.ir.errors import ArgumentError, DTypeError, IsamapError, LanguageError, RangeError, UnknownNameError
from isamap_smt.language import to_text
from isamap_smt.mapping.fuse import fuse
from isamap_smt.proof import prove
from isamap_smt.proof.ranges import range_pair

GEMM = im.find_kernel("gemm").with_dtypes({"A": "u8", "B": "i8", "C": "i32"})
SATURATING = fuse(GEMM, im.find_instruction("avx512_vnni.maddubs_dot"), "l=j,e=k")


@pytest.mark.parametrize(
    ("text", "range_"),
    [
        ("A<=127", ("A", 0, 127)),
        ("A < 128", ("A", 0, 127)),
        ("127 >= A", ("A", 0, 127)),
        ("A > 3", ("A", 4, 255)),
        ("A == 7", ("A", 7, 7)),
        ("-64 <= B <= 64", ("B", -64, 64)),
        ("64 >= B > -65", ("B", -64, 64)),
        ("abs(B) <= 64", ("B", -64, 64)),
        ("abs(B) < 64", ("B", -63, 63)),
        ("B >= -3 and B <= 3", ("B", -3, 3)),
    ],
)
def test_a_range_is_read(text: str, range_: tuple[str, int, int]) -> None:
    assert im.assume(GEMM, [text]).ranges == (range_,)


def test_ranges_of_one_input_are_intersected() -> None:
    assert im.assume(im.assume(GEMM, ["A<=100"]), ["A>=3", "A<=200"]).ranges == (("A", 3, 100),)


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("D <= 3", UnknownNameError, "gemm has no input 'D'; known: A, B"),
        ("C <= 3", UnknownNameError, "C is an output of gemm"),
        ("A <= 256", DTypeError, "0 <= A <= 256 is not within u8, which holds 0 to 255"),
        ("A >= -1", DTypeError, "is not within u8"),
        ("A < 3 and A > 5", RangeError, "no value of A"),
        ("A <= 3 and B <= 3", RangeError, "speaks of A and B"),
        ("A", LanguageError, "no range of values"),
        ("A <= B", LanguageError, "must be a whole number"),
        ("A <= 1.5", LanguageError, "must be a whole number"),
        ("A != 3", LanguageError, "compares with"),
        ("A[i,k] <= 3", LanguageError, "write the tensor alone: A"),
        ("A <=", LanguageError, "cannot be read"),
        ("", LanguageError, "missing"),
        ("__import__('os') <= 3", LanguageError, "not the name of an input"),
        ("abs(A) >= 3", LanguageError, "not the name of an input"),
    ],
)
def test_what_is_no_range_is_refused(text: str, error: type[IsamapError], words: str) -> None:
    with pytest.raises(error, match=re.escape(words)):
        im.assume(GEMM, [text])


def test_a_floating_point_input_has_a_range_within_its_finite_values() -> None:
    gemm = im.find_kernel("gemm")
    ranged = im.assume(gemm, ["A <= 1.5", "abs(B) <= 2e-3", "B >= 0"])
    most = float(np.finfo(np.float32).max)
    assert ranged.ranges == (("A", -most, 1.5), ("B", 0, 2e-3))
    assert im.kernel(to_text(ranged), name="gemm").ranges == ranged.ranges
    with pytest.raises(DTypeError, match="is not within f16, which holds"):
        im.assume(gemm.with_dtypes({"A": "f16"}), ["A <= 1e5"])
    with pytest.raises(LanguageError, match="must be a whole number"):
        im.assume(gemm.with_dtypes({"A": "i8"}), ["A <= 1.5"])


@pytest.mark.parametrize("kind", ["f64", "f32", "f16", "bf16"])
@pytest.mark.parametrize(
    "ends", [("-0.25", "1.5"), ("0", "1e-40"), ("-3e-8", "0"), ("1e-3", "60000"), ("-7", "-6.3"), ("0.1", "0.3")]
)
def test_a_compiled_kernel_checks_ranges_of_floating_point(kind: str, ends: tuple[str, str]) -> None:
    """Where the numbers are none of the type's, too; NaN and infinities lie in no range, and both zeros are 0."""
    kernel = im.kernel(
        f"assume {ends[0]} <= x <= {ends[1]}\ny[i] = x[i] * 2", name="twice", dtypes={"x": kind, "y": kind}
    )
    run, (low, high) = im.compile(kernel, "scalar"), map(float, ends)
    numbers = [
        0.0,
        -0.0,
        low,
        high,
        1.5,
        1.51,
        -0.25,
        0.1,
        0.3,
        1e-40,
        1e-41,
        -3e-8,
        -1e-45,
        1e-3,
        9e-4,
        -6.3,
        -7.1,
        60000,
        65000,
    ]
    near = [np.asarray(v, DTYPES[kind].numpy) for v in (*numbers, np.inf, -np.inf, np.nan, -np.nan)]
    around = [int(v.view(f"u{v.itemsize}")) + d for v in near for d in (-1, 0, 1)]
    values = np.array([b % 2 ** (8 * near[0].itemsize) for b in around], f"u{near[0].itemsize}").view(
        DTYPES[kind].numpy
    )
    for v in values:
        inside = low <= float(v) <= high
        try:
            found = run(x=np.full(3, v))
        except im.IsamapError as error:
            assert not inside and "was proved for x in [" in str(error), (v, error)
        else:
            assert inside and (found == v + v).all(), v
    assert run(x=np.full(3, np.nan, DTYPES[kind].numpy), check_ranges=False).shape == (3,)


def test_a_range_stays_through_sizes_and_is_checked_against_new_types() -> None:
    ranged = im.assume(GEMM, ["A<=127"]).with_sizes({"i": 4})
    assert ranged.ranges == (("A", 0, 127),)
    assert "assumed: 0 <= A <= 127" in str(ranged)
    assert ranged != GEMM.with_sizes({"i": 4})
    with pytest.raises(DTypeError):
        im.assume(GEMM, ["A<=200"]).with_dtypes({"A": "i8"})


@pytest.mark.parametrize("text", ["A <= 128", "abs(B) <= 64"])
def test_a_saturating_dot_is_proved_under_an_assumed_range(text: str) -> None:
    found = prove(SATURATING, assume=[text])
    assert isinstance(found, im.ProvedMapping), str(found)
    assert {"A <= 128": "0 <= A <= 128", "abs(B) <= 64": "-64 <= B <= 64"}[text] in found.proof.assumptions
    assert found.mapping.kernel.ranges


@pytest.mark.parametrize("text", ["A <= 129", "-64 <= B <= 65", "-65 <= B <= 64"])
def test_a_range_one_too_wide_is_refuted(text: str) -> None:
    assert prove(SATURATING, assume=text).proof.word == "refuted"


def test_a_range_without_zero_still_allows_for_padding() -> None:
    """The dot is right for 0 <= A <= 128 and where A is 200, say, but never saturates only if padding is right too."""
    exact = "acc[l] += select(a[l] == 0, i32(b[l]), i32(a[l]) * i32(b[l]))"
    odd = im.instruction(
        "toy.odd", "acc[l] += i32(a[l]) * i32(b[l])", axes={"l": 8}, dtypes={"a": "u8", "b": "i8", "acc": "i32"},
        places=dict.fromkeys(("a", "b", "acc"), "v"), exact=exact,
    )  # fmt: skip
    product = im.kernel("C[i] += i32(A[i]) * i32(B[i])", name="product")
    product = product.with_dtypes({"A": "u8", "B": "i8", "C": "i32"})
    rejected = prove(fuse(product, odd, "l=i"), assume=["A >= 1"])
    verdict = next(c.verdict for c in rejected.proof.claims if c.subject == "instruction")
    assert isinstance(verdict, Refuted)
    assert verdict.witness["a[l]"] == 0


def test_contradicting_ranges_prove_nothing() -> None:
    """A kernel made by hand, past the checks of with_ranges."""
    impossible = replace(SATURATING, kernel=replace(GEMM, ranges=(("A", 0, 3), ("A", 5, 9))))
    rejected = prove(impossible)
    assert rejected.proof.word == "unknown"
    assert any(isinstance(c.verdict, Unknown) and "contradiction" in c.verdict.reason for c in rejected.proof.claims)


def test_a_compiled_kernel_checks_the_range_at_every_call() -> None:
    kernel = GEMM.with_dtypes(dict.fromkeys("ABC", "i32"))
    run = im.compile(kernel, im.find_hardware("scalar"), sizes={"i": 2, "j": 3, "k": 4}, assume=["0 <= A <= 127"])
    assert "each call checks that 0 <= A <= 127" in str(run)
    a, b = np.full((2, 4), 127, np.int32), np.full((4, 3), 1000, np.int32)
    assert (run(a, b) == a @ b).all()
    a[1, 2] = 128
    with pytest.raises(ArgumentError, match=re.escape("A[1, 2] is 128, and gemm was proved for A in [0, 127]")):
        run(a, b)


def test_the_same_kernel_without_the_range_is_another_one() -> None:
    """Neither the cache of plans nor the one of compiled code may hand out the other's checks."""
    kernel = GEMM.with_dtypes(dict.fromkeys("ABC", "i32"))
    machine = im.find_hardware("scalar")
    for assume, fails in ((["A <= 5"], True), ([], False)):
        run = im.compile(kernel, machine, sizes={"i": 2, "j": 3, "k": 4}, assume=assume)
        a, b = np.full((2, 4), 6, np.int32), np.ones((4, 3), np.int32)
        if fails:
            with pytest.raises(ArgumentError):
                run(a, b)
        else:
            assert (run(a, b) == a @ b).all()


# ---- the weakest range -----------------------------------------------------------------------------------------------


def test_the_weakest_ranges_of_a_saturating_dot_are_found_and_exact() -> None:
    rejection = prove(SATURATING)
    assert [(r.text, r.exact) for r in rejection.ranges] == [("A<=128", True), ("-64<=B<=64", True)]
    assert 'try: --assume "A<=128"  # refuted one further' in str(rejection)
    for r in rejection.ranges:
        assert isinstance(prove(SATURATING, assume=[r.text]), im.ProvedMapping)
        wider = f"{r.low - 1 if r.low else 0} <= {r.tensor} <= {r.high + 1}"
        assert prove(SATURATING, assume=[wider]).proof.word == "refuted"


def test_each_end_is_as_far_out_as_it_can_be() -> None:
    """4 * 31 and 4 * -32 stay within 8 bits, 4 * 32 and 4 * -33 do not: the ends are not opposite numbers."""
    narrow = im.instruction(
        "toy.narrow", "acc[l] += i32(a[l]) * i32(b[l])", axes={"l": 8}, dtypes={"a": "u8", "b": "i8", "acc": "i32"},
        places=dict.fromkeys(("a", "b", "acc"), "v"), exact="acc[l] += i32(sat_i8(i32(a[l]) * i32(b[l])))",
    )  # fmt: skip
    product = im.kernel("C[i] += i32(A[i]) * i32(B[i])", name="product")
    mapping = fuse(product.with_dtypes({"A": "u8", "B": "i8", "C": "i32"}), narrow, "l=i")
    found = {r.tensor: r for r in prove(mapping, assume=["A <= 4"]).ranges}
    assert (found["B"].text, found["B"].exact) == ("-32<=B<=31", True)
    for text, proved in (("-32<=B<=31", True), ("-33<=B<=31", False), ("-32<=B<=32", False)):
        assert bool(prove(mapping, assume=["A <= 4", text])) is proved
    pair = range_pair(prove(mapping), "A <= 4")
    assert pair is not None and pair.exact
    assert pair.texts == ("A<=4", "-32<=B<=31")


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("given", "texts"), [("A <= 200", ("A<=202", "-81<=B<=81")), ("abs(B) <= 100", ("-100<=B<=100", "A<=163"))]
)
def test_two_ranges_together_are_as_wide_as_they_can_be(given: str, texts: tuple[str, str]) -> None:
    pair = range_pair(prove(SATURATING), given)
    assert pair is not None and pair.exact
    assert pair.texts == texts
    assert isinstance(prove(SATURATING, assume=texts), im.ProvedMapping)
    for one, other in ((pair.first, pair.second), (pair.second, pair.first)):
        d = GEMM.tensor(one.tensor).dtype
        for low, high in ((one.low - 1, one.high), (one.low, one.high + 1)):
            if d.low <= low and high <= d.high:
                wider = f"{low} <= {one.tensor} <= {high}"
                assert prove(SATURATING, assume=[wider, other.text]).proof.word == "refuted"


def test_no_pair_where_values_are_not_at_fault() -> None:
    rejection = prove(fuse(GEMM, im.find_instruction("avx512_vnni.maddubs_dot"), "l=k,e=j"))
    assert range_pair(rejection) is None
    with pytest.raises(RangeError):
        range_pair(prove(SATURATING), "A < 3 and A > 5")


def test_a_range_of_one_input_lets_the_other_be_wider() -> None:
    rejection = prove(SATURATING, assume=["A <= 200"])
    # 200 * 2 * b stays within 16 bits for |b| <= 81
    assert [r.text for r in rejection.ranges] == ["A<=128", "-81<=B<=81"]


def test_the_counterexample_cannot_be_made_smaller() -> None:
    verdict = next(c.verdict for c in prove(SATURATING).proof.claims if c.subject == "instruction")
    assert isinstance(verdict, Refuted)
    w = {n: v for n, v in verdict.witness.items() if v and n not in ("contract", "instruction")}
    saturates = lambda w: abs(sum(w[f"a[l,{e}]"] * w[f"b[l,{e}]"] for e in (0, 1))) > 32767  # noqa: E731
    assert len(w) == 4
    assert saturates(w)
    assert not any(saturates({**w, n: v - 1}) for n, v in w.items())


def test_no_range_is_offered_where_none_helps() -> None:
    """The instruction adds 1 whatever the operands are."""
    wrong = im.instruction(
        "toy.off", "acc[l] += i32(a[l]) * i32(b[l])", axes={"l": 8}, dtypes={"a": "u8", "b": "i8", "acc": "i32"},
        places=dict.fromkeys(("a", "b", "acc"), "v"), exact="acc[l] += i32(a[l]) * i32(b[l]) + 1",
    )  # fmt: skip
    product = im.kernel("C[i] += i32(A[i]) * i32(B[i])", name="product")
    rejection = prove(fuse(product.with_dtypes({"A": "u8", "B": "i8", "C": "i32"}), wrong, "l=i"))
    assert rejection.refuted
    assert rejection.ranges == ()


def test_no_range_is_offered_for_another_fault() -> None:
    """Under a range the values agree, but k in the lanes still splits the sum."""
    rejection = prove(fuse(GEMM, im.find_instruction("avx512_vnni.maddubs_dot"), "l=k,e=j"))
    assert rejection.refuted
    assert rejection.ranges == ()
    assert "--assume" not in str(rejection)


def test_a_kernel_whose_own_product_wraps_is_mended_by_a_range() -> None:
    """u8 * u8 in 8 bits wraps, the instruction multiplies in 32."""
    dot = im.instruction(
        "toy.wide", "acc[l] += i32(a[l]) * i32(b[])", axes={"l": 8}, dtypes={"a": "u8", "b": "u8", "acc": "i32"},
        places=dict.fromkeys(("a", "b", "acc"), "v"),
    )  # fmt: skip
    narrow = im.kernel("C[i,j] += i32(u8(A[i,k]) * B[k,j])", name="narrow")
    narrow = narrow.with_dtypes({"A": "u8", "B": "u8", "C": "i32"})
    rejection = prove(fuse(narrow, dot, "l=i"))
    assert [r.text for r in rejection.ranges] == ["A<=1", "B<=1"]
    assert isinstance(prove(fuse(narrow, dot, "l=i"), assume=["A <= 15", "B <= 17"]), im.ProvedMapping)
    assert prove(fuse(narrow, dot, "l=i"), assume=["A <= 16", "B <= 16"]).proof.word == "refuted"
