"""compile writes only where it is told to."""

from __future__ import annotations

import pytest

from isamap_smt.cli.app import run

MESSAGE = """\
Usage: isamap compile [OPTIONS] [KERNEL] HARDWARE
Try 'isamap compile --help' for help.

Error: Missing option '-o' / '--output'. Write --output DIR: Where to write.
"""


def test_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compile", "gemm", "host"]) == 3
    said = capsys.readouterr()
    assert said.err == MESSAGE
    assert said.out == ""
