"""A bare name is not a value."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[i] = alpha * A[i]"""

MESSAGE = """\
line 1, column 8: alpha is not an element of a tensor
    C[i] = alpha * A[i]
           ^^^^^
  write `alpha[i,j]`, or `alpha[]` for a tensor without dimensions"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
