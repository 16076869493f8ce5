"""State cells needed by a use on an engine, over loops and sizes: its instruction's needs at its operands' places.

A value is a sum of products of sizes and loop variables; or an element in main memory (a Ref), and the cell holds its
bits.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp

from isamap_smt.ir.addresses import offset
from isamap_smt.ir.expr import substitute
from isamap_smt.ir.program import Issued, immediate
from isamap_smt.ir.states import Need

Shapes = Mapping[str, Sequence[Any]]  # of tensors


def needed_cells(use: Issued, shapes: Shapes) -> dict[str, dict[int, Any]]:
    """State memory -> cell -> its value needed when the use runs."""
    found: dict[str, dict[int, Any]] = {}
    for need in use.instruction.cells_needed:
        found.setdefault(need.memory, {})[need.at(0)] = needed_value(use, need, shapes)
    return found


def needed_value(use: Issued, need: Need, shapes: Shapes) -> Any:
    """The value needed in one cell: an expression, or the element (a Ref) with the same bits."""
    i, places = use.instruction, dict(use.operands)
    name = need.value.name if getattr(need.value, "is_Symbol", False) else ""
    if name in places:
        number = immediate(places[name])
        return places[name] if number is None else sp.Integer(_bits(number, i.kernel.tensor(name).dtype.is_float))
    strides: dict[str, Any] = {}
    for operand, _ in i.steps:
        if operand in places:
            ref = places[operand]
            strides |= i.address(operand).strides(offset(ref.index, shapes[ref.name]))
    return sp.expand(substitute(sp.sympify(need.value), strides))


def _bits(number: float, floating: bool) -> int:
    """The bits of a number in the code, as a cell holds it: those of an f32, or the number itself."""
    return int.from_bytes(struct.pack("<f", number), "little") if floating else int(number)


def named_set(use: Issued, memory: str) -> int | None:
    """The number of the set of state cells named by a use: 0 if it names none, None if it names two."""
    found = [n for m, n in use.sets if m == memory]
    return None if len(found) > 1 else found[0] if found else 0
