"""`over` lists an axis once."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[j] += A[k] over j, k, k"""

MESSAGE = """\
line 1, column 19: a name is twice in the list of axes
    C[j] += A[k] over j, k, k
                      ^^^^^^^
  write `over j, k`"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
