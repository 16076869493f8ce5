"""A bracket that closes nothing is refused."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[i] = A[i]]"""

MESSAGE = """\
line 1, column 12: ']' closes nothing
    C[i] = A[i]]
               ^
  remove it, or open '[' before it"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
