"""The place of an element in a row-major array."""

from __future__ import annotations

from typing import Any

import sympy as sp

from isamap_smt.ir.expr import FloorDiv, FloorMod


def row_major(index: tuple[Any, ...], shape: tuple[Any, ...]) -> Any:
    """Offset in elements of an index in a row-major array of that shape."""
    offset: Any = sp.S.Zero
    for i, extent in zip(*collapsed(index, shape), strict=True):
        offset = offset * extent + i
    return offset


def collapsed(index: tuple[Any, ...], shape: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The same element with fewer dimensions, where neighbouring ones are the digits of one value.

    [.., x // n, x % n, ..] of shape [.., m, n, ..] is [.., x, ..] of shape [.., m * n, ..]: the axes that a mapping fuses
    are neighbours in memory, too.
    """
    whole: list[Any] = []
    extents: list[Any] = []
    for i, extent in zip(map(sp.sympify, index), shape, strict=True):
        if whole and isinstance(i, FloorMod) and i.args[1] == extent:
            quotient = FloorDiv(*i.args)
            rest = whole[-1] - quotient
            if not rest.has(quotient):
                whole[-1] = sp.expand(rest * extent) + i.args[0]
                extents[-1] = extents[-1] * extent
                continue
        whole.append(i)
        extents.append(extent)
    return tuple(whole), tuple(extents)
