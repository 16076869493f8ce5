"""The text of a program for engines with its numbers: trips of loops, ticks of uses at each iteration, lags of awaits.

An await of the e-th signal is one of the last but `lag`, where lag = signals before it in the text - e. Lags are compared as
linear forms of loop variables, and are the same at all iterations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product
from math import prod
from typing import Any

import numpy as np
import sympy as sp

from isamap_smt.ir.expr import Element, IMax, IMin, affine, evaluate, symbols_of
from isamap_smt.ir.hardware import Memory
from isamap_smt.ir.program import Alloc, If, Issued, Loop, Node, Program, Serial, number_of
from isamap_smt.simulator.iterations import vector
from isamap_smt.simulator.service import in_cycles, in_ticks, limited, service, ticks_per_cycle, touches

GRID = 1 << 22  # values of a number of active points that are looked at, at most
FEW = 1 << 10  # groups of iterations of one use whose ticks are added up
Array = np.ndarray
Iteration = Mapping[int, int] | Sequence[int]  # of each loop, by its number


@dataclass(frozen=True)
class Work:
    """The uses of one instruction by an engine, in cycles."""

    engine: str
    instruction: str
    uses: int
    cycles: float


@dataclass(frozen=True)
class Timing:
    """cycles: until all is done. first, last: start of the first computing use, and end of the last one. work: of
    each instruction. estimate: why `cycles` are none of a timed run, or ''. served: memories with a bandwidth or
    banks, each with the cycles for which it serves uses."""

    cycles: float
    first: float
    last: float
    work: tuple[Work, ...]
    estimate: str = ""
    served: tuple[tuple[str, float], ...] = ()

    def busy(self, engine: str) -> float:
        """Cycles of an engine's work."""
        return sum(w.cycles for w in self.work if w.engine == engine)


class AnotherFormError(Exception):
    """The program is none whose lags and trips are constant."""


@dataclass(frozen=True, eq=False)
class _Leaf:
    """Values over the iterations of the loops `dims`, clipped to possible numbers of points."""

    dims: tuple[int, ...]
    values: Array

    def at(self, iterations: Iteration, every: int | None) -> Any:
        """The value, or a vector over all iterations of one loop."""
        return self.values[tuple(slice(None) if d == every else iterations[d] for d in self.dims)]

    @property
    def leaves(self) -> tuple[_Leaf, ...]:
        """Itself."""
        return (self,)


@dataclass(frozen=True, eq=False)
class _Extreme:
    """The least or the largest of two. Leaves may be clipped before: clipping the result gives the same."""

    of: Any
    left: _Leaf | _Extreme
    right: _Leaf | _Extreme

    def at(self, iterations: Iteration, every: int | None) -> Any:
        """As a leaf's."""
        return self.of(self.left.at(iterations, every), self.right.at(iterations, every))

    @property
    def leaves(self) -> tuple[_Leaf, ...]:
        """All values it depends on."""
        return (*self.left.leaves, *self.right.leaves)


@dataclass(frozen=True, eq=False)
class Active:
    """The active points of an axis: below one number, from another one on."""

    below: _Leaf | _Extreme
    above: _Leaf | _Extreme

    def at(self, iterations: Iteration, every: int | None = None) -> Any:
        """How many."""
        return np.maximum(self.below.at(iterations, every) - self.above.at(iterations, every), 0)

    @property
    def leaves(self) -> tuple[_Leaf, ...]:
        """All values it depends on."""
        return (*self.below.leaves, *self.above.leaves)

    def everywhere(self) -> tuple[tuple[int, ...], Array]:
        """The loops it depends on, and the numbers at all their iterations."""
        trips = {d: n for leaf in self.leaves for d, n in zip(leaf.dims, leaf.values.shape, strict=True)}
        dims = tuple(sorted(trips))
        if prod(trips.values()) > GRID:
            raise AnotherFormError("a number of active points has too many values")

        def over(x: _Leaf | _Extreme) -> Any:
            if isinstance(x, _Extreme):
                return x.of(over(x.left), over(x.right))
            order = sorted(range(len(x.dims)), key=x.dims.__getitem__)
            shape = tuple(trips[d] if d in x.dims else 1 for d in dims)
            return np.transpose(x.values, order).reshape(shape)

        found = np.maximum(over(self.below) - over(self.above), 0)
        return dims, np.broadcast_to(found, tuple(trips[d] for d in dims))


@dataclass(eq=False)
class TimedUse:
    """engine, awaits, signals: rows of the state; a signal is (row, how many are kept). start, each: ticks of work.
    factors: numbers of active points of its axes. ends, fronts: of each axis with some, if memories serve it by the
    cells it moves. alone: memories serving this engine alone; shared: those serving others, too. amounts: of awaits,
    as forms. issued: 1 where it is issued, for each condition around it; where it is not, it takes no time."""

    node: Issued
    engine: int
    start: float
    each: float
    factors: list[Active]
    path: tuple[TimedLoop, ...]
    scale: int = 1
    ends: dict[str, Active] = field(default_factory=dict)
    fronts: dict[str, Active] = field(default_factory=dict)
    alone: tuple[Memory, ...] = ()
    shared: tuple[Memory, ...] = ()
    amounts: list[tuple[str, dict[str, int]]] = field(default_factory=list)
    awaits: list[tuple[str, int]] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    signals: list[tuple[int, int]] = field(default_factory=list)
    issued: list[_Leaf] = field(default_factory=list)

    @property
    def leaves(self) -> tuple[_Leaf, ...]:
        """All values its time depends on."""
        served = (*self.ends.values(), *self.fronts.values())
        return (*self.issued, *(leaf for f in (*self.factors, *served) for leaf in f.leaves))

    def is_issued(self, at: Iteration) -> bool:
        """Whether it is, in one iteration."""
        return all(leaf.at(at, None) for leaf in self.issued)

    def work(self, at: Iteration) -> float:
        """Ticks of one iteration, whatever memories take."""
        if not self.is_issued(at):
            return 0.0
        points = 1.0
        for f in self.factors:
            points *= float(f.at(at))
        return self.start + self.each * points

    def ticks(self, at: Iteration) -> float:
        """Ticks of one iteration while no other engine is served."""
        return max([self.work(at), *(t for _, t in self.served(self.alone, at))])

    def served(self, memories: tuple[Memory, ...], at: Iteration) -> list[tuple[str, float]]:
        """(memory, ticks) for each memory that serves it in one iteration."""
        if not memories or not self.is_issued(at):
            return []
        active, front = (tuple((a, int(f.at(at))) for a, f in of.items()) for of in (self.ends, self.fronts))
        return [(m, in_ticks(c, self.scale)) for m, c in service(self.node.instruction, memories, active, front)]

    def sum_over(self, loop: TimedLoop, at: Mapping[int, int]) -> float:
        """Of all iterations of one loop around it."""
        if self.alone:
            return sum(n * self.ticks({**at, loop.number: first}) for first, n in loop.groups)
        uses: Any = np.ones(loop.trips)
        for leaf in self.issued:
            uses = uses * leaf.at(at, loop.number)
        points = uses
        for f in self.factors:
            points = points * f.at(at, loop.number)
        return float(uses.sum()) * self.start + self.each * float(points.sum())

    def whole(self) -> tuple[int, float]:
        """How many uses there are, and the ticks of work of all."""
        uses = prod(x.trips for x in self.path)
        if self.issued:
            return self._whole_issued()
        depends = {d for f in self.factors for leaf in f.leaves for d in leaf.dims}
        mine = [x for x in self.path if x.number in depends]
        others = uses // prod(x.trips for x in mine)
        if prod(len(x.groups) for x in mine) <= FEW:
            groups = product(*([(x.number, first, n) for first, n in x.groups] for x in mine))
            parts = [(prod(n for *_, n in g), self.work({d: first for d, first, _ in g})) for g in groups]
            return uses, others * sum(n * ticks for n, ticks in parts)
        arrays = [f.everywhere() for f in self.factors]
        places = {d: n for n, d in enumerate(sorted(depends))}
        points = np.einsum(*[v for dims, a in arrays for v in (a.astype(float), [places[d] for d in dims])], [])
        return uses, uses * self.start + self.each * others * float(points)

    def _whole_issued(self) -> tuple[int, float]:
        """The same of a use under conditions, by groups of alike iterations."""
        depends = {d for leaf in self.leaves for d in leaf.dims}
        mine = [x for x in self.path if x.number in depends]
        if prod(len(x.groups) for x in mine) > GRID:
            raise AnotherFormError("a use under a condition has too many kinds of iterations")
        others, uses, ticks = prod(x.trips for x in self.path if x not in mine), 0, 0.0
        for group in product(*([(x.number, first, n) for first, n in x.groups] for x in mine)):
            at, times = {d: first for d, first, _ in group}, others * prod(n for *_, n in group)
            uses, ticks = uses + times * self.is_issued(at), ticks + times * self.work(at)
        return uses, ticks


@dataclass(eq=False)
class TimedLoop:
    """groups: (first iteration, how many) of equal time. touched: rows of the state changed by its body."""

    number: int
    name: str
    trips: int
    body: list[TimedUse | TimedLoop] = field(default_factory=list)
    groups: list[tuple[int, int]] = field(default_factory=list)
    touched: list[int] = field(default_factory=list)

    @property
    def only(self) -> TimedUse | None:
        """The one use of its body, if it signals nothing: its iterations add up."""
        only = self.body[0] if len(self.body) == 1 else None
        return only if isinstance(only, TimedUse) and not only.signals else None


class EngineText:
    """computes: names of computing instructions. shared: memories for which engines wait. totals: of each use, how
    many there are and the ticks of all. Raises AnotherFormError."""

    def __init__(self, program: Program, sizes: Mapping[str, int], computes: frozenset[str]) -> None:
        self.program, self.sizes, self.computes = program, dict(sizes), computes
        self.engines = [e.name for e in program.machine.engines] if program.machine else []
        self.uses: list[TimedUse] = []
        self.loops: list[TimedLoop] = []
        self.memories = limited(program.machine)
        self.scale = ticks_per_cycle((n.instruction for n in _issued(program.body)), self.memories)
        self.top = self._nodes(program.body, ())
        self.shared = self._shared()
        self._lags()
        for loop in self.loops:
            loop.groups = list(self._groups(loop))
        self.totals = [u.whole() for u in self.uses]

    def work(self) -> tuple[Work, ...]:
        """Of each instruction on its engine."""
        found: dict[tuple[str, str], list[float]] = {}
        for u, (uses, ticks) in zip(self.uses, self.totals, strict=True):
            key = self.engines[u.engine], u.node.instruction.name
            n, total = found.setdefault(key, [0, 0.0])
            found[key] = [n + uses, total + ticks]
        return tuple(Work(*key, int(n), in_cycles(t, self.scale)) for key, (n, t) in found.items())

    def served(self) -> tuple[tuple[str, float], ...]:
        """Each memory with a limit, and the cycles for which it serves all its uses."""
        found = {m.name: 0.0 for m in self.memories}
        for u in (u for u in self.uses if u.alone or u.shared):
            served = (*u.ends.values(), *u.fronts.values())
            depends = {d for f in (*u.issued, *(x for y in served for x in y.leaves)) for d in f.dims}
            others = prod(x.trips for x in u.path if x.number not in depends)
            for group in product(
                *([(x.number, first, n) for first, n in x.groups] for x in u.path if x.number in depends)
            ):
                times = others * prod(n for *_, n in group)
                for m, ticks in u.served((*u.alone, *u.shared), {d: first for d, first, _ in group}):
                    found[m] += times * ticks
        return tuple((m, in_cycles(t, self.scale)) for m, t in found.items())

    def _shared(self) -> tuple[Memory, ...]:
        """Memories that serve uses of several engines. Notes for each use which memories serve it."""
        users = [(m, [u for u in self.uses if touches(u.node.instruction, (m,))]) for m in self.memories]
        found = tuple(m for m, of in users if len({u.engine for u in of}) > 1)
        for m, of in users:
            for u in of:
                u.shared, u.alone = (
                    (*u.shared, *(x for x in (m,) if x in found)),
                    (*u.alone, *(x for x in (m,) if x not in found)),
                )
        return found

    # ---- The text, with numbers.

    def _nodes(
        self, body: Sequence[Node], path: tuple[TimedLoop, ...], issued: tuple[Any, ...] = ()
    ) -> list[TimedUse | TimedLoop]:
        """issued: conditions around the body."""
        found: list[TimedUse | TimedLoop] = []
        for node in body:
            match node:
                case Serial() if node.backwards is None and node.end is None:
                    trips = self._trips(node)
                    if trips > 0:
                        loop = TimedLoop(len(self.loops), node.var.name, trips)
                        self.loops.append(loop)
                        loop.body = self._nodes(node.body, (*path, loop), issued)
                        found.append(loop)
                case If():
                    found += self._nodes(node.body, path, (*issued, *node.condition))
                case Issued() if issued and (node.awaits or node.signals or node.instruction.name in self.computes):
                    raise AnotherFormError("a use under a condition waits, signals or computes")
                case Issued():
                    found.append(self._use(node, path, issued))
                case Alloc():
                    pass
                case _:
                    raise AnotherFormError(f"it has a {type(node).__name__}")
        return found

    def _trips(self, node: Loop) -> int:
        trips = sp.sympify(node.trips)
        if trips.has(Element) or not symbols_of([trips]) <= set(self.sizes):
            raise AnotherFormError(f"the trips of {node.var.name} are not the same at all iterations")
        return int(evaluate(trips, self.sizes))

    def _use(self, node: Issued, path: tuple[TimedLoop, ...], issued: tuple[Any, ...]) -> TimedUse:
        i = node.instruction
        if i.engine not in self.engines:
            raise AnotherFormError(f"{i.name} has no engine")
        start, each = (in_ticks(x, self.scale) for x in (i.occupies.start, i.occupies.each))
        found = TimedUse(node, self.engines.index(i.engine), start, each, self._factors(node, path), path, self.scale)
        if touches(i, self.memories):
            for into, of in ((found.ends, i.active), (found.fronts, i.front)):
                for axis, p in of:
                    into[axis] = Active(
                        *(self._points(e, i.axes[axis], path) for e in (self._given(node, p), sp.Integer(0)))
                    )
        found.issued = [self._values(c, path, (0, 1)) for c in issued]
        self.uses.append(found)
        return found

    def _factors(self, node: Issued, path: tuple[TimedLoop, ...]) -> list[Active]:
        """For each axis that its cycles count, how many points are active."""
        i = node.instruction
        active, front = dict(i.active), dict(i.front)
        found = []
        for axis in i.occupies.per:
            most = i.axes[axis]
            below = self._given(node, active[axis]) if axis in active else most
            above = self._given(node, front[axis]) if axis in front else 0
            found.append(Active(*(self._points(sp.sympify(e), most, path) for e in (below, above))))
        return found

    def _given(self, node: Issued, parameter: str) -> Any:
        if parameter not in node.parameters:
            raise AnotherFormError(f"a use of {node.instruction.name} does not say how many points are active")
        return sp.sympify(node.parameters[parameter])

    def _points(self, e: Any, most: int, path: tuple[TimedLoop, ...]) -> _Leaf | _Extreme:
        """A number of points, from 0 to most, at all iterations of the surrounding loops it depends on."""
        if isinstance(e, IMin | IMax):
            left, right = (self._points(part, most, path) for part in e.args)
            return _Extreme(np.minimum if isinstance(e, IMin) else np.maximum, left, right)
        return self._values(e, path, (0, most))

    def _values(self, e: Any, path: tuple[TimedLoop, ...], ends: tuple[int, int]) -> _Leaf:
        """A number, or 1 for a relation that holds, at all iterations of the surrounding loops it depends on."""
        names = symbols_of([e])
        if e.has(Element) or names - {x.name for x in path} - set(self.sizes):
            raise AnotherFormError("a number of active points depends on more than loops")
        dims = [x for x in path if x.name in names and x.trips > 1]
        if prod(x.trips for x in dims) > GRID:
            raise AnotherFormError("a number of active points has too many values")
        env: dict[str, Any] = {**self.sizes, **{x.name: 0 for x in path}}
        if dims:
            grids = np.meshgrid(*(np.arange(x.trips) for x in dims), indexing="ij")
            env |= {x.name: g.ravel() for x, g in zip(dims, grids, strict=True)}
        values = np.clip(np.asarray(vector(e)(env), np.int64), *ends)
        return _Leaf(tuple(x.number for x in dims), values.reshape(tuple(x.trips for x in dims)))

    # ---- Lags, as linear forms of the variables of loops around.

    def _lags(self) -> None:
        order = {id(u): n for n, u in enumerate(self.uses)}
        signals: dict[str, list[TimedUse]] = {}
        for u in self.uses:
            for c in u.node.signals:
                signals.setdefault(c, []).append(u)
        for u in self.uses:
            for counter, amount in u.node.awaits:
                made = signals.get(counter, [])
                if len({x.engine for x in made}) > 1:
                    raise AnotherFormError(f"several engines signal {counter}")
                before: dict[str, int] = {}
                for x in made:
                    _add(before, self._before(u, x, order[id(x)] < order[id(u)]))
                u.amounts.append((counter, own := self._amount(u, amount)))
                _add(before, own, -1)
                if any(n for name, n in before.items() if name):
                    raise AnotherFormError(f"the lag of {counter} is not the same at all iterations")
                lag = before.get("", 0)
                if lag < 0 and sum(prod(y.trips for y in x.path) for x in made) + lag >= 0:
                    raise AnotherFormError(f"{counter} is awaited before it is signalled")
                u.awaits.append((counter, lag))

    def _before(self, u: TimedUse, x: TimedUse, above: bool) -> dict[str, int]:
        """How often x was issued before u, as variable -> factor; '' -> the rest. above: whether it stands above u."""
        common = 0
        while common < min(len(u.path), len(x.path)) and u.path[common] is x.path[common]:
            common += 1
        each = prod(y.trips for y in x.path[common:])
        found: dict[str, int] = {}
        _add(found, _number(u.path[:common]), each)
        _add(found, {"": each * above})
        return found

    def _amount(self, u: TimedUse, amount: Any) -> dict[str, int]:
        """In the same form."""
        numbers = {number_of(sp.Symbol(x.name)).name: _number(u.path[: n + 1]) for n, x in enumerate(u.path)}
        own = {x.name for x in u.path}
        expression = sp.sympify(amount)
        names = symbols_of([expression])
        if expression.has(Element) or names - own - set(numbers) - set(self.sizes):
            raise AnotherFormError("an await depends on more than loops")
        split = affine(expression, sorted(names - set(self.sizes)))
        if split is None:
            raise AnotherFormError("an await is no sum of loops")
        found = {"": int(evaluate(sp.sympify(split[1]), self.sizes))}
        for name, factor in split[0].items():
            if symbols_of([sp.sympify(factor)]) - set(self.sizes):
                raise AnotherFormError("an await is no sum of loops")
            trips = {x.name: x.trips for x in u.path}
            form = numbers.get(name, {name: 1} if trips.get(name, 1) > 1 else {})
            _add(found, form, int(evaluate(sp.sympify(factor), self.sizes)))
        return found

    def _groups(self, loop: TimedLoop) -> Iterator[tuple[int, int]]:
        """Groups of consecutive iterations in which every use inside takes the same time."""
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


def _add(form: dict[str, int], other: Mapping[str, int], factor: int = 1) -> None:
    for name, n in other.items():
        form[name] = form.get(name, 0) + factor * n


def _number(path: Sequence[TimedLoop]) -> dict[str, int]:
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
