"""A cost model learned from this machine's measurements: gradient-boosted trees (scikit-learn) over the price's parts.

It learns the error of the priced prediction, as a logarithm, from the trials of every task. Where it knows nothing, it
repeats the prices.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from isamap_smt.machine_model.calibration import identity
from isamap_smt.scheduling.figures import DESCRIBED
from isamap_smt.tuning.errors import TuningError
from isamap_smt.tuning.models import Analytic, Calibrated, Priced
from isamap_smt.tuning.points import Point, Space, features
from isamap_smt.tuning.protocols import Context

_LEAST = 20  # measurements below which a learned model would repeat what it saw


class Learned:
    """Prices, corrected by measurements. Raises TuningError without scikit-learn or with too few measurements."""

    def __init__(self, context: Context) -> None:
        """Trains at once, on all of the database's measurements of this machine."""
        try:
            from sklearn.ensemble import HistGradientBoostingRegressor
        except ImportError:
            raise TuningError(
                "the learned cost model needs scikit-learn; pip install 'isamap-smt[tune]', or use --cost-model analytic"
            ) from None
        self.name = "learned"
        self._base: Priced = Calibrated(context) if context.calibration else Analytic(context)
        self.figures = self._base.figures
        seen = [] if context.database is None else context.database.measured(identity().digest)
        rows = [(t.features, t.predicted.get(self._base.name), t.seconds) for _, t in seen]
        known = [(f, p, s) for f, p, s in rows if p is not None and s is not None]
        if len(known) < _LEAST:
            raise TuningError(
                f"the learned cost model needs {_LEAST} measurements on this machine, and there are {len(known)} with "
                f"{self._base.name} predictions; run `isamap tune` with another --cost-model first"
            )
        self._names = sorted({n for f, _, _ in known for n in f})
        inputs = np.array([self._row(f, p) for f, p, _ in known])
        wrong = np.array([math.log(s / p) for _, p, s in known])
        self._trees = HistGradientBoostingRegressor(
            max_iter=200,
            learning_rate=0.06,
            max_leaf_nodes=12,
            min_samples_leaf=5,
            l2_regularization=1.0,
            random_state=0,
        )
        self._trees.fit(inputs, wrong)

    def predict(self, space: Space, points: Sequence[Point]) -> list[float]:
        """Seconds of each point; infinite outside the space."""
        priced = self._base.predict(space, points)
        inside = [n for n, p in enumerate(priced) if math.isfinite(p)]
        if not inside:
            return priced
        described = space.priced_by(DESCRIBED)  # as the features in the database are
        rows = np.array([self._row(features(described, points[n]), priced[n]) for n in inside])
        for n, correction in zip(inside, self._trees.predict(rows), strict=True):
            priced[n] *= math.exp(float(correction))
        return priced

    def _row(self, found: dict[str, float], predicted: float) -> list[float]:
        """The features in order; NaN for a missing one, as the trees accept it."""
        return [math.log(predicted), *(found.get(n, math.nan) for n in self._names)]
