"""A mapping alone says nothing about how tiles are configured; its proof says so, and a wrong configuration is told at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import isamap_hardware
import isamap_smt as im
from isamap_smt.cli.app import run

MACHINE = """\
import dataclasses
import isamap_hardware
right = isamap_hardware.load("amx").instruction("dpbusd")
state = dataclasses.replace(right.state, tiles=((8, 64),) * 8)
wrong = dataclasses.replace(right, name="mine.dpbusd", state=state)
"""
ASKED = ["prove", "--text", "C[i,j] += i32(A[i,k]) * i32(B[k,j])", "--axes", "i=i,j=j,k=k"]
LEFT = "configuration: that the registers of {} are configured for its operands is a claim of the program"
FAULT = (
    "no program with it will be proved: {} of mine.dpbusd has 16 rows of 64 bytes, and may lie in tile 0, which is configured for "
    "8 rows of 64 bytes"
)


@pytest.fixture(autouse=True)
def machine(in_empty_directory: Path) -> None:
    """The file m.py."""
    (in_empty_directory / "m.py").write_text(MACHINE)


def test_the_configuration_is_left_to_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*ASKED, "amx.dpbusd"]) == 0
    *_, verdict, left = capsys.readouterr().out.splitlines()
    assert verdict.startswith("proved: ")
    assert left == f"left to the program's proof: {LEFT.format('amx.dpbusd')}"
    assert run([*ASKED, "amx.dpbusd", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["left"] == [LEFT.format("amx.dpbusd")]


def test_a_wrong_configuration_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*ASKED, "m.py:wrong", "--json"]) == 0
    left = json.loads(capsys.readouterr().out)["left"]
    assert left == [LEFT.format("mine.dpbusd"), *(FAULT.format(o) for o in "abc")]
    assert run([*ASKED, "m.py:wrong"]) == 0
    assert [f"left to the program's proof: {text}" for text in left] == capsys.readouterr().out.splitlines()[-4:]


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
