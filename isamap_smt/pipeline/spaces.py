"""The space of a search: the schedules of the best few mappings, each with CP-SAT's own choice in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from isamap_smt.ir.errors import ScheduleError
from isamap_smt.pipeline.choose import Candidates
from isamap_smt.pipeline.problems import nothing_scheduled
from isamap_smt.pipeline.split import without_split
from isamap_smt.scheduling import nothing, solved
from isamap_smt.scheduling.figures import DESCRIBED, Figures
from isamap_smt.scheduling.space import space
from isamap_smt.search import MappingSet
from isamap_smt.tuning.points import Point, Space
from isamap_smt.tuning.task import Task

TRIED = 2  # mappings that are scheduled
ASKED = 6  # mappings to look at for those: pins may name an axis missing in the first ones


@dataclass(frozen=True)
class Spaces:
    """The space, the search behind each of its mappings, and the exact solver's choice by `figures`."""

    space: Space
    mappings: tuple[MappingSet, ...]
    exact: Point
    notes: tuple[str, ...]


def spaces(task: Task, choice: Candidates, timeout: float, figures: Figures = DESCRIBED) -> Spaces:
    """The space of a task. Raises ScheduleError when none of the mappings can be scheduled."""
    parts: list[Any] = []
    found: list[MappingSet] = []
    best: tuple[int, Point] | None = None
    problems: list[tuple[str, str]] = []
    for mappings, proved in choice.found[:TRIED]:
        try:
            part = space(
                proved, task.hardware, dict(task.sizes), constant=task.constant, fix=without_split(task.pins),
                threads=task.threads, figures=figures,
            )  # fmt: skip
            part, answer = solved(part, timeout)
            if answer.choice is None or answer.cost is None:
                raise ScheduleError(nothing(part, answer, task.pins))
        except ScheduleError as error:
            problems.append((proved.mapping.id, str(error)))
            continue
        parts.append(part)
        found.append(mappings)
        if best is None or answer.cost.total < best[0]:
            best = (answer.cost.total, Point(len(parts) - 1, answer.choice))
    if best is None:
        raise nothing_scheduled(problems)
    return Spaces(Space(tuple(parts)), tuple(found), best[1], choice.notes)
