"""A name is declared once."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
param s >= 1
param s >= 2
C[i] = A[i*s]"""

MESSAGE = """\
line 2, column 7: s is declared twice
    param s >= 2
          ^
  remove one"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
