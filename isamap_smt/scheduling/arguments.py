"""What a caller asks of the scheduler has the types it should, or the error says which it should have."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping as Dict
from typing import Any

import numpy as np

from isamap_smt.ir.errors import ScheduleError, UnknownNameError

_EXAMPLE = "{'tile.k': 64, 'pack.B': 'L2'}"


def pinned(fix: Any) -> dict[str, Any]:
    """Pins by name, each a Python int or text. Raises ScheduleError."""
    if fix is None:
        return {}
    if not isinstance(fix, Dict):
        raise ScheduleError(f"fix is {type(fix).__name__}: pass decisions and their values, such as {_EXAMPLE}")
    made: dict[str, Any] = {}
    for name, value in fix.items():
        if not isinstance(name, str):
            raise ScheduleError(f"fix: {name!r} is {type(name).__name__}, not a decision; write such as {_EXAMPLE}")
        if value is not None and (isinstance(value, bool) or not isinstance(value, (int, str, np.integer))):
            kind = type(value).__name__
            raise ScheduleError(f"{name}={value!r} is {kind}: must be a number of points or a name, such as {_EXAMPLE}")
        made[name] = int(value) if isinstance(value, np.integer) else value
    return made


OBJECTIVES = ("latency", "energy")


def known_objective(objective: Any) -> str:
    """The objective. Raises ScheduleError for what is none."""
    if not isinstance(objective, str) or objective not in OBJECTIVES:
        raise ScheduleError(f"no objective {objective!r}; known: {', '.join(OBJECTIVES)}")
    return objective


# CP-SAT's deterministic seconds, where nobody says a limit: of each search for a plan, and of a search that stands alone
PLAN_SECONDS, SCHEDULE_SECONDS = 30.0, 60.0


def tensor_names(constant: Any) -> tuple[str, ...]:
    """Names of tensors, each once; a text is one name. Raises UnknownNameError for anything else."""
    names = (constant,) if isinstance(constant, str) or not isinstance(constant, Iterable) else tuple(constant)
    for name in names:
        if not isinstance(name, str):
            raise UnknownNameError(f"constant: {name!r} is no name of an input; pass names, such as ['B']")
    return tuple(dict.fromkeys(names))
