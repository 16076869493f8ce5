"""One owner for each of many blocks at the least price: of their work, of calls, and of values that change hands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from isamap_encodings import cp_sat
from isamap_encodings.without_pandas import cp_model

SECONDS = 5.0  # deterministic; a hundred blocks of four owners take tenths of one


@dataclass(frozen=True)
class Handed:
    """A value between blocks. writer: None if it is given from outside. leaves: it is a result.

    out, into: the price of taking it from its owner, and of giving it to another one, each paid once, by owner.
    """

    writer: str | None
    readers: tuple[str, ...]
    leaves: bool
    out: Mapping[str, int]
    into: Mapping[str, int]


@dataclass(frozen=True)
class Owners:
    """owners: by block. price: of all together; no choice costs less than `bound`."""

    owners: Mapping[str, str]
    price: int
    bound: int
    status: str


def cheapest_owners(
    work: Mapping[str, Mapping[str, int]], values: Sequence[Handed], calls: Mapping[str, int], home: str, away: int
) -> Owners:
    """The cheapest owners. work: the price of each block by each possible owner, one at least.

    calls: the price of one call of an owner, shared by blocks that hand values to each other. away: paid once unless
    all are at home.

    >>> costs = {"a": {"we": 5, "they": 1}, "b": {"we": 1, "they": 2}}
    >>> between = Handed("a", ("b",), False, {"they": 3}, {})
    >>> cheapest_owners(costs, [between], {"they": 1}, "we", 0)
    Owners(owners={'a': 'they', 'b': 'they'}, price=4, bound=4, status='OPTIMAL')
    """
    model = cp_model.CpModel()
    own = {b: {o: model.new_bool_var(f"{o} has {b}") for o in row} for b, row in work.items()}
    terms = [work[b][o] * x for b, row in own.items() for o, x in row.items()]
    for row in own.values():
        model.add_exactly_one(row.values())
    before: dict[str, list[str]] = {b: [] for b in work}
    for value in values:
        for reader in value.readers:
            before[reader] += [value.writer] if value.writer is not None else []

    def paid(price: int, least: Sequence[object], name: str) -> None:
        """The price, once, where one of these is positive."""
        if price > 0 and least:
            pays = model.new_bool_var(name)
            for expression in least:
                model.add(pays >= expression)
            terms.append(price * pays)

    for block, row in own.items():
        for owner, x in row.items():
            joined = sum(own[p][owner] for p in dict.fromkeys(before[block]) if owner in own[p])
            paid(calls.get(owner, 0), [x - joined], f"{owner} is called for {block}")
    for number, value in enumerate(values):
        written = {} if value.writer is None else own[value.writer]
        readers = [own[r] for r in value.readers]
        for owner, price in value.out.items():
            if owner in written:
                kept = [r.get(owner, 0) for r in readers]
                leaves = [written[owner]] if value.leaves else [written[owner] - k for k in kept]
                paid(price, leaves, f"{owner} gives {number}")
        for owner, price in value.into.items():
            paid(price, [r[owner] - written.get(owner, 0) for r in readers if owner in r], f"{owner} takes {number}")
    paid(away, [x for row in own.values() for o, x in row.items() if o != home], "away")
    model.minimize(sum(terms))
    solver, word = cp_sat.on_one_thread(model, SECONDS)
    if word not in ("OPTIMAL", "FEASIBLE"):  # time alone ends it without a choice
        one = {b: min(row, key=lambda o: (o != home, row[o])) for b, row in work.items()}
        return Owners(one, sum(work[b][o] for b, o in one.items()), 0, "UNKNOWN")
    found = {b: next(o for o, x in row.items() if solver.boolean_value(x)) for b, row in own.items()}
    return Owners(found, round(solver.objective_value), round(solver.best_objective_bound), word)
