"""A size that the kernel does not have."""

from __future__ import annotations

import pytest

from isamap_smt.cli.app import run

MESSAGE = """\
error: gemm has no size 'q'; known: I, J, K, i, j, k
"""


def test_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "gemm", "avx2.fmadd_ps", "--axes", "l=j", "--sizes", "q=3"]) == 3
    said = capsys.readouterr()
    assert said.err == MESSAGE
    assert said.out == ""
