"""An instruction axis without a kernel axis needs --partial."""

from __future__ import annotations

import pytest

from isamap_smt.cli.app import run

MESSAGE = """\
error: instruction axis 'e' of avx2.madd_u8i8 gets no kernel axis; give it one, or pad it: --partial, or partial=True
"""


def test_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "gemm", "avx2.madd_u8i8", "--axes", "l=j"]) == 3
    said = capsys.readouterr()
    assert said.err == MESSAGE
    assert said.out == ""
