"""A machine that is for mapping only cannot run a kernel."""

from __future__ import annotations

import pytest

from isamap_smt.cli.app import run

MESSAGE = """\
error: wmma is for mapping and proof only: its instructions have no C; use `host`, or see what maps with `isamap report`
"""


def test_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", "gemm", "wmma", "--sizes", "i=4,j=4,k=4"]) == 3
    said = capsys.readouterr()
    assert said.err == MESSAGE
    assert said.out == ""
