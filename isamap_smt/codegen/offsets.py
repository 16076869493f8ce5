"""The place of an element in a row-major array."""

from __future__ import annotations

from typing import Any

import sympy as sp

from isamap_smt.ir.addresses import collapsed


def row_major(index: tuple[Any, ...], shape: tuple[Any, ...]) -> Any:
    """Offset in elements of an index in a row-major array of that shape."""
    offset: Any = sp.S.Zero
    for i, extent in zip(*collapsed(index, shape), strict=True):
        offset = offset * extent + i
    return offset
