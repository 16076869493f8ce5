"""How long a sum may be before its accumulator overflows: the largest number is right, proved, and one more is too many."""

from __future__ import annotations

import itertools
import json

import pytest

import isamap_smt as im
from isamap_encodings.overflow import largest_count, sums_stay
from isamap_encodings.verdict import Proved, Refuted
from isamap_smt.cli.app import run
from isamap_smt.ir.dtypes import dtype
from isamap_smt.proof.overflow import overflow

GEMM = im.find_kernel("gemm")


@pytest.mark.parametrize(
    ("a", "b", "c", "largest"),
    [("u8", "i8", "i32", 65793), ("i8", "i8", "i32", 131071), ("u8", "u8", "u32", 66051), ("u8", "u8", "i32", 33025),
     ("i16", "i16", "i32", 1), ("u8", "i8", "i64", 2**63 // 32640)],
)  # fmt: skip
def test_the_largest_length_is_proved_and_one_more_overflows(a: str, b: str, c: str, largest: int) -> None:
    found = overflow(GEMM.with_dtypes({"A": a, "B": b, "C": c}))
    assert found is not None
    assert (found.name, found.largest, found.tight) == ("k", largest, True)
    assert isinstance(found.verdict, Proved)
    x, y = (dtype(t) for t in (a, b))
    products = [p * q for p, q in itertools.product((x.low, x.high), (y.low, y.high))]
    assert found.term == (min(products), max(products))
    out = dtype(c)
    assert all(out.low <= largest * p <= out.high for p in products)
    one = found.witness[0][1] * found.witness[1][1]
    assert not out.low <= (largest + 1) * one <= out.high


def test_assumed_values_make_it_longer() -> None:
    bytes_ = GEMM.with_dtypes({"A": "u8", "B": "i8", "C": "i32"})
    found = overflow(im.assume(bytes_, ["A <= 127", "abs(B) <= 64"]))
    assert found is not None
    assert found.largest == (2**31 - 1) // (127 * 64)


def test_known_sizes_fit_or_do_not() -> None:
    bytes_ = GEMM.with_dtypes({"A": "u8", "B": "i8", "C": "i32"})
    for k, fits in ((65793, True), (65794, False)):
        found = overflow(bytes_.with_sizes({"k": k}))
        assert found is not None
        assert found.fits is fits
        assert ("does not fit" in str(found)) is not fits
    open_ = overflow(bytes_)
    assert open_ is not None
    assert open_.fits is None


def test_several_axes_are_counted_together() -> None:
    found = overflow(im.find_kernel("conv2d").with_dtypes({"I": "u8", "W": "i8", "O": "i32"}))
    assert found is not None
    assert (found.name, found.largest) == ("r*s*c", 65793)


def test_bounds_of_a_square_are_found_by_proofs() -> None:
    """Interval arithmetic alone says -16256 to 16384."""
    square = im.kernel("C[i] += i32(A[i,k]) * i32(A[i,k])", name="square").with_dtypes({"A": "i8", "C": "i32"})
    found = overflow(square)
    assert found is not None
    assert (found.term, found.largest) == ((0, 16384), 131071)


def test_a_term_that_wraps_by_itself_is_said() -> None:
    found = overflow(GEMM.with_dtypes(dict.fromkeys("ABC", "i32")))
    assert found is not None
    assert found.largest == 0
    assert "one term may overflow by itself" in str(found)


def test_nothing_is_said_of_other_reductions() -> None:
    assert overflow(GEMM) is None
    assert overflow(im.kernel("C[i] max= A[i,k]", name="m").with_dtypes({"A": "i8", "C": "i8"})) is None
    assert overflow(im.kernel("C[i] = A[i] + B[i]", name="m").with_dtypes(dict.fromkeys("ABC", "i8"))) is None


def test_zeros_never_overflow() -> None:
    found = overflow(im.assume(GEMM.with_dtypes({"A": "u8", "B": "i8", "C": "i32"}), ["A == 0"]))
    assert found is not None
    assert found.largest is None
    assert found.fits


@pytest.mark.parametrize("kind", [("i", 8), ("u", 8), ("i", 16)])
def test_the_count_agrees_with_counting(kind: tuple[str, int]) -> None:
    """Every interval of small numbers: sums of the extremes are added up one by one."""
    low, high = (-(1 << kind[1] - 1), (1 << kind[1] - 1) - 1) if kind[0] == "i" else (0, (1 << kind[1]) - 1)
    for a, b in itertools.product((-7, -3, -1, 0, 2), (-1, 0, 1, 3, 9)):
        if a > b or (kind[0] == "u" and a < 0):
            continue
        count = largest_count(a, b, kind)
        if a == b == 0:
            assert count is None
            continue
        n = 0
        while low <= (n + 1) * a and (n + 1) * b <= high:
            n += 1
        assert count == n
        assert isinstance(sums_stay(a, b, count, kind), Proved)
        refuted = sums_stay(a, b, count + 1, kind)
        assert isinstance(refuted, Refuted)
        assert not low <= refuted.witness["sum"] <= high


def test_the_command_says_both_facts(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["prove", "gemm", "avx512_vnni.dpbusd", "--axes", "l=j,e=k"]
    assert run([*words, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)["overflow"]
    assert document["largest"] == {"k": 65793}
    assert document["verdict"] == "proved"
    assert "equal all the same" in document["beyond"]
    assert run(words) == 0
    said = capsys.readouterr().out
    assert "no sum overflows up to k = 65793" in said
    assert "wraps modulo 2^bits, in the kernel and in the instruction alike" in said
