"""Where a kernel stands: seconds predicted by the model, measured, and least possible on this machine; and their ratios.

The limit is the roofline of a calibration: computing at the instruction's measured rate, or moving what no cache keeps
between calls at the measured bandwidth, whichever takes longer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from isamap_smt.machine_model.calibration import Calibration, load
from isamap_smt.machine_model.errors import CalibrationError
from isamap_smt.scheduling.bounds import limit
from isamap_smt.scheduling.machine import machine
from isamap_smt.scheduling.setting import setting


@dataclass(frozen=True)
class Standing:
    """Seconds; predicted and measured may be unknown. busy: the instruction or link that sets the limit."""

    predicted: float | None
    measured: float | None
    limit: float
    busy: str
    origin: str

    @property
    def of_limit(self) -> float | None:
        """The limit over the measured time: 1 is the best there is."""
        return None if self.measured is None else self.limit / self.measured

    @property
    def of_prediction(self) -> float | None:
        """The measured time over the predicted one."""
        return None if self.measured is None or not self.predicted else self.measured / self.predicted

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "predicted": self.predicted, "measured": self.measured, "limit": self.limit, "limited_by": self.busy,
            "limit_over_measured": self.of_limit, "measured_over_predicted": self.of_prediction, "origin": self.origin,
        }  # fmt: skip


def standing(planned: Any, measured: Any = None, calibration: Calibration | None = None) -> Standing | None:
    """Where a Plan with known sizes stands; `measured` is a Measured or None.

    None without a calibration of this machine, where the plan's instruction is not in it, or where a size is open.
    """
    schedule = planned.schedule
    mapping = schedule.proved.mapping
    calibration = calibration or _usable()
    if calibration is None or planned.kernel.with_sizes(dict(schedule.sizes)).free_sizes:
        return None
    figures = calibration.figures(planned.hardware)
    if not figures.knows(mapping.instruction.name):
        return None
    threads = measured.threads if measured is not None else 1
    s = setting(schedule.proved, planned.hardware, dict(schedule.sizes), tuple(planned.constant), threads)
    least = limit(s, machine(planned.hardware, mapping.instruction, figures, threads))
    second = calibration.clock * 1e9
    # Where threads share a loop, the objective counts the cycles of all of them.
    alone = threads == 1 and schedule.parallel is None
    predicted = schedule.objective / second if schedule.objective and alone else None
    seen = measured.seconds if measured is not None else None
    return Standing(predicted, seen, least.cycles / second, least.resource, figures.origin)


def _usable() -> Calibration | None:
    try:
        return load()
    except CalibrationError:
        return None
