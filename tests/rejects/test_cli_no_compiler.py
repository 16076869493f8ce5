"""A compiler that is not there: what to install, and nothing half-written."""

from __future__ import annotations

from pathlib import Path

import pytest

from isamap_smt.cli.app import run

MESSAGE = (
    "error: the C compiler 'nosuchcc' named by --cc is not there; install the default one with `pip install ziglang` "
    "(no system package needed), or a system one with `apt-get install gcc`, or name one with --cc or ISAMAP_CC\n"
)


def test_the_message(capsys: pytest.CaptureFixture[str], in_empty_directory: Path) -> None:
    assert run(["compile", "gemm", "scalar", "--sizes", "i=4,j=4,k=4", "--cc", "nosuchcc", "-o", "out"]) == 3
    assert capsys.readouterr().err.endswith(MESSAGE)
    assert list(in_empty_directory.iterdir()) == []
