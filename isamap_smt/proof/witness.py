"""Counterexamples to claims 2 to 6, found on small instances, shrunk, and replayed on plain integers.

A finder answers with the rows of an instance. `replay` computes everything again from those few integers with the
mapping's own expressions, and only a finding that replays becomes a witness.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Mapping as Dict
from dataclasses import dataclass

import numpy as np

from isamap_smt.ir.expr import evaluate
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.reach import possible_sizes
from isamap_smt.proof.scalar_trees import accumulation
from isamap_smt.proof.witness_points import Arrays, Instance, broadcast, label, size_vectors, smaller


class ReplayError(AssertionError):
    """A witness fails on plain integers: a fault of the prover, never of the mapping."""


@dataclass(frozen=True)
class Point:
    """One lane of one execution. lane: instruction axis -> point; outer: loops; kernel: kernel axis -> value."""

    outer: Dict[str, int]
    lane: Dict[str, int]
    kernel: Dict[str, int]


@dataclass(frozen=True)
class Found:
    """A counterexample: the claim, its operand ('' if none), sizes, and one or more points of interest.

    reason: for coverage, the point's fault. outside: the lane axis or loop whose range the point needs to leave.
    """

    claim: str
    operand: str
    sizes: Dict[str, int]
    points: tuple[Point, ...]
    reason: str = ""
    outside: str = ""

    @property
    def values(self) -> dict[str, int]:
        """Everything as one table: sizes, and kernel axes of the points (' marks the second)."""
        table = dict(self.sizes)
        for k, p in enumerate(self.points):
            table.update({n + "'" * k: v for n, v in p.kernel.items()})
        return table


Finder = Callable[[Instance, str], Found | None]


def instances(mapping: Mapping, fused: bool) -> tuple[Instance, ...]:
    """The small instances searched for counterexamples, in order."""
    return tuple(Instance(mapping, sizes, fused) for sizes in size_vectors(mapping))


def overwrites(mapping: Mapping) -> bool:
    """Whether the statement replaces its element; `y = y + x` does not, it accumulates."""
    return accumulation(mapping.kernel, mapping.statement)[0] == "="


def first(mapping: Mapping, finder: Finder, operand: str, among: Sequence[Instance]) -> Found | None:
    """The first counterexample on the instances, replayed; None when there is none among them."""
    for instance in among:
        found = finder(instance, operand)
        if found is not None:
            replay(mapping, found)
            return found
    return None


def search(mapping: Mapping, finder: Finder, operand: str, among: Sequence[Instance]) -> Found | None:
    """The smallest counterexample on the instances, replayed; None when there is none among them."""
    found = first(mapping, finder, operand, among)
    return None if found is None else shrunk(mapping, finder, found, all(i.fused for i in among))


def shrunk(mapping: Mapping, finder: Finder, found: Found, fused: bool = True) -> Found:
    """A counterexample to the same claim, replayed, at sizes that cannot be lowered one at a time."""
    operand = found.operand
    lows = {p.name: p.low for p in mapping.kernel.parameters}
    improved = True
    while improved:
        improved = False
        for sizes in smaller(found.sizes, lows):
            if not possible_sizes(mapping.kernel, sizes):
                continue
            less = finder(Instance(mapping, sizes, fused), operand)
            if less is not None:
                found, improved = less, True
                break
    replay(mapping, found)
    return found


def _row(instance: Instance, points: Arrays, k: int, images: Arrays | None = None) -> Point:
    lane = {t: int(points[t][k]) for t in instance.mapping.instruction.axes}
    outer = {o: int(points[o][k]) for o in instance.outer}
    if images is not None:
        kernel = {a: int(v[k]) for a, v in images.items() if a}
    else:
        kernel = kernel_point(instance.mapping, instance.sizes, outer, lane)
    return Point(outer, lane, kernel)


def kernel_point(
    mapping: Mapping, sizes: Dict[str, int], outer: Dict[str, int], lane: Dict[str, int]
) -> dict[str, int]:
    """phi(o, t) on plain integers."""
    env = {**sizes, **outer, **lane}
    return {a: int(evaluate(e, env)) for a, e in mapping.forward}


def conflict(key: np.ndarray, value: np.ndarray, weight: np.ndarray) -> tuple[int, int] | None:
    """Two rows of equal key and different value, of least weight, or None. Keys and values are as label() makes them."""
    if not len(key) or _alike(key, value):
        return None
    order = np.lexsort((weight, key))  # stable: equal ones stay in their order
    k = key[order]
    start = np.concatenate(([True], k[1:] != k[:-1]))
    first = order[np.maximum.accumulate(np.where(start, np.arange(len(k)), 0))]
    differs = value[order] != value[first]
    if not differs.any():
        return None
    rows = np.nonzero(differs)[0]
    best = rows[np.argmin(weight[order][rows] + weight[first][rows])]
    return int(first[best]), int(order[best])


def _alike(key: np.ndarray, value: np.ndarray) -> bool:
    """Whether rows of equal key have equal values: most do.

    Rows of one key share a slot of a table; rows of other keys in the same slot are looked at again, with other slots.
    """
    factor = 0x9E3779B97F4A7C15
    while len(key):
        bits = max(4, 2 + len(key).bit_length())
        slot = (key.astype(np.uint64) * np.uint64(factor)) >> np.uint64(64 - bits)
        table = np.empty(1 << bits, np.int64)
        table[slot] = np.arange(len(key))
        one = table[slot]
        same = key[one] == key
        if (same & (value[one] != value)).any():
            return False
        key, value = key[~same], value[~same]
        factor = (factor + 0xD1B54A32D192ED02) % (1 << 64)  # it stays odd
    return True


def _weight(images: Arrays) -> np.ndarray:
    return np.sum([np.abs(v) for v in images.values()], axis=0)


def agreement(instance: Instance, operand: str) -> Found | None:
    """Two points of one execution with one cell of the operand and different elements."""
    lanes, n = instance.lanes, len(next(iter(instance.lanes.values())))
    key = label([*instance.execution(), *instance.cells(operand)], n)
    value = label(instance.coordinates(operand), n)
    return _pair(instance, "agreement", operand, lanes, key, value)


def exclusive(instance: Instance, operand: str) -> Found | None:
    """Two points of one execution with one output element and different cells."""
    lanes, n = instance.lanes, len(next(iter(instance.lanes.values())))
    key = label([*instance.execution(), *instance.coordinates(operand)], n)
    value = label(instance.cells(operand), n)
    return _pair(instance, "exclusive", operand, lanes, key, value)


def _pair(
    instance: Instance, claim: str, operand: str, lanes: Arrays, key: np.ndarray, value: np.ndarray
) -> Found | None:
    rows = conflict(key, value, _weight(instance.images))
    if rows is None:
        return None
    points = tuple(_row(instance, lanes, k, instance.images) for k in rows)
    return Found(claim, operand, instance.sizes, points)


def overwrite(instance: Instance, operand: str) -> Found | None:
    """Two points of the domain that write the same element with `=`."""
    n = len(next(iter(instance.images.values())))
    key = label(instance.coordinates(operand), n)
    own = label([v for a, v in instance.images.items() if a], n)
    rows = conflict(key, own, _weight(instance.images))
    if rows is None:
        return None
    points = tuple(_computed(instance, {a: int(v[k]) for a, v in instance.images.items() if a}) for k in rows)
    return Found("exclusive", operand, instance.sizes, points)


def _computed(instance: Instance, kernel: dict[str, int]) -> Point:
    """The point with its place under the mapping: outer loops and lanes."""
    env = {**instance.sizes, **kernel}
    there = {n: int(evaluate(e, env)) for n, e in instance.mapping.inverse}
    lanes = instance.mapping.instruction.axes
    return Point({n: v for n, v in there.items() if n not in lanes}, {t: there[t] for t in lanes}, kernel)


def bounds(instance: Instance, operand: str) -> Found | None:
    """A point whose element lies outside its tensor."""
    mapping = instance.mapping
    tensor = mapping.kernel.tensor(mapping.operand_access(operand).tensor)
    shape = [int(evaluate(e, instance.sizes)) for e in tensor.shape]
    bad = np.zeros(len(next(iter(instance.images.values()))), bool)
    for c, e in zip(instance.coordinates(operand), shape, strict=True):
        bad |= (c < 0) | (c >= e)
    if not bad.any():
        return None
    rows = np.nonzero(bad)[0]
    k = int(rows[np.argmin(_weight(instance.images)[rows])])
    return Found("bounds", operand, instance.sizes, (_row(instance, instance.lanes, k, instance.images),))


def coverage(instance: Instance, operand: str = "") -> Found | None:
    """A domain point that no lane computes, or a lane that computes none of its own."""
    return _unreached(instance) or _stray(instance)


def _unreached(instance: Instance) -> Found | None:
    m, domain = instance.mapping, instance.domain
    there = instance.at(domain, dict(m.inverse))
    ok = {n: np.ones(len(v), bool) for n, v in there.items()}
    for n, e in {**instance.outer, **m.instruction.axes}.items():
        ok[n] = (there[n] >= 0) & (there[n] < e)
    guarded = instance.holds(there, m.guard)
    back = instance.at(there, dict(m.forward))
    everywhere = broadcast(True, domain)  # what holds of no axes at all
    returns = np.all([everywhere, *(back[a] == domain[a] for a in domain if a)], axis=0)
    inside = np.all([everywhere, *ok.values()], axis=0)
    bad = ~(inside & guarded & returns)
    if not bad.any():
        return None
    rows = np.nonzero(bad)[0]
    k = int(rows[np.argmin(_weight(domain)[rows])])
    outside = [n for n, v in ok.items() if not v[k]]
    reason = "outside" if outside else "guarded away" if not guarded[k] else "not returned"
    lane = {t: int(there[t][k]) for t in m.instruction.axes}
    outer = {o: int(there[o][k]) for o in instance.outer}
    point = Point(outer, lane, {a: int(v[k]) for a, v in domain.items() if a})
    return Found("coverage", "", instance.sizes, (point,), reason, next(iter(outside), ""))


def _stray(instance: Instance) -> Found | None:
    m, lanes, images = instance.mapping, instance.lanes, instance.images
    inside = instance.holds(images, m.statement.guard)
    for a, e in instance.extents.items():
        inside = inside & (images[a] >= 0) & (images[a] < e)
    there = instance.at(images, dict(m.inverse))
    returns = np.all([broadcast(True, images), *(there[n] == lanes[n] for n in there if n)], axis=0)
    bad = ~(inside & returns)
    if not bad.any():
        return None
    k = int(np.nonzero(bad)[0][0])
    reason = "no kernel point" if not inside[k] else "another lane's point"
    return Found("coverage", "", instance.sizes, (_row(instance, lanes, k, images),), reason)


def neutral(live: tuple[str, ...]) -> Finder:
    """Finder of an unguarded point in the same output cell and the same cells of `live` as guarded points."""

    def find(instance: Instance, operand: str) -> Found | None:
        m, points = instance.mapping, instance.everything
        n = len(next(iter(points.values())))
        guarded = instance.holds(points, m.guard)
        bad = ~guarded
        for o in (operand, *live):
            key = label([*instance.execution(points), *instance.cells(o, points)], n)
            bad &= np.isin(key, np.unique(key[guarded]))
        if not bad.any():
            return None
        k = int(np.nonzero(bad)[0][0])
        key = label([*instance.execution(points), *instance.cells(operand, points)], n)
        other = int(np.nonzero(guarded & (key == key[k]))[0][0])
        rows = (_row(instance, points, k), _row(instance, points, other))
        return Found("neutral", operand, instance.sizes, rows)

    return find


def replay(mapping: Mapping, found: Found) -> None:
    """Check a counterexample from its integers alone. Raises ReplayError when it is none."""
    if not _holds(mapping, found):
        raise ReplayError(f"the witness against {found.claim} does not replay: {found}")


def _holds(m: Mapping, f: Found) -> bool:
    if not possible_sizes(m.kernel, f.sizes):
        return False
    envs = [{**f.sizes, **p.outer, **p.lane} for p in f.points]
    ranges = {a.name: a.extent for a in m.outer} | dict(m.instruction.axes)

    def inside(env: dict[str, int], guarded: bool = True) -> bool:
        box = all(0 <= env[n] < (e if isinstance(e, int) else evaluate(e, env)) for n, e in ranges.items())
        return bool(box and all(evaluate(g, env) for g in m.guard) == guarded)

    def cell(k: int) -> tuple[int, ...]:
        return tuple(int(evaluate(i, envs[k])) for i in m.cells(f.operand))

    def element(k: int) -> tuple[int, ...]:
        point = {**f.sizes, **{a: int(evaluate(e, envs[k])) for a, e in m.forward}}
        return tuple(int(evaluate(i, point)) for i in m.operand_access(f.operand).index)

    match f.claim:
        case "agreement" | "exclusive":
            same = f.points[0].outer == f.points[1].outer
            overwritten = f.claim == "exclusive" and overwrites(m)
            if not all(map(inside, envs)):
                return False
            if f.claim == "agreement":
                return same and cell(0) == cell(1) and element(0) != element(1)
            differ = cell(0) != cell(1) or (overwritten and envs[0] != envs[1])
            return (same or overwritten) and element(0) == element(1) and differ
        case "bounds":
            shape = m.kernel.tensor(m.operand_access(f.operand).tensor).shape
            outside = [not 0 <= c < evaluate(e, f.sizes) for c, e in zip(element(0), shape, strict=True)]
            return inside(envs[0]) and any(outside)
        case "coverage":
            return _coverage_fails(m, f, inside)
        case "neutral":
            same = f.points[0].outer == f.points[1].outer and cell(0) == cell(1)
            return same and inside(envs[0], guarded=False) and inside(envs[1])
    return False


def _coverage_fails(m: Mapping, f: Found, inside: Callable[[dict[str, int]], bool]) -> bool:
    p = f.points[0]
    env = {**f.sizes, **p.outer, **p.lane}
    point = {**f.sizes, **p.kernel}
    own = all(0 <= p.kernel[a.name] < evaluate(a.extent, f.sizes) for a in m.statement.axes)
    own = own and all(evaluate(g, point) for g in m.statement.guard)
    there = {n: int(evaluate(e, point)) for n, e in m.inverse}
    if f.reason in ("no kernel point", "another lane's point"):
        image = {a: int(evaluate(e, env)) for a, e in m.forward}
        returns = all(there[n] == env[n] for n in there)
        return inside(env) and image == dict(p.kernel) and not (own and returns)
    back = {a: int(evaluate(e, {**f.sizes, **there})) for a, e in m.forward}
    return own and not (inside({**f.sizes, **there}) and back == dict(p.kernel))


__all__ = [
    "Finder", "Found", "Point", "ReplayError", "agreement", "bounds", "coverage", "exclusive", "first", "instances", "neutral",
    "overwrite", "overwrites", "replay", "search",
]  # fmt: skip
