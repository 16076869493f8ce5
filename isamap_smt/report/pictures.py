"""Pictures of a timed run over its cycles: the work of each engine, and the contents of each memory, coloured by tensor.

In both pictures the area of a rectangle is a number of cycles times the height of a row of the timeline, or of rows of a memory.
If there are too many uses to draw one by one, they are summed for each pixel.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import floor, log10

from isamap_smt.report.labels import Label, shortened, width_of
from isamap_smt.simulator.simulation import Simulation, Step
from isamap_smt.simulator.timeline import Content, Parts, contents, timed_steps, times

WIDTH, RIGHT, TOP, BOTTOM = 760.0, 14.0, 34.0, 30.0
ROW, GAP, MEMORY = 26.0, 8.0, 150.0  # heights: of an engine, between two, of a memory
NAME = 18  # characters of an engine's name that are shown
MOST = 2_000  # rectangles of a picture
COLOURS = (0, 1, 2, 3, 4, 6, 7, 8)  # of tensors
OTHER, GREY = "", 5  # uses that touch no slot


@dataclass(frozen=True)
class Rectangle:
    """colour: a number of the page's link colours. tip: its tooltip."""

    x: float
    y: float
    width: float
    height: float
    colour: int
    tip: str


@dataclass(frozen=True)
class Picture:
    """lines: x1, y1, x2, y2 and the class. name: for those who do not see it."""

    name: str
    width: float
    height: float
    rectangles: tuple[Rectangle, ...]
    labels: tuple[Label, ...]
    lines: tuple[tuple[float, float, float, float, str], ...]


def colours(run: Simulation) -> dict[str, int]:
    """Tensor -> its colour, in the order of their slots; '' for uses of no slot, if some of these take time."""
    named = dict.fromkeys(c.slot.tensor for c in contents(run))
    found = {tensor: COLOURS[n % len(COLOURS)] for n, tensor in enumerate(named)}
    other = any(_tensor(s) == OTHER and s.begin != s.end for s in run.trace)
    return {**found, **({OTHER: GREY} if other else {})}


def timeline(run: Simulation, marked: Parts | None) -> Picture:
    """Engines over cycles, with lines at the unit's first and last use. Raises WrongKindError for a run without a trace."""
    steps = [s for s in timed_steps(run) if s.begin != s.end]
    names = {e: shortened(e, NAME) for e in run.engines}
    scale = _Scale(run.cycles or 0, 16 + max(map(width_of, names.values()), default=0))
    colour, rectangles, labels = colours(run), [], []
    bottom = TOP + len(names) * (ROW + GAP)
    for n, (engine, shown) in enumerate(names.items()):
        y, mine = TOP + GAP / 2 + n * (ROW + GAP), [s for s in steps if s.engine == engine]
        spans = _single(mine) if len(steps) <= MOST else _summed(mine, scale)
        for s in spans:
            height, below = ROW * s.share, ROW * (1 - s.below - s.share)
            x = scale.x(s.begin)
            rectangles.append(Rectangle(x, y + below, scale.x(s.end) - x, height, colour[s.tensor], s.tip))
        labels.append(Label(scale.left - 8, y + ROW / 2 + 4, shown, "end"))
    lines, told = _axis(scale, TOP, bottom)
    if marked:
        lines += [
            (x, TOP - 8, x, bottom, "mark-line")
            for x in (scale.x(marked.prologue), scale.x(marked.prologue + marked.steady))
        ]
        middle = (scale.left + WIDTH - RIGHT) / 2
        told += [
            Label(scale.left, TOP - 16, f"prologue {marked.prologue:,.0f}", "start"),
            Label(middle, TOP - 16, f"steady state {marked.steady:,.0f}"),
            Label(WIDTH - RIGHT, TOP - 16, f"epilogue {marked.epilogue:,.0f}", "end"),
        ]
    every = (*labels, *told)
    return Picture("engines over cycles", WIDTH, bottom + BOTTOM, tuple(rectangles), every, tuple(lines))


def occupancy(run: Simulation) -> dict[str, Picture]:
    """Memory -> its used rows over cycles, a rectangle for each content of a slot. Raises as timeline()."""
    held: dict[str, list[Content]] = defaultdict(list)
    for c in contents(run):
        held[c.slot.memory].append(c)
    return {memory: _memory(memory, found, run) for memory, found in sorted(held.items())}


def _memory(memory: str, held: list[Content], run: Simulation) -> Picture:
    rows = max(c.slot.row + c.slot.rows for c in held)
    scale, colour = _Scale(run.cycles or 0, 16 + width_of(f"{rows:,}")), colours(run)
    bottom = TOP / 2 + MEMORY
    each = MEMORY / rows
    rectangles = [
        Rectangle(
            scale.x(c.begin), TOP / 2 + c.slot.row * each, scale.x(c.end) - scale.x(c.begin), c.slot.rows * each,
            colour[c.slot.tensor], f"{c.slot.tensor}: {c.slot}, rows {c.slot.row} to {c.slot.row + c.slot.rows - 1}, "
            f"cycles {c.begin:,.0f} to {c.end:,.0f}",
        )
        for c in (held if len(held) <= MOST else _joined(held, scale)) if c.end > c.begin
    ]  # fmt: skip
    lines, labels = _axis(scale, TOP / 2, bottom)
    labels += [
        Label(scale.left - 8, TOP / 2 + 8, "0", "end"),
        Label(scale.left - 8, bottom, f"{rows:,}", "end"),
    ]
    return Picture(
        f"rows of {memory} over cycles", WIDTH, bottom + BOTTOM, tuple(rectangles), tuple(labels), tuple(lines)
    )


def _joined(held: list[Content], scale: _Scale) -> Iterator[Content]:
    """The same, with contents of a slot joined if less than a pixel is free between them."""
    last: dict[tuple[str, int], Content] = {}
    for c in held:
        key = c.slot.buffer, c.slot.number
        before = last.get(key)
        if before and scale.x(c.begin) - scale.x(before.end) < 1:
            last[key] = Content(c.slot, before.begin, max(before.end, c.end), before.uses + c.uses)
            continue
        if before:
            yield before
        last[key] = c
    yield from last.values()


@dataclass(frozen=True)
class _Span:
    """Uses drawn as one. share: the part of the time the engine is busy with this tensor; below: with those drawn below it."""

    begin: float
    end: float
    tensor: str
    tip: str
    share: float = 1.0
    below: float = 0.0


def _tensor(step: Step) -> str:
    """The tensor whose elements a use moves or makes."""
    slots = (*step.writes, *step.reads)
    return slots[0].tensor if slots else OTHER


def _single(steps: Iterable[Step]) -> Iterator[_Span]:
    for s in steps:
        (begin, end), at = times(s), " ".join(f"{n}={v}" for n, v in s.at)
        yield _Span(begin, end, _tensor(s), f"{s.instruction} {at}: cycles {begin:,.0f} to {end:,.0f}")


def _summed(steps: Iterable[Step], scale: _Scale) -> Iterator[_Span]:
    """The busy cycles for each pixel and tensor."""
    busy: dict[int, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for s in steps:
        begin, end = times(s)
        n = floor(begin / scale.pixel)
        while n * scale.pixel < end:
            lies = min(end, (n + 1) * scale.pixel) - max(begin, n * scale.pixel)
            busy[n][_tensor(s)] += max(0.0, lies)
            n += 1
    for n, of in sorted(busy.items()):
        begin, below = n * scale.pixel, 0.0
        end = min(begin + scale.pixel, scale.cycles)
        for tensor, cycles in of.items():
            share = cycles / (end - begin) if end > begin else 0.0
            tip = f"{tensor or 'no tensor'}: {share:.0%} of cycles {begin:,.0f} to {end:,.0f}"
            yield _Span(begin, end, tensor, tip, share, below)
            below += share


@dataclass(frozen=True)
class _Scale:
    """Cycles along a picture, from `left` to its right margin."""

    cycles: float
    left: float

    def x(self, cycle: float) -> float:
        """The place to draw a cycle."""
        return self.left + (WIDTH - RIGHT - self.left) * (cycle / self.cycles if self.cycles else 0)

    @property
    def pixel(self) -> float:
        """Cycles of a pixel."""
        return self.cycles / (WIDTH - RIGHT - self.left)


def _axis(scale: _Scale, top: float, bottom: float) -> tuple[list[tuple[float, float, float, float, str]], list[Label]]:
    """Lines at round numbers of cycles, and the numbers below."""
    step = _step(scale.cycles)
    at = [n * step for n in range(int(scale.cycles / step) + 1)] if step else [0.0]
    lines = [(scale.x(c), top, scale.x(c), bottom, "axis") for c in at]
    room = width_of(f"{at[-1]:,.0f}") / 2
    kept = [c for c in at if scale.x(c) + room <= WIDTH]
    return lines, [Label(scale.x(c), bottom + 18, f"{c:,.0f}") for c in kept]


def _step(cycles: float) -> float:
    """A round number: at most six of its steps fit."""
    if cycles <= 0:
        return 0
    power = 10.0 ** floor(log10(cycles / 6))
    return next(power * n for n in (1, 2, 5, 10) if cycles / (power * n) <= 6)
