"""A function nobody knows is refused with near matches."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[i] = relo(A[i])"""

MESSAGE = """\
line 1, column 8: there is no function 'relo'
    C[i] = relo(A[i])
           ^^^^
  did you mean relu or log?"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
