"""How statements are carried out: the mapping and schedule of the main one, of others, and of neighbours in blocks.

Each is the solver's answer, another strategy's proposal, or an earlier decision.
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
from isamap_smt.pipeline.fusion import NOT_FUSED, Fused, fused, fusion_pin, without_fusion
from isamap_smt.pipeline.knowledge import (
    AGAIN,
    DROPPED,
)
from isamap_smt.pipeline.knowledge import cost_model as cost_model_of
from isamap_smt.pipeline.least import Least
from isamap_smt.pipeline.problems import nothing_scheduled
from isamap_smt.pipeline.question import Clock, Progress, Question, may_fall_back
from isamap_smt.pipeline.secondary import constants_of, secondary_statements
from isamap_smt.pipeline.spaces import ASKED, TRIED, spaces
from isamap_smt.pipeline.time_steps import lasting, one_time_step, over_time_steps
from isamap_smt.scheduling import scheduled as solve_schedule
from isamap_smt.scheduling.arguments import Pin
from isamap_smt.scheduling.breakdown import compute_bound, lower_bound
from isamap_smt.scheduling.problem import least
from isamap_smt.scheduling.record import from_record
from isamap_smt.scheduling.setting import machine, setting
from isamap_smt.search import MappingSet, find_mappings
from isamap_smt.tuning.protocols import find_strategy

Schedules = tuple[Schedule, ...]
_GONE = f"{DROPPED}: its schedule means no legal mapping any more; {AGAIN}"


@dataclass(frozen=True)
class Implementation:
    """How a statement is carried out. schedule: None if it is computed element by element.

    searched: the search of its mapping, if there was one. notes: for the user. least: a lower bound over all schedules
    of its legal mappings, if known.
    """

    statement: int
    schedule: Schedule | None
    searched: MappingSet | None = None
    notes: tuple[str, ...] = ()
    least: Least | None = None

    def about(self, decided: str) -> Implementation:
        """The same, with a note on a decision outside the solver; unchanged without a schedule."""
        return self if self.schedule is None else replace(self, schedule=_outside(self.schedule, decided))


def implementation(q: Question, statement: int, clock: Clock) -> Implementation:
    """The earlier decision for a statement, or a new one.

    Pins, a named instruction and another strategy are for the main statement. Raises ScheduleError if it has no schedule, and
    these forbid computing it element by element.
    """
    asked = replace(q, said=()), statement
    if asked not in clock.known:
        clock.known[asked] = _implementation(q, statement, clock)
    found: Implementation = clock.known[asked]
    return found


def _implementation(q: Question, statement: int, clock: Clock) -> Implementation:
    main = statement == q.kernel.main
    key = q.digest(statement)
    known = clock.time("prove", lambda: _remembered(q, key, statement))
    gone = (_GONE,) if main and q.tuned and (known is None or known.schedule.status != "TUNED") else ()
    if known is not None:
        return replace(known, notes=(*known.notes, *gone))
    exact = q.strategy == "exact" or not main
    try:
        made = _decide(q, statement, clock) if exact else _proposed(q, clock)
    except UndecidedError:
        raise
    except ScheduleError as error:
        if main and not may_fall_back(q):
            raise _without_use(q, error, clock) from None
        if main:
            require_portable(q.hardware, str(error))
        return Implementation(statement, None, notes=(computed(q.kernel, q.hardware, statement, str(error)), *gone))
    if made is None:
        return Implementation(statement, None)
    if made.schedule is not None and made.schedule.status == "OPTIMAL" and exact and not deadline.was_cut():
        decisions.save(key, made.schedule, made.notes, made.least)
    return replace(made, notes=(*made.notes, *gone))


def implementations(q: Question, clock: Clock) -> tuple[Implementation, ...]:
    """Implementations of the statements besides the main one worth an instruction of their own, each chosen by itself."""
    found = secondary_statements(q.kernel, every=q.hardware.simulated)
    return tuple(implementation(q, n, clock) for n in found)


def _without_use(q: Question, error: ScheduleError, clock: Clock) -> ScheduleError:
    """The error. If the same error occurs without the pins, it names them as useless."""
    if not q.pins:
        return error
    try:
        free = _decide(replace(q, pins=()), q.kernel.main, clock)
        if free is not None and free.schedule is not None:
            lower(free.schedule)
    except ScheduleError as whole:
        if whole.args == error.args:
            pins = ", ".join(map(str, q.pins))
            return ScheduleError(
                f"{error}; so there is no schedule of which {pins} could decide anything: leave it out"
            )
    return error


def _remembered(q: Question, key: str, statement: int) -> Implementation | None:
    """A search's winner, or the earlier decision for the same question; its mapping is proved anew, and is not banned."""
    main = statement == q.kernel.main
    if q.tuned and main:
        found = from_record(q.tuned.record, q.kernel, q.hardware, q.sizes)
        if found is not None and q.why_banned(found.proved.mapping) is None:
            found = replace(found, status="TUNED", bound=None, gap=None)
            return Implementation(statement, found, notes=(q.tuned.told,))
    known = decisions.load(key, q.kernel, q.hardware, q.sizes) if q.strategy == "exact" or not main else None
    mapping = None if known is None else known.schedule.proved.mapping
    if known is None or mapping is None or mapping.statement_index != statement or q.why_banned(mapping) is not None:
        return None
    return Implementation(statement, known.schedule, None, known.notes, known.least)


def _proposed(q: Question, clock: Clock) -> Implementation:
    """The first schedule proposed by a strategy other than the exact one, in the cost model's view. Raises ScheduleError."""
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
    found = made.space.schedule(points[0])
    return Implementation(q.kernel.main, found, made.mappings[points[0].mapping], (*choice.notes, told))


def _candidates(q: Question) -> Candidates:
    ahead = frozenset(q.constant)
    return candidates(q.kernel, q.hardware, dict(q.sizes), q.instruction, find_mappings, q.figures, q.digits, ahead)


def _decide(q: Question, statement: int, clock: Clock) -> Implementation | None:
    """The best schedule among those of the best few mappings; None if no instruction fits. Raises ScheduleError."""
    if statement == q.kernel.main:
        choice: Candidates = clock.time("map", _candidates, q)
        pins = without_fusion(q.pins)
    else:
        work = partial(secondary_candidates, q.kernel, q.hardware, dict(q.sizes), statement, q.figures)
        choice, pins = clock.time("map", work), ()
    if not choice.found:
        return None
    found, mappings, least = _best(q, choice, pins, clock)
    return Implementation(statement, found, mappings, choice.notes, least)


def fused_schedules(q: Question, schedules: Schedules, clock: Clock) -> tuple[Schedules, tuple[Fused, ...]]:
    """The schedules, block by block if that costs less; and the blocks. Raises ScheduleError if pinned blocks are not possible."""
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

    def own(s: Schedule, constant: tuple[str, ...]) -> tuple[str, ...]:
        return constants_of(q.kernel, s.proved.mapping.statement_index, constant)

    def solve(s: Schedule, sizes: dict[str, int], constant: tuple[str, ...], fix: dict[str, int]) -> Schedule:
        return solve_schedule(
            s.proved, q.hardware, sizes, constant=own(s, constant), fix=fix, solver_seconds=q.timeout, figures=q.figures
        )

    def floor(s: Schedule, sizes: dict[str, int], constant: tuple[str, ...], axis: str) -> float:
        here = machine(q.hardware, s.proved.mapping.instruction, q.figures)
        return least(setting(s.proved, q.hardware, sizes, own(s, constant), 1), here, axis)

    work = partial(fused, schedules, dict(q.sizes), q.constant, q.threads, q.figures, solve, floor, pinned)
    found, made = clock.time("schedule", work)
    return tuple(map(with_stages, found)), made


def _best(
    q: Question, choice: Candidates, pins: tuple[Pin, ...], clock: Clock
) -> tuple[Schedule, MappingSet, Least | None]:
    """The best schedule of the first few mappings with one, its search, and a lower bound over all mappings.

    Distant mappings are tried only if the near ones have no schedule. Lowering may still fail when the plan is made: then
    the mapping is banned, and the search goes on.
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
    return best, mappings, _least(q, choice, tuple(s for _, s, _ in made))


def _least(q: Question, choice: Candidates, made: Schedules) -> Least | None:
    """The bound over all mappings: the solver's bounds of scheduled ones, the rooflines of the others.

    Returns None if the objective is not latency, or a schedule has no bound.
    """
    if q.objective != "latency" or any(s.bound is None for s in made):
        return None
    bounds = {s.proved.mapping: s.bound or 0.0 for s in made}
    floors = [roofline(q, m) for _, m in choice.found]
    apart = min(bounds.get(m.mapping, f.apart) for (_, m), f in zip(choice.found, floors, strict=True))
    return Least(apart, min(f.computing for f in floors))


def roofline(q: Question, proved: ProvedMapping) -> Least:
    """A lower bound over all schedules of the mapping; in a recurrence, for one time step."""
    number, sizes = proved.mapping.statement_index, dict(q.sizes)
    recurrence = q.kernel.recurrence_of(number)
    if recurrence is not None:
        sizes = one_time_step(q.kernel, recurrence, sizes)
    where = setting(proved, q.hardware, sizes, constants_of(q.kernel, number, q.constant), q.threads)
    here = machine(q.hardware, proved.mapping.instruction, q.figures, q.threads)
    return Least(lower_bound(where, here, False), compute_bound(where, here))


def _outside(schedule: Schedule, decided: str) -> Schedule:
    """The schedule, with this decision noted as made outside the solver."""
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
