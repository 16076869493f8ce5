"""An index that may be negative asks for a guard."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
O[p] += I[p+r-1] * W[r]"""

MESSAGE = """\
line 1, column 11: this index of I goes down to -1
    O[p] += I[p+r-1] * W[r]
              ^^^^^
  add `where 0 <= p + r - 1 < ...`, or declare the shape of I, such as `I: [N]`"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
