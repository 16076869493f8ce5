"""A kernel in another form, made again of a kernel that has changed."""

from __future__ import annotations

from dataclasses import replace
from typing import overload

from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.numbered import Numbered
from isamap_smt.ir.online import Online
from isamap_smt.ir.split import Apart, SplitSum
from isamap_smt.mapping.bounded import bound_axis
from isamap_smt.mapping.digits import split_axis
from isamap_smt.mapping.joined import join_axes
from isamap_smt.mapping.multiplied import multiply_out
from isamap_smt.mapping.numbered import numbered
from isamap_smt.mapping.online import running
from isamap_smt.mapping.shift import shift_operand
from isamap_smt.mapping.split import split_sum
from isamap_smt.mapping.staged_values import stage_values


@overload
def remade(split: SplitSum, whole: Kernel, before: Apart | None = None) -> SplitSum: ...
@overload
def remade(split: Apart, whole: Kernel, before: Apart | None = None) -> Apart: ...


def remade(split: Apart, whole: Kernel, before: Apart | None = None) -> Apart:
    """The same of another kernel, which `before` led to. Raises ScheduleError."""
    if isinstance(split, Online):
        return running(whole, split.axis, split.block)
    if isinstance(split, Numbered):
        return numbered(whole, split.statements)
    if split.bounded:
        made = bound_axis(whole, split.axis, split.statement)
    elif split.moved:
        made = shift_operand(whole, split.axis, split.statement)
    elif split.joined:
        made = join_axes(whole, split.joined, split.statement)
    elif split.beside:
        made = multiply_out(whole, split.statement)
    elif split.staged:
        made = stage_values(whole, split.statement)
    elif split.digits:
        made = split_axis(whole, split.axis, split.parts, split.statement)
    else:
        axis, parts, at, masked = split.axis, split.parts, split.statement, split.masked
        made = split_sum(whole, axis, parts, blocks=split.blocks, inner=split.inner, statement=at, masked=masked)
    return replace(made, before=before)


__all__ = ["remade"]
