"""Multiplying two axes is refused."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[i,j] += A[i*j]"""

MESSAGE = """\
line 1, column 13: i*j is not affine: it multiplies axis i by axis j
    C[i,j] += A[i*j]
                ^^^
  declare `param j >= 1` if j is a constant such as a stride"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
