"""The quickest plan of stages: plans in the order of their bounds, each timed exactly, until no bound is below the best time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil, inf, prod
from typing import TYPE_CHECKING

from isamap_encodings import deadline
from isamap_encodings.staging_bound import bound
from isamap_encodings.staging_problem import Numbers, StagingDecision, StagingOperand, Way, choices, fullest
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.scheduling.staged_problem import Question
from isamap_smt.simulator.max_plus import Timing

if TYPE_CHECKING:
    from isamap_encodings.staging_model import StagingAnswer

TRIED = 16  # mappings that are scheduled, of those that can be
HOPED = 4  # and the most promising of them, of which one has to fit
PLANS = 48  # of the first mapping that are timed, at most, each with its best slots
OTHERS = 24  # and of a further one
FEW = 8  # where one is nearly as quick as the bound, or no bound says which may be the best
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
    """best: None where nothing fits. bound: cycles; no plan of the mappings asked for is quicker. scheduled: how many were.
    blocked: how many with one more loop.
    first: the solver's first answer about the most promising one.
    """

    best: Candidate | None
    bound: float
    scheduled: int
    first: StagingAnswer
    blocked: int = 0


def search(questions: Sequence[tuple[ProvedMapping, Question]], timeout: float, time: Time, further: Further) -> Found:
    """The best plan. questions: the most promising first. timeout: of the solver's deterministic seconds for each mapping. further:
    mappings like the best one, with one more loop, which are asked about where it moves tiles again and again."""
    best: Candidate | None = None
    first: StagingAnswer | None = None
    low, scheduled, blocked = inf, 0, 0
    for p, q in questions[:TRIED]:
        if best is not None and (q.least >= best.timing.cycles or deadline.enough()):
            break
        if best is None and scheduled == HOPED:
            break
        one = _Search(p, q, time, best)
        low = min(low, one.run(timeout))
        best, first, scheduled = one.best, first or one.first, scheduled + 1
    assert first is not None
    if best is not None and best.timing.cycles > FARTHER * once(best.question):
        for p, q in further(best.proved, best.question):
            if deadline.enough():
                break
            one, blocked = _Search(p, q, time, best), blocked + 1
            bound_there = one.run(timeout / LESS, OTHERS, ENOUGH)
            if one.best is not best:  # else the space is without them
                best, low = one.best, min(low, bound_there)
    low = min([low, *(q.least for _, q in questions[scheduled:])])
    return Found(None if best is None else _with_fewer_slots(best, time), low, scheduled, first, blocked)


def once(q: Question) -> float:
    """Cycles that no plan of the mapping goes below: of the engine that has most to do, where each tile is moved once."""
    problem, work = q.problem, {q.problem.engine: q.least * float(q.ticks)}
    for o in problem.operands:
        if len({w.engine for w in o.ways}) == 1:
            work[o.ways[0].engine] = work.get(o.ways[0].engine, 0) + min(_moved(q, o, w) for w in o.ways)
    return max(work.values()) / float(q.ticks)


def _moved(q: Question, o: StagingOperand, way: Way) -> int:
    """Ticks of all moves of an operand one way, each once."""
    of = [a for a in q.problem.axes if a.name in o.axes]
    if not way.per:
        return (way.start + way.each) * prod(a.tiles for a in of)
    active = prod(a.points if a.name in way.per else a.tiles for a in of) if way.points is None else way.points
    return way.start * prod(a.tiles for a in of) + way.each * active


class _Search:
    """Of one mapping."""

    def __init__(self, proved: ProvedMapping, question: Question, time: Time, best: Candidate | None) -> None:
        self.proved, self.question, self.time, self.best = proved, question, time, best
        self.first: StagingAnswer | None = None
        self.left = inf  # a bound on plans that were forbidden with slots that were not timed

    def run(self, timeout: float, plans: int = 0, enough: float = NEAR) -> float:
        """Look for better plans than the best so far. plans: that are timed at most. enough: a bound of so much of the best time
        ends it, after a few plans. Returns a bound on the time of those that were not timed."""
        low = self._run(timeout, plans, enough)
        return min(low, self.left)

    def _run(self, timeout: float, plans: int, enough: float) -> float:
        """The same, without plans of the same tiles in other slots."""
        from isamap_encodings.staging_model import StagingModel

        q, low, effort = self.question, self.question.least, 0.0
        model = StagingModel(q.problem)
        for n in range(plans or (FEW if q.shortened else PLANS if self.best is None else OTHERS)):
            if self.best is not None and not q.shortened:
                model.below(self._ticks)
            answer = model.solve(max(timeout - effort, timeout / 16))
            self.first = self.first or answer
            effort += answer.effort
            if answer.status == "INFEASIBLE":
                return low if q.shortened and self.best is not None else inf
            low = low if q.shortened else max(low, answer.bound / float(q.ticks))
            if answer.decision is None:
                return low
            self._try(answer.decision)
            model.forbid(answer.decision)
            near = (n + 1 >= FEW or plans) and self.best is not None and low >= enough * self.best.timing.cycles
            if near or effort >= timeout or deadline.enough():
                return low
        return low

    @property
    def _ticks(self) -> int:
        """Of the best plan: one that is quicker takes less."""
        assert self.best is not None
        return ceil(self.best.timing.cycles * float(self.question.ticks) * (1 - SAME))

    def _try(self, decision: StagingDecision) -> None:
        """The plan with each number of slots that may be its best."""
        problem = self.question.problem
        found = fullest(problem, decision)
        bounds = [bound(problem, choices(problem, d), Numbers()) for d in found]
        if problem.served:  # one that waits for less may come before another at a memory, and all take longer
            self.left = min([self.left, *(b / float(self.question.ticks) for b in bounds)])
        for n in sorted(range(len(found)), key=bounds.__getitem__):
            if self.best is not None and not self.question.shortened and bounds[n] >= self._ticks:
                return
            seen = self.time(self.proved, self.question, found[n])
            if self.best is None or seen.cycles < self.best.timing.cycles:
                self.best = Candidate(self.proved, self.question, found[n], seen)


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


__all__ = ["SAME", "TRIED", "Candidate", "Found", "search"]
