"""An evolutionary search by Optuna's genetic algorithm, over the decisions as categories; the measured times are its fitness."""

from __future__ import annotations

import math
from typing import Any

from isamap_smt.tuning.errors import TuningError
from isamap_smt.tuning.points import Point, Space
from isamap_smt.tuning.protocols import CostModel

_POPULATION = 12
_MISSES = 400  # individuals outside the space, or known, before the search gives up


class Evolutionary:
    """Individuals outside the space die unmeasured. The cost model is not asked."""

    def __init__(self, space: Space, model: CostModel, seed: int) -> None:
        """Raises TuningError without Optuna."""
        try:
            import optuna
        except ImportError:
            raise TuningError(
                "the evolutionary strategy needs Optuna; pip install 'isamap-smt[tune]', or use --strategy top-k"
            ) from None
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self._space, self._pruned = space, optuna.trial.TrialState.FAIL
        sampler = optuna.samplers.NSGAIISampler(population_size=_POPULATION, seed=seed)
        self._study = optuna.create_study(sampler=sampler, direction="minimize")
        self._open: dict[str, Any] = {}
        self._times: dict[str, float | None] = {}

    def ask(self, count: int) -> list[Point]:
        """New individuals of the population."""
        found: list[Point] = []
        misses = 0
        while len(found) < count and misses < _MISSES:
            trial = self._study.ask()
            point = self._point(trial)
            if self._space.cost(point) is None:
                self._study.tell(trial, state=self._pruned)
                misses += 1
                continue
            key = self._space.key(point)
            if key in self._open or key in self._times:
                self._finish(trial, self._times.get(key))
                misses += 1
                continue
            self._open[key] = trial
            found.append(point)
        return found

    def tell(self, point: Point, seconds: float | None) -> None:
        """Give the individual its fitness; one without a measurement dies."""
        key = self._space.key(point)
        self._times[key] = seconds
        trial = self._open.pop(key, None)
        if trial is not None:
            self._finish(trial, seconds)

    def _finish(self, trial: Any, seconds: float | None) -> None:
        if seconds is None:
            self._study.tell(trial, state=self._pruned)
        else:
            self._study.tell(trial, math.log(seconds))

    def _point(self, trial: Any) -> Point:
        """Genes to a point. A gene of a tile is a share of the chains fitting the register tile."""
        from isamap_encodings.schedule_problem import Choice

        mapping = trial.suggest_int("mapping", 0, len(self._space.parts) - 1)
        p = self._space.parts[mapping].problem
        name = f"{mapping}."
        register = trial.suggest_int(f"{name}register", 0, len(p.registers) - 1)
        tile = p.registers[register].tile
        chains = []
        for d, a in enumerate(p.axes):
            fitting = sorted((row, n) for n, row in enumerate(a.chains) if row[0] == tile[d])
            share = trial.suggest_float(f"{name}tiles.{a.name}", 0.0, 1.0)
            chains.append(fitting[min(int(share * len(fitting)), len(fitting) - 1)][1])
        orders = [trial.suggest_int(f"{name}order.{b}", 0, len(p.orders) - 1) for b in range(p.levels)]
        packing = [trial.suggest_categorical(f"{name}packing.{o.name}", list(o.options)) for o in p.operands]
        return Point(mapping, Choice(register, tuple(chains), tuple(orders), tuple(packing)))
