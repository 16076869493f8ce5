"""Reductions begin in registers: the first visit sets an accumulator to the start value (0; the least of all for a
maximum), and loads nothing.

This saves filling the output before the call and reading it once: a third of the memory traffic of a depthwise
convolution. The loops tell the first visit: all reduction loops around the accumulators stand at 0. Nothing here is
trusted: prove_program() checks for each element: it is begun exactly once, and read only after that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp

from isamap_smt.codegen.nest import Nest
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.program import FRESH
from isamap_smt.ir.schedule import Schedule
from isamap_smt.mapping.moves import find_start
from isamap_smt.proof.kernel_begun import reduction_begins


@dataclass(frozen=True)
class Begin:
    """visits: variables of the reduction loops around the accumulators. always: begins in every call, not only if FRESH
    is 1.
    anew: begins at every visit, and adds the sum so far when it closes; for floating-point sums in any order, which
    round less in blocks."""

    tensor: str
    start: Instruction
    visits: tuple[Any, ...]
    always: bool
    anew: bool = False

    @property
    def first(self) -> Any:
        """Holds at the visit that begins the elements."""
        return sp.Le(self._later, 0) if self.always else sp.Ge(FRESH - self._later, 1)

    @property
    def later(self) -> Any:
        """The opposite."""
        return sp.Gt(self._later, 0) if self.always else sp.Lt(FRESH - self._later, 1)

    @property
    def _later(self) -> Any:
        return sp.Add(*self.visits)


def _begins_all(kernel: Kernel, position: int) -> bool:
    """Whether no earlier statement touches the target, and this one begins each needed element before its use."""
    tensor = kernel.statements[position].target.tensor
    ahead = [s for s in kernel.statements[:position] if tensor in (s.target.tensor, *(a.tensor for a in s.inputs))]
    reads = any(a.tensor == tensor for a in kernel.statements[position].inputs)
    return not ahead and not reads and reduction_begins(kernel, position)


def beginning(nest: Nest, schedule: Schedule, output: str) -> Begin | None:
    """How the mapped statement's output begins; None if memory has to hold the start values before."""
    statement, kernel = nest.statement, nest.kernel
    tensor, position = statement.target.tensor, nest.mapping.statement_index
    if statement.op == "=":
        return None
    hardware = schedule.hardware.whole  # type: ignore[union-attr]
    start = find_start(hardware, nest.mapping.instruction, output, statement.op)
    if start is None or not all(a.members for a in nest.axes.values()) or not _begins_all(kernel, position):
        return None
    around = tuple(loop.var for loop in nest.loops[: nest.accumulate] if nest.axes[loop.axis].reduction)
    loose = statement.op == "+" and not statement.ordered and kernel.tensor(tensor).dtype.is_float
    return Begin(tensor, start, around, tensor in kernel.temporaries, loose and bool(around))
