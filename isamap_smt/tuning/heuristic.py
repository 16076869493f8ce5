"""Hill climbing in the cost model: from random starts, one decision at a time, as long as the prediction falls."""

from __future__ import annotations

import random

from isamap_smt.tuning.points import Point, Space
from isamap_smt.tuning.protocols import CostModel, Unlearning

_STARTS = 2  # climbs for each point that is proposed
_STALE = 8  # climbs to known programs in a row, after which the search has seen its hills


class Heuristic(Unlearning):
    """Each proposal is the lowest of a few local minima of the cost model; no solver takes part."""

    def __init__(self, space: Space, model: CostModel, seed: int) -> None:
        """seed: decides the starts of the climbs."""
        self._space, self._model, self._random = space.priced_by(model.figures), model, random.Random(seed)
        self._known: dict[str, tuple[float, Point]] = {}
        self._asked: set[str] = set()

    def ask(self, count: int) -> list[Point]:
        """Local minima not asked for yet, the lowest first."""
        stale = 0
        while len(self._known) - len(self._asked) < _STARTS * count and stale < _STALE:
            start = self._space.draw(self._random)
            if start is None:
                break
            seconds, point = self._climb(start)
            key = self._space.key(point)
            stale = stale + 1 if key in self._known else 0
            self._known.setdefault(key, (seconds, point))
        waiting = sorted((s, key) for key, (s, _) in self._known.items() if key not in self._asked)[:count]
        self._asked.update(key for _, key in waiting)
        return [self._known[key][1] for _, key in waiting]

    def _climb(self, point: Point) -> tuple[float, Point]:
        """The local minimum below a point: always go to the first better neighbour, in an order drawn anew."""
        (here,) = self._model.predict(self._space, [point])
        better = True
        while better:
            near = list(self._space.neighbours(point))
            self._random.shuffle(near)
            better = False
            for other in near:
                (seconds,) = self._model.predict(self._space, [other])
                if seconds < here:
                    here, point, better = seconds, other, True
                    break
        return here, point
