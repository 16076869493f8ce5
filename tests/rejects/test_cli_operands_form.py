"""Operands are fixed, any, or pairs."""

from __future__ import annotations

import pytest

from isamap_smt.cli.app import run

MESSAGE = """\
error: operands 'foo': write fixed, any, or operand=tensor pairs such as a=I,b=W
"""


def test_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "gemm", "avx2.fmadd_ps", "--axes", "l=j", "--operands", "foo"]) == 3
    said = capsys.readouterr()
    assert said.err == MESSAGE
    assert said.out == ""
