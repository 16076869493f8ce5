"""An operand is bound to a tensor that the kernel reads."""

from __future__ import annotations

import pytest

from isamap_smt.cli.app import run

MESSAGE = """\
error: gemm reads no 'Q' for operand 'b'; known: A, B
"""


def test_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "gemm", "avx2.fmadd_ps", "--axes", "l=j", "--operands", "a=A,b=Q"]) == 3
    said = capsys.readouterr()
    assert said.err == MESSAGE
    assert said.out == ""
