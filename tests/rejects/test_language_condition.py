"""select needs a comparison."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[i] = select(A[i], 1, 2)"""

MESSAGE = """\
line 1, column 15: a condition is one comparison
    C[i] = select(A[i], 1, 2)
                  ^^^^
  write select(a < b, x, y)"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
