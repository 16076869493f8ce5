"""CP-SAT on a thread of its own, so that Ctrl-C reaches Python at once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


def run(solver: Any, model: Any, callback: Any = None, told: Callable[[], None] = lambda: None) -> tuple[Any, bool]:
    """Solve: (status, whether Ctrl-C came). The search then ends with what it has; told() is called before it does.

    CP-SAT's own handler is kept out: it leaves the process with the system's, which ends it at the next Ctrl-C without a word.
    """
    solver.parameters.catch_sigint_signal = False
    # This part of its presolve has cut optima off (https://github.com/google/or-tools/issues/5293), and solves are faster without.
    solver.parameters.presolve_inclusion_work_limit = 0
    result: list[Any] = [None]
    failure: list[BaseException] = []

    # Not Thread.join(): interrupted by Ctrl-C, Python 3.11's takes a running thread for a finished one.
    done = threading.Event()

    def work() -> None:
        try:
            result[0] = solver.solve(model, callback) if callback is not None else solver.solve(model)
        except BaseException as e:  # handed to the caller's thread below
            failure.append(e)
        finally:
            done.set()

    thread = threading.Thread(target=work, name="cp-sat")
    thread.start()
    interrupted = False
    while not done.is_set():
        try:
            done.wait(0.2)
        except KeyboardInterrupt:
            interrupted = True
            told()
            solver.stop_search()
    thread.join()
    if failure:
        raise failure[0]
    return result[0], interrupted
