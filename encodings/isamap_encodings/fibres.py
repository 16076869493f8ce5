"""A point of a statement is determined by the element it writes and by a few numbers of its own.

So no element has more points than these numbers have values. Asked of two points: if the element's coordinates and
all numbers are equal, so are the points; and each number lies in its range.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from isamap_encodings.solve import check
from isamap_encodings.space import ranges, rename
from isamap_encodings.verdict import Verdict

Digit = tuple[Any, Any, Any]  # a number of the point, its least value, and how many values it has


def determined(
    axes: Sequence[tuple[str, Any]], hypotheses: Sequence[Any], coordinates: Sequence[Any], digits: Sequence[Digit]
) -> Verdict:
    """Whether coordinates and digits determine the axes, and each digit has no other values."""
    other = {a: sp.Symbol(f"{a}'", integer=True) for a, _ in axes}
    given = [*hypotheses, *ranges(axes), *ranges((str(other[a]), e) for a, e in axes)]
    given += [("eq", e, rename(e, other)) for e in (*coordinates, *(d for d, _, _ in digits))]
    goals: list[Any] = [("eq", sp.Symbol(a, integer=True), other[a]) for a, _ in axes]
    goals += [f for d, low, count in digits for f in (("le", low, d), ("lt", d, low + count))]
    return check(given, ("and", *goals), "fibres", model=False)
