"""`/` is not an index operator."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[i] = A[i / 2]"""

MESSAGE = """\
line 1, column 10: `/` does not give an integer
    C[i] = A[i / 2]
             ^^^^^
  write `//` for the quotient rounded down"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
