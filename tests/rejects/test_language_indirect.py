"""Indirect access is refused."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[i] = A[B[i]]"""

MESSAGE = """\
line 1, column 10: an element of a tensor cannot stand in an index
    C[i] = A[B[i]]
             ^^^^
  an index cannot depend on data: indirect access is not quasi-affine"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
