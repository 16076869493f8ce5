"""The time of a program by matrices is that of the simulator's timed run, for any plan; and programs of other forms are noticed."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace

import pytest
from engines import Shape, machine
from random_epilogues import draw_epilogue
from random_programs import CONTENDED, MAPPED, SHAPES, SHARED, by_symbol, draw
from use_edits import rewritten

import isamap_smt as im
from isamap_smt.ir.expr import FloorDiv
from isamap_smt.ir.program import Issued, Program, Serial
from isamap_smt.simulator import max_plus, queues
from isamap_smt.simulator.max_plus import timing
from isamap_smt.simulator.orders import timed
from isamap_smt.simulator.sites import elaborate

KERNELS = [*MAPPED, "conv2d", "conv2d"]  # with padding, strides and rims


@pytest.fixture
def by_matrices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is run use by use."""

    def never(_program: Program, _sizes: Mapping[str, int], _computes: frozenset[str], why: str) -> None:
        raise AssertionError(why)

    monkeypatch.setattr(max_plus, "_run", never)


def simulated(program: Program, sizes: Mapping[str, int]) -> float:
    order = timed(elaborate(program, sizes))
    return max((end for _, end in order.times), default=0)


@pytest.mark.parametrize("seed", range(60))
def test_it_is_the_simulated_one_for_any_plan(seed: int, by_matrices: None) -> None:
    """Engines apart and shared, further memories, one slot and several, open sizes, `where`, padding."""
    d = draw(seed, KERNELS[seed % len(KERNELS)], (*SHAPES, *SHARED))
    sizes = by_symbol(d.kernel, d.sizes)
    # a tenth of a cycle is no binary number: sums of the simulator are rounded, those of matrices are not
    assert timing(d.program, sizes).cycles == pytest.approx(simulated(d.program, sizes), rel=1e-12), d.words


@pytest.mark.parametrize("seed", range(60))
def test_it_is_the_simulated_one_where_engines_wait_for_memories(seed: int, by_matrices: None) -> None:
    """Main memory with a bandwidth, banks that moves and computing share, memories of one engine alone."""
    d = draw(seed, KERNELS[seed % len(KERNELS)], CONTENDED)
    sizes = by_symbol(d.kernel, d.sizes)
    assert timing(d.program, sizes).cycles == pytest.approx(simulated(d.program, sizes), rel=1e-12), d.words


@pytest.mark.parametrize("shape", CONTENDED, ids=lambda s: f"{s.main} {s.pads} {s.banks}")
def test_steady_states_are_skipped(shape: Shape, by_matrices: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of some 10,000 uses a part is carried out, and the time is the simulated one; of 2^30 points no more are."""
    sizes = {"i": 128, "j": 96, "k": 64}
    plan = im.stage("gemm", machine(shape))
    seen = simulated(plan.program, by_symbol("gemm", sizes))
    monkeypatch.setattr(queues, "MOST", 5000)
    found = timing(plan.program, by_symbol("gemm", sizes))
    assert found.cycles == pytest.approx(seen, rel=1e-12) and not found.estimate
    assert not timing(plan.program, by_symbol("gemm", dict.fromkeys("ijk", 1024))).estimate


def test_without_a_steady_state_the_time_is_an_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the pace of the first uses, and it is said."""
    shape, sizes = CONTENDED[1], {"i": 128, "j": 96, "k": 64}
    plan = im.stage("gemm", machine(shape), sizes=sizes)
    right = timing(plan.program, sizes).cycles
    monkeypatch.setattr(queues, "MOST", 500)
    monkeypatch.setattr(queues.Queues, "_skip", lambda *_: None)
    seen = timing(plan.program, sizes)
    assert "no steady state" in seen.estimate and seen.cycles == pytest.approx(right, rel=0.1)


@pytest.mark.parametrize("phases", [False, True], ids=["epilogue", "phases"])
@pytest.mark.parametrize("seed", range(12))
def test_it_is_the_simulated_one_with_updates_and_barriers(seed: int, phases: bool, by_matrices: None) -> None:
    d = draw_epilogue(seed, phases)
    assert timing(d.program, d.sizes).cycles == simulated(d.program, d.sizes), d.words


@pytest.mark.parametrize("phases", [False, True], ids=["epilogue", "phases"])
@pytest.mark.parametrize("seed", range(12))
def test_it_is_the_simulated_one_with_updates_and_barriers_at_shared_memories(seed: int, phases: bool) -> None:
    d, rng = draw_epilogue(seed, phases), random.Random(seed)
    machine_of = d.program.machine
    assert machine_of is not None
    limited = [replace(m, bandwidth=rng.choice([None, 8, 32, 100]) if m.row else None) for m in machine_of.memories]
    limited.append(im.Memory("DRAM", None, bandwidth=rng.choice([4, 16, 20.5])))
    program = replace(d.program, machine=replace(machine_of, memories=tuple(limited)))
    assert timing(program, d.sizes).cycles == pytest.approx(simulated(program, d.sizes), rel=1e-12), d.words
    assert simulated(program, d.sizes) >= simulated(d.program, d.sizes)


@pytest.mark.parametrize("name", ["gemmini", "vta", "outer_product"])
def test_it_grows_with_the_text_and_not_with_the_trips(name: str, by_matrices: None) -> None:
    """262,144 points of each axis are timed in no time: there, a time eight times as long is one of twice the side."""
    hardware = "examples/outer_product.py:MACHINE" if name == "outer_product" else name
    blocks = "T[i,jo,o] += i32(X[i,ko,c]) * i32(W[jo,ko,o,c])\nY[i,jo,o] = i8(T[i,jo,o] >> 7)"
    types = dict.fromkeys("XWY", "i8") | {"T": "i32"}
    vta = im.kernel(f"temporary T\n{blocks}", dtypes=types, sizes={"o": 16, "c": 16}, name="dense")
    plan = im.stage(vta if name == "vta" else "gemm", im.find_hardware(hardware))
    found = []
    for n in (2**10, 2**17, 2**18):
        sizes = dict.fromkeys(plan.program.kernel.free_sizes, n)
        found.append(timing(plan.program, sizes).cycles)
    power = len(plan.program.kernel.free_sizes)
    assert found[2] / found[1] == pytest.approx(2**power, rel=0.01) and found[0] < found[1]


def awaiting(program: Program, factor: int) -> Program:
    """The uses that compute await more of what fills signal: so many times as much."""

    def changed(u: Issued) -> tuple[Issued, ...] | None:
        if u.instruction.name != "outer":
            return None
        return (replace(u, awaits=tuple((c, factor * (e - 1) + 1) for c, e in u.awaits)),)

    return rewritten(program, changed)


@pytest.fixture
def plan() -> im.Plan:
    pins = {"slots.a": 1, "slots.b": 1, "tile.k_tile": 1, "region.k_tile": 2, "stage.a": 2, "stage.b": 2}
    return im.stage("gemm", machine(Shape(scratchpad=4)), sizes=dict(i=24, j=24, k=24), fix=pins)


def test_lags_that_are_not_the_same_at_all_iterations_are_run(plan: im.Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of the signals are awaited at each use: less and less of what was signalled."""

    def halved(u: Issued) -> tuple[Issued, ...]:
        return (replace(u, awaits=tuple((c, FloorDiv(e + 1, 2)) for c, e in u.awaits)),)

    other = rewritten(plan.program, halved)
    seen = timing(other, {})
    assert (seen.cycles, seen.estimate) == (simulated(other, {}), "") and seen.cycles < plan.cycles
    monkeypatch.setattr(max_plus, "RUN", 0)
    assert "lag of" in timing(other, {}).estimate or "sum of loops" in timing(other, {}).estimate
    assert not timing(plan.program, {}).estimate


def test_a_program_that_gets_stuck_has_an_estimate_alone(plan: im.Plan) -> None:
    assert "engines wait for each other" in timing(awaiting(plan.program, 2), {}).estimate


def test_trips_that_depend_on_a_loop_are_run(plan: im.Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the first loop in the outermost one, as many as the number of that."""
    outer = next(n for n in plan.program.body if isinstance(n, Serial))
    first = outer.body[0]
    assert isinstance(first, Serial)
    longer = replace(outer, body=(replace(first, count=1 + outer.var), *outer.body[1:]))
    program = replace(plan.program, body=tuple(longer if n is outer else n for n in plan.program.body))
    seen = timing(program, {})
    assert (seen.cycles, seen.estimate) == (simulated(program, {}), "")
    monkeypatch.setattr(max_plus, "RUN", 0)
    assert f"trips of {first.var.name}" in timing(program, {}).estimate
