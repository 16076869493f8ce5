"""Work spread over fresh processes, none of which outlives it: not a result, not an error, not Ctrl-C, not a kill.

Each worker hangs on one pipe of its own. An executor of the standard library would share queues and their semaphores between
workers: one that is ended while it holds them leaves its siblings, and the thread that waits for them, waiting for ever.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, cast

from isamap_smt.certificates.errors import CertificateError
from isamap_smt.runtime.interrupted import interrupts_later, leave_with_parent

Workers = dict[Any, BaseProcess]  # by their connections


def spread(
    work: Callable[..., Any],
    calls: Sequence[tuple[Any, ...]],
    jobs: int | None = None,
    progress: Callable[[int, int, Any], None] | None = None,
) -> list[Any]:
    """work(*call) for every call, in the calls' order, in up to `jobs` fresh processes (in this one for a single job).

    jobs: as many as there are cores by default. progress: is told how many are done, of how many, and the latest result.
    Raises what `work` raises, and CertificateError where a process was ended from outside.
    """
    jobs = min(jobs or os.cpu_count() or 1, len(calls))
    results: dict[int, Any] = {}

    def arrived(n: int, result: Any) -> None:
        results[n] = result
        if progress:
            progress(len(results), len(calls), result)

    if jobs <= 1:
        for n, call in enumerate(calls):
            arrived(n, work(*call))
    else:
        with _workers(work, jobs) as workers:
            _hand_out(calls, workers, arrived)
    return [results[n] for n in range(len(calls))]


def _hand_out(
    calls: Sequence[tuple[Any, ...]],
    workers: Workers,
    arrived: Callable[[int, Any], None],
) -> None:
    """Every worker has one call at a time, and the next one when its result has arrived."""
    waiting = list(range(len(calls)))[::-1]
    free = list(workers)
    busy: dict[Connection, int] = {}
    while waiting or busy:
        while waiting and free:
            connection = free.pop()
            busy[connection] = waiting.pop()
            _talk(workers, connection, lambda c: c.send(calls[busy[c]]))
        for ready in cast("list[Connection]", wait(list(busy))):
            good, result = _talk(workers, ready, lambda c: c.recv())
            if not good:
                raise result
            free.append(ready)
            arrived(busy.pop(ready), result)


def _talk(workers: Workers, to: Connection, action: Callable[[Connection], Any]) -> Any:
    """The action's value. Raises CertificateError where nobody is at the other end any more."""
    try:
        return action(to)
    except (EOFError, ConnectionError):
        workers[to].join()
        code = workers[to].exitcode or 0
        how = f"by signal {-code}" if code < 0 else f"with status {code}"
        raise CertificateError(
            f"a worker process ended {how} in the middle of its work; if memory ran out, try fewer --jobs"
        ) from None


@contextmanager
def _workers(work: Callable[..., Any], count: int) -> Iterator[Workers]:
    """Processes that carry out `work`, by their connections; afterwards there are none, however the body ends."""
    context = multiprocessing.get_context("spawn")  # solvers are not made for being forked
    workers: Workers = {}
    try:
        with interrupts_later():
            for _ in range(count):
                mine, theirs = context.Pipe()
                process: BaseProcess = context.Process(target=_serve, args=(work, theirs), daemon=True)
                process.start()
                theirs.close()
                workers[mine] = process
        yield workers
        for connection, process in workers.items():
            connection.close()  # which ends it
            process.join()
    finally:
        with interrupts_later():
            for connection, process in workers.items():
                process.kill()
                process.join()
                connection.close()


def _serve(work: Callable[..., Any], connection: Connection) -> None:
    """In a worker: carries out call after call, until nobody is there to ask."""
    threading.Thread(target=leave_with_parent, daemon=True).start()
    try:
        while True:
            call = connection.recv()
            try:
                answer = (True, work(*call))
            except Exception as error:
                error.add_note(f"in a worker process:\n{traceback.format_exc()}")
                answer = (False, error)
            connection.send(answer)
    except (EOFError, ConnectionError):
        return
