"""Attributes are not part of the language."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[i] = A.T[i]"""

MESSAGE = """\
line 1, column 8: an attribute is not the name of a tensor
    C[i] = A.T[i]
           ^^^
  write `C[i,j]`"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
