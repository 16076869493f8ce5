"""CP-SAT's answer to a schedule problem. A file of its own: importing CP-SAT takes half a second."""

from __future__ import annotations

from dataclasses import dataclass

from isamap_encodings.schedule_problem import Choice, Cost

OPEN = ("FEASIBLE", "UNKNOWN")
LIMIT = "deterministic limit"
ENOUGH = "near enough for sizes that are assumed"
INTERRUPTED, WALL = "interrupted", "wall clock"
LOAD = (INTERRUPTED, WALL)  # what ends a search earlier or later from one time to the next


@dataclass(frozen=True)
class Answer:
    """status: OPTIMAL, FEASIBLE, INFEASIBLE or UNKNOWN. bound: no choice costs less. stopped: why it ended early.

    deterministic: CP-SAT's deterministic seconds, the unit of limits.
    """

    status: str
    choice: Choice | None
    cost: Cost | None
    bound: int
    seconds: float
    solutions: int
    stopped: str = ""
    deterministic: float = 0.0
