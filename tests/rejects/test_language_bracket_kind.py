"""Brackets of two kinds do not match."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[i] = (A[i)]"""

MESSAGE = """\
line 1, column 12: ')' closes '['
    C[i] = (A[i)]
               ^
  write ']' here"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
