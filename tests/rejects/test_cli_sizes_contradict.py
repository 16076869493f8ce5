"""One size has one value, under each of its names."""

from __future__ import annotations

import pytest

from isamap_smt.cli.app import run

MESSAGE = """\
error: size J=4 contradicts J=3
"""


def test_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "gemm", "avx2.fmadd_ps", "--axes", "l=j", "--sizes", "j=3,J=4"]) == 3
    said = capsys.readouterr()
    assert said.err == MESSAGE
    assert said.out == ""
