"""tune(): search among the schedules of a kernel on this machine, by measuring; plan() uses the winner from then on."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping as Dict
from dataclasses import replace
from typing import Any

from isamap_smt.ir.arguments import MOST_THREADS, seconds, time_limit, valid_sizes, whole_number
from isamap_smt.ir.errors import HardwareError, ScheduleError, SizeError, UndecidedError, UnknownNameError, did_you_mean
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.time_limit import limited
from isamap_smt.language.library import found_kernel
from isamap_smt.language.ranges import assume as assume_values
from isamap_smt.machine_model.errors import CalibrationError
from isamap_smt.pipeline.another_cover import built
from isamap_smt.pipeline.arguments import found_hardware, found_name
from isamap_smt.pipeline.choose import candidates
from isamap_smt.pipeline.knowledge import AUTO, cost_model
from isamap_smt.pipeline.plan import Plan, plan
from isamap_smt.pipeline.secondary import secondary_statements
from isamap_smt.pipeline.spaces import spaces
from isamap_smt.pipeline.split import rest, without_split
from isamap_smt.runtime.conformance.remembered import require_checked
from isamap_smt.runtime.executors import Executors
from isamap_smt.runtime.interrupted import interrupts_kept
from isamap_smt.scheduling.arguments import PLAN_SECONDS, in_order, pinned, tensor_names
from isamap_smt.search import find_mappings
from isamap_smt.tuning.database import Database
from isamap_smt.tuning.errors import TuningError
from isamap_smt.tuning.loop import NOTHING, Limits, Measure, Progress, Search, Tuned, Workers, search
from isamap_smt.tuning.processes import Processes
from isamap_smt.tuning.protocols import CostModel, find_strategy
from isamap_smt.tuning.task import Task
from isamap_smt.tuning.trial import run_trial


def tune(
    kernel: Kernel | str,
    hardware: Hardware | str = "host",
    *,
    sizes: Dict[str, int] | None = None,
    constant: Iterable[str] = (),
    threads: int = 1,
    fix: Dict[str, Any] | None = None,
    instruction: str | None = None,
    assume: Iterable[str] = (),
    strategy: str = "top-k",
    cost_model: str = AUTO,
    seed: int = 0,
    budget: float | None = 60.0,
    trials: int | None = None,
    each: float = 0.3,
    timeout: float | None = None,
    workers: int = 1,
    executor: Executors | None = None,
    measure: Measure = run_trial,
    cc: str | None = None,
    progress: Progress | None = None,
) -> Tuned:
    """Measure schedules proposed by a strategy, each proved before it runs; keep the fastest for plan() and compile().

    sizes must leave nothing open. strategy and cost_model by name (isamap.strategies and isamap.cost_models are entry
    points). budget: seconds for measuring; trials: programs to try at most; one of them may be None. each: seconds
    for repeating a program. executor is a concurrent.futures executor of `workers` workers, which is left running, or
    a function that makes one (and another if one breaks); by default processes on this machine. measure is what they do with
    a Job. The rest as for plan(). Programs measured before, by any strategy, are not measured again, so a stopped search goes on.
    A kernel without instructions has no schedules: no trials, no winner, and `ended` and `notes` say why.
    Raises the errors of plan(), and TuningError.
    """
    kernel, hardware = found_kernel(kernel), found_hardware(hardware)
    if hardware.engines:
        raise HardwareError(f"{hardware.lacks[0]}; im.plan() plans them")
    kernel = assume_values(kernel, assume)
    limit = time_limit(timeout, ScheduleError)
    task, limits = _task(kernel, hardware, sizes, constant, threads, fix, instruction), _limits(budget, trials, each)
    with interrupts_kept():
        task, planned = _computed(task, limit, cc)
    kernel = task.kernel
    make = find_strategy(strategy)
    with Database() as database:
        models = _models(cost_model, hardware, database)
        model = models[0]
        if progress:
            progress(0.0, "mapping and scheduling")
        try:
            with interrupts_kept(), limited(limit, f"{kernel.name} on {hardware.name}"):
                choice = candidates(kernel, hardware, dict(task.sizes), task.instruction, find_mappings, model.figures)
                made = spaces(task, choice, limit or PLAN_SECONDS, model.figures)
        except ScheduleError as error:
            if planned.schedule is not None or isinstance(error, UndecidedError):
                raise
            return Tuned(task, strategy, seed, None, (), 0, (), 0.0, NOTHING, notes=planned.notes)
        s = Search(
            task, made.space, strategy, whole_number(seed, "seed", TuningError, low=0), model, models, made.exact, database,
            limits, cc,
        )  # fmt: skip
        count = whole_number(workers, "workers", TuningError)
        with Workers(executor or (lambda: Processes(count)), count, measure) as pool:
            return search(s, make(made.space, model, s.seed), pool, progress)


def _task(
    kernel: Kernel,
    hardware: Hardware,
    sizes: Dict[str, int] | None,
    constant: Iterable[str],
    threads: int,
    fix: Dict[str, Any] | None,
    instruction: str | None,
) -> Task:
    if hardware.simulated:
        raise TuningError(f"nothing can be measured: {hardware.no_c}")
    given, names = valid_sizes(sizes), tensor_names(constant)
    if missing := kernel.with_sizes(given).free_sizes:
        raise SizeError(f"only a kernel at known sizes can be measured; {', '.join(missing)} missing: give their sizes")
    for name in names:
        if name not in kernel.inputs:
            raise UnknownNameError(
                f"{kernel.name} has no input {name!r} to hold constant; {did_you_mean(name, kernel.inputs)}"
            )
    pins = in_order(pinned(fix))
    threads = whole_number(threads, "threads", ScheduleError, high=MOST_THREADS)
    return Task(kernel, hardware, tuple(sorted(given.items())), names, threads, pins, found_name(instruction))


def _computed(task: Task, timeout: float | None, cc: str | None) -> tuple[Task, Plan]:
    """The task of the kernel computed by plan(), the same one or with its sum in partial sums; and the plan.

    Raises TuningError for kernels with several sums of products.
    """
    kernel = task.kernel
    if secondary_statements(kernel):
        raise TuningError(f"{kernel.name} has several sums of products; a search is for kernels with one")
    fix = {p.name: p.value for p in task.pins}
    planned = plan(
        kernel, task.hardware, sizes=dict(task.sizes), constant=task.constant, threads=task.threads, fix=fix,
        timeout=timeout, instruction=task.instruction, strategy="exact",
    )  # fmt: skip
    planned, _ = built(planned, lambda p: require_checked(p.program, cc))  # the others' are checked in their trials
    task = replace(task, hardware=planned.hardware)
    if planned.split is None:
        return task, planned
    if secondary_statements(planned.kernel):
        raise TuningError(
            f"{kernel.name} is computed as {planned.split.split}, and a rest; a search is for kernels with one sum of "
            "products: pin split=no to search among the schedules of the whole"
        )
    sizes = rest(planned.split.split, dict(task.sizes))
    pins = without_split(task.pins)
    return replace(task, kernel=planned.kernel, sizes=tuple(sorted(sizes.items())), pins=pins), planned


def _limits(budget: float | None, trials: int | None, each: float) -> Limits:
    if budget is None and trials is None:
        raise TuningError("a search needs an end: give a budget in seconds, or a number of trials")
    if trials is not None:
        trials = whole_number(trials, "trials", TuningError)
    return Limits(
        None if budget is None else seconds(budget, "budget", ScheduleError),
        trials,
        seconds(each, "each", ScheduleError),
    )


def _models(name: str, hardware: Hardware, database: Database) -> tuple[CostModel, ...]:
    """The model asked for, then the others available: their rank correlation is told too."""
    first = cost_model(name, hardware, database)
    models = [first]
    for other in ("analytic", "calibrated"):
        if other != first.name:
            try:
                models.append(cost_model(other, hardware, database))
            except CalibrationError:
                continue
    return tuple(models)
