"""A function takes its number of arguments."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[i] = max(A[i])"""

MESSAGE = """\
line 1, column 8: max takes 2 arguments, not 1
    C[i] = max(A[i])
           ^^^^^^^^^
  write max(a, b)"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
