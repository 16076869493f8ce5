"""A file that does not load is named, with the reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from isamap_smt.cli.app import run


def test_the_message(capsys: pytest.CaptureFixture[str], in_empty_directory: Path) -> None:
    Path("machine.py").write_text("X = 1 / 0\n")
    assert run(["map", "gemm", "machine.py:dot"]) == 3
    said = capsys.readouterr().err
    assert said == "error: machine.py does not load: machine.py line 1: ZeroDivisionError: division by zero\n"
