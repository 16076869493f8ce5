"""The axis of a sum is its own."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[i] = sum(i, 4, A[i])"""

MESSAGE = """\
line 1, column 12: i, the axis of a sum, already means something else
    C[i] = sum(i, 4, A[i])
               ^
  give the sum an axis of its own"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
