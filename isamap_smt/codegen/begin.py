"""Reductions that begin in registers: at the first visit of its elements an accumulator is set to what the reduction starts from
(0; the least of all for a maximum), and nothing is loaded.

That saves filling the output before the call and reading it once: a third of the memory traffic of a depthwise
convolution. Which visit is the first is plain from the loops: the one at which all reduction loops around the accumulators
stand at 0. Nothing here is trusted: prove_program() checks that no element is begun twice or never, nor read before it was begun.
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
    """visits: the reduction loops around the accumulators, by variable. always: in every call, not just where FRESH is 1. anew: at
    every visit, and what was summed before is added where it closes: sums of floating point that come in any order, which round
    less in blocks."""

    tensor: str
    start: Instruction
    visits: tuple[Any, ...]
    always: bool
    anew: bool = False

    @property
    def first(self) -> Any:
        """Holds at the visit at which the elements begin."""
        return sp.Le(self._later, 0) if self.always else sp.Ge(FRESH - self._later, 1)

    @property
    def later(self) -> Any:
        """The opposite."""
        return sp.Gt(self._later, 0) if self.always else sp.Lt(FRESH - self._later, 1)

    @property
    def _later(self) -> Any:
        return sp.Add(*self.visits)


def _begins_all(kernel: Kernel, position: int) -> bool:
    """Whether no statement further up touches the target, and each element that others need begins here before."""
    tensor = kernel.statements[position].target.tensor
    ahead = [s for s in kernel.statements[:position] if tensor in (s.target.tensor, *(a.tensor for a in s.inputs))]
    reads = any(a.tensor == tensor for a in kernel.statements[position].inputs)
    return not ahead and not reads and reduction_begins(kernel, position)


def beginning(nest: Nest, schedule: Schedule, output: str) -> Begin | None:
    """How the mapped statement's output begins; None where it has to hold what it starts from before."""
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
