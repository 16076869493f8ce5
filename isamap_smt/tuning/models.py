"""Cost models made of prices: those of the hardware's description, and those of a calibration."""

from __future__ import annotations

from collections.abc import Sequence

from isamap_smt.machine_model.errors import CalibrationError
from isamap_smt.scheduling.figures import DESCRIBED, Figures
from isamap_smt.tuning.points import Point, Space
from isamap_smt.tuning.protocols import Context


class Priced:
    """Cycles by a table of prices, over the clock."""

    def __init__(self, name: str, figures: Figures, clock: float) -> None:
        """clock in GHz."""
        self.name, self.figures, self._clock = name, figures, clock

    def predict(self, space: Space, points: Sequence[Point]) -> list[float]:
        """Seconds of each point; infinite outside the space."""
        mine = space.priced_by(self.figures)
        return [mine.cycles(p) / (self._clock * 1e9) for p in points]


class Analytic(Priced):
    """The prices of the hardware's description, and constants fitted by hand."""

    def __init__(self, context: Context) -> None:
        """Needs nothing but the clock."""
        super().__init__("analytic", DESCRIBED, context.clock)


class Calibrated(Priced):
    """The prices measured on this machine. Raises CalibrationError if there are none."""

    def __init__(self, context: Context) -> None:
        """Needs a calibration."""
        if context.calibration is None:
            raise CalibrationError(
                "the calibrated cost model needs a calibration of this machine; run `isamap calibrate`"
            )
        super().__init__("calibrated", context.calibration.figures(context.hardware), context.clock)
