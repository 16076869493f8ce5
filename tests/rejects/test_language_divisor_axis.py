"""Dividing by an axis is refused."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[i] += A[i//s]"""

MESSAGE = """\
line 1, column 14: the divisor depends on axis s: not quasi-affine
    C[i] += A[i//s]
                 ^
  divide by a constant; declare `param s >= 1` if s is one"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
