"""The time of a program for engines as a product of matrices over (max, +): exact, in the length of its text.

State: when each engine is free, and when the last signals of each counter were made. A use sets its engine, and its
signalled counters, to

    t = max(its engine, its awaited signals) + its cycles

Every await looks back by the same number of signals at all iterations, so the body of a loop is a matrix and n
iterations of the same cycles are its n-th power, by squaring. Iterations that differ (rims, padding) are grouped by
their cycles.

If engines wait for each other at a memory, their order decides, and no matrix says it: see
isamap_smt.simulator.queues. Programs of another form are run, use by use.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
import sympy as sp

from isamap_smt.ir.expr import Element, evaluate, symbols_of
from isamap_smt.ir.program import If, Issued, Loop, Node, Program
from isamap_smt.simulator.engine_text import AnotherFormError, EngineText, TimedLoop, TimedUse, Timing, Work
from isamap_smt.simulator.orders import timed
from isamap_smt.simulator.queues import Queues
from isamap_smt.simulator.service import in_cycles, limited, of_whole_tiles
from isamap_smt.simulator.sites import elaborate

NEVER = -np.inf
MANY = 1 << 13  # uses that are looked at, at most, where iterations differ
RUN = 1 << 21  # uses that are run one by one, at most
Array = np.ndarray


def timing(program: Program, sizes: Mapping[str, int], computes: Collection[str] = ()) -> Timing:
    """The timing of the program at these sizes, as of a timed run. computes: names of computing instructions.

    Raises LanguageError as elaborate() for a program without engines.
    """
    try:
        text = _Matrices(program, sizes, frozenset(computes))
        return Queues(text).timing() if text.shared or (text.memories and text.estimate) else text.timing()
    except AnotherFormError as why:
        return _run(program, sizes, frozenset(computes), str(why))


class _Matrices(EngineText):
    def __init__(self, program: Program, sizes: Mapping[str, int], computes: frozenset[str]) -> None:
        super().__init__(program, sizes, computes)
        self._rows()
        self.estimate = ""
        if sum(map(self._looked_at, self.top)) > MANY:
            self.estimate = "an estimate, as tiles differ at many iterations: each takes the mean of its kind"
        if self.estimate and not self.memories:
            self._take_means()

    def _looked_at(self, node: TimedUse | TimedLoop) -> int:
        """How many uses are looked at one by one."""
        if isinstance(node, TimedUse) or node.only is not None:
            return 1
        return sum(min(n, 2) for _, n in node.groups) * sum(map(self._looked_at, node.body))

    def _take_means(self) -> None:
        """Every use takes the mean of its own."""
        for u, (_, ticks) in zip(self.uses, self.totals, strict=True):
            u.start, u.each, u.factors = ticks / max(prod(x.trips for x in u.path), 1), 0.0, []
            u.issued = []
        for loop in self.loops:
            loop.groups = [(0, loop.trips)]

    # ---- The state.

    def _rows(self) -> None:
        """Rows: engines, the end of computing uses, and of each awaited counter the last signals, the latest first."""
        kept: dict[str, int] = {}
        for u in self.uses:
            for counter, lag in u.awaits:
                kept[counter] = max(kept.get(counter, 1), lag + 1)
        self.computed = len(self.engines)
        at: dict[str, int] = {}
        self.size = len(self.engines) + 1
        for counter, most in kept.items():
            at[counter] = self.size
            self.size += most
        for u in self.uses:
            u.rows = [u.engine, *(at[c] + lag for c, lag in u.awaits if lag >= 0)]
            u.signals = [(at[c], kept[c]) for c in u.node.signals if c in at]
            if u.node.instruction.name in self.computes:
                u.signals.append((self.computed, 1))
            for loop in u.path:
                loop.touched += [u.engine, *(r for row, n in u.signals for r in range(row, row + n)), *u.rows]
        for loop in self.loops:
            loop.touched = sorted(set(loop.touched))

    def timing(self) -> Timing:
        """Of the whole program."""
        state = self._begin()
        for node in self.top:
            self._apply(node, state, {})
        cycles, last = float(state[: len(self.engines)].max(initial=0.0)), float(state[self.computed, 0])
        first = self._first() if self.computes else None
        whole, begins, ends = (in_cycles(t, self.scale) for t in (cycles, first or 0.0, max(last, 0.0)))
        return Timing(whole, begins, ends if last > NEVER else whole, self.work(), self.estimate, self.served())

    def _begin(self) -> Array:
        state = np.full((self.size, 1), NEVER)
        state[: len(self.engines)] = 0
        return state

    def _first(self) -> float | None:
        """When the first computing use begins: everything above it is done once."""
        state, body, at = self._begin(), self.top, dict.fromkeys((x.number for x in self.loops), 0)
        while True:
            here = next((n for n in body if self._holds(n)), None)
            if here is None:
                return None
            for node in body[: body.index(here)]:
                self._apply(node, state, at)
            if isinstance(here, TimedUse):
                return float(state[here.rows].max())
            body = here.body

    def _holds(self, node: TimedUse | TimedLoop) -> bool:
        """Whether it computes."""
        return (
            node.node.instruction.name in self.computes
            if isinstance(node, TimedUse)
            else any(map(self._holds, node.body))
        )

    def _apply(self, node: TimedUse | TimedLoop, state: Array, at: dict[int, int]) -> None:
        """The state after a node, in place. at: iteration of each loop around; columns: one for each row at the begin."""
        if isinstance(node, TimedUse):
            return _issue(node, state, node.ticks(at))
        only = node.only
        if only is not None:
            return _issue(only, state, only.sum_over(node, at))
        for first, count in node.groups:
            at[node.number] = first
            if count < 3:
                for _ in range(count):
                    for inner in node.body:
                        self._apply(inner, state, at)
                continue
            rows = node.touched
            body = np.full((self.size, len(rows)), NEVER)
            body[rows, np.arange(len(rows))] = 0
            for inner in node.body:
                self._apply(inner, body, at)
            state[rows] = _times(_power(body[rows], count), state[rows])
        return None


def _issue(u: TimedUse, state: Array, ticks: float) -> None:
    t = state[u.rows].max(axis=0) + ticks
    state[u.engine] = t
    for row, kept in u.signals:
        if kept > 1:
            state[row + 1 : row + kept] = state[row : row + kept - 1].copy()
        state[row] = t


def _times(a: Array, b: Array) -> Array:
    """The product over (max, +)."""
    return np.asarray((a[:, :, None] + b[None, :, :]).max(axis=1))


def _power(a: Array, n: int) -> Array:
    """a to the n, at least 1, over (max, +)."""
    found = None
    while True:
        if n & 1:
            found = a if found is None else _times(a, found)
        n >>= 1
        if not n:
            assert found is not None
            return found
        a = _times(a, a)


# ---- Programs of another form.


def _run(program: Program, sizes: Mapping[str, int], computes: frozenset[str], why: str) -> Timing:
    """Use by use; if these are too many, or get stuck, the busiest engine's work of whole tiles, as an estimate."""
    if _count(program.body, sizes) > RUN:
        return _estimated(program, sizes, f"an estimate, as {why}")
    elaborated = elaborate(program, sizes)
    order = timed(elaborated)
    if order.done != [len(q.sites) for q in elaborated.queues]:
        return _estimated(program, sizes, "an estimate, as engines wait for each other")
    heads = [0] * len(elaborated.queues)
    found: dict[tuple[str, str], list[Any]] = {}
    computing = []
    for engine, (begin, end) in zip(order.steps, order.times, strict=True):
        queue = elaborated.queues[engine]
        site, iteration = elaborated.sites[queue.sites[heads[engine]]], queue.iterations[heads[engine]]
        name = site.use.instruction.name
        heads[engine] += 1
        n, total = found.setdefault((queue.name, name), [0, 0])
        found[queue.name, name] = [n + 1, total + site.cycles[iteration]]
        if name in computes:
            computing.append((begin, end))
    cycles = max((end for _, end in order.times), default=0)
    work = tuple(Work(*key, n, total) for key, (n, total) in found.items())
    served = dict.fromkeys(elaborated.memories, 0.0)
    for site in elaborated.sites:
        for m, ticks in site.served:
            served[elaborated.memories[m]] += sum(ticks) / elaborated.scale
    first = min((begin for begin, _ in computing), default=0)
    return Timing(cycles, first, max((end for _, end in computing), default=cycles), work, served=tuple(served.items()))


def _estimated(program: Program, sizes: Mapping[str, int], why: str) -> Timing:
    found: dict[tuple[str, str], list[Any]] = {}
    memories = limited(program.machine)
    served = {m.name: 0.0 for m in memories}
    for use, times in _counted(program.body, sizes, 1):
        i = use.instruction
        for m, cycles in of_whole_tiles(i, memories):
            served[m] += times * float(cycles)
        n, total = found.setdefault((i.engine, i.name), [0, 0])
        whole = i.occupies.cycles(prod(i.axes[a] for a in i.occupies.per))
        found[i.engine, i.name] = [n + times, total + times * whole]
    work = tuple(Work(*key, n, total) for key, (n, total) in found.items())
    busy: dict[str, float] = {}
    for w in work:
        busy[w.engine] = busy.get(w.engine, 0) + w.cycles
    most = max([*busy.values(), *served.values()], default=0)
    return Timing(most, 0, most, work, why, tuple(served.items()))


def _count(body: Sequence[Node], sizes: Mapping[str, int]) -> int:
    """How many uses a body has; loops whose trips are not the same at all iterations count once."""
    return sum(times for _, times in _counted(body, sizes, 1))


def _counted(body: Sequence[Node], sizes: Mapping[str, int], around: int) -> Iterator[tuple[Issued, int]]:
    for node in body:
        if isinstance(node, Issued):
            yield node, around
        elif isinstance(node, Loop):
            trips = sp.sympify(node.trips)
            known = symbols_of([trips]) <= set(sizes) and not trips.has(Element)
            yield from _counted(node.body, sizes, around * (max(0, int(evaluate(trips, dict(sizes)))) if known else 1))
        elif isinstance(node, If):  # at most
            yield from _counted(node.body, sizes, around)


__all__ = ["Timing", "Work", "timing"]
