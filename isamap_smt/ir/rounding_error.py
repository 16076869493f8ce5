"""Distances of the results of any program of a kernel from exact ones, for given arrays: a bound for each element.

Each operation is followed through with the rules of isamap_smt.ir.near. A sum of n terms, in any order, fused or not,
adds at most g = n u / (1 - n u) of the sum of the terms' sizes; a sum of sums counts the terms of all. So the bound is
one of the kernel's arithmetic with sums in any order, and holds for every program proved to compute it so. If a program
computes another expression, equal over the reals, the bound is of that expression (`trees`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import sympy as sp

from isamap_encodings.scalar_values import COMPARE
from isamap_smt.ir import near
from isamap_smt.ir.convert import constant
from isamap_smt.ir.dtypes import DTYPES, DType
from isamap_smt.ir.errors import SizeError
from isamap_smt.ir.evaluate import CHUNK, Env, Functions, needs_single_points, points
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.ir.meaning import Rows
from isamap_smt.ir.near import EXACT, Near
from isamap_smt.ir.rounding_walk import Steps
from isamap_smt.ir.scalar import Cast, Read, Round, Select, put_into_indices, terms_of
from isamap_smt.ir.sizes import known_sizes
from isamap_smt.ir.time_steps import in_order, numbered_in_order
from isamap_smt.ir.typed import typed_value

Array = np.ndarray
MOST = 4_000_000  # points of all statements


def rounding_error(
    kernel: Kernel,
    arrays: Mapping[str, Array],
    sizes: Mapping[str, int] | None = None,
    trees: Mapping[int, Any] | None = None,
) -> dict[str, Near]:
    """Output name -> v and E of its elements: the exact result and a program's both lie within E of v.

    E is infinity if nothing is known. trees: values computed in place of statements, by statement number. Raises
    SizeError if there are too many points to follow one by one, and the errors of run_kernel().
    """
    from isamap_smt.ir.interpret import prepare

    fixed, held = prepare(kernel, arrays, None, sizes)
    count = sum(int(np.prod([int(a.extent) for a in s.axes], dtype=object)) for s in fixed.statements)
    if count > MOST:
        raise SizeError(f"{kernel.name}: the rounding of {count:,} points is not followed one by one")
    if any(map(needs_single_points, in_order(fixed))):
        raise SizeError(
            f"{kernel.name}: a point of a statement reads what another one writes, and its rounding is not followed"
        )
    found = _Bounds(fixed, held)
    known = known_sizes(kernel, {n: np.shape(a) for n, a in arrays.items()}, sizes) if trees else {}
    for number, time, s in numbered_in_order(fixed):
        tree = (trees or {}).get(number)
        found.statement(s, None if tree is None else put_into_indices(tree, {**known, **time}))
    return {n: found.near(n) for n in fixed.results}


class _Bounds:
    """v and E of every element of every tensor so far."""

    def __init__(self, kernel: Kernel, held: Mapping[str, Array]) -> None:
        self.kernel, self.types = kernel, {t.name: t.dtype for t in kernel.tensors}
        wide = {n: a.astype(np.float64) if self.types[n].is_float else a for n, a in held.items()}
        self.values = {n: np.array(a, order="C") for n, a in wide.items()}
        self.errors = {n: np.zeros(a.shape) for n, a in wide.items()}
        floats = {t.name: "f64" for t in kernel.tensors if t.dtype.is_float}
        self.functions = Functions(kernel.with_dtypes(floats), {n: a.shape for n, a in wide.items()})

    def near(self, tensor: str) -> Near:
        """Those of a tensor."""
        return Near(self.values[tensor].astype(np.float64), self.errors[tensor])

    def statement(self, s: Statement, tree: Any = None) -> None:
        """The statement is carried out."""
        value = typed_value(self.kernel, s) if tree is None else tree
        name, kind = s.target.tensor, self.types[s.target.tensor]
        values, errors = self.values[name].reshape(-1), self.errors[name].reshape(-1)
        sum_ = _Sum(values.size) if s.op == "+" else None
        with np.errstate(all="ignore"):
            for env in points(s, CHUNK):
                at = self.functions.place(name, s.target.index, env)
                at = at(self.values) if callable(at) else at
                for sign, term in terms_of(value) if sum_ else [(1, value)]:
                    n = _At(self, env).of(term, kind)
                    if sum_:
                        sum_.add(at, sign, n)
                    elif s.op == "=":
                        values[at], errors[at] = n.value, n.error
                    elif s.op in ("max", "min"):
                        self._larger(values, errors, at, n, s.op == "min")
                    else:
                        errors[at] = np.inf  # a product of many: nothing is said
            if sum_:
                sum_.into(values, errors, kind)

    @staticmethod
    def _larger(values: Array, errors: Array, at: Array, n: Near, smaller: bool) -> None:
        """Each element becomes the largest, or smallest, of its old value and these."""
        choose = np.minimum if smaller else np.maximum
        found = [values.astype(np.float64), values - errors, values + errors]
        for of, what in zip(found, (n.value, n.low, n.high), strict=True):
            choose.at(of, at, what)
        touched = np.unique(at)
        values[touched] = found[0][touched]
        errors[touched] = near.within(*(f[touched] for f in found)).error


class _At(Steps[Near]):
    """v and E of values at these points."""

    def __init__(self, bounds: _Bounds, env: Env) -> None:
        super().__init__(bounds.types)
        self.bounds, self.env = bounds, env

    def other(self, x: Any, own: DType) -> Near:
        """A value without elements is exact; of others nothing is known."""
        if not any(isinstance(part, Read) for part in sp.preorder_traversal(x)):
            return _exact(self._leaf(x, own, self.bounds.values), np.zeros(self.env["#"].shape))
        return Near(np.zeros(self.env["#"].shape), np.full(self.env["#"].shape, np.inf))

    def _leaf(self, x: Any, own: DType, arrays: Mapping[str, Array]) -> Array:
        return self.bounds.functions.value(x, self.env, own)(arrays)

    def _read(self, x: Any, own: DType) -> Near:
        values = self.bounds.values
        errors = {**values, x.tensor: self.bounds.errors[x.tensor]}
        return _exact(self._leaf(x, own, values), self._leaf(x, own, errors))

    def step(self, op: str, x: Any, own: DType, operands: Sequence[Near], ulp: float = 0.5) -> Near:
        return near.stepped(op, operands, own, ulp)

    def to_integer(self, x: Any, to: DType, a: Near) -> Near:
        if isinstance(x, Cast) and not self.given(x).is_float:
            return near.rounded(a, to)
        turned = {Cast: np.trunc, Round: np.rint}.get(type(x), np.asarray)
        return near.whole(a, lambda v: np.clip(turned(v), to.low, to.high))

    def _select(self, x: Any, own: DType, a: Near, b: Near, yes: Near, no: Near) -> Near:
        certain = (a.error + b.error == 0) | (np.abs(a.value - b.value) > (a.error + b.error) * near.SLACK)
        return near.chosen(certain, COMPARE[x.args[0].args[0].name](a.value, b.value), yes, no)

    def _literal(self, x: Any, own: DType) -> Near:
        """A number of the text, and its distance from the number held by its type."""
        held = float(np.asarray(constant(x, own)).astype(np.float64))
        exact = sp.Rational(str(x)) if isinstance(x, sp.Float) else sp.Rational(x)
        off = abs(float(sp.Rational(held) - exact)) if np.isfinite(held) else np.inf
        shape = self.env["#"].shape
        return Near(np.full(shape, held), np.full(shape, off * near.SLACK))

    leaves: ClassVar[Rows] = {Read: _read, sp.Rational: _literal, sp.Float: _literal}
    rows: ClassVar[Rows] = {**Steps.rows, Select: _select}


def _exact(value: Array, error: Array) -> Near:
    """Integers beyond 2^53 are not exact in f64."""
    wide = value.astype(np.float64)
    known = np.isfinite(wide) & ((value.dtype.kind == "f") | (np.abs(wide) <= EXACT))
    return Near(wide, np.where(known, error, np.inf))


class _Sum:
    """Terms added to elements, in any order."""

    def __init__(self, size: int) -> None:
        self.value, self.error, self.sizes, self.count = np.zeros((4, size))

    def add(self, at: Array, sign: int, term: Near) -> None:
        """A term for each of these elements."""
        shape = at.shape
        for of, what in (
            (self.value, sign * term.value), (self.error, term.error), (self.sizes, term.size), (self.count, np.ones(1)),
        ):  # fmt: skip
            np.add.at(of, at, np.broadcast_to(what, shape))

    def into(self, values: Array, errors: Array, kind: DType) -> None:
        """The elements with the sum added; their old value is one term more."""
        value, sizes = values + self.value, self.sizes + np.abs(values) + errors
        error, touched = errors + self.error, self.count > 0
        if kind.is_float:
            unit, wide = near.Unit.of(kind), near.Unit.of(DTYPES["f64"])
            share = sum(_grown(self.count, u.relative) for u in (unit, wide))
            total = near.settled(value, np.where(sizes < unit.largest, error + share * sizes, np.inf))
        else:
            total = near.rounded(Near(value, np.where(sizes <= EXACT, error, np.inf)), kind)
        values[touched], errors[touched] = total.value[touched], total.error[touched]


def _grown(n: Array, u: float) -> Array:
    """n u / (1 - n u)."""
    return np.asarray(np.where(n * u < 1, n * u / np.maximum(1 - n * u, u), np.inf))
