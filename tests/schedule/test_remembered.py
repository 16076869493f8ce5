"""A schedule problem is solved once in a process, unless somebody watches or the machine's load decided the answer."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import isamap_smt as im
from isamap_encodings import schedule_model
from isamap_encodings.schedule_model import Answer
from isamap_encodings.schedule_problem import ScheduleProblem
from isamap_smt import scheduling
from isamap_smt.ir.schedule import Schedule

sys.path.insert(0, str(Path(__file__).parent))
from machines import cube, hardware, proved


def _schedule(n: int, machine: str = "avx2", **options: Any) -> Schedule:
    return im.schedule(proved(machine=machine), hardware(machine), cube(n), **options)


@pytest.fixture
def solves(monkeypatch: pytest.MonkeyPatch) -> list[ScheduleProblem]:
    """The problems that are solved during the test; nothing is known before."""
    seen: list[ScheduleProblem] = []
    solve = scheduling.solve

    def counted(problem: ScheduleProblem, *rest: Any, **options: Any) -> Answer:
        seen.append(problem)
        return solve(problem, *rest, **options)

    monkeypatch.setattr(scheduling, "solve", counted)
    monkeypatch.setattr(scheduling, "_answers", type(scheduling._answers)())
    return seen


def test_the_same_problem_is_solved_once(solves: list[ScheduleProblem]) -> None:
    first, second = _schedule(200), _schedule(200)
    assert first == second and len(solves) == 1


def test_names_make_no_other_problem(solves: list[ScheduleProblem]) -> None:
    first = _schedule(200)
    other = proved("D[p,q] += E[p,r] * F[r,q]", "q")
    second = im.schedule(other, hardware("avx2"), {"p": 200, "q": 200, "r": 200})
    assert len(solves) == 1 and second.objective == first.objective
    assert [loop.axis for loop in second.loops] == ["pqr"["ijk".index(loop.axis)] for loop in first.loops]
    assert [p.operand for p in second.stages] == [p.operand for p in first.stages]


def test_operands_of_one_name_are_not_those_of_two(solves: list[ScheduleProblem]) -> None:
    _schedule(200)
    apart = solves[0]
    same = replace(apart, operands=tuple(replace(o, name="A") for o in apart.operands))
    assert apart.nameless() != same.nameless() == same.nameless().nameless()


def test_another_size_machine_or_limit_is_another_problem(solves: list[ScheduleProblem]) -> None:
    for n, machine, limit in ((200, "avx2", 60.0), (201, "avx2", 60.0), (200, "avx512", 60.0), (200, "avx2", 59.0)):
        _schedule(n, machine, timeout=limit)
    assert len(solves) == 4


def test_who_watches_sees_a_search(solves: list[ScheduleProblem]) -> None:
    seen: list[tuple[int, float, float]] = []
    first = _schedule(200)
    second = _schedule(200, progress=lambda *told: seen.append(told))
    assert len(solves) == 2 and seen[-1][1] == second.objective == first.objective


def test_what_the_wall_clock_ended_is_asked_again(
    solves: list[ScheduleProblem], monkeypatch: pytest.MonkeyPatch
) -> None:
    solver = schedule_model._solver

    def hurried(*arguments: Any) -> Any:
        made = solver(*arguments)
        made.parameters.max_time_in_seconds = 1e-3
        return made

    with monkeypatch.context() as patch, pytest.raises(im.IsamapError, match="the wall clock ended the search"):
        patch.setattr(schedule_model, "_solver", hurried)
        _schedule(1024)
    assert _schedule(1024).status == "OPTIMAL" and len(solves) == 2


def test_the_answers_not_used_for_longest_are_forgotten(
    solves: list[ScheduleProblem], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduling, "_KEPT", 2)
    for n in (8, 9, 8, 10, 8, 9):
        _schedule(n)
    assert [p.axes[0].extent for p in solves] == [8, 9, 10, 9]
