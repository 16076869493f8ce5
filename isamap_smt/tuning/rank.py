"""Spearman's rank correlation: how well a model puts schedules in order, whatever its scale."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def spearman(a: Sequence[float], b: Sequence[float]) -> float | None:
    """The correlation of the ranks, ties at their mean rank; None for fewer than three pairs or where all are equal.

    >>> spearman([1, 2, 3, 4], [10, 20, 30, 40]), spearman([1, 2, 3, 4], [4, 3, 2, 1])
    (1.0, -1.0)
    >>> spearman([1, 1, 1], [1, 2, 3]) is None
    True
    """
    if len(a) != len(b):
        raise ValueError(f"{len(a)} and {len(b)} values have no pairs")
    if len(a) < 3:
        return None
    x, y = _ranks(a), _ranks(b)
    x, y = x - x.mean(), y - y.mean()
    spread = float(np.sqrt((x @ x) * (y @ y)))
    return round(float(x @ y) / spread, 12) if spread else None


def _ranks(values: Sequence[float]) -> np.ndarray:
    _, position, counts = np.unique(np.asarray(values, float), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[position]
