"""INSTRUCTION is left out."""

from __future__ import annotations

import pytest

from isamap_smt.cli.app import run

MESSAGE = """\
Usage: isamap map [OPTIONS] [KERNEL] INSTRUCTION
Try 'isamap map --help' for help.

Error: missing argument INSTRUCTION; or give the kernel itself with --text
"""


def test_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["map", "gemm"]) == 3
    said = capsys.readouterr()
    assert said.err == MESSAGE
    assert said.out == ""
