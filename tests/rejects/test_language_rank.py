"""A tensor has one number of dimensions."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[i,j] += A[i,k] * A[k]"""

MESSAGE = """\
line 1, column 20: A has 1 index here
    C[i,j] += A[i,k] * A[k]
                       ^^^^
  its first use has 2"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
