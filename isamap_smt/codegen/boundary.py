"""Padding is left out: points excluded by the kernel's guard are not executed.

    if (the whole register tile, at every point of its reduction, lies inside) { executions } else { tested executions }

If most tiles cross the border somewhere in a long reduction (`where k <= q`), the test is asked at each step instead of
once.

Relations on the tile as a whole are tested outside of all loops that leave them unchanged. Relations on single rows are
tested around each row's executions, and printed only if the loops' ranges leave them open. All lanes of a load must
share the guard. A copy with its padding written out can cost less, if each element is used often and few points are
excluded.
"""

from __future__ import annotations

from collections.abc import Mapping as Dict
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import Any

import numpy as np
import sympy as sp

from isamap_smt.codegen.nest import Nest, most_trips, plain_name
from isamap_smt.ir.boxes import always_true, decided_by_output, extreme, fails_from, slack
from isamap_smt.ir.boxes import slack as slack_of
from isamap_smt.ir.engines import ZERO
from isamap_smt.ir.expr import IMin, ceil_div, evaluate, is_constant, smallest, substitute, sym, symbols_of
from isamap_smt.ir.interpret import beyond_for
from isamap_smt.ir.kernel import Axis

# Measured on an Intel core with AVX-512, with its vectors and with those of AVX2.
TESTED_CYCLES = 0.5  # for each test whose answer can change at every step
STEADY_CYCLES = 1.5  # for one that has the same answer all through the innermost loop
FEW = 4  # of those compilers take out of that loop, and then they cost nothing
LEFT_OUT_CYCLES = 0.5  # for each execution that is not made
COPIED_CYCLES = 0.3  # for each byte of a window
CHECKED_CYCLES = 0.1  # for each byte of another factor that every call looks at, as zeros ask for finite ones
LONG = 16  # steps of a reduction from which on its border is asked for step by step
COUNTED = 1 << 22  # points of a few axes that are counted one by one; of more, none is said to be excluded


@dataclass(frozen=True)
class PeeledBoundary:
    """guards: tests of the executions at the boundary. slack: non-negative only if a whole register tile needs no test;
    None if no tile is known to need none. stepwise: each step of the reduction asks whether the tile lies inside or
    outside.
    masks: relations that change along lanes and leave a prefix of them; the loads cut these. beyond: the value of a
    masked load in all other lanes, so executions need no test of them."""

    guards: tuple[Any, ...]
    slack: Any
    stepwise: bool = False
    masks: tuple[Any, ...] = ()
    beyond: str = ZERO

    @property
    def relations(self) -> tuple[Any, ...]:
        """All relations of a valid point: guards, then masks."""
        return (*self.guards, *self.masks)


def boundary_of(nest: Nest, guards: tuple[Any, ...], operand: str = "") -> PeeledBoundary | None:
    """The boundary to test. Returns None if lanes of a load differ and no mask cuts those of this operand. Relations
    that are not affine are tested everywhere."""
    moving = moving_axes(nest)
    masks = tuple(g for g in guards if symbols_of([g]) & moving)
    beyond = beyond_for(nest.statement)
    if masks and not (operand and beyond and _leave_first_lanes(nest, operand, masks)):
        return None
    tested = tuple(g for g in guards if g not in masks)
    starts = _starts(nest)
    slack = _least_slack(nest, guards, starts)
    found = PeeledBoundary(tested, None, False, masks, beyond if masks else ZERO)
    if slack is None:
        return found
    share = _share_at_the_boundary(nest, slack, starts) if _counted(nest, slack, starts) else 0.0
    stepwise = share > 0.5 and _steps(nest, guards) >= (2 if masks else LONG)
    none = share == 1 or stepwise
    at = {starts[a].name: _start(nest, a) for a in nest.axes}
    return replace(found, slack=None if none else substitute(slack, at), stepwise=stepwise)


def _leave_first_lanes(nest: Nest, operand: str, masks: tuple[Any, ...]) -> bool:
    """Whether each mask leaves a prefix of the operand's lanes, along the only lane axis on which its elements depend."""
    relevant = nest.relevant(operand)
    lanes = [x for x in nest.lanes(operand) if nest.axis_of_lane(x).name in relevant and nest.axis_of_lane(x).leaf != 1]
    values = {a: nest.value(a) for a in nest.axes}
    return len(lanes) == 1 and lanes_left(nest, masks, lanes[0], values) is not None


def lanes_left(nest: Nest, relations: tuple[Any, ...], lane: str, values: Dict[str, Any]) -> tuple[Any, ...] | None:
    """For each relation that depends on the lane: how many first lanes it leaves. None if they are no prefix.

    values: of the program axes, at lane 0. A count may be negative, or larger than the number of lanes.
    """
    axis = nest.axis_of_lane(lane).name
    point = nest.point({**values, axis: values[axis] + sym(lane)})
    found = []
    for g in (substitute(g, point) for g in relations):
        if lane not in symbols_of([g]):
            continue
        room = slack_of(g)
        end = None if room is None else fails_from(room, lane)
        if end is None:
            return None
        found.append(end)
    return tuple(found)


def _steps(nest: Nest, guards: tuple[Any, ...]) -> int:
    """Number of reduction steps along which the guards change; 0 if it is not known."""
    moving = {n for n, a in nest.axes.items() if a.reduction and set(a.members) & symbols_of(guards)}
    inner = [n for n in range(nest.accumulate, len(nest.loops)) if nest.loops[n].axis in moving]
    trips = [most_trips(nest, n) for n in inner]
    return prod(map(int, trips)) if trips and all(map(is_constant, trips)) else 0


def moving_axes(nest: Nest) -> set[str]:
    """The kernel's axes that differ between the lanes of an execution."""
    return {m for a in nest.axes.values() if a.leaf != 1 for m in a.members}


def window_costs_more(nest: Nest, operand: str, boundary: PeeledBoundary, window: int, checked: int = 0) -> bool:
    """Whether a padded copy of `window` bytes takes longer than the tests. False if that depends on open sizes.
    checked: bytes of other factors that each call would look at."""
    starts = _starts(nest)
    slack = _least_slack(nest, boundary.guards, starts)
    if not _counted(nest, slack, starts):
        return False
    share = 1.0 if slack is None else _share_at_the_boundary(nest, slack, starts)
    return _cycles(nest, operand, boundary, share) <= window * COPIED_CYCLES + checked * CHECKED_CYCLES


def _starts(nest: Nest) -> dict[str, Any]:
    return {a: sym(f"start of {a}") for a in nest.axes}


def _counted(nest: Nest, slack: Any, starts: dict[str, Any]) -> bool:
    """Whether the tiles at the boundary can be counted."""
    fixed = all(is_constant(a.extent) and is_constant(a.leaf) for a in nest.axes.values())
    return fixed and not symbols_of([slack or 0]) - {x.name for x in starts.values()}


def rows_of(nest: Nest, operand: str) -> dict[str, Any]:
    """Program axes with several of the operand's registers in a tile, each with its counting variable.

    Axes with few registers come first, since a test of one of their rows serves all rows of the others.
    """
    several = [a for a in (nest.relevant(operand) if operand else nest.axes) if nest.units(a) > 1]
    return {a: sym(f"{plain_name(a)}_u") for a in sorted(several, key=nest.units)}


def tests(nest: Nest, operand: str, guards: tuple[Any, ...]) -> tuple[Any, ...]:
    """The open relations under which an execution's points belong to the kernel, over loops and the operand's rows.

    If no operand is named, they hold for all rows of a tile.
    """
    rows = rows_of(nest, operand)
    values = {a: nest.value(a, rows.get(a, 0)) for a in nest.axes}
    cut = [a for a in rows if nest.axes[a].leaf == 1 and nest.has_tail(a)]
    point = nest.point(values)
    relations = [
        *(substitute(g, point) for g in guards),
        *(sp.Lt(values[a], nest.axes[a].extent) for a in cut),
    ]
    every = (*_ranges(nest), *(Axis(v.name, sp.Integer(nest.units(a))) for a, v in rows.items()))
    return tuple(r for r in relations if not always_true(r, every))


def _ranges(nest: Nest) -> tuple[Axis, ...]:
    return tuple(Axis(x.var.name, most_trips(nest, n)) for n, x in enumerate(nest.loops))


def _start(nest: Nest, axis: str) -> Any:
    """The first point of an axis in one visit of the accumulators."""
    own = [
        x for n, x in enumerate(nest.loops) if x.axis == axis and (n < nest.accumulate or not nest.axes[axis].reduction)
    ]
    return sp.Add(*[x.step * x.var for x in own])


def _least_slack(nest: Nest, guards: tuple[Any, ...], starts: dict[str, Any]) -> Any | None:
    """A bound that is non-negative only if all relations hold at every point of a register tile and of the reduction
    inside it, and all its rows lie within the extents. None if a relation is not affine in the program's axes."""
    inside = tuple(Axis(f"point of {a}", sp.sympify(_points(nest, a))) for a in nest.axes)
    inside += tuple(Axis(f"lane of {a}", sp.sympify(x.leaf)) for a, x in nest.axes.items())
    point = nest.point(
        {a: starts[a] + x.leaf * sym(f"point of {a}") + sym(f"lane of {a}") for a, x in nest.axes.items()}
    )
    slacks: list[Any] = []
    for g in guards:
        slack = slack_of(g)
        least = None if slack is None else extreme(substitute(slack, point), inside, largest=False)
        if least is None:
            return None
        slacks.append(least)
    cut = [a for a, x in nest.axes.items() if not x.reduction and x.leaf == 1 and nest.has_tail(a)]
    return smallest(*slacks, *(nest.axes[a].extent - starts[a] - nest.tile(a) for a in cut))


def _points(nest: Nest, axis: str) -> Any:
    """Executions along an axis during one visit of the accumulators, at most."""
    if not nest.axes[axis].reduction:
        return sp.Integer(nest.units(axis))
    extent, leaf = sp.sympify(nest.axes[axis].extent), nest.axes[axis].leaf
    around = [sp.sympify(x.step) for x in nest.loops[: nest.accumulate] if x.axis == axis]
    if around:
        return ceil_div(IMin(around[-1], sp.sympify(extent)) if is_constant(extent) else around[-1], leaf)
    return ceil_div(extent, leaf)


def _leap(nest: Nest, axis: str) -> int:
    """From one visit of the accumulators to the next along an axis, in points."""
    return int(_points(nest, axis)) * nest.axes[axis].leaf


def _cycles(nest: Nest, operand: str, boundary: PeeledBoundary, share: float) -> float:
    """Cycles that tests cost beyond executing all points, for a `share` of tiles at the boundary; negative if the
    skipped executions would take longer."""
    executions = prod(-(-int(a.extent) // a.leaf) for a in nest.axes.values())
    visits = share * executions / prod(nest.units(a) for a in nest.axes)
    tested = visits * _testing(nest, operand, boundary)
    return tested - _excluded(nest, boundary.guards) * executions * LEFT_OUT_CYCLES


def _testing(nest: Nest, operand: str, boundary: PeeledBoundary) -> float:
    """Cycles per step for row tests left open by the loops' ranges. One test serves all rows along later axes."""
    rows = rows_of(nest, operand)
    last = nest.loops[-1].var.name if nest.loops else ""
    steady = bool(nest.loops) and most_trips(nest, len(nest.loops) - 1) != 1
    moving = same = 0
    for r in tests(nest, operand, boundary.guards):
        own = [a for a, v in rows.items() if v.name in symbols_of([r])]
        if not own:
            continue
        before = [a for a in list(rows)[: list(rows).index(own[-1])] if a not in own]
        places = product(*(range(nest.units(a)) for a in own))
        at = ({rows[a].name: sp.Integer(k) for a, k in zip(own, place, strict=True)} for place in places)
        count = sum(not always_true(substitute(r, p), _ranges(nest)) for p in at) * prod(map(nest.units, before))
        if steady and last not in symbols_of([r]):
            same += count
        else:
            moving += count
    return moving * TESTED_CYCLES + (same * STEADY_CYCLES if same > FEW else 0.0)


def _excluded(nest: Nest, guards: tuple[Any, ...]) -> float:
    """The share of the domain's points excluded by a guard."""
    groups: list[tuple[set[str], list[Any]]] = []  # guards that speak of the same axes
    names = {a.name for a in nest.statement.axes}
    for g in guards:
        own = symbols_of([g]) & names
        same = [x for x in groups if x[0] & own]
        groups = [x for x in groups if not x[0] & own]
        groups.append((own.union(*(x[0] for x in same)), [g, *(h for x in same for h in x[1])]))
    kept = 1.0
    for axes, relations in groups:
        extents = [int(nest.statement.axis(a).extent) for a in sorted(axes)]
        if prod(extents) > COUNTED:
            continue
        grids = np.meshgrid(*map(np.arange, extents), indexing="ij")
        point = dict(zip(sorted(axes), grids, strict=True))
        held = [_held(g, point) for g in relations]
        kept *= float(np.broadcast_to(np.logical_and.reduce(held), extents).mean())
    return 1 - kept


def _held(relation: Any, point: dict[str, Any]) -> Any:
    """The relation's truth at each point."""
    room = slack_of(relation)
    if room is not None:
        return np.asarray(evaluate(sp.expand(room), point)) >= 0
    same = np.asarray(evaluate(relation.lhs, point)) == np.asarray(evaluate(relation.rhs, point))
    return same if isinstance(relation, sp.Eq) else ~same


def _share_at_the_boundary(nest: Nest, slack: Any, starts: dict[str, Any]) -> float:
    """The share of register tiles at or across the boundary."""
    names = sorted(symbols_of([slack]))
    axes = {starts[a].name: a for a in nest.axes}
    steps = [range(0, int(nest.axes[axes[n]].extent), _leap(nest, axes[n])) for n in names]
    grids = np.meshgrid(*map(np.array, steps), indexing="ij") if names else []
    found = np.asarray(evaluate(slack, dict(zip(names, grids, strict=True))))
    return float((found < 0).mean())


# ---- Elements of the output that the kernel's guard leaves out: never loaded or stored, and tiles of them alone are passed by.
#
#     S[q,k] += Q[q,d] * K[k,d] where k <= q
#
# An element of the output decides such a guard by itself. So no operand needs padding: a value computed for a cell without an
# element goes nowhere. Along a vector's lanes a guard must leave the first ones: masks can cut only the others.


def left_out(nest: Nest) -> tuple[Any, ...]:
    """The guard's relations that the output's element alone decides and that can fail."""
    return decided_by_output(nest.statement)


def at_cells(nest: Nest, values: Dict[str, Any]) -> tuple[Any, ...]:
    """The relations of left_out() at these values of the program axes."""
    point = nest.point(dict(values))
    return tuple(substitute(g, point) for g in left_out(nest))


def moved_lanes(nest: Nest, output: str) -> tuple[str, ...]:
    """The output's lanes that change one of the relations."""
    lanes = nest.lanes(output)
    found = symbols_of(at_cells(nest, _cells(nest, lanes)))
    return tuple(x for x in lanes if x in found)


def first_lanes(nest: Nest, lane: str, values: Dict[str, Any]) -> tuple[Any, ...] | None:
    """For each left-out relation that depends on the lane: how many first lanes it leaves. None if they are no prefix.

    values: of the program axes, at lane 0. A count may be negative, or larger than the number of lanes.
    """
    return lanes_left(nest, left_out(nest), lane, values)


def whole_and_some(nest: Nest, relations: tuple[Any, ...]) -> tuple[Any, Any] | None:
    """(whole, some) of a register tile: non-negative if all relations hold at every point, or each at some point.

    None if a relation is not affine along the tile.
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
