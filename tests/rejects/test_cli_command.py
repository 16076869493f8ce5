"""A command nobody has defined lists near matches."""

from __future__ import annotations

import pytest

from isamap_smt.cli.app import run

MESSAGE = """\
Usage: isamap [OPTIONS] COMMAND [ARGS]...
Try 'isamap --help' for help.

Error: no such command 'mpa'; did you mean map?
"""


def test_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["mpa", "gemm", "avx2.fmadd_ps"]) == 3
    said = capsys.readouterr()
    assert said.err == MESSAGE
    assert said.out == ""
