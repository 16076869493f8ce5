"""A statement writes an element."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
relu(C[i]) = A[i]"""

MESSAGE = """\
line 1, column 1: a call is not the name of a tensor
    relu(C[i]) = A[i]
    ^^^^^^^^^^
  write `C[i,j]`"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
