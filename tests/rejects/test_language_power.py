"""An exponent is one constant: a small whole number or a half."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

COMPUTED = """\
line 2, column 16: the exponent of ** is no constant
    C[i] = A[i] ** B[i]
                   ^^^^
  write pow(x, y) for x to the power of y"""

BROKEN = """\
norms.txt:1:16: ** 2.5 has no meaning of its own
    C[i] = A[i] ** 2.5
                   ^^^
  an exponent is a whole number from 1 to 16, its negative, 0.5 or -0.5; write pow(x, 2.5)"""

LONG = """\
line 1, column 8: this power is too long when it is written out
    C[i] = ((A[i] ** 16) ** 16) ** 16
           ^^^^^^^^^^^^^^^^^^^^^^^^^^
  assign its base to a tensor first"""


@pytest.mark.parametrize(
    ("text", "message", "file"),
    [
        ("A: f32[I]\nC[i] = A[i] ** B[i]", COMPUTED, ""),
        ("C[i] = A[i] ** 2.5", BROKEN, "norms.txt"),
        ("C[i] = ((A[i] ** 16) ** 16) ** 16", LONG, ""),
    ],
)
def test_the_message(text: str, message: str, file: str) -> None:
    with pytest.raises(LanguageError) as e:
        kernel(text, file=file)
    assert str(e.value) == message


@pytest.mark.parametrize("exponent", ["0", "17", "-17", "1.5", "True", "N", "i"])
def test_others(exponent: str) -> None:
    with pytest.raises(LanguageError, match=r"exponent|has no meaning"):
        kernel(f"size N\nC[i] = A[i] ** {exponent}")
