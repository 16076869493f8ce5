"""A proof needs a mapping."""

from __future__ import annotations

import pytest

from isamap_smt.cli.app import run

MESSAGE = """\
Usage: isamap prove [OPTIONS] [KERNEL] INSTRUCTION
Try 'isamap prove --help' for help.

Error: Missing option '--axes'. Write --axes i=n.p,j=k: \
Kernel axes that each instruction axis takes, fused; empty for one point at a time.
"""


def test_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "gemm", "avx2.fmadd_ps"]) == 3
    said = capsys.readouterr()
    assert said.err == MESSAGE
    assert said.out == ""
