"""Ways to compute each sum of a kernel: as it stands or taken apart, each with its predicted cost.

Ways for one statement change no other, so the costs add up, and one choice for each statement is a choice for the kernel.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from isamap_encodings import deadline
from isamap_smt.ir.errors import DTypeError, ScheduleError
from isamap_smt.ir.expr import symbols_of
from isamap_smt.ir.online import Online
from isamap_smt.ir.rewrite import Copied, Rewrite, Total
from isamap_smt.ir.rows import Moved, Staged
from isamap_smt.ir.schedule import Schedule
from isamap_smt.mapping.staged_values import has_values, stage_values
from isamap_smt.pipeline.forms import Candidate, as_written, of_form
from isamap_smt.pipeline.implementations import Implementation, implementation
from isamap_smt.pipeline.least import Least, always, both
from isamap_smt.pipeline.predicted import by_element, points, roles_of
from isamap_smt.pipeline.question import Clock
from isamap_smt.pipeline.secondary import secondary_statements
from isamap_smt.pipeline.split import after, in_digits, moves, splits

LEFT_CYCLES = 64.0  # per point of a sum without an instruction: any way with one costs less


@dataclass(frozen=True)
class Alternative:
    """One way to compute statement number `statement`. way: the rewrite of the candidate's kernel; None for no rewrite.

    cycles: predicted for all statements of the way. least: a lower bound over all its schedules, if known. scheduled: whether
    instructions compute it.
    """

    statement: int
    way: Rewrite | None
    cycles: float
    least: Least | None = None
    scheduled: bool = True


@dataclass(frozen=True)
class Table:
    """For each sum its alternatives, with the unchanged sum first. The main statement's row comes first.

    main: the implementation of the unchanged main statement.
    """

    candidate: Candidate
    main: Implementation
    rows: tuple[tuple[Alternative, ...], ...] = ()


def table(c: Candidate, clock: Clock) -> Table:
    """All alternatives, priced. Raises ScheduleError if the main statement cannot be carried out at all."""
    q = c.question
    main = implementation(q, q.kernel.main, clock)
    if c.settled:
        return Table(c, main)
    if main.schedule is not None and deadline.enough():
        return Table(c, main.about("the sum in one piece: no time was left to price others"))
    sums = [n for n in secondary_statements(q.kernel) if q.kernel.statements[n].reduction_axes]
    rows: list[tuple[Alternative, ...]] = []
    for n in (q.kernel.main, *sums):
        if n != q.kernel.main and deadline.enough():
            break
        there = main if n == q.kernel.main else implementation(q, n, clock)
        rows.append(tuple(_Statement(c, clock, n, there).alternatives()))
    return Table(c, main, tuple(rows))


@dataclass(frozen=True)
class _Statement:
    """A sum. there: how it is carried out as it stands."""

    candidate: Candidate
    clock: Clock
    number: int
    there: Implementation

    @property
    def schedule(self) -> Schedule | None:
        return self.there.schedule

    @property
    def is_main(self) -> bool:
        return self.number == self.candidate.question.kernel.main

    def alternatives(self) -> Iterator[Alternative]:
        q = self.candidate.question
        s = q.kernel.with_sizes(self.candidate.sizes).statements[self.number]
        if self.schedule is None:
            yield Alternative(self.number, None, LEFT_CYCLES * points(s), always(self._by_element), False)
        else:
            yield Alternative(self.number, None, cycles_of(self.schedule), self.there.least)
        found = list(self._priced(self._ways()))
        if not found and self.schedule is None:
            found = list(self._priced(self._staged()))
        yield from found

    def _ways(self) -> Iterator[Rewrite]:
        c, q, n = self.candidate, self.candidate.question, self.number
        inside = isinstance(c.form, Online)
        yield from splits(
            q.kernel, q.hardware, c.sizes, self.schedule, q.constant, q.threads, None if self.is_main else n, inside
        )
        if self.is_main and as_written(c):
            yield from moves(q.kernel, q.constant)
        if self.is_main and q.family == "digits" and self.schedule is not None:
            yield from self.clock.time("map", in_digits, q.kernel, q.hardware, c.sizes, self.schedule)

    def _staged(self) -> Iterator[Rewrite]:
        """Rewrites that store the values of a guarded reduction in a tensor of their own, no larger than one of its inputs.

        The first only stores them; the others also split the reduction.
        """
        c, q, n = self.candidate, self.candidate.question, self.number
        s = q.kernel.statements[n]
        if not has_values(q.kernel, n) or not any({a.name for a in s.axes} <= symbols_of(i.index) for i in s.inputs):
            return
        way = stage_values(q.kernel, n)
        yield way
        there = of_form(q, c.after(way))
        own = implementation(there, n + 1, self.clock).schedule if n + 1 != there.kernel.main else None
        sizes = dict(there.sizes)
        for one in splits(way.kernel, q.hardware, sizes, own, q.constant, q.threads, n + 1, isinstance(c.form, Online)):
            yield after(way, one, c.sizes)

    def _priced(self, ways: Iterator[Rewrite]) -> Iterator[Alternative]:
        """Each way that instructions can carry out, with its price. Once one is known, the search ends when its time is up."""
        known = self.schedule is not None
        for way in ways:
            if known and deadline.enough():
                return
            with suppress(ScheduleError, DTypeError):  # a pinned instruction may not take the types that it leads to
                yield self._alternative(way)
                known = True

    def _alternative(self, way: Rewrite) -> Alternative:
        """The way with its price. Raises ScheduleError if a statement it needs has no instruction."""
        q = of_form(self.candidate.question, self.candidate.after(way))
        needed, more = self._computed(way, q.kernel.main)
        able = {q.kernel.main, *secondary_statements(q.kernel, every=q.hardware.simulated)}
        found = [implementation(q, n, self.clock) for n in dict.fromkeys((*needed, *more)) if n in able]
        scheduled = [i for i in found if i.schedule is not None]
        if not set(needed) <= {i.statement for i in scheduled}:
            raise ScheduleError(f"{way}: no instruction carries it out")
        alone = by_element(way.kernel, way, self.candidate.sizes, q.hardware)
        own = set(roles_of(way))
        made = {i.statement: i for i in scheduled if i.statement in own}
        cycles = sum(cycles_of(made[n].schedule) if n in made else alone[n] for n in own)
        least = both(*(i.least for i in made.values()), always(sum(alone[n] for n in own - set(made))))
        return Alternative(self.number, way, cycles, least)

    def _computed(self, way: Rewrite, main: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The way's statements: (those that instructions have to compute, those that they may)."""
        filled = tuple(r.statement for r in way.roles if isinstance(r, Copied | Total))
        pieces = tuple(p.statement for p in way.pieces)
        staged = next(
            (x.row.statement for x in way.chain if isinstance(x, Rewrite) and isinstance(x.row, Staged)), None
        )
        if isinstance(way.row, Moved):
            return (main, *filled), ()
        if isinstance(way.row, Staged):
            return (way.row.statement, way.row.statement + 1), ()
        if staged is not None:
            return (staged, pieces[0]), pieces[1:]
        return ((main,), pieces) if self.is_main else (pieces[:1], pieces[1:])

    @property
    def _by_element(self) -> float:
        q = self.candidate.question
        return by_element(q.kernel, self.candidate.form, self.candidate.sizes, q.hardware)[self.number]


def cycles_of(schedule: Schedule | None) -> float:
    """Predicted cycles of all threads, idle ones included."""
    return schedule.objective if schedule is not None and schedule.objective is not None else float("inf")


__all__ = ["Alternative", "Table", "cycles_of", "table"]
