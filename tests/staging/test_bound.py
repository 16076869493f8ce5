"""The bound of a plan is never above its time, whatever the engines share; and the best of all plans is found where it says so."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from functools import cache

import pytest
from engines import Shape, machine
from random_epilogues import draw_epilogue
from random_programs import (
    CONTENDED,
    MAPPED,
    OPEN,
    SHAPES,
    SHARED,
    by_symbol,
    proved_mapping,
    random_decision,
    random_sizes,
)
from small_problems import decisions

from isamap_encodings.staging_bound import paths
from isamap_encodings.staging_model import StagingModel
from isamap_encodings.staging_problem import Numbers, StagingDecision, choices
from isamap_smt.codegen.staged import lower_stages
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.ir.schedule import Stage
from isamap_smt.scheduling.arguments import pinned
from isamap_smt.scheduling.staged import decoded, schedule_stages, scheduled
from isamap_smt.scheduling.staged_problem import Question, question
from isamap_smt.scheduling.staged_search import WORTH
from isamap_smt.simulator.max_plus import timing

KERNELS = [*MAPPED, "conv2d"]


def cycles_of(proved: ProvedMapping, q: Question, d: StagingDecision, shape: Shape, sizes: dict[str, int]) -> float:
    program = lower_stages(scheduled(proved, *decoded(proved.mapping, q, d)), machine(shape))
    return timing(program, sizes).cycles


@cache
def looked_at(seed: int) -> tuple[list[tuple[str, float]], float, str]:
    """(The paths in cycles, the time, which) of legal plans, one drawn for each path that may be the longest."""
    rng, shapes = random.Random(seed), (*SHAPES, *SHARED) if seed < 240 else CONTENDED
    name = KERNELS[seed % len(KERNELS)]
    while True:
        sizes, shape = random_sizes(name, rng, rng.choice([20, 20, 60])), rng.choice(shapes)
        left_open = [a for a in OPEN[name] if rng.random() < 0.3] if rng.random() < 0.3 else []
        known = tuple(sorted((n, v) for n, v in sizes.items() if n not in left_open))
        try:
            proved = proved_mapping(name, rng.choice(MAPPED[name]), known, shape)
            q = question(proved.mapping, machine(shape), by_symbol(name, sizes), {})
            d = random_decision(rng, q.problem, 400)
        except ScheduleError:
            continue
        found = paths(q.problem, choices(q.problem, d), Numbers())
        cycles = cycles_of(proved, q, d, shape, by_symbol(name, sizes))
        return [(n, float(v / q.ticks)) for n, v in found.items()], cycles, f"{name} {sizes} {left_open} {shape} {d}"


@pytest.mark.parametrize("seed", range(360))
def test_no_path_is_longer_than_the_plan(seed: int) -> None:
    found, cycles, words = looked_at(seed)
    assert [(n, v) for n, v in found if v > cycles * (1 + 1e-9)] == [], (cycles, words)


@pytest.mark.parametrize("phases", [False, True], ids=["epilogue", "phases"])
@pytest.mark.parametrize("seed", range(30))
def test_no_bound_is_above_the_time_with_updates_and_phases(seed: int, phases: bool) -> None:
    """Sums that begin at loads of another engine, are changed before they are stored, or wait elsewhere until they are."""
    d = draw_epilogue(seed, phases)
    assert 0 < d.bound <= timing(d.program, d.sizes).cycles, d.words


def test_paths_are_of_use() -> None:
    """Most plans take what the longest path says, and each kind of path is that of some plan."""
    longest = [max(found, key=lambda x: x[1]) for found, _, _ in map(looked_at, range(240))]
    tight = [v >= 0.95 * cycles for (_, v), (_, cycles, _) in zip(longest, map(looked_at, range(240)), strict=True)]
    assert sum(tight) > 0.75 * len(tight)
    kinds = Counter(n.split(" by ")[0].split(" of load")[0] for n, _ in longest)
    assert {"filling", "one slot,", "computing", "filling and storing", "one slot of the output"} <= set(kinds)


PINS = {
    "two engines fill": (Shape(4, 8, 2, 3, 6, loads=("load", "load_b")), {"slots.a": 2, "slots.b": 1, "slots.acc": 2}),
    "one engine fills and stores": (Shape(stores="load", scratchpad=2), {"slots.a": 1, "slots.b": 2, "slots.acc": 1}),
    "one engine stores and computes": (
        Shape(stores="execute", scratchpad=3),
        {"slots.a": 2, "slots.b": 2, "slots.acc": 1},
    ),
    "any slots": (Shape(scratchpad=3, accumulators=2), {"tile.j_tile": 1, "region.i_tile": 0, "stage.acc": 1}),
}


@pytest.mark.parametrize("name", PINS)
def test_the_best_of_all_plans_is_found_and_said_to_be(name: str) -> None:
    """By timing every legal plan of a small question, slots included."""
    shape, pins = PINS[name]
    sizes = {"i": 20, "j": 13, "k": 11}
    proved = proved_mapping("gemm", "i=i,j=j,k=k", tuple(sizes.items()), shape)
    fixed = pins | {"tile.i_tile": 1, "tile.k_tile": 1}
    known = by_symbol("gemm", sizes)
    plan = schedule_stages([proved], machine(shape), known, pinned(fixed), 30.0, lower_stages)
    q = question(proved.mapping, machine(shape), known, fixed)
    times, whole = _times(proved, q, shape, known)
    assert len(whole) > 20 and _is_best(plan.objective, plan.stages, times, whole)
    assert plan.status == "OPTIMAL" and plan.bound == plan.objective and plan.gap == 0


def _times(proved: ProvedMapping, q: Question, shape: Shape, known: dict[str, int]) -> tuple[list[float], list[float]]:
    """Of all plans, and of those without stages filled inside of loops around which they stand."""
    every = [(cycles_of(proved, q, d, shape, known), d.inside) for d in decisions(q.problem)]
    return [t for t, _ in every], [t for t, inside in every if not inside]


def _is_best(cycles: float | None, stages: tuple[Stage, ...], times: list[float], whole: list[float]) -> bool:
    """A plan with such a stage is the best of all. Else it is the best of the others, and none of all is much quicker."""
    assert cycles is not None
    if any(s.filled for s in stages):
        return cycles == min(times)
    return cycles == min(whole) and cycles * (1 - WORTH) <= min(times)


WAITING = {
    "two engines fill from one main memory": (
        Shape(4, 8, 2, 3, 6, loads=("load", "load_b"), main=8), {"slots.acc": 2, "region.i_tile": 0, "region.k_tile": 1},
    ),
    "what computes and what fills meet at the banks": (Shape(scratchpad=3, banks=1), {"slots.acc": 1}),
    "all of it": (Shape(accumulators=2, scratchpad=3, banks=2, pads=64, main=16), {"stage.a": 1}),
}  # fmt: skip


@pytest.mark.parametrize("name", WAITING)
def test_the_best_of_all_plans_is_found_where_engines_wait_for_memories(name: str) -> None:
    """Every plan of a small question is timed. No bound is above the least time, so OPTIMAL is what it says."""
    shape, pins = WAITING[name]
    sizes = {"i": 20, "j": 13, "k": 11}
    proved = proved_mapping("gemm", "i=i,j=j,k=k", tuple(sizes.items()), shape)
    fixed = pins | {"tile.i_tile": 1, "tile.k_tile": 1, "tile.j_tile": 1}
    known = by_symbol("gemm", sizes)
    plan = schedule_stages([proved], machine(shape), known, pinned(fixed), 30.0, lower_stages)
    q = question(proved.mapping, machine(shape), known, fixed)
    assert q.problem.served
    times, whole = _times(proved, q, shape, known)
    assert len(whole) > 20 and max(whole) > 1.1 * min(whole)
    assert _is_best(plan.objective, plan.stages, times, whole) and plan.bound <= plan.objective


def test_the_same_question_has_the_same_plan() -> None:
    shape, sizes = Shape(4, 8, 2, 2, 8, further=12, fed="load"), {"i": 60, "j": 44, "k": 37}
    proved = proved_mapping("gemm", "i=i,j=j,k=k", tuple(sizes.items()), shape)
    plans = [
        schedule_stages([proved], machine(shape), by_symbol("gemm", sizes), (), 5.0, lower_stages) for _ in range(2)
    ]
    assert plans[0].stages == plans[1].stages and plans[0].loops == plans[1].loops
    assert (plans[0].objective, plans[0].bound) == (plans[1].objective, plans[1].bound)


@pytest.mark.parametrize("seed", range(24))
def test_the_model_has_every_plan_with_its_bound(seed: int) -> None:
    """Pinned to any legal plan, also of a size at which products of numbers of visits and ticks are long."""
    rng = random.Random(seed)
    shape = rng.choice((*SHAPES, *SHARED))
    sizes = {a: rng.choice([40, 1000, 2**14, 2**16]) for a in "ijk"}
    proved = proved_mapping("gemm", "i=i,j=j,k=k", tuple(sizes.items()), shape)
    problem = question(proved.mapping, machine(shape), by_symbol("gemm", sizes), {}).problem
    problem = replace(problem, memories=tuple((m, 2**40) for m, _ in problem.memories))
    d = random_decision(rng, problem)
    # a loop of one step is none, so that the model has one of its regions
    one = {a.name for a in problem.axes if -(-a.tiles // d.tiles[a.name]) == 1}
    chosen = {"tile": d.tiles, "region": d.regions, "stage": d.stages, "slots": d.slots, "via": d.ways}
    chosen["inside"] = {o.name: int(o.name in d.inside) for o in problem.stages}
    pins = {f"{w}.{n}": v for w, of in chosen.items() for n, v in of.items() if w != "region" or n not in one}
    answer = StagingModel(replace(problem, pins=tuple(pins.items()))).solve(10.0)
    assert answer.status == "OPTIMAL"
    assert answer.bound == max(paths(problem, choices(problem, d), Numbers()).values())
