"""Findings: acts a correct program never does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

POISON, BOUNDS, WRITE, LANES, RACE, UNDEFINED = "poison", "bounds", "write", "lanes", "race", "undefined"


@dataclass(frozen=True)
class Finding:
    """poison, bounds, write, lanes, race or undefined. where: loop variables."""

    kind: str
    text: str
    where: Mapping[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        at = " ".join(f"{k}={v}" for k, v in self.where.items())
        return f"{self.kind}: {self.text}" + (f" at {at}" if at else "")


class Stop(Exception):
    """Going on after a finding would only repeat it or crash."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind, self.text = kind, text
