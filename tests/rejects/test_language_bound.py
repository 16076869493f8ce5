"""A parameter's bound is an integer."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
param s >= 1.5
C[i] = A[i*s]"""

MESSAGE = """\
line 1, column 12: a bound is an integer
    param s >= 1.5
               ^^^
  write `param s >= 1`"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
