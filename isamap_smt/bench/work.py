"""What a contender offers for one case: something to call again and again, and what the first call gave."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from isamap_smt.bench.case import Case


@dataclass(frozen=True)
class Work:
    """run() computes once. result() is called once, after the first run: the output in the kernel's own layout.

    about: how it computes, as plain data for the report. peak(): operations per second that its instruction allows on
    one core, where that is known.
    """

    run: Callable[[], object]
    result: Callable[[], np.ndarray]
    about: dict[str, Any] = field(default_factory=dict)
    peak: Callable[[], float] | None = None


def latest(compute: Callable[[], Any], result: Callable[[Any], np.ndarray], call: str) -> Work:
    """Work whose every call makes something new, held until the next has made its own. result() takes it; call: in words."""
    held: list[Any] = []

    def run() -> None:
        held[:] = [compute()]

    return Work(run, lambda: result(held[0]), {"call": call})


class Open(Protocol):
    """Makes everything ready for the first call: packing ahead where the condition allows it, threads set."""

    def __call__(
        self, case: Case, condition: str, threads: int, arrays: dict[str, np.ndarray], options: dict[str, Any]
    ) -> Work: ...


class Unsupported(Exception):
    """The peer cannot compute this case; the text says why. No fault."""


@dataclass(frozen=True)
class Sample:
    """The quickest call of one turn, in seconds. dropped: samples in which another process had the core."""

    seconds: float
    samples: int
    dropped: int


_SHORT = 200e-6  # seconds: shorter calls are timed several at a time, so that the clock's own time does not count


def sample(run: Callable[[], object], budget: float, least: int = 2) -> Sample:
    """Call for `budget` seconds and at least `least` times; preempted samples count only if all were."""
    end = time.perf_counter() + budget
    calls = 1
    quiet: list[float] = []
    noisy: list[float] = []
    while len(quiet) + len(noisy) < least or time.perf_counter() < end:
        seconds, alone = _timed(run, calls)
        (quiet if alone else noisy).append(seconds / calls)
        # The quickest so far says how many calls a sample is made of: a first call may be slow for any reason.
        calls = max(1, round(_SHORT / max(min(quiet + noisy), 1e-7)))
    return Sample(min(quiet or noisy), len(quiet) + len(noisy), len(noisy))


def _timed(run: Callable[[], object], calls: int) -> tuple[float, bool]:
    """(seconds of `calls` calls, whether none was preempted)."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw
    start = time.perf_counter()
    for _ in range(calls):
        run()
    taken = time.perf_counter() - start
    return taken, resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw == before
