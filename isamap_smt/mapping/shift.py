"""Moves an operand of a sum of products by a number, so that signed bytes have no sign. Nothing here is trusted:
proof/rewrite_claims.py shows that both kernels compute the same.

    T[i,j] += i32(X[i,k]) * i32(W[k,j])                  bytes of X with a sign

    X_moved[i,k] = u8(i32(X[i,k]) + 128)
    T_moves[j] += i32(W[k,j]) * -128
    T[i,j] += i32(X_moved[i,k]) * i32(W[k,j])
    T[i,j] += T_moves[j]
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import sympy as sp

from isamap_smt.ir.dtypes import DTYPES
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import sym, symbols_of
from isamap_smt.ir.indirect import writes_by_data
from isamap_smt.ir.kernel import Access, Axis, Kernel, Statement, Tensor
from isamap_smt.ir.rewrite import Again, Closing, Copied, Rewrite, Total
from isamap_smt.ir.rows import Moved
from isamap_smt.ir.scalar import Cast, Read, SAdd, SMul, read, rewrite_reads
from isamap_smt.mapping.substituted import in_place_of, new_name

UNSIGNED = {"i8": "u8"}  # what an operand becomes
SUMS = "i32"


def movable(kernel: Kernel, statement: int) -> tuple[str, ...]:
    """The statement's operands that can be moved: signed bytes, as one factor of the added product."""
    s = kernel.statements[statement]
    if s.op != "+" or s.guard or s.ordered or kernel.recurrence_of(statement) is not None or writes_by_data(s):
        return ()
    if not isinstance(s.value, SMul) or kernel.tensor(s.target.tensor).dtype.name != SUMS:
        return ()
    one, other = s.value.args
    if not all(isinstance(f, Cast) and f.args[0].name == SUMS and isinstance(f.args[1], Read) for f in (one, other)):
        return ()
    if len({s.target.tensor, one.args[1].tensor, other.args[1].tensor}) < 3:
        return ()
    return tuple(
        f.args[1].tensor
        for f, beside in ((one, other), (other, one))
        if kernel.tensor(f.args[1].tensor).dtype.name in UNSIGNED
        and set(s.reduction_axes) <= symbols_of(beside.args[1].index)
    )


def shift_operand(kernel: Kernel, operand: str, statement: int | None = None) -> Rewrite:
    """The kernel with the bytes of `operand` moved to unsigned ones, and the surplus taken off the sum again. Raises
    ScheduleError if the operand is no factor of a sum of products of bytes."""
    n = kernel.main if statement is None else statement
    if operand not in movable(kernel, n):
        raise ScheduleError(
            f"statement {n + 1} of {kernel.name} adds no products of {operand} that can be moved by a number"
        )
    s, t = kernel.statements[n], kernel.tensor(operand)
    kind = DTYPES[UNSIGNED[t.dtype.name]]
    by = sp.Integer(-t.dtype.low)
    moved = Tensor(new_name(kernel, f"{operand}_moved"), kind, t.shape)
    other = next(f for f in s.value.args if f.args[1].tensor != operand)
    there = symbols_of(other.args[1].index)
    axes = tuple(a for a in s.axes if a.name in there)
    kept = tuple(a for a in axes if a.name not in s.reduction_axes)
    sums = Tensor(
        new_name(kernel, f"{s.target.tensor}_moves"),
        kernel.tensor(s.target.tensor).dtype,
        tuple(a.extent for a in kept),
    )
    total = Access(sums.name, tuple(a.symbol for a in kept))
    made = (
        _each(kernel, operand, moved, by),
        Statement(total, "+", SMul(other, -by), axes),
        replace(s, value=rewrite_reads(s.value, lambda r: _named(r, operand, moved.name)), source=""),
        Statement(s.target, "+", read(*_place(total)), tuple(a for a in s.axes if a.name not in s.reduction_axes)),
    )
    roles = (Copied(n, moved.name, operand), Total(n + 1, sums.name), Again(n + 2, n), Closing(n + 3))
    new = in_place_of(kernel, n, made, (moved, sums))
    return Rewrite(kernel, new, Moved(n, operand, int(by)), roles)


def _each(kernel: Kernel, operand: str, moved: Tensor, by: Any) -> Statement:
    """Every element of the operand, moved."""
    names = [new_name(kernel, f"{operand.lower()}_at{d}") for d in range(len(moved.shape))]
    index = tuple(map(sym, names))
    value = Cast(sp.Symbol(moved.dtype.name), SAdd(Cast(sp.Symbol(SUMS), read(operand, *index)), by))
    axes = tuple(Axis(name, extent) for name, extent in zip(names, moved.shape, strict=True))
    return Statement(Access(moved.name, index), "=", value, axes)


def _named(r: Any, old: str, new: str) -> Any:
    return Read(sp.Symbol(new), *r.index) if r.tensor == old else r


def _place(a: Access) -> tuple[Any, ...]:
    return (a.tensor, *a.index)


__all__ = ["movable", "shift_operand"]
