"""A divisor that may be zero is refused."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
param s >= 0
C[i] += A[i//s]"""

MESSAGE = """\
line 2, column 14: the divisor may be zero or negative
    C[i] += A[i//s]
                 ^
  declare `param s >= 1`"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
