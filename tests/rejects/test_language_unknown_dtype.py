"""An unknown element type is refused with near matches."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
A: f23
C[i] = A[i]"""

MESSAGE = """\
line 1, column 4: unknown dtype 'f23'
    A: f23
       ^^^
  did you mean f32?"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
