"""Rows of rewrites and their makers. Nothing here is trusted: proof/rewrite_claims.py shows that each computes the same."""

from __future__ import annotations

from dataclasses import replace
from typing import overload

from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.online import Online
from isamap_smt.ir.rewrite import Form, Rewrite
from isamap_smt.ir.rows import Bounded, Digits, Joined, Moved, Multiplied, Numbered, Row, Staged, Sums
from isamap_smt.mapping.bounded import bound_axis
from isamap_smt.mapping.digits import split_axis
from isamap_smt.mapping.joined import join_axes
from isamap_smt.mapping.multiplied import multiply_out
from isamap_smt.mapping.numbered import numbered
from isamap_smt.mapping.online import running
from isamap_smt.mapping.shift import shift_operand
from isamap_smt.mapping.split import split_sum
from isamap_smt.mapping.staged_values import stage_values


def made(row: Row, kernel: Kernel) -> Rewrite:
    """The row's rewrite of the kernel. Raises ScheduleError if it is impossible."""
    match row:
        case Sums(n, axis, parts, blocks, inner, masked):
            return split_sum(kernel, axis, parts, blocks=blocks, inner=inner, statement=n, masked=masked)
        case Digits(n, axis, points):
            return split_axis(kernel, axis, points, n)
        case Bounded(n, axis):
            return bound_axis(kernel, axis, n)
        case Joined(n, axis, other=other):
            return join_axes(kernel, (axis, other), n)
        case Moved(n, operand):
            return shift_operand(kernel, operand, n)
        case Multiplied(n):
            return multiply_out(kernel, n)
        case Staged(n, parts=part):
            return stage_values(kernel, n, part)
        case Numbered(statements):
            return numbered(kernel, statements)


@overload
def remade(one: Rewrite, whole: Kernel, before: Form | None = None) -> Rewrite: ...
@overload
def remade(one: Form, whole: Kernel, before: Form | None = None) -> Form: ...


def remade(one: Form, whole: Kernel, before: Form | None = None) -> Form:
    """The same rewrite of another kernel, reached by `before`. Raises ScheduleError."""
    if isinstance(one, Online):
        return running(whole, one.axis, one.block)
    assert isinstance(one, Rewrite)
    return replace(made(one.row, whole), before=before)


def moved(row: Row, by: int) -> Row:
    """The row about a statement so many further on."""
    return row if isinstance(row, Numbered) or not by else replace(row, statement=row.statement + by)


__all__ = ["made", "moved", "remade"]
