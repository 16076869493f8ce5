"""A mapping alone says nothing about how tiles are configured; its proof says so, and a wrong configuration is told at once."""

from __future__ import annotations

import json

import pytest

import isamap_hardware
import isamap_smt as im
from isamap_smt.cli.app import run

ASKED = ["prove", "--text", "C[i,j] += i32(A[i,k]) * i32(B[k,j])", "--axes", "i=i,j=j,k=k"]
LEFT = "configuration: that what {} needs of states and registers holds is a claim of the program"


def test_the_configuration_is_left_to_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*ASKED, "amx.dpbusd"]) == 0
    verdict, *_, left = capsys.readouterr().out.splitlines()
    assert verdict.startswith("proved: ")
    assert left == f"left to the program's proof: {LEFT.format('amx.dpbusd')}"
    assert run([*ASKED, "amx.dpbusd", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["left"] == [LEFT.format("amx.dpbusd")]


def test_other_mappings_leave_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "gemm", "avx2.fmadd_ps", "--axes", "l=j"]) == 0
    assert "left to" not in capsys.readouterr().out
    assert run(["prove", "gemm", "avx2.fmadd_ps", "--axes", "l=k", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["left"] == []


def test_the_value_says_the_same() -> None:
    kernel = im.kernel(ASKED[2], name="gemm", dtypes={"A": "u8", "B": "i8", "C": "i32"})
    found = im.prove(im.fuse(kernel, isamap_hardware.load("amx").instruction("dpbusd"), "i=i,j=j,k=k"))
    assert isinstance(found, im.ProvedMapping)
    assert found.left == (LEFT.format("amx.dpbusd"),)
    assert str(found).splitlines()[1:] == [f"  left to the program's proof: {found.left[0]}"]
