"""Any legal plan, not only the solver's: its program is proved for all open sizes, and right in every order. Plans of the solver
take as long as it says."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from functools import cache
from statistics import mean

import pytest
from engines import Shape, machine
from random_epilogues import DrawnEpilogue, draw_epilogue, what_goes_wrong
from random_epilogues import machine as summing
from random_programs import (
    MAPPED,
    SHAPES,
    Drawn,
    by_symbol,
    draw,
    goes_wrong,
    proved_mapping,
    simulated_cycles,
)
from use_edits import edits, held, holding, rewritten, unawaited, uses

import isamap_hardware
import isamap_smt as im
from isamap_smt.codegen.staged import lower_stages
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.program import Issued, Program
from isamap_smt.pipeline.staged import stage
from isamap_smt.proof.program import prove_program
from isamap_smt.scheduling.record import from_record, to_record
from isamap_smt.scheduling.staged import schedule_stages
from tests.families import part

KERNELS = [*MAPPED, "matvec", "conv2d"]
SEEDS = range(4 * len(KERNELS))


@cache
def drawn(seed: int) -> Drawn:
    return draw(seed, KERNELS[seed % len(KERNELS)])


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", part(SEEDS, lambda s: s < len(KERNELS)))
def test_any_legal_plan_is_proved_and_right(seed: int) -> None:
    d = drawn(seed)
    proof = prove_program(d.program)
    assert proof.proved, (d.words, [(str(c), c.statement) for c in proof.failed()])
    assert goes_wrong(d, d.program, seeds=3) == "", d.words


def test_the_plans_drawn_are_of_all_kinds() -> None:
    every = [drawn(s) for s in SEEDS]
    assert {d.kernel for d in every} == set(MAPPED) and {d.shape for d in every} == set(SHAPES)
    conv = [d.sizes for d in every if d.kernel == "conv2d"]
    for names in (("pp", "pq"), ("sp", "sq"), ("dp", "dq")):
        values = {s[n] for s in conv for n in names}
        assert len(values) == 2, names
    assert len([d for d in every if d.open]) >= len(every) // 4
    assert {b.slots > 1 for d in every for b in held(d.program)} == {False, True}


def test_predicted_times_of_any_plan_are_near_on_average() -> None:
    off = [abs(d.cycles / simulated_cycles(d.program, d.kernel, d.sizes) - 1) for d in map(drawn, SEEDS)]
    assert mean(off) < 0.05, [f"{x:.0%}" for x in off]


VARIANTS = {
    "one slot": (Shape(), {"slots.a": 1, "slots.b": 1, "slots.acc": 1}),
    "half the scratchpad": (Shape(scratchpad=32), {}),
    "half the bandwidth": (Shape(each=2.0), {}),
    "a further memory": (Shape(scratchpad=4, further=64), {}),
    "a further memory, by the same engine": (Shape(scratchpad=4, further=64, fed="load"), {}),
}


@pytest.mark.parametrize("variant", part(VARIANTS, lambda v: v == "a further memory"))
def test_the_time_of_the_plan_that_is_chosen_is_as_predicted(variant: str) -> None:
    shape, pins = VARIANTS[variant]
    for seed in range(20):
        rng = random.Random(seed)
        kernel = rng.choice(["gemm", "gemm_tn", "gemm_nt", "batched_gemm", "pointwise_conv2d"])
        small = "b" if kernel == "batched_gemm" else "np"
        sizes = {a.name: rng.randint(2, 4 if a.name in small else 90) for a in im.find_kernel(kernel).axes}
        proved = proved_mapping(kernel, MAPPED[kernel][0], tuple(sorted(sizes.items())), shape)
        plan = schedule_stages([proved], machine(shape), by_symbol(kernel, sizes), dict(pins), 5.0, lower_stages)
        cycles = simulated_cycles(lower_stages(plan, machine(shape)), kernel, sizes)
        assert plan.objective == cycles, (kernel, sizes)


def loads_of(program: Program, tensor: str, columns: int) -> Program:
    """The tensor's loads take so many columns."""

    def changed(u: Issued) -> tuple[Issued, ...] | None:
        if u.instruction.name == "load" and dict(u.operands)["m"].name == tensor:
            return (replace(u, active=tuple(columns if n == "columns" else e for n, e in u.parameters.items())),)
        return None

    return rewritten(program, changed)


def test_a_vector_is_a_column_of_rows_of_one_element() -> None:
    plan = stage("matvec", machine(), sizes={"i": 20, "k": 19}, fix={"via.b": "load"})
    failed = prove_program(loads_of(plan.program, "x", 2)).failed()
    assert any("lie at r*down + c" in c.statement and c.verdict.word == "refuted" for c in failed)


def test_products_beyond_an_unused_axis_are_zero() -> None:
    """Where factors beyond the first point of an axis that nothing takes are said to be elements, points are added again."""
    proved = proved_mapping("matvec", "i=i,j=-,k=-", (("i", 9), ("k", 3)), Shape())
    plan = schedule_stages([proved], machine(), {"I": 9, "K": 3}, {}, 5.0, lower_stages)
    program = lower_stages(plan, machine())
    assert prove_program(program).proved
    row = next(b for b in held(program) if b.name == "b").cells[0]
    buffers = tuple(
        replace(b, type=replace(b.type, guard=tuple(g for g in b.type.guard if row not in g.free_symbols)))
        for b in held(program)
        if b.name != "acc"
    )
    wrong = holding(program, *buffers)
    assert {c.claim for c in prove_program(wrong).failed() if c.verdict.word == "refuted"} >= {"link", "program"}


def test_tiles_that_are_narrower_than_a_row_of_their_memory() -> None:
    """What is not filled is not read; where it is read, nothing is proved, and it is poison."""
    wide = Shape(4, 8, 2, wide=True)
    plan = stage("gemm", machine(wide))
    short = machine(wide).instruction("gather_4")

    def changed(u: Issued) -> tuple[Issued, ...] | None:
        return (replace(u, instruction=short),) if u.instruction.name.endswith("_8") else None

    assert not prove_program(rewritten(plan.program, changed)).proved


def test_a_schedule_of_stages_comes_back_from_its_record() -> None:
    """Schedules of all machines have one codec."""
    for sizes in ({"i": 40, "j": 24, "k": 33}, {}):
        plan = stage("gemm", machine(), sizes=sizes)
        kept = json.loads(json.dumps(to_record(plan.schedule)))
        again = from_record(kept, plan.schedule.proved.mapping.kernel, machine(), plan.schedule.sizes)
        assert again is not None and again.proved.mapping == plan.schedule.proved.mapping
        assert replace(again, proved=plan.schedule.proved) == plan.schedule
        assert lower_stages(again, machine()) == plan.program


@pytest.mark.one_in(
    3,
    each=(
        "seed",
        "phases",
    ),
)
@pytest.mark.parametrize("phases", [False, True], ids=["epilogue", "phases"])
@pytest.mark.parametrize("seed", range(3))
def test_plans_with_epilogues_are_proved_and_edits_that_go_wrong_are_not(seed: int, phases: bool) -> None:
    """More of it: python -m benchmarks.fuzz_uses --of epilogues, and --of phases."""
    d = draw_epilogue(seed, phases)
    assert prove_program(d.program).failed() == (), d.words
    assert what_goes_wrong(d, d.program) == "", d.words
    rng = random.Random(seed)
    for _ in range(3):
        told, program = edits(d.program, rng, 1)
        if prove_program(program).proved:
            assert what_goes_wrong(d, program) == "", (d.words, told)


def beside(value: str, tiles: int, instruction: str, without: str) -> tuple[im.Plan, DrawnEpilogue]:
    """A plan of a sum whose bias is read beside it, and the same as it is drawn."""
    types = dict.fromkeys("XW", "i8") | dict.fromkeys("TYb", "i32")
    text = f"temporary T\nT[i,j] += i32(X[i,k]) * i32(W[k,j])\nY[i,j] = {value}"
    kernel, sizes = im.kernel(text, dtypes=types, name="beside"), dict(i=9, j=10, k=4)
    lacks = frozenset(("add_row", "add_tile", *without.split()))
    plan = stage(kernel.with_sizes(sizes), summing(4, tiles, lacks), instruction=instruction)
    return plan, DrawnEpilogue(text, {n.upper(): v for n, v in sizes.items()}, plan.program)


@pytest.mark.parametrize(("engine", "without"), [("load", ""), ("execute", "begin_row begin_tile")])
def test_elements_are_brought_beside_sums(engine: str, without: str) -> None:
    """By the engine that computes, or by another one, with which it then takes turns."""
    plan, drawn = beside("relu(T[i,j]) + b[j]", 4, "multiply", without)
    (brought,) = (
        u for u in uses(plan.program) if u.operands and u.operands[0][1].name == "b@accumulators" and u.begins
    )
    assert brought.instruction.engine == engine and bool(brought.signals) == (engine == "load")
    assert what_goes_wrong(drawn, plan.program) == ""
    for counter in brought.signals + tuple(c for c, _ in brought.awaits):
        wrong = unawaited(plan.program, counter)
        assert prove_program(wrong).word == "refuted" and what_goes_wrong(drawn, wrong)


def test_room_beside_sums_that_wait() -> None:
    """What waits to be stored, and what is read beside it, lie in one memory, and both have to fit."""
    lacks = "begin_row begin_tile"
    plan, drawn = beside("relu(T[i,j] + b[j])", 3, "multiply_kept", lacks)
    assert {b.name for b in held(plan.program) if b.memory == "accumulators"} == {"sums@accumulators", "b@accumulators"}
    assert what_goes_wrong(drawn, plan.program) == ""
    with pytest.raises(ScheduleError, match="no plan fits"):
        beside("relu(T[i,j] + b[j])", 2, "multiply_kept", lacks)


@pytest.mark.parametrize("work", [im.Work(), im.Work(0, 1)], ids=["the default", "whole numbers"])
def test_moves_that_take_no_time_to_begin(work: im.Work) -> None:
    """Of one operand there are several ways, so that the solver adds up figures that are 0."""
    kernel = im.kernel(
        "temporary T\nT[i,jo,o] += i32(X[i,ko,c]) * i32(W[jo,ko,o,c])\nY[i,jo,o] = i8((T[i,jo,o] + R[i,jo,o]) >> 7)",
        dtypes=dict.fromkeys("XWY", "i8") | dict.fromkeys("TR", "i32"), sizes={"o": 16, "c": 16}, name="free",
    )  # fmt: skip
    vta = isamap_hardware.load("vta")
    free = tuple(replace(i, work=work) for i in vta.instructions)
    assert stage(kernel, replace(vta, instructions=free)).proof.proved
