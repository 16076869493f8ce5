"""An axis has at least one point."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
axis i < 0
C[i] = A[i]"""

MESSAGE = """\
line 1, column 10: an axis of 0 points is empty
    axis i < 0
             ^
  write a positive extent"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
