"""Slices are refused."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[i] = A[0:i]"""

MESSAGE = """\
line 1, column 8: a slice is not an index
    C[i] = A[0:i]
           ^^^^^^
  write one axis per dimension, such as `A[i,k]`"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
