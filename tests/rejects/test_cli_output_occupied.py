"""A directory that holds something else is neither overwritten nor added to."""

from __future__ import annotations

from pathlib import Path

import pytest

from isamap_smt.cli.app import run


def test_a_directory(capsys: pytest.CaptureFixture[str], in_empty_directory: Path) -> None:
    Path("out").mkdir()
    Path("out/mine.txt").write_text("keep\n")
    assert run(["compile", "gemm", "host", "-o", "out"]) == 3
    assert capsys.readouterr().err == "error: out is not empty and was not written by isamap; name another directory\n"
    assert [p.name for p in Path("out").iterdir()] == ["mine.txt"]


def test_a_file(capsys: pytest.CaptureFixture[str], in_empty_directory: Path) -> None:
    Path("out").write_text("keep\n")
    assert run(["compile", "gemm", "host", "-o", "out"]) == 3
    assert capsys.readouterr().err == "error: cannot write out: a file of that name is there\n"
    assert Path("out").read_text() == "keep\n"
