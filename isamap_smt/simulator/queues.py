"""The time of a program whose engines wait for each other at memories: the timed run's own, with its steady states skipped.

A memory serves uses in the order in which they begin, and this order is no linear form of times. So uses are carried
out one after the other, by time, as in a timed run. When an engine begins an iteration of a loop, the state is

    the place of each engine, in iterations from here, and the rest of its use;    the rest of each memory's work

Awaits look back by the same number of signals at all iterations. So, if the state equals the one p iterations
before, everything after it repeats, for as long as iterations take the same and no engine outside of the loop is
met: n times p iterations are n times the cycles. Loops around are skipped in the same way.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Any

from isamap_smt.simulator.engine_text import AnotherFormError, EngineText, TimedLoop, TimedUse, Timing
from isamap_smt.simulator.service import in_cycles

MOST = 1 << 18  # uses that are carried out one by one, at most
KEPT = 1 << 12  # states of a loop that are remembered, at most
DIGITS = 6  # of a part of a tick in states that are compared


@dataclass(eq=False)
class _Step:
    """One use in the text of an engine. exits: loops that may end behind it: (loop, its trips, the first step of its
    body); then: the step behind all of them, or -1. awaits: (counter, constant, factors of digits)."""

    use: TimedUse
    path: tuple[int, ...]
    exits: list[tuple[int, int, int]]
    then: int
    awaits: list[tuple[int, int, list[tuple[int, int]]]]
    signals: list[int]
    computes: bool
    loop: TimedLoop | None  # whose iterations add up in this step
    depends: list[int]
    taken: dict[tuple[int, ...], tuple[float, list[tuple[int, float]]]]


class Queues:
    """Of one text."""

    def __init__(self, text: EngineText) -> None:
        self.text, self.engines = text, range(len(text.engines))
        self.counters = list(dict.fromkeys(c for u in text.uses for c, _ in u.awaits))
        self.memories = [m.name for m in text.shared]
        self.steps: list[list[_Step]] = [[] for _ in self.engines]
        for e in self.engines:
            self._compile(e, text.top, [])
        self.outside = {x.number: [y.number for y in path] for x, path in self._loops(text.top, [])}
        self.group = [[(first, first + n) for first, n in x.groups for _ in range(n)] for x in text.loops]
        self.trips = [x.trips for x in text.loops]
        self.leader: dict[int, int] = {}  # of each loop, the engine whose iterations are looked at
        for e in sorted(self.engines, key=lambda e: not any(s.computes for s in self.steps[e])):
            for s in self.steps[e]:
                for loop, trips, _ in s.exits:
                    if trips > 3:
                        self.leader.setdefault(loop, e)
        self.signals = {
            c: {u.engine for u in text.uses if name in u.node.signals} for c, name in enumerate(self.counters)
        }
        self.seen: dict[int, tuple[list[int], dict[Any, tuple[int, float, list[int], float]]]] = {}

    # ---- The text, by engine.

    def _loops(self, body: list[Any], path: list[TimedLoop]) -> list[tuple[TimedLoop, list[TimedLoop]]]:
        found = []
        for x in body:
            if isinstance(x, TimedLoop):
                found += [(x, path), *self._loops(x.body, [*path, x])]
        return found

    def _compile(self, e: int, body: list[Any], path: list[TimedLoop]) -> None:
        steps = self.steps[e]
        for x in body:
            if isinstance(x, TimedUse):
                if x.engine == e:
                    self._add(e, x, path, None)
                continue
            only = x.body[0] if len(x.body) == 1 else None
            if isinstance(only, TimedUse) and not (only.shared or set(only.node.signals) & set(self.counters)):
                if only.engine == e:
                    self._add(e, only, path, x)
                continue
            first = len(steps)
            self._compile(e, x.body, [*path, x])
            if len(steps) > first:
                steps[-1].exits.append((x.number, x.trips, first))

    def _add(self, e: int, u: TimedUse, path: list[TimedLoop], loop: TimedLoop | None) -> None:
        names = {x.name: x.number for x in u.path}
        own = {x.number for x in path}
        awaits = [
            (
                self.counters.index(c),
                form.get("", 0),
                [(names[n], f) for n, f in form.items() if n and f and names[n] in own],
            )
            for c, form in u.amounts
        ]
        depends = sorted({d for leaf in u.leaves for d in leaf.dims} & own)
        signals = [self.counters.index(c) for c in u.node.signals if c in self.counters]
        computes = u.node.instruction.name in self.text.computes
        steps = self.steps[e]
        if steps:
            steps[-1].then = len(steps)
        steps.append(_Step(u, tuple(x.number for x in path), [], -1, awaits, signals, computes, loop, depends, {}))

    def _takes(self, s: _Step, digits: list[int]) -> tuple[float, list[tuple[int, float]]]:
        """Ticks of its own, and of the memories shared with other engines."""
        key = tuple(self.group[d][digits[d]][0] for d in s.depends)
        if (found := s.taken.get(key)) is None:
            at = dict(enumerate(digits))
            if s.loop is not None:
                found = s.use.sum_over(s.loop, at), []
            else:
                served = s.use.served(s.use.shared, at) if s.use.shared else []
                found = s.use.ticks(at), [(self.memories.index(m), t) for m, t in served]
            s.taken[key] = found
        return found

    # ---- The run.

    def timing(self) -> Timing:
        """The timing. Raises AnotherFormError if engines wait for each other for ever."""
        text, engines = self.text, self.engines
        self.digits = [[0] * len(text.loops) for _ in engines]
        self.at = [0 if s else -1 for s in self.steps]
        self.counts = [0] * len(self.counters)
        self.free = [0.0] * len(self.memories)
        self.busy: list[tuple[float, int]] = []
        self.now, self.last, first = 0.0, 0.0, None
        self.awaits: list[list[tuple[int, int]]] = [[] for _ in engines]
        for e in engines:
            self._arrive(e)
        began: list[int | None] = [None] * len(engines)  # the loop of which an engine has come to another iteration
        idle, issued, counts, estimate = set(engines), 0, self.counts, ""
        while True:
            ready = [e for e in sorted(idle) if self.at[e] >= 0 and all(counts[c] >= n for c, n in self.awaits[e])]
            for e, at_memories in ((e, later) for later in (False, True) for e in ready):
                step = self.steps[e][self.at[e]]
                own, served = self._takes(step, self.digits[e])
                if bool(served) is not at_memories or (served and self.busy and self.busy[0][0] == self.now):
                    continue
                if (loop := began[e]) is not None:
                    began[e] = None
                    if self.leader.get(loop) == e:
                        self._skip(loop, e)
                end = self.now + own
                for m, ticks in served:
                    self.free[m] = max(self.free[m], self.now) + ticks
                    end = max(end, self.free[m])
                if step.computes:
                    first = self.now if first is None else first
                    self.last = max(self.last, end)
                heapq.heappush(self.busy, (end, e))
                idle.discard(e)
                issued += 1
            if not self.busy:
                break
            if issued > MOST:
                estimate = self._extrapolated()
                break
            self.now = self.busy[0][0]
            while self.busy and self.busy[0][0] == self.now:
                e = heapq.heappop(self.busy)[1]
                for c in self.steps[e][self.at[e]].signals:
                    counts[c] += 1
                began[e] = self._advance(e)
                idle.add(e)
        if not estimate and any(a >= 0 for a in self.at):
            raise AnotherFormError("engines wait for each other")
        cycles, begins, ends = (in_cycles(t, text.scale) for t in (self.now, first or 0.0, self.last))
        return Timing(cycles, begins, ends if first is not None else cycles, text.work(), estimate, text.served())

    def _advance(self, e: int) -> int | None:
        """To the engine's next use. Returns the loop that begins another iteration by this, or None."""
        step, digits = self.steps[e][self.at[e]], self.digits[e]
        for loop, trips, target in step.exits:
            if digits[loop] + 1 < trips:
                digits[loop] += 1
                self.at[e] = target
                self._arrive(e)
                return loop
            digits[loop] = 0
        self.at[e] = step.then
        self._arrive(e)
        return None

    def _arrive(self, e: int) -> None:
        """Set the counters awaited by the engine's next use."""
        if self.at[e] >= 0:
            digits = self.digits[e]
            self.awaits[e] = [
                (c, n + sum(f * digits[d] for d, f in factors)) for c, n, factors in self.steps[e][self.at[e]].awaits
            ]

    def _extrapolated(self) -> str:
        """The end, at the pace so far of the engine with the most work."""
        work = [0.0] * len(self.engines)
        for u, (_, ticks) in zip(self.text.uses, self.text.totals, strict=True):
            work[u.engine] += ticks
        e = max(self.engines, key=work.__getitem__)
        steps, done, whole = self.steps[e], 0, 0
        for n, s in enumerate(steps):
            before, times = 0, 1
            for d in s.path:
                times *= self.trips[d]
                before = before * self.trips[d] + self.digits[e][d]
            done, whole = done + before + (n < self.at[e]), whole + times
        self.now = self.last = self.now * whole / max(done, 1)
        return f"an estimate, as no steady state was seen in {MOST:,} uses"

    # ---- Steady states.

    def _skip(self, loop: int, leader: int) -> None:
        """If the state was there before in this loop, go on at the end of the repetition."""
        outer = [self.digits[leader][d] for d in self.outside[loop]]
        instance, states = self.seen.get(loop, (None, {}))
        if instance != outer:
            states = {}
            self.seen[loop] = outer, states
        here = self.digits[leader][loop]
        inside: list[int] = []
        rest = {e: round(end - self.now, DIGITS) for end, e in self.busy}
        key: list[Any] = [round(max(f - self.now, 0.0), DIGITS) for f in self.free]
        for e in self.engines:
            at, digits = self.at[e], self.digits[e]
            key += [at, rest.get(e)]
            if at < 0:
                continue
            path = self.steps[e][at].path
            around = self.outside[loop]
            if loop in path and [digits[d] for d in around] == outer:
                inside.append(e)
                key += [digits[loop] - here, *(digits[d] for d in path[len(around) + 1 :])]
            else:
                key += [None, *(digits[d] for d in path)]
        before = states.get(tuple(key))
        if before is None:
            if len(states) < KEPT:
                states[tuple(key)] = here, self.now, list(self.counts), self.last
            return
        there, time, counts, last = before
        grown = [b - a for a, b in zip(counts, self.counts, strict=True)]
        times = self._repeats(loop, here - there, inside, grown)
        if times < 1:
            return
        passed = times * (self.now - time)
        self.busy = [(end + passed, e) for end, e in self.busy]  # the order stays
        self.free = [f + passed for f in self.free]
        self.now += passed
        self.last += times * (self.last - last)
        for c, n in enumerate(grown):
            self.counts[c] += times * n
        for e in inside:
            self.digits[e][loop] += times * (here - there)
            self._arrive(e)
        states.clear()

    def _repeats(self, loop: int, period: int, inside: list[int], grown: list[int]) -> int:
        """How often the last iterations, so many, are followed by the same: in one group, and as long as nobody else is met."""
        most = self.trips[loop]
        for e in inside:
            at = self.digits[e][loop]
            first, end = self.group[loop][at]
            if at - period < first:
                return 0
            most = min(most, (end - 1 - at) // period)
        for e in self.engines:
            if e in inside or self.at[e] < 0:
                continue
            if any(x == e for _, x in self.busy):
                return 0
            unmet = [
                (n - 1 - self.counts[c]) // grown[c] if grown[c] else most
                for c, n in self.awaits[e]
                if self.counts[c] < n
            ]
            most = min(most, max(unmet, default=0))
        for e in inside:
            digits = self.digits[e]
            for s in self.steps[e]:
                if loop not in s.path:
                    continue
                for c, n, factors in s.awaits:
                    if not any(d == loop for d, _ in factors) or self.signals[c] & set(inside):
                        continue
                    largest = n
                    for d, f in factors:
                        fixed = d in self.outside[loop]
                        largest += f * digits[d] if fixed else max(0, f * (self.trips[d] - 1))
                    if self.counts[c] < largest:
                        return 0
        return most


__all__ = ["Queues"]
