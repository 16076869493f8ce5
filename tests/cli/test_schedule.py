"""isamap schedule: the document, pinned decisions, and the same as a table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from isamap_smt.cli.app import run

KEYS = {"status", "space", "objective", "bound", "gap", "lower_bound", "tiles", "traffic", "seconds"}
GEMM = ["gemm", "avx2", "--sizes", "i=96,j=64,k=48"]


def scheduled(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    """The document of one schedule; it has the promised keys, and standard error stays empty."""
    assert run(["schedule", *words, "--json"]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    found: dict[str, Any] = json.loads(said.out)
    assert set(found) >= KEYS
    return found


def test_gemm(capsys: pytest.CaptureFixture[str]) -> None:
    found = scheduled(capsys, *GEMM)
    assert found["status"] == "OPTIMAL"
    assert found["gap"] == 0.0
    assert found["objective"] >= found["lower_bound"] > 0
    assert set(found["tiles"]) == {"i", "j", "k"}
    assert all(bytes_moved >= 0 for bytes_moved in found["traffic"].values())
    assert found["instruction"] == "avx2.fmadd_ps"
    steps: dict[str, int] = {}
    for loop in found["loops"]:  # steps of one axis decrease, and divide
        assert steps.get(loop["axis"], loop["step"]) % loop["step"] == 0
        steps[loop["axis"]] = loop["step"]


def test_a_pinned_decision_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    free = scheduled(capsys, *GEMM)
    tile = 24 if free["registers"]["j"] != 24 else 8
    pinned = scheduled(capsys, *GEMM, "--fix", f"register.j={tile}")
    assert pinned["registers"]["j"] == tile
    assert pinned["objective"] >= free["objective"]


def test_energy(capsys: pytest.CaptureFixture[str]) -> None:
    found = scheduled(capsys, *GEMM, "--objective", "energy")
    assert found["status"] in ("OPTIMAL", "FEASIBLE")
    assert found["objective"] != scheduled(capsys, *GEMM)["objective"]


def test_a_constant_operand(capsys: pytest.CaptureFixture[str]) -> None:
    found = scheduled(capsys, *GEMM, "--constant", "B", "--fix", "pack.B=ahead")
    assert {p["operand"]: p["read"] for p in found["packing"]}["b"] == "packed ahead of the calls"


def test_open_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    found = scheduled(capsys, "gemm", "avx2")
    assert any("legal for every size" in note for note in found["notes"])


def test_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["schedule", *GEMM]) == 0
    said = capsys.readouterr().out
    assert said.startswith("gemm on avx2.fmadd_ps: l=j;a=A,b=B\nplan: ") and "\noptimal (search space: " in said
    assert "Loops, outermost first" in said


def test_a_machine_from_a_file(capsys: pytest.CaptureFixture[str], in_empty_directory: Path) -> None:
    """A machine with small caches gets other tiles than the one it was made from."""
    Path("small.py").write_text(
        "from dataclasses import replace\n"
        "from isamap_smt.language.hardware_library import find_hardware\n"
        "big = find_hardware('avx2')\n"
        "less = {'L1': 4096, 'L2': 16384}\n"
        "SMALL = replace(big, name='small', memories=tuple(\n"
        "    replace(m, capacity=less.get(m.name, m.capacity)) for m in big.memories))\n"
    )
    small = scheduled(capsys, "gemm", "small.py:SMALL", "--sizes", "i=96,j=64,k=48")
    assert small["objective"] > scheduled(capsys, *GEMM)["objective"]
