"""Values prepared for the scalar claim: sums unrolled, every element a leaf with its type."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import sympy as sp

from isamap_encodings.scalar_values import kind_of
from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.kernel import Access, Kernel, Statement
from isamap_smt.ir.scalar import Read, SAdd, Scalar, SMax, SMin, SMul, Sum, cast, put_into_indices
from isamap_smt.ir.typed import plain, typed_value

_COMBINE = {"+": SAdd, "*": SMul, "max": SMax, "min": SMin}


def kind(d: DType) -> tuple[str, int]:
    """The element type as the encodings take it."""
    return kind_of(d.name)


def unrolled(e: Any) -> Any:
    """The tree with every sum written out."""
    if isinstance(e, Sum):
        axis, count, x = e.args[0].name, int(e.args[1]), unrolled(e.args[2])
        parts = [put_into_indices(x, {axis: v}) for v in range(count)]
        return _chain(SAdd, parts)
    if not isinstance(e, Scalar) or isinstance(e, Read):
        return e
    return e.func(*[unrolled(a) for a in e.args])


def _chain(head: Any, parts: list[Any]) -> Any:
    result = parts[0]
    for p in parts[1:]:
        result = head(result, p)
    return result


def leaves(e: Any, name: Callable[[Any], str], held: Callable[[Any], DType | None] = lambda _: None) -> Any:
    """The tree with every element read replaced by its named symbol, converted to the type it is held in."""
    if isinstance(e, Read):
        symbol, to = sp.Symbol(name(e)), held(e)
        return symbol if to is None else cast(to, symbol)
    if not isinstance(e, Scalar):
        return e
    return e.func(*[leaves(a, name, held) for a in e.args])


def naming() -> tuple[Callable[[Any], str], dict[str, str]]:
    """A name for each element read, in the form for leaves(); and leaf -> operand, of the names given."""
    found: dict[str, str] = {}

    def name(r: Any) -> str:
        found[element(r)] = r.tensor
        return element(r)

    return name, found


def element(r: Any) -> str:
    """An element as the user writes it: a[l,0]."""
    return f"{r.tensor}[{','.join(str(i) for i in r.index)}]"


def accumulation(kernel: Kernel, statement: Statement) -> tuple[str, Any]:
    """(operator, contribution): `y = y + x` is `y += x`; sums are unrolled.

    The contribution has its casts written, except for casts of elements to their own type.
    """
    value = unrolled(plain(typed_value(kernel, statement), {t.name: t.dtype for t in kernel.tensors}))
    own = Read(sp.Symbol(statement.target.tensor), *statement.target.index)
    if statement.op == "=" and isinstance(value, SAdd):
        a, b = value.args
        if a == own and not b.has(own):
            return "+", b
        if b == own and not a.has(own):
            return "+", a
    return statement.op, value


def whole_reduction(kernel: Kernel, statement: Statement) -> Any:
    """The contribution of all reduction points of one output cell, combined in the order of the axes."""
    op, parts = contributions(kernel, statement)
    return _chain(_COMBINE[op], parts) if op in _COMBINE else parts[0]


def contributions(kernel: Kernel, statement: Statement) -> tuple[str, list[Any]]:
    """(operator, contributions of the reduction points of one output cell, in the order of the axes)."""
    op, value = accumulation(kernel, statement)
    names = statement.reduction_axes
    counts = [range(int(statement.axis(a).extent)) for a in names]
    points = [dict(zip(names, point, strict=True)) for point in itertools.product(*counts)]
    return op, [put_into_indices(value, values) for values in points]


def access_of(r: Any) -> Access:
    """The access of a Read."""
    return Access(r.tensor, r.index)


def fill_value(op: str, d: DType) -> int:
    """The value of an integer operand's cell that no point of the kernel reads, under the reduction `op`."""
    return {"*": 1, "max": d.low, "min": d.high}.get(op, 0)
