"""What may fill padding: every row of the table in docs/design/padding.md, by Z3 and on concrete numbers."""

from __future__ import annotations

import itertools
import re
import struct
from pathlib import Path

import numpy as np
import pytest

import isamap_smt as im
from isamap_encodings.neutral_element import associative, neutral_element, zero_product
from isamap_encodings.verdict import Proved, Refuted, Verdict
from isamap_smt.ir.dtypes import dtype
from isamap_smt.ir.errors import LanguageError
from isamap_smt.ir.instruction import Instruction
from isamap_smt.mapping.fuse import fuse
from isamap_smt.proof import prove
from isamap_smt.proof.mapping_neutral import harmless
from isamap_smt.proof.scalar import ZEROS
from isamap_smt.proof.scalar_trees import kind

INTEGERS = ["i8", "u8", "i16", "i32", "u32"]
FLOATS = ["f16", "bf16", "f32", "f64"]
SPECIAL = [0.0, -0.0, 1.0, -1.0, 3.5, -1e4, 6e4, np.inf, -np.inf, np.nan]


def bits(x: float) -> bytes:
    """A double's bits; every NaN alike."""
    return b"nan" if np.isnan(x) else struct.pack("<d", x)


def samples(name: str) -> np.ndarray:
    d = dtype(name)
    if d.is_float:
        return np.array(SPECIAL).astype(d.numpy)
    return np.array(
        sorted({d.low, d.low + 1, 0, 1, d.high // 2, d.high - 1, d.high} | ({-1} if d.low else set())), d.numpy
    )


def fill(name: str, what: str) -> np.ndarray:
    d = dtype(name)
    least, greatest = (-np.inf, np.inf) if d.is_float else (d.low, d.high)
    return np.array({"0": 0, "-0": -0.0, "1": 1, "least": least, "greatest": greatest}[what]).astype(d.numpy)


NUMPY = {
    "+": np.add,
    "*": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
    "x86max": lambda a, b: np.where(a > b, a, b),
    "x86min": lambda a, b: np.where(a < b, a, b),
}


def changed(op: str, name: str, what: str, signs: bool = True) -> list[float]:
    """The accumulators, of the samples, that the fill changes."""
    acc = samples(name)
    with np.errstate(all="ignore"):
        after = NUMPY[op](acc, fill(name, what)).astype(acc.dtype)
    pairs = zip(acc.astype(float), after.astype(float), strict=True)
    return [a for a, b in pairs if bits(a) != bits(b) and (signs or a != b)]


ROWS = [
    *[(op, name, what, True, True) for name in INTEGERS for op, what in
      (("+", "0"), ("*", "1"), ("max", "least"), ("min", "greatest"))],
    *[("max", name, "0", True, False) for name in ("i8", "i32", *FLOATS)],
    *[(op, name, what, signs, good) for name in FLOATS for op, what, signs, good in
      (("+", "0", True, False), ("+", "0", False, True), ("+", "-0", True, True), ("*", "1", True, True),
       ("max", "least", True, True), ("min", "greatest", True, True), ("x86max", "least", True, False),
       ("x86min", "greatest", True, False))],
]  # fmt: skip


@pytest.mark.parametrize(("op", "name", "what", "signs", "good"), ROWS)
def test_a_fill_is_neutral_or_is_not(op: str, name: str, what: str, signs: bool, good: bool) -> None:
    verdict = neutral_element(op, kind(dtype(name)), what, signs)
    assert isinstance(verdict, Proved if good else Refuted)
    assert (changed(op, name, what, signs) == []) is good
    if isinstance(verdict, Refuted):
        acc = np.array(verdict.witness["acc"]).astype(dtype(name).numpy)
        with np.errstate(all="ignore"):
            after = NUMPY[op](acc, fill(name, what)).astype(acc.dtype)
        assert bits(float(acc)) != bits(float(after))


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize(
    ("first", "second", "signs", "good"),
    [("0", "-0", True, True), ("-0", "0", True, True), ("0", "0", True, False), ("-0", "-0", True, False),
     ("0", "finite", True, False), ("0", "finite", False, True), ("0", "any", False, False)],
)  # fmt: skip
def test_which_product_of_padding_is_neutral(name: str, first: str, second: str, signs: bool, good: bool) -> None:
    verdict = zero_product(kind(dtype(name)), first, second, signs)
    assert isinstance(verdict, Proved if good else Refuted)
    values = {"any": SPECIAL, "finite": [x for x in SPECIAL if np.isfinite(x)]}
    wrong = []
    for acc, b in itertools.product(SPECIAL, values.get(second, [float(second)] if second not in values else [])):
        with np.errstate(all="ignore"):
            after = acc + float(first) * b
        if bits(acc) != bits(after) and (signs or acc != after):
            wrong.append((acc, b))
    assert (wrong == []) is good
    if isinstance(verdict, Refuted):
        acc, b = (
            verdict.witness.get(n, float(second) if n == "b" and second not in values else None) for n in ("acc", "b")
        )
        with np.errstate(all="ignore"):
            after = np.float64(acc) + np.float64(float(first)) * np.float64(b)
        assert bits(float(after)) != bits(float(acc))


@pytest.mark.parametrize("name", INTEGERS)
def test_zero_times_anything_is_neutral_for_integers(name: str) -> None:
    assert isinstance(zero_product(kind(dtype(name)), "0", "any"), Proved)


def clamped(x: int, name: str) -> int:
    return min(max(x, dtype(name).low), dtype(name).high)


@pytest.mark.parametrize("name", ["i8", "i16", "i32"])
def test_saturating_addition_is_neutral_at_zero_and_is_not_associative(name: str) -> None:
    of = kind(dtype(name))
    assert isinstance(neutral_element("sat+", of, "0"), Proved)
    verdict = associative("sat+", of)
    assert isinstance(verdict, Refuted)
    a, b, c = (int(verdict.witness[n]) for n in "abc")
    assert clamped(clamped(a + b, name) + c, name) != clamped(a + clamped(b + c, name), name)
    assert min(a, b, c) < 0 < max(a, b, c)
    assert isinstance(associative("sat+", of, one_sign=True), Proved)


def test_unsigned_saturating_addition_and_wrapping_addition_are_associative() -> None:
    assert isinstance(associative("sat+", ("u", 8)), Proved)
    assert all(isinstance(associative("+", kind(dtype(n))), Proved) for n in INTEGERS)


def test_one_sign_saturates_by_brute_force() -> None:
    """Every triple of four-bit-like values near the ends of eight bits."""
    ends = [0, 1, 5, 60, 100, 120, 126, 127]
    for a, b, c in itertools.product(ends, repeat=3):
        for s in (1, -1):
            x, y, z = s * a, s * b, s * c
            assert clamped(clamped(x + y, "i8") + z, "i8") == clamped(x + clamped(y + z, "i8"), "i8")


@pytest.mark.parametrize("name", ["f16", "bf16", "f32"])
def test_a_maximum_may_be_reordered_and_that_of_x86_may_not(name: str) -> None:
    of = kind(dtype(name))
    assert isinstance(associative("max", of), Proved)
    verdict = associative("x86max", of)
    assert isinstance(verdict, Refuted)
    a, b, c = (float(verdict.witness[n]) for n in "abc")
    x86 = lambda p, q: p if p > q else q  # noqa: E731 - one line of C, `a > b ? a : b`
    assert bits(x86(x86(a, b), c)) != bits(x86(a, x86(b, c)))


def test_a_floating_point_sum_may_not_be_reordered() -> None:
    verdict = associative("+", ("f", 16))
    assert isinstance(verdict, Refuted)
    a, b, c = (np.float16(verdict.witness[n]) for n in "abc")
    with np.errstate(all="ignore"):
        assert bits(float((a + b) + c)) != bits(float(a + (b + c)))


# ---- what mappings make of it ----------------------------------------------------------------------------------------


def reduction(op: str, element: str) -> tuple[im.Kernel, im.Instruction]:
    kernel = im.kernel(f"y[i] {op} A[i,k]", name="reduction", dtypes={"y": element, "A": element})
    instruction = im.instruction(
        "toy.reduce", f"c[l] {op} a[l,e]", axes={"l": 4, "e": 4}, dtypes={"a": element, "c": element},
        places=dict.fromkeys("ac", "v"),
    )  # fmt: skip
    return kernel, instruction


@pytest.mark.parametrize("element", ["f32", "f16", "i8", "u8", "i32"])
@pytest.mark.parametrize(
    ("op", "what"),
    [("+=", "0"), ("*=", "1"), ("max=", "the least value of their type"), ("min=", "the greatest value of their type")],
)
def test_each_reduction_is_padded_with_its_own_fill(op: str, what: str, element: str) -> None:
    kernel, instruction = reduction(op, element)
    found = prove(fuse(kernel, instruction, "l=i,e=k"))
    assert isinstance(found, im.ProvedMapping), str(found)
    assert f"operand cells that no guarded point reads are filled with {what}" in found.proof.assumptions
    says = "padding may turn a sum of -0 into +0" in found.proof.assumptions
    assert says is (op == "+=" and element.startswith("f"))


@pytest.mark.parametrize(("op", "wrong"), [("+=", "1"), ("*=", "0"), ("max=", "greatest"), ("min=", "least")])
def test_a_wrong_fill_proves_nothing(op: str, wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mutant: the arithmetic asked about another fill."""
    from isamap_smt.proof import mapping_neutral

    def asked(name: str, of: tuple[str, int], fill: str, signs: bool = True) -> Verdict:
        return neutral_element(name, of, wrong, signs)

    monkeypatch.setattr(mapping_neutral, "neutral_element", asked)
    kernel, instruction = reduction(op, "i32")
    found = prove(fuse(kernel, instruction, "l=i,e=k"))
    assert found.proof.word == "unknown"
    assert any(c.claim == "neutral" and not isinstance(c.verdict, Proved) for c in found.proof.claims)


def test_a_saturating_sum_over_an_axis_cannot_be_written() -> None:
    with pytest.raises(LanguageError, match="would write each element once for every k"):
        im.kernel("y[i] = sat_i8(i16(y[i]) + i16(A[i,k]))", dtypes={"y": "i8", "A": "i8"})


def test_an_instruction_that_saturates_its_sum_is_refuted_as_one_that_wraps() -> None:
    kernel = im.kernel("y[i] += A[i,k]", name="sums", dtypes={"y": "i8", "A": "i8"})
    instruction = im.instruction(
        "toy.adds", "c[l] += a[l]", axes={"l": 16}, dtypes={"a": "i8", "c": "i8"}, places=dict.fromkeys("ac", "v"),
        exact="c[l] = sat_i8(i16(c[l]) + i16(a[l]))",
    )  # fmt: skip
    assert prove(fuse(kernel, instruction, "l=i")).proof.word == "refuted"


def test_a_value_that_is_not_neutral_at_zero_is_not_padded() -> None:
    value = im.kernel("y[i] += A[i,k] + B[i,k]", name="sums").statements[0].value
    assert not harmless("+", value, frozenset({"A"}))
    assert harmless("+", value, frozenset({"A", "B"}))
    assert not harmless("max", value, frozenset({"A", "B"}))


def test_the_table_says_what_is_proved() -> None:
    """Each row of the page against the verdicts."""
    page = (Path(__file__).parents[2] / "docs/design/padding.md").read_text()
    rows = re.findall(r"^\| `(\S+)` \| `(\S+)` \| (\S+) \| (neutral|not neutral)", page, re.MULTILINE)
    assert len(rows) >= 12
    for op, what, element, word in rows:
        for name in INTEGERS if element == "integers" else FLOATS:
            if op == "sat+" and name not in INTEGERS:
                continue
            verdict = neutral_element(op, kind(dtype(name)), what)
            assert isinstance(verdict, Proved if word == "neutral" else Refuted), (op, what, name)


@pytest.mark.parametrize(
    ("text", "claimed"),
    [
        ("C[i] max= A[i,k]", True),
        ("C[i] min= A[i,k] ordered", True),
        ("C[i] = max(A[i], 0.0)", True),
        ("C[i] = relu(A[i])", True),
        ("A: i32\nC: i32\nC[i] max= A[i,k]", False),
        ("C[i] += A[i,k]", False),
    ],
)
def test_a_maximum_does_not_keep_the_sign_of_zero(text: str, claimed: bool) -> None:
    """What is claimed is equality as values: it is among the assumptions wherever two zeros may meet."""
    k = im.kernel(text, name="zeros")
    s = k.statements[0]
    types = {t.name: t.dtype for t in k.tensors}
    point = k.with_sizes({a.name: 1 for a in s.axes})
    one = Instruction("toy.point", point, places=tuple((n, "v") for n in types))
    proved = im.prove(im.fuse(k, one, {a.name: (a.name,) for a in s.axes}))
    assert isinstance(proved, im.ProvedMapping), str(proved)
    assert (ZEROS in proved.proof.hypotheses) is claimed


def test_the_order_of_zeros_may_change_a_sign_and_no_value() -> None:
    """Maxima of every order of zeros and numbers: equal as values, which is what is claimed."""
    k = im.kernel("C[i] max= A[i,k]", name="top")
    rows = list(itertools.permutations([0.0, -0.0, -1.0, -0.0]))
    a = np.array(rows, np.float32)
    found = im.run_kernel(k, {"A": a})["C"]
    assert (found == 0).all()
    assert np.array_equal(found, im.run_kernel(k, {"A": a[:, ::-1]})["C"])
