"""Multiplies out a product of differences, so that a sum of products remains for instructions. Nothing here is trusted:
proof/rewrite_claims.py shows that both kernels compute the same.

    C[i,j] += (i32(A[i,k]) - i32(a[])) * (i32(B[k,j]) - i32(b[]))            zero points

    C_left[i] += i32(A[i,k])
    C_right[j] += i32(B[k,j]) - i32(b[])
    C[i,j] += i32(A[i,k]) * i32(B[k,j])
    C[i,j] += -i32(b[]) * C_left[i] + -i32(a[]) * C_right[j]

A factor p + c has a part p that varies along the sum and a fixed part c; (p + c) (q + d) is p q + d p + c (q + d).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import sympy as sp

from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.errors import DTypeError, ScheduleError
from isamap_smt.ir.expr import symbols_of
from isamap_smt.ir.indirect import writes_by_data
from isamap_smt.ir.kernel import Access, Kernel, Statement, Tensor
from isamap_smt.ir.rewrite import Again, Closing, Rewrite, Role, Total
from isamap_smt.ir.rows import Multiplied
from isamap_smt.ir.scalar import SAdd, SMul, SNeg, SSub, bound_axes, index_values, read, reads
from isamap_smt.ir.typed import typed_value
from isamap_smt.mapping.substituted import in_place_of, new_name


@dataclass(frozen=True)
class _Factor:
    """varying: the sum of the terms on axes of the sum; fixed: of the other terms, None if there are none."""

    varying: Any
    fixed: Any

    @property
    def whole(self) -> Any:
        return self.varying if self.fixed is None else _added(self.varying, self.fixed)


def multipliable(kernel: Kernel, statement: int) -> bool:
    """Whether the statement adds products of two factors that both vary along the sum, one with a fixed part."""
    return _factors(kernel, statement) is not None


def multiply_out(kernel: Kernel, statement: int | None = None) -> Rewrite:
    """The kernel with the factors' fixed parts taken out of the sum. Raises ScheduleError if there are none."""
    n = kernel.main if statement is None else statement
    found = _factors(kernel, n)
    if found is None:
        raise ScheduleError(
            f"statement {n + 1} of {kernel.name} adds no products of differences that can be multiplied out"
        )
    s, (p, q) = kernel.statements[n], found
    made: list[Statement] = []
    tensors: list[Tensor] = []
    closing: list[Any] = []
    for part, summed, other in (("left", p.varying, q.fixed), ("right", q.whole, p.fixed)):
        if other is not None:
            total, statement_of_it, tensor = _total(kernel, s, f"{s.target.tensor}_{part}", summed)
            made.append(statement_of_it)
            tensors.append(tensor)
            closing.append(SMul(other, total))
    outer = tuple(a for a in s.axes if a.name not in s.reduction_axes)
    made.append(replace(s, value=SMul(p.varying, q.varying), source=""))
    made.append(Statement(s.target, "+", reduce(SAdd, closing), outer))
    totals = [Total(n + k, t.name) for k, t in enumerate(tensors)]
    roles: tuple[Role, ...] = (*totals, Again(n + len(totals), n), Closing(n + len(totals) + 1))
    return Rewrite(kernel, in_place_of(kernel, n, made, tensors), Multiplied(n, s.reduction_axes[0]), roles)


def _total(kernel: Kernel, s: Statement, name: str, summed: Any) -> tuple[Any, Statement, Tensor]:
    """(its element as a value, the statement that sums this part of a factor over the sum's points, its tensor)."""
    there = symbols_of([i for r in reads(summed) for i in r.index])
    axes = tuple(a for a in s.axes if a.name in {*there, *s.reduction_axes})
    kept = tuple(a for a in axes if a.name not in s.reduction_axes)
    index = tuple(a.symbol for a in kept)
    tensor = Tensor(new_name(kernel, name), kernel.tensor(s.target.tensor).dtype, tuple(a.extent for a in kept))
    return read(tensor.name, *index), Statement(Access(tensor.name, index), "+", summed, axes), tensor


def _factors(kernel: Kernel, statement: int) -> tuple[_Factor, _Factor] | None:
    s = kernel.statements[statement]
    kind = kernel.tensor(s.target.tensor).dtype
    if s.op != "+" or s.guard or s.ordered or kind.is_float or kernel.recurrence_of(statement) is not None:
        return None
    if writes_by_data(s):
        return None
    if not s.reduction_axes or not isinstance(s.value, SMul) or any(a.tensor == s.target.tensor for a in s.inputs):
        return None
    try:
        value = typed_value(kernel, s)
    except DTypeError:
        return None
    if not isinstance(value, SMul) or index_values(value) or bound_axes(value):
        return None
    found = [_factor(f, set(s.reduction_axes), kind) for f in value.args]
    one, other = found
    if one is None or other is None or (one.fixed is None and other.fixed is None):
        return None
    return one, other


def _factor(value: Any, summed: set[str], kind: DType) -> _Factor | None:
    """The two parts, in the type of the sum; None if nothing varies along the sum."""
    parts: dict[bool, list[Any]] = {True: [], False: []}
    for term in _terms(value, positive=True):
        below = isinstance(term, sp.Integer) and term < 0 and kind.kind == "u"  # no literal of an unsigned type is
        wrapped = term + (1 << kind.bits) if below else term
        parts[bool(symbols_of([i for r in reads(term) for i in r.index]) & summed)].append(wrapped)
    varying, fixed = (reduce(_added, terms) if terms else None for terms in (parts[True], parts[False]))
    return None if varying is None else _Factor(varying, fixed)


def _added(a: Any, b: Any) -> Any:
    return SSub(a, b.args[0]) if isinstance(b, SNeg) else SAdd(a, b)


def _terms(value: Any, positive: bool) -> list[Any]:
    """The terms of a sum, each with its sign."""
    match value:
        case SAdd():
            return [t for x in value.args for t in _terms(x, positive)]
        case SSub():
            return [*_terms(value.args[0], positive), *_terms(value.args[1], not positive)]
        case SNeg():
            return _terms(value.args[0], not positive)
        case sp.Integer():
            return [value if positive else -value]
    return [value if positive else SNeg(value)]


__all__ = ["multipliable", "multiply_out"]
