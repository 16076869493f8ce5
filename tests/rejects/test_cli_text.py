"""Kernel text that does not parse is shown with a caret."""

from __future__ import annotations

import pytest

from isamap_smt.cli.app import run

MESSAGE = """\
error: line 1, column 12: this '[' is never closed
    C[i,j] += A[i,k*B[k,j]
               ^
  add ']'
"""


def test_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "--text", "C[i,j] += A[i,k*B[k,j]", "avx2.fmadd_ps", "--axes", "l=j"]) == 3
    said = capsys.readouterr()
    assert said.err == MESSAGE
    assert said.out == ""
