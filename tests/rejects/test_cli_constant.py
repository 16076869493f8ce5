"""Only an input can be constant."""

from __future__ import annotations

import pytest

from isamap_smt.cli.app import run

MESSAGE = """\
error: --constant Z: gemm has no input 'Z'; known: A, B
"""


def test_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", "gemm", "host", "--sizes", "i=4,j=4,k=4", "--constant", "Z"]) == 3
    said = capsys.readouterr()
    assert said.err == MESSAGE
    assert said.out == ""
