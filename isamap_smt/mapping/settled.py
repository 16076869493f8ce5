"""Integers below a saturation that no element can take beyond a type, as values of that type.

    sat_i8(max(T, -5))      sat_i8(i32(max(T, -5))), of T in i32

Below a saturation integers are exact, and no instruction holds one. Where the type of the elements holds all values of a
part, it has that type, and may be an operand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from isamap_encodings.scalar_values import EXACTLY, spanned
from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.scalar import Cast, Read, Round, Saturate, Scalar, SShr, reads
from isamap_smt.ir.typed import below, of_type, type_of

Ends = tuple[int, int]


def settled(value: Any, types: dict[str, DType], ranges: Sequence[tuple[str, Any, Any]] = ()) -> Any:
    """The value with a conversion around each such part. ranges: of tensors, (name, low, high)."""
    return _settled(value, types, {n: (int(low), int(high)) for n, low, high in ranges if not types[n].is_float}, False)


def _settled(value: Any, types: dict[str, DType], ranges: dict[str, Ends], exact: bool) -> Any:
    if not isinstance(value, Scalar) or isinstance(value, Read):
        return value
    if exact and not isinstance(value, Cast | Saturate | Round) and (kind := _kind(value, types)) is not None:
        found = _ends(value, kind, ranges)
        if found is not None and kind.low <= found[0] and found[1] <= kind.high:
            return of_type(value, kind)
    return value.func(*(_settled(a, types, ranges, below(value, exact)) for a in value.args))


def _kind(value: Any, types: dict[str, DType]) -> DType | None:
    """The one type of the elements and conversions in a part; None for several, or none."""
    leaf = isinstance(value, Read | Cast | Saturate | Round) or not isinstance(value, Scalar)
    kinds = {type_of(value, types)} if leaf else {_kind(a, types) for a in value.args}
    kinds -= {None}
    return kinds.pop() if len(kinds) == 1 and any(True for _ in reads(value)) else None


def _ends(value: Any, kind: DType, ranges: dict[str, Ends]) -> Ends | None:
    """The least and greatest value of a part whose elements have this type, and of all parts of it; None if they may be
    beyond the type, or if nothing is known of the operation."""
    if isinstance(value, Read):
        found: Ends | None = ranges.get(value.tensor, (kind.low, kind.high))
    elif isinstance(value, Cast | Saturate | Round):
        found = kind.low, kind.high
    elif not isinstance(value, Scalar):
        found = (int(value), int(value)) if value.is_Integer else None
    else:
        parts = [_ends(a, kind, ranges) for a in value.args]
        found = None if None in parts else _computed(value, [p for p in parts if p])
    return found if found and kind.low <= found[0] and found[1] <= kind.high else None


def _computed(value: Any, parts: list[Ends]) -> Ends | None:
    head = type(value).__name__
    if head not in EXACTLY:
        return None
    if isinstance(value, SShr) and parts[1][0] >= 0:  # `spanned` asks nothing of how far it is
        ends = [x >> y for x in parts[0] for y in parts[1]]
        return min(ends), max(ends)
    return spanned(head, *parts)
