"""A kernel runs on one thread or more."""

from __future__ import annotations

import pytest

from isamap_smt.cli.app import run

MESSAGE = """\
Usage: isamap run [OPTIONS] [KERNEL] HARDWARE
Try 'isamap run --help' for help.

Error: Invalid value for '--threads': 0 is not in the range x>=1.
"""


def test_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", "gemm", "host", "--threads", "0"]) == 3
    said = capsys.readouterr()
    assert said.err == MESSAGE
    assert said.out == ""
