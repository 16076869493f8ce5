"""Checks the types of a caller's arguments to the scheduler; errors name the right type."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping as Dict
from dataclasses import dataclass
from typing import Any

import numpy as np

from isamap_smt.ir.errors import ScheduleError, UnknownNameError

_EXAMPLE = "{'tile.k': 64, 'pack.B': 'L2'}"


@dataclass(frozen=True)
class Pin:
    """A decision taken by the user: `tile.k=64` is of the kind 'tile', of k. of: '' if the name is the kind alone."""

    name: str
    value: int | str | None
    kind: str
    of: str

    @staticmethod
    def parsed(name: str, value: int | str | None) -> Pin:
        """The pin of this name."""
        kind, _, of = name.partition(".")
        return Pin(name, value, kind, of)

    @property
    def off(self) -> bool:
        """Whether it forbids everything of its kind, as `split=no` does."""
        return str(self.value) in ("no", "none")

    def __str__(self) -> str:
        return f"{self.name}={self.value}"


def in_order(pins: Iterable[Pin]) -> tuple[Pin, ...]:
    """The pins by their names."""
    return tuple(sorted(pins, key=lambda p: p.name))


def pinned(fix: Any) -> tuple[Pin, ...]:
    """The pins, each value a Python int or text. fix: by name, or pins. Raises ScheduleError."""
    if fix is None:
        return ()
    if isinstance(fix, tuple) and all(isinstance(p, Pin) for p in fix):
        return fix
    if not isinstance(fix, Dict):
        raise ScheduleError(f"fix is {type(fix).__name__}: pass decisions and their values, such as {_EXAMPLE}")
    made: list[Pin] = []
    for name, value in fix.items():
        if not isinstance(name, str):
            raise ScheduleError(f"fix: {name!r} is {type(name).__name__}, not a decision; write such as {_EXAMPLE}")
        if value is not None and (isinstance(value, bool) or not isinstance(value, (int, str, np.integer))):
            kind = type(value).__name__
            raise ScheduleError(f"{name}={value!r} is {kind}: must be a number of points or a name, such as {_EXAMPLE}")
        made.append(Pin.parsed(name, int(value) if isinstance(value, np.integer) else value))
    return tuple(made)


OBJECTIVES = ("latency", "energy")


def known_objective(objective: Any) -> str:
    """The objective. Raises ScheduleError if it is none."""
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
