"""What a kernel is predicted to take, statements that no instruction computes included."""

from __future__ import annotations

from collections.abc import Iterable, Set
from collections.abc import Mapping as Dict
from math import prod

from isamap_smt.ir.expr import is_constant
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.ir.program import Program
from isamap_smt.ir.schedule import Schedule

POINT_CYCLES = 2.0  # of a sum that no instruction computes, per point
ADDED_CYCLES = 0.25  # of what is added to each element behind the sum
ASSUMED = 1024  # points of an axis that is left open


def predicted(program: Program, sizes: Dict[str, int]) -> float:
    """Cycles that the program is predicted to take."""
    return predicted_of(program.kernel, program.schedules, sizes)


def predicted_of(kernel: Kernel, schedules: Iterable[Schedule], sizes: Dict[str, int]) -> float:
    """Cycles of the kernel's statements, of which these have schedules."""
    mapped = {s.proved.mapping.statement_index: s for s in schedules}
    return left_over(kernel, set(mapped), sizes) + sum(s.objective or 0.0 for s in mapped.values())


def left_over(kernel: Kernel, scheduled: Set[int], sizes: Dict[str, int]) -> float:
    """Cycles of the statements that are not among these."""
    known = {*kernel.free_sizes, *(a.name for a in kernel.axes)}
    kernel = kernel.with_sizes({n: v for n, v in sizes.items() if n in known})
    return sum(alone(s) for n, s in enumerate(kernel.statements) if n not in scheduled)


def alone(s: Statement) -> float:
    """Cycles of a statement that no instruction computes."""
    return points(s) * (POINT_CYCLES if s.reduction_axes else ADDED_CYCLES)


def points(s: Statement) -> int:
    """Points of a statement, whose axes may be open."""
    return prod(int(a.extent) if is_constant(a.extent) else ASSUMED for a in s.axes)


__all__ = ["alone", "left_over", "points", "predicted", "predicted_of"]
