"""The order of a kernel's statements: one after the other, those of a recurrence in each time step anew.

    for t:
      R[t,j] += H[t,k] * U[k,j]
      H[t+1,j] = tanh(P[t,j] + R[t,j])

is R[0,j] += ..., H[1,j] = ..., R[1,j] += ..., H[2,j] = ... and so on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import sympy as sp

from isamap_smt.ir.expr import substitute
from isamap_smt.ir.kernel import Access, Kernel, Statement
from isamap_smt.ir.scalar import put_into_indices


def in_order(kernel: Kernel) -> Iterator[Statement]:
    """The statements, or time steps of a statement, in order, each to run over all its points before the next.

    The extents of the recurrent axes must be numbers.
    """
    return (s for _, _, s in numbered_in_order(kernel))


def numbered_in_order(kernel: Kernel) -> Iterator[tuple[int, dict[str, int], Statement]]:
    """The same, each with the number of the statement and the value of the axis of its time steps."""
    for position, s in enumerate(kernel.statements):
        recurrence = kernel.recurrence_of(position)
        if recurrence is None:
            yield position, {}, s
        elif position == recurrence.first:
            axis, block = recurrence.axis, kernel.statements[recurrence.first : recurrence.end]
            for value in range(int(s.axis(axis).extent)):
                yield from ((position + n, {axis: value}, at(x, axis, value)) for n, x in enumerate(block))


def at(statement: Statement, axis: str, value: int) -> Statement:
    """The statement at one value of one of its axes: this axis is gone.

    >>> from isamap_smt.language import kernel
    >>> at(kernel("H[t+1,j] = H[t,j] * a[j]").statements[0], "t", 4).target.index
    (5, j)
    """
    fixed = {axis: value}

    guard = (substitute(g, fixed) for g in statement.guard)
    return replace(
        statement,
        target=Access(statement.target.tensor, tuple(substitute(i, fixed) for i in statement.target.index)),
        value=put_into_indices(statement.value, fixed),
        axes=tuple(a for a in statement.axes if a.name != axis),
        guard=tuple(g for g in guard if g is not sp.true),
    )


__all__ = ["at", "in_order", "numbered_in_order"]
