"""Two values need an operator between them."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[i] = A[i] B[i]"""

MESSAGE = """\
line 1, column 8: this cannot be read
    C[i] = A[i] B[i]
           ^
  is an operator or a comma missing?"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
