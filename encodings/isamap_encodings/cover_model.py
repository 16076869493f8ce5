"""The cheapest way to compute a value by instructions: which instruction makes each part of it that is needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ortools.sat.python import cp_model

from isamap_encodings import stopping


@dataclass(frozen=True)
class Offer:
    """A way to make part number `part` of parts with the numbers `uses`, at a cost in ticks. rewritten: not as it was given."""

    part: int
    uses: tuple[int, ...]
    cost: int
    rewritten: bool = False


def cheapest(offers: Sequence[Offer], wanted: int) -> tuple[int, ...] | None:
    """The numbers of the offers that make the wanted part and all that they use, at the least cost; None where there is no way.

    A part that is used twice is made once. Of equally cheap ways, the one with fewest rewritten, then with offers further in front.
    No part uses itself, however far below: where offers go round in a circle, a part stands higher than what it uses. Raises
    KeyboardInterrupt for Ctrl-C.
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
    _no_circles(model, offers, taken)
    ties = len(offers) ** 2 + 1
    costs = [(o.cost * (len(offers) + 1) + o.rewritten) * ties + n for n, o in enumerate(offers)]
    model.minimize(sum(c * t for c, t in zip(costs, taken, strict=True)))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 0
    status, interrupted = stopping.run(solver, model)
    if interrupted:
        raise KeyboardInterrupt
    if solver.status_name(status) != "OPTIMAL":
        return None
    return tuple(n for n in range(len(offers)) if solver.value(taken[n]))


def _no_circles(model: cp_model.CpModel, offers: Sequence[Offer], taken: Sequence[cp_model.IntVar]) -> None:
    """Parts that may use each other have heights; what is taken makes a part higher than what it uses."""
    group = _circles(offers)
    heights: dict[int, cp_model.IntVar] = {}

    def height(part: int) -> cp_model.IntVar:
        if part not in heights:
            size = sum(g == group[part] for g in group.values())
            heights[part] = model.new_int_var(0, size - 1, f"height {part}")
        return heights[part]

    for n, o in enumerate(offers):
        for u in o.uses:
            if u == o.part:
                model.add(taken[n] == 0)
            elif group.get(u, -1) == group[o.part]:
                model.add(height(o.part) >= height(u) + 1).only_enforce_if(taken[n])


def _circles(offers: Sequence[Offer]) -> dict[int, int]:
    """Part -> the number of its group: parts of one group reach each other through what offers use (Tarjan's components)."""
    uses: dict[int, list[int]] = {}
    for o in offers:
        uses.setdefault(o.part, []).extend(o.uses)
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    group: dict[int, int] = {}
    open_parts: list[int] = []
    for start in uses:
        if start in order:
            continue
        work = [(start, iter(uses.get(start, ())))]
        order[start] = low[start] = len(order)
        open_parts.append(start)
        while work:
            part, rest = work[-1]
            nxt = next(rest, None)
            if nxt is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[part])
                if low[part] == order[part]:
                    while part not in group:
                        group[open_parts.pop()] = order[part]
            elif nxt not in order:
                order[nxt] = low[nxt] = len(order)
                open_parts.append(nxt)
                work.append((nxt, iter(uses.get(nxt, ()))))
            elif nxt not in group:
                low[part] = min(low[part], order[nxt])
    return group
