"""Axes are written instruction-axis=kernel-axis."""

from __future__ import annotations

import pytest

from isamap_smt.cli.app import run

MESSAGE = """\
error: axes 'l': 'l' is not of the form instruction-axis=kernel-axis.kernel-axis
"""


def test_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "gemm", "avx2.fmadd_ps", "--axes", "l"]) == 3
    said = capsys.readouterr()
    assert said.err == MESSAGE
    assert said.out == ""
