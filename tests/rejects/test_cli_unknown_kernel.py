"""A kernel nobody has defined lists near matches."""

from __future__ import annotations

import pytest

from isamap_smt.cli.app import run

MESSAGE = """\
error: unknown kernel 'gem'; did you mean gemm or gemm_tn or gemm_nt?
"""


def test_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["map", "gem", "avx2.fmadd_ps"]) == 3
    said = capsys.readouterr()
    assert said.err == MESSAGE
    assert said.out == ""
