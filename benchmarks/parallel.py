"""Spreads independent pieces of work over processes; what is done so far survives an interruption."""

from __future__ import annotations

import multiprocessing
import resource
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Unit = TypeVar("Unit")
Result = TypeVar("Result")


def spread(work: Callable[[Unit], Result], units: Iterable[Unit], jobs: int) -> Iterator[Result]:
    """The results as they come; in the order of the units, and in this process, with one job.

    work: a function of a module. Closing the iterator (Ctrl-C does) ends the processes.
    """
    if jobs <= 1:
        yield from map(work, units)
        return
    pool = multiprocessing.get_context("spawn").Pool(jobs, _leave_interrupts)
    try:
        yield from pool.imap_unordered(work, units)
    finally:
        pool.terminate()
        pool.join()


def cpu_seconds() -> float:
    """Processor time of this process and of those it has ended; on a shared machine it says more than the clock."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime


def _leave_interrupts() -> None:
    """Ctrl-C reaches every process of the terminal; only the first one acts on it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
