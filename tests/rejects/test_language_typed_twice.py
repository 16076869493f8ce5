"""A tensor has one type."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
A: f32
A: f64
C[i] = A[i]"""

MESSAGE = """\
line 2, column 1: tensor A already has a type
    A: f64
    ^
  remove this line"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
