"""Random search: points drawn independently. Every other strategy must beat it."""

from __future__ import annotations

import random

from isamap_smt.tuning.points import Point, Space
from isamap_smt.tuning.protocols import CostModel, Unlearning

_STALE = 200  # draws without a new program after which the space counts as walked through


class RandomSearch(Unlearning):
    """Each program once, in an order decided by the seed; the cost model is not asked."""

    def __init__(self, space: Space, model: CostModel, seed: int) -> None:
        """model: only takes part in the protocol."""
        self._space, self._random = space, random.Random(seed)
        self._seen: set[str] = set()

    def ask(self, count: int) -> list[Point]:
        """New points."""
        found: list[Point] = []
        stale = 0
        while len(found) < count and stale < _STALE:
            point = self._space.draw(self._random)
            if point is None:
                break
            key = self._space.key(point)
            stale += 1
            if key not in self._seen:
                self._seen.add(key)
                found.append(point)
                stale = 0
        return found
