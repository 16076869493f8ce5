"""Text without a statement is refused."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
# nothing
param s >= 1"""

MESSAGE = """\
line 1, column 1: there is no statement
    # nothing
    ^
  write one, such as `C[i,j] += A[i,k] * B[k,j]`"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
