"""isamap report of a machine that only maps: every mapping and what refutes the others, and why nothing was scheduled."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import pytest

import isamap_smt as im
from isamap_smt.cli.app import run
from tests.report.test_page import Reader

MACHINE = """\
import dataclasses
import isamap_smt as im
DOT = im.instruction(
    "npu.dot", "c[i] += a[i,k] * b[k]", axes={"i": 8, "k": 4}, dtypes=dict.fromkeys("abc", "f32"),
    places=dict.fromkeys("abc", "vector"),
)
MACHINE = im.Hardware("npu", (), (), (DOT,), "a matrix-vector unit")
NO_MEMORIES = dataclasses.replace(im.find_hardware("avx2"), name="bare", memories=(), links=())
"""
NO_C = "no instruction of npu that computes has C (emit='...')"
NO_ROOM = "npu has no memories to hold operands (memories=..., links=...)"


@pytest.fixture
def machine(in_empty_directory: Path) -> Path:
    """The file m.py."""
    (in_empty_directory / "m.py").write_text(MACHINE)
    return in_empty_directory


def test_the_page_of_a_machine_in_a_file(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report", "gemm", "m.py:MACHINE"]) == 0
    said = capsys.readouterr()
    assert said.out == "wrote gemm-npu.html\n"
    assert said.err == f"note: nothing was scheduled: {NO_C}; {NO_ROOM}\n"
    page = Path("gemm-npu.html").read_text()
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert (reader.open, reader.links) == ([], [])
    assert reader.ids == ["mapping", "kernel", "machine", "claims", "made"]
    assert reader.anchors == ["claims", *reader.ids] and "$ isamap report gemm m.py:MACHINE</pre>" in page
    text = html.unescape(page)
    assert f"Nothing was scheduled: {NO_C}; {NO_ROOM}." in text
    assert "C[i,j] += A[i,k] * B[k,j]" in text and "a matrix-vector unit" in text
    found = im.find_mappings(im.find_kernel("gemm"), im.find_instruction("m.py:DOT"))
    assert len(found.legal) == 2 and found.complete and found.refuted > 0
    assert f"2 legal, {found.refuted} refuted" in text and "; complete," in text
    for proved in found.legal:
        assert f"{proved.mapping.id}: " in text
        assert f"{len(proved.proof.claims)} obligations" in text
    assert found.conflicts
    for conflict in found.conflicts:
        assert conflict.witness in text
    assert "holds A[" in text  # the lanes of the first


def test_the_same_as_json(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report", "gemm", "m.py:MACHINE", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["schedule"] is None
    assert found["lacks"] == [NO_C, NO_ROOM]
    assert found["notes"] == [f"nothing was scheduled: {NO_C}; {NO_ROOM}"]
    (dot,) = found["found"]
    assert (dot["instruction"], dot["statement"], dot["complete"], dot["legal"]) == ("npu.dot", 1, True, 2)
    assert run(["map", "gemm", "m.py:DOT", "--json"]) == 0
    mapped = json.loads(capsys.readouterr().out)
    assert (dot["mappings"], dot["refuted"], dot["conflicts"]) == tuple(
        mapped[n] for n in ("mappings", "refuted", "conflicts")
    )
    assert {p["verdict"] for p in dot["proofs"].values()} == {"proved"}
    assert set(dot["proofs"]) == {m["id"] for m in dot["mappings"]}


def test_element_types_come_from_each_instruction(in_empty_directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report", "gemm", "wmma", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["found"]
    assert [f["instruction"] for f in found] == ["wmma.16x16x16", "wmma.32x8x16", "wmma.8x32x16"]
    assert all(f["legal"] and f["complete"] for f in found)
    assert "A:f16" in Path("gemm-wmma.html").read_text()
    assert run(["report", "gemm", "wmma", "--dtypes", "A=f32", "--force", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)["found"][0]
    assert said["legal"] == 0
    assert "no order fits" in said["reasons"][0]["why"]


def test_a_machine_with_c_and_no_memories(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["report", "gemm", "m.py:NO_MEMORIES", "--instruction", "fmadd_ps"]
    assert run(asked) == 0
    assert capsys.readouterr().err == (
        "note: nothing was scheduled: bare has no memories to hold operands (memories=..., links=...)\n"
    )
    text = Path("gemm-bare.html").read_text()
    assert re.search(r"<h3>avx2\.fmadd_ps <span[^>]*>[^<]*</span></h3>\s*<p[^>]*>3 legal", text)
    assert "emit=" not in text
    assert run([*asked, "-o", "gemm-bare.html"]) == 0  # a report replaces a report


def test_decisions_of_a_schedule_are_refused(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report", "gemm", "m.py:MACHINE", "--fix", "tile.k=8"]) == 3
    assert capsys.readouterr().err == (
        f"error: --fix is about a schedule, and npu has none; leave it out\nnothing was scheduled: {NO_C}; {NO_ROOM}\n"
    )
    assert run(["report", "gemm", "m.py:MACHINE", "--instruction", "dott"]) == 3
    assert "npu computes with no such one; did you mean dot?" in capsys.readouterr().err
    assert [p.name for p in machine.iterdir() if p.suffix == ".html"] == []


def test_a_kernel_that_no_instruction_takes(in_empty_directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is computed element by element: the page shows the search, and why nothing came of it."""
    assert run(["report", "--text", "C[i,j] = A[i,j] * (2*i + j // 2)", "avx2", "--no-measure", "-o", "page.html"]) == 0
    said = capsys.readouterr()
    assert "wrote page.html" in said.out and said.err.count("element by element") == 1
    page = html.unescape(Path("page.html").read_text())
    assert "Nothing was scheduled: kernel is computed element by element" in page
    assert "0 legal" in page and "no mapping is legal, so nothing is proved" in page
