"""CP-SAT's optimum is the cheapest of all choices, priced by code that knows no solver."""

from __future__ import annotations

import sys
from functools import cache
from itertools import product
from pathlib import Path

import pytest

from isamap_encodings import schedule_model
from isamap_encodings.schedule_cost import evaluate, first_walks, in_bursts, overlapped
from isamap_encodings.schedule_model import solve
from isamap_encodings.schedule_problem import (
    Choice,
    Component,
    Part,
    RegisterTile,
    ScheduleProblem,
    TileAxis,
    TileOperand,
)
from isamap_smt.scheduling.figures import FARTHEST, NEAREST, core_model
from tests.families import part

sys.path.insert(0, str(Path(__file__).parent))
from random_problems import enlarged, random_problem

from tests.schedule import exhaustive

brute_force = cache(exhaustive.brute_force)  # several tests look at the same problems

SEEDS = range(16)
CORE = core_model(FARTHEST)
SHARED = (3, 12)  # of SEEDS: between them their best choices share every kind of loop
BURSTS = 15  # of SEEDS: what comes in bursts is waited for in its best choice


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", part(SEEDS, lambda s: s % 2 == 1 or s in SHARED))
def test_the_optimum_is_the_cheapest_choice(seed: int) -> None:
    problem = random_problem(seed)
    best = brute_force(problem)
    answer = solve(problem, 20.0)
    if best is None:
        assert answer.status == "INFEASIBLE"
        return
    assert answer.status == "OPTIMAL"
    assert answer.cost is not None and answer.choice is not None
    assert answer.cost.total == answer.bound == best[0]
    assert evaluate(problem, answer.choice) == answer.cost


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", [1, 2, 7, 8, 15])
def test_so_it_is_at_the_costs_of_large_kernels(seed: int) -> None:
    """CP-SAT 9.15 called two of these infeasible, or proved another optimum (or-tools issues 5274 and 5293)."""
    problem = enlarged(random_problem(seed), 10_000_000)
    best, answer = brute_force(problem), solve(problem, 20.0)
    assert best is not None and answer.cost is not None
    assert (answer.status, answer.cost.total, answer.bound) == ("OPTIMAL", best[0], best[0])


@pytest.mark.parametrize("seed", [1, 3, 7, 13])
def test_a_search_that_ends_early_is_followed_by_another(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    problem, told = random_problem(seed), []
    best = brute_force(problem)
    monkeypatch.setattr(schedule_model, "SEARCHES", ((1e-9, 0), (1.0, 1)))
    answer = solve(problem, 60.0, lambda n, cost, bound: told.append(n))
    assert best is not None and answer.cost is not None
    assert (answer.status, answer.cost.total, answer.stopped) == ("OPTIMAL", best[0], "")
    assert told == list(range(1, answer.solutions + 1))
    monkeypatch.setattr(schedule_model, "SEARCHES", ((1e-9, 0), (1e-9, 1)))
    cut = solve(problem, 1.0)
    assert cut.status in ("FEASIBLE", "UNKNOWN") and cut.stopped == "deterministic limit"
    assert cut.bound <= best[0] <= (cut.cost.total if cut.cost else best[0])


def test_bursts_decide_one_of_them() -> None:
    """What comes into a cache in a share of the time only is waited for, although the link is idle for longer than it works."""
    problem = random_problem(BURSTS)
    best = brute_force(problem)
    cost = evaluate(problem, best[1]) if best else None
    assert BURSTS in SEEDS and problem.overlap and not problem.parallelizable and cost is not None
    beside = cost.exposed + cost.scopes + cost.packing + cost.in_place
    smooth = overlapped(cost.compute, list(cost.links), problem.core) + beside
    assert cost.total > smooth * problem.threads


def _four_and_eight_walks() -> tuple[ScheduleProblem, Choice]:
    """Each element of b is used by four register tiles and comes once; of a by eight."""
    axes = (TileAxis("i", 16, False, ((4, 4, 16),)), TileAxis("j", 64, False, ((8, 8, 32),)))
    rows = (Component((0,), ((Part(0, 1, 1, 16),),)),)
    columns = (Component((1,), ((Part(1, 1, 1, 64),),)),)
    a = TileOperand("a", 4, False, rows, (1, 1), (0, 0), (0, 0))
    b = TileOperand("b", 4, False, columns, (1, 1), (0, 0), (0, 0))
    registers = (RegisterTile((4, 8), 1003, 0, (0, 0)),)
    problem = ScheduleProblem(CORE, axes, (a, b), registers, (10_000, 10_000), ((1, 0),))
    return problem, Choice(0, (0, 0), (0, 0), (0, 0))


def test_the_walks_that_bring_something_new() -> None:
    problem, choice = _four_and_eight_walks()
    assert first_walks(problem, choice, 1, 2) == 1003 // 4
    assert first_walks(problem, choice, 0, 2) == 1003 // 8


def test_more_sweeps_never_hide_more_than_their_share() -> None:
    """Else a model in which a sweep may count twice would find choices cheaper than they are."""
    for compute, walks, link in product((999, 10_000_003), (3, 7, 1000), (1, 400, 10_000_000)):
        for refetches in range(1, walks):
            once = in_bursts(compute, [(compute // walks * refetches, link * refetches)], CORE)
            assert once <= in_bursts(compute, [(compute // walks * (refetches + 1), link * (refetches + 1))], CORE)


def test_the_problems_let_two_and_three_threads_share_every_kind_of_loop() -> None:
    """Of each kind some best choice was compared above: either axis, outermost and inner, for cycles and for energy."""
    kinds = set()
    assert set(SHARED) <= set(SEEDS)
    for problem in map(random_problem, SHARED):
        best = brute_force(problem)
        cost = evaluate(problem, best[1]) if best else None
        if cost is not None and cost.shared is not None:
            block, axis = cost.shared
            kinds |= {
                problem.threads,
                f"axis {axis}",
                f"overlap {problem.overlap}",
                f"outermost {block == problem.levels}",
            }
    assert kinds == {
        2, 3, "axis 0", "axis 1", "overlap True", "overlap False", "outermost True", "outermost False",
    }  # fmt: skip


def test_operands_of_one_byte_with_equal_footprints() -> None:
    """Their footprints are one expression of the model, which must not change when they are added up."""
    axis = TileAxis("i", 40, False, ((1, 4, 40), (1, 8, 8), (4, 4, 20), (4, 8, 40)))
    along = (Component((0,), ((Part(0, 1, 1, 40),),)),)
    operands = tuple(TileOperand(n, 1, n == "y", along, (3, 2), (1, 1), (1, 1)) for n in ("a", "b", "y"))
    registers = (RegisterTile((1,), 400, 40, (0, 0, 0)), RegisterTile((4,), 100, 60, (0, 0, 0)))
    for capacities in ((12, 60), (24, 120), (200, 200)):
        problem = ScheduleProblem(CORE, (axis,), operands, registers, capacities, ((0,),))
        best, answer = brute_force(problem), solve(problem, 20.0)
        assert best is not None and answer.cost is not None
        assert (answer.status, answer.cost.total) == ("OPTIMAL", best[0])


def _tight_problems() -> list[ScheduleProblem]:
    tight = [random_problem(seed, capacity) for seed in range(100, 108) for capacity in (50, 300)]
    return [p for p in tight if p.levels == 2]


def test_what_fits_no_cache_is_infeasible_for_both() -> None:
    verdicts = [(brute_force(p) is None, solve(p, 20.0).status) for p in _tight_problems()]
    assert all((none and word == "INFEASIBLE") or (not none and word == "OPTIMAL") for none, word in verdicts)
    assert {none for none, _ in verdicts} == {True, False}


def test_the_same_problem_has_the_same_answer() -> None:
    problem = random_problem(5)
    first, second = solve(problem, 20.0), solve(problem, 20.0)
    assert (first.choice, first.cost, first.bound) == (second.choice, second.cost, second.bound)


@pytest.mark.parametrize(("compute", "link"), [(0, 0), (100, 10), (100, 100), (10, 100), (7, 3)])
def test_overlapping_is_between_the_slowest_and_the_sum(compute: int, link: int) -> None:
    for delaying in (NEAREST, 6, FARTHEST):
        assert max(compute, link) <= overlapped(compute, [link], core_model(delaying)) <= compute + link
