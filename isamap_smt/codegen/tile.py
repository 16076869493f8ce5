"""The state read at every step of a nest's lowering, and the values of its axes in one register tile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from isamap_smt.codegen.begin import Begin
from isamap_smt.codegen.boundary import tests
from isamap_smt.codegen.nest import Nest
from isamap_smt.codegen.operands import InPlace, StagedOperand, free_guards
from isamap_smt.codegen.statements import Others
from isamap_smt.ir.expr import smallest, symbols_of
from isamap_smt.ir.program import If, Node, Unrolled
from isamap_smt.ir.schedule import Schedule

Nodes = tuple[Node, ...]


@dataclass(frozen=True)
class Lowering:
    """The state of one nest's lowering.

    whole: the code is for register tiles that no extent cuts, so nothing is masked.
    to_and_fro: how many loops inside a recurrence's time steps run to and fro: each pass begins with the data read
    last, still in a cache.
    """

    schedule: Schedule
    nest: Nest
    output: str
    inputs: tuple[str, ...]
    staged: dict[str, StagedOperand]
    others: Others
    begin: Begin | None
    to_and_fro: int = 0
    whole: bool = False

    @property
    def compute(self) -> Any:
        return self.nest.mapping.instruction

    @property
    def hardware(self) -> Any:
        return self.schedule.hardware.whole  # type: ignore[union-attr]


def cut_axes(state: Lowering) -> tuple[str, ...]:
    """Program axes of the output whose register tile can reach beyond the extent."""
    return tuple(a for a, x in state.nest.axes.items() if not x.reduction and state.nest.has_tail(a))


def room(state: Lowering, tails: tuple[str, ...]) -> Any:
    """How far the register tile stays below the extents of these axes; negative when it is cut."""
    nest = state.nest
    left = [nest.axes[a].extent - nest.value(a) - nest.tile(a) for a in tails]
    return smallest(*left) if left else None


def unrolled_axes(state: Lowering, operand: str) -> tuple[str, ...]:
    """Program axes with several of the operand's registers in a tile."""
    relevant = state.nest.relevant(operand)
    return tuple(a for a in state.nest.axes if a in relevant and state.nest.units(a) > 1)


def tile_values(state: Lowering, units: dict[str, Any], lanes: dict[str, Any]) -> dict[str, Any]:
    """Value of each program axis for these units (by axis) and lanes (by instruction axis)."""
    axes = state.nest.axes.items()
    return {a: state.nest.value(a, units.get(a, 0), lanes.get(x.lane, 0)) for a, x in axes}


def active_lanes(state: Lowering, lanes: tuple[str, ...], units: dict[str, Any]) -> tuple[Any, ...]:
    """How many points of each lane lie inside the extent, for these units; it may be negative or too large."""
    axes = [state.nest.axis_of_lane(lane).name for lane in lanes]
    return tuple(state.nest.axes[a].extent - state.nest.value(a, units.get(a, 0), 0) for a in axes)


def unroll(nest: Nest, units: dict[str, Any], *nodes: Node, where: Sequence[Any] = (), woven: bool = False) -> Nodes:
    """The nodes inside one unrolled loop per axis. `where`: relations, each tested in the innermost loop whose variable
    it mentions; a relation without such a variable is not tested. woven: the iterations take turns."""
    body: Nodes = nodes
    left = list(where)
    for axis, var in reversed(units.items()):
        here = tuple(r for r in left if var.name in symbols_of([r]))
        left = [r for r in left if r not in here]
        count = sp.Integer(nest.units(axis))
        body = (If(here, body),) if here else body
        body = (Unrolled(var, count, body, axis, nest.axes[axis].leaf, woven),)
    return body


def tested(state: Lowering, operand: str = "") -> tuple[Any, ...]:
    """The tests of an execution's points: of one operand, or of all operands at the boundary; over loops and a tile's rows."""
    found: dict[Any, None] = {}
    if not operand and (free := free_guards(state.nest, state.inputs)):
        found |= dict.fromkeys(tests(state.nest, "", free))
    for name, source in state.staged.items():
        if operand in ("", name) and isinstance(source, InPlace) and source.boundary and not source.inside:
            found |= dict.fromkeys(tests(state.nest, name, source.boundary.guards))
    return tuple(found)
