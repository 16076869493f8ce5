"""The pool of the cheapest choices: CP-SAT's optimum, then the optimum of what is left, and so on.

Dozens of choices share the least price, because the outer tiles of an operand that is not fetched again cost nothing.
So two choices count as one kind when register tile, packing, and the part of each reduction that is done while the
accumulators stay open agree, and the pool holds the cheapest of each kind. After each answer a clause forbids its kind,
and no later answer may cost less than an earlier one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from isamap_encodings.schedule_model import ScheduleModel, build
from isamap_encodings.schedule_problem import Choice, ScheduleProblem
from isamap_encodings.schedule_solve import Answer, solve_model


def pool(problem: ScheduleProblem, deterministic_seconds: float, seed: int = 0) -> Iterator[Answer]:
    """The cheapest choice of each kind, one after another, cheapest first; each is solved for when it is asked for.

    That holds while every answer is OPTIMAL; after the last kind the pool ends. An answer that is FEASIBLE was cut short
    by the limit, which holds for each of them, and is the last.
    """
    model = build(problem)
    while True:
        answer = solve_model(problem, model, deterministic_seconds, seed=seed)
        if answer.choice is None or answer.cost is None:
            return
        yield answer
        if answer.status != "OPTIMAL":
            return
        model.model.add(model.objective >= answer.cost.total)
        model.model.add_bool_or(_otherwise(problem, model, answer.choice))


def _otherwise(problem: ScheduleProblem, model: ScheduleModel, choice: Choice) -> list[Any]:
    """Literals of which one is true exactly when a choice is of another kind."""
    found = [model.registers[choice.register].negated()]
    found += [literals[option].negated() for literals, option in zip(model.packing, choice.packing, strict=True)]
    for axis, literals, n in zip(problem.axes, model.chains, choice.chains, strict=True):
        if axis.reduction:
            part = axis.chains[n][1]
            found += [x for x, row in zip(literals, axis.chains, strict=True) if row[1] != part]
    return found


def kind(problem: ScheduleProblem, choice: Choice) -> tuple[Any, ...]:
    """What two choices of one kind agree in."""
    parts = (a.chains[n][1] for a, n in zip(problem.axes, choice.chains, strict=True) if a.reduction)
    return (choice.register, choice.packing, *parts)
