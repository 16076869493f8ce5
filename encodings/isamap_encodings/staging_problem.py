"""The question that a staged schedule answers: where tiles of operands live while which loops run, in how many slots.

Loops stand in three regions, one around the other, and innermost those over the tiles of a step. A stage stands inside region 0, 1
or 2: all loops of the regions up to its own are around it. Times are whole numbers of ticks.
"""

from __future__ import annotations

from dataclasses import dataclass

REGIONS = 3


@dataclass(frozen=True)
class StagingAxis:
    """An outer axis of the mapping. tiles: executions of the instruction along it. steps: how many of them a step may have.

    points: of the kernel's axis, over all tiles. open: its size is not known to the program, so that no slot can hold all of it.
    """

    name: str
    tiles: int
    points: int
    steps: tuple[int, ...]
    open: bool = False


@dataclass(frozen=True)
class Way:
    """A move of one tile: `start` ticks, and `each` for every point along the axes `per` that there is.

    outer: the stage of the same operand, in another memory, that it takes the tile from; '' for main memory. apart: whether another
    engine makes it than those that bring tiles from main memory. computes: whether the one that computes makes it.
    """

    name: str
    start: int
    each: int
    per: tuple[str, ...] = ()
    outer: str = ""
    apart: bool = False
    computes: bool = False


@dataclass(frozen=True)
class StagingOperand:
    """A stage of an operand. axes: those that its tiles depend on. rows: of one tile. ways: of filling one, or of storing one of
    the output. of: the operand on whose way it lies, where it is none of the instruction's own memories."""

    name: str
    memory: str
    axes: tuple[str, ...]
    rows: int
    ways: tuple[Way, ...]
    of: str = ""


@dataclass(frozen=True)
class StagingProblem:
    """inputs and output of one instruction. outers: stages that tiles of inputs may pass, on the way that is chosen.
    memories: rows of each. execute, begin: ticks of one execution, and of the beginning of
    a tile of the output, both on one engine. slots: at most so many of a stage. pins: decision -> value, by the names
    `tile.AXIS`, `region.AXIS`, `stage.OPERAND`, `slots.OPERAND`, `via.OPERAND`.
    passed: finished tiles of the output are taken on to slots of their own, so that none waits until it is stored. waiting: the
    memories where that may be, with how many slots."""

    axes: tuple[StagingAxis, ...]
    inputs: tuple[StagingOperand, ...]
    output: StagingOperand
    memories: tuple[tuple[str, int], ...]
    execute: int
    begin: int
    slots: int = 4
    outers: tuple[StagingOperand, ...] = ()
    pins: tuple[tuple[str, int], ...] = ()
    passed: bool = False
    waiting: tuple[tuple[str, int], ...] = ()

    @property
    def operands(self) -> tuple[StagingOperand, ...]:
        """All, the output last."""
        return (*self.inputs, self.output)

    @property
    def stages(self) -> tuple[StagingOperand, ...]:
        """All that may stand, those further out first, the output last."""
        return (*self.outers, *self.operands)

    @property
    def reduced(self) -> tuple[StagingAxis, ...]:
        """Axes of sums: the output's tiles do not depend on them."""
        return tuple(a for a in self.axes if a.name not in self.output.axes)


@dataclass(frozen=True)
class StagingDecision:
    """tiles: axis -> tiles of a step. regions: axis -> region of its loop over steps. stages: operand or outer stage -> region it
    stands in. slots, ways: of the same -> how many, and the number of its way. An outer stage that no way leads through has 0, 1
    and 0."""

    tiles: dict[str, int]
    regions: dict[str, int]
    stages: dict[str, int]
    slots: dict[str, int]
    ways: dict[str, int]
