"""Fair timing on a shared machine: contenders take turns, and what counts is the ratio within a turn."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable


def seconds(work: Callable[[], object]) -> tuple[float, bool]:
    """(seconds of one call, whether it ran without being preempted)."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw
    start = time.perf_counter()
    work()
    taken = time.perf_counter() - start
    return taken, resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw == before


def interleaved(contenders: dict[str, Callable[[], float]], turns: int = 15) -> dict[str, list[float]]:
    """Each contender's figure in every turn. A contender returns its own rate, already the best of a few calls."""
    figures: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(turns):
        for name, run in contenders.items():
            figures[name].append(run())
    return figures


def best_rate(work: Callable[[], object], operations: float, calls: int = 7) -> Callable[[], float]:
    """A contender: operations per second of the quickest of `calls` calls; preempted ones count only if all are."""

    def run() -> float:
        taken = [seconds(work) for _ in range(calls)]
        quiet = [t for t, alone in taken if alone]
        return operations / min(quiet or [t for t, _ in taken])

    return run
