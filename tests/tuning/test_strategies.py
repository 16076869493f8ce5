"""Strategies propose points of the space, each program once, and the same for the same seed and the same answers."""

from __future__ import annotations

import math

import pytest

from isamap_smt.ir.errors import UnknownNameError
from isamap_smt.pipeline.spaces import Spaces
from isamap_smt.tuning.models import Analytic
from isamap_smt.tuning.points import Point
from isamap_smt.tuning.protocols import (
    Context,
    CostModel,
    Strategy,
    cost_model_names,
    find_cost_model,
    find_strategy,
    strategy_names,
)
from isamap_smt.tuning.task import Task

NAMES = ("exact", "top-k", "heuristic", "evolutionary", "random")


@pytest.fixture(scope="module")
def model(task: Task) -> CostModel:
    return Analytic(Context(task.hardware, clock=3.0))


def maker(name: str):
    if name == "evolutionary":
        pytest.importorskip("optuna", reason="the evolutionary strategy needs Optuna: pip install isamap-smt[tune]")
    return find_strategy(name)


def walk(name: str, made: Spaces, model: CostModel, seed: int, count: int) -> list[Point]:
    """The first points, each answered with a time that follows from its program alone."""
    strategy = maker(name)(made.space, model, seed)
    assert isinstance(strategy, Strategy)
    found: list[Point] = []
    while len(found) < count and (points := strategy.ask(2)):
        for p in points:
            strategy.tell(p, 1e-6 * (1 + int(made.space.key(p), 16) % 1000))
        found += points
    return found


def test_all_of_them_are_found_by_entry_points() -> None:
    assert set(NAMES) <= set(strategy_names())
    assert {"analytic", "calibrated", "learned"} <= set(cost_model_names())


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_proposes_the_same_programs_once_each(name: str, made: Spaces, model: CostModel) -> None:
    first, again = (walk(name, made, model, 7, 4) for _ in range(2))
    assert first == again and first
    keys = [made.space.key(p) for p in first]
    assert len(set(keys)) == len(keys)
    assert all(math.isfinite(made.space.cycles(p)) for p in first)


@pytest.mark.parametrize("name", ["heuristic", "evolutionary", "random"])
def test_another_seed_proposes_others(name: str, made: Spaces, model: CostModel) -> None:
    assert walk(name, made, model, 7, 3) != walk(name, made, model, 8, 3)


def test_the_exact_choice_is_the_first_of_the_pool_and_no_strategy_predicts_less(
    made: Spaces, model: CostModel
) -> None:
    (exact,) = walk("exact", made, model, 0, 10)
    least = made.space.cycles(exact)
    assert least == made.space.cycles(made.exact)
    pooled = [made.space.cycles(p) for p in walk("top-k", made, model, 0, 8)]
    assert pooled[0] == least and pooled == sorted(pooled)
    for name in ("heuristic", "random"):
        assert min(made.space.cycles(p) for p in walk(name, made, model, 0, 3)) >= least


def test_the_heuristic_stops_where_no_single_decision_helps(made: Spaces, model: CostModel) -> None:
    point = walk("heuristic", made, model, 0, 1)[0]
    near = [made.space.cycles(p) for p in made.space.neighbours(point)]
    assert len(near) > 10 and min(near) >= made.space.cycles(point)


def test_a_point_means_the_same_schedule_at_other_prices(made: Spaces, task: Task) -> None:
    from isamap_smt.ir.instruction import Cost
    from isamap_smt.scheduling.figures import Figures

    name = made.space.parts[0].setting.mapping.instruction.name
    dear = Figures("a test", (("L2", "L1", 0.5),), (), ((name, Cost(50.0, 0.1)),))
    other = made.space.priced_by(dear)
    assert other.record(made.exact)["loops"] == made.space.record(made.exact)["loops"]
    assert other.cycles(made.exact) > 5 * made.space.cycles(made.exact)
    assert any("priced with a test" in n for n in other.schedule(made.exact).notes)


def test_an_unknown_name_lists_near_ones() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown strategy 'topk'; did you mean top-k"):
        find_strategy("topk")
    with pytest.raises(UnknownNameError, match=r"unknown cost model 'x'"):
        find_cost_model("x")
