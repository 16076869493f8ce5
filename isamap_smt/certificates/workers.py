"""Work spread over fresh processes, none of which outlives it: not a result, not an error, not Ctrl-C, not a kill."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Future, as_completed
from functools import partial
from typing import Any

from isamap_smt.certificates.errors import CertificateError
from isamap_smt.runtime.executors import Handed
from isamap_smt.runtime.processes import Processes


def spread(
    work: Callable[..., Any],
    calls: Sequence[tuple[Any, ...]],
    jobs: int | None = None,
    progress: Callable[[int, int, Any], None] | None = None,
    executor: Handed | None = None,
) -> list[Any]:
    """work(*call) for every call, in the calls' order, in up to `jobs` fresh processes (in this one for a single job).

    jobs: as many as there are cores by default. progress: is told how many are done, of how many, and the latest result.
    executor: does the work in their place, and is closed. Raises the errors of `work`, and CertificateError if a process
    was ended from outside.
    """
    jobs = min(jobs or os.cpu_count() or 1, len(calls))
    results: dict[int, Any] = {}

    def arrived(n: int, result: Any) -> None:
        results[n] = result
        if progress:
            progress(len(results), len(calls), result)

    if jobs <= 1 and executor is None:
        for n, call in enumerate(calls):
            arrived(n, work(*call))
        return [results[n] for n in range(len(calls))]
    hands = executor or Handed(partial(Processes, jobs), CertificateError)
    waiting: dict[Future[Any], int] = {}
    try:
        waiting = {hands.executor.submit(work, *call): n for n, call in enumerate(calls)}
        for done in as_completed(waiting):
            arrived(waiting[done], done.result())
    except BrokenExecutor as error:
        raise CertificateError(f"{error} in the middle of its work; if memory ran out, try fewer --jobs") from None
    finally:
        for left in waiting:
            left.cancel()
        hands.close()
    return [results[n] for n in range(len(calls))]
