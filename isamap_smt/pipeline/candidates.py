"""One queue of candidates: a kernel after rewrites, an implementation of each statement, and their predicted cost.

    forms of the kernel  x  an alternative for each sum  ->  the cheapest first  ->  lowered, proved: the plan
                                                                    or refused: the next one

Opening a form prices all alternatives of its sums. These do not change each other, so the best choice of the form is
the cheapest of each, and the others follow in the order of their extra cost. Forms whose rows are not sure
(isamap_smt.pipeline.forms) are compared with those behind them. Rewrites are proved when a choice is taken, and no sooner.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce

from isamap_encodings import deadline
from isamap_smt.ir.errors import DTypeError, IsamapError, NotProvedError, ScheduleError, UndecidedError, headline
from isamap_smt.ir.notes import GivenUp, Rewritten
from isamap_smt.ir.rewrite import Form, ProvedSplit, Rewrite
from isamap_smt.ir.rows import Digits, Staged
from isamap_smt.ir.schedule import Schedule
from isamap_smt.pipeline.alternatives import Alternative, Table, table
from isamap_smt.pipeline.forms import Candidate, as_pinned, forms, of_form
from isamap_smt.pipeline.fusion import Fused, may_share
from isamap_smt.pipeline.implementations import Implementation, implementation, implementations
from isamap_smt.pipeline.least import Least, Whole, always, both, smaller
from isamap_smt.pipeline.predicted import by_element, moved, predicted
from isamap_smt.pipeline.question import Clock, Other, Question, with_winner
from isamap_smt.pipeline.split import after
from isamap_smt.proof.split import require_split

Choice = tuple[int, ...]  # of each sum, the number of its alternative in the order of their cost


@dataclass(frozen=True)
class Decided:
    """A choice: the question about the computed kernel, the rewrites that lead to it, and the implementation of each statement.

    least: a lower bound over all choices of the form. ways: the number of priced ways to take its sums apart. compared: notes
    with the predictions for other forms.
    """

    candidate: Candidate
    question: Question
    proved: ProvedSplit | None
    main: Implementation
    others: tuple[Implementation, ...]
    least: Least | None
    ways: int
    compared: tuple[str, ...] = ()

    @property
    def schedules(self) -> tuple[Schedule, ...]:
        """The schedules of the main statement and the others; statements without one are left out."""
        return tuple(i.schedule for i in (self.main, *self.others) if i.schedule is not None)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the main statement, and the reasons why others have no schedule."""
        return (*self.main.notes, *(n for i in self.others if i.schedule is None for n in i.notes))

    @cached_property
    def cycles(self) -> float:
        """Predicted cycles of the kernel."""
        return predicted(
            self.question.kernel, self._form, self.schedules, dict(self.question.sizes), self.question.hardware
        )

    @property
    def _form(self) -> Form | None:
        return None if self.proved is None else self.proved.split

    def whole(self, schedules: tuple[Schedule, ...], blocks: tuple[Fused, ...]) -> Whole | None:
        """Predicted cycles of a program with these schedules, and a lower bound over this form, None if a schedule is missing.

        Returns None if the objective is not latency, or a schedule has no predicted cycles.
        """
        q = self.question
        if q.objective != "latency" or any(s.objective is None for s in schedules):
            return None
        inside = {_number(s) for b in blocks for s in (*b.schedules, *b.left)}
        apart = (s.objective or 0.0 for s in schedules if _number(s) not in inside)
        done = {*map(_number, schedules), *inside}
        left = (c for n, c in enumerate(by_element(q.kernel, self._form, dict(q.sizes), q.hardware)) if n not in done)
        cycles = sum(apart) + sum(b.predicted for b in blocks) + sum(left)
        complete = done == set(map(_number, self.schedules))
        known = self.least if complete else None
        bound = None if known is None else known.computing if self.share else known.apart
        return Whole(cycles, None if bound is None else min(bound, cycles), self.space)

    @cached_property
    def share(self) -> bool:
        """Whether statements might share blocks, and take less in these than by themselves."""
        return len(self.schedules) > 1 and may_share(self.schedules, dict(self.question.sizes))

    @property
    def space(self) -> str:
        """The set of plans covered by the bound, in words."""
        several = "; blocks that they share" if self.share else ""
        chain = () if self.candidate.form is None else self.candidate.form.chain
        form = f" of the kernel with {', '.join(map(str, chain))}" if chain else ""
        ways = f"; {self.ways} ways to take sums apart" if self.ways else ""
        pins = f" with {', '.join(map(str, self.question.pins))}" if self.question.pins else ""
        return f"every legal mapping of each statement{form}, at all schedules{pins}{ways}{several}"

    @property
    def sure(self) -> bool:
        """Whether no form with fewer rows need be looked at."""
        return all(row(self.candidate, self.question.kernel, self.schedules) for row in self.candidate.sure)


@dataclass(frozen=True)
class Opened:
    """A form with its alternatives in the order of their cost."""

    table: Table

    @cached_property
    def rows(self) -> tuple[tuple[Alternative, ...], ...]:
        """The alternatives of each sum, the cheapest first; at equal cost the unchanged sum comes first."""
        return tuple(tuple(sorted(row, key=lambda a: a.cycles)) for row in self.table.rows)

    @property
    def best(self) -> Choice:
        """The cheapest of each."""
        return (0,) * len(self.rows)

    def more(self, choice: Choice) -> float:
        """Cycles of the choice beyond the best one's."""
        return sum(row[n].cycles - row[0].cycles for row, n in zip(self.rows, choice, strict=True))

    def next(self, choice: Choice) -> Iterator[Choice]:
        """The choices one step dearer: one sum takes its next alternative. No choice is generated twice."""
        last = max((n for n, k in enumerate(choice) if k), default=0)
        for n in range(last, len(choice)):
            if choice[n] + 1 < len(self.rows[n]):
                yield (*choice[:n], choice[n] + 1, *choice[n + 1 :])

    def decided(self, choice: Choice, clock: Clock) -> Decided:
        """The choice, with its rewrites proved and everything scheduled. Raises ScheduleError, NotProvedError."""
        c, main = self.table.candidate, self.table.main
        q, proved = c.question, c.proved
        for row, n in zip(self.rows, choice, strict=True):
            way = row[n].way
            if way is None:
                continue
            proved = clock.time("prove", require_split, self._appended(c, proved, row[n].statement, way, dict(q.sizes)))
            q = of_form(q, proved.split)
            if q.winners and row[n].statement == c.question.kernel.main:
                q = with_winner(q)
            q = replace(q, said=(*q.said, *_told(row, row[n], proved)))
        if proved is not c.proved:
            main = implementation(q, q.kernel.main, clock)
            main = main if self.table.main.schedule is None else replace(main, notes=self.table.main.notes)
        main, others = self._about(main, choice), implementations(q, clock)
        ways = sum(len(row) - 1 for row in self.rows)
        return Decided(c, q, proved, main, others, self._least(clock), ways)

    def _appended(
        self, c: Candidate, before: ProvedSplit | None, statement: int, way: Rewrite, sizes: dict[str, int]
    ) -> Rewrite:
        """The way applied behind earlier ones; these may have put statements in front of its own."""
        if before is None:
            return way
        own = before.split.chain[len(c.form.chain if c.form else ()) :]
        return after(before.split, way, sizes, reduce(moved, own, statement) - statement)

    def _least(self, clock: Clock) -> Least | None:
        """A lower bound over all choices: the best alternative of each sum, and all other statements."""
        c, main = self.table.candidate, self.table.main
        mine = {row[0].statement for row in self.rows}
        others = [i for i in (main, *implementations(c.question, clock)) if i.statement not in mine]
        scheduled = [i for i in others if i.schedule is not None]
        done = mine | {i.statement for i in scheduled}
        rest = sum(
            x
            for n, x in enumerate(by_element(c.question.kernel, c.form, c.sizes, c.question.hardware))
            if n not in done
        )
        sums = (smaller(*(a.least for a in row)) for row in self.rows)
        return both(*sums, *(i.least for i in scheduled), always(rest))

    def _about(self, main: Implementation, choice: Choice) -> Implementation:
        """The main statement's implementation with the decision made about it outside the solver."""
        if main.schedule is None or not self.rows or len(self.rows[0]) == 1:
            return main
        way = self.rows[0][choice[0]].way
        if way is not None:
            return main.about(f"{way.way}, by what both ways are predicted to take")
        digits = any(a.way is not None and isinstance(a.way.row, Digits) for a in self.rows[0])
        what = "no axis in digits" if digits else "the sum in one piece"
        return main.about(f"{what}: {len(self.rows[0]) - 1} ways to take it apart were priced")


def _compared_as(one: object, told: str) -> str:
    """The note that this form is taken."""
    return Rewritten(_Compared(one, f"{one}: {told}; {one.found}")) if isinstance(one, Other) else f"{one}: {told}"


class _Compared:
    """A kernel with the same results, and in words the predictions for both."""

    def __init__(self, other: Other, words: str) -> None:
        self.found, self._words = other.found, words

    def __str__(self) -> str:
        return self._words


def _number(s: Schedule) -> int:
    return s.proved.mapping.statement_index


def _told(row: tuple[Alternative, ...], taken: Alternative, proved: ProvedSplit) -> Iterator[str]:
    """Notes on the alternative taken: its cost, and the cost of the sum as it stands."""
    proof = f"{len(proved.proof.claims)} obligations proved ({proved.proof.arithmetic})"
    assert taken.way is not None
    if len(taken.way.chain) > 1 or isinstance(taken.way.row, Staged):
        yield f"{taken.way.chain[0]}: {proof}"
    if not isinstance(taken.way.row, Staged):
        whole = next(a for a in row if a.way is None)
        other = f"{whole.cycles:,.0f} in one piece" if whole.scheduled else "in one piece no instruction takes it"
        yield f"{proved.split}: {taken.cycles:,.0f} cycles predicted, {other}; {proof}"


@dataclass(order=True)
class _Entry:
    """empty: whether no instruction computes any of it. cycles: predicted. form: its number, negated.

    At equal cost the form with fewer rewrites thus comes first.
    """

    empty: bool
    cycles: float
    form: int
    number: int
    choice: Choice = field(compare=False)
    opened: Opened = field(compare=False)
    decided: Decided | None = field(compare=False, default=None)


class Queue:
    """Candidates for a question, the cheapest first."""

    def __init__(self, q: Question, clock: Clock) -> None:
        self.clock = clock
        self.errors: list[IsamapError] = []  # why forms have no candidate
        self.given_up: list[str] = []  # the same, of those that were somebody's idea
        self._forms = forms(q, clock)
        self._found = 0
        self._entries: list[_Entry] = []
        self._best: dict[int, float] = {}  # cycles of each form's best choice

    def __iter__(self) -> Iterator[Decided]:
        """Each is looked at when the ones before are refused. Raises the error of the kernel as written if there is none."""
        while (entry := self._first()) is not None:
            heapq.heappop(self._entries)
            assert entry.decided is not None
            yield self._compared(entry)
            self._push_next(entry)
        if not self._best and self.errors:
            raise self.errors[-1]

    def _compared(self, entry: _Entry) -> Decided:
        """The candidate, with the predictions for it and for the kernel as written if both were looked at."""
        assert entry.decided is not None
        d, there = entry.decided, self._best.get(min(self._best))
        if min(self._best) == entry.form or d.sure:
            return d
        told = f"{d.cycles:,.0f} cycles predicted, {there:,.0f} as written"
        return replace(d, compared=tuple(_compared_as(one, told) for one in d.candidate.compared))

    def as_it_stands(self, d: Decided) -> Decided:
        """Of the same form, with no sum taken apart."""
        c = d.candidate
        main = implementation(c.question, c.question.kernel.main, self.clock)
        return Opened(Table(c, main)).decided((), self.clock)

    def _first(self) -> _Entry | None:
        """The cheapest entry, once it is decided and nothing else has to be compared."""
        while True:
            if not self._entries:
                if not self._open():
                    return None
                continue
            entry = self._entries[0]
            if entry.decided is None:
                self._decide(heapq.heappop(self._entries))
            elif entry.decided.sure or deadline.enough() or not self._open():
                return entry

    def _open(self) -> bool:
        """Take one more form in."""
        for c in self._forms:
            self._found += 1
            try:
                opened = Opened(table(as_pinned(c, self.clock), self.clock))
            except UndecidedError:
                raise
            except (ScheduleError, NotProvedError, DTypeError) as error:
                self.errors.append(error)
                self.given_up += [GivenUp.idea(one, headline(error)) for one in c.compared if isinstance(one, Other)]
                continue
            if self._decide(_Entry(False, 0.0, -self._found, 0, opened.best, opened)):
                return True
        return False

    def _decide(self, e: _Entry) -> bool:
        try:
            decided = e.opened.decided(e.choice, self.clock)
        except UndecidedError:
            raise
        except (ScheduleError, NotProvedError, DTypeError) as error:
            self.errors.append(error)
            self._push_next(e)
            return False
        best = self._best.setdefault(e.form, decided.cycles - e.opened.more(e.choice))
        e.cycles, e.decided, e.empty = best + e.opened.more(e.choice), decided, not decided.schedules
        heapq.heappush(self._entries, e)
        return True

    def _push_next(self, e: _Entry) -> None:
        base = self._best.get(e.form, 0.0)
        for choice in e.opened.next(e.choice):
            number = len(self._entries) + 1
            heapq.heappush(
                self._entries, _Entry(e.empty, base + e.opened.more(choice), e.form, number, choice, e.opened)
            )


__all__ = ["Decided", "Queue"]
