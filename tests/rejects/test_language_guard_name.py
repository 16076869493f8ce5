"""A guard over an undeclared name is refused."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[i] = A[i] where j < 3"""

MESSAGE = """\
line 1, column 19: j is neither an axis nor declared
    C[i] = A[i] where j < 3
                      ^
  known: i"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
