"""A pinned instruction must be one that computes."""

from __future__ import annotations

import pytest

from isamap_smt.cli.app import run

MESSAGE = """\
error: --instruction fmad: avx512 computes with no such one; did you mean fmadd_ps or fmadd_pd or max_pd?
"""


def test_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", "gemm", "avx512", "--sizes", "i=4,j=4,k=4", "--instruction", "fmad"]) == 3
    said = capsys.readouterr()
    assert said.err == MESSAGE
    assert said.out == ""
