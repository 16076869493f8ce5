"""A pinned decision is written name=value."""

from __future__ import annotations

import pytest

from isamap_smt.cli.app import run

MESSAGE = """\
error: --fix tile: 'tile' is not of the form name=value, such as tile.k=64
"""


def test_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["schedule", "gemm", "host", "--sizes", "i=4,j=4,k=4", "--fix", "tile"]) == 3
    said = capsys.readouterr()
    assert said.err == MESSAGE
    assert said.out == ""
