"""A kernel runs on one thread or more."""

from __future__ import annotations

import pytest

import isamap_smt as im
from isamap_smt.cli.app import run
from isamap_smt.ir.errors import ScheduleError

MESSAGE = """\
Usage: isamap run [OPTIONS] [KERNEL] HARDWARE
Try 'isamap run --help' for help.

Error: Invalid value for '--threads': 0 is not in the range 1<=x<=65536.
"""


def test_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", "gemm", "host", "--threads", "0"]) == 3
    said = capsys.readouterr()
    assert said.err == MESSAGE
    assert said.out == ""


def test_more_than_any_machine_has(capsys: pytest.CaptureFixture[str]) -> None:
    """What the solver's numbers cannot hold is misuse, on the command line and in Python."""
    assert run(["run", "gemm", "host", "--threads", "99999999999"]) == 3
    assert "99999999999 is not in the range 1<=x<=65536" in capsys.readouterr().err
    with pytest.raises(ScheduleError, match="threads=99999999999: must be at most 65536"):
        im.compile("gemm", "host", threads=99999999999)
