"""Sizes are written name=number."""

from __future__ import annotations

import pytest

from isamap_smt.cli.app import run

MESSAGE = """\
error: --sizes j: 'j' is not of the form name=value, such as i=64
"""


def test_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "gemm", "avx2.fmadd_ps", "--axes", "l=j", "--sizes", "j"]) == 3
    said = capsys.readouterr()
    assert said.err == MESSAGE
    assert said.out == ""
