"""Forms of a kernel, made before anything is scheduled: instructions compute more of it, or the same with less work.

    numbered    values of axes are elements: lanes get them
    multiplied  products of differences are multiplied out: instructions take the rest
    within      axes run within their guards: lanes read nothing outside
    phased      axes are in the digits that a guard's remainders ask for

Each is a row of a table, and each row may be left out: the form with most rows comes first, the kernel as it is written last. A
row says, too, when it is sure: forms without it are then looked at only if this one is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from isamap_smt.ir.errors import IsamapError, NotProvedError, ScheduleError, UndecidedError, headline
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.notes import GivenUp, Rewritten
from isamap_smt.ir.online import Online
from isamap_smt.ir.rewrite import Counted, Form, ProvedSplit, Rewrite
from isamap_smt.ir.rows import Multiplied
from isamap_smt.ir.schedule import Schedule
from isamap_smt.mapping.digits import phases
from isamap_smt.mapping.fuse import takes
from isamap_smt.mapping.multiplied import multipliable, multiply_out
from isamap_smt.pipeline.predicted import points
from isamap_smt.pipeline.question import Clock, Question, with_winner
from isamap_smt.pipeline.split import (
    REUSED,
    OnlinePin,
    after,
    bounded,
    in_numbers,
    in_these_digits,
    pinned_split,
    pins_within,
    rest,
    split_pin,
    without_split,
)
from isamap_smt.proof.split import require_split

Schedules = tuple[Schedule, ...]
Sure = Callable[["Candidate", Kernel, Schedules], bool]


@dataclass(frozen=True)
class Candidate:
    """A question about a kernel in some form, with the proved rewrites that lead to it; None for the kernel as written.

    sure: for each row taken, whether these schedules of the computed kernel leave nothing to compare.
    settled: whether nothing else is done to the kernel. compared: if it is not sure, what is told with the costs of both.
    instead: the kernel in place of the one asked for, at its sizes; None for the latter.
    """

    question: Question
    proved: ProvedSplit | None = None
    sure: tuple[Sure, ...] = ()
    settled: bool = False
    compared: tuple[object, ...] = ()
    instead: Kernel | None = None

    @property
    def form(self) -> Form | None:
        """The rewrites."""
        return None if self.proved is None else self.proved.split

    @property
    def sizes(self) -> dict[str, int]:
        """Sizes of the kernel still open."""
        return dict(self.question.sizes)

    def after(self, way: Rewrite) -> Rewrite:
        """The rewrite `way` of the kernel, composed behind those that lead to it."""
        return way if self.form is None else after(self.form, way, self.sizes)

    def proved_as(self, way: Form, clock: Clock, *sure: Sure) -> Candidate:
        """The candidate of the kernel made by `way` from the one as written. Raises NotProvedError."""
        proved = clock.time("prove", require_split, way)
        q = of_form(self.question, way)
        return replace(
            self, question=replace(q, said=(*q.said, Rewritten(proved))), proved=proved, sure=(*self.sure, *sure)
        )


def of_form(q: Question, form: Form) -> Question:
    """The question about the form's kernel."""
    sizes = tuple(sorted(rest(form, dict(q.sizes)).items()))
    return replace(q, kernel=form.kernel, sizes=sizes, tuned=None, digits=form.pairs)


def forms(q: Question, clock: Clock) -> Iterator[Candidate]:
    """The kernel in its forms, most rows first; before it the forms of other kernels with the same results."""
    written = replace(q, others=())
    for one in q.others:
        there = replace(written, kernel=one.kernel, sizes=one.sizes)
        first = Candidate(there, sure=(_never,), compared=(one,), instead=one.kernel.with_sizes(dict(one.sizes)))
        yield from _with(ROWS, first, clock)
    yield from _with(ROWS, Candidate(written), clock)


def _never(c: Candidate, kernel: Kernel, schedules: Schedules) -> bool:
    return False


def _with(rows: tuple[_Row, ...], c: Candidate, clock: Clock) -> Iterator[Candidate]:
    if not rows:
        yield c
        return
    for made in rows[0](c, clock):
        yield from _with(rows[1:], made, clock)


_Row = Callable[[Candidate, Clock], Iterator[Candidate]]


def _numbered(c: Candidate, clock: Clock) -> Iterator[Candidate]:
    """Axis values become elements. Sure if instructions compute with them and sum nothing up.

    A value that is constant over a whole sum may as well stand behind it.
    """
    q = c.question
    if not (q.tuned or isinstance(split_pin(q.pins), OnlinePin)):
        try:
            if (way := in_numbers(q.kernel, q.hardware, c.sizes)) is not None:
                yield c.proved_as(way, clock, _read_in_lanes)
        except NotProvedError as error:  # it was our own idea to read them as elements
            q = replace(q, said=(*q.said, GivenUp.idea("values of axes as elements", headline(error))))
    yield replace(c, question=q)


def _read_in_lanes(c: Candidate, kernel: Kernel, schedules: Schedules) -> bool:
    chain = () if c.form is None else c.form.chain
    tables = {r.into for x in chain if isinstance(x, Rewrite) for r in x.roles if isinstance(r, Counted)}
    reading = [s.proved.mapping for s in schedules if any(a.tensor in tables for _, a in s.proved.mapping.binding)]
    return bool(reading) and not any(m.statement.reduction_axes for m in reading)


def _multiplied(c: Candidate, clock: Clock) -> Iterator[Candidate]:
    """Factors that are constant along sums stand outside of them, if an instruction takes the rest and nothing is pinned.

    Sure if instructions compute all sums, and each total is used in many products.
    """
    q = c.question
    if not (q.pins or q.tuned) and q.strategy == "exact" and q.objective == "latency":
        try:
            if (way := _multiplied_out(c)) is not None:
                made = c.proved_as(way, clock, _surely_cheaper)
                yield replace(made, compared=(*made.compared, made.form))
        except UndecidedError:
            raise
        except (ScheduleError, NotProvedError):
            pass
    yield c


def _multiplied_out(c: Candidate) -> Rewrite | None:
    kernel, form, hardware = c.question.kernel, c.form, c.question.hardware
    made: Rewrite | None = None
    taken = False
    while (n := next((n for n in range(len(kernel.statements)) if multipliable(kernel, n)), None)) is not None:
        one = multiply_out(kernel, n)
        taken = taken or any(hardware.offers(i) and takes(one.kernel, i, one.closing - 1) for i in hardware.computes)
        form = made = one if form is None else after(form, one, c.sizes)
        kernel = made.kernel
    return made if taken else None


def _surely_cheaper(c: Candidate, kernel: Kernel, schedules: Schedules) -> bool:
    split = next(x for x in reversed(c.form.chain if c.form else ()) if _is_multiplied(x))
    assert isinstance(split, Rewrite)
    mapped = {s.proved.mapping.statement_index for s in schedules}
    sums = [n for n, s in enumerate(kernel.statements) if s.reduction_axes]
    sizes = rest(split, c.sizes)
    *totals, product = split.kernel.with_sizes(sizes).statements[split.row.restated[0] : split.closing]
    return set(sums) <= mapped and all(points(t) * REUSED <= points(product) for t in totals)


def _is_multiplied(form: Form) -> bool:
    return isinstance(form, Rewrite) and isinstance(form.row, Multiplied)


def as_written(c: Candidate) -> bool:
    """Whether the kernel is as written, apart from multiplied-out products of differences."""
    return c.form is None or all(map(_is_multiplied, c.form.chain))


def _within(c: Candidate, clock: Clock) -> Iterator[Candidate]:
    """Axes run only over points at which a guard keeps reads inside. Sure if instructions compute anything so."""
    q = c.question
    try:
        way = None if q.tuned else bounded(q.kernel, c.sizes, c.form)
        if way is not None:
            # the new note speaks of what the rewrites before do, too
            said = tuple(n for n in q.said if not (isinstance(n, Rewritten) and n.rewrite is c.proved))
            made = replace(c, question=replace(q, said=said)).proved_as(way, clock, _any)
            there = replace(made.question, pins=pins_within(q.pins, way))
            yield replace(made, question=with_winner(there) if q.winners else there)
    except UndecidedError:
        raise
    except IsamapError:  # a bound may be no bound at all sizes; what is wrong is said of the kernel as it is written
        pass
    yield c


def _any(c: Candidate, kernel: Kernel, schedules: Schedules) -> bool:
    return bool(schedules)


def _phased(c: Candidate, clock: Clock) -> Iterator[Candidate]:
    """Axes in the digits of a guard's remainders. Sure if the main statement has a schedule.

    Phases count in loops, and in no lanes.
    """
    q = c.question
    if split_pin(q.pins) is None and not q.pins and not q.tuned:
        turns = phases(q.kernel.with_sizes(c.sizes).statements[q.kernel.main])
        try:
            if turns:
                made = c.proved_as(c.after(in_these_digits(q.kernel, c.sizes, turns, q.kernel.main)), clock, _main)
                yield replace(made, question=replace(made.question, digits=()), settled=True)
        except (ScheduleError, NotProvedError):
            pass
    yield c


def _main(c: Candidate, kernel: Kernel, schedules: Schedules) -> bool:
    return any(s.proved.mapping.statement_index == kernel.main for s in schedules)


ROWS: tuple[_Row, ...] = (_numbered, _multiplied, _within, _phased)


def as_pinned(c: Candidate, clock: Clock) -> Candidate:
    """With the sum as pinned, in pieces, in digits or running; other pins are about the new kernel then.

    Raises ScheduleError, NotProvedError.
    """
    q, pin = c.question, split_pin(c.question.pins)
    q = replace(q, pins=without_split(q.pins))
    others = q.pins or q.tuned or q.strategy != "exact" or q.objective != "latency"
    c = replace(c, question=q, settled=bool(c.settled or pin is False or others))
    if pin is None or isinstance(pin, bool):
        return c
    way = pinned_split(q.kernel, q.hardware, c.sizes, pin)
    if isinstance(way, Online):
        return c.proved_as(way, clock)
    assert isinstance(way, Rewrite)
    made = replace(c.proved_as(c.after(way), clock), settled=True)
    return replace(made, question=with_winner(made.question)) if q.winners else made


__all__ = ["ROWS", "Candidate", "as_pinned", "as_written", "forms", "of_form"]
