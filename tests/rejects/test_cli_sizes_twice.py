"""One size is given once."""

from __future__ import annotations

import pytest

from isamap_smt.cli.app import run

MESSAGE = """\
error: --sizes: j is given as 3 and as 4
"""


def test_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "gemm", "avx2.fmadd_ps", "--axes", "l=j", "--sizes", "j=3", "--sizes", "j=4"]) == 3
    said = capsys.readouterr()
    assert said.err == MESSAGE
    assert said.out == ""
