"""A machine nobody has described lists near matches."""

from __future__ import annotations

import pytest

from isamap_smt.cli.app import run

MESSAGE = """\
error: unknown hardware 'hots'; did you mean host?
"""


def test_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", "gemm", "hots", "--sizes", "i=4,j=4,k=4"]) == 3
    said = capsys.readouterr()
    assert said.err == MESSAGE
    assert said.out == ""
