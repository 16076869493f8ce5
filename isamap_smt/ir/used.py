"""The uses of an index made of data: there, and nowhere else, each call checks its range.

`select(T[i] < 0, 0, E[T[i]])` uses T[i] as an index if T[i] >= 0. A condition on the kernel's own results excludes no
use, since a call checks before it computes. In the other places element 0 is read (ir/expr.py: Inside), and comes to
nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp

from isamap_smt.ir.dtypes import DTYPES
from isamap_smt.ir.errors import SizeError
from isamap_smt.ir.evaluate import CHUNK, Env, Functions, points
from isamap_smt.ir.expr import (
    WIDEST,
    Element,
    Inside,
    ISelect,
    elements,
    evaluate,
    held_as,
    substitute,
    symbols_of,
    words,
    written,
)
from isamap_smt.ir.indirect import Held, by_data
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.ir.scalar import Compare, Read, Scalar, Select, index_values, put_into_indices, reads
from isamap_smt.ir.typed import typed_value

Condition = tuple[Any, bool]  # a Compare of values, or a relation of indices, and whether it holds


@dataclass(frozen=True)
class Used:
    """`index` must be valid wherever all conditions hold in the statement.

    An Inside is an index of this dimension of the tensor. An Element is a part of an index, and must be within WIDEST.
    """

    statement: int
    tensor: str
    dimension: int
    index: Any
    conditions: tuple[Condition, ...] = ()

    @property
    def extent(self) -> Any:
        """The upper bound, excluded, of the index."""
        return self.index.args[1] if isinstance(self.index, Inside) else sp.Integer(WIDEST)

    @property
    def low(self) -> int:
        """The least value of the index."""
        return 0 if isinstance(self.index, Inside) else 1 - WIDEST

    def at(self, sizes: Mapping[str, int]) -> Used:
        """The same at these sizes."""
        conditions = tuple(
            (put_into_indices(c, sizes) if isinstance(c, Compare) else substitute(c, sizes), holds)
            for c, holds in self.conditions
        )
        return replace(self, index=substitute(self.index, sizes), conditions=conditions)

    def __str__(self) -> str:
        low, high = ("-2**40 <", "2**40") if self.low else ("0 <=", words(self.extent))
        return f"{low} {words(written(self.index))} < {high} where statement {self.statement + 1} uses it"


@lru_cache(maxsize=512)
def uses(kernel: Kernel) -> tuple[Used, ...]:
    """Every use of an index made of data, each once; a use covered by another without conditions is left out."""
    found: dict[Used, None] = {}
    for n, s in enumerate(kernel.statements):
        if by_data(s):
            walk = _Walk(kernel, n)
            found |= dict.fromkeys(walk.place(s.target.tensor, s.target.index, ()))
            found |= dict.fromkeys(walk.value(typed_value(kernel, s), ()))
    everywhere = {replace(u, conditions=()) for u in found if not u.conditions}
    return tuple(u for u in found if not u.conditions or replace(u, conditions=()) not in everywhere)


@dataclass(frozen=True)
class _Walk:
    kernel: Kernel
    statement: int

    def value(self, x: Any, path: tuple[Condition, ...]) -> Iterator[Used]:
        if isinstance(x, Select):
            compared, yes, no = x.args
            for side in compared.args[1:]:
                yield from self.value(side, path)
            yield from self.value(yes, self._under(path, compared, True))
            yield from self.value(no, self._under(path, compared, False))
        elif isinstance(x, Read):
            yield from self.place(x.tensor, x.index, path)
        elif isinstance(x, Scalar):
            for a in x.args:
                yield from self.value(a, path)

    def _under(self, path: tuple[Condition, ...], compared: Any, holds: bool) -> tuple[Condition, ...]:
        told = all(r.tensor in self.kernel.inputs for r in reads(compared))
        return (*path, (compared, holds)) if told else path

    def place(self, tensor: str, index: tuple[Any, ...], path: tuple[Condition, ...]) -> Iterator[Used]:
        for d, i in enumerate(index):
            if not isinstance(i, Inside):
                continue
            yield Used(self.statement, tensor, d, i, path)
            yield from self._data(tensor, d, i.args[0], path, isinstance(i.args[0], Element))

    def _data(self, tensor: str, d: int, e: Any, path: tuple[Condition, ...], whole: bool = False) -> Iterator[Used]:
        if isinstance(e, ISelect):
            a, b, x, y = e.args
            less = sp.Lt(a, b, evaluate=False)
            for part, around in ((a, path), (b, path), (x, (*path, (less, True))), (y, (*path, (less, False)))):
                yield from self._data(tensor, d, part, around)
        elif isinstance(e, Element):
            if not whole and self.kernel.tensor(e.tensor).dtype.bits == 64:
                yield Used(self.statement, tensor, d, e, path)
            yield from self.place(e.tensor, e.index, path)
        else:
            for part in e.args:
                yield from self._data(tensor, d, part, path)


def domain(kernel: Kernel, use: Used) -> Statement:
    """The statement with its guard, and only the axes in them and in the use."""
    s = kernel.statements[use.statement]
    compared = [c for c, _ in use.conditions if isinstance(c, Compare)]
    places = [i for c in compared for r in reads(c) for i in r.index]
    values = [e for c in compared for e in index_values(c)]
    relations = [c for c, _ in use.conditions if not isinstance(c, Compare)]
    needed = symbols_of([use.index, *places, *values, *relations, *s.guard])
    return replace(s, axes=tuple(a for a in s.axes if a.name in needed))


def left_out(kernel: Kernel, use: Used) -> tuple[Any, ...]:
    """The extents of the axes left out by domain(): if one of them is not positive, there is no use."""
    kept = {a.name for a in domain(kernel, use).axes}
    return tuple(a.extent for a in kernel.statements[use.statement].axes if a.name not in kept)


def misused(kernel: Kernel, use: Used, arrays: Mapping[str, np.ndarray]) -> str:
    """The fault of the first invalid index at its use, in the order of the statement's axes; '' if there is none.

    Sizes are numbers. Raises SizeError if an element in the index lies outside of its tensor.
    """
    if not isinstance(use.index, Inside | Element) or any(int(e) <= 0 for e in left_out(kernel, use)):
        return ""
    functions = Functions(kernel, {n: a.shape for n, a in arrays.items()})
    names = {t.name for t in kernel.tensors}
    held = {held_as(n): Held(a) for n, a in arrays.items() if n in names and a.dtype.kind in "iu"}
    for every in points(domain(kernel, use), CHUNK):
        env = _where(functions, every | held, use.conditions, arrays)
        if not env["#"].size:
            continue
        for e in elements([use.index]):
            functions.flat_index(e.tensor, e.index, env)
        at = np.broadcast_to(np.asarray(evaluate(written(use.index), env)), env["#"].shape)
        bad = (at < use.low) | (at >= int(use.extent))
        if bad.any():
            return _told(kernel, use, env, arrays, at, int(np.argmax(bad)))
    return ""


def _where(functions: Functions, env: Env, conditions: tuple[Condition, ...], arrays: Mapping[str, np.ndarray]) -> Env:
    """The points satisfying the conditions."""
    for c, holds in conditions:
        shape = env["#"].shape
        if isinstance(c, Compare):
            one, zero = sp.Integer(1), sp.Integer(0)
            with np.errstate(all="ignore"):
                found = functions.value(Select(c, one, zero), env, DTYPES["i64"])(arrays) != 0
        else:
            found = evaluate(c, env)
        keep = np.broadcast_to(np.asarray(found, bool), shape) == holds
        env = {n: v if isinstance(v, Held) else v[keep] for n, v in env.items()}
    return env


def _told(kernel: Kernel, use: Used, env: Env, arrays: Mapping[str, np.ndarray], at: np.ndarray, first: int) -> str:
    point = {n: int(v[first]) for n, v in env.items() if n != "#" and not isinstance(v, Held)}
    one: Env = {n: v if isinstance(v, Held) else v[first : first + 1] for n, v in env.items()}
    found = []
    for e in elements([use.index]):
        place = [int(np.broadcast_to(np.asarray(evaluate(i, one)), (1,))[0]) for i in e.index]
        found.append(f"{e.tensor}{place} is {arrays[e.tensor][tuple(place)]}")
    index = written(use.index)
    said = f"{words(index)} is {at[first]}"
    if isinstance(index, Element):
        said, found = found[0], found[1:]
    where = ", ".join(f"{n}={v}" for n, v in point.items())
    said += (f" at {where}" if where else "") + (f" ({', '.join(found)})" if found else "")
    if isinstance(use.index, Element):
        return f"{said}, and {kernel.name} computes an index of {use.tensor} from it; it must be within 2**40"
    extent = int(use.extent)
    return (
        f"{said}, and {kernel.name} uses it as an index of dimension {use.dimension} of {use.tensor}, which has {extent} elements; "
        f"it must be in [0, {extent})"
    )


def require_used(kernel: Kernel, arrays: Mapping[str, np.ndarray]) -> None:
    """Raises SizeError if an index is invalid at its use. Sizes are numbers."""
    for use in uses(kernel):
        if text := misused(kernel, use, arrays):
            raise SizeError(text)


def fitting(kernel: Kernel, arrays: Mapping[str, np.ndarray], rng: np.random.Generator) -> dict[str, np.ndarray]:
    """The arrays, with new elements in inputs behind an index invalid at its use. Sizes are numbers.

    The elements are drawn from the first of some small ranges free of invalid indices.
    """
    found = dict(arrays)
    for use in uses(kernel):
        tensors = sorted({e.tensor for e in elements([use.index])})
        extent = int(use.extent)
        spans = [
            (0, extent - 1),
            (-extent, -1),
            (-extent, extent - 1),
            (0, 0),
            (1, 1),
            (-1, -1),
            *((n, n) for n in range(2, 9)),
        ]
        for low, high in spans:
            if not misused(kernel, use, found):
                break
            for n in tensors:
                kind = kernel.tensor(n).dtype
                least, most = (min(max(v, kind.low), kind.high) for v in (low, high))
                found[n] = rng.integers(least, most, found[n].shape, endpoint=True).astype(kind.numpy)
    return found


__all__ = ["Used", "domain", "fitting", "left_out", "misused", "require_used", "uses"]
