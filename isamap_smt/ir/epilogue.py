"""The epilogue of a kernel: the value computed from each finished element, mostly a sum, before it leaves the machine.

    temporary T
    T[i,j] += X[i,k] * W[k,j]
    Y[i,j] = round_i8(f32(T[i,j] + b[j]) * s[])

A machine with engines carries it out beside the sums, in steps: one begins them (at 0, or at elements of a tensor),
some change them in place, one stores the result.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy as sp

from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import substitute
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.interpret import neutral
from isamap_smt.ir.kernel import Access, Kernel, Statement
from isamap_smt.ir.scalar import Read, number_in
from isamap_smt.ir.typed import typed_value

BEGINS, UPDATES, STORES = "begins", "updates", "stores"


@dataclass(frozen=True)
class Epilogue:
    """sum: the tensor reduced into by the first statement. axes: of the second statement, by the dimensions of the sum.

    statement: the second one; None if the sum itself is stored.
    """

    kernel: Kernel
    statement: Statement | None
    sum: str
    axes: tuple[str, ...]

    @property
    def result(self) -> str:
        """The stored tensor: it leaves the machine."""
        return self.sum if self.statement is None else self.statement.target.tensor

    @property
    def op(self) -> str:
        """How the first statement reduces; `=` if it assigns."""
        return self.kernel.statements[0].op

    @property
    def assigned(self) -> bool:
        """Whether each element is assigned, and none is reduced."""
        return self.op == "="

    @property
    def start(self) -> int | float:
        """The first value of the reduction: its operator's neutral number."""
        return neutral(self.op, self.kernel.tensor(self.sum).dtype)

    @cached_property
    def value(self) -> Any:
        """An element of the result as a function of an element of the sum, with every conversion written."""
        if self.statement is None:
            return Read(sp.Symbol(self.sum), *map(sp.Symbol, self.axes))
        return typed_value(self.kernel, self.statement)

    @property
    def of_a_part(self) -> bool:
        """Whether the second statement writes some elements of the result alone."""
        return self.statement is not None and writes_a_part(self.kernel, self.statement)

    def index(self, access: Access, coordinates: tuple[Any, ...]) -> tuple[Any, ...]:
        """The index of an access of the second statement, for the element of the sum at these coordinates."""
        at = dict(zip(self.axes, coordinates, strict=True))
        return tuple(sp.expand(substitute(e, at)) for e in access.index)

    def stored(self, coordinates: tuple[Any, ...]) -> tuple[Any, ...]:
        """The index of the result, for the element of the sum at these coordinates."""
        return coordinates if self.statement is None else self.index(self.statement.target, coordinates)


def writes_a_part(kernel: Kernel, s: Statement) -> bool:
    """Whether a statement has other numbers of points than its tensor has elements. With as many, each is asked for."""
    points, shape = sp.Mul(*(a.extent for a in s.axes)), kernel.tensor(s.target.tensor).shape
    return sp.expand(points - sp.Mul(*shape)) != 0


def unassigned(kernel: Kernel) -> str:
    """Why the first statement does not assign each element of its tensor once, or ''."""
    s = kernel.statements[0]
    if s.guard:
        return "`where` leaves elements out, and nothing says what they are"
    if s.extents_of(s.target.index) != kernel.tensor(s.target.tensor).shape or s.reduction_axes:
        return f"it does not assign each element of {s.target.tensor} once"
    return ""


def begins_at(i: Instruction) -> int | float | None:
    """The number assigned by an instruction to each of its cells; None for any other instruction."""
    s = i.kernel.statements[0]
    return number_in(s.value) if s.op == "=" and not s.guard and not s.inputs else None


def epilogue_of(kernel: Kernel) -> Epilogue:
    """The kernel as a sum with an epilogue. Raises ScheduleError, with the obstacle, if it is none."""
    first, *more = kernel.statements
    total = first.target.tensor
    if early := sorted({a.tensor for a in first.inputs} & set(kernel.outputs)):
        raise ScheduleError(
            f"{kernel.name}: {early[0]} is read where it is not yet written; give the result a tensor of its own"
        )
    if not more:
        return Epilogue(kernel, None, total, tuple(f"d{n}" for n in range(len(first.target.index))))
    if len(more) > 1:
        raise ScheduleError(
            f"{kernel.name}: it has {len(kernel.statements)} statements, and programs for engines are made of one sum and one "
            "statement about each finished element of it: give a part of it alone with --text"
        )
    (last,) = more
    reads = [a for a in last.inputs if a.tensor == total]
    if why := _other(kernel, last, total, reads):
        raise ScheduleError(f"{kernel.name}: {last.source or last.target.tensor}: {why}")
    return Epilogue(kernel, last, total, tuple(str(e) for e in reads[0].index))


def _other(kernel: Kernel, last: Statement, total: str, reads: list[Access]) -> str:
    """Why the second statement is no epilogue of the first, or ''."""
    axes = {a.name: a for a in last.axes}
    if last.op != "=" or last.guard or last.target.tensor == total or kernel.recurrences:
        return f"after the sum, programs compute 'Y[...] = ...' of its finished elements, without `where` and not {total} itself"
    if any(a.tensor == last.target.tensor for a in last.inputs):
        return f"{last.target.tensor} is read where it is not yet written; give the result a tensor of its own"
    if total not in kernel.temporaries:
        return f"{total} is a result, too, and only one is stored; add the line 'temporary {total}'"
    if len(reads) != 1 or sorted(map(str, reads[0].index)) != sorted(axes):
        return f"it should read one element of {total}, at each of its axes {', '.join(axes)}"
    shape = kernel.tensor(total).shape
    if any(axes[str(e)].extent != n for e, n in zip(reads[0].index, shape, strict=True)):
        return f"it should run over all of {total}"
    others = [a.tensor for a in last.inputs if a.tensor != total]
    if len(set(others)) != len(others):
        return "it reads one tensor at two elements"
    return ""
