"""A definition does not use itself."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
H = G + 1
G = H - 1
A: [H]
C[i] = A[i]"""

MESSAGE = """\
line 1, column 1: H is defined by itself
    H = G + 1
    ^^^^^^^^^
  define it by sizes and parameters"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
