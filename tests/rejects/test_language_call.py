"""Python's own functions are not part of the language."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[i] = __import__('os')"""

MESSAGE = """\
line 1, column 8: there is no function '__import__'
    C[i] = __import__('os')
           ^^^^^^^^^^
  known: max, min, relu, select, exp, log, tanh, sigmoid, erf, sqrt, rsqrt, floor, rint, abs, sum, f32 ..., sat_i16 ..."""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
