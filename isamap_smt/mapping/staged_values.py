"""Gives what a guarded reduction takes a name of its own, so that masks reach it. Nothing here is trusted: proof/rewrite_claims.py
shows that both kernels compute the same.

    S[i] += exp(A[i,j] - B[j]) where j <= i

    S_values[i,j] = exp(A[i,j] - B[j]) where j <= i
    S[i] += S_values[i,j] where j <= i

A masked load fills the lanes that it leaves out with a number that changes nothing in the reduction. What is computed of such
numbers may change it: exp(0 - 0) is 1. Elements of S_values are reduced as they are.
"""

from __future__ import annotations

from dataclasses import replace

from isamap_smt.ir.boxes import left_to_inputs
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.kernel import Access, Kernel, Statement, Tensor
from isamap_smt.ir.rewrite import Again, Rewrite, Valued
from isamap_smt.ir.rows import REGROUPED, Staged
from isamap_smt.ir.scalar import Read, read
from isamap_smt.mapping.substituted import in_place_of, new_name


def has_values(kernel: Kernel, statement: int) -> bool:
    """Whether the statement reduces what it computes first, under a guard that elements of its inputs decide."""
    s = kernel.statements[statement]
    free = s.op in REGROUPED and not s.ordered and all(a.tensor != s.target.tensor for a in s.inputs)
    inside = kernel.recurrence_of(statement) is not None
    return free and not inside and not isinstance(s.value, Read) and bool(s.reduction_axes and left_to_inputs(s))


def stage_values(kernel: Kernel, statement: int) -> Rewrite:
    """The kernel with the values of the statement's reduction in a temporary. Raises ScheduleError where it has none of its own."""
    if not has_values(kernel, statement):
        raise ScheduleError(f"statement {statement + 1} of {kernel.name} reduces no values that a guard leaves out")
    s = kernel.statements[statement]
    name = new_name(kernel, f"{s.target.tensor}_values")
    values = Tensor(name, kernel.tensor(s.target.tensor).dtype, tuple(a.extent for a in s.axes))
    place = tuple(a.symbol for a in s.axes)
    made = (
        Statement(Access(name, place), "=", s.value, s.axes, s.guard),
        replace(s, value=read(name, *place), source=""),
    )
    roles = (Valued(statement, name), Again(statement + 1, statement))
    return Rewrite(kernel, in_place_of(kernel, statement, made, (values,)), Staged(statement), roles)


__all__ = ["has_values", "stage_values"]
