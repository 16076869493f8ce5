"""A machine that computes nothing is told apart from one whose instructions have no C."""

from __future__ import annotations

from pathlib import Path

import pytest

from isamap_smt.cli.app import run


def test_the_message(capsys: pytest.CaptureFixture[str], in_empty_directory: Path) -> None:
    Path("m.py").write_text(
        "import dataclasses, isamap_smt as im\n"
        "empty = dataclasses.replace(im.find_hardware('avx2'), name='empty', instructions=())\n"
    )
    assert run(["run", "gemm", "m.py:empty", "--sizes", "i=4,j=4,k=4"]) == 3
    assert capsys.readouterr().err == "error: empty has no instruction that computes; describe one, or use `host`\n"
