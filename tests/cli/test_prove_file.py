"""What isamap prove suggests for an instruction in a file of the user's is a command, and the command proves."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import pytest

import isamap_smt as im
from isamap_smt.certificates.digests import instruction_parts
from isamap_smt.cli.app import run

MACHINE = """\
import isamap_smt as im
F32 = dict.fromkeys("abc", "f32")
PLACES = dict.fromkeys("abc", "vector")
DOT = im.instruction("npu.dot", "c[i] += a[i,k] * b[k]", axes={"i": 8, "k": 4}, dtypes=F32, places=PLACES)
SUB = im.instruction("npu.sub", "c[l] = a[l] - b[l]", axes={"l": 8}, dtypes=F32, places=PLACES)
SAT = im.instruction(
    "npu.sat", "c[l] += i32(a[l]) * i32(b[l])", axes={"l": 8}, dtypes={"a": "u8", "b": "i8", "c": "i32"}, places=PLACES,
    exact="c[l] += i32(sat_i8(i32(a[l]) * i32(b[l])))",
)
WRONG = im.instruction(
    "npu.wrong", "c[l] += a[l] * b[l]", axes={"l": 8}, dtypes=F32, places=PLACES, exact="c[l] += a[l] * b[l] + a[l]",
)
TWO = "C[i,j] += A[i,k] * B[k,j]\\nD[i,j] = C[i,j] - E[i,j]"
"""
WRONG_LINE = 10


@pytest.fixture(autouse=True)
def machine(in_empty_directory: Path) -> None:
    """The file, in a folder below."""
    (in_empty_directory / "my parts").mkdir()
    (in_empty_directory / "my parts" / "m.py").write_text(MACHINE)


def suggested(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """The suggestion below the refutation of a command."""
    assert run(words) == 1
    (said,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("  try: ")]
    return said.removeprefix("  try: ")


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (["gemm", "DOT", "--axes", "i=k,k=i"], "isamap prove gemm 'my parts/m.py:DOT' --axes i=i,k=k"),
        (["gemm", "DOT", "--axes", "i=i.j,k=k", "--sizes", "i=3,j=4,k=5"],
         "isamap prove gemm 'my parts/m.py:DOT' --axes i=i,k=k --sizes i=3,j=4,k=5"),
        (["my parts/m.py:TWO", "SUB", "--axes", "l=i", "--operands", "a=E,b=C", "--statement", "2"],
         "isamap prove 'my parts/m.py:TWO' 'my parts/m.py:SUB' --axes l=i --statement 2"),
    ],
)  # fmt: skip
def test_the_command_proves_when_pasted(words: list[str], command: str, capsys: pytest.CaptureFixture[str]) -> None:
    kernel, instruction, *rest = words
    text = suggested(["prove", kernel, f"my parts/m.py:{instruction}", *rest], capsys)
    assert text == command
    assert run(shlex.split(text, comments=True)[1:]) == 0
    assert capsys.readouterr().out.startswith("proved: ")


def test_the_option_proves_when_pasted(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["prove", "gemm_nt", "my parts/m.py:SAT", "--axes", "l=i"]
    text = suggested(words, capsys)
    assert text == '--assume "A<=1"  # refuted one further'
    assert run([*words, *shlex.split(text, comments=True)]) == 0
    assert run([*words, "--assume", "A<=2"]) == 1


def test_an_instruction_that_contradicts_itself_is_to_be_edited(capsys: pytest.CaptureFixture[str]) -> None:
    text = suggested(["prove", "gemm", "my parts/m.py:WRONG", "--axes", "l=i"], capsys)
    assert text == f"edit npu.wrong (m.py line {WRONG_LINE}): let its contract say what `exact` computes"
    lines = MACHINE.splitlines()
    assert lines[WRONG_LINE - 1].startswith("WRONG = ")
    edited = MACHINE.replace('"c[l] += a[l] * b[l]", axes', '"c[l] += a[l] * b[l] + a[l]", axes')
    Path("my parts/m.py").write_text(edited)
    assert run(["prove", "--text", "C[i] += A[i] * B[i] + A[i]", "my parts/m.py:WRONG", "--axes", "l=i"]) == 0


def test_where_it_was_found_is_no_part_of_an_instruction() -> None:
    found = im.find_instruction("my parts/m.py:DOT")
    assert found.file == "my parts/m.py:DOT"
    without = replace(found, file="")
    assert (found, instruction_parts(found), repr(found)) == (without, instruction_parts(without), repr(without))
