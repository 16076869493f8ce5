"""A run: every case of some suites, under each condition and number of threads, one after the other."""

from __future__ import annotations

import contextlib
import math
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from isamap_smt.bench import bandwidth, machine
from isamap_smt.bench.bandwidth import Bandwidth, attainable
from isamap_smt.bench.case import CONDITIONS, Case
from isamap_smt.bench.contenders import CONTENDERS, OURS, Contender
from isamap_smt.bench.machine import Probe
from isamap_smt.bench.results import Results, code_digest
from isamap_smt.bench.session import Session
from isamap_smt.bench.suites import Suite, SuiteError
from isamap_smt.bench.turns import Effort, Tell, measure
from isamap_smt.report.quantities import installed

_PACKAGES = {"torch": "torch", "onednn": "torch", "onnxruntime": "onnxruntime", "numpy": "numpy", "exo": "exo-lang"}


@dataclass(frozen=True)
class Task:
    """One entry to measure."""

    suite: str
    case: Case
    condition: str
    threads: int


@dataclass(frozen=True)
class Choice:
    """What to measure. Raises nothing; `tasks` orders by threads, then suite, then case."""

    suites: tuple[Suite, ...]
    threads: tuple[int, ...]
    conditions: tuple[str, ...] = CONDITIONS
    quick: bool = False
    only: str | None = None

    def tasks(self) -> list[Task]:
        """Every entry. Raises SuiteError when `only` leaves a suite empty, or the conditions leave nothing at all."""
        found = [
            Task(suite.name, case, condition, threads)
            for threads in self.threads
            for suite in self.suites
            for case in suite.cases(self.quick, self.only)
            for condition in self.conditions
            if condition in suite.conditions and CONTENDERS[OURS].plays(case, condition, threads)
        ]
        if not found:
            raise SuiteError("; ".join(self.left_out()))
        return found

    def left_out(self) -> list[str]:
        """For each suite, the conditions that were asked for and that it does not have."""
        return [
            f"{suite.name} has no figures with weights {condition}, only {' and '.join(suite.conditions)}"
            for suite in self.suites
            for condition in self.conditions
            if condition not in suite.conditions
        ]


def new_results(path: Path, choice: Choice, contenders: list[Contender], effort: Effort) -> Results:
    """Results without entries: this machine, this code, and who takes part. Raises HardwareError for too many threads."""
    for threads in choice.threads:
        machine.cores_for(threads)
    missing = {c.name: words for c in contenders if (words := c.missing())}
    present = [c.name for c in contenders if c.name not in missing]
    packages = installed(dict.fromkeys(_PACKAGES[n] for n in present if n in _PACKAGES))
    return Results(
        path=path,
        machine=machine.describe(),
        code=code_digest(),
        peers=packages,
        missing=missing,
        settings={"turns": effort.turns, "seconds": effort.seconds, "plan": effort.plan, "peers": present},
    )


def run(
    results: Results,
    choice: Choice,
    contenders: list[Contender],
    effort: Effort,
    tell: Tell,
    done: Callable[[int, int], None],
) -> None:
    """Measure what `results` lacks; its file is whole after every case. done(finished, all) after each.

    An interrupt ends the contenders' processes and leaves what was measured. Raises ResultsError, BuildError.
    """
    tasks = choice.tasks()
    have = results.done()
    finished = 0
    for threads in choice.threads:
        mine = [t for t in tasks if t.threads == threads]
        todo = [t for t in mine if (t.suite, t.case.name, t.condition, threads) not in have]
        finished += len(mine) - len(todo)
        if not todo:
            continue
        cores = machine.cores_for(threads)
        probe = Probe(cores)
        probe.ghz()
        if str(threads) not in results.bandwidth:
            tell("measuring memory")
            results.bandwidth[str(threads)] = [asdict(b) for b in bandwidth.measure(sorted(cores))]
        present = [c for c in contenders if c.name not in results.missing]
        with contextlib.ExitStack() as stack:
            sessions = [stack.enter_context(Session(c, threads, cores)) for c in present]
            for task in todo:
                done(finished, len(tasks))
                results.add(_one(task, sessions, probe, effort, results, tell))
                finished += 1
    done(finished, len(tasks))


def _one(
    task: Task, sessions: list[Session], probe: Probe, effort: Effort, results: Results, tell: Tell
) -> dict[str, object]:
    """The entry of one task."""
    players = [s for s in sessions if s.contender.plays(task.case, task.condition, task.threads)]
    base = {"suite": task.suite, "case": task.case.document(), "condition": task.condition, "threads": task.threads}
    room = machine.free_bytes()
    needed = 3 * task.case.bytes() * len(players)
    if room is not None and needed > room:
        words = f"needs about {needed >> 30} GiB for {len(players)} contenders, and {room >> 30} are free"
        return {**base, "skipped": words, "contenders": {}, "best_peer": None, "ratio": None}
    with tempfile.TemporaryDirectory(prefix="isamap-bench-") as folder:
        entry = measure(task.case, task.condition, task.threads, players, probe, Path(folder), effort, tell)
    known = [Bandwidth(**b) for b in results.bandwidth[str(task.threads)]]  # type: ignore[arg-type]
    peak = entry["peak"]
    case = task.case
    top = peak * 1e9 if peak else math.inf  # several instructions in a row have no one peak: memory alone is the limit
    limit = attainable(case.operations, case.passes(), top, known, task.threads) / 1e9
    return {**base, **entry, "limit": limit}
