"""A literal is finite."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[i] = A[i] + 1e999"""

MESSAGE = """\
line 1, column 15: inf is not a number of the language
    C[i] = A[i] + 1e999
                  ^^^^^
  write 3 or 0.5"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
