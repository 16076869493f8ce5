"""One of two ways for each of many things, at the least price in all: of each way, and of two ways together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from isamap_encodings import cp_sat
from isamap_encodings.without_pandas import cp_model

Pair = tuple[int, int, int, int]  # prices of (0, 0), (0, 1), (1, 0) and (1, 1)
SECONDS = 2.0  # deterministic; a network of some hundred values takes hundredths of one


@dataclass(frozen=True)
class Ways:
    """ways: 0 or 1 by name. price: of all of them; no choice costs less than `bound`."""

    ways: Mapping[str, int]
    price: int
    bound: int
    status: str


def cheapest(alone: Mapping[str, tuple[int, int]], together: Mapping[tuple[str, str], Pair]) -> Ways:
    """The cheapest ways. alone: prices of both ways of each name. together: prices of the ways of two names, on top.

    >>> cheapest({"a": (0, 3), "b": (5, 0)}, {("a", "b"): (0, 9, 9, 0)})
    Ways(ways={'a': 1, 'b': 1}, price=3, bound=3, status='OPTIMAL')
    """
    model = cp_model.CpModel()
    taken = {n: model.new_bool_var(n) for n in alone}
    price = sum(zero for zero, _ in alone.values())
    terms = [(one - zero) * taken[n] for n, (zero, one) in alone.items()]
    for (a, b), (none, second, first, both) in together.items():
        price += none
        terms += [(first - none) * taken[a], (second - none) * taken[b]]
        if more := none + both - first - second:
            met = model.new_bool_var(f"{a} and {b}")
            if more < 0:
                model.add(met <= taken[a])
                model.add(met <= taken[b])
            else:
                model.add(met >= taken[a] + taken[b] - 1)
            terms.append(more * met)
    model.minimize(price + sum(terms))
    # where agreeing costs no more than differing, its relaxation is exact: a minimum cut
    solver, word = cp_sat.on_one_thread(model, SECONDS, linearization_level=2)
    if word not in (
        "OPTIMAL",
        "FEASIBLE",
    ):  # nothing is forbidden, so there is a choice: time alone ends it without one
        return Ways(dict.fromkeys(alone, 0), price, 0, "UNKNOWN")
    found = {n: int(solver.boolean_value(x)) for n, x in taken.items()}
    return Ways(found, round(solver.objective_value), round(solver.best_objective_bound), word)
