"""The quickest plan of stages: plans in the order of their bounds, each timed exactly, until no bound is below the best
time, or several plans gained next to nothing.

The plan with the least bound of each mapping is timed first. Then come plans of the mapping with the quickest plan, of
those mappings that may gain, since bounds of mappings differ in how near they are. Counts and the solver's own measure
of effort end a search, so a question has the same plan on any load.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil, inf, prod
from typing import TYPE_CHECKING

from isamap_encodings import deadline
from isamap_encodings.staging_bound import bound
from isamap_encodings.staging_problem import (
    Numbers,
    StagingDecision,
    StagingOperand,
    Way,
    choices,
    forms,
    fullest,
    without_inside,
)
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.scheduling.staged_problem import Question
from isamap_smt.simulator.max_plus import Timing

if TYPE_CHECKING:
    from isamap_encodings.staging_model import StagingAnswer

TRIED = 16  # mappings that are scheduled, of those that can be
HOPED = 4  # and the most promising of them, of which one has to fit
IN_VAIN = 16  # plans, one after the other, that are timed and do not gain a part of the time
OF_ONE = 12  # and of one mapping
SHARED = 4  # times as many where engines share memories: a bound is farther from a time there
WORTH = 0.005  # of the time: so much a program with conditions has to gain
FEWER = 0.5  # times as many with stages that are filled inside of loops: the first ones gain, or none
GAIN = 0.01  # of the time: so much they have to gain together
FEW = 8  # plans that are timed where one is nearly as quick as the bound
UNBOUNDED = 3  # of a mapping that is planned with fewer tiles: no bound says which of its plans may be the best
NEAR = 0.998  # of its time: a bound
SAME = 1e-9  # of a time: less is a rounding error of figures that are no whole ticks

FARTHER = 1.1  # times what a plan takes that moves each tile once: one that is no slower needs no more loops
LESS = 6  # parts of the solver's effort for a mapping, for one that is the best with one more loop
ENOUGH = 0.99  # of its time: a bound

Time = Callable[[ProvedMapping, Question, StagingDecision], Timing]
Further = Callable[[ProvedMapping, Question], Sequence[tuple[ProvedMapping, Question]]]


@dataclass(frozen=True)
class Candidate:
    """A plan and its time."""

    proved: ProvedMapping
    question: Question
    decision: StagingDecision
    timing: Timing


@dataclass(frozen=True)
class Found:
    """best: None if nothing fits. bound: cycles; no plan of the mappings in question is quicker. scheduled: how many
    mappings were asked for. blocked: how many others were, with one more loop.
    first: the solver's first answer about the most promising one. inside: plans that were timed with stages filled inside of
    loops around which they stand."""

    best: Candidate | None
    bound: float
    scheduled: int
    first: StagingAnswer
    blocked: int = 0
    inside: int = 0


def search(questions: Sequence[tuple[ProvedMapping, Question]], timeout: float, time: Time, further: Further) -> Found:
    """The best plan. questions: the most promising first. timeout: of the solver's deterministic seconds for each
    mapping. further: mappings like the best one, with one more loop; they are tried if it moves tiles again and
    again."""
    found = _Search(time)
    for p, q in questions[:TRIED]:
        late = bool(found.asked) and deadline.enough()
        if q.least >= found.cycles or late or (found.best is None and len(found.asked) == HOPED):
            break
        found.begin(_Asked(p, q, timeout))
    found.go_on(NEAR)
    best, low, blocked = found.best, min([found.low, *(q.least for _, q in questions[len(found.asked) :])]), 0
    if best is not None and found.cycles > FARTHER * once(best.question):
        for p, q in further(best.proved, best.question):
            if deadline.enough():
                break
            one, blocked = _Search(time, best), blocked + 1
            one.begin(_Asked(p, q, timeout / LESS))
            one.go_on(ENOUGH)
            if one.best is not best:  # else the space is without them
                best, low = one.best, min(low, one.low)
    first, inside = found.asked[0].first, 0
    assert first is not None
    if best is not None:
        other, left = _inside(found.asked, time, best)
        inside = sum(a.plans for a in other.asked)
        if other.cycles < best.timing.cycles * (1 - WORTH):  # as above
            best, low = other.best, min(low, other.low, left)
    best = None if best is None else _with_fewer_slots(best, time)
    return Found(best, low, len(found.asked), first, blocked, inside)


def _inside(whole: Sequence[_Asked], time: Time, best: Candidate) -> tuple[_Search, float]:
    """The search over plans whose stages outside of loops are filled inside of them, and a bound of those left out.

    They come last: their bounds are farther from their times, and would take the tries of others.
    """
    found, left = _Search(time, best), inf
    for a in sorted(whole, key=lambda a: a.cycles):
        if a.question.least >= found.cycles or deadline.enough():
            left = min(left, a.question.least)
            continue
        inside = _Asked(a.proved, a.given, a.timeout, True)
        if inside.model.some_inside():
            found.begin(inside)
    found.go_on(NEAR, FEWER)
    return found, left


def once(q: Question) -> float:
    """A lower bound in cycles on the mapping's plans: of the busiest engine, if each tile is moved once."""
    problem, work = q.problem, {q.problem.engine: q.least * float(q.ticks)}
    for o in problem.operands:
        if len({w.engine for w in o.ways}) == 1:
            work[o.ways[0].engine] = work.get(o.ways[0].engine, 0) + min(_moved(q, o, w) for w in o.ways)
    return max(work.values()) / float(q.ticks)


def beginning(q: Question) -> float:
    """Cycles of the moves at which sums begin, each once, by the first way of the output."""
    out = q.problem.output
    return sum(_moved(q, out, b) for b in out.ways[0].begins) / float(q.ticks)


def _moved(q: Question, o: StagingOperand, way: Way) -> int:
    """Ticks of all moves of an operand one way, each once."""
    of = [a for a in q.problem.axes if a.name in o.axes]
    if not way.per:
        return (way.start + way.each) * prod(a.tiles for a in of)
    active = prod(a.points if a.name in way.per else a.tiles for a in of) if way.points is None else way.points
    return way.start * prod(a.tiles for a in of) + way.each * active


class _Asked:
    """A mapping, with its plans in the order of their bounds.

    low: cycles; no plan still to come is quicker. left: nor is a past plan, in other slots than the timed ones. done:
    no further plan is asked for. cycles: of the quickest plan. in_vain: plans since the last gain. inside: only plans with
    a stage that is filled inside of loops around which it stands; else none but where pinned.
    """

    def __init__(self, proved: ProvedMapping, question: Question, timeout: float, inside: bool = False) -> None:
        from isamap_encodings.staging_model import StagingModel

        self.given = question
        if not inside:
            question = replace(question, problem=without_inside(question.problem))
        self.proved, self.question, self.timeout, self.inside = proved, question, timeout, inside
        self.model, self.effort, self.plans, self.done = StagingModel(question.problem), 0.0, 0, False
        self.first: StagingAnswer | None = None
        self.low, self.left = question.least, inf
        self.cycles, self.before, self.in_vain = inf, inf, 0

    def seen(self, cycles: float) -> None:
        """Notes the time of the last plan, in its best slots."""
        self.cycles = min(self.cycles, cycles)
        self.in_vain += 1
        if self.cycles < self.before * (1 - GAIN):
            self.before, self.in_vain = self.cycles, 0

    def ask(self, best: Candidate | None) -> StagingDecision | None:
        """The next plan, with the least bound of all still to come; None if none may be quicker."""
        q = self.question
        if best is not None and not q.shortened:
            self.model.below(self.ticks(best))
        answer = self.model.solve(max(self.timeout - self.effort, self.timeout / 16))
        self.first, self.effort = self.first or answer, self.effort + answer.effort
        if answer.status == "INFEASIBLE":
            self.low = self.low if q.shortened and self.plans else inf
        elif not q.shortened:
            self.low = max(self.low, answer.bound / float(q.ticks))
        if answer.decision is not None:
            self.plans += 1
            self.model.forbid(answer.decision)
        self.done = (
            answer.decision is None or self.effort >= self.timeout or (bool(q.shortened) and self.plans >= UNBOUNDED)
        )
        return answer.decision

    def ticks(self, best: Candidate) -> int:
        """A limit in ticks: any quicker plan takes less."""
        return ceil(best.timing.cycles * float(self.question.ticks) * (1 - SAME))


class _Search:
    """The search over plans of several mappings."""

    def __init__(self, time: Time, best: Candidate | None = None) -> None:
        self.time, self.best = time, best
        self.asked: list[_Asked] = []

    @property
    def cycles(self) -> float:
        """Cycles of the best plan."""
        return inf if self.best is None else self.best.timing.cycles

    @property
    def low(self) -> float:
        """A lower bound in cycles on the mappings' plans not yet timed."""
        return min((min(a.low, a.left) for a in self.asked), default=inf)

    def begin(self, asked: _Asked) -> None:
        """One more mapping, with its first plan."""
        self.asked.append(asked)
        self._next(asked)

    def go_on(self, enough: float, tries: float = 1) -> None:
        """Look for better plans. enough: a bound of so much of the best time ends it, after a few plans. tries: so many
        times the usual number of plans in vain."""
        before, in_vain = self.cycles, 0
        more = tries * (SHARED if any(a.question.problem.served for a in self.asked) else 1)
        while in_vain < more * IN_VAIN and not deadline.enough():
            left = [a for a in self.asked if not a.done and a.low < self.cycles * (1 - SAME)]
            low = min((a.low for a in left), default=inf)
            if sum(a.plans for a in self.asked) >= FEW and low >= enough * self.cycles:
                return
            able = self.cycles * (1 - GAIN)
            going = (a for a in left if a.in_vain < more * OF_ONE)
            asked = min(going, key=lambda a: (a.low >= able, a.cycles, a.low), default=None)
            if asked is None:
                return
            self._next(asked)
            in_vain += 1
            if self.cycles < before * (1 - GAIN):
                before, in_vain = self.cycles, 0

    def _next(self, asked: _Asked) -> None:
        """Time the next plan of a mapping, with each number of slots that may be its best, and filled either way."""
        decision = asked.ask(self.best)
        if decision is None:
            return
        q, problem, times = asked.question, asked.question.problem, [inf]
        found = [f for d in fullest(problem, decision) for f in forms(problem, d) if f.inside or not asked.inside]
        bounds = [bound(problem, choices(problem, d), Numbers()) for d in found]
        if problem.served:  # one that waits for less may come before another at a memory, and all take longer
            asked.left = min([asked.left, *(b / float(q.ticks) for b in bounds)])
        for n in sorted(range(len(found)), key=bounds.__getitem__):
            if self.best is not None and not q.shortened and bounds[n] >= asked.ticks(self.best):
                break
            seen = self.time(asked.proved, q, found[n])
            times.append(seen.cycles)
            if seen.cycles < self.cycles:
                self.best = Candidate(asked.proved, q, found[n], seen)
        asked.seen(min(times))


def _with_fewer_slots(c: Candidate, time: Time) -> Candidate:
    """The same plan, without slots that save no time."""
    pinned = dict(c.question.problem.pins)
    for o in c.question.problem.stages:
        for slots in range(1, c.decision.slots[o.name]):
            if f"slots.{o.name}" in pinned:
                break
            fewer = replace(c.decision, slots=c.decision.slots | {o.name: slots})
            seen = time(c.proved, c.question, fewer)
            if seen.cycles <= c.timing.cycles:
                c = Candidate(c.proved, c.question, fewer, seen)
                break
    return c


__all__ = ["SAME", "TRIED", "WORTH", "Candidate", "Found", "beginning", "once", "search"]
