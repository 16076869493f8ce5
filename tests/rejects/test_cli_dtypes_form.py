"""Element types are written tensor=type."""

from __future__ import annotations

import pytest

from isamap_smt.cli.app import run

MESSAGE = """\
error: --dtypes A: 'A' is not of the form name=value, such as A=u8
"""


def test_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "gemm", "avx2.fmadd_ps", "--axes", "l=j", "--dtypes", "A"]) == 3
    said = capsys.readouterr()
    assert said.err == MESSAGE
    assert said.out == ""
