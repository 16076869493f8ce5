"""Powers are not part of the language."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[i] = A[i] ** 2"""

MESSAGE = """\
line 1, column 8: this operator is not part of a value
    C[i] = A[i] ** 2
           ^^^^^^^^^
  values have + - * / >>"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
