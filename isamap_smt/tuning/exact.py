"""Strategies by CP-SAT: its optimum alone, or its pool of the cheapest kinds in the cost model's order."""

from __future__ import annotations

from itertools import islice

from isamap_encodings.schedule_model import pool
from isamap_smt.scheduling import solved
from isamap_smt.tuning.points import Point, Space
from isamap_smt.tuning.protocols import CostModel, Unlearning

_LIMIT = 10.0  # CP-SAT's deterministic seconds for one answer
_BATCH = 4  # kinds of one mapping that are solved for at a time, and put in order by the cost model


class Exact(Unlearning):
    """One point: the cheapest of all mappings, as plan() would take it without measuring."""

    def __init__(self, space: Space, model: CostModel, seed: int) -> None:
        """seed: only takes part in the protocol; CP-SAT's own is fixed."""
        self._space, self._done = space.priced_by(model.figures), False

    def ask(self, count: int) -> list[Point]:
        """The optimum, once."""
        if self._done or count < 1:
            return []
        self._done = True
        found: list[tuple[int, int, Point]] = []
        for n, part in enumerate(self._space.parts):
            _, answer = solved(part, _LIMIT)
            if answer.choice is not None and answer.cost is not None:
                found.append((answer.cost.total, n, Point(n, answer.choice)))
        return [min(found, key=lambda x: x[:2])[2]] if found else []


class TopK(Unlearning):
    """The cheapest schedule of each of the cheapest kinds of every mapping, in the cost model's order."""

    def __init__(self, space: Space, model: CostModel, seed: int) -> None:
        """The pools are exact, so the seed decides nothing but CP-SAT's way to them."""
        self._space, self._model = space.priced_by(model.figures), model
        self._pools = [pool(part.problem, _LIMIT, seed) for part in self._space.parts]
        self._ready: list[list[tuple[float, Point]]] = [[] for _ in self._pools]
        self._asked: set[str] = set()

    def ask(self, count: int) -> list[Point]:
        """The next best points. Of each mapping a few kinds are solved for at a time, and ranked by the cost model."""
        found: list[Point] = []
        while len(found) < count:
            for n in range(len(self._ready)):
                self._ready[n] = self._ready[n] or self._next(n)
            heads = [(ready[0][0], n) for n, ready in enumerate(self._ready) if ready]
            if not heads:
                break
            _, point = self._ready[min(heads)[1]].pop(0)
            key = self._space.key(point)
            if key not in self._asked:
                self._asked.add(key)
                found.append(point)
        return found

    def _next(self, mapping: int) -> list[tuple[float, Point]]:
        """The next few kinds of a mapping with the model's seconds, fastest first; none when the pool is empty."""
        answers = list(islice(self._pools[mapping], _BATCH))
        points = [Point(mapping, a.choice) for a in answers if a.choice is not None]
        times = self._model.predict(self._space, points)
        return sorted(zip(times, points, strict=True), key=lambda x: x[0])
