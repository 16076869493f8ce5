"""An axis that cancels out of every index is refused."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[j] += A[k+i-i]"""

MESSAGE = """\
line 1, column 1: axis i cancels out
    C[j] += A[k+i-i]
    ^^^^^^^^^^^^^^^^
  remove it, or list the axes: `over j, k, i`"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
