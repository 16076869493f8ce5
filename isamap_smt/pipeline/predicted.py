"""Predicted cycles of a kernel, statements without an instruction included.

Statements made by a rewrite are priced by their role: adding up partial sums waits for memory, a rest for the term before.
What follows a finished sum is computed in its tile, in the machine's vectors; measured with AVX2 and AVX-512, up to four
sums and products of f32 behind a product of 256x16x256 cost 0 to 0.3 cycles of a vector each, a root or a quotient 4 to 10.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping as Dict
from functools import lru_cache
from math import frexp, prod
from typing import Any

import sympy as sp

from isamap_smt.ir.expr import is_constant
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.heads import FUNCTION_ROWS
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.ir.rewrite import Closing, Form, Partial, Piece, Rewrite, Role
from isamap_smt.ir.rows import Moved, Sums
from isamap_smt.ir.scalar import Read, Scalar, SDiv, Sqrt
from isamap_smt.ir.schedule import Schedule
from isamap_smt.mapping.selection import register_files
from isamap_smt.pipeline.secondary import follows_a_sum

POINT_CYCLES = 2.0  # of a sum, per point
REST_CYCLES = 4.0  # per point of floats that no partial sum has: each waits for the one before it
ADDED_CYCLES = 0.25  # of an operation on an element, side by side with those of others
VECTOR_CYCLES = 0.5  # of an operation on a vector
STEPS = 16  # operations of a function that is computed in many steps
DIVISION = 10  # operations of a quotient or a root: dividers are narrow
ADD_CYCLES = 1.0  # per partial sum, to add it up
MOVED_CYCLES = 0.125  # per output, to add what moving an operand takes off
ASSUMED = 1024  # points of an axis that is left open


def predicted(
    kernel: Kernel, form: Form | None, schedules: Iterable[Schedule], sizes: Dict[str, int], hardware: Hardware
) -> float:
    """Cycles of all statements of the kernel: predicted by these schedules, or element by element."""
    mapped = {s.proved.mapping.statement_index: s.objective or 0.0 for s in schedules}
    return sum(mapped.get(n, cycles) for n, cycles in enumerate(by_element(kernel, form, sizes, hardware)))


def by_element(kernel: Kernel, form: Form | None, sizes: Dict[str, int], hardware: Hardware) -> tuple[float, ...]:
    """Cycles of each statement of the kernel, made by the form, if no instruction computes it."""
    known = {*kernel.free_sizes, *(a.name for a in kernel.axes)}
    sized = kernel.with_sizes({n: v for n, v in sizes.items() if n in known})
    roles = roles_of(form)
    return tuple(
        _cycles(sized, s, *roles[n]) if n in roles else _alone(sized, n, hardware)
        for n, s in enumerate(sized.statements)
    )


def _alone(kernel: Kernel, n: int, hardware: Hardware) -> float:
    """Cycles of a statement that no rewrite made."""
    s = kernel.statements[n]
    if not follows_a_sum(kernel, n):
        return _cycles(kernel, s, None, None)
    types = {kernel.tensor(a.tensor).dtype.name for a in (s.target, *s.inputs)}
    lanes = min(lanes_of(hardware).get(t, 1) for t in types)
    return points(s) * operations(s.value) * min(ADDED_CYCLES, VECTOR_CYCLES / lanes)


@lru_cache(maxsize=64)
def lanes_of(hardware: Hardware) -> Dict[str, int]:
    """Elements of the longest vector of each type, by its name."""
    found: dict[str, int] = {}
    for files in register_files(hardware):
        for name in files.of:
            found.setdefault(name, files.lanes)
    return found


def roles_of(form: Form | None) -> dict[int, tuple[Rewrite, Role]]:
    """The roles of statements in the form's kernel by their number, each with the rewrite that made it."""
    found: dict[int, tuple[Rewrite, Role]] = {}
    for one in form.chain if form is not None else ():
        if not isinstance(one, Rewrite):
            return {}
        kept = {n: moved(n, one) for n in found if n not in one.row.restated}
        found = {kept[n]: what for n, what in found.items() if n in kept} | {r.statement: (one, r) for r in one.roles}
    return found


def moved(statement: int, form: Form) -> int:
    """A statement's number behind a rewrite of others."""
    assert isinstance(form, Rewrite)
    new = {r.statement for r in form.roles}
    kept = [n for n in range(len(form.whole.statements)) if n not in form.row.restated]
    return [n for n in range(len(form.kernel.statements)) if n not in new][kept.index(statement)]


def _cycles(kernel: Kernel, s: Statement, one: Rewrite | None, role: Role | None) -> float:
    match role:
        case Closing() if one is not None and isinstance(one.row, Sums):
            shape = kernel.tensor(one.sums).shape
            return ADD_CYCLES * prod(int(n) if is_constant(n) else 1 for n in shape)
        case Closing() if one is not None and isinstance(one.row, Moved):
            return MOVED_CYCLES * points(s)
        case Piece() if not isinstance(role, Partial) and one is not None and isinstance(one.row, Sums):
            return (REST_CYCLES if kernel.tensor(s.target.tensor).dtype.is_float else 0.0) * points(s)
    return points(s) * (POINT_CYCLES if s.reduction_axes else ADDED_CYCLES * operations(s.value))


def operations(value: Any) -> int:
    """Of one element, at least one."""
    inner = [x for x in sp.preorder_traversal(value) if isinstance(x, Scalar) and not isinstance(x, Read)]
    return max(1, sum(map(_operations, inner)))


def _operations(value: Scalar) -> int:
    row = FUNCTION_ROWS.get(type(value))
    if row is not None and row.steps:
        return STEPS
    return DIVISION if isinstance(value, Sqrt) or (isinstance(value, SDiv) and not _halves(value.args[1])) else 1


def _halves(divisor: Any) -> bool:
    """Whether it is a power of two, whose reciprocal is exact."""
    return isinstance(divisor, sp.Number) and divisor.is_finite and abs(frexp(float(divisor))[0]) == 0.5


def points(s: Statement) -> int:
    """Points of a statement, whose axes may be open."""
    return prod(int(a.extent) if is_constant(a.extent) else ASSUMED for a in s.axes)


__all__ = ["by_element", "moved", "points", "predicted", "roles_of"]
