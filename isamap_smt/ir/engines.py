"""What works beside each other on a machine, how long a use occupies it, and where operands lie in addressed memories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

ZERO, KEPT = "zero", "kept"
LEAST, MOST = "least", "most"  # of the numbers of the type, the infinities included


@dataclass(frozen=True)
class Engine:
    """Issues its uses in order, completes them in order, and runs beside the others.

    host: the core that calls programs. It has written tensors before one, and reads the results behind it; it issues nothing else.
    """

    name: str
    host: bool = False


@dataclass(frozen=True)
class Operand:
    """Where the cells of an operand of the contract lie: `row` and `column`, expressions over the contract's axes, from
    the first row of the place; both None in main memory and in registers, where the place itself says which element each cell is.
    """

    name: str
    memory: str
    row: Any = None
    column: Any = None


@dataclass(frozen=True)
class Work:
    """How long a use occupies its engine: `start` cycles, and `each` for every active point of the axes in `per`."""

    start: float = 0.0
    each: float = 1.0
    per: tuple[str, ...] = ()

    def cycles(self, points: Any) -> Any:
        """With so many active points of those axes."""
        return self.start + self.each * points
