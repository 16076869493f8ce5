"""Saturation to an unknown type is refused."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[i] = sat_i12(A[i])"""

MESSAGE = """\
line 1, column 8: there is no function 'sat_i12'
    C[i] = sat_i12(A[i])
           ^^^^^^^
  did you mean sat_i32 or sat_i16 or sat_i8?"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
