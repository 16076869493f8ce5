"""The order in which the uses complete: by time, or as an adversary chooses. Counters alone decide whether a use can begin.

A use that may begin stays so, as counters only grow. So every order ends with the same uses done, and a deadlock in
one of them is a deadlock in all.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from isamap_smt.simulator.service import in_cycles, in_ticks
from isamap_smt.simulator.sites import Elaborated

RARELY = 200  # an adversary that favours an engine lets another go first once in so many steps


@dataclass(frozen=True, eq=False)
class Order:
    """steps: the engine of each use, in the order of completion. done: completed uses of each engine. counts: of each counter.

    times: start and end of each step; empty if no time was kept.
    """

    steps: list[int]
    done: list[int]
    counts: list[int]
    times: list[tuple[Any, Any]]


class _Heads:
    """The next use of each engine, and the counters."""

    def __init__(self, elaborated: Elaborated) -> None:
        self.sites = elaborated.sites
        self.queues = elaborated.queues
        self.next = [0] * len(self.queues)
        self.counts = [0] * len(elaborated.counters)
        self.steps: list[int] = []

    def ready(self, engine: int) -> bool:
        """Whether the engine has a next use whose awaits hold."""
        queue, at = self.queues[engine], self.next[engine]
        if at >= len(queue.sites):
            return False
        iteration, counts = queue.iterations[at], self.counts
        return all(counts[counter] >= amounts[iteration] for counter, amounts in self.sites[queue.sites[at]].awaits)

    def complete(self, engine: int) -> None:
        """The engine's next use is complete."""
        at = self.next[engine]
        for counter in self.sites[self.queues[engine].sites[at]].signals:
            self.counts[counter] += 1
        self.next[engine] = at + 1
        self.steps.append(engine)


def timed(elaborated: Elaborated) -> Order:
    """The timed order.

    Each engine begins its next use as soon as it is free and the awaits hold. It completes the use after its cycles,
    once all memories it moves something in have served it. Each of these serves one use after the other, as they begin.

    At equal times, uses complete before uses that memories serve begin; the latter begin in the order of their engines.
    """
    heads = _Heads(elaborated)
    scale = elaborated.scale
    work = [[in_ticks(c, scale) for c in s.cycles] if elaborated.memories else s.cycles for s in elaborated.sites]
    free: list[Any] = [0] * len(elaborated.memories)
    busy: list[tuple[Any, int]] = []
    idle = set(range(len(heads.queues)))
    begins: list[Any] = [0] * len(heads.queues)
    times: list[tuple[Any, Any]] = []
    now: Any = 0

    while True:
        waiting = []
        for engine in sorted(idle):
            if heads.ready(engine):
                queue, at = heads.queues[engine], heads.next[engine]
                site, iteration = queue.sites[at], queue.iterations[at]
                at_all = heads.sites[site].served
                if at_all and (served := [(m, ticks[iteration]) for m, ticks in at_all if ticks[iteration]]):
                    waiting.append((engine, work[site][iteration], served))
                    continue
                begins[engine] = now
                heapq.heappush(busy, (now + work[site][iteration], engine))
                idle.discard(engine)
        for engine, cycles, served in waiting if not (busy and busy[0][0] == now) else ():
            end = now + cycles
            for memory, ticks in served:
                free[memory] = max(free[memory], now) + ticks
                end = max(end, free[memory])
            begins[engine] = now
            heapq.heappush(busy, (end, engine))
            idle.discard(engine)
        if not busy:
            if elaborated.memories:
                times = [(in_cycles(begin, scale), in_cycles(end, scale)) for begin, end in times]
            return Order(heads.steps, heads.next, heads.counts, times)
        now = busy[0][0]
        while busy and busy[0][0] == now:
            engine = heapq.heappop(busy)[1]
            heads.complete(engine)
            times.append((begins[engine], now))
            idle.add(engine)


def adversarial(elaborated: Elaborated, seed: int) -> Order:
    """One use after the other, whole; an adversary picked by the seed decides the next engine."""
    heads = _Heads(elaborated)
    draw = random.Random(seed)
    choose = _ADVERSARIES[seed % len(_ADVERSARIES)](draw, len(heads.queues))
    engines = range(len(heads.queues))
    while can := [e for e in engines if heads.ready(e)]:
        heads.complete(can[0] if len(can) == 1 else choose(can))
    return Order(heads.steps, heads.next, heads.counts, [])


Choose = Callable[[list[int]], int]


def _favourites(draw: random.Random, engines: int) -> Choose:
    """Engines in a fixed order of preference, with a rare exception: the first runs as far ahead as it can, the last is starved."""
    rank = draw.sample(range(engines), engines)

    def choose(can: list[int]) -> int:
        return draw.choice(can) if draw.randrange(RARELY) == 0 else min(can, key=rank.__getitem__)

    return choose


def _bursts(draw: random.Random, engines: int) -> Choose:
    """One engine goes on for a while, then another does."""
    mean = draw.choice((3, 10, 40, 200))
    state = [0, 0]  # the engine, and how many more uses it makes

    def choose(can: list[int]) -> int:
        if state[1] <= 0 or state[0] not in can:
            state[0], state[1] = draw.choice(can), 1 + int(draw.expovariate(1 / mean))
        state[1] -= 1
        return state[0]

    return choose


def _changing(draw: random.Random, engines: int) -> Choose:
    """A preference drawn anew now and then: a starved engine runs ahead later."""
    state = [draw.sample(range(engines), engines)]
    often = draw.choice((5, 25, 100))

    def choose(can: list[int]) -> int:
        if draw.randrange(often) == 0:
            state[0] = draw.sample(range(engines), engines)
        return min(can, key=state[0].__getitem__)

    return choose


def _starved(draw: random.Random, engines: int) -> Choose:
    """One engine goes only if no other can; the others by chance."""
    last = draw.randrange(engines)

    def choose(can: list[int]) -> int:
        return draw.choice([e for e in can if e != last])

    return choose


_ADVERSARIES: tuple[Callable[[random.Random, int], Choose], ...] = (_favourites, _starved, _bursts, _changing)
