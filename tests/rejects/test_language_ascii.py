"""Only ASCII characters outside comments."""

from __future__ import annotations

import pytest

from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

TEXT = """\
C[i] = α[i]  # α is fine here"""

MESSAGE = """\
line 1, column 8: the character 'α' is not part of the language
    C[i] = α[i]  # α is fine here
           ^
  use ASCII characters"""


def test_the_message():
    with pytest.raises(LanguageError) as e:
        kernel(TEXT)
    assert str(e.value) == MESSAGE
