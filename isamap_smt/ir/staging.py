"""Stages in addressed memories: how many tiles each holds, and where it lies.

The loops around one execution of the mapped instruction are the mapping's outer axes, each cut into steps: an outer loop over
steps, in the order given, and inside of all of them an inner loop over the tiles of a step. A stage holds an operand's tiles while
the loops from its depth on run; it is filled (the output's: begun, and stored) where they begin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any

from isamap_smt.ir.expr import FloorDiv, ceil_div, symbols_of
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.schedule import LoopStep, Stage


def steps(extent: Any, tiles: int) -> Any:
    """How many steps of so many tiles an axis has: ceil(extent / tiles), with one division where the extent is one itself.

    >>> from isamap_smt.ir.expr import FloorDiv, sym
    >>> steps(FloorDiv(sym("I") + 7, 8), 2)
    FloorDiv(I + 15, 16)
    """
    if isinstance(extent, FloorDiv):
        a, b = extent.args
        return FloorDiv(a + b * (tiles - 1), b * tiles)
    return ceil_div(extent, tiles)


def counts(mapping: Mapping, loops: Sequence[LoopStep]) -> dict[str, Any]:
    """How many steps each loop has, by its axis."""
    extents = {a.name: a.extent for a in mapping.outer}
    return {x.axis: steps(extents[x.axis], x.step) for x in loops}


def tiles_of(mapping: Mapping, loops: Sequence[LoopStep], operand: str, depth: int) -> int:
    """How many tiles of an operand one slot holds, of a stage at that depth: those of a step, and of the steps of loops inside."""
    needed, of = symbols_of(mapping.coordinates(operand)), counts(mapping, loops)
    inside = [int(of[x.axis]) for x in loops[depth:] if x.axis in needed]
    return prod(x.step for x in loops if x.axis in needed) * prod(inside)


def side_by_side(mapping: Mapping, loops: Sequence[LoopStep], stages: Sequence[Stage]) -> tuple[Stage, ...]:
    """The stages, one behind the other in each memory."""
    ends: dict[str, int] = {}
    found = []
    for s in stages:
        offset = ends.get(s.memory, 0)
        found.append(replace(s, offset=offset))
        ends[s.memory] = offset + s.slots * s.rows * tiles_of(mapping, loops, s.operand, s.depth or 0)
    return tuple(found)
