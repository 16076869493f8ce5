"""How statements are carried out: which mapping and which schedule, of the main statement, of others, of neighbours in blocks.

Each is the solver's answer, or what another strategy proposes, or what was decided before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from isamap_encodings import deadline
from isamap_smt.codegen import lower
from isamap_smt.codegen.stages import with_stages
from isamap_smt.ir.errors import ScheduleError, UndecidedError
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.ir.schedule import Schedule
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
from isamap_smt.pipeline.question import Clock, Progress, Question, may_fall_back
from isamap_smt.pipeline.secondary import constants_of, secondary_statements
from isamap_smt.pipeline.spaces import ASKED, TRIED, spaces
from isamap_smt.pipeline.time_steps import lasting, one_time_step, over_time_steps
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
