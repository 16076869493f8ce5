"""The time of a program for engines as a product of matrices over (max, +): exact, in the length of its text.

State: when each engine is free, and when the last signals of each counter were made. A use sets its engine, and the counters that
it signals, to

    t = max(its engine, the signals that it awaits) + its cycles

An await of the e-th signal is one of the last but `lag`, where lag = signals before it in the text - e. If every lag is the same
at all iterations, the body of a loop is a matrix and n iterations of the same cycles are its n-th power, by squaring. Iterations
that differ (rims, padding) are grouped by what they take.

The lags are compared as linear forms of loop variables. Programs of another form are run, use by use.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise, product
from math import lcm, prod
from typing import Any

import numpy as np
import sympy as sp

from isamap_smt.ir.expr import Element, IMax, IMin, affine, evaluate, symbols_of
from isamap_smt.ir.program import Alloc, Issued, Loop, Node, Program, Serial, number_of
from isamap_smt.simulator.iterations import vector
from isamap_smt.simulator.orders import timed
from isamap_smt.simulator.sites import elaborate

NEVER = -np.inf
GRID = 1 << 22  # values of a number of active points that are looked at, at most
FEW = 1 << 10  # groups of iterations of one use whose ticks are added up
MANY = 1 << 13  # uses that are looked at, at most, where iterations differ
RUN = 1 << 21  # uses that are run one by one, at most
FINE = 10_000  # parts of a cycle that are counted without rounding
Array = np.ndarray


@dataclass(frozen=True)
class Work:
    """What an engine does with one instruction, in cycles."""

    engine: str
    instruction: str
    uses: int
    cycles: float


@dataclass(frozen=True)
class Timing:
    """cycles: until all is done. first, last: when the first use that computes begins, and the last one ends. work: of each
    instruction. estimate: why `cycles` are none of a timed run, or ''."""

    cycles: float
    first: float
    last: float
    work: tuple[Work, ...]
    estimate: str = ""

    def busy(self, engine: str) -> float:
        """Cycles that an engine works."""
        return sum(w.cycles for w in self.work if w.engine == engine)


def timing(program: Program, sizes: Mapping[str, int], computes: Collection[str] = ()) -> Timing:
    """What a timed run of the program takes at these sizes. computes: names of instructions that compute.

    Raises LanguageError as elaborate() for a program that is none of engines.
    """
    try:
        return _Matrices(program, sizes, frozenset(computes)).timing()
    except _AnotherFormError as why:
        return _run(program, sizes, frozenset(computes), str(why))


class _AnotherFormError(Exception):
    """The program is none whose lags and trips are constant."""


@dataclass(frozen=True, eq=False)
class _Leaf:
    """Values over the iterations of the loops `dims`, cut to those that a number of points may have."""

    dims: tuple[int, ...]
    values: Array

    def at(self, iterations: Mapping[int, int], every: int | None) -> Any:
        """The value, or a vector over all iterations of one loop."""
        return self.values[tuple(slice(None) if d == every else iterations[d] for d in self.dims)]

    @property
    def leaves(self) -> tuple[_Leaf, ...]:
        """Itself."""
        return (self,)


@dataclass(frozen=True, eq=False)
class _Extreme:
    """The least or the largest of two. Leaves may be cut before: that is the same as to cut the result."""

    of: Any
    left: _Leaf | _Extreme
    right: _Leaf | _Extreme

    def at(self, iterations: Mapping[int, int], every: int | None) -> Any:
        """As a leaf's."""
        return self.of(self.left.at(iterations, every), self.right.at(iterations, every))

    @property
    def leaves(self) -> tuple[_Leaf, ...]:
        """All values that it depends on."""
        return (*self.left.leaves, *self.right.leaves)


@dataclass(frozen=True, eq=False)
class _Active:
    """The active points of an axis: below one number, from another one on."""

    below: _Leaf | _Extreme
    above: _Leaf | _Extreme

    def at(self, iterations: Mapping[int, int], every: int | None = None) -> Any:
        """How many."""
        return np.maximum(self.below.at(iterations, every) - self.above.at(iterations, every), 0)

    @property
    def leaves(self) -> tuple[_Leaf, ...]:
        """All values that it depends on."""
        return (*self.below.leaves, *self.above.leaves)

    def everywhere(self) -> tuple[tuple[int, ...], Array]:
        """The loops that it depends on, and the numbers at all their iterations."""
        trips = {d: n for leaf in self.leaves for d, n in zip(leaf.dims, leaf.values.shape, strict=True)}
        dims = tuple(sorted(trips))
        if prod(trips.values()) > GRID:
            raise _AnotherFormError("a number of active points has too many values")

        def over(x: _Leaf | _Extreme) -> Any:
            if isinstance(x, _Extreme):
                return x.of(over(x.left), over(x.right))
            order = sorted(range(len(x.dims)), key=x.dims.__getitem__)
            shape = tuple(trips[d] if d in x.dims else 1 for d in dims)
            return np.transpose(x.values, order).reshape(shape)

        found = np.maximum(over(self.below) - over(self.above), 0)
        return dims, np.broadcast_to(found, tuple(trips[d] for d in dims))


@dataclass(eq=False)
class _Use:
    """engine, awaits, signals: rows of the state; a signal is (row, how many are kept). start, each: ticks. factors: numbers of
    active points of its axes."""

    node: Issued
    engine: int
    start: float
    each: float
    factors: list[_Active]
    path: tuple[_Loop, ...]
    awaits: list[tuple[str, int]] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    signals: list[tuple[int, int]] = field(default_factory=list)

    @property
    def leaves(self) -> tuple[_Leaf, ...]:
        """All values that its time depends on."""
        return tuple(leaf for f in self.factors for leaf in f.leaves)

    def ticks(self, at: Mapping[int, int]) -> float:
        """Of one iteration."""
        points = 1.0
        for f in self.factors:
            points *= float(f.at(at))
        return self.start + self.each * points

    def sum_over(self, loop: _Loop, at: Mapping[int, int]) -> float:
        """Of all iterations of one loop around it."""
        points: Any = np.ones(loop.trips)
        for f in self.factors:
            points = points * f.at(at, loop.number)
        return loop.trips * self.start + self.each * float(points.sum())

    def whole(self) -> tuple[int, float]:
        """How many uses there are, and the ticks of all."""
        uses = prod(x.trips for x in self.path)
        depends = {d for leaf in self.leaves for d in leaf.dims}
        mine = [x for x in self.path if x.number in depends]
        others = uses // prod(x.trips for x in mine)
        if prod(len(x.groups) for x in mine) <= FEW:
            groups = product(*([(x.number, first, n) for first, n in x.groups] for x in mine))
            parts = [(prod(n for *_, n in g), self.ticks({d: first for d, first, _ in g})) for g in groups]
            return uses, others * sum(n * ticks for n, ticks in parts)
        arrays = [f.everywhere() for f in self.factors]
        places = {d: n for n, d in enumerate(sorted(depends))}
        points = np.einsum(*[v for dims, a in arrays for v in (a.astype(float), [places[d] for d in dims])], [])
        return uses, uses * self.start + self.each * others * float(points)


@dataclass(eq=False)
class _Loop:
    """groups: (first iteration, how many) that take the same. touched: rows of the state that its body changes."""

    number: int
    name: str
    trips: int
    body: list[_Use | _Loop] = field(default_factory=list)
    groups: list[tuple[int, int]] = field(default_factory=list)
    touched: list[int] = field(default_factory=list)

    @property
    def only(self) -> _Use | None:
        """The one use of its body, if that signals nothing: its iterations add up."""
        only = self.body[0] if len(self.body) == 1 else None
        return only if isinstance(only, _Use) and not only.signals else None


class _Matrices:
    def __init__(self, program: Program, sizes: Mapping[str, int], computes: frozenset[str]) -> None:
        self.program, self.sizes, self.computes = program, dict(sizes), computes
        self.engines = [e.name for e in program.machine.engines] if program.machine else []
        self.uses: list[_Use] = []
        self.loops: list[_Loop] = []
        self.scale = _scale(n.instruction for n in _issued(program.body))
        self.top = self._nodes(program.body, ())
        self._lags()
        self._rows()
        for loop in self.loops:
            loop.groups = list(self._groups(loop))
        self.totals = [u.whole() for u in self.uses]
        self.estimate = ""
        if sum(map(self._looked_at, self.top)) > MANY:
            self._take_means()

    def _looked_at(self, node: _Use | _Loop) -> int:
        """How many uses are looked at one by one."""
        if isinstance(node, _Use) or node.only is not None:
            return 1
        return sum(min(n, 2) for _, n in node.groups) * sum(map(self._looked_at, node.body))

    def _take_means(self) -> None:
        """Every use takes the mean of its own."""
        self.estimate = "an estimate, as tiles differ at many iterations: each takes the mean of its kind"
        for u, (uses, ticks) in zip(self.uses, self.totals, strict=True):
            u.start, u.each, u.factors = ticks / max(uses, 1), 0.0, []
        for loop in self.loops:
            loop.groups = [(0, loop.trips)]

    # ---- The text, with numbers.

    def _nodes(self, body: Sequence[Node], path: tuple[_Loop, ...]) -> list[_Use | _Loop]:
        found: list[_Use | _Loop] = []
        for node in body:
            match node:
                case Serial() if node.backwards is None and node.end is None:
                    trips = self._trips(node)
                    if trips > 0:
                        loop = _Loop(len(self.loops), node.var.name, trips)
                        self.loops.append(loop)
                        loop.body = self._nodes(node.body, (*path, loop))
                        found.append(loop)
                case Issued():
                    found.append(self._use(node, path))
                case Alloc():
                    pass
                case _:
                    raise _AnotherFormError(f"it has a {type(node).__name__}")
        return found

    def _trips(self, node: Loop) -> int:
        trips = sp.sympify(node.trips)
        if trips.has(Element) or not symbols_of([trips]) <= set(self.sizes):
            raise _AnotherFormError(f"the trips of {node.var.name} are not the same at all iterations")
        return int(evaluate(trips, self.sizes))

    def _use(self, node: Issued, path: tuple[_Loop, ...]) -> _Use:
        i = node.instruction
        if i.engine not in self.engines:
            raise _AnotherFormError(f"{i.name} has no engine")
        start, each = (_ticks(x, self.scale) for x in (i.occupies.start, i.occupies.each))
        found = _Use(node, self.engines.index(i.engine), start, each, self._factors(node, path), path)
        self.uses.append(found)
        return found

    def _factors(self, node: Issued, path: tuple[_Loop, ...]) -> list[_Active]:
        """Of each axis that its cycles count, how many points are active."""
        i, given = node.instruction, node.parameters
        active, front = dict(i.active), dict(i.front)
        found = []
        for axis in i.occupies.per:
            most = i.axes[axis]
            if any(p not in given for p in (active.get(axis), front.get(axis)) if p):
                raise _AnotherFormError(f"a use of {i.name} does not say how many points are active")
            below = given[active[axis]] if axis in active else most
            above = given[front[axis]] if axis in front else 0
            found.append(_Active(*(self._points(sp.sympify(e), most, path) for e in (below, above))))
        return found

    def _points(self, e: Any, most: int, path: tuple[_Loop, ...]) -> _Leaf | _Extreme:
        """A number of points, from 0 to most, at all iterations of the loops around that it depends on."""
        if isinstance(e, IMin | IMax):
            left, right = (self._points(part, most, path) for part in e.args)
            return _Extreme(np.minimum if isinstance(e, IMin) else np.maximum, left, right)
        names = symbols_of([e])
        if e.has(Element) or names - {x.name for x in path} - set(self.sizes):
            raise _AnotherFormError("a number of active points depends on more than loops")
        dims = [x for x in path if x.name in names and x.trips > 1]
        if prod(x.trips for x in dims) > GRID:
            raise _AnotherFormError("a number of active points has too many values")
        env: dict[str, Any] = {**self.sizes, **{x.name: 0 for x in path}}
        if dims:
            grids = np.meshgrid(*(np.arange(x.trips) for x in dims), indexing="ij")
            env |= {x.name: g.ravel() for x, g in zip(dims, grids, strict=True)}
        values = np.clip(np.asarray(vector(e)(env)), 0, most)
        return _Leaf(tuple(x.number for x in dims), values.reshape(tuple(x.trips for x in dims)))

    # ---- Lags, as linear forms of the variables of loops around.

    def _lags(self) -> None:
        order = {id(u): n for n, u in enumerate(self.uses)}
        signals: dict[str, list[_Use]] = {}
        for u in self.uses:
            for c in u.node.signals:
                signals.setdefault(c, []).append(u)
        for u in self.uses:
            for counter, amount in u.node.awaits:
                made = signals.get(counter, [])
                if len({x.engine for x in made}) > 1:
                    raise _AnotherFormError(f"several engines signal {counter}")
                before: dict[str, int] = {}
                for x in made:
                    _add(before, self._before(u, x, order[id(x)] < order[id(u)]))
                _add(before, self._amount(u, amount), -1)
                if any(n for name, n in before.items() if name):
                    raise _AnotherFormError(f"the lag of {counter} is not the same at all iterations")
                lag = before.get("", 0)
                if lag < 0 and sum(prod(y.trips for y in x.path) for x in made) + lag >= 0:
                    raise _AnotherFormError(f"{counter} is awaited before it is signalled")
                u.awaits.append((counter, lag))

    def _before(self, u: _Use, x: _Use, above: bool) -> dict[str, int]:
        """How often x was issued before u, as variable -> factor; '' -> the rest. above: whether it stands above u."""
        common = 0
        while common < min(len(u.path), len(x.path)) and u.path[common] is x.path[common]:
            common += 1
        each = prod(y.trips for y in x.path[common:])
        found: dict[str, int] = {}
        _add(found, _number(u.path[:common]), each)
        _add(found, {"": each * above})
        return found

    def _amount(self, u: _Use, amount: Any) -> dict[str, int]:
        """In the same form."""
        numbers = {number_of(sp.Symbol(x.name)).name: _number(u.path[: n + 1]) for n, x in enumerate(u.path)}
        own = {x.name for x in u.path}
        expression = sp.sympify(amount)
        names = symbols_of([expression])
        if expression.has(Element) or names - own - set(numbers) - set(self.sizes):
            raise _AnotherFormError("an await depends on more than loops")
        split = affine(expression, sorted(names - set(self.sizes)))
        if split is None:
            raise _AnotherFormError("an await is no sum of loops")
        found = {"": int(evaluate(sp.sympify(split[1]), self.sizes))}
        for name, factor in split[0].items():
            if symbols_of([sp.sympify(factor)]) - set(self.sizes):
                raise _AnotherFormError("an await is no sum of loops")
            trips = {x.name: x.trips for x in u.path}
            form = numbers.get(name, {name: 1} if trips.get(name, 1) > 1 else {})
            _add(found, form, int(evaluate(sp.sympify(factor), self.sizes)))
        return found

    # ---- The state.

    def _rows(self) -> None:
        """Rows: engines, the end of what computes, and of each awaited counter the last signals, the latest first."""
        kept: dict[str, int] = {}
        for u in self.uses:
            for counter, lag in u.awaits:
                kept[counter] = max(kept.get(counter, 1), lag + 1)
        self.computed = len(self.engines)
        at: dict[str, int] = {}
        self.size = len(self.engines) + 1
        for counter, most in kept.items():
            at[counter] = self.size
            self.size += most
        for u in self.uses:
            u.rows = [u.engine, *(at[c] + lag for c, lag in u.awaits if lag >= 0)]
            u.signals = [(at[c], kept[c]) for c in u.node.signals if c in at]
            if u.node.instruction.name in self.computes:
                u.signals.append((self.computed, 1))
            for loop in u.path:
                loop.touched += [u.engine, *(r for row, n in u.signals for r in range(row, row + n)), *u.rows]
        for loop in self.loops:
            loop.touched = sorted(set(loop.touched))

    def _groups(self, loop: _Loop) -> Iterator[tuple[int, int]]:
        """Consecutive iterations in which every use inside takes the same."""
        mine = [
            np.moveaxis(leaf.values, leaf.dims.index(loop.number), 0).reshape(loop.trips, -1)
            for u in self.uses
            for leaf in u.leaves
            if loop.number in leaf.dims
        ]
        cuts: list[int] = []
        if mine:
            other = np.zeros(loop.trips - 1, bool)
            for values in mine:
                other |= np.any(values[1:] != values[:-1], axis=1)
            cuts = (np.flatnonzero(other) + 1).tolist()
        edges = [0, *cuts, loop.trips]
        return ((a, b - a) for a, b in pairwise(edges))

    def timing(self) -> Timing:
        """Of the whole program."""
        state = self._begin()
        for node in self.top:
            self._apply(node, state, {})
        cycles, last = float(state[: len(self.engines)].max(initial=0.0)), float(state[self.computed, 0])
        first = self._first() if self.computes else None
        found: dict[tuple[str, str], list[float]] = {}
        for u, (uses, ticks) in zip(self.uses, self.totals, strict=True):
            key = self.engines[u.engine], u.node.instruction.name
            n, total = found.setdefault(key, [0, 0.0])
            found[key] = [n + uses, total + ticks]
        work = tuple(Work(*key, int(n), _cycles(t, self.scale)) for key, (n, t) in found.items())
        whole, begins, ends = (_cycles(t, self.scale) for t in (cycles, first or 0.0, max(last, 0.0)))
        return Timing(whole, begins, ends if last > NEVER else whole, work, self.estimate)

    def _begin(self) -> Array:
        state = np.full((self.size, 1), NEVER)
        state[: len(self.engines)] = 0
        return state

    def _first(self) -> float | None:
        """When the first use that computes begins: all that stands above it is done once."""
        state, body, at = self._begin(), self.top, dict.fromkeys((x.number for x in self.loops), 0)
        while True:
            here = next((n for n in body if self._holds(n)), None)
            if here is None:
                return None
            for node in body[: body.index(here)]:
                self._apply(node, state, at)
            if isinstance(here, _Use):
                return float(state[here.rows].max())
            body = here.body

    def _holds(self, node: _Use | _Loop) -> bool:
        """Whether it computes."""
        return (
            node.node.instruction.name in self.computes if isinstance(node, _Use) else any(map(self._holds, node.body))
        )

    def _apply(self, node: _Use | _Loop, state: Array, at: dict[int, int]) -> None:
        """The state after a node, in place. at: iteration of each loop around; columns: one for each row at the begin."""
        if isinstance(node, _Use):
            return _issue(node, state, node.ticks(at))
        only = node.only
        if only is not None:
            return _issue(only, state, only.sum_over(node, at))
        for first, count in node.groups:
            at[node.number] = first
            if count < 3:
                for _ in range(count):
                    for inner in node.body:
                        self._apply(inner, state, at)
                continue
            rows = node.touched
            body = np.full((self.size, len(rows)), NEVER)
            body[rows, np.arange(len(rows))] = 0
            for inner in node.body:
                self._apply(inner, body, at)
            state[rows] = _times(_power(body[rows], count), state[rows])
        return None


def _issue(u: _Use, state: Array, ticks: float) -> None:
    t = state[u.rows].max(axis=0) + ticks
    state[u.engine] = t
    for row, kept in u.signals:
        if kept > 1:
            state[row + 1 : row + kept] = state[row : row + kept - 1].copy()
        state[row] = t


def _times(a: Array, b: Array) -> Array:
    """The product over (max, +)."""
    return np.asarray((a[:, :, None] + b[None, :, :]).max(axis=1))


def _power(a: Array, n: int) -> Array:
    """a to the n, at least 1, over (max, +)."""
    found = None
    while True:
        if n & 1:
            found = a if found is None else _times(a, found)
        n >>= 1
        if not n:
            assert found is not None
            return found
        a = _times(a, a)


def _add(form: dict[str, int], other: Mapping[str, int], factor: int = 1) -> None:
    for name, n in other.items():
        form[name] = form.get(name, 0) + factor * n


def _number(path: Sequence[_Loop]) -> dict[str, int]:
    """The number of an iteration of the last loop in the whole program: variables are digits."""
    form: dict[str, int] = {}
    for x in path:
        form = {n: v * x.trips for n, v in form.items()} | ({x.name: 1} if x.trips > 1 else {})
    return form


def _issued(body: Sequence[Node]) -> Iterator[Issued]:
    for node in body:
        if isinstance(node, Issued):
            yield node
        elif isinstance(node, Loop):
            yield from _issued(node.body)


def _scale(instructions: Any) -> int:
    """Ticks of a cycle that make all figures whole; 1 where there are none so few."""
    figures = {float(x) for i in instructions for x in (i.occupies.start, i.occupies.each)}
    made = [Fraction(x).limit_denominator(FINE) for x in figures]
    return min(lcm(*(f.denominator for f in made)), FINE * FINE) if made else 1


def _ticks(x: float, scale: int) -> float:
    """x cycles; a whole number where the scale makes it one."""
    near = round(x * scale)
    return float(near) if abs(near - x * scale) <= 1e-9 * max(1.0, abs(near)) else x * scale


def _cycles(ticks: float, scale: int) -> float:
    found = ticks / scale
    return int(found) if found == int(found) else found


# ---- Programs of another form.


def _run(program: Program, sizes: Mapping[str, int], computes: frozenset[str], why: str) -> Timing:
    """Use by use; where these are too many, or get stuck, the busiest engine's work of whole tiles, as an estimate."""
    if _count(program.body, sizes) > RUN:
        return _estimated(program, sizes, f"an estimate, as {why}")
    elaborated = elaborate(program, sizes)
    order = timed(elaborated)
    if order.done != [len(q.sites) for q in elaborated.queues]:
        return _estimated(program, sizes, "an estimate, as engines wait for each other")
    heads = [0] * len(elaborated.queues)
    found: dict[tuple[str, str], list[Any]] = {}
    computing = []
    for engine, (begin, end) in zip(order.steps, order.times, strict=True):
        queue = elaborated.queues[engine]
        name = elaborated.sites[queue.sites[heads[engine]]].use.instruction.name
        heads[engine] += 1
        n, total = found.setdefault((queue.name, name), [0, 0])
        found[queue.name, name] = [n + 1, total + end - begin]
        if name in computes:
            computing.append((begin, end))
    cycles = max((end for _, end in order.times), default=0)
    work = tuple(Work(*key, n, total) for key, (n, total) in found.items())
    first = min((begin for begin, _ in computing), default=0)
    return Timing(cycles, first, max((end for _, end in computing), default=cycles), work)


def _estimated(program: Program, sizes: Mapping[str, int], why: str) -> Timing:
    found: dict[tuple[str, str], list[Any]] = {}
    for use, times in _counted(program.body, sizes, 1):
        i = use.instruction
        n, total = found.setdefault((i.engine, i.name), [0, 0])
        whole = i.occupies.cycles(prod(i.axes[a] for a in i.occupies.per))
        found[i.engine, i.name] = [n + times, total + times * whole]
    work = tuple(Work(*key, n, total) for key, (n, total) in found.items())
    busy: dict[str, float] = {}
    for w in work:
        busy[w.engine] = busy.get(w.engine, 0) + w.cycles
    most = max(busy.values(), default=0)
    return Timing(most, 0, most, work, why)


def _count(body: Sequence[Node], sizes: Mapping[str, int]) -> int:
    """How many uses a body has; loops whose trips are not the same at all iterations count once."""
    return sum(times for _, times in _counted(body, sizes, 1))


def _counted(body: Sequence[Node], sizes: Mapping[str, int], around: int) -> Iterator[tuple[Issued, int]]:
    for node in body:
        if isinstance(node, Issued):
            yield node, around
        elif isinstance(node, Loop):
            trips = sp.sympify(node.trips)
            known = symbols_of([trips]) <= set(sizes) and not trips.has(Element)
            yield from _counted(node.body, sizes, around * (max(0, int(evaluate(trips, dict(sizes)))) if known else 1))


__all__ = ["Timing", "Work", "timing"]
