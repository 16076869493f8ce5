"""Takes an axis apart into two digits, i = 4*i_by4 + i_mod4. Nothing here is trusted: proof/split.py shows that both kernels
compute the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import sympy as sp

from isamap_smt.ir.errors import ScheduleError, did_you_mean
from isamap_smt.ir.expr import FloorDiv, FloorMod, ceil_div, is_constant, substitute, sym
from isamap_smt.ir.kernel import Access, Axis, Kernel
from isamap_smt.ir.scalar import put_into_indices
from isamap_smt.ir.split import Piece, SplitSum
from isamap_smt.language import to_text
from isamap_smt.mapping.split import new_name, split_sum

Digits = tuple[tuple[str, int], ...]  # axis, points of its low digit


def split_axis(kernel: Kernel, axis: str, points: int, statement: int | None = None) -> SplitSum:
    """The kernel with the axis of one statement (the main one where None) as two: i = points * i_by + i_mod.

    Where `points` does not divide the axis, or its extent is open, the last digits are cut off by a condition. Both stand
    where the axis stood, so that the order of the points is as it was. Raises ScheduleError where that cannot be.
    """
    position = kernel.main if statement is None else statement
    s = kernel.statements[position]
    names = [a.name for a in s.axes]
    if axis not in names:
        raise ScheduleError(
            f"statement {position + 1} of {kernel.name} has no axis {axis!r}; {did_you_mean(axis, names)}"
        )
    if kernel.recurrence_of(position) is not None:
        raise ScheduleError(f"{axis} has no digits of its own: statement {position + 1} stands in a recurrence")
    extent = s.axis(axis).extent
    if points < 2 or (is_constant(extent) and points >= 2 * int(extent)):
        raise ScheduleError(
            f"{axis} runs to {extent}: {points} is no digit of it; take 2 points at least, half of them in use"
        )
    high, low = (new_name(kernel, f"{axis}_{what}{points}") for what in ("by", "mod"))
    point = points * sym(high) + sym(low)
    whole = is_constant(extent) and int(extent) % points == 0
    table = {axis: point}
    axes = (Axis(high, ceil_div(extent, points)), Axis(low, sp.Integer(points)))
    guard = tuple(substitute(g, table) for g in s.guard)
    made = replace(
        s,
        target=Access(s.target.tensor, tuple(substitute(i, table) for i in s.target.index)),
        value=put_into_indices(s.value, table),
        axes=tuple(x for a in s.axes for x in (axes if a.name == axis else (a,))),
        guard=guard if whole else (*guard, sp.Lt(point, extent, evaluate=False)),
        source="",
    )
    new = replace(kernel, statements=(*kernel.statements[:position], made, *kernel.statements[position + 1 :]), file="")
    same = tuple((a.name, a.symbol) for a in s.axes if a.name != axis)
    back = ((high, FloorDiv(sym(axis), points)), (low, FloorMod(sym(axis), points)))
    piece = Piece(position, (*same, (axis, point)), (*same, *back))
    return SplitSum(kernel, replace(new, text=to_text(new)), position, axis, points, (piece,))


@lru_cache(maxsize=256)
def split_axes(kernel: Kernel, digits: Digits, statement: int | None = None) -> SplitSum | None:
    """split_axis() of one axis after the other; None for no axis."""
    if not digits:
        return None
    *outer, (axis, points) = digits
    before = split_axes(kernel, tuple(outer), statement)
    return replace(split_axis(before.kernel if before else kernel, axis, points, statement), before=before)


def remade(split: SplitSum, whole: Kernel, before: SplitSum | None = None) -> SplitSum:
    """The same of another kernel, which `before` led to. Raises ScheduleError."""
    if split.digits:
        made = split_axis(whole, split.axis, split.parts, split.statement)
    else:
        made = split_sum(
            whole, split.axis, split.parts, blocks=split.blocks, inner=split.inner, statement=split.statement
        )
    return replace(made, before=before)


def named_digits(names: Sequence[str]) -> Digits:
    """The digits among names such as `q%8`. Raises ScheduleError where the points are no number."""
    found = []
    for axis, percent, points in (n.partition("%") for n in names):
        if percent and not points.strip().isdigit():
            raise ScheduleError(f"{axis}%{points}: write the points of a digit as a number, such as {axis}%4")
        if percent:
            found.append((axis.strip(), int(points)))
    return tuple(found)
