"""A file that is not there is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from isamap_smt.cli.app import run


def test_the_message(capsys: pytest.CaptureFixture[str], in_empty_directory: Path) -> None:
    assert run(["map", "gemm", "machine.py:dot"]) == 3
    assert capsys.readouterr().err == f"error: no such file: machine.py in {Path.cwd()}\n"
