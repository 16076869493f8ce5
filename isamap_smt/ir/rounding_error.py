"""How far the results of any program of a kernel may be from exact ones, for given arrays: a bound for each element.

Each operation is followed through with the rules of isamap_smt.ir.near. A sum of n terms, in any order, fused or not, adds at most
g = n u / (1 - n u) of the sum of the terms' sizes; a sum of sums counts the terms of all. So the bound is one of the kernel's
arithmetic where sums may come in any order, and holds for every program that is proved to compute it so. Where a program
computes another expression that is the same over the reals, the bound is of that expression (`trees`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import sympy as sp

from isamap_smt.ir import near
from isamap_smt.ir.convert import constant
from isamap_smt.ir.dtypes import DTYPES, DType
from isamap_smt.ir.errors import SizeError
from isamap_smt.ir.evaluate import CHUNK, Env, Functions, needs_single_points, points
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.ir.near import EXACT, Near
from isamap_smt.ir.scalar import (
    Cast,
    Read,
    Relu,
    Round,
    SAdd,
    Saturate,
    SDiv,
    Select,
    SMax,
    SMin,
    SMul,
    SNeg,
    SSub,
    Unary,
    put_into_indices,
)
from isamap_smt.ir.sizes import known_sizes
from isamap_smt.ir.time_steps import in_order, numbered_in_order
from isamap_smt.ir.typed import comparison_kind, literal_kind, type_of, typed_value

Array = np.ndarray
MOST = 4_000_000  # points of all statements
_HOLDS = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
}


def rounding_error(
    kernel: Kernel,
    arrays: Mapping[str, Array],
    sizes: Mapping[str, int] | None = None,
    trees: Mapping[int, Any] | None = None,
) -> dict[str, Near]:
    """Output name -> v and E of its elements: the exact result and a program's both lie within E of v; infinity where nothing is
    known. trees: values of statements, by their number, that are computed in their place.

    Raises SizeError for more points than are followed one by one, and as run_kernel().
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
                at = self.functions.flat_index(name, s.target.index, env)
                for sign, term in terms_of(value) if sum_ else [(1, value)]:
                    n = self._of(term, env, kind)
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
        """Each element becomes the largest, or smallest, of what it is and of these."""
        choose = np.minimum if smaller else np.maximum
        found = [values.astype(np.float64), values - errors, values + errors]
        for of, what in zip(found, (n.value, n.low, n.high), strict=True):
            choose.at(of, at, what)
        touched = np.unique(at)
        values[touched] = found[0][touched]
        errors[touched] = near.within(*(f[touched] for f in found)).error

    def _of(self, x: Any, env: Env, kind: DType) -> Near:
        own = type_of(x, self.types) or kind
        match x:
            case Read():
                value = self._leaf(x, env, own, self.values)
                error = self._leaf(x, env, own, {**self.values, x.tensor: self.errors[x.tensor]})
                return self._exact(value, error)
            case Cast():
                to = DTYPES[x.args[0].name]
                return self._cast(self._of(x.args[1], env, literal_kind(x.args[1], to)), self._kind(x.args[1], to), to)
            case Round():
                to = DTYPES[x.args[0].name]
                return near.whole(
                    self._of(x.args[1], env, DTYPES["f64"]), lambda v: np.clip(np.rint(v), to.low, to.high)
                )
            case Saturate():
                to = DTYPES[x.args[0].name]
                return near.whole(self._of(x.args[1], env, DTYPES["i64"]), lambda v: np.clip(v, to.low, to.high))
            case Select():
                return self._select(x, env, own)
            case SNeg():
                a = self._of(x.args[0], env, own)
                return near.rounded(Near(-a.value, a.error), own) if not own.is_float else Near(-a.value, a.error)
            case Relu():
                return near.larger(self._of(x.args[0], env, own), Near(np.zeros(1), np.zeros(1)))
            case Unary():
                return near.function(type(x), self._of(x.args[0], env, own), own)
            case SAdd() | SSub() | SMul() | SDiv() | SMax() | SMin():
                return self._binary(x, self._of(x.args[0], env, own), self._of(x.args[1], env, own), own)
        if isinstance(x, sp.Integer | sp.Float | sp.Rational):
            return _literal(x, own, env["#"].shape)
        if not any(isinstance(part, Read) for part in sp.preorder_traversal(x)):
            return self._exact(self._leaf(x, env, own, self.values), np.zeros(env["#"].shape))
        unknown = np.full(env["#"].shape, np.inf)
        return Near(np.zeros(env["#"].shape), unknown)

    def _leaf(self, x: Any, env: Env, own: DType, arrays: Mapping[str, Array]) -> Array:
        return self.functions.value(x, env, own)(arrays)

    @staticmethod
    def _exact(value: Array, error: Array) -> Near:
        """Integers beyond 2^53 are not exact in f64."""
        wide = value.astype(np.float64)
        known = np.isfinite(wide) & ((value.dtype.kind == "f") | (np.abs(wide) <= EXACT))
        return Near(wide, np.where(known, error, np.inf))

    def _kind(self, x: Any, otherwise: DType) -> DType:
        return type_of(x, self.types) or otherwise

    def _cast(self, a: Near, given: DType, to: DType) -> Near:
        if not to.is_float:
            return (
                near.whole(a, lambda v: np.clip(np.trunc(v), to.low, to.high))
                if given.is_float
                else near.rounded(a, to)
            )
        return a if given == to or (given.is_float and to.bits > given.bits) else near.rounded(a, to)

    def _select(self, x: Any, env: Env, own: DType) -> Near:
        condition = x.args[0]
        kind = comparison_kind(condition, self.types, own)
        a, b = (self._of(v, env, kind) for v in condition.args[1:])
        yes, no = (self._of(v, env, own) for v in x.args[1:])
        certain = (a.error + b.error == 0) | (np.abs(a.value - b.value) > (a.error + b.error) * near.SLACK)
        return near.chosen(certain, _HOLDS[condition.args[0].name](a.value, b.value), yes, no)

    @staticmethod
    def _binary(x: Any, a: Near, b: Near, own: DType) -> Near:
        match x:
            case SAdd() | SSub():
                return near.add(a, b, own, 1 if isinstance(x, SAdd) else -1)
            case SMul():
                return near.multiply(a, b, own)
            case SDiv():
                return near.divide(a, b, own)
        return near.larger(a, b, isinstance(x, SMin))


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
        """What the elements held is one term more."""
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


def terms_of(value: Any, sign: int = 1) -> Iterator[tuple[int, Any]]:
    """What a sum adds, one by one: a program may add the parts of a sum by themselves."""
    if isinstance(value, SAdd | SSub):
        yield from terms_of(value.args[0], sign)
        yield from terms_of(value.args[1], sign if isinstance(value, SAdd) else -sign)
    elif isinstance(value, SNeg):
        yield from terms_of(value.args[0], -sign)
    else:
        yield sign, value


def _literal(x: Any, kind: DType, shape: tuple[int, ...]) -> Near:
    """A number of the text, and what its type makes of it."""
    held = float(np.asarray(constant(x, kind)).astype(np.float64))
    exact = sp.Rational(str(x)) if isinstance(x, sp.Float) else sp.Rational(x)
    off = abs(float(sp.Rational(held) - exact)) if np.isfinite(held) else np.inf
    return Near(np.full(shape, held), np.full(shape, off * near.SLACK))
