"""A kernel runs only at known sizes."""

from __future__ import annotations

import pytest

from isamap_smt.cli.app import run

MESSAGE = """\
error: gemm runs only at known sizes; j, k missing: add --sizes j=...,k=...
"""


def test_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", "gemm", "host", "--sizes", "i=4"]) == 3
    said = capsys.readouterr()
    assert said.err == MESSAGE
    assert said.out == ""
