"""A guard is made of comparisons."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[i] = A[i] where i"""

MESSAGE = """\
line 1, column 19: a name alone is not a comparison
    C[i] = A[i] where i
                      ^
  write `where 0 <= p+r-1 < H and ...`"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
