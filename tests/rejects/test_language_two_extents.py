"""Two uses that need different extents ask for a declaration."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[i] = A[i]
D[j] = A[j]"""

MESSAGE = """\
line 2, column 8: dimension 0 of A needs I and J: the larger one is not known
    D[j] = A[j]
           ^^^^
  declare it, such as `A: [N]`"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
