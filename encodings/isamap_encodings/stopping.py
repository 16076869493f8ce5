"""Solvers on a thread of their own, so Ctrl-C reaches Python at once, and a deadline ends them."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from typing import Any

from isamap_encodings import deadline

_POLL = 0.1  # seconds between two looks


def apart(
    work: Callable[[], Any], stop: Callable[[bool], None], satisfied: Callable[[], bool] = lambda: False
) -> tuple[Any, bool]:
    """(the work's result, whether Ctrl-C came).

    stop(whether Ctrl-C came) is called until the work ends: from Ctrl-C on, from the deadline on, and, under a
    deadline, once satisfied(). Raises any exception of the work.
    """
    result: list[Any] = [None]
    failure: list[BaseException] = []

    # Not Thread.join(): interrupted by Ctrl-C, Python 3.11's takes a running thread for a finished one.
    done = threading.Event()

    def working() -> None:
        try:
            result[0] = work()
        except BaseException as e:  # handed to the caller's thread below
            failure.append(e)
        finally:
            done.set()

    thread = threading.Thread(target=working, name="solver")
    interrupted = False
    collected = gc.isenabled()
    gc.disable()  # terms that are collected here would be taken from a solver at work
    try:
        thread.start()
        while not done.is_set():
            try:
                left = deadline.left()
                done.wait(_POLL if left is None else max(0.001, min(_POLL, left)))
                if interrupted or (left is not None and (left <= 0 or satisfied())):
                    stop(interrupted)
            except KeyboardInterrupt:
                interrupted = True
        thread.join()
    finally:
        if collected:
            gc.enable()
    if failure:
        raise failure[0]
    return result[0], interrupted
