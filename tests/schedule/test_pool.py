"""The pool holds the cheapest choice of every kind, cheapest first: compared with all choices of small problems."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from isamap_encodings.schedule_cost import evaluate
from isamap_encodings.schedule_model import pool

sys.path.insert(0, str(Path(__file__).parent))
from random_problems import random_problem

from tests.schedule.exhaustive import every_choice, kind


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", range(6))
def test_the_pool_holds_every_kind_at_its_least_price(seed: int) -> None:
    problem = random_problem(seed)
    least: dict[object, int] = {}
    for choice in every_choice(problem):
        cost = evaluate(problem, choice)
        if cost is not None:
            key = kind(problem, choice)
            least[key] = min(cost.total, least.get(key, cost.total))
    answers = [a for a, _ in zip(pool(problem, 20.0), range(12), strict=False)]
    assert all(a.status == "OPTIMAL" for a in answers)
    assert len(answers) == min(12, len(least))
    totals = [a.cost.total for a in answers if a.cost]
    assert totals == sorted(least.values())[: len(answers)]
    kinds = [kind(problem, a.choice) for a in answers if a.choice]
    assert len(set(kinds)) == len(answers)
    assert all(least[k] == t for k, t in zip(kinds, totals, strict=True))
