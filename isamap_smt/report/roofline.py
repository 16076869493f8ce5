"""The roofline: operations per cycle that the arithmetic and each link allow, against the kernel's use of them.

One line per link of the memory hierarchy: bandwidth x intensity, where the intensity of a link is the kernel's
operations over the bytes that the schedule moves across it.

Where a kernel stands: seconds predicted by the model, measured, and least possible on this machine, by the roofline of a
calibration: computing at the instruction's measured rate, or moving what no cache keeps between calls, whichever takes longer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.schedule import Schedule
from isamap_smt.machine_model.calibration import Calibration, load
from isamap_smt.machine_model.errors import CalibrationError
from isamap_smt.scheduling.breakdown import limit
from isamap_smt.scheduling.setting import machine, setting


@dataclass(frozen=True)
class Ceiling:
    """One link: bytes per cycle, the kernel's operations per byte across it, and what that allows per cycle."""

    name: str
    bandwidth: float
    traffic: float
    intensity: float
    attainable: float


@dataclass(frozen=True)
class Roofline:
    """Operations per cycle on one core. achieved: as measured, or None."""

    peak: float
    ceilings: tuple[Ceiling, ...]
    operations: int
    achieved: float | None = None
    clock: float | None = None


def peak(instruction: Instruction) -> float:
    """Operations per cycle: 2 for every point of every execution that can start."""
    return 2.0 * math.prod(instruction.axes.values()) * instruction.cost.per_cycle


def roofline(
    schedule: Schedule, hardware: Hardware, operations: int, gflops: float | None = None, clock: float | None = None
) -> Roofline:
    """The roofline of a schedule. `gflops` as measured on one thread, `clock` in GHz just then; both may be unknown."""
    top = peak(schedule.proved.mapping.instruction)
    ceilings = []
    links = {f"{link.source}->{link.target}": link for link in hardware.links}
    for name, count in schedule.traffic:
        link = links.get(name)
        if link is None or count <= 0:
            continue
        intensity = operations / count
        ceilings.append(Ceiling(name, link.bandwidth, count, intensity, min(top, link.bandwidth * intensity)))
    achieved = gflops / clock if gflops and clock else None
    return Roofline(top, tuple(ceilings), operations, achieved, clock)


@dataclass(frozen=True)
class Drawing:
    """The same in SVG coordinates. lines: (name, path); marks: (name, x, y, tooltip)."""

    width: int
    height: int
    lines: tuple[tuple[str, str], ...]
    marks: tuple[tuple[str, float, float, str], ...]
    x_ticks: tuple[tuple[float, str], ...]
    y_ticks: tuple[tuple[float, str], ...]
    peak_y: float
    achieved_y: float | None


def draw(roof: Roofline, width: int = 1000, height: int = 380) -> Drawing:
    """Both axes logarithmic, powers of two; the frame is inset by 60 on the left and 40 elsewhere."""
    low = min([c.intensity for c in roof.ceilings] + [1.0]) / 4
    high = max([c.intensity for c in roof.ceilings] + [roof.peak / 4]) * 4
    values = [c.attainable for c in roof.ceilings] + ([roof.achieved] if roof.achieved else [])
    bottom = min([*values, roof.peak]) / 8
    top = roof.peak * 2

    def x(v: float) -> float:
        return round(60 + (math.log2(v) - math.log2(low)) / (math.log2(high) - math.log2(low)) * (width - 80), 1)

    def y(v: float) -> float:
        share = (math.log2(v) - math.log2(bottom)) / (math.log2(top) - math.log2(bottom))
        return round(height - 40 - share * (height - 60), 1)

    lines, marks = [], []
    for c in roof.ceilings:
        start = max(low, bottom / c.bandwidth)
        ridge = min(high, roof.peak / c.bandwidth)
        lines.append((c.name, f"M{x(start)},{y(start * c.bandwidth)} L{x(ridge)},{y(ridge * c.bandwidth)}"))
        said = f"{c.name}: {c.intensity:.3g} operations per byte, at most {c.attainable:.3g} per cycle"
        marks.append((c.name, x(c.intensity), y(c.attainable), said))
    return Drawing(
        width, height, tuple(lines), tuple(marks),
        tuple((x(t), _number(t)) for t in _powers(low, high)),
        tuple((y(t), _number(t)) for t in _powers(bottom, top)),
        y(roof.peak), y(roof.achieved) if roof.achieved else None,
    )  # fmt: skip


def _powers(low: float, high: float) -> list[float]:
    first, last = math.ceil(math.log2(low)), math.floor(math.log2(high))
    step = max(1, (last - first) // 8)
    return [2.0**n for n in range(first, last + 1, step)]


def _number(value: float) -> str:
    return f"{value:g}" if value >= 1 else f"1/{1 / value:g}"


@dataclass(frozen=True)
class RooflinePosition:
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


def roofline_position(
    planned: Any, measured: Any = None, calibration: Calibration | None = None
) -> RooflinePosition | None:
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
    return RooflinePosition(predicted, seen, least.cycles / second, least.resource, figures.origin)


def _usable() -> Calibration | None:
    try:
        return load()
    except CalibrationError:
        return None
