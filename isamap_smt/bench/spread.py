"""How a figure spreads over the turns in which it was taken."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Spread:
    """Median, quartiles and number of samples."""

    median: float
    low: float
    high: float
    samples: int
    dropped: int = 0

    def __str__(self) -> str:
        return f"{self.median:.3g} [{self.low:.3g}, {self.high:.3g}]"


def spread(values: list[float], dropped: int = 0) -> Spread:
    """Median and quartiles of at least one value."""
    if len(values) == 1:
        return Spread(values[0], values[0], values[0], 1, dropped)
    q = statistics.quantiles(values, n=4, method="inclusive")
    return Spread(q[1], q[0], q[2], len(values), dropped)


def geometric_mean(values: Iterable[float]) -> float | None:
    """Of positive values; None of none.

    >>> geometric_mean([2.0, 8.0])
    4.0
    """
    logs = [math.log2(v) for v in values]
    return 2.0 ** (sum(logs) / len(logs)) if logs else None
