"""A size is a whole number."""

from __future__ import annotations

import pytest

from isamap_smt.cli.app import run

MESSAGE = """\
error: size j=x: 'x' is not a whole number
"""


def test_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "gemm", "avx2.fmadd_ps", "--axes", "l=j", "--sizes", "j=x"]) == 3
    said = capsys.readouterr()
    assert said.err == MESSAGE
    assert said.out == ""


def test_a_seed_below_zero(capsys: pytest.CaptureFixture[str]) -> None:
    """NumPy's generators take none."""
    assert run(["run", "gemm", "scalar", "--sizes", "i=5,j=9,k=4", "--seed", "-1"]) == 3
    assert "Invalid value for '--seed': -1 is not in the range x>=0." in capsys.readouterr().err
