"""A kernel axis feeds one instruction axis at most."""

from __future__ import annotations

import pytest

from isamap_smt.cli.app import run

MESSAGE = """\
error: kernel axis 'j' is used twice in l; an axis feeds at most one instruction axis
"""


def test_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "gemm", "avx2.fmadd_ps", "--axes", "l=j.j"]) == 3
    said = capsys.readouterr()
    assert said.err == MESSAGE
    assert said.out == ""
