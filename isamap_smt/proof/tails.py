"""Elements read behind the end of a summed axis, if an execution of an instruction reaches beyond it."""

from __future__ import annotations

from dataclasses import replace
from math import prod

import sympy as sp

from isamap_smt.ir.boxes import always_true, decided_at
from isamap_smt.ir.expr import is_constant, symbols_of
from isamap_smt.ir.kernel import Axis
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.schedule import ProgramAxis, program_axes
from isamap_smt.proof.program_compute import is_product
from isamap_smt.proof.zero_products import any_zero_is_enough


def ending(mapping: Mapping, operand: str) -> str:
    """A summed axis that ends inside an execution with the operand and needs zeros of a copy behind its end; else ''."""
    used = symbols_of(mapping.operand_access(operand).index)
    for axis in program_axes(mapping):
        if not axis.reduction or axis.leaf == 1 or not {*axis.members} & used or _fits(axis):
            continue
        others = harmless_beyond(mapping, operand, axis, axis.leaf)
        if all(harmless_beyond(mapping, o, axis, axis.leaf) for o in others):  # none of them is surely packed
            return axis.name
    return ""


def reaching(axes: tuple[Axis, ...], axis: ProgramAxis, tile: int) -> tuple[Axis, ...]:
    """The kernel's axes, the first member of a program axis as long as whole tiles of it reach."""
    first, *inner = axis.members
    points = -(-int(axis.extent) // tile) * tile
    own = {a.name: int(a.extent) for a in axes if a.name in inner}
    rows = sp.Integer(-(-points // prod(own.values())))
    return tuple(replace(a, extent=rows) if a.name == first else a for a in axes)


def _fits(axis: ProgramAxis) -> bool:
    return is_constant(axis.extent) and is_constant(axis.leaf) and int(axis.extent) % int(axis.leaf) == 0


def harmless_beyond(
    mapping: Mapping, operand: str, axis: ProgramAxis, tile: int, window: bool = False
) -> tuple[str, ...]:
    """Operands such that zeros behind the axis's end in one of them let the given operand be read on there; () if none.

    All are integers, so a zero makes the product zero, and the places read lie in the operand's tensor. tile: points of
    the axis computed together. window: they lie in a copy of the tensor that is as large.

    A window of 7x3 bytes in a row of an image is six groups of four: the last one takes three bytes of the next point,
    times zero weights.
    """
    s, instruction, kernel = mapping.statement, mapping.instruction, mapping.kernel
    contract, access = instruction.kernel.statements[0], mapping.operand_access(operand)
    if s.op != "+" or not all(is_product(x.value, s.ordered) for x in (s, contract)):
        return ()
    read = [kernel.tensor(a.tensor) for a in (s.target, *s.inputs)]
    if any(t.dtype.is_float for t in (*read, *instruction.kernel.tensors)) or not any_zero_is_enough(
        instruction.kernel
    ):
        return ()
    if instruction.assume or kernel.ranges or not is_constant(axis.extent * tile):
        return ()
    box = reaching(s.axes, axis, tile)
    ends = zip(access.index, kernel.tensor(access.tensor).shape, strict=True)
    inside = (always_true(relation, box) for i, n in ends for relation in (sp.Ge(i, 0), sp.Lt(i, n)))
    if not window and (decided_at(s, access.index) or not all(inside)):
        return ()
    members = {*axis.members}
    return tuple(
        o for o, a in mapping.binding if o != operand and a.tensor != s.target.tensor and symbols_of(a.index) & members
    )
