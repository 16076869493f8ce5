"""A stride is at least one."""

from __future__ import annotations

import pytest

from isamap_smt.cli.app import run

MESSAGE = """\
error: size sp=0: must be at least 1
"""


def test_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "conv2d", "avx2.fmadd_ps", "--axes", "l=k", "--sizes", "sp=0"]) == 3
    said = capsys.readouterr()
    assert said.err == MESSAGE
    assert said.out == ""
