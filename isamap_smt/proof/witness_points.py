"""Small instances of a mapping on plain integers: the points searched for a counterexample.

Nearly every wrong mapping is wrong at sizes 1 and 2; sizes just above an instruction axis follow.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from collections.abc import Mapping as Dict
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from isamap_encodings.verdict import Refuted, Verdict
from isamap_smt.ir.expr import evaluate
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.reach import possible_sizes, size_conditions

Arrays = dict[str, np.ndarray]
LIMIT = 60_000  # points looked at for one vector of sizes
MOST = 1 << 62  # of a label


def size_vectors(mapping: Mapping) -> list[dict[str, int]]:
    """Values for every free size and parameter, in the order of tries: all 2, then variations, then larger.

    Only sizes at which the declared shapes hold every element read.
    """
    if not size_conditions(mapping.kernel):
        return _varied(mapping)
    found = (_lifted(mapping.kernel, v) for v in _varied(mapping))
    return list({tuple(v.items()): v for v in found if possible_sizes(mapping.kernel, v)}.values())


def _lifted(kernel: Kernel, sizes: dict[str, int]) -> dict[str, int]:
    """The vector, with sizes raised to the lower bounds set by others."""
    for c in size_conditions(kernel):
        if c.op == ">=" and c.left.is_Symbol and c.left.name in sizes:
            sizes = {**sizes, c.left.name: max(sizes[c.left.name], int(evaluate(c.right, sizes)))}
    return sizes


def _varied(mapping: Mapping) -> list[dict[str, int]]:
    kernel = mapping.kernel
    lows = {p.name: p.low for p in kernel.parameters}
    sizes = [n for n in kernel.free_sizes if n not in lows]
    free = [n for n in kernel.free_sizes if n in lows]
    result: list[dict[str, int]] = []

    def add(value: Dict[str, int], shift: int) -> None:
        vector = {**value, **{p: lows[p] + shift for p in free}}
        if vector not in result:
            result.append(vector)

    for shift in (0, 1):
        add(dict.fromkeys(sizes, 2), shift)
    for s in sizes:
        add({**dict.fromkeys(sizes, 1), s: 2}, 0)
    for shift in (0, 1):
        add(dict.fromkeys(sizes, 3), shift)
        add({s: 1 + k % 3 for k, s in enumerate(sizes)}, shift)
    for n in sorted(set(mapping.instruction.axes.values())):
        for s in sizes:
            add({**dict.fromkeys(sizes, 1), s: n + 1}, 0)
    for n in sorted(set(mapping.instruction.axes.values())):
        for s in sizes:  # more than one tile, and what lies beside it
            add({**dict.fromkeys(sizes, 2), s: n + 1}, 0)
            for one in (p for p in free if lows[p] == 0):  # a padding at the far end
                result.append({**dict.fromkeys(sizes, 1), s: n + 1, **{p: lows[p] + (p == one) for p in free}})
    for one in free if len(free) > 1 else ():  # what one stride or one padding alone makes wrong
        for value in (2, 3):
            raised = {p: lows[p] + (p == one) for p in free}
            result.append({**dict.fromkeys(sizes, value), **raised})
    return result


def sampled(extent: int, around: tuple[int, ...], count: int) -> np.ndarray:
    """Up to `count` values in [0, extent): all if they fit, else those near 0, the end and the instruction's sizes."""
    if extent <= count:
        return np.arange(max(extent, 0))
    wanted = [0, 1, 2, extent - 1, *(v for n in around for v in (n, n - 1, n + 1)), 3, 4, 5, extent - 2]
    chosen = list(dict.fromkeys(v for v in wanted if 0 <= v < extent))[:count]
    return np.array(sorted(chosen))


def grid(extents: Dict[str, int], around: tuple[int, ...], limit: int = LIMIT) -> Arrays:
    """All points of a box, or a sample of at most `limit`; one array per name, lexicographic order."""
    if any(e <= 0 for e in extents.values()):
        return {n: np.zeros(0, np.int64) for n in extents}
    count = max(extents.values(), default=1)
    while count > 2 and np.prod([float(min(e, count)) for e in extents.values()]) > limit:
        count -= max(1, count // 4)
    axes = [sampled(e, around, count) for e in extents.values()]
    total = int(np.prod([len(a) for a in axes])) if axes else 1
    if not axes:
        return {"": np.zeros(1, np.int64)}
    if total > limit * 8:
        return {n: np.zeros(0, np.int64) for n in extents}
    values = np.meshgrid(*axes, indexing="ij")
    return {n: v.reshape(-1).astype(np.int64) for n, v in zip(extents, values, strict=True)}


def broadcast(value: Any, like: Arrays) -> np.ndarray:
    """The value as an array as long as the points."""
    n = len(next(iter(like.values())))
    return np.broadcast_to(np.asarray(value), (n,))


@dataclass(frozen=True)
class Instance:
    """One mapping at one vector of sizes. `fused`: the inverse is known to be right, so points come through it.

    only: the kernel points and the (outer, instruction) points to look at; by default all, or a sample of many.
    """

    mapping: Mapping
    sizes: Dict[str, int]
    fused: bool
    only: tuple[Arrays, Arrays] | None = None

    @property
    def _around(self) -> tuple[int, ...]:
        return tuple(sorted(set(self.mapping.instruction.axes.values())))

    def _env(self, points: Arrays) -> dict[str, Any]:
        return {**self.sizes, **points}

    @cached_property
    def extents(self) -> dict[str, int]:
        """Kernel axis -> points at these sizes."""
        return {a.name: int(evaluate(a.extent, self.sizes)) for a in self.mapping.statement.axes}

    @cached_property
    def outer(self) -> dict[str, int]:
        """Outer axis -> iterations at these sizes."""
        return {a.name: int(evaluate(a.extent, self.sizes)) for a in self.mapping.outer}

    @cached_property
    def domain(self) -> Arrays:
        """Points of the kernel's domain (a sample of a large one)."""
        points = self._points(self.extents, 0)
        return self._where(points, self.mapping.statement.guard)

    def _points(self, box: dict[str, int], which: int) -> Arrays:
        """The points of the box, or the chosen ones among them."""
        if self.only is None:
            return grid(box, self._around)
        chosen = self.only[which]
        if not chosen:
            return grid({}, ())
        keep = np.all([(v >= 0) & (v < box[n]) for n, v in chosen.items()], axis=0)
        return {n: v[keep] for n, v in chosen.items()}

    def _where(self, points: Arrays, relations: Any) -> Arrays:
        keep = self.holds(points, relations)
        return {n: v[keep] for n, v in points.items()}

    def holds(self, points: Arrays, relations: Any) -> np.ndarray:
        """Elementwise: do all relations hold at the point?"""
        keep = broadcast(True, points)
        for g in relations:
            keep = keep & broadcast(evaluate(g, self._env(points)), points)
        return keep

    @cached_property
    def everything(self) -> Arrays:
        """(outer, instruction point) in range, guarded or not (a sample of a large box)."""
        box = {**self.outer, **self.mapping.instruction.axes}
        return self._points(box, 1)

    @cached_property
    def lanes(self) -> Arrays:
        """Guarded (outer, instruction point); of a fuse mapping those of the domain's points."""
        if self.fused:
            return self.at(self.domain, dict(self.mapping.inverse))
        return self._where(self.everything, self.mapping.guard)

    def at(self, points: Arrays, table: Dict[str, Any]) -> Arrays:
        """Every expression of the table at every point; of an empty table as many rows, under no name.

        (A kernel without axes has one point, computed by every lane.)
        """
        env = self._env(points)
        return {n: broadcast(evaluate(e, env), points) for n, e in table.items()} or {"": broadcast(0, points)}

    @cached_property
    def images(self) -> Arrays:
        """Kernel point of every lane, in the lanes' order."""
        if self.fused:
            return self.domain
        return self.at(self.lanes, dict(self.mapping.forward))

    def coordinates(self, operand: str) -> list[np.ndarray]:
        """Tensor coordinates of the operand's element at every lane."""
        env = self._env(self.images)
        access = self.mapping.operand_access(operand)
        return [broadcast(evaluate(i, env), self.images) for i in access.index]

    def cells(self, operand: str, points: Arrays | None = None) -> list[np.ndarray]:
        """Cell indices of the operand at every lane (or at the given points)."""
        points = self.lanes if points is None else points
        return [broadcast(evaluate(i, self._env(points)), points) for i in self.mapping.cells(operand)]

    def execution(self, points: Arrays | None = None) -> list[np.ndarray]:
        """The outer indices of every lane (or of the given points)."""
        points = self.lanes if points is None else points
        return [points[n] for n in self.outer]


def at_model(mapping: Mapping, fused: bool, verdict: Verdict) -> tuple[Instance, ...]:
    """Instances for a solver's counterexample on integers: at its very points, then elsewhere at its sizes."""
    if not isinstance(verdict, Refuted):
        return ()
    lows = {p.name: p.low for p in mapping.kernel.parameters}
    values = verdict.witness
    sizes = {n: int(values.get(n, lows.get(n, 1))) for n in mapping.kernel.free_sizes}
    axes = [a.name for a in mapping.statement.axes]
    lanes = [*(a.name for a in mapping.outer), *mapping.instruction.axes]
    marks = sorted({n[n.index("'") :] if "'" in n else "" for n in values} | {""})

    def rows(names: Sequence[str]) -> dict[str, np.ndarray]:
        return {n: np.array([int(values.get(n + m, values.get(n, 0))) for m in marks], np.int64) for n in names}

    if not possible_sizes(mapping.kernel, sizes):  # in its linear form a question forgets what products are
        return ()
    there = Instance(mapping, sizes, fused, (rows(axes), rows(lanes)))
    return (there, Instance(mapping, sizes, fused))


def label(columns: list[np.ndarray], length: int) -> np.ndarray:
    """One integer per row, equal exactly for equal rows, and in their order."""
    result = np.zeros(length, np.int64)
    if not length:
        return result
    below = 1  # of every result
    for c in columns:
        least = int(c.min())
        width = int(c.max()) - least + 1
        if below * width > MOST:
            result, c = _ranks(result), _ranks(c)  # noqa: PLW2901
            least, below, width = 0, int(result.max()) + 1, int(c.max()) + 1
        result = result * width + (c.reshape(-1) - least)
        below *= width
    return result


def _ranks(values: np.ndarray) -> np.ndarray:
    """The rank of each value among the distinct values."""
    return np.unique(values, return_inverse=True)[1].reshape(-1)


def smaller(sizes: Dict[str, int], lows: Dict[str, int]) -> Iterator[dict[str, int]]:
    """Vectors with one size lowered, lowest first."""
    for name, value in sizes.items():
        for v in itertools.takewhile(lambda v, top=value: v < top, itertools.count(lows.get(name, 1))):  # type: ignore[misc]
            yield {**sizes, name: v}
