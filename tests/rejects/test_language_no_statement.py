"""A line that says nothing is refused."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[i] == A[i]"""

MESSAGE = """\
line 1, column 1: this line is neither a statement nor a declaration
    C[i] == A[i]
    ^^^^^^^^^^^^
  write a statement `C[i,j] += A[i,k] * B[k,j]`, a type `A: f32[I,K]`, or `param s >= 1`"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
