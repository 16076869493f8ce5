"""`=` that writes an element several times is refused."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[i] = A[i,k]"""

MESSAGE = """\
line 1, column 1: `=` would write each element once for every k
    C[i] = A[i,k]
    ^^^^^^^^^^^^^
  write `+=` to sum over k, or sum(k, ..., x) in the value"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
