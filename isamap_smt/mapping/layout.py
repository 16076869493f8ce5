"""How an operand's elements lie in memory for one issue of the instruction.

The layout lambda(o, cell) gives tensor coordinates. With tensors row-major, the elements' distance along one of the
operand's cell axes is a stride: 0 (broadcast), 1 (contiguous), another (strided), or none at all (gather).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import sympy as sp

from isamap_smt.ir.addresses import collapsed, offset
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import affine, elements, free_name, is_constant, substitute, symbols_of, words
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Access, Kernel
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.move_form import MAIN

CONTIGUOUS, BROADCAST, STRIDED, GATHER = "contiguous", "broadcast", "strided", "gather"
WORD = 4  # bytes that copies of rows into columns move together


@dataclass(frozen=True)
class Supply:
    """kind: the class for all cells together. axes: cell axis -> its own class. strides: in elements; None: gather.

    contiguous: the cells in order are consecutive elements. broadcast: one element serves a whole cell axis (or all).
    """

    kind: str
    axes: tuple[tuple[str, str], ...]
    strides: tuple[tuple[str, Any], ...]

    def __str__(self) -> str:
        each = ", ".join(
            f"{t}: {kind}" + (f" by {s}" if kind == STRIDED else "")
            for (t, kind), (_, s) in zip(self.axes, self.strides, strict=True)
        )
        return f"{self.kind} ({each})" if each else self.kind


@dataclass(frozen=True)
class Layout:
    """coordinates: over outer axes and the operand's own cell axes; the agreement claim proves them."""

    operand: str
    tensor: str
    cells: tuple[str, ...]
    coordinates: tuple[Any, ...]
    supply: Supply


def holds_table(mapping: Mapping, operand: str) -> bool:
    """Whether the operand's register holds a whole tensor, and data names the cell read: `d[l] = t[idx[l]]`."""
    return bool(elements(mapping.cells(operand)))


def stays_in_memory(mapping: Mapping, operand: str) -> bool:
    """Whether the instruction reads the operand's cells in main memory itself, where data names them."""
    return holds_table(mapping, operand) and dict(mapping.instruction.places)[operand] == MAIN


def in_memory(mapping: Mapping) -> tuple[str, ...]:
    """The tensors that the instruction reads so."""
    return tuple(a.tensor for o, a in mapping.binding if stays_in_memory(mapping, o))


def element_axes(mapping: Mapping, operand: str) -> set[str]:
    """The symbols by which an operand's register holds other elements; a table is the same at every point."""
    return set() if holds_table(mapping, operand) else symbols_of(mapping.operand_access(operand).index)


def lane_axes(mapping: Mapping, operand: str) -> set[str]:
    """The instruction axes in the operand's cells; none of a table, whose cells are counted by themselves."""
    return set() if holds_table(mapping, operand) else symbols_of(mapping.cells(operand))


def whole_table(kernel: Kernel, instruction: Instruction, operand: str, access: Access) -> bool:
    """Whether registers of the operand hold the whole tensor read, or main memory does, each dimension indexed by data."""
    shape, held = kernel.tensor(access.tensor).shape, instruction.shapes[operand]
    named = all(elements([i]) for a in (access, *_accesses(instruction, operand)) for i in a.index)
    far = dict(instruction.places)[operand] == MAIN
    return named and len(shape) == len(held) and all(reaches(m, n, far) for n, m in zip(shape, held, strict=True))


def reaches(cells: Any, extent: Any, far: bool) -> bool:
    """Whether a table has a cell for each of so many elements. far: in main memory, where an open extent is no more than
    its index has values."""
    return is_constant(cells) and (int(extent) <= int(cells) if is_constant(extent) else far)


def _accesses(instruction: Instruction, operand: str) -> list[Access]:
    return [a for a in instruction.kernel.statements[0].inputs if a.tensor == operand]


def plain_lanes(mapping: Mapping, operand: str) -> tuple[str, ...]:
    """The operand's instruction axes, in cell order. Raises ScheduleError if a cell is no plain axis.

    The dimensions of a table have names of their own.
    """
    if holds_table(mapping, operand):
        taken = set(mapping.instruction.axes)
        return tuple(free_name(f"{operand}{d}", taken) for d in range(len(mapping.instruction.shapes[operand])))
    cells = [sp.sympify(c) for c in mapping.cells(operand)]
    for c in cells:
        if not c.is_Symbol:
            raise ScheduleError(
                f"{mapping.instruction.name} takes {operand} at {words(c)}; registers are filled along plain axes only"
            )
    return tuple(c.name for c in cells)


def layout(mapping: Mapping, operand: str) -> Layout:
    """lambda(o, cell) of one operand, and how the elements lie."""
    access = mapping.operand_access(operand)
    return Layout(
        operand, access.tensor, cell_axes(mapping, operand), _coordinates(mapping, operand), supply(mapping, operand)
    )


def layouts(mapping: Mapping) -> dict[str, Layout]:
    """The layout of every operand, output included."""
    return {o: layout(mapping, o) for o, _ in mapping.binding}


def cell_axes(mapping: Mapping, operand: str) -> tuple[str, ...]:
    """Instruction axes in the operand's cell index, in the order of the index, those of one point left out."""
    used = [n for e in mapping.cells(operand) for n in sorted(symbols_of([e]))]
    return tuple(n for n in dict.fromkeys(used) if mapping.instruction.axes.get(n, 1) > 1)


def _coordinates(mapping: Mapping, operand: str) -> tuple[Any, ...]:
    own = symbols_of(mapping.cells(operand))
    zero = {t: sp.S.Zero for t in mapping.instruction.axes if t not in own}
    return tuple(substitute(c, zero) for c in mapping.coordinates(operand))


def supply(mapping: Mapping, operand: str) -> Supply:
    """How the operand's elements lie in memory for one issue of the instruction; padded cell axes count as one point."""
    if elements((*mapping.cells(operand), *mapping.operand_access(operand).index)):
        return Supply(GATHER, (), ())  # data says which elements are taken
    groups = dict(mapping.groups)
    axes = [t for t in cell_axes(mapping, operand) if not (t in groups and not groups[t])]
    strides = [(t, _stride(mapping, operand, t)) for t in axes]
    kinds = tuple((t, _kind(s)) for t, s in strides)
    return Supply(_together(mapping, strides), kinds, tuple(strides))


def lies_apart(mapping: Mapping, operand: str) -> bool:
    """Whether the operand's elements are no neighbours in memory, nor one."""
    return supply(mapping, operand).kind in (STRIDED, GATHER)


def alone(mapping: Mapping, operand: str) -> int:
    """Rates a copy of the operand by its moves of single elements: 0 if it moves whole words, 1 for scattered bytes, 2
    for scattered halves, and for elements narrower than words whose neighbours in a register lie on fused axes that are
    not one in memory. Converted elements rate 2 unless they are contiguous."""
    lie, element = supply(mapping, operand), mapping.element(operand)
    if not element.lies_as(mapping.instruction.kernel.tensor(operand).dtype):
        return 2 * (lie.kind != CONTIGUOUS)
    if element.bytes < WORD and lie.axes and lie.axes[-1][1] == GATHER:
        return 2
    apart = lie.kind in (STRIDED, GATHER) and element.bytes != WORD and len(lie.strides) == 1
    return apart * min(element.bytes, 2)


def _kind(stride: Any) -> str:
    if stride is None:
        return GATHER
    return BROADCAST if stride == 0 else CONTIGUOUS if stride == 1 else STRIDED


def _together(mapping: Mapping, strides: list[tuple[str, Any]]) -> str:
    """The class of all cells: gather if any axis is, then contiguous, then broadcast, else strided."""
    if any(s is None for _, s in strides):
        return GATHER
    if all(s == 0 for _, s in strides):
        return BROADCAST
    expected = 1
    for t, s in reversed(strides):
        if s != expected:
            break
        expected *= mapping.instruction.axes[t]
    else:
        return CONTIGUOUS
    return BROADCAST if any(s == 0 for _, s in strides) else STRIDED


def _stride(mapping: Mapping, operand: str, t: str) -> Any:
    """Distance in elements between neighbours on cell axis t, wherever the execution stands; None if it varies."""
    groups = dict(mapping.groups)
    access = mapping.operand_access(operand)
    shape = mapping.kernel.tensor(access.tensor).shape
    if t not in groups:
        # A mapping of another form: the coordinates themselves must be affine in t.
        parts = affine(_address(_coordinates(mapping, operand), shape), [t])
        return None if parts is None else sp.expand(parts[0].get(t, sp.S.Zero))
    axes = tuple((a.name, a.extent) for a in mapping.statement.axes)
    return _along_group(access.index, shape, groups[t], axes, mapping.instruction.axes[t])


def even_steps(mapping: Mapping, access: Access, axis: str, members: tuple[str, ...]) -> bool:
    """Whether a tensor's elements lie at one distance along kernel axes fused into one instruction axis. access: over
    the statement's axes."""
    axes = tuple((a.name, a.extent) for a in mapping.statement.axes)
    shape = mapping.kernel.tensor(access.tensor).shape
    return _along_group(access.index, shape, members, axes, mapping.instruction.axes[axis]) is not None


@lru_cache(maxsize=4096)  # mappings of a statement share their groups
def _along_group(
    index: tuple[Any, ...],
    shape: tuple[Any, ...],
    group: tuple[str, ...],
    axes: tuple[tuple[str, Any], ...],
    points: int,
) -> Any:
    """The distance in memory along fused axes, cut into `points`; None if it varies.

    axes: all of the statement's, with their extents. The distance is one number if every axis of the group steps over
    all of its inner ones: stride(a_k) = stride(a_k+1) * extent(a_k+1). It also is if one execution never leaves the
    innermost axis: its extent is a multiple of the points.
    """
    extents = dict(axes)
    address = _address(index, shape)
    parts = affine(address, extents) or affine(address, group)  # the first is asked once for all groups
    if parts is None or any(symbols_of([c]) & set(extents) for c in parts[0].values()):
        return None
    step = {a: parts[0].get(a, sp.S.Zero) for a in group}
    moving = [a for a in group if extents[a] != 1]
    if not moving:
        return sp.S.Zero
    last = moving[-1]
    if all(sp.expand(step[a] - step[b] * extents[b]) == 0 for a, b in itertools.pairwise(moving)):
        return step[last]
    return step[last] if is_constant(extents[last]) and int(extents[last]) % points == 0 else None


@lru_cache(maxsize=4096)
def _address(index: tuple[Any, ...], shape: tuple[Any, ...]) -> Any:
    """The element's number in a row-major tensor."""
    return sp.expand(offset(*collapsed(index, shape)))


__all__ = [
    "BROADCAST",
    "CONTIGUOUS",
    "GATHER",
    "STRIDED",
    "Layout",
    "Supply",
    "cell_axes",
    "element_axes",
    "holds_table",
    "in_memory",
    "lane_axes",
    "layout",
    "layouts",
    "plain_lanes",
    "reaches",
    "stays_in_memory",
    "supply",
    "whole_table",
]
