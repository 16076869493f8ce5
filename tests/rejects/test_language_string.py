"""Strings are not part of the language."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[i] = 'a'"""

MESSAGE = """\
line 1, column 8: 'a' is not a number of the language
    C[i] = 'a'
           ^^^
  write 3 or 0.5"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
