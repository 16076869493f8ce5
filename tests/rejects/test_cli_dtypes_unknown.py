"""An element type nobody has defined lists near matches."""

from __future__ import annotations

import pytest

from isamap_smt.cli.app import run

MESSAGE = """\
error: unknown dtype 'f33'; did you mean f32?
"""


def test_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "gemm", "avx2.fmadd_ps", "--axes", "l=j", "--dtypes", "A=f33"]) == 3
    said = capsys.readouterr()
    assert said.err == MESSAGE
    assert said.out == ""
