"""There are four kinds of things to list."""

from __future__ import annotations

import pytest

from isamap_smt.cli.app import run

MESSAGE = """\
error: list 'kernls': did you mean kernels or rules?
"""


def test_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["list", "kernls"]) == 3
    said = capsys.readouterr()
    assert said.err == MESSAGE
    assert said.out == ""
