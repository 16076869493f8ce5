"""Padding without a copy: tiles inside the image read it as it is, tiles at its border test each load.

    if (the whole register tile, at every point of its reduction, lies inside) { loads } else { tested loads }

A tested load reads the tensor where the kernel's guard holds and a zero where it does not. That needs a guard which all
lanes of a load share, and one test that decides a tile. It pays where few tiles lie at the border or an element is used
a few times only, as in depthwise convolution; elsewhere a copy with its padding written out costs less.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import sympy as sp

from isamap_smt.codegen.nest import Nest
from isamap_smt.ir.boxes import slack
from isamap_smt.ir.expr import IMin, affine, ceil_div, evaluate, is_constant, substitute, sym, symbols_of

# Measured on Zen 3 (AVX2): what a border tile takes beyond one inside, and copying a window that lies in the third cache.
TESTED_CYCLES = 1.0  # for each execution
COPIED_CYCLES = 0.1  # for each byte of the window


@dataclass(frozen=True)
class Border:
    """guards: what each load at the border tests. room: not negative only where a whole register tile needs no test."""

    guards: tuple[Any, ...]
    room: Any

    def room_at(self, point: dict[str, Any]) -> Any:
        """Not negative just where the guards hold at the point."""
        return _smallest([sp.expand(slack(substitute(g, point))) for g in self.guards])


def border_of(nest: Nest, guards: tuple[Any, ...], window: int | None) -> Border | None:
    """The border to test instead of copying a window of so many bytes (None: there can be no copy).

    None where the copy costs less, where lanes differ, or where an extent that decides is not fixed.
    """
    moving = {m for a in nest.axes.values() if a.leaf > 1 for m in a.members}
    if symbols_of(guards) & moving:
        return None
    if window is not None and not all(is_constant(a.extent) for a in nest.axes.values()):
        return None
    starts = {a: sym(f"start of {a}") for a in nest.axes}
    room = _least_room(nest, guards, starts)
    if room is None or (window is not None and _tested(nest, room, starts) * TESTED_CYCLES > window * COPIED_CYCLES):
        return None
    return Border(guards, substitute(room, {starts[a].name: _start(nest, a) for a in nest.axes}))


def _start(nest: Nest, axis: str) -> Any:
    """The first point of an axis in one visit of the accumulators."""
    own = [
        x for n, x in enumerate(nest.loops) if x.axis == axis and (n < nest.accumulate or not nest.axes[axis].reduction)
    ]
    return sp.Add(*[x.step * x.var for x in own])


def _least_room(nest: Nest, guards: tuple[Any, ...], starts: dict[str, Any]) -> Any | None:
    """Not negative only where all relations hold at every point of a register tile and of the reduction inside it, and no
    row of the tile is beyond an extent. None where a relation is not affine in the program's axes."""
    most = {f"point of {a}": _points(nest, a) - 1 for a in nest.axes}
    point = nest.point({a: starts[a] + nest.axes[a].leaf * sym(f"point of {a}") for a in nest.axes})
    rooms: list[Any] = []
    for g in guards:
        room = slack(g)
        parts = None if room is None else affine(substitute(room, point), most)
        if parts is None or not all(c.is_Integer for c in parts[0].values()):
            return None
        rooms.append(sp.expand(sum((c * most[n] for n, c in parts[0].items() if c < 0), parts[1])))
    cut = [a for a, x in nest.axes.items() if not x.reduction and x.leaf == 1 and nest.has_tail(a)]
    return _smallest([*rooms, *(nest.axes[a].extent - starts[a] - nest.tile(a) for a in cut)])


def _points(nest: Nest, axis: str) -> Any:
    """Executions along an axis during one visit of the accumulators, at most."""
    if not nest.axes[axis].reduction:
        return sp.Integer(nest.units(axis))
    extent, leaf = sp.sympify(nest.axes[axis].extent), nest.axes[axis].leaf
    around = [sp.Integer(x.step) for x in nest.loops[: nest.accumulate] if x.axis == axis]
    if around:
        return ceil_div(sp.Min(around[-1], extent) if is_constant(extent) else around[-1], leaf)
    return ceil_div(extent, leaf)


def _leap(nest: Nest, axis: str) -> int:
    """From one visit of the accumulators to the next along an axis, in points."""
    return int(_points(nest, axis)) * nest.axes[axis].leaf


def _tested(nest: Nest, room: Any, starts: dict[str, Any]) -> float:
    """Executions in register tiles that lie at the border, or across it."""
    names = sorted(symbols_of([room]))
    axes = {starts[a].name: a for a in nest.axes}
    steps = [range(0, int(nest.axes[axes[n]].extent), _leap(nest, axes[n])) for n in names]
    grids = np.meshgrid(*map(np.array, steps), indexing="ij") if names else []
    found = np.asarray(evaluate(room, dict(zip(names, grids, strict=True))))
    share = float((found < 0).mean())
    return share * prod(-(-int(a.extent) // a.leaf) for a in nest.axes.values())


def _smallest(rooms: list[Any]) -> Any:
    least = rooms[0]
    for r in rooms[1:]:
        least = IMin(least, r)
    return least
