"""A shape that cannot be inferred asks for a declaration."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[i,j] = A[i*2 + i%3 + j]"""

MESSAGE = """\
line 1, column 12: the largest value of this index of A is not known
    C[i,j] = A[i*2 + i%3 + j]
               ^^^^^^^^^^^^^
  declare the shape of A, such as `A: [N]`"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
