"""Which mapping and which schedule: of the main statement, whole or with its sum in pieces; of others; of neighbours in blocks.

Each is the solver's answer, or what another strategy proposes, or what was decided before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from isamap_encodings import deadline
from isamap_smt.codegen import lower
from isamap_smt.codegen.stages import with_stages
from isamap_smt.ir.errors import DTypeError, NotProvedError, ScheduleError, UndecidedError
from isamap_smt.ir.expr import symbols_of
from isamap_smt.ir.notes import Rewritten
from isamap_smt.ir.online import Online
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.ir.rewrite import Copied, Form, ProvedSplit, Rewrite, Total
from isamap_smt.ir.rows import Digits, Moved, Multiplied
from isamap_smt.ir.schedule import Schedule
from isamap_smt.mapping.digits import phases
from isamap_smt.mapping.staged_values import has_values, stage_values
from isamap_smt.pipeline import decisions
from isamap_smt.pipeline.choose import Candidates, candidates, secondary_candidates, with_rows
from isamap_smt.pipeline.element_by_element import computed, require_portable
from isamap_smt.pipeline.fusion import NOT_FUSED, fused, fusion_pin, without_fusion
from isamap_smt.pipeline.knowledge import (
    AGAIN,
    DROPPED,
)
from isamap_smt.pipeline.knowledge import cost_model as cost_model_of
from isamap_smt.pipeline.problems import nothing_scheduled
from isamap_smt.pipeline.question import Clock, Progress, Question, may_fall_back, with_winner
from isamap_smt.pipeline.secondary import constants_of, secondary_statements
from isamap_smt.pipeline.spaces import ASKED, TRIED, spaces
from isamap_smt.pipeline.split import (
    OnlinePin,
    after,
    bounded,
    cheaper,
    in_digits,
    in_these_digits,
    moves,
    pinned_split,
    pins_within,
    rest,
    split_pin,
    splits,
    without_split,
)
from isamap_smt.pipeline.split import in_numbers as numbers
from isamap_smt.pipeline.time_steps import lasting, one_time_step, over_time_steps
from isamap_smt.proof.split import require_split
from isamap_smt.scheduling import scheduled as solve_schedule
from isamap_smt.scheduling.arguments import Pin
from isamap_smt.scheduling.record import from_record
from isamap_smt.search import MappingSet, find_mappings
from isamap_smt.tuning.protocols import find_strategy

_GONE = f"{DROPPED}: its schedule means no legal mapping any more; {AGAIN}"


@dataclass(frozen=True)
class Main:
    """The main statement's schedule (None: computed element by element), the search its mapping comes from where there was
    one, and what to say of it."""

    schedule: Schedule | None
    searched: MappingSet | None
    notes: tuple[str, ...]

    def about(self, decided: str) -> Main:
        """The same, about which this was decided outside the solver."""
        return self if self.schedule is None else replace(self, schedule=_outside(self.schedule, decided))


def main_schedule(q: Question, clock: Clock) -> Main:
    """What was decided before for the main statement, or is now."""
    key = q.digest()
    known = clock.time("prove", lambda: _remembered(q, key))
    gone = (_GONE,) if q.tuned and (known is None or known[0].status != "TUNED") else ()
    if known is not None:
        return Main(known[0], None, (*known[1], *gone))
    try:
        made = Main(*(_decide(q, clock) if q.strategy == "exact" else _proposed(q, clock)))
    except ScheduleError as error:
        if isinstance(error, UndecidedError):
            raise
        if not may_fall_back(q):
            raise _without_use(q, error, clock) from None
        require_portable(q.hardware, str(error))
        return Main(None, None, (computed(q.kernel, q.hardware, q.kernel.main, str(error)), *gone))
    optimal = made.schedule is not None and made.schedule.status == "OPTIMAL" and not deadline.was_cut()
    if made.schedule is not None and optimal and q.strategy == "exact":
        decisions.save(key, made.schedule, made.notes)
    return replace(made, notes=(*made.notes, *gone))


def _without_use(q: Question, error: ScheduleError, clock: Clock) -> ScheduleError:
    """The error; where nothing is scheduled without the pins either, they are named as what decides nothing."""
    if not q.pins:
        return error
    try:
        lower(_decide(replace(q, pins=()), clock)[0])
    except ScheduleError as whole:
        if whole.args == error.args:
            pins = ", ".join(map(str, q.pins))
            return ScheduleError(
                f"{error}; so there is no schedule of which {pins} could decide anything: leave it out"
            )
    return error


def in_numbers(q: Question, clock: Clock) -> tuple[Question, ProvedSplit] | None:
    """The question about the kernel that reads values of axes as elements, where instructions then compute statements of it."""
    if q.tuned or isinstance(split_pin(q.pins), OnlinePin):
        return None
    made = numbers(q.kernel, q.hardware, dict(q.sizes))
    if made is None:
        return None
    proved = clock.time("prove", lambda: require_split(made))
    return replace(of_split(q, made), said=(*q.said, Rewritten(proved))), proved


def taken_apart(
    q: Question, clock: Clock, before: ProvedSplit | None = None
) -> tuple[Question, Main, ProvedSplit | None]:
    """The question with the kernel that is computed: the one asked about, or the same with its main sum in partial sums
    where that is pinned or predicted to cost less. before: what the kernel comes from."""
    pin, others = split_pin(q.pins), without_split(q.pins)
    q = replace(q, pins=others)
    sizes = dict(q.sizes)
    if pin is None and not others and not q.tuned and (phased := _in_phases(q, clock, before)) is not None:
        return phased
    if pin is not None and not isinstance(pin, bool):
        way = pinned_split(q.kernel, q.hardware, sizes, pin)
        if before is not None and isinstance(way, Rewrite):
            way = after(before.split, way, sizes)
        found = clock.time("prove", lambda: require_split(way))
        if not isinstance(found.split, Online):
            return _in_parts(q, found, Rewritten(found), clock)
        before, q = found, replace(of_split(q, found.split), said=(*q.said, Rewritten(found)))
        sizes = dict(q.sizes)
    main = main_schedule(q, clock)
    if pin is False or others or q.tuned or q.strategy != "exact" or q.objective != "latency":
        return q, main, before

    def decide(split: Rewrite) -> tuple[Schedule, ...]:
        moved = isinstance(split.row, Moved)
        filled = tuple(r.statement for r in split.roles if isinstance(r, Copied | Total))
        more = filled if moved else tuple(p.statement for p in split.pieces)
        apart = of_split(q, split)
        found = _schedules(apart, split, (apart.kernel.main, *(n for n in more if n != apart.kernel.main)), clock)
        if moved and len(found) < 1 + len(more):
            raise ScheduleError(f"{split}: no instruction carries it out")
        return found

    if main.schedule is not None and deadline.enough():
        return q, main.about("the sum in one piece: no time was left to price others"), before
    inside, whole = before is not None and isinstance(before.split, Online), main.schedule
    ways = tuple(splits(q.kernel, q.hardware, sizes, whole, q.constant, q.threads, recurrent=inside))
    as_written = before is None or all(
        isinstance(x, Rewrite) and isinstance(x.row, Multiplied) for x in before.split.chain
    )
    ways += tuple(moves(q.kernel, q.constant)) if as_written else ()
    ways = ways if before is None else tuple(after(before.split, w, sizes) for w in ways)
    if q.family == "digits" and whole is not None:
        ways += clock.time("map", in_digits, q.kernel, q.hardware, sizes, whole)
    better, told = cheaper(main.schedule, ways, sizes, decide)
    if better is not None:
        what = better.split.way
        q, main, better = _in_parts(q, better, told, clock)
        main = main.about(f"{what}, by what both ways are predicted to take")
    elif ways and main.schedule is not None:
        what = "no axis in digits" if any(isinstance(w.row, Digits) for w in ways) else "the sum in one piece"
        main = main.about(f"{what}: {len(ways)} ways to take it apart were priced")
    better = better or before
    apart, split = _others_in_parts(q, better, clock, inside, main.schedule is None)
    if split is None or split is better:
        return q, main, better
    again = main_schedule(apart, clock)
    return apart, again if main.schedule is None else replace(again, notes=main.notes), split


def within_guards(q: Question, clock: Clock, before: ProvedSplit | None) -> tuple[Question, ProvedSplit] | None:
    """The question about the kernel whose axes run only where a guard keeps what is read inside, if there is one."""
    way = None if q.tuned else bounded(q.kernel, dict(q.sizes), None if before is None else before.split)
    if way is None:
        return None
    try:
        proved = clock.time("prove", lambda: require_split(way))
    except NotProvedError:  # a bound may be no bound at all sizes
        return None
    # the new note speaks of what `before` does, too
    said = tuple(n for n in q.said if not (isinstance(n, Rewritten) and n.rewrite is before))
    there = replace(of_split(q, way), pins=pins_within(q.pins, way), said=(*said, Rewritten(proved)))
    return with_winner(there) if q.winners else there, proved


def _in_phases(q: Question, clock: Clock, before: ProvedSplit | None) -> tuple[Question, Main, ProvedSplit] | None:
    """The question about the kernel whose axes are taken apart by what the guard's remainders ask for; None where nothing asks, or
    nothing carries it out."""
    sizes = dict(q.sizes)
    turns = phases(q.kernel.with_sizes(sizes).statements[q.kernel.main])
    if not turns:
        return None
    try:
        way = in_these_digits(q.kernel, sizes, turns, q.kernel.main)
        way = way if before is None else after(before.split, way, sizes)
        found = clock.time("prove", lambda: require_split(way))
        there = replace(of_split(q, found.split), digits=(), said=(*q.said, Rewritten(found)))  # phases count in loops
        main = main_schedule(there, clock)
    except (ScheduleError, NotProvedError):
        return None
    return None if main.schedule is None else (there, main, found)


def _others_in_parts(
    q: Question, split: ProvedSplit | None, clock: Clock, recurrent: bool = False, main: bool = False
) -> tuple[Question, ProvedSplit | None]:
    """The sums of other statements in partial sums, one after the other, where that is predicted to cost less; what they reduce in
    a tensor of its own, where that gives them instructions. main: of the main statement, too, which has none."""
    mine = (set() if main else {q.kernel.main}) | (set() if split is None else _pieces(split.split))
    every = sorted({q.kernel.main, *secondary_statements(q.kernel)} - mine)
    left = [n for n in every if q.kernel.statements[n].reduction_axes]
    added = 0  # statements more in front of those that are left
    for first in left:
        if deadline.enough():
            break
        n, before = first + added, len(q.kernel.statements)
        there, better, told = _in_partial_sums(q, split, n, clock, recurrent)
        staged = None if there or better else _staged(q, split, n, clock)
        if staged is not None:
            there, better, told = _in_partial_sums(*staged, n + 1, clock, recurrent)
            if there or better:
                q, split = staged
        if better is not None:
            q, split = replace(of_split(q, better.split), said=(*q.said, told)), better
        added += len(q.kernel.statements) - before
    return q, split


def _in_partial_sums(
    q: Question, split: ProvedSplit | None, n: int, clock: Clock, recurrent: bool
) -> tuple[Schedule | None, ProvedSplit | None, str]:
    """The schedule of a statement's sum as it is; and in partial sums, if that is predicted to cost less, with words for it."""
    there = next(iter(secondary_schedules(q, clock, (n,))[0]), None)

    def decide(way: Rewrite) -> tuple[Schedule, ...]:
        return _schedules(of_split(q, way), way, tuple(p.statement for p in way.pieces), clock)

    ways = tuple(splits(q.kernel, q.hardware, dict(q.sizes), there, q.constant, q.threads, n, recurrent))
    if split is not None:
        ways = tuple(after(split.split, w, dict(q.sizes)) for w in ways)
    return there, *cheaper(there, ways, dict(q.sizes), decide)


def _staged(q: Question, split: ProvedSplit | None, n: int, clock: Clock) -> tuple[Question, ProvedSplit] | None:
    """The question about the kernel where what a guarded reduction takes has a tensor of its own, no larger than one that it reads;
    None where an instruction computes no element of that."""
    s = q.kernel.statements[n]
    if not has_values(q.kernel, n) or not any({a.name for a in s.axes} <= symbols_of(i.index) for i in s.inputs):
        return None
    try:
        way = stage_values(q.kernel, n)
        way = way if split is None else after(split.split, way, dict(q.sizes))
        there = of_split(q, way)
        _schedules(there, way, (n,), clock)
    except (ScheduleError, DTypeError):
        return None
    proved = clock.time("prove", lambda: require_split(way))
    told = f"{way}: {len(proved.proof.claims)} obligations proved ({proved.proof.arithmetic})"
    return replace(there, said=(*q.said, told)), proved


def _schedules(q: Question, split: Rewrite, numbers: tuple[int, ...], clock: Clock) -> tuple[Schedule, ...]:
    """The schedules of these statements of the split kernel, of which the first must have one; it may be the main one now."""
    main = main_schedule(q, clock).schedule if q.kernel.main in numbers else None
    others = secondary_schedules(q, clock, tuple(n for n in numbers if n != q.kernel.main))[0]
    found = (*(() if main is None else (main,)), *others)
    if not any(s.proved.mapping.statement_index == numbers[0] for s in found):
        raise ScheduleError(f"{split}: no instruction carries it out")
    return found


def _pieces(split: Form) -> set[int]:
    """The statements that a sum was taken apart into."""
    return {p.statement for p in split.pieces} if isinstance(split, Rewrite) else set()


def _in_parts(q: Question, split: ProvedSplit, told: str, clock: Clock) -> tuple[Question, Main, ProvedSplit | None]:
    """The question about the split kernel."""
    q = of_split(q, split.split)
    if q.winners:
        q = with_winner(q)
    return replace(q, said=(*q.said, told)), main_schedule(q, clock), split


def of_split(q: Question, split: Form) -> Question:
    sizes = tuple(sorted(rest(split, dict(q.sizes)).items()))
    return replace(q, kernel=split.kernel, sizes=sizes, tuned=None, digits=split.pairs)


def _remembered(q: Question, key: str) -> tuple[Schedule, tuple[str, ...]] | None:
    """What a search found, or what was decided before for the same question; its mapping is proved anew, and is not banned."""
    if q.tuned:
        found = from_record(q.tuned.record, q.kernel, q.hardware, q.sizes)
        if found is not None and q.why_banned(found.proved.mapping) is None:
            return replace(found, status="TUNED", bound=None, gap=None), (q.tuned.told,)
    known = decisions.load(key, q.kernel, q.hardware, q.sizes) if q.strategy == "exact" else None
    return None if known is None or q.why_banned(known[0].proved.mapping) is not None else known


def _proposed(q: Question, clock: Clock) -> tuple[Schedule, MappingSet, tuple[str, ...]]:
    """The first schedule that another strategy than the exact one proposes, in the cost model's view."""
    make = find_strategy(q.strategy)
    if q.kernel.recurrence_of(q.kernel.main) is not None:
        raise ScheduleError(
            f"the strategy {q.strategy!r} does not know recurrences, and {q.kernel.name} has time steps; use 'exact'"
        )
    choice: Candidates = clock.time("map", _candidates, q)
    made = clock.time("schedule", lambda: spaces(q.task, choice, q.timeout, q.figures))
    model = cost_model_of(q.cost_model, q.hardware)
    points = clock.time("schedule", lambda: make(made.space, model, 0).ask(1))
    if not points:
        raise ScheduleError(f"the strategy {q.strategy!r} proposes no schedule of {q.kernel.name}")
    told = f"proposed by the strategy {q.strategy!r} with the cost model {model.name!r}; not measured"
    return made.space.schedule(points[0]), made.mappings[points[0].mapping], (*choice.notes, told)


def _candidates(q: Question) -> Candidates:
    ahead = frozenset(q.constant)
    return candidates(q.kernel, q.hardware, dict(q.sizes), q.instruction, find_mappings, q.figures, q.digits, ahead)


def _decide(q: Question, clock: Clock) -> tuple[Schedule, MappingSet, tuple[str, ...]]:
    """The best schedule among those of the best few mappings."""
    choice: Candidates = clock.time("map", _candidates, q)
    found, mappings = _best(q, choice, without_fusion(q.pins), clock)
    return found, mappings, choice.notes


def secondary_schedules(
    q: Question, clock: Clock, only: tuple[int, ...] | None = None
) -> tuple[tuple[Schedule, ...], tuple[str, ...]]:
    """Schedules of secondary statements (`only` these) that the machine's instructions carry out, each chosen by itself, and why
    others have none. Pins are for the main statement."""
    found: list[Schedule] = []
    notes: list[str] = []
    for n in secondary_statements(q.kernel, every=q.hardware.simulated):
        if only is not None and n not in only:
            continue
        try:
            work = partial(secondary_candidates, q.kernel, q.hardware, dict(q.sizes), n, q.figures)
            choice = clock.time("map", work)
            found += [_best(q, choice, (), clock)[0]] if choice.found else []
        except UndecidedError:
            raise
        except ScheduleError as error:
            notes.append(computed(q.kernel, q.hardware, n, str(error)))
    return tuple(found), tuple(notes)


def fused_schedules(
    q: Question, schedules: tuple[Schedule, ...], clock: Clock
) -> tuple[tuple[Schedule, ...], tuple[str, ...]]:
    """The schedules, block by block where that costs less; and what was decided."""
    pinned = fusion_pin(q.pins)
    blocks = len(schedules) > 1 and q.objective == "latency"
    if pinned is None and deadline.enough():
        return schedules, ()
    if pinned not in (None, NOT_FUSED) and not blocks:
        why = "only the objective 'latency' chooses them" if len(schedules) > 1 else f"of {q.kernel.name} only one has"
        raise ScheduleError(
            f"share.{pinned[0]}={pinned[1]}: blocks are of several statements that have schedules, and {why}"
        )
    if pinned == NOT_FUSED or not blocks or (q.pins and not pinned):
        return schedules, ()
    if others := [p.name for p in without_fusion(q.pins)]:
        raise ScheduleError(
            f"{', '.join(others)}: pins of one statement cannot stand beside share.{pinned[0] if pinned else ''}, which chooses "
            "the schedules of a block anew; leave one or the other out"
        )

    def solve(s: Schedule, sizes: dict[str, int], constant: tuple[str, ...], fix: dict[str, int]) -> Schedule:
        return solve_schedule(
            s.proved, q.hardware, sizes, constant=constants_of(q.kernel, s.proved.mapping.statement_index, constant),
            fix=fix, solver_seconds=q.timeout, figures=q.figures,
        )  # fmt: skip

    found, notes = clock.time(
        "schedule", lambda: fused(schedules, dict(q.sizes), q.constant, q.threads, q.figures, solve, pinned)
    )
    return tuple(map(with_stages, found)), notes


def _best(q: Question, choice: Candidates, pins: tuple[Pin, ...], clock: Clock) -> tuple[Schedule, MappingSet]:
    """The best schedule among those of the first few mappings that have one; of distant ones only where the near ones have none.

    Whether it can be lowered shows when the plan is made: then its mapping is banned, and the search goes on.
    """
    made: list[tuple[float, Schedule, MappingSet]] = []
    problems: list[tuple[str, str]] = []
    choice = with_rows(q.kernel, choice)
    for n, (mappings, proved) in enumerate(choice.found[:ASKED]):
        if len(made) == TRIED or (made and (n >= choice.near or deadline.enough())):
            break
        if (why := q.why_banned(proved.mapping)) is not None:
            problems.append((proved.mapping.id, why))
            continue
        work = partial(_scheduled, q, proved, pins)
        try:
            found = with_stages(clock.time("schedule", work))
        except UndecidedError:
            raise
        except ScheduleError as error:
            problems.append((proved.mapping.id, str(error)))
            continue
        made.append((found.objective if found.objective is not None else float("inf"), found, mappings))
    if not made:
        raise nothing_scheduled(problems)
    _, best, mappings = min(made, key=lambda m: m[0])
    if len(choice.found) > 1:
        best = _outside(best, f"the mapping: {len(made)} scheduled of {len(choice.found)} that yield code")
    return best, mappings


def _outside(schedule: Schedule, decided: str) -> Schedule:
    """The schedule, about which this was decided outside the solver."""
    return replace(schedule, decided_outside=(decided, *schedule.decided_outside))


def _scheduled(q: Question, proved: ProvedMapping, pins: tuple[Pin, ...]) -> Schedule:
    """One mapping's schedule; in a recurrence, the schedule of one time step inside the loop over the time steps."""
    number, sizes = proved.mapping.statement_index, dict(q.sizes)
    constant = constants_of(q.kernel, number, q.constant)
    recurrence = q.kernel.recurrence_of(number)
    if recurrence is not None:
        sizes = one_time_step(q.kernel, recurrence, sizes)
    found = solve_schedule(
        proved, q.hardware, sizes, objective=q.objective,
        constant=(*constant, *lasting(q.kernel, recurrence, number)) if recurrence else constant,
        fix=pins, threads=q.threads, solver_seconds=q.timeout, progress=_told(q.progress), figures=q.figures,
    )  # fmt: skip
    return over_time_steps(found, recurrence, q.sizes, constant) if recurrence else found


def _told(progress: Progress | None) -> Callable[[int, float, float], None] | None:
    """The solver's better solutions, as progress."""
    if progress is None:
        return None
    return lambda count, objective, bound: progress(f"schedule: solution {count}, gap {1 - bound / objective:.1%}")
