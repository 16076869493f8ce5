"""isamap prove: the exit status is the verdict, and a refutation tells its counterexample."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from isamap_smt.cli.app import run
from isamap_smt.ir.proof import phrase

MACHINE = """
import isamap_smt as im

multiply = im.instruction("npu.multiply", "c[l] += a[l] * b[l]", axes={"l": 4}, dtypes=dict.fromkeys("abc", "f32"),
                          places=dict.fromkeys("abc", "r"), rounding="as it likes")
"""


def test_proved(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "gemm", "avx2.fmadd_ps", "--axes", "l=j", "--json"]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    found = json.loads(said.out)
    assert found["verdict"] == "proved"
    assert found["arithmetic"] == "reassociate"
    claims = {c["claim"] for c in found["claims"]}
    assert {"scalar", "agreement", "exclusive", "coverage", "bounds", "neutral"} <= claims
    assert all(c["verdict"] == "proved" for c in found["claims"])


def test_the_order_of_the_axes_is_the_users(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "conv2d", "wmma.16x16x16", "--axes", "i=n.p,j=k,k=c.r.s", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["mapping"] == "i=n.p,j=k,k=c.r.s;a=I,b=W"


def test_refuted(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "gemm", "avx2.fmadd_ps", "--axes", "l=k", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"] == "refuted"
    (bad,) = [c for c in found["claims"] if c["verdict"] == "refuted"]
    assert bad["claim"] == "exclusive"
    assert (bad["witness"]["k"], bad["witness"]["k'"]) == (0, 1)


def test_a_rejection_reads_well(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "gemm", "avx2.fmadd_ps", "--axes", "l=k"]) == 1
    said = capsys.readouterr().out
    assert "gemm does not map onto avx2.fmadd_ps\n  l=k;a=A,b=B\n  one writer per element (c): fails at" in said
    assert "cells c[0] and c[1] would both hold C[0,0], each a part of its sum" in said


def test_the_verdict_comes_first_and_what_is_proved_behind_v(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["prove", "gemm", "avx2.fmadd_ps", "--axes", "l=k"]
    assert run(words) == 1
    said = capsys.readouterr().out
    order = [
        "refuted: gemm does not map onto avx2.fmadd_ps\n",
        "one writer per element (c): fails at",
        "try: isamap prove",
        "\nclaim ",
        "\none writer per element  c      refuted",
        "\n12 obligations proved of 13, in ",
        "\nassumed: ",
        "arithmetic: reassociate",
    ]
    places = [said.index(text) for text in order]
    assert places[0] == 0 and places == sorted(places)
    assert "every iteration" not in said and said.count(" refuted ") == 1
    for flag in ("-v", "--verbose"):
        assert run([*words, flag]) == 1
        more = capsys.readouterr().out
        assert (
            more.startswith(order[0])
            and more.count(" proved ") == 13
            and re.search(r"\nevery iteration once +coverage ", more)
        )


def test_what_is_proved_is_one_number(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["prove", "gemm", "avx2.fmadd_ps", "--axes", "l=j"]
    assert run(words) == 0
    first, title, *rest = capsys.readouterr().out.splitlines()
    assert first.startswith("proved: 13 obligations in ") and title == "gemm onto avx2.fmadd_ps: l=j;a=A,b=B"
    assert any(line.startswith("assumed: I >= 1") for line in rest) and not any(
        "every iteration" in line for line in rest
    )
    assert run([*words, "-v"]) == 0
    assert capsys.readouterr().out.count(" proved ") == 13


@pytest.mark.parametrize(
    "words",
    [
        ["gemm", "avx2.fmadd_ps", "--axes", "l=k"],
        ["gemm", "avx2.fmadd_ps", "--axes", "l=j", "--dtypes", "A=f64"],
        ["gemm", "avx512_vnni.maddubs_dot", "--axes", "l=j,e=k"],
        ["wmma.16x16x16", "--axes", "i=i,j=j,k=k", "--text", "C[i,j] += A[i,k] - B[k,j]"],
    ],
)
def test_json_says_what_people_are_told(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert run(["prove", *words]) == 1
    said = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert run(["prove", *words, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    tries = [line.removeprefix("try: ") for line in said if line.startswith("try: ")]
    assert tries == [" ".join(t.split()) for t in found["suggestions"]]
    first, *rest = found["reason"].split("\n")
    assert any(line.startswith(phrase(found["claim"])) and line.endswith(first) for line in said)
    assert all(" ".join(line.split()) in said for line in rest)
    assert all(line in said for line in found["clash"])
    if found["mend"]:
        assert tries[0].startswith(found["mend"]["text"])
        assert run(shlex.split(found["mend"]["text"])[1:]) == 0


def test_ranges_of_two_inputs(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["prove", "gemm", "avx512_vnni.maddubs_dot", "--axes", "l=j,e=k", "--given", "A<=200"]
    assert run(words) == 1
    said = "together: A<=202 and -81<=B<=81; any end of either one further out is refuted"
    assert said in capsys.readouterr().out
    assert run([*words, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["together"]
    assert found == {"assume": ["A<=202", "-81<=B<=81"], "weakest": True}


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        (
            ["--axes", "l=j,e=k", "--assume", "A<=127", "--given", "B<=100"],
            0,
            "together: proved as it is: --given asks",
        ),
        (["--axes", "l=k,e=j", "--given", "A<=200"], 1, "together: it is rejected for another reason than the values"),
    ],
)
def test_why_there_are_no_ranges_of_two_inputs(
    options: list[str], status: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["prove", "gemm", "avx512_vnni.maddubs_dot", *options]) == status
    assert said in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--given", "A<=200"], "error: --given: A is f32: values are at fault of integers only"),
        (["--assume", "A<=1e40"], "error: -3.4028234663852886e+38 <= A <= 1e+40 is not within f32, which holds"),
        (["--given", "A<="], "error: --given: assume 'A<=': line 1, column 3: "),
        (["--assume", "A<="], "error: assume 'A<=': line 1, column 3: "),
    ],
)
def test_ranges_that_are_none(options: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "gemm", "avx2.fmadd_ps", "--axes", "l=j", *options]) == 3
    assert capsys.readouterr().err.startswith(said)


def test_the_clash_is_said_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "gemm", "avx2.fmadd_ps", "--axes", "l=k", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["clash"][0] == "index l of c[l] differs between the two, no index of C[i,j] does"
    assert found["mend"] == {"text": "isamap prove gemm avx2.fmadd_ps --axes l=j", "change": ""}


def test_bytes_saturate(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "gemm", "avx512_vnni.maddubs_dot", "--axes", "l=j,e=k"]) == 1
    assert "the contract gives 32769, the instruction 32767" in capsys.readouterr().out


def test_unknown(capsys: pytest.CaptureFixture[str], in_empty_directory: Path) -> None:
    """Rounding that nobody described cannot be compared: the status is 2, never 0, and the reason is told."""
    Path("npu.py").write_text(MACHINE)
    words = ["prove", "npu.py:multiply", "--text", "C[i,j] += A[i,k] * B[k,j] ordered", "--axes", "l=j"]
    assert run(words) == 2
    reason = "npu.multiply rounds in a way that is not described exactly: as it likes"
    assert f"arithmetic matches (order): unknown, {reason}" in capsys.readouterr().out
    assert run([*words, "--json"]) == 2
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"] == "unknown"
    assert [c["reason"] for c in found["claims"] if c["verdict"] == "unknown"] == [reason]


def test_an_instruction_of_one_point(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "gemm", "scalar.muladd_f32", "--axes", ""]) == 0
    verdict, mapping, *_ = capsys.readouterr().out.splitlines()
    assert verdict.startswith("proved: ") and mapping == "gemm onto scalar.muladd_f32: point;a=A,b=B"


@pytest.mark.parametrize("operands", ["fixed", "any", "a=B,b=A", "a=A,b=B"])
def test_operands(capsys: pytest.CaptureFixture[str], operands: str) -> None:
    assert run(["prove", "gemm", "avx2.fmadd_ps", "--axes", "l=j", "--operands", operands]) == 0


def test_named_operands_give_the_types(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["prove", "gemm", "avx2.madd_u8i8", "--axes", "l=i,e=k", "--operands", "a=B,b=A", "--json"]
    assert run(words) == 0
    assert json.loads(capsys.readouterr().out)["mapping"] == "l=i,e=k;a=B,b=A"


def test_types_that_do_not_fit(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["prove", "gemm", "avx2.fmadd_ps", "--axes", "l=j", "--dtypes", "A=u8,B=u8,C=i32"]
    assert run(words) == 1
    assert "operand c of avx2.fmadd_ps is f32, C holds i32" in capsys.readouterr().out


def test_text_and_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["prove", "avx2.fmadd_ps", "--text", "C[i,j] += A[i,k] * B[k,j]", "--sizes", "j=20", "--axes", "l=j"]
    assert run(words) == 0


@pytest.mark.parametrize(("axes", "status"), [("l=j", 0), ("l=k", 1), ("l=z", 3)])
def test_the_process_exits_with_the_status(axes: str, status: int) -> None:
    command = [sys.executable, "-m", "isamap_smt", "prove", "gemm", "avx2.fmadd_ps", "--axes", axes, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == status
    json.loads(done.stdout)
