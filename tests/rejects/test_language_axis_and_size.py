"""A size and an axis do not share a name."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
A: [i, k]
C[i] += A[i,k]"""

MESSAGE = """\
line 2, column 3: i is both a size and an axis
    C[i] += A[i,k]
      ^
  call the size I, or write `param i` if it is a constant"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
