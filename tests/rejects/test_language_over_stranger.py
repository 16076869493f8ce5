"""`over` lists axes only."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
param s
C[j] += A[k] over j, k, s"""

MESSAGE = """\
line 2, column 19: s is no axis in the list of axes
    C[j] += A[k] over j, k, s
                      ^^^^^^^
  write `over j, k`"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
