"""How copies and moves run: places in flat memory are worked out once per statement as far as loops do not change them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from isamap_smt.ir.addresses import Address
from isamap_smt.ir.compiled import integers, vectors
from isamap_smt.ir.expr import evaluate, symbols_of
from isamap_smt.ir.lanes import Cells
from isamap_smt.ir.machine import BOUNDS, LANES, Machine, Memory, Recent, Where, strides
from isamap_smt.ir.program import Copy, Use

Step = Callable[[Machine], None]
Vectors = list[np.ndarray]  # an index: one vector per dimension, one entry per lane
Own = tuple[Address, Vectors]


@dataclass(frozen=True)
class _Reach:
    """Places of lanes relative to that of a base index. low, high: the extreme entries of the index per dimension.

    where: the places as a slice, if they are one; placed: they lie as the place of the instruction's memory operand says.
    """

    where: slice | None
    offsets: np.ndarray
    low: tuple[int, ...]
    high: tuple[int, ...]
    placed: bool


@dataclass(frozen=True)
class _Chosen:
    """Which lanes move, and how many; key: a value that no other choice of this move has."""

    key: tuple[int, ...]
    lanes: slice | np.ndarray
    count: int


class _Operand:
    """An operand of a move. index: over loop variables and the instruction's axes; `points` has the axes' vectors.

    cells: further dimensions, constant per lane; own: how the lanes lie in the instruction's own memory operand, and its index.
    """

    def __init__(
        self, name: str, index: tuple[Any, ...], points: dict[str, np.ndarray], cells: tuple[np.ndarray, ...] = (),
        own: Own | None = None,
    ) -> None:  # fmt: skip
        self.name, self._own, self._cells = name, own, list(cells)
        self._points = {k: v for k, v in points.items() if k}
        self._lanes = len(points[""])
        split = [_split(i, set(self._points)) for i in index]
        known = [s for s in split if s is not None]
        self._fixed: Vectors | None = None
        if len(known) == len(split):
            self._fixed = [*(self._full(evaluate(varying, points)) for _, varying in known), *self._cells]
        base = [b for b, _ in known] if self._fixed is not None else [0] * len(index)
        self._base = integers((*base, *(0 for _ in cells)))
        self._index = vectors(index)
        self._reaches: dict[Any, _Reach] = {}
        self._known: Recent[Where] = Recent()

    def at(self, m: Machine, array: Memory, chosen: _Chosen, name: str = "") -> Where:
        """The places of the chosen lanes, checked. name: of an instruction whose place says how they lie."""
        base = self._base(m.env)
        if self._fixed is None:
            return self._checked(m, array, base, chosen, name)
        key = (array.shape, base, chosen.key)
        found = self._known.get(key)
        if found is None:
            before = len(m.findings)
            found = self._checked(m, array, base, chosen, name)
            if len(m.findings) == before:
                self._known.put(key, found)
        return found

    def _checked(self, m: Machine, array: Memory, base: tuple[int, ...], chosen: _Chosen, name: str) -> Where:
        m.check_rank(array, len(base))
        if chosen.count == 0:
            return slice(0, 0)
        reach = self._reach(m, array.shape, chosen)
        if name and not reach.placed:
            m.find(LANES, f"{name}: lanes do not lie as its place says in {array.name}")
        for b, n, low, high in zip(base, array.shape, reach.low, reach.high, strict=True):
            if b + low < 0 or b + high >= n:
                m.check_inside(array, [i[chosen.lanes] for i in self._vectors(m)])
        start = sum(b * s for b, s in zip(base, array.strides, strict=True))
        if reach.where is not None:
            return slice(start + reach.where.start, start + reach.where.stop)
        return reach.offsets + start

    def _reach(self, m: Machine, shape: tuple[int, ...], chosen: _Chosen) -> _Reach:
        if self._fixed is None:
            return _reach(self._vectors(m), shape, chosen, self._own)
        reach = self._reaches.get((shape, chosen.key))
        if reach is None:
            reach = self._reaches[shape, chosen.key] = _reach(self._fixed, shape, chosen, self._own)
        return reach

    def _vectors(self, m: Machine) -> Vectors:
        return [*map(self._full, self._index({**m.env, **self._points})), *self._cells]

    def _full(self, x: Any) -> np.ndarray:
        return np.broadcast_to(np.asarray(x), (self._lanes,))


def _split(e: Any, axes: set[str]) -> tuple[Any, Any] | None:
    """(what depends on no axis, what depends on axes only) when the expression is their sum."""
    if isinstance(e, int) or not symbols_of([e]) & axes:
        return e, 0
    base: list[Any] = []
    varying: list[Any] = []
    for p in e.args if e.is_Add else (e,):
        names = symbols_of([p])
        if names & axes and names - axes:
            return None
        (varying if names & axes else base).append(p)
    return sum(base[1:], base[0]) if base else 0, sum(varying[1:], varying[0])


def _reach(lanes: Vectors, shape: tuple[int, ...], chosen: _Chosen, own: Own | None) -> _Reach:
    at = [i[chosen.lanes] for i in lanes]
    offsets = _addresses(at, shape, chosen.count)
    first = int(offsets[0])
    plain = bool((offsets == first + np.arange(chosen.count)).all())
    apart = False
    if own is not None:
        address, index = own
        apart = bool((offsets - first != address.offsets([i[chosen.lanes] for i in index], offsets - first)).any())
    low, high = (tuple(int(f(i)) for i in at) for f in (np.min, np.max))
    return _Reach(slice(first, first + chosen.count) if plain else None, offsets, low, high, not apart)


def _addresses(at: Vectors, shape: tuple[int, ...], count: int) -> np.ndarray:
    """Row-major offsets in elements."""
    return sum((i * s for i, s in zip(at, strides(shape), strict=True)), np.zeros(count, int))


def move_step(node: Use) -> Step:
    """One move instruction."""
    i = node.instruction
    cells = Cells.of(i.kernel)
    statement, total, store = i.kernel.statements[0], len(cells.first), i.kind == "store"
    held = cells.read if store else cells.target
    register = _Operand(node.register.name, node.register.index, {"": cells.points[""]}, held)
    if node.memory is None:
        return _clear_step(register, total)
    if not store and not statement.inputs:
        return _no_memory_step(node)
    name, index = (statement.target.tensor, cells.target) if store else (statement.inputs[0].tensor, cells.read)
    memory = _Operand(node.memory.name, node.memory.index, cells.points, (), (i.address(name), list(index)))
    active = integers(node.active)
    extents = tuple(i.axes.values())[: len(node.active)]
    axes = tuple(cells.points[a] for a in list(i.axes)[: len(node.active)])
    every = _Chosen((), slice(0, total), total)
    known: dict[tuple[int, ...], _Chosen] = {}

    def choose(m: Machine) -> _Chosen:
        """The lanes below the active number of each axis that has one."""
        key = tuple(min(max(n, 0), most) for n, most in zip(active(m.env), extents, strict=True))
        if key not in known:
            lanes = np.flatnonzero(np.logical_and.reduce([at < n for at, n in zip(axes, key, strict=True)]))
            known[key] = _Chosen(
                key, slice(0, len(lanes)) if lanes.size == 0 or lanes[-1] < len(lanes) else lanes, len(lanes)
            )
        return known[key]

    def run(m: Machine) -> None:
        chosen = choose(m) if node.active else every
        lanes, array = m.memory[register.name], m.memory[memory.name]
        there = memory.at(m, array, chosen, i.short)
        if store:
            _carry(m, lanes, register.at(m, lanes, chosen), array, there, chosen, chosen.count)
        else:
            _carry(m, array, there, lanes, register.at(m, lanes, every), chosen, total)

    return run


def _no_memory_step(node: Use) -> Step:
    return lambda m: m.stop(BOUNDS, f"{node.instruction.short} has no memory operand and is given one")


def _clear_step(register: _Operand, total: int) -> Step:
    every = _Chosen((), slice(0, total), total)

    def run(m: Machine) -> None:
        lanes = m.memory[register.name]
        to = register.at(m, lanes, every)
        m.check_writable(lanes)
        lanes.put(to, 0, False)
        if m.parallel:
            m.note(lanes, to, True)

    return run


def _carry(m: Machine, src: Memory, start: Where, dst: Memory, to: Where, chosen: _Chosen, total: int) -> None:
    """The chosen elements and their poison from place to place; zeros for the rest of `total`."""
    if m.parallel:
        m.note(src, start, False)
    if dst.readonly and total:
        m.check_writable(dst)
    if chosen.count < total:
        values, poison = np.zeros(total, src.dtype.numpy), np.zeros(total, bool)
        values[chosen.lanes], poison[chosen.lanes] = src.data[start], src.mask[start]
        dst.put(to, values, poison)
    elif type(start) is slice and type(to) is slice:
        dst.data[to] = src.data[start]
        dst.poison[to] = src.poison[start]
    else:
        dst.put(to, src.data[start], src.mask[start])
    if m.parallel:
        m.note(dst, to, True)


def copy_step(node: Copy) -> Step:
    """One copy, all points at once."""
    box = grid_of(node.over)
    guard, source, target = vectors(node.guard), vectors(node.src.index), vectors(node.dst.index)
    fill = -0.0 if node.fill == "-0" else 0

    def run(m: Machine) -> None:
        points, count = box(m.env)
        env = {**m.env, **points}
        inside: Any = True
        for g in guard(env):
            inside = inside & g
        src, dst = m.memory[node.src.name], m.memory[node.dst.name]
        some, chosen, kept = _selected(env, points, inside, count)
        start = _places(m, src, source(some), kept)
        if m.parallel:
            m.note(src, start, False)
        values, poison = src.data[start], src.mask[start]
        if node.fill != "" and kept < count:
            values, poison = np.full(count, fill).astype(dst.dtype.numpy), np.zeros(count, bool)
            values[chosen], poison[chosen] = src.data[start], src.mask[start]
            some, kept = env, count
        to = _places(m, dst, target(some), kept)
        if kept and dst.readonly:
            m.check_writable(dst)
        dst.put(to, values, poison)
        if m.parallel:
            m.note(dst, to, True)

    return run


def _selected(
    env: dict[str, Any], points: dict[str, np.ndarray], inside: Any, count: int
) -> tuple[dict[str, Any], Any, int]:
    """The environment at the points where the guard holds, which they are, and how many."""
    if isinstance(inside, np.ndarray):
        kept = int(np.count_nonzero(inside))
        if kept < count:
            return {**env, **{k: v[inside] for k, v in points.items()}}, inside, kept
    elif not inside:
        return {**env, **{k: v[:0] for k, v in points.items()}}, slice(0, 0), 0
    return env, slice(None), count


def _places(m: Machine, array: Memory, index: tuple[Any, ...], count: int) -> np.ndarray:
    """Places of the points' elements, checked."""
    m.check_rank(array, len(index))
    total: Any = 0
    for i, n, s in zip(index, array.shape, array.strides, strict=True):
        bad = (i.min() < 0 or i.max() >= n) if isinstance(i, np.ndarray) and i.size else False
        if bad or (isinstance(i, int) and count and not 0 <= i < n):
            m.check_inside(array, [np.broadcast_to(np.asarray(x), (count,)) for x in index])
        total = total + i * s
    return total if isinstance(total, np.ndarray) else np.full(count, total)


@lru_cache(maxsize=20_000)
def grid_of(over: tuple[tuple[Any, Any], ...]) -> Callable[[dict[str, Any]], tuple[dict[str, np.ndarray], int]]:
    """One vector per symbol, and their length: all points, outermost first; counts may mention earlier symbols."""
    names = [s.name for s, _ in over]
    if not symbols_of(c for _, c in over) & set(names):
        counts = integers(tuple(c for _, c in over))
        return lambda env: _box(tuple(names), counts(env))
    steps = [(n, vectors((c,))) for n, (_, c) in zip(names, over, strict=True)]

    def points(env: dict[str, Any]) -> tuple[dict[str, np.ndarray], int]:
        found: dict[str, np.ndarray] = {}
        length = 1
        for name, count in steps:
            counts = np.broadcast_to(np.asarray(count({**env, **found})[0]), (length,)).clip(min=0)
            repeat = np.repeat(np.arange(length), counts)
            starts = np.cumsum(counts) - counts
            found = {k: v[repeat] for k, v in found.items()}
            found[name] = np.arange(len(repeat)) - np.repeat(starts, counts)
            length = len(repeat)
        return found, length

    return points


@lru_cache(maxsize=2_000)
def _box(names: tuple[str, ...], counts: tuple[int, ...]) -> tuple[dict[str, np.ndarray], int]:
    extents = [max(0, n) for n in counts]
    points: Any = np.indices(extents).reshape(len(extents), -1) if extents else []
    length = 1
    for n in extents:
        length *= n
    return dict(zip(names, points, strict=True)), length


__all__ = ["Step", "copy_step", "move_step"]
