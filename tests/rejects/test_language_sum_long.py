"""A sum inside a value is written out, so it has few terms."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[i] = 2 * sum(e, 9, sum(h, 9, A[i,e,h]))"""

MESSAGE = """\
line 1, column 12: 81 terms are too many inside a value (64 at most)
    C[i] = 2 * sum(e, 9, sum(h, 9, A[i,e,h]))
               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  sum over an axis of the statement: index a tensor with it and write `+=`"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
