"""A declared axis stands in some index."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
axis z < 4
C[i] = A[i]"""

MESSAGE = """\
line 1, column 1: axis z stands in no index
    axis z < 4
    ^^^^^^^^^^
  known: i"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
