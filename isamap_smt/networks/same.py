"""A rewritten network computes the model's values: each value, as a term over its step's reads, is the model's term.

Both sides are unfolded by the meaning of statements alone, sharing nothing with the rewriting. An assignment is its
value, with the types' conversions written out. A reduction is its operator over its axes, in their order if it counts.
A tensor assigned part by part is the set of its parts, each with its place. Any other tensor is the list of all
statements writing it. Axes are named by their positions, so equal terms are equal computations, roundings included.
Views are compared element by element, constants too.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as Dict
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np
import sympy as sp

from isamap_encodings.verdict import Proved, Refuted, Verdict
from isamap_smt.ir.expr import Element, element, substitute, sym
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.ir.proof import ClaimResult
from isamap_smt.ir.scalar import IndexValue, Read, Scalar
from isamap_smt.ir.typed import typed_value
from isamap_smt.networks.extents import most, open_sizes
from isamap_smt.networks.graph import AnyStep, Foreign, Network, Step, View
from isamap_smt.networks.kernels import plain_target
from isamap_smt.networks.values import Value

Index = tuple[Any, ...]
Shape = tuple[Any, ...]
Order = tuple[int, ...] | None


def same_values(model: Network, network: Network) -> Iterator[ClaimResult]:
    """A claim for each constant, view and step result of the rewritten network, and one for each step of a back end."""
    terms = _Terms(model)
    for name, array in network.constants.items():
        value = network.values[name]
        known = model.constants.get(value.original)
        alike = known is not None and np.array_equal(_stored(known, value), array)
        yield _claim(name, f"{name} is the constant {value.original}", alike)
    for step in network.steps:
        if isinstance(step, View):
            yield _claim(step.result, f"{step.result} shows what the model's view does", _view(model, network, step))
            continue
        if isinstance(step, Foreign):
            yield _claim(
                step.node, f"{step.node} is the model's, and reads what it does", _foreign(model, network, step)
            )
            continue
        if not _fits(network, step):
            yield _claim(step.node, f"{step.node} binds tensors to values of their dimensions", False)
            continue
        for tensor, name in step.writes:
            value = network.values[name]
            at = tuple(sp.S.Zero if n == 1 else sym(f"at{d}") for d, n in enumerate(model.values[value.original].shape))
            leaves = {network.values[v].original for _, v in step.reads}
            wanted = terms.of_value(value.original, at, leaves)
            bound = {t: network.values[v] for t, v in (*step.reads, *step.writes)}
            got = terms.of_tensor(_Bound(step.kernel, bound), tensor, _in_order(at, value), 0)
            yield _claim(name, f"{step.node} computes {value.original} as the model does", got == wanted)


def _fits(network: Network, step: Step) -> bool:
    """Whether each input and result of the kernel is bound to a value of as many dimensions."""
    bound = dict((*step.reads, *step.writes))
    tensors = [t for t in step.kernel.tensors if t.name not in step.kernel.temporaries]
    return all(t.name in bound and len(network.values[bound[t.name]].shape) == len(t.shape) for t in tensors)


def _claim(subject: str, statement: str, alike: bool) -> ClaimResult:
    verdict: Verdict = Proved() if alike else Refuted(text="its term is another one")
    return ClaimResult("same", subject, verdict, statement)


def _stored(array: np.ndarray, value: Value) -> np.ndarray:
    return array if value.order is None else np.transpose(array, value.order)


def _in_order(index: Index, value: Value) -> Index:
    """An index of the model's dimensions, as the value's are stored."""
    return index if value.order is None else tuple(index[n] for n in value.order)


def _in_model(index: Index, value: Value | None) -> Index:
    """An index of stored dimensions, as the model has them."""
    if value is None or value.order is None:
        return index
    return tuple(index[value.order.index(d)] for d in range(len(index)))


def _foreign(model: Network, network: Network, step: Foreign) -> bool:
    """Whether the model has this step, of the same values in their own order, whatever their names."""

    def of_model(bound: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
        return tuple((t, network.values[v].original) for t, v in bound)

    meant = replace(step, reads=of_model(step.reads), writes=of_model(step.writes))
    return not step.misfit(network.values) and meant in model.foreign


def _view(model: Network, network: Network, step: View) -> bool:
    """Whether each element of the view is the element of the model's view, or of the value itself."""
    of, to = network.values[step.source], network.values[step.result]
    there = next((s for s in model.steps if isinstance(s, View) and s.result == to.original), None)
    if to.original != of.original and (there is None or there.source != of.original):
        return False
    if open_sizes((of.shape, to.shape)):
        return _view_of_runs(model.values[of.original].shape, of.order, model.values[to.original].shape, to.order)
    places = np.arange(model.values[of.original].elements)
    source = _stored(places.reshape(model.values[of.original].shape), of)
    result = _stored(places.reshape(model.values[to.original].shape), to)
    return bool(np.array_equal(source.reshape(to.shape), result))


def _view_of_runs(source: Shape, held: Order, result: Shape, shown: Order) -> bool:
    """The same for all sizes.

    Both of the model's shapes fall into runs of dimensions with as many elements, in the same order. The view takes
    each place in a run to the same place of it. So it does if both sides store each run together, its dimensions in
    their order, and the runs in one order.
    """
    runs = _runs(source, result)
    if runs is None:
        return False
    sides = (
        _stored_runs([run[side] for run in runs], shape, order)
        for side, (shape, order) in enumerate(((source, held), (result, shown)))
    )
    left, right = sides
    return left is not None and left == right


def _runs(source: Shape, result: Shape) -> list[tuple[list[int], list[int]]] | None:
    """The shortest runs of dimensions, of both shapes, without dimensions of 1.

    None if the shapes do not fall into runs.
    """
    left = [(n, e) for n, e in enumerate(source) if e != 1]
    right = [(n, e) for n, e in enumerate(result) if e != 1]
    runs: list[tuple[list[int], list[int]]] = []
    while left and right:
        (n, a), (m, b) = left.pop(0), right.pop(0)
        run = ([n], [m])
        while a != b:
            shorter = most(a) < most(b)
            more, side = (left, run[0]) if shorter else (right, run[1])
            if not more:
                return None
            number, e = more.pop(0)
            side.append(number)
            a, b = (a * e, b) if shorter else (a, b * e)
        runs.append(run)
    return runs if not left and not right else None


def _stored_runs(runs: list[list[int]], shape: Shape, order: Order) -> list[int] | None:
    """The runs' numbers in storage order; None if one is taken apart."""
    of = {d: n for n, run in enumerate(runs) for d in run}
    stored = [d for d in (order or range(len(shape))) if d in of]
    found = list(dict.fromkeys(of[d] for d in stored))
    return found if [d for n in found for d in runs[n]] == stored else None


@dataclass(frozen=True)
class _Bound:
    """A kernel, and the values of its inputs and results."""

    kernel: Kernel
    values: Dict[str, Value]


@dataclass
class _Terms:
    """Terms as numbers: equal ones have one number."""

    model: Network
    known: dict[Any, int] = field(default_factory=dict)
    writer: dict[str, AnyStep] = field(default_factory=dict)
    inner: dict[Any, _Bound] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.writer = {n: s for s in self.model.steps for n in s.results}

    def number(self, *parts: Any) -> int:
        """The number of a term."""
        return self.known.setdefault(parts, len(self.known))

    def of_value(self, name: str, index: Index, leaves: set[str], depth: int = 0) -> int:
        """The term of an element of the model's value; leaves, and values computed by no kernel, stand for themselves."""
        step = self.writer.get(name)
        if name in leaves or not isinstance(step, Step):
            return self.number("value", name, index)
        tensor = next(t for t, v in step.writes if v == name)
        bound = {t: self.model.values[v] for t, v in (*step.reads, *step.writes)}
        return self.of_tensor(_Bound(step.kernel, bound), tensor, index, depth, leaves)

    def of_tensor(self, where: _Bound, tensor: str, index: Index, depth: int, leaves: set[str] | None = None) -> int:
        """The term of an element of a kernel's tensor.

        leaves: the model's values to stop unfolding at; if None, all values read.
        """
        kernel = where.kernel
        writers = [s for s in kernel.statements if s.target.tensor == tensor]
        if not writers:
            value = where.values[tensor]
            own = _in_model(index, value)
            return (
                self.number("value", value.original, own)
                if leaves is None
                else self.of_value(value.original, own, leaves, depth)
            )
        if len(writers) == 1 and not kernel.recurrences and _whole(kernel, writers[0]):
            table = {a: i for a, i in zip(plain_target(writers[0]) or (), index, strict=True) if a}
            return self._computed(where, writers[0], table, depth, leaves)
        if tensor in where.values and not kernel.recurrences and (boxes := _boxes(kernel, writers)):
            found = []
            for s, box in zip(writers, boxes, strict=True):
                table = {
                    a: sp.S.Zero if n == 1 else sp.expand(i - b) for i, (a, b, n) in zip(index, box, strict=True) if a
                }
                place = _in_model(tuple((b, n) for _, b, n in box), where.values[tensor])
                found.append((place, self._computed(where, s, table, depth, leaves)))
            return self.number("parts", frozenset(found), _in_model(index, where.values[tensor]))
        own = _in_model(index, where.values.get(tensor))
        return self.number("element", self._built(where, tensor, depth, leaves), own)

    def _computed(self, where: _Bound, s: Statement, table: dict[str, Any], depth: int, leaves: set[str] | None) -> int:
        """The value of a statement. table: the place of its target, by axis."""
        inner = [a for a in s.axes if a.name not in table]
        table |= {a.name: sp.S.Zero for a in inner if a.extent == 1}
        inner = [a for a in inner if a.extent != 1]
        if not s.ordered and len(inner) > 1:
            inner = self._in_any_order(where, s, table, inner, depth, leaves)
        table |= {a.name: sym(f"in{depth}.{n}") for n, a in enumerate(inner)}
        value = self._tree(where, typed_value(where.kernel, s), table, depth + (s.op != "="), leaves)
        if s.op == "=":
            return value
        of = where.kernel.tensor(s.target.tensor).dtype.name
        guard = self._guard(where, s, table, depth, leaves)
        return self.number("reduce", s.op, s.ordered, of, tuple(a.extent for a in inner), guard, value)

    def _in_any_order(
        self, where: _Bound, s: Statement, table: dict[str, Any], axes: list[Any], depth: int, leaves: set[str] | None
    ) -> list[Any]:
        """The axes of an unordered reduction, sorted by their roles in the value: the same for every given order."""

        def seen(axis: Any) -> tuple[int, int]:
            marks = table | {a.name: sym(f"{'one' if a is axis else 'other'}.{depth}") for a in axes}
            value = self._tree(where, typed_value(where.kernel, s), marks, depth + 1, leaves)
            guard = frozenset(self._guard(where, s, marks, depth, leaves))
            return value, self.number("guard", guard)

        return sorted(axes, key=seen)

    def _built(self, where: _Bound, tensor: str, depth: int, leaves: set[str] | None) -> int:
        """All statements a tensor depends on, in order, each with its recurrence."""
        kernel, names = where.kernel, _needed(where.kernel, tensor)
        parts = []
        for n, s in enumerate(kernel.statements):
            if s.target.tensor not in names:
                continue
            target = _in_model(s.target.index, where.values.get(s.target.tensor))
            first = list(dict.fromkeys(str(x) for i in target for x in sorted(i.free_symbols, key=str)))
            named = {a.name: a for a in s.axes}
            axes = [*(named[n] for n in first if n in named), *(a for a in s.axes if a.name not in first)]
            table: dict[str, Any] = {a.name: sp.S.Zero for a in axes if a.extent == 1 and not kernel.recurrences}
            left = [a for a in axes if a.name not in table]
            table |= {a.name: sym(f"by{depth}.{k}") for k, a in enumerate(left)} if not kernel.recurrences else {}
            block = kernel.recurrence_of(n)
            parts.append(
                (
                    names[s.target.tensor],
                    kernel.tensor(s.target.tensor).dtype.name,
                    tuple(self._index(where, substitute(i, table), depth, leaves, names) for i in target),
                    s.op,
                    s.ordered,
                    tuple((str(substitute(a.symbol, table)), a.extent) for a in left),
                    self._guard(where, s, table, depth, leaves, names),
                    self._tree(where, typed_value(kernel, s), table, depth + 1, leaves, names),
                    None if block is None else (block.axis, kernel.recurrences.index(block)),
                )
            )
        return self.number("built", names[tensor], tuple(parts))

    def _guard(
        self, where: _Bound, s: Statement, table: Dict[str, Any], depth: int, leaves: set[str] | None,
        names: Dict[str, int] | None = None,
    ) -> tuple[Any, ...]:  # fmt: skip
        found = (self._index(where, substitute(g, table), depth, leaves, names) for g in s.guard)
        return tuple(g for g in found if g != True)  # noqa: E712

    def _tree(
        self, where: _Bound, x: Any, table: Dict[str, Any], depth: int, leaves: set[str] | None, names: Dict[str, int] | None = None
    ) -> int:  # fmt: skip
        """A value's tree. names: tensors being listed; they stand for themselves."""
        if isinstance(x, Read):
            index = tuple(self._index(where, substitute(i, table), depth, leaves, names) for i in x.index)
            if names and x.tensor in names:
                own = _in_model(index, where.values.get(x.tensor))
                return self.number("listed", names[x.tensor], own)
            return self.of_tensor(where, x.tensor, index, depth, leaves)
        if isinstance(x, IndexValue):
            found = self._index(where, substitute(x.args[0], table), depth, leaves, names)
            return self.number("number", found) if getattr(found, "is_Integer", False) else self.number("index", found)
        if isinstance(x, Scalar):
            return self.number(type(x).__name__, *(self._tree(where, a, table, depth, leaves, names) for a in x.args))
        return self.number("number", x)

    def _index(self, where: _Bound, i: Any, depth: int, leaves: set[str] | None, names: Dict[str, int] | None) -> Any:
        """An index, with its data elements named by their terms."""
        found = i.atoms(Element) if isinstance(i, sp.Basic) else ()
        table = {}
        for e in found:
            inner = tuple(self._index(where, k, depth, leaves, names) for k in e.index)
            term = self.of_tensor(where, e.tensor, inner, depth, leaves)
            table[e] = element(f"term {term}", ())
        return i.xreplace(table) if table else i


def _whole(kernel: Kernel, s: Statement) -> bool:
    """Whether the statement writes each element of its target once over its other axes, and nothing else writes it."""
    axes, shape = plain_target(s), kernel.tensor(s.target.tensor).shape
    if axes is None or (s.op == "=" and s.guard):
        return False
    extents = {a.name: a.extent for a in s.axes}
    if s.op == "=" and {*extents} != {a for a in axes if a}:
        return False
    return all((extents[a] if a else 1) == n for a, n in zip(axes, shape, strict=True))


Box = tuple[
    tuple[str, Any, Any], ...
]  # (axis, begin, length) along each dimension; the axis is '' where the index is none


def _boxes(kernel: Kernel, writers: list[Statement]) -> list[Box]:
    """Each statement's box, if they lie apart and fill the whole tensor, whatever the sizes; else none."""
    shape = [sp.sympify(n) for n in kernel.tensor(writers[0].target.tensor).shape]
    made = [_box(s) for s in writers]
    boxes = [b for b in made if b is not None]
    if len(boxes) < len(writers):
        return []
    inside = all(_at_most(b + n, whole) for box in boxes for (_, b, n), whole in zip(box, shape, strict=True))
    apart = all(
        any(_at_most(b + n, c) or _at_most(c + m, b) for (_, b, n), (_, c, m) in zip(one, other, strict=True))
        for one, other in combinations(boxes, 2)
    )
    filled = sp.expand(sum(sp.Mul(*(n for _, _, n in box)) for box in boxes) - sp.Mul(*shape)) == 0
    return boxes if inside and apart and filled else []


def _at_most(a: Any, b: Any) -> bool:
    """Whether it follows for all sizes from 1 on: in what they are above 1, the difference has no negative coefficient."""
    left = sp.expand((b - a).subs({x: x + 1 for x in (b - a).free_symbols}))
    return left.is_polynomial() and all(c >= 0 for c in left.as_coefficients_dict().values())


def _box(s: Statement) -> Box | None:
    """The box assigned by the statement, each of its axes along one dimension; None if it assigns no box."""
    extents = {a.name: sp.sympify(a.extent) for a in s.axes}
    if s.op != "=" or s.guard:
        return None
    found: list[tuple[str, Any, Any]] = []
    for i in map(sp.sympify, s.target.index):
        names = sorted({x.name for x in i.free_symbols} & set(extents))
        begin = sp.expand(i - sum(map(sym, names)))
        if len(names) > 1 or {x.name for x in begin.free_symbols} & set(extents) or not _at_most(sp.S.Zero, begin):
            return None
        found.append((names[0] if names else "", begin, extents[names[0]] if names else sp.S.One))
    there = [a for a, _, _ in found if a]
    return tuple(found) if sorted(there) == sorted(extents) else None


def _needed(kernel: Kernel, tensor: str) -> dict[str, int]:
    """The written tensors a tensor depends on, itself first, each with a number."""
    found, queue = {tensor: 0}, [tensor]
    for name in queue:
        for s in kernel.statements:
            if s.target.tensor != name:
                continue
            for a in s.inputs:
                if a.tensor in kernel.outputs and a.tensor not in found:
                    found[a.tensor] = len(found)
                    queue.append(a.tensor)
    return found
