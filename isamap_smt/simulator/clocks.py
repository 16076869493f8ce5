"""What is complete before each use begins, in every order: vector clocks.

The clock of a use says of each engine how many of its uses must be complete before this one begins. An engine's uses follow
each other. An await of amount e waits for e signals: if one engine makes all signals of the counter, for its first e. If
several do, any e will do: a use x must be complete exactly if fewer than e signals can be made without it, so of each engine
the e-th smallest of what the signals themselves need. Signals may need each other, so this is repeated until nothing changes.
It begins with the clocks of an order that was really run, which need too much rather than too little: signals that only need
each other do not count.
"""

from __future__ import annotations

import numpy as np

from isamap_smt.simulator.orders import Order
from isamap_smt.simulator.sites import Elaborated

Array = np.ndarray
Clock = tuple[int, ...]


def clocks(elaborated: Elaborated, order: Order) -> tuple[Array, ...]:
    """For each engine an array (uses that were done, engines): at [n, e] how many uses of e are complete before its n-th begins."""
    shared = _shared(elaborated)
    found, signals = _pass(elaborated, order, {})
    while shared:
        needed = {c: list(map(tuple, np.sort(np.asarray(signals[c]), axis=0))) for c in shared if signals[c]}
        again, signals = _pass(elaborated, order, needed)
        if again == found:
            break
        found = again
    engines = len(elaborated.queues)
    return tuple(np.asarray(rows, np.int64).reshape(-1, engines) for rows in found)


def _shared(elaborated: Elaborated) -> list[int]:
    """Counters that several engines signal."""
    by: dict[int, set[int]] = {}
    for site in elaborated.sites:
        for c in site.signals:
            by.setdefault(c, set()).add(site.engine)
    return [c for c, engines in by.items() if len(engines) > 1]


def _pass(
    elaborated: Elaborated, order: Order, needed: dict[int, list[Clock]]
) -> tuple[list[list[Clock]], list[list[Clock]]]:
    """The clocks of all uses, and of all signals by counter. needed: counter -> what an await of 1, 2 ... needs; of the counters
    that it lacks, what the signals so far need together."""
    engines = range(len(elaborated.queues))
    found: list[list[Clock]] = [[] for _ in engines]
    latest: list[Clock] = [(0,) * len(elaborated.queues) for _ in engines]
    signals: list[list[Clock]] = [[] for _ in elaborated.counters]
    joined: list[list[Clock]] = [needed.get(c, []) for c in range(len(elaborated.counters))]
    for engine in order.steps:
        clock, at = latest[engine], len(found[engine])
        queue = elaborated.queues[engine]
        site, iteration = elaborated.sites[queue.sites[at]], queue.iterations[at]
        for counter, amounts in site.awaits:
            if (amount := amounts[iteration]) > 0:
                clock = tuple(map(max, clock, joined[counter][amount - 1]))
        found[engine].append(clock)
        complete = latest[engine] = (*clock[:engine], at + 1, *clock[engine + 1 :])
        for counter in site.signals:
            signals[counter].append(complete)
            if counter not in needed:
                before = joined[counter]
                before.append(tuple(map(max, before[-1], complete)) if before else complete)
    return found, signals
