"""The model of staged plans finds the least bound of all, by trying them all where they are few; and then that of those left."""

from __future__ import annotations

import pytest
from small_problems import decisions, small_problem, ticks

from isamap_encodings.staging_model import StagingModel
from isamap_encodings.staging_problem import StagingDecision, legal
from tests.families import part

CASES = [
    (seed, further, shared)
    for further, shared, count in ((False, False, 80), (True, False, 200), (False, True, 60), (True, True, 60))
    for seed in range(count)
]
SECONDS = 30.0


@pytest.mark.one_in(4)
@pytest.mark.parametrize("case", part(CASES, lambda c: c[0] < 20), ids=str)
def test_the_least_bound_of_all_plans_is_found(case: tuple[int, bool, bool]) -> None:
    """(seed, whether tiles may come through a further memory, or past it; whether memories serve one use after the other)."""
    problem = small_problem(*case)
    every = [(ticks(problem, d), d) for d in decisions(problem)]
    answer = StagingModel(problem).solve(SECONDS)
    if not every:
        assert (answer.status, answer.decision) == ("INFEASIBLE", None)
        return
    least = min(t for t, _ in every)
    assert (answer.status, answer.bound) == ("OPTIMAL", least), problem
    assert answer.decision is not None
    assert legal(problem, answer.decision) and ticks(problem, answer.decision) == least
    pins = dict(problem.pins)
    for what, chosen in (
        ("tile", answer.decision.tiles), ("region", answer.decision.regions), ("stage", answer.decision.stages),
        ("slots", answer.decision.slots), ("via", answer.decision.ways),
    ):  # fmt: skip
        assert all(pins.get(f"{what}.{n}", v) == v for n, v in chosen.items())


def core(d: StagingDecision) -> tuple[dict[str, int], ...]:
    return d.tiles, d.regions, d.stages, d.ways


@pytest.mark.parametrize("case", [(seed, seed % 2 == 1) for seed in range(8)], ids=str)
def test_plans_that_are_forbidden_or_bounded_out_are_not_given_again(case: tuple[int, bool]) -> None:
    """One after the other, bounds grow until none is left below; those of the rest are no smaller."""
    problem = small_problem(*case)
    every = [(ticks(problem, d), d) for d in decisions(problem)]
    if not every:
        return
    model, seen, last = StagingModel(problem), [], 0
    model.below(limit := sorted(t for t, _ in every)[min(len(every) - 1, 40)])
    while (answer := model.solve(SECONDS)).decision is not None:
        assert core(answer.decision) not in seen and last <= answer.bound < limit
        seen.append(core(answer.decision))
        last = answer.bound
        model.forbid(answer.decision)
        if len(seen) == 6:
            return
    left = {t for t, d in every if t < limit and core(d) not in seen}
    # a loop of one step stands nowhere, so that plans that differ in its region alone are one
    assert answer.status == "INFEASIBLE" and left <= {t for t, d in every if core(d) in seen or t >= last}
