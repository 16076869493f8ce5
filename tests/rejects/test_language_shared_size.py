"""Two axes do not share a default size."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[ij] += A[ij,iJ]"""

MESSAGE = """\
line 1, column 15: axis iJ and axis ij would share the size IJ
    C[ij] += A[ij,iJ]
                  ^^
  declare `axis iJ < ...`"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
