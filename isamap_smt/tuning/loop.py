"""The search: a strategy proposes, workers try, the database remembers, and a race among the best decides.

It continues an earlier search with the same seed: trials in the database are told to the strategy at once instead of
being measured again. Work is handed to any `concurrent.futures` executor, in rounds of one program for each worker, and
answers are told in the order of asking; so the same seed and the same times lead to the same search.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass

import numpy as np

from isamap_smt.machine_model.calibration import identity
from isamap_smt.runtime.executors import Executors, Handed
from isamap_smt.runtime.interrupted import interrupts_kept
from isamap_smt.scheduling.figures import DESCRIBED
from isamap_smt.scheduling.record import is_whole
from isamap_smt.tuning.database import Database, Trial, Winner
from isamap_smt.tuning.errors import TuningError
from isamap_smt.tuning.points import Point, Space, features
from isamap_smt.tuning.protocols import CostModel, Strategy
from isamap_smt.tuning.task import Task
from isamap_smt.tuning.trial import Job, Outcome, race, run_trial

_FINALISTS = 4
INTERRUPTED = "it was interrupted"
NOTHING = (
    "there is nothing to tune: no instruction is used, and loops over single elements have no tiles, order or packing to choose; "
    "the number of threads is the caller's"
)
_HOPELESS = 3.0  # times the best, from which a program is not timed long
Progress = Callable[[float, str], None]
Measure = Callable[[Job], Outcome]


@dataclass(frozen=True)
class Limits:
    """budget: seconds for measuring (None: until the strategy ends). trials: at most so many new ones.

    each: seconds to repeat one program for.
    """

    budget: float | None = 60.0
    trials: int | None = None
    each: float = 0.3


@dataclass(frozen=True)
class Tuned:
    """The result of a search. trials: all those its strategy asked for, in order; reused: how many were known before.

    ranks: by cost model, the rank correlation of its predictions with the measured times over these trials. ended: why
    the search stopped. race: (program, seconds) of the finalists, timed in turns. space: the space searched. proposed:
    the strategy's own points, in order. Every search tries the exact choice first; it is among these points only if the
    strategy proposed it. notes: for the user.
    """

    task: Task
    strategy: str
    seed: int
    winner: Winner | None
    trials: tuple[Trial, ...]
    reused: int
    ranks: tuple[tuple[str, float | None], ...]
    seconds: float
    ended: str
    race: tuple[tuple[str, float], ...] = ()
    space: Space | None = None
    proposed: tuple[Point, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Search:
    """Everything a search needs.

    baseline: plan()'s choice without measurements, tried first. models: further predictors to compare.
    """

    task: Task
    space: Space
    strategy: str
    seed: int
    model: CostModel
    models: tuple[CostModel, ...]
    baseline: Point
    database: Database
    limits: Limits = Limits()
    cc: str | None = None


def search(
    s: Search,
    strategy: Strategy,
    workers: Workers,
    progress: Progress | None = None,
) -> Tuned:
    """Run it. Ctrl-C ends it with the results so far; the database has every finished trial."""
    started = time.monotonic()
    machine = identity()
    asked: list[Trial] = []
    proposed: list[Point] = []
    # What failed may have failed for a reason that is gone.
    held = {k: t for k, t in s.database.trials(s.task.digest, machine.digest).items() if t.status == "ok"}
    known = {k: t for k, t in held.items() if is_whole(t.record, k)}
    remembered = set(known)
    fresh, ended = 0, "the strategy has nothing left to propose"
    queue = [s.baseline]
    try:
        while True:
            points = queue or _proposed(strategy, workers.count)
            if not points:
                break
            queue_was, queue = bool(queue), []
            keys = [s.space.key(p) for p in points]
            todo = [(p, k) for p, k in zip(points, keys, strict=True) if k not in known]
            todo = list({k: (p, k) for p, k in todo}.values())
            if reason := _over(s.limits, started, fresh, bool(todo)):
                ended = reason
                break
            if progress:
                progress(_fraction(s.limits, started, fresh), _words(asked, s, todo))
            for (point, key), outcome in zip(todo, workers.run([_job(s, p, asked) for p, _ in todo]), strict=True):
                known[key] = _trial(s, point, key, outcome)
                s.database.add(s.task.digest, str(s.task), machine.digest, str(machine), known[key])
            fresh += len(todo)
            for point, key in zip(points, keys, strict=True):
                if not any(t.program == key for t in asked):
                    asked.append(known[key])
                if not queue_was:
                    proposed.append(point)
                    strategy.tell(point, known[key].seconds)
    except KeyboardInterrupt:
        ended = INTERRUPTED
        workers.close()
    first = s.space.key(s.baseline)
    try:
        raced = _raced(s, asked, first)
    except KeyboardInterrupt:
        ended, raced = INTERRUPTED, None
    winner, final = _decide(s, asked, raced, first, machine.digest)
    reused = sum(t.program in remembered for t in asked)
    return Tuned(
        s.task,
        s.strategy,
        s.seed,
        winner,
        tuple(asked),
        reused,
        _ranks(s, asked),
        time.monotonic() - started,
        ended,
        final,
        s.space,
        tuple(proposed),
        _left_out(s.database, len(held) - len(remembered)),
    )


def _left_out(database: Database, damaged: int) -> tuple[str, ...]:
    """A note on trials left out, as their schedules differ from the measured ones."""
    if not damaged:
        return ()
    return (
        f"the tuning database {database.path} holds {damaged} trial{'s' * (damaged > 1)} of this kernel with a damaged schedule; "
        "such trials were left out, and are measured again when a search comes to them",
    )


def _over(limits: Limits, started: float, fresh: int, work: bool) -> str:
    """Why no further program may be tried, or ''. The baseline is always tried; known trials cost nothing."""
    if not work or not fresh:
        return ""
    if limits.trials is not None and fresh >= limits.trials:
        return f"{fresh} programs were tried"
    if limits.budget is not None and time.monotonic() - started >= limits.budget:
        return f"the budget of {limits.budget:g} s is spent"
    return ""


def _fraction(limits: Limits, started: float, fresh: int) -> float:
    shares = [0.0]
    if limits.budget:
        shares.append((time.monotonic() - started) / limits.budget)
    if limits.trials:
        shares.append(fresh / limits.trials)
    return min(1.0, max(shares))


def _words(asked: Sequence[Trial], s: Search, todo: Sequence[tuple[Point, str]]) -> str:
    times = [t.seconds for t in asked if t.seconds is not None]
    best = f", best {min(times) * 1e3:.3g} ms" if times else ""
    return f"{len(asked)} tried{best}; {'measuring' if todo else 'remembering'}"


def _job(s: Search, point: Point, asked: Sequence[Trial]) -> Job:
    t = s.task
    best = min((x.seconds for x in asked if x.seconds is not None), default=math.inf)
    return Job(
        t.kernel, t.hardware, t.sizes, s.space.record(point), t.threads, 0, s.limits.each, _HOPELESS * best, s.cc
    )


def _trial(s: Search, point: Point, key: str, outcome: Outcome) -> Trial:
    predicted: dict[str, float | None] = {}
    for model in s.models:
        (value,) = model.predict(s.space, [point])
        predicted[model.name] = value if value < float("inf") else None
    return Trial(
        key, outcome.status, outcome.seconds, outcome.median, outcome.samples, outcome.dropped, outcome.reason,
        s.strategy, s.seed, s.space.record(point), features(s.space.priced_by(DESCRIBED), point), predicted,
    )  # fmt: skip


def _proposed(strategy: Strategy, count: int) -> list[Point]:
    """The strategy's next points. Ctrl-C meanwhile ends the search, even if a solver took it for its own."""
    with interrupts_kept():
        return list(strategy.ask(count))


def _best_first(asked: Sequence[Trial]) -> list[tuple[Trial, float]]:
    """The right trials with their seconds, the fastest first."""
    right = [(t, t.seconds) for t in asked if t.seconds is not None]
    return sorted(right, key=lambda x: (x[1], x[0].program))


def _raced(s: Search, asked: Sequence[Trial], first: str) -> list[tuple[Trial, float]]:
    """The best few and the baseline, timed in turns; those failing to run again are left out."""
    right = _best_first(asked)
    lined = right[:_FINALISTS] + [x for x in right[_FINALISTS:] if x[0].program == first]
    if len(lined) < 2:
        return lined
    t = s.task
    jobs = [Job(t.kernel, t.hardware, t.sizes, x.record, t.threads, 0, 2 * s.limits.each, cc=s.cc) for x, _ in lined]
    return [(x, time) for (x, _), time in zip(lined, race(jobs), strict=True) if time is not None]


def _decide(
    s: Search, asked: Sequence[Trial], raced: list[tuple[Trial, float]] | None, first: str, machine: str
) -> tuple[Winner | None, tuple[tuple[str, float], ...]]:
    """Keep the fastest of the race as the winner; if the race was interrupted, the fastest of the trials."""
    final = _best_first(asked) if raced is None else raced
    if not final:
        return None, ()
    best, seconds = min(final, key=lambda f: (f[1], f[0].program))
    baseline = next((time for x, time in final if x.program == first), None)
    winner = Winner(best.program, seconds, baseline, s.strategy, len(asked), "", best.record)
    s.database.crown(s.task.digest, machine, winner)
    return winner, tuple((x.program, time) for x, time in raced or ())


def _ranks(s: Search, asked: Sequence[Trial]) -> tuple[tuple[str, float | None], ...]:
    """Each model's rank correlation over the trials timed by both it and the clock."""
    found = []
    for model in s.models:
        pairs = [(t.predicted.get(model.name), t.seconds) for t in asked]
        both = [(p, m) for p, m in pairs if p is not None and m is not None]
        found.append((model.name, spearman([p for p, _ in both], [m for _, m in both])))
    return tuple(found)


class Workers:
    """An executor with its number of workers. If a worker dies, its program fails, not the search."""

    def __init__(self, executor: Executors, count: int = 1, measure: Measure = run_trial) -> None:
        """executor: the caller's own, left open; or a function to make one, and another if it breaks.

        measure: does a job.
        """
        if count < 1:
            raise TuningError(f"workers={count}: there must be at least 1")
        self._handed = Handed(executor, TuningError)
        self.count, self._measure = count, measure

    def run(self, jobs: Sequence[Job]) -> list[Outcome]:
        """The outcome of each job, in order."""
        if not jobs:
            return []
        outcomes = self._together(jobs)
        if any(o is None for o in outcomes) and len(jobs) > 1:
            # Whose program broke the pool is not known: those without an outcome get a pool each.
            outcomes = [o if o is not None else self._together([j])[0] for o, j in zip(outcomes, jobs, strict=True)]
        crashed = Outcome("crashed", reason="the process that ran it died")
        return [o if o is not None else crashed for o in outcomes]

    def _together(self, jobs: Sequence[Job]) -> list[Outcome | None]:
        found: list[Outcome | None] = []
        broken = False
        try:
            futures = [self._handed.executor.submit(self._measure, job) for job in jobs]
        except BrokenExecutor:
            futures, broken = [], True
        for future in futures:
            try:
                found.append(future.result())
            except BrokenExecutor:
                found.append(None)
                broken = True
            except Exception as error:  # a cluster has its own words for a worker that died
                found.append(Outcome("crashed", reason=f"{type(error).__name__}: {error}"[:500]))
        found += [None] * (len(jobs) - len(found))
        if broken:
            self.close()
        return found

    def close(self) -> None:
        """Let the executor go, without waiting for its current job."""
        self._handed.close()

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def spearman(a: Sequence[float], b: Sequence[float]) -> float | None:
    """The correlation of the ranks, ties at their mean rank; None below three pairs, or if one side is constant.

    >>> spearman([1, 2, 3, 4], [10, 20, 30, 40]), spearman([1, 2, 3, 4], [4, 3, 2, 1])
    (1.0, -1.0)
    >>> spearman([1, 1, 1], [1, 2, 3]) is None
    True
    """
    if len(a) != len(b):
        raise ValueError(f"{len(a)} and {len(b)} values have no pairs")
    if len(a) < 3:
        return None
    x, y = _positions(a), _positions(b)
    x, y = x - x.mean(), y - y.mean()
    spread = float(np.sqrt((x @ x) * (y @ y)))
    return round(float(x @ y) / spread, 12) if spread else None


def _positions(values: Sequence[float]) -> np.ndarray:
    _, position, counts = np.unique(np.asarray(values, float), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[position]
