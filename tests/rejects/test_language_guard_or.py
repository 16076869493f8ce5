"""`or` is not part of a guard."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[i] = A[i] where i < 3 or i > 5"""

MESSAGE = """\
line 1, column 19: `or` is not part of a guard
    C[i] = A[i] where i < 3 or i > 5
                      ^^^^^^^^^^^^^^
  write one statement for each case"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
