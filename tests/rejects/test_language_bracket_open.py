"""A bracket that is never closed is refused where it stands."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[i] = A[i
D[i] = C[i]"""

MESSAGE = """\
line 1, column 9: this '[' is never closed
    C[i] = A[i
            ^
  add ']'"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
