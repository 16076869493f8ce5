"""`if` is refused in favour of `where` and select."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[i] = A[i] if A[i] > 0 else 0"""

MESSAGE = """\
line 1, column 13: there is no `if`
    C[i] = A[i] if A[i] > 0 else 0
                ^^
  use `where` after the statement, or select(condition, a, b)"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
