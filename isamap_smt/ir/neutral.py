"""What an operand may hold at points that a guard leaves out, so that a reduction over them is what it was.

    D[q] += E[q,k] where k <= q          0: over the reals, since a sum that is -0 may become +0
    M[q] max= S[q,k] where k <= q        the least number of the accumulator's own type

That is so where elements are reduced by themselves; of what is computed of them first, nothing is known here. The number is that of
the accumulator and of no narrower type: an element that no point reaches keeps what it began with.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.engines import KEPT, LEAST, MOST, ZERO
from isamap_smt.ir.interpret import neutral
from isamap_smt.ir.kernel import Statement
from isamap_smt.ir.scalar import Read

_OF = {
    ZERO: "+",
    KEPT: "+",
    LEAST: "max",
    MOST: "min",
}  # what a load leaves in other cells, and a reduction that starts from it
_BEYOND = {"+": ZERO, "max": LEAST, "min": MOST}


def left_beyond(beyond: str, dtype: DType) -> Any:
    """The number that a load with this `beyond` leaves in the cells that it does not bring, of the register's type."""
    return sp.sympify(neutral(_OF[beyond], dtype))


def beyond_for(s: Statement) -> str:
    """The `beyond` of loads whose other cells change nothing in this reduction; '' where there is none: what is reduced is more
    than an element, or the order is kept.

    >>> from isamap_smt.language import kernel
    >>> [beyond_for(kernel(f"M[i] {x}").statements[0]) for x in ("max= A[i,k]", "+= A[i,k]", "max= 2 * A[i,k]")]
    ['least', 'zero', '']
    """
    return _BEYOND.get(s.op, "") if isinstance(s.value, Read) and not s.ordered else ""


__all__ = ["beyond_for", "left_beyond"]
