"""An instruction is named with its machine."""

from __future__ import annotations

import pytest

from isamap_smt.cli.app import run

MESSAGE = """\
error: 'fmadd_ps' names no instruction: write machine.instruction, such as avx512.fmadd_ps
"""


def test_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["map", "gemm", "fmadd_ps"]) == 3
    said = capsys.readouterr()
    assert said.err == MESSAGE
    assert said.out == ""
