"""The roofline: operations per cycle allowed by the arithmetic and each link, against the kernel's use of them.

One line per link of the memory hierarchy: bandwidth x intensity. The intensity of a link is the kernel's
operations over the bytes moved across it by all schedules in a call, at least those of inputs and results. A link to a cache
holding everything between calls limits the first call alone: it is drawn, and limits nothing.

The kernel's position: seconds predicted by the model, measured, and least possible on this machine, by the roofline of a
calibration: computing at the instruction's measured rate, or moving data not kept by any cache between calls, whichever
takes longer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from isamap_smt.ir.boxes import extreme
from isamap_smt.ir.expr import is_constant, symbols_of
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Axis, Kernel
from isamap_smt.ir.schedule import Schedule
from isamap_smt.machine_model.calibration import Calibration, load
from isamap_smt.machine_model.errors import CalibrationError
from isamap_smt.report.labels import Box, Label, first_free
from isamap_smt.report.whole import predicted_cycles, repeats
from isamap_smt.runtime.measure import operations
from isamap_smt.scheduling.breakdown import Limit, limits
from isamap_smt.scheduling.figures import DESCRIBED, Figures
from isamap_smt.scheduling.setting import machine, setting
from isamap_smt.scheduling.supply import usable


@dataclass(frozen=True)
class Ceiling:
    """One link: bytes per cycle, bytes moved by a call, the kernel's operations per byte, and the operations allowed per cycle.

    cold: only for a call with its data in no cache; between calls the cache behind the link keeps all of them, and the model
    prices the link at 0.
    """

    name: str
    bandwidth: float
    traffic: float
    intensity: float
    attainable: float
    cold: bool = False


@dataclass(frozen=True)
class Roofline:
    """Operations per cycle on one core. peak: of the fastest instruction used. achieved: as measured, or None."""

    peak: float
    ceilings: tuple[Ceiling, ...]
    operations: int
    achieved: float | None = None
    clock: float | None = None

    @property
    def limiting(self) -> Ceiling:
        """The link allowing least when the kernel is called again and again; the nearest if all are idle then."""
        warm = [c for c in self.ceilings if not c.cold] or self.ceilings[:1]
        return min(warm, key=lambda c: c.attainable)


def peak(instruction: Instruction) -> float:
    """Operations per cycle: 2 for every iteration of every issue that can start."""
    return 2.0 * math.prod(instruction.axes.values()) * instruction.cost.per_cycle


def roofline(
    schedules: Sequence[Schedule],
    kernel: Kernel,
    hardware: Hardware,
    gflops: float | None = None,
    clock: float | None = None,
) -> Roofline:
    """The roofline of a whole program: the operations of all its statements against the bytes of all its schedules.

    kernel: at known sizes. `gflops` as measured on one thread, `clock` in GHz just then; both may be unknown.
    """
    work, top = operations(kernel), max(peak(s.proved.mapping.instruction) for s in schedules)
    touched, least = _live_bytes(schedules, kernel), compulsory_bytes(kernel)
    held = {m.name: usable(m) for m in hardware.memories if m.capacity is not None}
    links = {f"{link.source}->{link.target}": link for link in hardware.links}
    ceilings = []
    for name in dict.fromkeys(name for s in schedules for name, _ in s.traffic):
        moved = sum(moved_bytes(s, kernel, name) for s in schedules)
        if moved <= 0 or name not in links:
            continue
        link, count = links[name], max(moved, least)
        intensity = work / count
        cold = touched <= held.get(link.target, 0)
        attainable = min(top, link.bandwidth * intensity)
        ceilings.append(Ceiling(name, link.bandwidth, count, intensity, attainable, cold))
    achieved = gflops / clock if gflops and clock else None
    return Roofline(top, tuple(ceilings), work, achieved, clock)


def moved_bytes(s: Schedule, kernel: Kernel, link: str) -> float:
    """Bytes moved by a schedule across a link in all blocks of a call.

    If a cache keeps a block, the model prices the link behind it at 0. All blocks together then bring the statement's tensors
    once; tensors handed over between the blocks' statements do not leave the cache.
    """
    moved, blocks = dict(s.traffic).get(link, 0.0), repeats(s, kernel) or 1
    if blocks > 1 and s.fused and any(p.name == link and p.amount == 0 for p in s.costs):
        whole = touched_bytes(kernel, s.proved.mapping.statement_index)
        return min(moved * blocks, float(sum(n for t, n in whole.items() if t not in kernel.temporaries)))
    return moved * blocks


def _live_bytes(schedules: Sequence[Schedule], kernel: Kernel) -> float:
    """Bytes touched by a call again and again; for tensors handed over by blocks, those of one block."""
    blocks = {
        s.proved.mapping.statement.target.tensor: repeats(s, kernel) or 1
        for s in schedules
        if s.fused and set(s.fused) <= symbols_of(s.proved.mapping.statement.target.index)
    }
    return sum(n / (blocks.get(t, 1) if t in kernel.temporaries else 1) for t, n in touched_bytes(kernel).items())


def compulsory_bytes(kernel: Kernel) -> int:
    """Bytes of inputs and results, moved at least once by every program. Sizes must be known."""
    return sum(n for t, n in touched_bytes(kernel).items() if t not in kernel.temporaries)


def touched_bytes(kernel: Kernel, statement: int | None = None) -> dict[str, int]:
    """By tensor, bytes of the elements touched by a statement, or by all: the most of one access. Sizes must be known."""
    found: dict[str, int] = {}
    for s in kernel.statements if statement is None else [kernel.statements[statement]]:
        for a in (s.target, *s.inputs):
            tensor = kernel.tensor(a.tensor)
            lengths = (_reached(i, int(n), s.axes) for i, n in zip(a.index, tensor.shape, strict=True))
            found[a.tensor] = max(found.get(a.tensor, 0), math.prod(lengths) * tensor.dtype.bytes)
    return found


def _reached(index: Any, extent: int, axes: tuple[Axis, ...]) -> int:
    """Places of a dimension reached by an index; one if they are unknown, as for an index from data."""
    low, high = (extreme(index, axes, largest) for largest in (False, True))
    if low is None or high is None or not (is_constant(low) and is_constant(high)):
        return 1
    span = min(int(high), extent - 1) - max(int(low), 0) + 1
    points = math.prod(int(a.extent) for a in axes if a.name in symbols_of([index]))
    return max(0, min(span, points))


WIDTH, HEIGHT = 760.0, 340.0
FRAME: Box = (46.0, 12.0, WIDTH - 14.0, HEIGHT - 44.0)
RADIUS, FARTHER = 5.0, 3.5  # of a mark, and the step beyond one already there


@dataclass(frozen=True)
class Mark:
    """The operations a link allows at the kernel's intensity. radius: larger if another mark lies in the same place."""

    x: float
    y: float
    radius: float
    tip: str
    cold: bool

    @property
    def around(self) -> bool:
        """Whether it is drawn around another one."""
        return self.radius > RADIUS

    @property
    def box(self) -> Box:
        """The rectangle around it."""
        r = self.radius + 2
        return self.x - r, self.y - r, self.x + r, self.y + r


@dataclass(frozen=True)
class Drawing:
    """The same in SVG coordinates. lines: (name, path, cold), a mark of `marks` for each.

    shade: the path around the reachable area; ticks: (a line of the grid, its label); labels: of the peak and of the
    measured point; measured: the dot.
    """

    lines: tuple[tuple[str, str, bool], ...]
    marks: tuple[Mark, ...]
    shade: str
    ticks: tuple[tuple[tuple[float, float, float, float], Label], ...]
    labels: tuple[Label, ...]
    peak_y: float
    measured: tuple[float, float] | None
    width: float = WIDTH
    height: float = HEIGHT
    frame: Box = FRAME


def draw(roof: Roofline) -> Drawing:
    """Both axes logarithmic, powers of two, with a hollow mark for the limit of each link.

    The dot is the kernel as measured, at its intensity on the most limiting link.
    """
    left, top, right, bottom = FRAME
    low = min([c.intensity for c in roof.ceilings] + [1.0]) / 4
    high = max([c.intensity for c in roof.ceilings] + [roof.peak / 4]) * 4
    least = min([*(c.attainable for c in roof.ceilings), roof.achieved or roof.peak, roof.peak]) / 6
    most = max(roof.peak, roof.achieved or 0) * 2  # a compiler may use wider instructions than the mapping's

    def x(v: float) -> float:
        return round(left + math.log2(v / low) / math.log2(high / low) * (right - left), 1)

    def y(v: float) -> float:
        return round(bottom - math.log2(v / least) / math.log2(most / least) * (bottom - top), 1)

    def slope(c: Ceiling) -> str:
        start, ridge = max(low, least / c.bandwidth), min(high, roof.peak / c.bandwidth)
        return f"M{x(start)},{y(start * c.bandwidth)} L{x(ridge)},{y(ridge * c.bandwidth)}"

    marks: list[Mark] = []
    for c in roof.ceilings:
        at = x(c.intensity), y(c.attainable)
        near = sum(math.dist(at, (m.x, m.y)) < 2 * RADIUS for m in marks)
        said = f"{c.name}: {c.intensity:.3g} operations per byte, at most {c.attainable:.3g} per cycle"
        marks.append(Mark(*at, RADIUS + FARTHER * near, said + (", cold only" if c.cold else ""), c.cold))
    limiting = roof.limiting
    ticks = [((x(t), top, x(t), bottom), Label(x(t), bottom + 16, _number(t))) for t in _powers(low, high)]
    ticks += [((left, y(t), right, y(t)), Label(left - 7, y(t) + 4, _number(t), "end")) for t in _powers(least, most)]
    labels = [Label(right - 4, y(roof.peak) - 6, f"peak {roof.peak:g}", "end")]
    dot = (x(limiting.intensity), y(roof.achieved)) if roof.achieved else None
    if dot and roof.achieved:
        text = f"measured {roof.achieved:.3g}, {100 * roof.achieved / roof.peak:.0f} % of peak"
        taken = [*(m.box for m in marks), labels[0].box, (dot[0] - 7, dot[1] - 7, dot[0] + 7, dot[1] + 7)]
        labels.append(_beside(dot, text, taken))
    shade = f"{slope(limiting)} L{x(high)},{y(roof.peak)} L{x(high)},{bottom} L{x(max(low, least / limiting.bandwidth))},{bottom} Z"
    lines = tuple((c.name, slope(c), c.cold) for c in roof.ceilings)
    return Drawing(lines, tuple(marks), shade, tuple(ticks), tuple(labels), y(roof.peak), dot)


def _beside(dot: tuple[float, float], text: str, taken: Sequence[Box]) -> Label:
    """The dot's label: at its right or left, a little lower, or as much lower as needed."""
    (x, y), down = dot, range(0, int(HEIGHT), 6)
    tried = [
        Label(x + side * 11, y + 4 + d, text, anchor) for d in down for side, anchor in ((1, "start"), (-1, "end"))
    ]
    return first_free(tried, taken, FRAME) or tried[0]


def _powers(low: float, high: float) -> list[float]:
    first, last = math.ceil(math.log2(low)), math.floor(math.log2(high))
    step = max(1, (last - first) // 8)
    return [2.0**n for n in range(first, last + 1, step)]


def _number(value: float) -> str:
    return f"{value:g}" if value >= 1 else f"1/{1 / value:g}"


@dataclass(frozen=True)
class RooflinePosition:
    """Seconds; predicted and measured may be unknown. busy: the limiting instruction or link."""

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
    """The position of a Plan with known sizes; `measured` is a Measured or None.

    The prediction is of all statements; None if some have none, as those computed element by element. The limit is of those
    computed by instructions. Returns None without a calibration of this machine, if it lacks one of the plan's instructions, or
    if a size is open.
    """
    calibration = calibration or _usable()
    if calibration is None:
        return None
    figures = calibration.figures(planned.hardware)
    if not all(figures.knows(s.proved.mapping.instruction.name) for s in planned.program.schedules):
        return None
    return _position(planned, measured, figures, calibration.clock)


def described_position(planned: Any, measured: Any, clock: float | None) -> RooflinePosition | None:
    """The same by the hardware's description at a clock in GHz; None if that is not known."""
    return _position(planned, measured, DESCRIBED, clock) if clock else None


def _position(planned: Any, measured: Any, figures: Figures, clock: float) -> RooflinePosition | None:
    schedules, kernel = planned.program.schedules, planned.kernel
    if kernel.with_sizes(dict(planned.schedule.sizes)).free_sizes:
        return None
    threads = measured.threads if measured is not None else 1
    found = []
    for s in schedules:
        x = setting(s.proved, planned.hardware, dict(s.sizes), tuple(planned.constant), threads)
        own = limits(x, machine(planned.hardware, s.proved.mapping.instruction, figures, threads))
        found.append(own[:1] if s.fused else own)  # what blocks hand to each other need not leave a cache
    least, second = _of_all(found), clock * 1e9
    cycles = predicted_cycles(planned, threads)
    predicted = None if cycles is None else cycles / second
    seen = measured.seconds if measured is not None else None
    return RooflinePosition(predicted, seen, least.cycles / second, least.resource, figures.origin)


def _of_all(found: Sequence[tuple[Limit, ...]]) -> Limit:
    """The limit of statements one after the other: all their computing, overlapped with moving, or the longest on a link."""
    computing = [x[0] for x in found]
    longest = max(computing, key=lambda x: x.cycles)
    every = Limit(sum(x.cycles for x in computing), longest.resource)
    return max([every, *(link for x in found for link in x[1:])], key=lambda x: x.cycles)


def _usable() -> Calibration | None:
    try:
        return load()
    except CalibrationError:
        return None
