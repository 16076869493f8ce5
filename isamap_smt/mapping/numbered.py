"""Makes the values of axes elements of temporaries, one for each value and type. Nothing here is trusted:
proof/rewrite_claims.py shows that both kernels compute the same.

    N[i] min= select(X[i,j] == M[i], i32(j), J)

    j_i32[j] = i32(j)
    N[i] min= select(X[i,j] == M[i], j_i32[j], J)

A value of one axis has this axis' points as elements. A value of several axes, such as q - k, has an element for each
number between its least and its largest. Two whole numbers are compared in i64. The temporaries have the first of three
types that holds all of both sides: the type of the values chosen by the comparison, i32, or i64.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import sympy as sp

from isamap_smt.ir.boxes import extreme
from isamap_smt.ir.dtypes import DTYPES, DType
from isamap_smt.ir.errors import DTypeError, ScheduleError
from isamap_smt.ir.expr import sym, symbols_of
from isamap_smt.ir.kernel import Access, Axis, Kernel, Statement, Tensor
from isamap_smt.ir.rewrite import Again, Counted, Rewrite, Role
from isamap_smt.ir.rows import Numbered
from isamap_smt.ir.scalar import (
    Cast,
    Compare,
    IndexValue,
    Read,
    Round,
    Saturate,
    Scalar,
    Select,
    cast,
    index_values,
    read,
    reads,
)
from isamap_smt.ir.typed import ends, holds, literal_kind, type_of, typed_value
from isamap_smt.mapping.substituted import new_name, with_statements


def numberable(kernel: Kernel) -> tuple[int, ...]:
    """The statements that compute with elements and with values of axes, or sum values of open sizes (`X[i,j] / J`).
    Each of these values can be an element."""
    found = []
    for n, s in enumerate(kernel.statements):
        axes = {a.name for a in s.axes} | (set(kernel.free_sizes) if s.reduction_axes else set())
        if any(True for _ in reads(s.value)) and symbols_of(index_values(s.value)) & axes:
            try:
                _Tables(kernel, s).value()
            except (ScheduleError, DTypeError):
                continue
            found.append(n)
    return tuple(found)


def numbered(kernel: Kernel, statements: tuple[int, ...]) -> Rewrite:
    """The kernel whose given statements read the values of axes. Raises ScheduleError if one has none to be read."""
    tables: dict[Any, _Table] = {}
    every = list(kernel.statements)
    for n in statements:
        here = _Tables(kernel, every[n], tables)
        value = here.value()
        every[n] = replace(every[n], value=value, source="")
    found = list(tables.values())
    made = (*(t.statement for t in found), *every)
    roles: tuple[Role, ...] = (
        *(Counted(n, t.tensor.name) for n, t in enumerate(found)),
        *(Again(n + len(found), n) for n in statements),
    )
    new = with_statements(kernel, made, -1, [t.tensor for t in found])
    return Rewrite(kernel, new, Numbered(statements), roles)


@dataclass(frozen=True)
class _Table:
    """A temporary with the values of an expression, and its statement."""

    tensor: Tensor
    statement: Statement


@dataclass
class _Tables:
    """The temporaries read by a statement, by expression, axes and type."""

    kernel: Kernel
    s: Statement
    made: dict[Any, _Table] = field(default_factory=dict)

    def value(self) -> Any:
        """The statement's value, with elements in the place of values of axes."""
        typed = typed_value(self.kernel, self.s)
        self.types = {t.name: t.dtype for t in self.kernel.tensors}
        value = self._value(typed, self.types[self.s.target.tensor])
        if value == typed:
            raise ScheduleError(f"{self.s.place or self.kernel.name} computes with no axis")
        return value

    def _value(self, x: Any, kind: DType | None) -> Any:
        """x with elements for its index values; `kind` is its type if it has none of its own."""
        if isinstance(x, IndexValue):
            if kind is None:
                raise ScheduleError(f"{x.args[0]} has no type there")
            return self._element(x.args[0], kind)
        if isinstance(x, Read) or not isinstance(x, Scalar) or not index_values(x):
            return x
        match x:
            case Cast():
                to, inner = DTYPES[x.args[0].name], x.args[1]
                own = to if isinstance(inner, IndexValue) else type_of(inner, self.types) or literal_kind(inner, to)
                return Cast(x.args[0], self._value(inner, own))
            case Round():
                return Round(x.args[0], self._value(x.args[1], type_of(x.args[1], self.types) or DTYPES["f64"]))
            case Saturate():
                return Saturate(x.args[0], self._value(x.args[1], None))
            case Select():
                kind = type_of(x, self.types) or kind
                sides = [self._value(v, kind) for v in x.args[1:]]
                return Select(self._condition(x.args[0], kind), *sides)
        kind = type_of(x, self.types) or kind
        return x.func(*(self._value(a, kind) for a in x.args))

    def _condition(self, c: Any, around: DType | None) -> Any:
        op, *sides = c.args
        own = next((t for v in sides if (t := type_of(v, self.types))), None)
        if own is None:
            if not all(isinstance(v, IndexValue | sp.Integer) for v in sides):
                raise ScheduleError("a comparison of numbers that are computed")
            bounds = [ends(v.args[0] if isinstance(v, IndexValue) else v, self.kernel, self.s) for v in sides]
            kinds = [d for d in (around, DTYPES["i32"], DTYPES["i64"]) if d is not None]
            own = next((d for d in kinds if all(holds(d, *b) for b in bounds)), None)
            if own is None:
                raise ScheduleError("no type holds both sides of a comparison")
            written = (
                own != self.types[self.s.target.tensor]
            )  # as elements of another type are, without which all are converted
            sides = [self._value(v, own) for v in sides]
            return Compare(op, *(cast(own, v) if written and isinstance(v, Read) else v for v in sides))
        return Compare(op, *(self._value(v, own) for v in sides))

    def _element(self, e: Any, kind: DType) -> Any:
        """The element with the value of e."""
        axes = [a for a in self.s.axes if a.name in symbols_of([e])]
        known = {a.name for a in self.s.axes} | set(self.kernel.free_sizes) | {p.name for p in self.kernel.parameters}
        if symbols_of([e]) - known:
            raise ScheduleError(f"{e} is of an axis that a sum in the value counts")
        index: tuple[Any, ...] = tuple(a.symbol for a in axes)
        shape: tuple[Any, ...] = tuple(a.extent for a in axes)
        low: Any = 0
        if len(axes) > 1:
            low, high = (extreme(e, tuple(axes), largest) for largest in (False, True))
            if low is None or high is None:
                raise ScheduleError(f"{e} is no sum of axes with whole numbers")
            index, shape = (sp.expand(e - low),), (sp.expand(high - low + 1),)
        key = (e, index, shape, kind.name)
        if key not in self.made:
            self.made[key] = self._table(e, axes, low, shape, kind)
        return read(self.made[key].tensor.name, *index)

    def _table(self, e: Any, axes: list[Axis], low: Any, shape: tuple[Any, ...], kind: DType) -> _Table:
        taken = {t.tensor.name for t in self.made.values()}
        words = "_".join(a.name for a in axes) or "size"
        name = new_name(self.kernel, f"{words}_{kind.name}")
        while name in taken:
            name = new_name(self.kernel, f"{name}_")
        if len(axes) > 1:
            at = new_name(self.kernel, f"{name.lower()}_at")
            axes, e = [Axis(at, shape[0])], sp.expand(sym(at) + low)
        value = cast(kind, IndexValue(e))
        place = Access(name, tuple(a.symbol for a in axes))
        return _Table(Tensor(name, kind, shape), Statement(place, "=", value, tuple(axes)))


__all__ = ["numberable", "numbered"]
