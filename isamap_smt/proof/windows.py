"""Copies of whole tensors, read as the tensor itself would be: the elements in another type, and zeros around them.

An operand that is converted on its way, or whose last execution reaches beyond a summed axis, need not be packed in the
order of use. Neighbouring outputs share the elements of a window, and a packed copy holds each of them many times.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod

from isamap_smt.ir.boxes import decided_at, extremes
from isamap_smt.ir.expr import is_constant, symbols_of
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.schedule import ProgramAxis, program_axes
from isamap_smt.mapping.layout import element_axes, holds_table
from isamap_smt.proof.program_compute import is_product
from isamap_smt.proof.tails import ending, harmless_beyond, reaching
from isamap_smt.proof.zero_products import any_zero_is_enough


def converted(mapping: Mapping, operand: str) -> bool:
    """Whether the operand's elements have another type than the instruction takes."""
    return not mapping.element(operand).lies_as(mapping.instruction.kernel.tensor(operand).dtype)


@lru_cache(maxsize=1024)  # a ranking asks twice in a row
def copied_whole(mapping: Mapping, operand: str) -> bool:
    """Whether a copy of its whole tensor, at fixed sizes, lets the operand be read in place where the tensor does not.

    Elements are those of windows, which points share; what is read once is not copied before. Nor is a tensor that the
    kernel writes. Behind the end of a summed axis a vector that is packed has zeros;
    so only a broadcast operand is read on there.
    """
    s, kernel, access = mapping.statement, mapping.kernel, mapping.operand_access(operand)
    ends = bool(ending(mapping, operand))
    if not (ends or converted(mapping, operand)) or holds_table(mapping, operand):
        return False
    if any(x.target.tensor == access.tensor for x in kernel.statements) or not _shares(mapping, operand):
        return False
    neutral = s.op == "+" and is_product(s.value, s.ordered) and any_zero_is_enough(mapping.instruction.kernel)
    if not neutral and decided_at(s, access.index):
        return False
    return not ends or (
        _is_broadcast(mapping, operand) and all(_harmless(mapping, operand, a) for a in _cut(mapping, operand))
    )


def window_shape(mapping: Mapping, operand: str) -> tuple[int, ...] | None:
    """Extents of the window, as far as whole executions read; None if they depend on open sizes."""
    axes = mapping.statement.axes
    for a in _cut(mapping, operand):
        if not is_constant(a.extent * a.leaf):
            return None
        axes = reaching(axes, a, int(a.leaf))
    found = []
    for i in mapping.operand_access(operand).index:
        ends = extremes(i, axes)
        if ends is None or not all(map(is_constant, ends)):
            return None
        found.append(int(ends[1]) - int(ends[0]) + 1)
    return tuple(found)


def window_cells(mapping: Mapping, operand: str) -> int:
    """Elements of a window with a known shape."""
    return prod(window_shape(mapping, operand) or ())


def _cut(mapping: Mapping, operand: str) -> tuple[ProgramAxis, ...]:
    """Summed axes that end inside an execution with the operand."""
    used = element_axes(mapping, operand)
    return tuple(
        a
        for a in program_axes(mapping)
        if a.reduction
        and a.leaf != 1
        and used & {*a.members}
        and not (is_constant(a.extent) and a.extent % a.leaf == 0)
    )


def _shares(mapping: Mapping, operand: str) -> bool:
    """Whether points share elements, as neighbouring outputs do in a window: a copy has fewer than are read."""
    shape, index = window_shape(mapping, operand), mapping.operand_access(operand).index
    extents = [a.extent for a in mapping.statement.axes if a.name in symbols_of(index)]
    return shape is not None and all(map(is_constant, extents)) and prod(map(int, extents)) > prod(shape)


def _harmless(mapping: Mapping, operand: str, axis: ProgramAxis) -> bool:
    """Whether another operand has zeros behind the axis's end, since it is packed."""
    others = harmless_beyond(mapping, operand, axis, axis.leaf, window=True)
    return any(not _is_broadcast(mapping, o) and ending(mapping, o) for o in others)


def _is_broadcast(mapping: Mapping, operand: str) -> bool:
    """Whether all lanes of the result take the same elements of the operand."""
    used = element_axes(mapping, operand)
    return not any(a.lane and a.leaf != 1 and not a.reduction and used & {*a.members} for a in program_axes(mapping))


__all__ = ["converted", "copied_whole", "window_cells", "window_shape"]
