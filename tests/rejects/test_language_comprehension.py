"""Comprehensions are not part of the language."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[i] = sum(A[i] for i in x)"""

MESSAGE = """\
line 1, column 8: sum names its axis first
    C[i] = sum(A[i] for i in x)
           ^^^^^^^^^^^^^^^^^^^^
  write sum(e, 4, x)"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
