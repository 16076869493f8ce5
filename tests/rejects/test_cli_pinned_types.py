"""A pinned instruction takes its own element types."""

from __future__ import annotations

import pytest

from isamap_smt.cli.app import run

MESSAGE = """\
error: --instruction madd_u8i8: acc:i32 a:u8 b:i8 in avx2.madd_u8i8, but C:f32 A:f32 B:f32 in gemm; say the kernel's with --dtypes
"""


def test_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", "gemm", "avx2", "--sizes", "i=4,j=4,k=4", "--instruction", "madd_u8i8"]) == 3
    said = capsys.readouterr()
    assert said.err == MESSAGE
    assert said.out == ""
