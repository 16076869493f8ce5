"""A reduction that does not exist is refused."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[i] -= A[i]"""

MESSAGE = """\
line 1, column 6: there is no reduction '-='
    C[i] -= A[i]
         ^^
  write `+=` and negate the value"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
