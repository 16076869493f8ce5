"""A parameter has a lower bound."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
param s < 4
C[i] = A[i*s]"""

MESSAGE = """\
line 1, column 9: a bound of param is written `>=`
    param s < 4
            ^
  write `param s >= 1`"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
