"""A schedule for a machine with engines: where tiles live while which loops run, in how many slots, moved by which instruction.

The loops around one execution of the mapped instruction are the mapping's outer axes, each cut into steps: an outer loop over
steps, in the order given, and inside of all of them an inner loop over the tiles of a step. A stage holds an operand's tiles while
the loops from its depth on run; it is filled (the output's: begun, and stored) where they begin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from isamap_smt.ir.expr import FloorDiv, ceil_div, symbols_of
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.notebook import Shown
from isamap_smt.ir.proof import ProvedMapping


@dataclass(frozen=True)
class StagedLoop:
    """An outer loop: `tiles` executions of the instruction, along one of the mapping's outer axes, in a step. count: of steps."""

    axis: str
    tiles: int
    count: Any


@dataclass(frozen=True)
class Stage:
    """Tiles of `operand`, of `rows` rows each, in `memory` from row `offset` on, in `slots` slots, while the loops from `depth` on
    run. via: the instruction that fills a tile, or stores one of the output; begin: the one that begins one of the output.
    """

    operand: str
    tensor: str
    memory: str
    depth: int
    slots: int
    rows: int
    via: str
    begin: str = ""
    offset: int = 0

    def __str__(self) -> str:
        slots = "1 slot" if self.slots == 1 else f"{self.slots} slots"
        return f"{self.tensor} in {self.memory}: {slots} of {self.rows} rows, by {self.via}, inside {self.depth} loops"


@dataclass(frozen=True)
class Part:
    """One part of the predicted time. busy: cycles in which the engine works, or which pass for what the name says."""

    name: str
    cycles: float


@dataclass(frozen=True)
class Staging(Shown):
    """loops: outermost first. stages: of each operand of the instruction; the output's last. Figures are in cycles, of the model
    whose `assumes` are listed: cycles, what the plan takes at the sizes it was made for; bound, below which no plan in `space` is.
    decided: what was chosen outside the solver.
    """

    proved: ProvedMapping
    loops: tuple[StagedLoop, ...]
    stages: tuple[Stage, ...]
    cycles: float = 0.0
    bound: float = 0.0
    status: str = ""
    seconds: float = 0.0
    parts: tuple[Part, ...] = ()
    space: str = ""
    assumes: tuple[str, ...] = ()
    decided: tuple[str, ...] = ()
    sizes: tuple[tuple[str, int], ...] = ()

    def stage(self, operand: str) -> Stage:
        """Of an operand of the instruction."""
        return next(s for s in self.stages if s.operand == operand)

    @property
    def gap(self) -> float:
        """How far above the bound the plan is, as a part of it."""
        return self.cycles / self.bound - 1 if self.bound else 0.0

    def __str__(self) -> str:
        loops = ", ".join(f"{x.axis} in steps of {x.tiles}" for x in self.loops) or "none"
        lines = [f"loops {loops}", *(f"  {s}" for s in self.stages)]
        return "\n".join(lines)


def steps(extent: Any, tiles: int) -> Any:
    """How many steps of so many tiles an axis has: ceil(extent / tiles), with one division where the extent is one itself.

    >>> from isamap_smt.ir.expr import FloorDiv, sym
    >>> steps(FloorDiv(sym("I") + 7, 8), 2)
    FloorDiv(I + 15, 16)
    """
    if isinstance(extent, FloorDiv):
        a, b = extent.args
        return FloorDiv(a + b * (tiles - 1), b * tiles)
    return ceil_div(extent, tiles)


def tiles_of(mapping: Mapping, loops: Sequence[StagedLoop], operand: str, depth: int) -> int:
    """How many tiles of an operand one slot holds, of a stage at that depth: those of a step, and of the steps of loops inside."""
    needed = symbols_of(mapping.coordinates(operand))
    size = prod(x.tiles for x in loops if x.axis in needed)
    for x in loops[depth:]:
        size *= int(x.count) if x.axis in needed else 1
    return size


def side_by_side(mapping: Mapping, loops: Sequence[StagedLoop], stages: Sequence[Stage]) -> tuple[Stage, ...]:
    """The stages, one behind the other in each memory."""
    ends: dict[str, int] = {}
    found = []
    for s in stages:
        offset = ends.get(s.memory, 0)
        found.append(replace(s, offset=offset))
        ends[s.memory] = offset + s.slots * s.rows * tiles_of(mapping, loops, s.operand, s.depth)
    return tuple(found)
