"""One trial: a schedule's program is proved, printed, built, run, compared with the reference, and only then timed.

A trial is plain data in and plain data out, so it may run in another process or on another machine. A lock in the cache
directory keeps others on the same machine from being timed meanwhile.
"""

from __future__ import annotations

import fcntl
import math
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from resource import RUSAGE_SELF, getrusage
from typing import Any

import numpy as np

from isamap_smt.codegen import lower, print_c
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.left_behind import feeding
from isamap_smt.machine_model.calibration import identity
from isamap_smt.proof import require_proof
from isamap_smt.runtime.cache import cache_directory
from isamap_smt.runtime.compiled import build_program
from isamap_smt.runtime.judge import arithmetic_of, judge, wanted
from isamap_smt.runtime.measure import Arrays, arrays_for, prepare
from isamap_smt.scheduling.record import Record, from_record

_LEAST, _MOST = 5, 2000  # samples that are kept
_PATIENCE = 4.0  # times the seconds allowed, after which disturbed samples are no longer replaced


@dataclass(frozen=True)
class Job:
    """A schedule to try. record: the schedule. seconds: how long to repeat the call.

    hopeless: if a call takes more seconds than this, two more samples are enough.
    """

    kernel: Kernel
    hardware: Hardware
    sizes: tuple[tuple[str, int], ...]
    record: Record
    threads: int = 1
    seed: int = 0
    seconds: float = 0.3
    hopeless: float = math.inf
    cc: str | None = None


@dataclass(frozen=True)
class Outcome:
    """status: ok, wrong (another result than the reference's), failed (not proved or not built) or crashed.

    seconds: the best sample; median and samples of those kept; dropped: samples disturbed by other work of the machine.
    machine: the one it ran on.
    """

    status: str
    seconds: float | None = None
    median: float | None = None
    samples: int = 0
    dropped: int = 0
    reason: str = ""
    machine: str = field(default_factory=lambda: identity().digest)


def run_trial(job: Job) -> Outcome:
    """Try one schedule. Never raises for faults of the candidate: the outcome tells them."""
    try:
        call, kernel, arithmetic = prepared(job)
        call.run()
        right = (
            wanted(kernel, _arrays(kernel, job.seed), arithmetic, call.result)
            if feeding(kernel)
            else _wanted(kernel, job.seed, arithmetic)
        )
        judged = judge(kernel, call.result, right, arithmetic)
        if judged.reason:
            return Outcome("wrong", reason=judged.reason[:500])
        with alone():
            samples, dropped = timed(call.run, job.seconds, job.hopeless)
    except (IsamapError, MemoryError) as error:
        return Outcome("failed", reason=f"{type(error).__name__}: {error}"[:500])
    return Outcome("ok", min(samples), statistics.median(samples), len(samples), dropped)


def race(jobs: list[Job], rounds: int = 3) -> list[float | None]:
    """The best seconds of each of a few schedules that ran right before; None if one fails.

    They are timed in turns (A B A B) on one machine.
    """
    calls: list[Any] = []
    for job in jobs:
        try:
            calls.append(prepared(job)[0])
        except (IsamapError, MemoryError):
            calls.append(None)
    best = [math.inf] * len(jobs)
    with alone():
        for _ in range(rounds):
            for n, (job, call) in enumerate(zip(jobs, calls, strict=True)):
                if call is not None:
                    samples, _ = timed(call.run, job.seconds / rounds)
                    best[n] = min(best[n], *samples)
    return [None if math.isinf(b) else b for b in best]


def timed(run: Callable[[], None], seconds: float, hopeless: float = math.inf) -> tuple[list[float], int]:
    """(seconds of each sample, how many were dropped). A sample is dropped if the system took the core away meanwhile.

    If it always does, disturbed samples are kept after all: they are slower, never faster. If two first calls both take
    longer than `hopeless`, two samples are enough.
    """
    kept: list[float] = []
    disturbed: list[float] = []
    least = _LEAST
    if hopeless < math.inf and min(_seconds(run), _seconds(run)) > hopeless:
        least, seconds = 2, 0.0
    begin = time.perf_counter()
    while True:
        elapsed = time.perf_counter() - begin
        if len(kept) >= _MOST or (elapsed > seconds and len(kept) >= least):
            break
        if elapsed > _PATIENCE * seconds and len(kept) + len(disturbed) >= least:
            break
        before = getrusage(RUSAGE_SELF).ru_nivcsw
        taken = _seconds(run)
        (kept if getrusage(RUSAGE_SELF).ru_nivcsw == before else disturbed).append(taken)
    return (kept, len(disturbed)) if len(kept) >= least else (kept + disturbed, len(disturbed))


def _seconds(run: Callable[[], None]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def prepared(job: Job) -> tuple[Any, Kernel, str]:
    """A checked call of the program, proved and built, on random arrays; and its arithmetic. Raises IsamapError."""
    schedule = from_record(job.record, job.kernel, job.hardware, job.sizes)
    if schedule is None:
        raise IsamapError("the mapping is not legal, or the record means no schedule")
    checked = require_proof(lower(schedule))
    compiled = build_program(print_c(checked, str(schedule)), cc=job.cc)
    kernel = job.kernel.with_sizes(dict(job.sizes))
    arrays = _arrays(kernel, job.seed)
    return prepare(compiled, arrays, job.threads), kernel, arithmetic_of(checked.program)


@lru_cache(maxsize=2)
def _arrays(kernel: Kernel, seed: int) -> Arrays:
    return arrays_for(kernel, seed)


@lru_cache(maxsize=2)
def _wanted(kernel: Kernel, seed: int, arithmetic: str) -> dict[str, np.ndarray]:
    return wanted(kernel, _arrays(kernel, seed), arithmetic)


@contextmanager
def alone() -> Iterator[None]:
    """No other trial on this machine is timed meanwhile."""
    with open(cache_directory().parent / "timing.lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)
