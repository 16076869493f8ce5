"""The cheapest way to compute a value by instructions: which instruction makes each part of it that is needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ortools.sat.python import cp_model

from isamap_encodings import stopping


@dataclass(frozen=True)
class Offer:
    """A way to make part number `part` of parts with the numbers `uses`, at a cost in ticks."""

    part: int
    uses: tuple[int, ...]
    cost: int


def cheapest(offers: Sequence[Offer], wanted: int) -> tuple[int, ...] | None:
    """The numbers of the offers that make the wanted part and all that they use, at the least cost; None where there is no way.

    A part that is used twice is made once. Of equally cheap ways, the one with offers further in front. No part may use itself,
    however far below: parts are of a value, and what they use is smaller. Raises KeyboardInterrupt for Ctrl-C.
    """
    model = cp_model.CpModel()
    taken = [model.new_bool_var(f"offer {n}") for n in range(len(offers))]
    made: dict[int, list[int]] = {}
    for n, o in enumerate(offers):
        made.setdefault(o.part, []).append(n)
    for ways in made.values():
        model.add_at_most_one(taken[n] for n in ways)
    if wanted not in made:
        return None
    model.add_exactly_one(taken[n] for n in made[wanted])
    for n, o in enumerate(offers):
        for u in o.uses:
            model.add_bool_or([*(taken[k] for k in made.get(u, ())), taken[n].negated()])
    ties = len(offers) ** 2 + 1
    model.minimize(sum((o.cost * ties + n) * taken[n] for n, o in enumerate(offers)))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 0
    status, interrupted = stopping.run(solver, model)
    if interrupted:
        raise KeyboardInterrupt
    if solver.status_name(status) != "OPTIMAL":
        return None
    return tuple(n for n in range(len(offers)) if solver.value(taken[n]))
