"""Solve a schedule problem with CP-SAT, under a deterministic limit, and check the answer against plain integers.

The pool is CP-SAT's optimum, then the optimum of what is left, and so on. Dozens of choices share the least price, because the
outer tiles of an operand that is not fetched again cost nothing. So two choices count as one kind when register tile, packing, and
the part of each reduction that is done while the accumulators stay open agree, and the pool holds the cheapest of each kind.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from isamap_encodings import cp_sat, deadline
from isamap_encodings.schedule_answer import ENOUGH, INTERRUPTED, LIMIT, OPEN, WALL, Answer
from isamap_encodings.schedule_cost import evaluate
from isamap_encodings.schedule_model import ScheduleModel, build
from isamap_encodings.schedule_problem import Choice, ScheduleProblem
from isamap_encodings.without_pandas import cp_model

# One deterministic second of CP-SAT takes about one second of one core; the wall clock may run this many times longer
# before it stops a solve on a loaded machine.
WALL_FACTOR = 4.0
# What part of the time to search how: (share, linear relaxation), which takes twice as long as is counted. Without the relaxation
# nearly all models are solved soonest; others, such as 700x1024x512 for two threads, end with a gap of 90% without it.
SEARCHES = ((0.25, 0), (0.4, 1))
SHORT = 1.0  # deterministic seconds after which an answer that is near enough is taken
LAST, NOISE = 50, 0.002  # so many solutions that together gain less than this part are no gain
Progress = Callable[[int, float, float], None]


class _Watch(cp_model.CpSolverSolutionCallback):
    """Counts the choices found, tells `progress` (solutions, objective, bound) of them, and ends a search that gains nothing more.

    enough: the gap from which on it does; 0 where only the optimum will do. last: whether no other search follows, which may
    come nearer.
    """

    def __init__(self, progress: Progress | None, enough: float, last: bool) -> None:
        super().__init__()
        self.progress, self.enough, self.last, self.near = progress, enough, last, False
        self.solutions = 0
        self.interrupted = self.noise = False
        self.objectives: list[float] = []

    def interrupt(self) -> None:
        """Ctrl-C came: the search ends at its next solution, if it has not before."""
        self.interrupted = True

    def on_solution_callback(self) -> None:
        self.solutions += 1
        if self.interrupted:  # Ctrl-C came before CP-SAT could be stopped
            self.stop_search()
        elif self._gains_nothing(self.objective_value, self.best_objective_bound):
            self.noise = True
            self.stop_search()
        elif self.progress is not None:
            try:
                self.progress(self.solutions, self.objective_value, self.best_objective_bound)
            except KeyboardInterrupt:
                self.interrupted = True
                self.stop_search()

    def _gains_nothing(self, objective: float, bound: float) -> bool:
        """Whether the last solutions together were no gain, and another search may find more, or it is near enough."""
        if not self.enough:
            return False
        self.objectives.append(objective)
        self.near = objective - bound <= self.enough * abs(objective)
        before = self.objectives[-LAST - 1] if len(self.objectives) > LAST else math.inf
        return (self.near or not self.last) and before - objective <= NOISE * abs(objective)


def solve(
    problem: ScheduleProblem,
    deterministic_seconds: float,
    progress: Progress | None = None,
    seed: int = 0,
    enough: float = 0.0,
    model: ScheduleModel | None = None,
) -> Answer:
    """The cheapest choice, with the bound proved. Ctrl-C ends the search with the best choice so far.

    enough: a gap at which the search ends, once SHORT seconds have not closed it or nothing is gained any more. The same problem,
    limit and seed give the same answer on any load, unless `stopped` says otherwise. model: of the problem, with further
    constraints.
    """
    model = model or build(problem)
    started = time.monotonic()
    attempts: list[Answer] = []
    searches = [(share * deterministic_seconds, linearization, enough) for share, linearization in SEARCHES]
    if enough:
        searches.insert(0, (min(SHORT, searches[0][0]), searches[0][1], 0.0))
    for n, (limit, linearization, near) in enumerate(searches, 1):
        wall = max(1.0, max(10.0, WALL_FACTOR * deterministic_seconds) - (time.monotonic() - started))
        if attempts and attempts[-1].choice is not None and deadline.enough():
            attempts[-1] = replace(attempts[-1], stopped=WALL)
            break
        solver = _solver(limit, wall, linearization, seed)
        solver.parameters.relative_gap_limit = near
        before = sum(x.solutions for x in attempts)
        attempts.append(_attempt(problem, model, solver, progress, before, enough, n == len(searches)))
        if attempts[-1].status not in OPEN or attempts[-1].stopped != LIMIT:
            break
        _hint(model, attempts[-1].choice)
    model.model.clear_hints()
    return _answer(problem, attempts, time.monotonic() - started)


def _solver(deterministic_seconds: float, wall: float, linearization: int, seed: int) -> Any:
    solver = cp_model.CpSolver()
    solver.parameters.max_deterministic_time = deterministic_seconds
    solver.parameters.max_time_in_seconds = wall
    solver.parameters.random_seed = seed
    solver.parameters.cp_model_probing_level = 0  # GEMM 1024^3: 9.0 s with probing, 1.0 s without
    solver.parameters.linearization_level = linearization
    solver.parameters.num_workers = 1  # several workers race each other: the answer would depend on the load
    return solver


def _attempt(
    problem: ScheduleProblem,
    model: ScheduleModel,
    solver: Any,
    progress: Progress | None,
    before: int,
    enough: float,
    last: bool,
) -> Answer:
    """One search. before: solutions that earlier ones found, for the progress. enough: the gap at which no gain ends it; the last
    search has to reach that."""
    told = None if progress is None else lambda n, best, bound: progress(before + n, best, bound)
    watch = _Watch(told, enough, last)
    status, interrupted = cp_sat.run(solver, model.model, watch, watch.interrupt)
    found = status is not None and solver.status_name(status) in ("OPTIMAL", "FEASIBLE")
    choice = _read(model, solver.boolean_value) if found else None
    cost = evaluate(problem, choice) if choice is not None else None
    word = solver.status_name(status) if status is not None else "UNKNOWN"
    near = False
    if word == "OPTIMAL" and cost is not None and round(solver.best_objective_bound) < cost.total:
        word, near = "FEASIBLE", True
    if word == "MODEL_INVALID":
        raise ValueError(f"the schedule model is not well formed: {model.model.validate()}")
    if choice is not None and cost is None:
        raise ValueError("CP-SAT's choice is not in the space; the encoding and schedule_cost disagree")
    if word == "OPTIMAL" and cost is not None and round(solver.objective_value) != cost.total:
        raise ValueError(f"CP-SAT prices its choice {solver.objective_value}, schedule_cost {cost.total}")
    stopped = ""
    if (interrupted or watch.interrupted) and word in OPEN:
        stopped = INTERRUPTED
    elif near or (watch.noise and watch.near and word in OPEN):
        stopped = ENOUGH
    elif word in OPEN:
        late = solver.wall_time >= solver.parameters.max_time_in_seconds or (choice is not None and deadline.enough())
        stopped = WALL if late else LIMIT
    if stopped == WALL:
        deadline.stopped()
    best = solver.best_objective_bound
    bound = round(best) if choice is not None and math.isfinite(best) else 0
    deterministic = solver.response_proto.deterministic_time
    return Answer(word, choice, cost, bound, solver.wall_time, watch.solutions, stopped, deterministic)


def _hint(model: ScheduleModel, choice: Choice | None) -> None:
    """Let the next search begin with this choice."""
    model.model.clear_hints()
    if choice is None:
        return
    rows = [(model.registers, choice.register), *zip(model.chains, choice.chains, strict=True)]
    rows += [*zip(model.orders, choice.orders, strict=True)]
    for literals, picked in rows:
        for n, x in enumerate(literals):
            model.model.add_hint(x, n == picked)
    for literal, option in zip(model.packing, choice.packing, strict=True):
        for o, x in literal.items():
            model.model.add_hint(x, o == option)


def _answer(problem: ScheduleProblem, attempts: list[Answer], seconds: float) -> Answer:
    """The best choice of all searches, and the best bound. Raises ValueError where they contradict each other."""
    last = attempts[-1]
    found = [(x.cost.total, x) for x in attempts if x.cost is not None]
    best = min(found, key=lambda f: f[0])[1] if found else last
    total = best.cost.total if best.cost is not None else None
    if total is not None and last.status == "INFEASIBLE":
        raise ValueError("CP-SAT calls a model infeasible that it has found a choice of")
    if total is not None and last.status == "OPTIMAL" and last.cost is not None and last.cost.total > total:
        raise ValueError(f"CP-SAT calls {last.cost.total} the optimum, and has found a choice that costs {total}")
    word = "FEASIBLE" if total is not None and last.status == "UNKNOWN" else last.status
    # Stopped early, CP-SAT may have no bound yet; computing alone gives one.
    bound = max(min(r.compute + r.scope for r in problem.registers), *(x.bound for x in attempts), 0)
    if word == "OPTIMAL" and total is not None:
        bound = total
    found_in_all = sum(x.solutions for x in attempts)
    worked = sum(x.deterministic for x in attempts)
    return Answer(word, best.choice, best.cost, bound, seconds, found_in_all, last.stopped, worked)


def _read(model: ScheduleModel, value: Any) -> Choice:
    """The choice that the true literals spell."""

    def which(literals: list[Any]) -> int:
        return next(n for n, x in enumerate(literals) if value(x))

    return Choice(
        which(model.registers),
        tuple(which(c) for c in model.chains),
        tuple(which(o) for o in model.orders),
        tuple(next(option for option, x in p.items() if value(x)) for p in model.packing),
    )


def pool(problem: ScheduleProblem, deterministic_seconds: float, seed: int = 0) -> Iterator[Answer]:
    """The cheapest choice of each kind, one after another, cheapest first; each is solved for when it is asked for.

    That holds while every answer is OPTIMAL; after the last kind the pool ends. An answer that is FEASIBLE was cut short
    by the limit, which holds for each of them, and is the last.
    """
    model = build(problem)
    while True:
        answer = solve(problem, deterministic_seconds, seed=seed, model=model)
        if answer.choice is None or answer.cost is None:
            return
        yield answer
        if answer.status != "OPTIMAL":
            return
        model.model.add(model.objective >= answer.cost.total)
        model.model.add_bool_or(_otherwise(problem, model, answer.choice))


def _otherwise(problem: ScheduleProblem, model: ScheduleModel, choice: Choice) -> list[Any]:
    """Literals of which one is true exactly when a choice is of another kind."""
    found = [model.registers[choice.register].negated()]
    found += [literals[option].negated() for literals, option in zip(model.packing, choice.packing, strict=True)]
    for axis, literals, n in zip(problem.axes, model.chains, choice.chains, strict=True):
        if axis.reduction:
            part = axis.chains[n][1]
            found += [x for x, row in zip(literals, axis.chains, strict=True) if row[1] != part]
    return found
