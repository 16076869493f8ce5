"""A declared tensor is used."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
B: f32[I]
C[i] = A[i]"""

MESSAGE = """\
line 1, column 1: tensor B is never used
    B: f32[I]
    ^
  known: A, C"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
