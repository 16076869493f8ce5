"""Code for instructions that this CPU lacks can be compiled, and not run."""

from __future__ import annotations

import pytest

from isamap_smt.cli.app import run
from isamap_smt.language.hardware_library import host_features


def test_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    if "avx512_vnni" in host_features():
        pytest.skip("this CPU has avx512_vnni")
    types = ["--dtypes", "A=u8,B=i8,C=i32"]
    assert run(["run", "gemm", "avx512_vnni", "--sizes", "i=4,j=4,k=4", *types]) == 3
    said = capsys.readouterr().err
    assert said.startswith("error: this CPU (")
    assert "avx512_vnni" in said
    assert said.endswith("need; map onto `host`, or only compile\n")
