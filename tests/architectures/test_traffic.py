"""What a plan says that it moves is what its program touches: counted again cell by cell, and from a simulated run."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import yaml

import isamap_smt as im
from isamap_smt.ir.interpret import prepare
from isamap_smt.simulator.places import accesses
from isamap_smt.simulator.sites import elaborate
from tests.architectures.oracle import Touches, counted
from tests.architectures.shown import NAMES, planned

SIZES = (("i", 33), ("j", 29), ("k", 37))


def said(plan: im.Plan, sizes: dict[str, int] | None = None) -> Touches:
    """The rows of a plan's traffic."""
    found: Touches = Counter()
    for r in plan.traffic(sizes).rows:
        if r.memory:
            found[r.memory, r.tensor, "read"] += r.reads
            found[r.memory, r.tensor, "write"] += r.writes
    return +found


@pytest.mark.parametrize("name", NAMES)
def test_it_is_what_each_use_touches(name: str) -> None:
    plan = planned(name, "gemm", *SIZES)
    assert said(plan) == counted(plan.program, {})


@pytest.mark.parametrize(
    ("kernel", "machine", "sizes"),
    [
        ("conv2d", "gemmini", {"n": 2, "k": 17, "c": 3, "p": 3, "q": 4, "r": 2, "s": 2, "sp": 1, "sq": 1, "dp": 1, "dq": 1}),
        ("gemm", "gemmini", {"i": 40, "j": 17, "k": 33}),
        ("gemm", "examples/outer_product.py:MACHINE", {"i": 20, "j": 9, "k": 12}),
    ],
)  # fmt: skip
def test_of_machines_by_hand_too(kernel: str, machine: str, sizes: dict[str, int]) -> None:
    plan = im.plan(kernel, machine, sizes=sizes)
    assert said(plan) == counted(plan.program, {n: v for s in plan.phases for n, v in s.sizes})
    assert plan.traffic().energy is None


def test_of_open_sizes_at_any() -> None:
    plan = im.plan("gemm", "gemmini")
    for sizes in ({"i": 16, "j": 16, "k": 16}, {"i": 5, "j": 50, "k": 100}):
        assert said(plan, sizes) == counted(plan.program, {n.upper(): v for n, v in sizes.items()})


def test_of_large_sizes_at_once() -> None:
    """A trillion products: loops on which nothing hangs are not gone through."""
    plan = im.plan("gemm", "gemmini")
    t = plan.traffic({"i": 10_000, "j": 10_000, "k": 10_000})
    assert t.products >= 10_000**3 and t.of("memory", "C").writes == 10_000**2
    assert t.cycles is None and plan.traffic().cycles == plan.cycles  # those are for the sizes that it was planned for


@pytest.mark.parametrize("name", NAMES)
def test_it_is_what_a_simulated_run_touches(name: str) -> None:
    plan = planned(name, "gemm", *SIZES)
    arrays = {
        n: np.zeros([int(e) for e in plan.kernel.tensor(n).shape], plan.kernel.tensor(n).dtype.numpy)
        for n in plan.kernel.inputs
    }
    assert im.simulate(plan.program, arrays).sound
    elaborated = elaborate(plan.program, {})
    found: Counter[tuple[str, str]] = Counter()
    for a in accesses(elaborated, prepare(plan.program.kernel, arrays, None, {})[0]):
        place = "memory" if a.space.tensor else a.space.name
        for footprint in a.which.tolist():
            inside = a.cells[footprint]
            if a.reads:
                found[place, "read"] += len(np.unique(inside[inside < a.space.size]))
            if a.writes:
                found[place, "write"] += len(a.touched(footprint))
    expected: Counter[tuple[str, str]] = Counter()
    for (memory, _, what), n in said(plan).items():
        expected[memory, what] += n
    assert found == expected


def test_energy_is_accesses_times_what_the_file_says() -> None:
    plan = planned("tpu_like", "gemm", *SIZES)
    t = plan.traffic()
    a, c = t.of("dram", "A"), t.of("dram", "C")
    assert a.energy == pytest.approx(a.reads * 8 / 128 * 900) and c.energy == pytest.approx(c.writes * 32 / 128 * 950)
    products = t.products // 16**3
    registers = t.of(
        "column_sum", "C"
    )  # inside of the array: for each product 16 x 16 sums in each column, summed along D2
    assert (registers.memory, registers.reads, registers.read_accesses) == ("", 0, products * 16 * 16)
    held = t.of("weights", "B")  # one in each element, where it stays while 16 rows of inputs go by
    assert held.read_accesses == held.reads == products * 256
    assert held.energy == pytest.approx(held.read_accesses * 0.1 + held.write_accesses * 0.12)
    assert t.compute_energy == pytest.approx(t.products * 0.05)
    assert t.energy == pytest.approx(sum(r.energy or 0 for r in t.rows) + t.products * 0.05)


def test_copies_of_a_level_are_written_each() -> None:
    t = planned("eyeriss_like", "gemm", *SIZES).traffic()
    (inputs,) = (r for r in t.rows if r.level == "inputs_spad")  # a[i,k]: the same in all 14 columns
    assert inputs.write_accesses == 14 * inputs.writes > 0
    (weights,) = (r for r in t.rows if r.level == "weights_spad")
    assert weights.write_accesses == weights.writes > 0


def test_a_file_without_energies_gives_none_and_says_so() -> None:
    t = planned("weight_stationary", "gemm", *SIZES).traffic()
    assert t.energy is None and any("not said: no energies" in u for u in t.unread)


def test_the_document_is_the_same_as_yaml() -> None:
    t = planned("tpu_like", "gemm", *SIZES).traffic()
    document = yaml.safe_load(t.yaml())
    assert document == t.document()
    assert [x["level"] for x in document["levels"]] == ["dram", "sram", "weights", "column_sum"]
    assert document["sizes"] == dict(SIZES) and document["energy"] == t.energy


def test_a_machine_by_hand_may_say_energies_of_its_memories() -> None:
    from dataclasses import replace

    machine = im.find_hardware("examples/outer_product.py:MACHINE")
    memories = tuple(replace(m, energy=2.0) for m in machine.memories)
    plan = im.plan("gemm", replace(machine, memories=memories), sizes={"i": 16, "j": 16, "k": 16})
    for r in plan.traffic().rows:
        assert r.energy == (None if r.memory == "memory" else 2.0 * (r.read_bytes + r.written_bytes))


def test_a_core_has_no_levels_to_count() -> None:
    plan = im.plan("gemm", "avx2", sizes={"i": 16, "j": 16, "k": 16})
    with pytest.raises(im.IsamapError, match="has no engines"):
        plan.traffic()
