"""One trial: a schedule's program is proved, printed, built, run, compared with the reference, and only then timed.

A trial is plain data in and plain data out, so that it may run in another process or on another machine. While it is
timed, no other trial on the same machine is: a lock in the cache directory sees to that.
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
from isamap_smt.ir.interpret import reference
from isamap_smt.ir.kernel import Kernel
from isamap_smt.machine_model.identity import identity
from isamap_smt.proof import require_proof
from isamap_smt.runtime.build import build_program
from isamap_smt.runtime.cache import cache_directory
from isamap_smt.runtime.measure import Arrays, arrays_for, prepare
from isamap_smt.scheduling.record import Record, from_record

_LEAST, _MOST = 5, 2000  # samples that are kept
_PATIENCE = 4.0  # times the seconds allowed, after which disturbed samples are no longer replaced


@dataclass(frozen=True)
class Job:
    """What to try. record: the schedule. seconds: how long to repeat the call.

    hopeless: seconds of one call from which two more samples are enough.
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

    seconds: the best sample; median and samples of those kept; dropped: samples during which the machine did other
    things. machine: where it ran.
    """

    status: str
    seconds: float | None = None
    median: float | None = None
    samples: int = 0
    dropped: int = 0
    reason: str = ""
    machine: str = field(default_factory=lambda: identity().digest)


def run_trial(job: Job) -> Outcome:
    """Try one schedule. Never raises for what is wrong with the candidate; the outcome says it."""
    try:
        call, kernel, arrays = prepared(job)
        call.run()
        if said := _difference(kernel, call.result, arrays, job.seed):
            return Outcome("wrong", reason=said)
        with alone():
            samples, dropped = timed(call.run, job.seconds, job.hopeless)
    except (IsamapError, MemoryError) as error:
        return Outcome("failed", reason=f"{type(error).__name__}: {error}"[:500])
    return Outcome("ok", min(samples), statistics.median(samples), len(samples), dropped)


def race(jobs: list[Job], rounds: int = 3) -> list[float | None]:
    """The best seconds of each of a few schedules that ran right before, timed in turns (A B A B) on one machine."""
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
    """(seconds of each sample, how many were dropped). A sample is dropped when the system took the core away meanwhile.

    Where it always does, disturbed samples are kept after all: they are slower, never faster. After a first call that
    takes longer than `hopeless`, two samples do.
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


def prepared(job: Job) -> tuple[Any, Kernel, Arrays]:
    """A checked call of the program, proved and built, on random arrays. Raises IsamapError."""
    schedule = from_record(job.record, job.kernel, job.hardware, job.sizes)
    if schedule is None:
        raise IsamapError("the mapping is not legal, or the record means no schedule")
    checked = require_proof(lower(schedule))
    compiled = build_program(print_c(checked, str(schedule)), cc=job.cc)
    kernel = job.kernel.with_sizes(dict(job.sizes))
    arrays = _arrays(kernel, job.seed)
    return prepare(compiled, arrays, job.threads), kernel, arrays


@lru_cache(maxsize=2)
def _arrays(kernel: Kernel, seed: int) -> Arrays:
    return arrays_for(kernel, seed)


@lru_cache(maxsize=2)
def _wanted(kernel: Kernel, seed: int) -> dict[str, np.ndarray]:
    return reference(kernel, _arrays(kernel, seed))


def _difference(kernel: Kernel, got: Any, arrays: Arrays, seed: int) -> str:
    """How a result differs from the reference beyond rounding; '' where it does not. A NaN always differs."""
    results = got if isinstance(got, dict) else {kernel.results[0]: got}
    for name, wanted in _wanted(kernel, seed).items():
        tensor, out = kernel.tensor(name), results[name]
        if not tensor.dtype.is_float:
            if not np.array_equal(out, wanted.astype(out.dtype)):
                return f"{name} is not the exact result"
            continue
        scale = float(np.abs(wanted).max(initial=0.0)) or 1.0
        distance = float(np.abs(out.astype(np.float64) - wanted).max(initial=0.0)) / scale
        allowed = _allowed(kernel)
        if not distance <= allowed:  # also where it is a NaN
            return f"{name} differs by {distance:.1e} of its largest element; rounding explains {allowed:.1e}"
    return ""


def _allowed(kernel: Kernel) -> float:
    """The rounding of every addition of every sum, all in one direction, in the coarsest type that is written, up to a quarter.

    A sum may end in a temporary, so that its rounding arrives in a result that adds nothing up itself.
    """
    points = 0
    for s in kernel.statements:
        reduced = set(s.reduction_axes)
        points += math.prod(int(a.extent) for a in s.axes if a.name in reduced) if reduced else 0
    kinds = [kernel.tensor(n).dtype for n in kernel.outputs]
    epsilon = max(_epsilon(kind.numpy) for kind in kinds if kind.is_float)
    return min(0.25, 4.0 * epsilon * (max(points, 1) + 8))


def _epsilon(kind: np.dtype) -> float:
    """The distance from 1 to the next number of a floating-point type."""
    one = np.ones(1, kind)
    step = 1.0
    while (one + np.asarray(step / 2, kind)).astype(np.float64)[0] > 1.0:
        step /= 2
    return step


@contextmanager
def alone() -> Iterator[None]:
    """No other trial on this machine is timed meanwhile."""
    with open(cache_directory().parent / "timing.lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)
