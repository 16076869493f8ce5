"""A machine that only an emulator executes here is not run on this CPU, and the message names the option."""

from __future__ import annotations

import pytest

import isamap_smt as im
from isamap_smt.cli.app import run
from isamap_smt.targets.target import executor_of


def test_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    target, by = executor_of(im.find_hardware("rvv"))
    if target in {"", "c"}:
        pytest.skip("rvv is executed by this CPU or by nothing")
    assert run(["run", "gemm", "rvv", "--sizes", "i=4,j=4,k=4"]) == 3
    said = capsys.readouterr().err
    assert said == f"error: this CPU does not execute rvv, {by} does: add --target {target}\n"
