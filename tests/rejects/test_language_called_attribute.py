"""Methods are not part of the language."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[i] = os.system(A[i])"""

MESSAGE = """\
line 1, column 8: an attribute cannot be called
    C[i] = os.system(A[i])
           ^^^^^^^^^
  call a function by its name"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
