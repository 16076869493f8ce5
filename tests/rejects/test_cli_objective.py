"""There are two objectives."""

from __future__ import annotations

import pytest

from isamap_smt.cli.app import run

MESSAGE = """\
Usage: isamap schedule [OPTIONS] [KERNEL] HARDWARE
Try 'isamap schedule --help' for help.

Error: Invalid value for '--objective': 'beauty' is not one of 'latency', 'energy'.
"""


def test_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["schedule", "gemm", "host", "--objective", "beauty"]) == 3
    said = capsys.readouterr()
    assert said.err == MESSAGE
    assert said.out == ""
