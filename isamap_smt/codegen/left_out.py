"""Elements of the output that the kernel's guard leaves out: never loaded or stored, and tiles of them alone are passed by.

    S[q,k] += Q[q,d] * K[k,d] where k <= q

Whether such a guard holds, an element of the output says by itself. So no operand needs padding: what is computed for a cell that
stands for no element goes nowhere. Along a vector's lanes a guard must leave the first ones, which is what masks can cut.
"""

from __future__ import annotations

from collections.abc import Mapping as Dict
from typing import Any

import sympy as sp

from isamap_smt.codegen.boundary import lanes_left
from isamap_smt.codegen.nest import Nest
from isamap_smt.ir.boxes import decided_by_output, extreme, slack
from isamap_smt.ir.expr import smallest, substitute, sym, symbols_of
from isamap_smt.ir.kernel import Axis


def left_out(nest: Nest) -> tuple[Any, ...]:
    """The relations of the guard that the output's element alone answers for, and that can fail."""
    return decided_by_output(nest.statement)


def at_cells(nest: Nest, values: Dict[str, Any]) -> tuple[Any, ...]:
    """They, where the program axes have these values."""
    point = nest.point(dict(values))
    return tuple(substitute(g, point) for g in left_out(nest))


def moved_lanes(nest: Nest, output: str) -> tuple[str, ...]:
    """The output's lanes along which one of the relations changes."""
    lanes = nest.lanes(output)
    found = symbols_of(at_cells(nest, _cells(nest, lanes)))
    return tuple(x for x in lanes if x in found)


def first_lanes(nest: Nest, lane: str, values: Dict[str, Any]) -> tuple[Any, ...] | None:
    """How many lanes each relation leaves that the lane moves, the first ones; None where it does not leave the first ones.

    values: of the program axes, at lane 0. A number may be negative, or more than there are.
    """
    return lanes_left(nest, left_out(nest), lane, values)


def whole_and_some(nest: Nest, relations: tuple[Any, ...]) -> tuple[Any, Any] | None:
    """Two numbers of a register tile: not negative where all relations hold at every point; and not negative where they do at some.

    None where a relation is not affine along the tile.
    """
    inside = {a: Axis(f"point of {a}", sp.sympify(nest.tile(a))) for a in nest.axes}
    point = nest.point({a: nest.value(a) + p.symbol for a, p in inside.items()})
    rooms = [None if (room := slack(g)) is None else substitute(room, point) for g in relations]
    if None in rooms:
        return None
    whole, some = ([extreme(r, tuple(inside.values()), largest) for r in rooms] for largest in (False, True))
    return None if None in whole + some else (smallest(*whole), smallest(*some))


def _cells(nest: Nest, lanes: tuple[str, ...]) -> dict[str, Any]:
    return {a: nest.value(a, 0, sym(x.lane) if x.lane in lanes else 0) for a, x in nest.axes.items()}
