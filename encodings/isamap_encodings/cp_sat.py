"""CP-SAT on a thread of its own, ended by Ctrl-C and by a deadline."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from isamap_encodings import deadline, stopping
from isamap_encodings.without_pandas import cp_model


def run(
    solver: Any, model: Any, callback: Any = None, told: Callable[[], None] = lambda: None, best: bool = False
) -> tuple[Any, bool]:
    """(status, whether Ctrl-C came). At Ctrl-C told() is called, and the search ends with its best solution.

    At the aim of a deadline it ends so, too, if it has a solution. best: only the optimum will do, so it goes on to
    the end. CP-SAT's own handler is kept out: it leaves the process with the system's handler, and the next Ctrl-C
    would end the process without a word.
    """
    solver.parameters.catch_sigint_signal = False
    # This part of its presolve has cut optima off (https://github.com/google/or-tools/issues/5293), and solves are faster without.
    solver.parameters.presolve_inclusion_work_limit = 0
    first = deadline.first_answer()
    if first is not None and not best:
        solver.parameters.max_time_in_seconds = min(solver.parameters.max_time_in_seconds, first)
        callback = callback or _Counted()

    def stop(by_hand: bool) -> None:
        if by_hand:
            told()
        solver.stop_search()

    given = (model,) if callback is None else (model, callback)
    return stopping.apart(
        lambda: solver.solve(*given), stop, lambda: not best and callback.solutions > 0 and deadline.enough()
    )


def on_one_thread(model: Any, seconds: float, **parameters: Any) -> tuple[Any, str]:
    """(solver, the status in a word) after so many deterministic seconds at most: the answer is the same on any load.

    Raises KeyboardInterrupt at Ctrl-C.
    """
    solver = cp_model.CpSolver()
    solver.parameters.max_deterministic_time = seconds
    solver.parameters.num_workers = 1  # several race each other
    solver.parameters.random_seed = 0
    for name, value in parameters.items():
        setattr(solver.parameters, name, value)
    status, stopped = run(solver, model)
    if stopped:
        raise KeyboardInterrupt
    return solver, str(solver.status_name(status))


class _Counted(cp_model.CpSolverSolutionCallback):
    """Counts solutions."""

    def __init__(self) -> None:
        super().__init__()
        self.solutions = 0

    def on_solution_callback(self) -> None:
        self.solutions += 1
