"""An element type for a tensor that the kernel does not have."""

from __future__ import annotations

import pytest

from isamap_smt.cli.app import run

MESSAGE = """\
error: gemm has no tensor 'D'; known: A, B, C
"""


def test_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "gemm", "avx2.fmadd_ps", "--axes", "l=j", "--dtypes", "D=f32"]) == 3
    said = capsys.readouterr()
    assert said.err == MESSAGE
    assert said.out == ""
