"""Lets an axis run only over the guard's range: then indices lie inside their tensors without the guard. Nothing here
is trusted: proof/rewrite_claims.py shows that both kernels compute the same.

    Y[j] = X[j-1] + X[j+1] where 1 <= j and j <= J - 2

    axis j_within < J - 2
    Y[j_within + 1] = X[j_within] + X[j_within + 2]

A load may leave out lanes at the end of a vector, and none at its beginning. One mask cannot serve two inputs shifted
against each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp

from isamap_smt.ir.boxes import extreme, slack
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import FloorDiv, affine, ceil_div, is_constant, smallest, substitute, sym, symbols_of
from isamap_smt.ir.kernel import Axis, Kernel, Statement
from isamap_smt.ir.rewrite import Piece, Rewrite
from isamap_smt.ir.rows import Bounded
from isamap_smt.mapping.substituted import in_place_of, new_name, over_other_axes

LARGE = 1000  # a size at which bounds are compared


@dataclass(frozen=True)
class _Run:
    """An axis over `extent` points from `low` on. guard: the remaining guard."""

    low: Any
    extent: Any
    guard: tuple[Any, ...]


def boundable(kernel: Kernel, statement: int) -> tuple[str, ...]:
    """The statement's axes with bounds in the guard, without which inputs would reach out of their tensors."""
    s, block = kernel.statements[statement], kernel.recurrence_of(statement)
    if not s.guard:
        return ()
    reaching = [
        symbols_of([i])
        for a in s.inputs
        for i, extent in zip(a.index, kernel.tensor(a.tensor).shape, strict=True)
        if not _inside(i, extent, s.axes)
    ]
    moved = {a.name for a in s.axes if any(a.name in axes for axes in reaching)} - {block.axis if block else ""}
    return tuple(a.name for a in s.axes if a.name in moved and _is_bounded(kernel, s, a.name))


def _is_bounded(kernel: Kernel, s: Statement, axis: str) -> bool:
    """Whether the guard bounds the axis. If a temporary's elements sum over it, it must also keep points at all sizes:
    their readers must find them begun."""
    run = _run(s, axis)
    begun = s.target.tensor in kernel.temporaries and axis in s.reduction_axes and not is_constant(run.extent)
    return run.guard != s.guard and not (begun and not _below(sp.S.One, run.extent))


def without_points(kernel: Kernel, statement: int) -> bool:
    """Whether the bounds leave an axis without points, so nothing is read."""
    extents = [_run(kernel.statements[statement], axis).extent for axis in boundable(kernel, statement)]
    return any(is_constant(n) and int(n) < 1 for n in extents)


def bound_axis(kernel: Kernel, axis: str, statement: int) -> Rewrite:
    """The kernel whose statement runs its axis only within single bounds of its guard. Raises ScheduleError if there
    are none, or no point is left."""
    s, run = kernel.statements[statement], _run(kernel.statements[statement], axis)
    if run.guard == s.guard or (is_constant(run.extent) and int(run.extent) < 1):
        raise ScheduleError(f"statement {statement + 1} of {kernel.name} has no guard within which {axis} could run")
    name = new_name(kernel, f"{axis}_within")
    point = sym(name) + run.low
    made = over_other_axes(s, axis, (Axis(name, run.extent),), point, run.guard)
    same = tuple((a.name, a.symbol) for a in s.axes if a.name != axis)
    piece = Piece(statement, (*same, (axis, point)), (*same, (name, sym(axis) - run.low)))
    return Rewrite(kernel, in_place_of(kernel, statement, (made,)), Bounded(statement, axis), (piece,))


def _run(s: Statement, axis: str) -> _Run:
    """From the largest lower bound known to be non-negative to the nearest of all ends; the guard keeps all other bounds."""
    bounds = {g: _bounds(g, axis, s.axes) for g in s.guard}
    lows = [first for first, _ in bounds.values() if first is not None and _below(sp.S.Zero, first)]
    low = max((sp.S.Zero, *lows), key=lambda n: _at(n, LARGE))
    ends: list[Any] = []
    for end in (sp.sympify(s.axis(axis).extent), *(last + 1 for _, last in bounds.values() if last is not None)):
        if not any(_below(e, end) for e in ends):
            ends = [*(e for e in ends if not _below(end, e)), end]
    kept = (g for g, (first, last) in bounds.items() if (not _below(first, low) if first is not None else last is None))
    return _Run(low, smallest(*(sp.expand(e - low) for e in ends)), tuple(kept))


def _below(a: Any, b: Any) -> bool:
    """Whether a <= b, judged by some values of their size; False if they have several sizes."""
    room = sp.expand(b - a)
    return len(symbols_of([room])) <= 1 and all(_at(room, n) >= 0 for n in (*range(1, 9), LARGE))


def _at(x: Any, size: int) -> Any:
    return substitute(x, dict.fromkeys(symbols_of([x]), size))


def _bounds(relation: Any, axis: str, axes: tuple[Axis, ...]) -> tuple[Any | None, Any | None]:
    """(least, largest) value of the axis at which a relation of it and sizes holds; None for no bound on this side."""
    if isinstance(relation, sp.Eq):
        (a, b), (c, d) = (_bounds(half(*relation.args, evaluate=False), axis, axes) for half in (sp.Ge, sp.Le))
        return (c if a is None else a), (d if b is None else b)
    room = slack(relation)
    parts = None if room is None else affine(room, [a.name for a in axes])
    moved = {} if parts is None else {a: c for a, c in parts[0].items() if c != 0}
    step = moved.get(axis)
    if parts is None or list(moved) != [axis] or step is None or not step.is_Integer:
        return None, None
    if step > 0:
        return sp.expand(ceil_div(-parts[1], step)), None
    return None, sp.expand(FloorDiv(parts[1], -step))


def _inside(index: Any, extent: Any, axes: tuple[Axis, ...]) -> bool:
    """Whether an index stays inside at every point of the axes, guard or none; True for an index that is not affine."""
    low, high = (extreme(sp.sympify(index), axes, largest) for largest in (False, True))
    if low is None or high is None:
        return True
    return all(room.is_Integer and room >= 0 for room in (low, sp.expand(extent - 1 - high)))


__all__ = ["bound_axis", "boundable", "without_points"]
