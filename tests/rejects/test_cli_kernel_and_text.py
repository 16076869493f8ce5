"""A kernel is given by name or by its text, not both."""

from __future__ import annotations

import pytest

from isamap_smt.cli.app import run

MESSAGE = """\
Usage: isamap map [OPTIONS] [KERNEL] INSTRUCTION
Try 'isamap map --help' for help.

Error: unexpected argument 'avx2.fmadd_ps': with --text the only argument is INSTRUCTION
"""


def test_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["map", "gemm", "avx2.fmadd_ps", "--text", "C[i,j] += A[i,k]*B[k,j]"]) == 3
    said = capsys.readouterr()
    assert said.err == MESSAGE
    assert said.out == ""
