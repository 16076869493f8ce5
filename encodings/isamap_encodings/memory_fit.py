"""Whether blocks fit into a memory, each at one offset for as long as it is alive.

Blocks alive together do not overlap: one no-overlap constraint for each maximal live set. The order of placement
changes the time of a search by orders of magnitude, so several orders take turns, with CP-SAT's own search among them.
Turns are counted in conflicts: CP-SAT's deterministic seconds leave out most of the cost of a fixed order.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Any

from isamap_encodings import cp_sat, deadline
from isamap_encodings.without_pandas import cp_model

TURN, LONGEST = 100, 1_600  # conflicts of an order's first turn, and of its longest
LARGEST = 200_000  # blocks, summed over the live sets of a model: more are loaded in minutes, and none is solved


@dataclass(frozen=True)
class Block:
    """`size` cells, alive at the times t with first <= t < last."""

    first: int
    last: int
    size: int

    @property
    def long(self) -> int:
        """At how many times it is alive."""
        return self.last - self.first


@dataclass(frozen=True)
class Fit:
    """offsets: of each block in cells, if they were found. impossible: it is proved that there are none.

    order: the number of the order that answered. spent: conflicts. stopped: Ctrl-C or the deadline ended the search.
    """

    offsets: tuple[int, ...] | None = None
    impossible: bool = False
    order: int = 0
    spent: int = 0
    stopped: bool = False


def renumbered(blocks: Sequence[Block]) -> list[Block]:
    """The blocks with maximal live sets, numbered from 0, as times: two share one if and only if they are alive together.

    A live set is maximal if the next event after the last begin is an end.
    """
    begins, ends = sorted({b.first for b in blocks}), sorted({b.last for b in blocks})
    full = [t for t, after in pairwise([*begins, math.inf]) if bisect_right(ends, t) < bisect_right(ends, after)]
    return [Block(bisect_left(full, b.first), bisect_left(full, b.last), b.size) for b in blocks]


def loads(blocks: Sequence[Block]) -> list[int]:
    """Cells held at each time from 0 to the last end."""
    change = [0] * (max((b.last for b in blocks), default=0) + 1)
    for b in blocks:
        change[b.first] += b.size
        change[b.last] -= b.size
    return list(accumulate(change[:-1]))


def fit(blocks: Sequence[Block], capacity: int, limit: int, order: int = 0) -> Fit:
    """Offsets within a capacity, in cells, of renumbered blocks. limit: conflicts of all searches. order: the first one tried."""
    if max(loads(blocks), default=0) > capacity:
        return Fit(impossible=True, order=order)
    joined, members = _successors(blocks, capacity)
    offsets, spent = [0] * len(joined), 0
    for part in _parts(joined, capacity, offsets):
        found = _searched(renumbered([joined[n] for n in part.blocks]), part.capacity, limit - spent, order)
        spent, order = spent + found.spent, found.order
        if found.offsets is None:
            return replace(found, spent=spent)
        for n, offset in zip(part.blocks, found.offsets, strict=True):
            offsets[n] = part.base + offset
    whole = [0] * len(blocks)
    for offset, those in zip(offsets, members, strict=True):
        for n in those:
            whole[n] = offset
    return Fit(tuple(whole), order=order, spent=spent)


def _successors(blocks: Sequence[Block], capacity: int) -> tuple[list[Block], list[list[int]]]:
    """(blocks, members of each): blocks with the same cells in every solution are joined.

    If two sets in a row fill the memory, one block alone goes and one alone comes, then the second takes the cells
    of the first: everything else stays.
    """
    load = loads(blocks)
    goes: dict[int, list[int]] = {}
    comes: dict[int, list[int]] = {}
    for n, b in enumerate(blocks):
        goes.setdefault(b.last, []).append(n)
        comes.setdefault(b.first, []).append(n)
    before: dict[int, int] = {}
    for k in range(1, len(load)):
        old, new = goes.get(k, []), comes.get(k, [])
        if load[k - 1] == load[k] == capacity and len(old) == len(new) == 1:
            before[new[0]] = old[0]
    joined: list[Block] = []
    members: list[list[int]] = []
    place: dict[int, int] = {}
    for n in sorted(range(len(blocks)), key=lambda n: blocks[n].first):
        if n in before:
            at = place[n] = place[before[n]]
            joined[at] = Block(joined[at].first, blocks[n].last, blocks[n].size)
            members[at].append(n)
        else:
            place[n] = len(joined)
            joined.append(blocks[n])
            members.append([n])
    return joined, members


@dataclass(frozen=True)
class _Part:
    """Blocks that meet no others, and the cells they may take: `capacity` of them, from `base` on."""

    blocks: list[int]
    capacity: int
    base: int


def _parts(blocks: Sequence[Block], capacity: int, offsets: list[int]) -> Iterator[_Part]:
    """The parts to be searched. If a block lives as long as its whole part, it lies at the bottom: its offset is written.

    It cuts the memory in two at all times, so everything below it can change places with it.
    """
    left = [_Part(list(range(len(blocks))), capacity, 0)]
    while left:
        whole = left.pop()
        for part in _apart(whole.blocks, blocks):
            first, last = min(blocks[n].first for n in part), max(blocks[n].last for n in part)
            base, rest = whole.base, list[int]()
            for n in part:
                if (blocks[n].first, blocks[n].last) == (first, last):
                    offsets[n] = base
                    base += blocks[n].size
                else:
                    rest.append(n)
            inner = _Part(rest, whole.capacity - (base - whole.base), base)
            if len(rest) == len(part):
                yield inner
            elif rest:
                left.append(inner)


def _apart(some: list[int], blocks: Sequence[Block]) -> list[list[int]]:
    """The blocks in parts: none is alive together with one of another part."""
    parts = list[list[int]]()
    end = -1
    for n in sorted(some, key=lambda n: blocks[n].first):
        if blocks[n].first >= end:
            parts.append([])
        parts[-1].append(n)
        end = max(end, blocks[n].last)
    return parts


def _searched(blocks: Sequence[Block], capacity: int, limit: int, order: int) -> Fit:
    """The orders in turns, from `order` on, until one of them answers."""
    if sum(b.long for b in blocks) > LARGEST:
        return Fit(order=order, spent=limit)
    model, offsets = _model(blocks, capacity)
    orders = [*(_ordered(blocks, rule) for rule in _RULES), None]
    spent, turn = 0, TURN
    while spent < limit:
        for n in (order, *(n for n in range(len(orders)) if n != order)):
            found = _turn(model, offsets, orders[n], min(turn, limit - spent))
            spent += found.spent
            if found.offsets is not None or found.impossible:
                return replace(found, spent=spent, order=n)
            if found.stopped or spent >= limit:
                return replace(found, spent=spent, order=order)
        turn = min(2 * turn, LONGEST)
    return Fit(order=order, spent=spent)


def _model(blocks: Sequence[Block], capacity: int) -> tuple[Any, list[Any]]:
    """One no-overlap constraint for each live set."""
    model = cp_model.CpModel()
    offsets = [model.new_int_var(0, capacity - b.size, f"offset {n}") for n, b in enumerate(blocks)]
    cells = [model.new_fixed_size_interval_var(o, b.size, "") for o, b in zip(offsets, blocks, strict=True)]
    alive: list[list[Any]] = [[] for _ in loads(blocks)]
    for b, those in zip(blocks, cells, strict=True):
        for k in range(b.first, b.last):
            alive[k].append(those)
    for together in alive:
        model.add_no_overlap(together)
    return model, offsets


def _turn(model: Any, offsets: list[Any], order: list[int] | None, limit: int) -> Fit:
    """One search. Next comes the block that can lie lowest; ties follow the order. None: CP-SAT's own search."""
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 0
    solver.parameters.linearization_level = 0
    solver.parameters.max_number_of_conflicts = limit
    if order is not None:
        model = model.clone()
        chosen = [model.get_int_var_from_proto_index(offsets[n].index) for n in order]
        model.add_decision_strategy(chosen, cp_model.CHOOSE_LOWEST_MIN, cp_model.SELECT_MIN_VALUE)
        solver.parameters.search_branching = cp_model.FIXED_SEARCH
    status, interrupted = cp_sat.run(solver, model, best=True)
    spent, word = solver.num_conflicts + 1, solver.status_name(status)
    if word in ("OPTIMAL", "FEASIBLE"):
        values = solver.response_proto.solution
        return Fit(tuple([int(values[o.index]) for o in offsets]), spent=spent, stopped=interrupted)
    left = deadline.left()
    late = left is not None and left <= 0
    if late:
        deadline.stopped()
    return Fit(impossible=word == "INFEASIBLE", spent=spent, stopped=interrupted or late)


# Of a block, and the most cells held while it is alive: the largest is placed first.
_Rule = Callable[[Block, int], Any]
_RULES: tuple[_Rule, ...] = (
    lambda b, held: held**16 * b.long,
    lambda b, held: (held, b.long, b.size),
    lambda b, held: b.size * b.long,
    lambda b, held: b.size * b.long**2,
    lambda b, held: b.size**2 * b.long,
    lambda b, held: held**8 * b.long * b.size,
    lambda b, held: (b.long, b.size),
)


def _ordered(blocks: Sequence[Block], rule: _Rule) -> list[int]:
    load = loads(blocks)
    held = [max(load[b.first : b.last]) for b in blocks]
    return sorted(range(len(blocks)), key=lambda n: rule(blocks[n], held[n]), reverse=True)
