"""An objective's parts add up to it, it says whose figures it rests on, and what no price reads is said."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import isamap_smt as im
from isamap_smt.cli.app import run
from isamap_smt.ir.hardware import Link, Memory
from isamap_smt.scheduling.record import from_record, to_record

sys.path.insert(0, str(Path(__file__).parent))
from machines import cube, hardware, proved

AVX2 = hardware()


def unread(machine: im.Hardware, **options: str) -> tuple[str, ...]:
    return im.schedule(proved(), machine, cube(64), **options).notes  # type: ignore[arg-type]


@pytest.mark.one_in(
    4,
    each=(
        "n",
        "threads",
        "objective",
    ),
)
@pytest.mark.parametrize("objective", ["latency", "energy"])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("n", [7, 64, 512])
def test_the_parts_add_up(objective: str, threads: int, n: int) -> None:
    s = im.schedule(proved(), AVX2, cube(n), objective=objective, threads=threads)
    assert s.unit == {"latency": "cycles", "energy": "pJ"}[objective]
    assert sum(p.amount for p in s.costs if not p.within) == pytest.approx(s.objective)
    assert all(p.amount >= 0 for p in s.costs)
    names = {p.name for p in s.costs}
    assert {p.within for p in s.costs if p.within} <= names
    assert {"L2->L1", "L3->L2", "DRAM->L3"} <= names or n == 7 or objective == "energy"
    alone = n == 7 and threads == 2 and objective == "latency"
    assert s.notes == (("runs on one thread, which is predicted to be faster than 2",) if alone else ())
    whose = dict(s.assumes)
    assert whose["tiles fill at most 75% of a core's own cache, and 50% of one that cores share"] == "an x86 core"
    assert any("that threads share" in text for text in whose) == (threads > 1 and objective == "latency")


def test_a_part_is_as_long_as_its_link_takes() -> None:
    """Bytes over bytes per cycle, at the description's rate; what stays in a cache between calls is asked for nothing."""
    s = im.schedule(proved(), AVX2, cube(1024))
    parts, moved = {p.name: p.amount for p in s.costs}, dict(s.traffic)
    assert parts["L3->L2"] == pytest.approx(moved["L3->L2"] / 23.6, rel=0.01)
    assert parts["computing: avx2.fmadd_ps"] >= 1024**3 / 8 / 2


def test_a_record_keeps_them() -> None:
    s = im.schedule(proved(), AVX2, cube(64))
    again = from_record(json.loads(json.dumps(to_record(s))), s.proved.mapping.kernel, AVX2, s.sizes)
    assert again is not None
    assert (again.unit, again.costs, again.assumes) == (s.unit, s.costs, s.assumes)


def with_link(*links: Link) -> im.Hardware:
    ends = {(k.source, k.target) for k in links}
    return replace(AVX2, links=(*(k for k in AVX2.links if (k.source, k.target) not in ends), *links))


def test_a_link_around_the_chain() -> None:
    around = with_link(Link("DRAM", "L1", 64.0))
    assert unread(around) == ("DRAM -> L1 (64 bytes per cycle) is not used: data go by DRAM -> L3 -> L2 -> L1",)


def test_a_way_out_that_is_slower() -> None:
    assert unread(with_link(Link("L1", "L2", 4.0))) == (
        "L1 -> L2 (4 bytes per cycle) is not used: what is written goes at the rate of L2 -> L1 (47 bytes per cycle)",
    )


def test_no_way_out_of_a_cache() -> None:
    links = tuple(k for k in AVX2.links if (k.source, k.target) != ("L1", "L2"))
    assert unread(replace(AVX2, links=(*links, Link("L1", "DRAM", 10.0)))) == (
        "L1 -> DRAM (10 bytes per cycle) is not used: data go by L1 -> L2 -> L3 -> DRAM",
        "no link leads from L1 to L2: what is written goes at the rate of L2 -> L1 (47 bytes per cycle)",
    )


def test_results_that_leave_another_way() -> None:
    links = tuple(k for k in AVX2.links if (k.source, k.target) != ("ymm", "L1"))
    assert unread(replace(AVX2, links=(*links, Link("ymm", "L2", 16.0)))) == (
        "no link leads from ymm to L1: results are stored at the rate of ymm -> L2 (16 bytes per cycle)",
    )


def test_results_that_leave_beside_the_chain() -> None:
    """By a buffer of their own: no cache that data come through takes them."""
    buffer, links = Memory("writes", 4096), tuple(k for k in AVX2.links if k.source != "ymm")
    around = (*links, Link("ymm", "writes", 32.0), Link("writes", "DRAM", 8.0), Link("DRAM", "writes", 8.0))
    beside = replace(AVX2, memories=(*AVX2.memories, buffer), links=around)
    assert (
        "no link leads from ymm to L1: results are stored at the rate of ymm -> writes (32 bytes per cycle)"
        in unread(beside)
    )


def test_a_memory_beside_the_chain() -> None:
    memories = (AVX2.memories[0], Memory("scratchpad", 1 << 18), *AVX2.memories[1:])
    beside = replace(AVX2, memories=memories, links=(*AVX2.links, Link("DRAM", "scratchpad", 64.0)))
    assert unread(beside) == ("scratchpad is not on the way from DRAM to ymm, and nothing is kept there",)


def test_a_main_memory_with_an_end_and_a_cache_of_several() -> None:
    memories = (
        *AVX2.memories[:3],
        replace(AVX2.memories[3], count=2, kind="cache"),
        replace(AVX2.memories[4], capacity=1 << 30),
    )
    assert unread(replace(AVX2, memories=memories)) == (
        "L3 is taken for one cache: that it is 2 is not used",
        "whether everything fits the 1,073,741,824 bytes of DRAM is not asked",
    )


def test_a_move_that_no_program_can_use() -> None:
    """It reads another memory than the one where tensors lie; no program takes it, where one took it and could not be printed."""
    load = AVX2.instruction("load_f32")
    inner = replace(load, name="avx2.from_l2", places=tuple((o, "L2" if o == "m" else p) for o, p in load.places))
    first = replace(AVX2, instructions=(inner, *AVX2.instructions))
    notes = unread(first)
    assert "avx2.from_l2 is not used: programs move between 'memory' and registers only, not from or to L2" in notes
    assert "avx2.from_l2" not in str(im.lower(im.schedule(proved(), first, cube(16))))


def test_a_move_that_fits_nothing() -> None:
    half = im.instruction(
        "avx2.load_half", "r[l] = m[l]", axes={"l": 4}, dtypes={"r": "f32", "m": "f32"},
        places={"r": "ymm", "m": "memory"},
    )  # fmt: skip
    assert unread(replace(AVX2, instructions=(*AVX2.instructions, half))) == (
        "avx2.load_half is not used: no instruction has an operand of f32[4] in ymm",
    )


def test_many_moves_that_fit_nothing_are_one_note(capsys: pytest.CaptureFixture[str], in_empty_directory: Path) -> None:
    """A machine of one's own with the moves of the library's: standard output names the first, --json each."""
    Path("mine.py").write_text(
        "import isamap_smt as im\nfrom dataclasses import replace\nA = im.find_hardware('avx2')\n"
        "MINE = replace(A, name='mine', instructions=(A.instruction('fmadd_ps'), *A.moves))\n"
    )
    words = ["schedule", "gemm", "mine.py:MINE", "--sizes", "i=64,j=64,k=64"]
    assert run(words) == 0
    assert "moves are not used" not in capsys.readouterr().out
    assert run([*words, "-v"]) == 0
    notes = capsys.readouterr().out.split("note: ")[1:]
    assert len(notes) == 1
    assert "moves are not used, since no instruction has an operand" in notes[0]
    assert notes[0].endswith("(the rest with --json)\n")
    assert len(notes[0]) < 500
    assert run([*words, "--json"]) == 0
    (note,) = json.loads(capsys.readouterr().out)["notes"]
    names = {i.short for i in im.find_hardware("avx2").moves if not i.short.endswith("f32")}
    count, listed = int(note.split()[0]), note.rpartition(": ")[2].split(", ")
    assert count == len(listed) > 100
    assert set(listed) <= names


def test_the_command_says_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["schedule", "gemm", "avx2", "--sizes", "i=64,j=64,k=64"]) == 0
    brief = capsys.readouterr().out
    assert "Cost (cycles)" in brief and "Cost-model assumptions" not in brief and "pages of 4096" not in brief
    assert run(["schedule", "gemm", "avx2", "--sizes", "i=64,j=64,k=64", "-v"]) == 0
    said = capsys.readouterr().out
    for line in (
        "Chosen outside the solver:\n  the mapping: ",
        "Cost (cycles)",
        "computing: avx2.fmadd_ps",
        "Cost-model assumptions; source: an x86 core",
        "pages of 4096",
    ):
        assert line in said
    assert run(["schedule", "gemm", "avx2", "--sizes", "i=64,j=64,k=64", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["unit"] == "cycles"
    assert {p["name"] for p in document["costs"]} >= {"computing beside the links", "L2->L1"}
    assert {a["whose"] for a in document["assumes"]} == {"the hardware's description", "an x86 core"}
