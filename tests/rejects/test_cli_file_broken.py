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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import sys\nsys.exit()\n", "line 2: SystemExit\n"),
        ("raise SystemExit(0)\n", "line 1: SystemExit: 0\n"),
        ("raise BaseException('odd')\n", "line 1: BaseException: odd\n"),
    ],
)
def test_a_file_that_ends_python(
    capsys: pytest.CaptureFixture[str], in_empty_directory: Path, text: str, said: str
) -> None:
    Path("mine.py").write_text(text)
    for words in (["schedule", "mine.py:k", "scalar"], ["map", "gemm", "mine.py:dot"]):
        assert run(words) == 3
        assert capsys.readouterr().err == f"error: mine.py does not load: mine.py {said}"


def test_an_interrupt_in_a_file_is_one(capsys: pytest.CaptureFixture[str], in_empty_directory: Path) -> None:
    Path("mine.py").write_text("raise KeyboardInterrupt\n")
    assert run(["schedule", "mine.py:k", "scalar"]) == 130
    assert capsys.readouterr().err.strip() == "interrupted"
