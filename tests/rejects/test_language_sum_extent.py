"""sum needs an extent."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[i] = sum(e, A[i,e])"""

MESSAGE = """\
line 1, column 8: sum over e needs its extent
    C[i] = sum(e, A[i,e])
           ^^^^^^^^^^^^^^
  write sum(e, 4, x), or declare `axis e < 4`"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
