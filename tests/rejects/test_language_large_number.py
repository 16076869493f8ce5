"""Numbers that generated code could not count with are refused where they are written."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

MESSAGE = """\
line 1, column 11: a number in this index is too large
    C[i] += A[i*65536*65536]
              ^^^^^^^^^^^^^
  generated code counts in 64 bits: numbers in an index are at most 2^31"""


def test_the_message() -> None:
    with pytest.raises(LanguageError) as e:
        kernel("C[i] += A[i*65536*65536]")
    assert str(e.value) == MESSAGE


@pytest.mark.parametrize(
    "text",
    [
        "C[i] += A[i" + "*10" * 200 + "]",
        "C[i] += A[i+90000000000000000000]",
        "C[i] += A[i] where i*90000000000000000000 < 5",
        "C[i] += A[s*i]\nparam s >= 90000000000000000000",
        "C[i] += A[i]\naxis i < 90000000000000000000",
        "C[i] += A[i]\nA: f32[90000000000000000000]",
    ],
)
def test_everywhere(text: str) -> None:
    with pytest.raises(LanguageError, match="too large"):
        kernel(text)


def test_the_largest_is_taken() -> None:
    assert "2147483648" in kernel("C[i] += A[2147483648*i]").text
