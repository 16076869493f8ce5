"""A machine whose memory is a machine parameter: what needs a number says which, and what needs none goes on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import outer_product as outer
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import HardwareError
from isamap_smt.language.loading import load_module

EXAMPLE = Path(__file__).parents[2] / "examples" / "outer_product.py"


@pytest.fixture(scope="module")
def opened() -> im.Hardware:
    """The example with a scratchpad of N KiB, whose rows have 32 bytes."""
    machine: im.Hardware = load_module(EXAMPLE, HardwareError).MACHINE
    memories = tuple(
        replace(m, capacity=1024 * im.parameter("N")) if m.name == "scratchpad" else m for m in machine.memories
    )
    return replace(machine, memories=memories)


def test_a_schedule_needs_the_number(opened: im.Hardware) -> None:
    message = "memory scratchpad has 32\\*N rows of 32 bytes, and numbers are needed; .* in the place of N"
    with pytest.raises(HardwareError, match=message):
        im.stage("gemm", opened, sizes={"i": 16, "j": 16, "k": 16})


def test_a_mapping_does_not(opened: im.Hardware) -> None:
    (unit,) = opened.computes
    assert im.find_mappings(im.find_kernel("gemm"), unit).complete


def test_a_proof_holds_for_every_capacity() -> None:
    """What fits N KiB fits them for N = 1; what needs more is refuted there."""
    program = outer.gemm()
    assert program.machine is not None
    held = {m.name: m for m in program.machine.memories}
    name = next(n for n, m in held.items() if m.row)
    for least, word in ((held[name].capacity, "proved"), (8 * held[name].row, "refuted")):  # one tile
        memories = tuple(
            replace(m, capacity=least * im.parameter("N")) if m.name == name else m for m in program.machine.memories
        )
        proof = im.prove_program(replace(program, machine=replace(program.machine, memories=memories)))
        assert proof.word == word, [str(c) for c in proof.failed()]


def test_the_page_shows_it(opened: im.Hardware, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from isamap_smt.cli.app import run

    monkeypatch.chdir(tmp_path)
    text = EXAMPLE.read_text().replace("64 << 10", '1024 * im.parameter("N")')
    (tmp_path / "mine.py").write_text(text)
    assert run(["report", "gemm", "mine.py:MACHINE"]) == 0
    page = next(tmp_path.rglob("*.html")).read_text()
    assert "1024*N" in page
