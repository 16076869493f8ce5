"""Lines of kernel text that assume values of inputs: read, printed, read again, and refused with the place."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isamap_smt as im
from isamap_smt.ir.errors import DTypeError, IsamapError, LanguageError, RangeError, UnknownNameError
from isamap_smt.language import kernel, to_text

TYPES = "A: u8\nB: i8\nC: i32\n"
BODY = "C[i,j] += i32(A[i,k]) * i32(B[k,j])"


@pytest.mark.parametrize(
    ("line", "ranges"),
    [
        ("assume A <= 127", (("A", 0, 127),)),
        ("assume 0 <= A <= 127", (("A", 0, 127),)),
        ("assume -64 <= B < 64", (("B", -64, 63),)),
        ("assume (abs(B) <= 64)", (("B", -64, 64),)),
        ("assume A <= 127\nassume A >= 3\nassume B == -1", (("A", 3, 127), ("B", -1, -1))),
    ],
)
def test_an_assumed_range_is_part_of_the_text(line: str, ranges: tuple[tuple[str, int, int], ...]) -> None:
    k = kernel(f"{TYPES}{line}\n{BODY}")
    assert k.ranges == ranges
    assert k != kernel(TYPES + BODY)
    assert all(f"assume {low} <= {n} <= {high}" in to_text(k) for n, low, high in ranges)
    assert kernel(to_text(k)) == k


@settings(max_examples=40)
@given(st.lists(st.integers(0, 255), min_size=2, max_size=2), st.lists(st.integers(-128, 127), min_size=2, max_size=2))
def test_every_range_goes_round(a: list[int], b: list[int]) -> None:
    k = kernel(TYPES + BODY).with_ranges({"A": (min(a), max(a)), "B": (min(b), max(b))})
    again = kernel(to_text(k))
    assert again == k
    assert to_text(again) == to_text(k)


@pytest.mark.parametrize(
    ("line", "error", "words"),
    [
        ("assume D <= 3", UnknownNameError, "has no input 'D'; known: A, B"),
        ("assume C <= 3", UnknownNameError, "C is an output"),
        ("assume A <= 256", DTypeError, "is not within u8"),
        ("assume A < 3\nassume A > 5", RangeError, "no value of A"),
        ("assume A", LanguageError, "line 4, column 8: this is no range of values"),
        ("assume A <= B", LanguageError, "must be a whole number"),
        ("assume A[i,k] <= 3", LanguageError, "write the tensor alone: A"),
    ],
)
def test_what_is_no_range_is_refused(line: str, error: type[IsamapError], words: str) -> None:
    with pytest.raises(error, match=re.escape(words)):
        kernel(f"{TYPES}{line}\n{BODY}")


def test_a_tensor_may_be_called_assume() -> None:
    assert kernel("assume[i] += A[i]").outputs == ("assume",)


def test_an_instruction_states_its_ranges_elsewhere() -> None:
    words = dict.fromkeys(("a", "c"), "i32")
    with pytest.raises(LanguageError, match=re.escape("is written assume=[('a', 0, 3)]")):
        im.instruction("toy.add", "assume 0 <= a <= 3\nc[l] += a[l]", axes={"l": 4}, dtypes=words, places=words)
