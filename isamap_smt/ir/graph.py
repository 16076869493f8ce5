"""A machine as a graph: memories, the engines that work beside each other, and instructions on cells of the memories.

What programs of uses are written, proved and simulated on (docs/design/machine-form.md); `isamap_smt.ir.engines` makes it of a
description. A cell of an addressed memory is (row, column); a row is what an address counts. Tensors lie in main memory, each
apart from the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from isamap_smt.ir.addresses import Address, Steps, address_of
from isamap_smt.ir.kernel import Kernel

ADDRESSED, MAIN = "addressed", "main"
ZERO, KEPT = "zero", "kept"


@dataclass(frozen=True)
class Memory:
    """kind: 'addressed' (software computes rows) or 'main' (tensors). rows: how many; columns: cells in one; 0 in main memory."""

    name: str
    kind: str = ADDRESSED
    rows: int = 0
    columns: Any = 0


@dataclass(frozen=True)
class Engine:
    """Issues its uses in order, completes them in order, and runs beside the others."""

    name: str


@dataclass(frozen=True)
class Operand:
    """Where the cells of an operand of the contract lie: `row` and `column`, expressions over the contract's axes, from
    the first row of the place; both None in main memory, where the place itself says which element each cell is.

    steps: how those elements lie apart there, by the operand's indices; () for row-major without gaps (isamap_smt.ir.addresses).
    """

    name: str
    memory: str
    row: Any = None
    column: Any = None
    steps: Steps = ()


@dataclass(frozen=True)
class Work:
    """How long a use occupies its engine: `start` cycles, and `each` for every active point of the axes in `per`."""

    start: float = 0.0
    each: float = 1.0
    per: tuple[str, ...] = ()

    def cycles(self, points: Any) -> Any:
        """With so many active points of those axes."""
        return self.start + self.each * points


@dataclass(frozen=True)
class MachineInstruction:
    """contract: one statement over the operands; None for an instruction that only signals or waits. Its axes' extents are
    the largest.

    extents: axis -> the use parameter that says how many of its points are active, from the first; axes that are not named are
    whole. A parameter lies in [least, largest extent]. beyond: what a written cell with an axis beyond its parameter becomes,
    'zero' or 'kept'.
    """

    name: str
    engine: str
    contract: Kernel | None = None
    operands: tuple[Operand, ...] = ()
    extents: tuple[tuple[str, str], ...] = ()
    beyond: str = KEPT
    work: Work = Work()
    least: int = 1

    def operand(self, name: str) -> Operand:
        """By its name in the contract."""
        return next(o for o in self.operands if o.name == name)

    def address(self, name: str) -> Address:
        """Where the cells of an operand in main memory lie."""
        assert self.contract is not None
        return address_of(self.contract, name, self.operand(name).steps)


@dataclass(frozen=True)
class Machine:
    """Memories, engines and instructions, each found by its name."""

    name: str
    memories: tuple[Memory, ...]
    engines: tuple[Engine, ...]
    instructions: tuple[MachineInstruction, ...]

    def memory(self, name: str) -> Memory:
        """By name."""
        return next(m for m in self.memories if m.name == name)

    def instruction(self, name: str) -> MachineInstruction:
        """By name."""
        return next(i for i in self.instructions if i.name == name)
