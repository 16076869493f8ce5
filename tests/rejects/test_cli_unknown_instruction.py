"""An instruction the machine does not have lists near matches."""

from __future__ import annotations

import pytest

from isamap_smt.cli.app import run

MESSAGE = """\
error: avx2 has no instruction 'fmadd_pss'; did you mean fmadd_ps or fmadd_pd or add_ps?
"""


def test_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["map", "gemm", "avx2.fmadd_pss"]) == 3
    said = capsys.readouterr()
    assert said.err == MESSAGE
    assert said.out == ""
