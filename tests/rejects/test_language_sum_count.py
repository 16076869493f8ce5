"""The extent of a sum is a constant."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[i] = sum(e, N, A[i,e])"""

MESSAGE = """\
line 1, column 15: the extent of a sum is a positive integer
    C[i] = sum(e, N, A[i,e])
                  ^
  for a symbolic extent use `+=` and an axis"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
