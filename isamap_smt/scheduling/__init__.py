"""Tiles, order, packing and parallel axes of a proved mapping, with the gap to the optimum.

The space and the cost model are written down in docs/design/schedule-space.md. The choice is CP-SAT's; nothing here is
trusted, because the lowered program is proved afterwards.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from collections.abc import Mapping as Dict
from typing import Any

from isamap_encodings import deadline
from isamap_encodings.schedule_answer import LOAD, Answer
from isamap_encodings.schedule_problem import ScheduleProblem
from isamap_smt.ir.arguments import function_or_none, time_limit
from isamap_smt.ir.errors import ScheduleError, UndecidedError
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.kinds import require_kind
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.ir.schedule import Schedule
from isamap_smt.ir.time_limit import limited
from isamap_smt.scheduling.arguments import SCHEDULE_SECONDS, Pin, pinned
from isamap_smt.scheduling.clashing import clashing
from isamap_smt.scheduling.figures import DESCRIBED, Figures
from isamap_smt.scheduling.setting import UNIT
from isamap_smt.scheduling.space import ScheduleSpace, space

Progress = Callable[[int, float, float], None]
ASSUMED_GAP = 0.05  # ends a search at sizes that are only assumed: the real ones are others
_KEPT = 256  # problems whose answers are remembered; one takes about 10 KB
_answers: OrderedDict[tuple[ScheduleProblem, float, float], Answer] = OrderedDict()  # the last one used stands last


def schedule(
    proved: ProvedMapping,
    hardware: Hardware,
    sizes: Dict[str, int] | None = None,
    *,
    objective: str = "latency",
    constant: Iterable[str] = (),
    fix: Dict[str, Any] | None = None,
    threads: int = 1,
    timeout: float | None = None,
    progress: Progress | None = None,
    figures: Figures = DESCRIBED,
) -> Schedule:
    """The cheapest schedule of the space for these sizes, with status, bound and gap.

    sizes: by axis, size or parameter name, in points; sizes left out stay run-time parameters (the result is legal for
    all of them, chosen for those in `notes`). objective: 'latency' (cycles) or 'energy' (picojoules of data movement).
    constant: input tensors that never change and are packed ahead of the calls. fix: decisions taken, such as
    {"tile.k": 64, "register.i": 6, "pack.b": "L3", "parallel": "i"}; see isamap_smt.scheduling.pins. threads: how many
    share a loop. timeout: seconds for the search; CP-SAT also gets as many deterministic ones, 60 if there is no
    timeout. progress is called with (solutions, objective, bound) at each better schedule; KeyboardInterrupt, there or
    from Ctrl-C, ends the search with the best so far. figures: measured rates, in place of the hardware description's.
    In the result `status` is OPTIMAL or FEASIBLE within `space`, `gap` a fraction, `tiles` in points, `traffic` in
    bytes.

    Raises NotProvedError for anything not made by prove(), SizeError for wrong sizes, ScheduleError if nothing in the
    space satisfies the pins or nothing was found in time.
    """
    require_kind("schedule", hardware, Hardware, "isamap_smt.find_hardware('host')")
    limit = time_limit(timeout, ScheduleError)
    progress = function_or_none(progress, "progress", ScheduleError)
    with limited(limit, "the schedule"):
        return scheduled(
            proved, hardware, sizes, objective=objective, constant=constant, fix=fix, threads=threads,
            solver_seconds=limit or SCHEDULE_SECONDS, progress=progress, figures=figures,
        )  # fmt: skip


def scheduled(
    proved: ProvedMapping,
    hardware: Hardware,
    sizes: Dict[str, int] | None = None,
    *,
    objective: str = "latency",
    constant: Iterable[str] = (),
    fix: Dict[str, Any] | tuple[Pin, ...] | None = None,
    threads: int = 1,
    solver_seconds: float,
    progress: Progress | None = None,
    figures: Figures = DESCRIBED,
) -> Schedule:
    """schedule() without a time limit of its own. solver_seconds: CP-SAT's, deterministic, for each search."""
    pins = pinned(fix)

    def found(some: tuple[Pin, ...], told: Progress | None = None) -> tuple[ScheduleSpace, Answer]:
        where = space(
            proved, hardware, sizes, objective=objective, constant=constant, fix=some, threads=threads, figures=figures
        )
        return solved(where, solver_seconds, told)

    def nothing_with(some: tuple[Pin, ...]) -> bool:
        try:
            return found(some)[1].status == "INFEASIBLE"
        except ScheduleError:  # one alone that another makes possible
            return True

    where, answer = found(pins, progress)
    if answer.choice is None and answer.status == "INFEASIBLE":
        clash = clashing(pins, nothing_with) if len(pins) > 1 else pins
        raise ScheduleError(nothing(where, answer, clash, tuple(p for p in pins if p not in clash)))
    if answer.choice is None:
        raise UndecidedError(nothing(where, answer, pins))
    return where.answered(answer)


def solved(where: ScheduleSpace, timeout: float, progress: Progress | None = None) -> tuple[ScheduleSpace, Answer]:
    """CP-SAT's answer and its space. Solves with outermost parallel loops; retries with inner ones if there is no
    answer or they may pay; last, on one thread if no loop can be shared and no pin asks for one."""
    answer = _answered(where, timeout, progress)
    if where.problem.parallelizable and (
        answer.status == "INFEASIBLE" or (_may_pay(where.problem, answer) and not deadline.enough())
    ):
        where = where.with_inner()
        answer = _answered(where, timeout, progress)
    if answer.status == "INFEASIBLE" and where.problem.parallelizable and where.pins.parallel is None:
        where = where.serial()
        answer = _answered(where, timeout, progress)
    return where, answer


def _may_pay(problem: ScheduleProblem, answer: Answer) -> bool:
    """Whether one thread does everything, and sharing another loop could cost less: no less than the work and one start."""
    cost = answer.cost
    return cost is not None and cost.shared is None and cost.alone + problem.start * problem.threads < cost.total


def _answered(where: ScheduleSpace, timeout: float, progress: Progress | None) -> Answer:
    """CP-SAT's answer to one problem. Each problem is solved once in this process (kernels of one form share theirs,
    and so do machines that differ only out of reach), unless somebody watches or the machine's load decided the
    answer."""
    enough = ASSUMED_GAP if where.setting.assumed else 0.0
    if progress is not None:
        return solve(where.problem, timeout, lambda n, x, bound: progress(n, x / UNIT, bound / UNIT), enough=enough)
    key = where.problem.nameless(), timeout, enough
    known = _answers.pop(key, None)
    answer = known or solve(where.problem, timeout, enough=enough)
    if answer.stopped not in LOAD:
        _answers[key] = answer
        while len(_answers) > _KEPT:
            _answers.popitem(last=False)
    return answer


def solve(problem: ScheduleProblem, timeout: float, progress: Progress | None = None, enough: float = 0.0) -> Answer:
    """isamap_encodings' solve, imported on the first call: CP-SAT and its imports take half a second."""
    from isamap_encodings.schedule_model import solve as ask

    return ask(problem, timeout, progress, enough=enough)


def nothing(where: ScheduleSpace, answer: Answer, pins: tuple[Pin, ...], others: tuple[Pin, ...] = ()) -> str:
    """Why the solver's answer holds no choice. pins: those that leave none. others: pins that may stay."""
    s = where.setting
    name = s.mapping.id
    told = ", ".join(map(str, pins))
    if answer.status == "INFEASIBLE":
        why = f" with {told}" if told else ""
        threads = f", or no loop has {s.threads} trips for {s.threads} threads" if s.threads > 1 else ""
        free = f"; {', '.join(map(str, others))} may stay" if others and pins else ""
        return (
            f"no schedule of {name} is in the space{why}: some tile does not fit its cache{threads} (INFEASIBLE){free}"
        )
    what = {"interrupted": "it was interrupted"}.get(answer.stopped, f"the {answer.stopped} ended the search")
    return f"no schedule of {name} was found before {what} (UNKNOWN); allow more time or fix fewer decisions"
