"""All choices of a small schedule problem, one after another: what the solver's answers are compared with."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from isamap_encodings.schedule_cost import evaluate
from isamap_encodings.schedule_problem import Choice, ScheduleProblem


def brute_force(problem: ScheduleProblem) -> tuple[int, Choice] | None:
    """The cheapest choice by trying all; None when there is none. For small spaces only."""
    priced = (
        (cost.total, choice) for choice in every_choice(problem) if (cost := evaluate(problem, choice)) is not None
    )
    return min(priced, key=lambda x: x[0], default=None)


def every_choice(problem: ScheduleProblem) -> Iterator[Choice]:
    """All choices, those included that are not in the space."""
    chains = product(*(range(len(a.chains)) for a in problem.axes))
    for picked in chains:
        for r, o, p in product(
            range(len(problem.registers)),
            product(range(len(problem.orders)), repeat=problem.levels),
            product(*(x.options for x in problem.operands)),
        ):
            yield Choice(r, picked, o, p)


def kind(problem: ScheduleProblem, choice: Choice) -> tuple[Any, ...]:
    """What two choices of one kind agree in."""
    parts = (a.chains[n][1] for a, n in zip(problem.axes, choice.chains, strict=True) if a.reduction)
    return (choice.register, choice.packing, *parts)
