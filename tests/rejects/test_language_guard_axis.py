"""A guard over an axis of another statement is refused."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[i] = A[i] where j < 3
D[j] = B[j]"""

MESSAGE = """\
line 1, column 19: axis j stands in no index of this statement
    C[i] = A[i] where j < 3
                      ^^^^^
  index a tensor with j, remove it from the guard, or add `over i, j`"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
