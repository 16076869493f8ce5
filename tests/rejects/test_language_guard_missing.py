"""`where` without a condition is refused."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[i] = A[i] where"""

MESSAGE = """\
line 1, column 17: an expression is missing here
    C[i] = A[i] where
                    ^
  write one, or remove what leads up to it"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
