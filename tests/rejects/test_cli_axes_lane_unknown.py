"""An axis the instruction does not have."""

from __future__ import annotations

import pytest

from isamap_smt.cli.app import run

MESSAGE = """\
error: avx2.fmadd_ps has no axis 'm'; known: l
"""


def test_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "gemm", "avx2.fmadd_ps", "--axes", "m=j"]) == 3
    said = capsys.readouterr()
    assert said.err == MESSAGE
    assert said.out == ""
