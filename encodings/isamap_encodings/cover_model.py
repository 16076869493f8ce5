"""The cheapest way to compute a value by instructions: one instruction for each part needed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from isamap_encodings import deadline

if TYPE_CHECKING:  # CP-SAT is loaded where a model is solved
    from isamap_encodings.without_pandas import cp_model

LIMIT = 1.0  # deterministic seconds; a value of twenty operations takes a tenth of one


@dataclass(frozen=True)
class Offer:
    """A way to make part number `part` of parts with the numbers `uses`, at a cost in ticks. rewritten: not as it was given."""

    part: int
    uses: tuple[int, ...]
    cost: int
    rewritten: bool = False


@dataclass(frozen=True)
class Cover:
    """The numbers of the offers taken, their cost, and a lower bound on the cost of any cover."""

    offers: tuple[int, ...]
    cost: int
    bound: int


def cheapest(
    offers: Sequence[Offer], wanted: int, limit: float = LIMIT, banned: Sequence[Collection[int]] = ()
) -> Cover | None:
    """The offers that make the wanted part and all parts they use, at the least cost; None if there is no way.

    A part used twice is made once. Of equally cheap ways, one with the fewest rewritten. No part uses itself,
    however far below: if offers go round in a circle, a part stands higher than the parts it uses. At the limit, in
    deterministic seconds, the best way found so far, and its bound. banned: covers not to be taken. Raises
    KeyboardInterrupt for Ctrl-C.
    """
    kept = list(range(len(offers))) if banned else list(_undominated(offers))
    first = _as_tree(offers, kept, wanted)
    if first is None:
        return None
    from isamap_encodings import cp_sat
    from isamap_encodings.without_pandas import cp_model

    weight = len({o.part for o in offers}) + 1
    model = cp_model.CpModel()
    taken = {n: model.new_bool_var(f"offer {n}") for n in kept}
    needed = _parts(model, offers, taken, wanted)
    _no_circles(model, offers, taken, needed)
    for cover in banned:
        model.add(sum(taken[n] for n in cover) < len(cover))
    model.minimize(sum((offers[n].cost * weight + offers[n].rewritten) * t for n, t in taken.items()))
    for n, t in taken.items():
        model.add_hint(t, n in first)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 0
    solver.parameters.max_deterministic_time = limit
    status, interrupted = cp_sat.run(solver, model, best=True)
    if interrupted:
        raise KeyboardInterrupt
    deadline.check()  # a way that was cut short is none to keep
    found = solver.status_name(status) in ("OPTIMAL", "FEASIBLE")
    if banned and not found:
        return None
    chosen = tuple(n for n, t in taken.items() if solver.value(t)) if found else tuple(sorted(first))
    bound = max(0, round(solver.best_objective_bound)) // weight
    return Cover(chosen, sum(offers[n].cost for n in chosen), bound)


def _undominated(offers: Sequence[Offer]) -> Iterator[int]:
    """Those for whose part no other offer uses a part of the same at no more cost; of equal ones the first."""
    ways: dict[int, list[int]] = {}
    for n in sorted(range(len(offers)), key=lambda n: (offers[n].cost, offers[n].rewritten, n)):
        o = offers[n]
        others = ways.setdefault(o.part, [])
        if o.part not in o.uses and not any(set(offers[k].uses) <= set(o.uses) for k in others):
            others.append(n)
    yield from sorted(n for found in ways.values() for n in found)


def _as_tree(offers: Sequence[Offer], kept: Sequence[int], wanted: int) -> set[int] | None:
    """A good way to begin with: the cheapest if parts used twice were made twice. None if there is no way."""
    best: dict[int, tuple[int, int]] = {}  # part -> (cost, offer)
    news = True
    while news:
        news = False
        for n in kept:
            o = offers[n]
            if all(u in best for u in o.uses):
                cost = o.cost + 1 + sum(best[u][0] for u in set(o.uses))
                if o.part not in best or cost < best[o.part][0]:
                    best[o.part], news = (cost, n), True
    if wanted not in best:
        return None
    found: set[int] = set()
    left = [wanted]
    while left:
        n = best[left.pop()][1]
        if n not in found:
            found.add(n)
            left += offers[n].uses
    return found


def _parts(
    model: cp_model.CpModel, offers: Sequence[Offer], taken: dict[int, cp_model.IntVar], wanted: int
) -> dict[int, cp_model.IntVar]:
    """part -> whether it is needed: the wanted one, and parts used by the ways taken; only these are made, each in one way."""
    ways: dict[int, list[int]] = {}
    users: dict[tuple[int, int], list[int]] = {}
    for n in taken:
        ways.setdefault(offers[n].part, []).append(n)
        for u in set(offers[n].uses):
            users.setdefault((u, offers[n].part), []).append(n)
    needed = {p: model.new_bool_var(f"part {p}") for p in ways}
    for p, found in ways.items():
        model.add(sum(taken[n] for n in found) == needed[p])
    using: dict[int, list[cp_model.IntVar]] = {}
    for (u, _), found in users.items():
        together = sum(taken[n] for n in found)  # ways of one part, of which one is taken
        model.add(together <= needed[u]) if u in needed else model.add(together == 0)
        using.setdefault(u, []).extend(taken[n] for n in found)
    for p, need in needed.items():
        if p == wanted:
            model.add(need == 1)
        else:
            model.add_bool_or([*using.get(p, []), need.negated()])
    return needed


def _no_circles(
    model: cp_model.CpModel,
    offers: Sequence[Offer],
    taken: dict[int, cp_model.IntVar],
    parts: dict[int, cp_model.IntVar],
) -> None:
    """Parts on a circle of uses have heights; an offer taken puts its part higher than the parts it uses."""
    group = _circles([offers[n] for n in taken])
    sizes = {p: sum(g == group[p] for g in group.values()) for p in parts}
    heights = {p: model.new_int_var(0, n - 1, f"height {p}") for p, n in sizes.items() if n > 1}
    for n, t in taken.items():
        o = offers[n]
        for u in set(o.uses):
            if u == o.part:  # a way that needs what it makes
                model.add(t == 0)
            elif group.get(u) == group[o.part]:
                model.add(heights[o.part] >= heights[u] + 1).only_enforce_if(t)


def _circles(offers: Sequence[Offer]) -> dict[int, int]:
    """Part -> the number of its group; parts of a group reach each other along uses (Tarjan's components)."""
    uses: dict[int, list[int]] = {}
    for o in offers:
        uses.setdefault(o.part, []).extend(o.uses)
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    group: dict[int, int] = {}
    open_parts: list[int] = []
    for start, below in uses.items():
        if start in order:
            continue
        work = [(start, iter(below))]
        order[start] = low[start] = len(order)
        open_parts.append(start)
        while work:
            part, rest = work[-1]
            following = next(rest, None)
            if following is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[part])
                if low[part] == order[part]:
                    while part not in group:
                        group[open_parts.pop()] = order[part]
            elif following not in order:
                order[following] = low[following] = len(order)
                open_parts.append(following)
                work.append((following, iter(uses.get(following, ()))))
            elif following not in group:
                low[part] = min(low[part], order[following])
    return group
