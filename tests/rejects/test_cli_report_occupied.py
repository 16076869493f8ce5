"""A page replaces an earlier page, and nothing else that is there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from isamap_smt.cli.app import run

REPORT = ["report", "gemm", "scalar", "--sizes", "i=4,j=4,k=4", "--no-measure"]
REFUSED = "error: {} was not written by this command; replace it with --force, or name another with -o\n"


@pytest.mark.parametrize("text", [b"print(1)\n", b"<!doctype html><html><head></head>isamap report", b"\xff", b""])
def test_a_file_of_the_users(capsys: pytest.CaptureFixture[str], in_empty_directory: Path, text: bytes) -> None:
    mine = Path("mine.py")
    mine.write_bytes(text)
    assert run([*REPORT, "-o", "mine.py"]) == 3
    assert capsys.readouterr().err == REFUSED.format("mine.py")
    assert mine.read_bytes() == text and list(in_empty_directory.iterdir()) == [in_empty_directory / "mine.py"]
    assert run([*REPORT, "-o", "mine.py", "--force"]) == 0
    assert mine.read_text().startswith("<!doctype html>")
    assert run([*REPORT, "-o", "mine.py"]) == 0  # it is an earlier page now


def test_a_directory_that_lacks_is_not_made(capsys: pytest.CaptureFixture[str], in_empty_directory: Path) -> None:
    for words in ([*REPORT, "-o", "gone/x.html"], ["check-isa", "exo", "--page", "gone/x.html"]):
        assert run(words) == 3
        assert capsys.readouterr().err == "error: cannot write gone/x.html: no such directory gone\n"
    assert list(in_empty_directory.iterdir()) == []


def test_the_name_that_it_chooses_itself(capsys: pytest.CaptureFixture[str], in_empty_directory: Path) -> None:
    Path("gemm-scalar.html").write_text("mine")
    assert run(REPORT) == 3
    assert capsys.readouterr().err.endswith(REFUSED.format("gemm-scalar.html"))  # after the notes of the plan
    assert Path("gemm-scalar.html").read_text() == "mine"


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_a_fifo(capsys: pytest.CaptureFixture[str], in_empty_directory: Path, force: list[str]) -> None:
    os.mkfifo("fifo")
    Path("link").symlink_to("fifo")
    for name in ("fifo", "link"):
        assert run([*REPORT, "-o", name, *force]) == 3
        assert capsys.readouterr().err == f"error: cannot write {name}: what is there is not a regular file\n"
    assert Path("fifo").is_fifo() and Path("link").is_symlink()


def test_a_link_is_followed(capsys: pytest.CaptureFixture[str], in_empty_directory: Path) -> None:
    Path("mine.py").write_text("mine")
    Path("link").symlink_to("mine.py")
    Path("new").symlink_to("page.html")
    assert run([*REPORT, "-o", "link"]) == 3
    assert Path("mine.py").read_text() == "mine"
    assert run([*REPORT, "-o", "new"]) == 0
    assert Path("new").is_symlink() and Path("page.html").read_text().startswith("<!doctype html>")
