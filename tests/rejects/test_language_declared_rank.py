"""The declared number of dimensions counts."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
A: f32[I,K]
C[i] += A[i]"""

MESSAGE = """\
line 2, column 9: A has 1 index here
    C[i] += A[i]
            ^^^^
  its declaration has 2"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
