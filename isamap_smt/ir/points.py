"""Number of points of a statement: of the box of its axes, and of those its guard keeps. Sizes must be known.

Relations without a common axis are counted apart, and the counts multiply: for the padding of a convolution, those over
p, r and those over q, s. Among axes joined by relations, one axis is not walked if all relations are affine in it: at
each point of the others the relations leave an interval of it. Other relations are evaluated at every point, a part at
a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
import sympy as sp

from isamap_smt.ir.boxes import slack
from isamap_smt.ir.expr import affine, evaluate, symbols_of
from isamap_smt.ir.kernel import Kernel, Statement

Extents = tuple[tuple[str, int], ...]
AT_ONCE = 1 << 20  # points evaluated together


def box(s: Statement) -> int:
    """Points of the box of its axes."""
    return prod(n for _, n in _extents(s))


def kept(s: Statement) -> int:
    """Points of the box satisfying every relation of the guard.

    >>> from isamap_smt.language import kernel
    >>> k = kernel("Y[i,j] = X[i,j] where j <= i").with_sizes({"i": 100_000, "j": 100_000})
    >>> kept(k.statements[0]), box(k.statements[0])
    (5000050000, 10000000000)
    """
    return counted(_extents(s), s.guard)


def computed(kernel: Kernel) -> int:
    """Points of all statements kept by their guards."""
    return sum(map(kept, kernel.statements))


def _extents(s: Statement) -> Extents:
    return tuple((a.name, max(0, int(a.extent))) for a in s.axes)


@lru_cache(maxsize=256)
def counted(extents: Extents, guard: tuple[Any, ...]) -> int:
    """Points of a box satisfying every relation."""
    total = prod(n for _, n in extents)
    for names, relations in _joined([n for n, _ in extents], guard):
        own = {n: e for n, e in extents if n in names}
        if (boxed := prod(own.values())) == 0:
            return 0
        total = total // boxed * _together(own, relations)
    return total


def _joined(names: Sequence[str], guard: Sequence[Any]) -> list[tuple[set[str], list[Any]]]:
    """The relations in groups without a common axis, each with its axes."""
    groups: list[tuple[set[str], list[Any]]] = []
    for g in guard:
        mine = symbols_of([g]) & set(names)
        met = [x for x in groups if x[0] & mine]
        groups = [x for x in groups if not x[0] & mine]
        groups.append((mine.union(*(x[0] for x in met)), [*(r for x in met for r in x[1]), g]))
    return groups


def _together(extents: dict[str, int], relations: Sequence[Any]) -> int:
    """Points of these axes satisfying all relations."""
    for name in sorted(extents, key=lambda n: -extents[n]):
        steps = [_step(g, name) for g in relations]
        if None not in steps:
            rest = {n: e for n, e in extents.items() if n != name}
            bounds = [(step, at) for found in steps if found is not None for step, at in found]
            return sum(_interval(extents[name], bounds, env, size) for env, size in all_points(rest))
    return sum(_holding(relations, env, size) for env, size in all_points(extents))


def _step(relation: Any, name: str) -> list[tuple[int, Any]] | None:
    """[(c, rest)]: the relation holds if c * name + rest >= 0 for each. None if it is not such a relation."""
    equal = isinstance(relation, sp.Eq)
    room = relation.lhs - relation.rhs if equal else slack(relation)
    parts = None if room is None else affine(room, [name])
    step = sp.S.Zero if parts is None else parts[0].get(name, sp.S.Zero)
    if parts is None or not step.is_Integer:
        return None
    found = [(int(step), parts[1])]
    return [*found, (-int(step), -parts[1])] if equal else found


def _interval(extent: int, bounds: Sequence[tuple[int, Any]], env: dict[str, Any], size: int) -> int:
    """The number of points of an axis left by all bounds, added up over the points of the others."""
    low, high = np.zeros(size, np.int64), np.full(size, extent - 1, np.int64)
    for step, rest in bounds:
        at = np.broadcast_to(np.asarray(evaluate(rest, env), np.int64), low.shape)
        if step > 0:
            low = np.maximum(low, -(at // step))
        elif step < 0:
            high = np.minimum(high, at // -step)
        else:
            high = np.where(at >= 0, high, -1)
    return int(np.maximum(high - low + 1, 0).sum())


def _holding(relations: Sequence[Any], env: dict[str, Any], size: int) -> int:
    held = np.ones(size, bool)
    for g in relations:
        held &= np.broadcast_to(np.asarray(evaluate(g, env), bool), held.shape)
    return int(held.sum())


def all_points(extents: dict[str, int]) -> Iterator[tuple[dict[str, Any], int]]:
    """The values of the axes at all points, and their number, a part at a time."""
    total = prod(extents.values())
    for start in range(0, total, AT_ONCE):
        ids = np.arange(start, min(start + AT_ONCE, total))
        values = np.unravel_index(ids, tuple(extents.values())) if extents else ()
        yield dict(zip(extents, values, strict=True)), len(ids)
