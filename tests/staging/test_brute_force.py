"""The scheduler of stages finds the least ticks of all plans, by trying them all where they are few, and says so."""

from __future__ import annotations

import pytest
from small_problems import decisions, small_problem, ticks

from isamap_encodings.staging_model import solve_staging
from isamap_encodings.staging_problem import Numbers, before, choices, cost, legal
from tests.families import part

CASES = [(seed, further) for further, count in ((False, 80), (True, 200)) for seed in range(count)]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("case", part(CASES, lambda c: c[0] < 20), ids=str)
def test_the_best_of_all_plans_is_found(case: tuple[int, bool]) -> None:
    """(seed, whether tiles may come through a further memory, or past it)."""
    problem = small_problem(*case)
    least = min((ticks(problem, d) for d in decisions(problem)), default=None)
    answer = solve_staging(problem)
    if least is None:
        assert (answer.status, answer.decision) == ("INFEASIBLE", None)
        return
    assert (answer.status, answer.ticks, answer.bound) == ("OPTIMAL", least, least), problem
    assert answer.decision is not None
    assert legal(problem, answer.decision) and ticks(problem, answer.decision) == answer.ticks
    pins = dict(problem.pins)
    for what, chosen in (
        ("tile", answer.decision.tiles), ("region", answer.decision.regions), ("stage", answer.decision.stages),
        ("slots", answer.decision.slots), ("via", answer.decision.ways),
    ):  # fmt: skip
        assert all(pins.get(f"{what}.{n}", v) == v for n, v in chosen.items())


@pytest.mark.parametrize("further", [False, True])
def test_what_is_before_and_after_is_part_of_the_whole(further: bool) -> None:
    looked_at = 0
    for seed in range(6):
        problem = small_problem(seed, further)
        for d in decisions(problem):
            price = cost(problem, choices(problem, d), Numbers())
            assert 0 <= before(problem, d) <= price.total - price.last and price.last >= 0, (problem, d)
            looked_at += 1
    assert looked_at > 100
