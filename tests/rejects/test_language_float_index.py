"""An index is made of integers."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[i] = A[i * 0.5]"""

MESSAGE = """\
line 1, column 14: 0.5 is not an integer
    C[i] = A[i * 0.5]
                 ^^^
  an index is made of integers"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
