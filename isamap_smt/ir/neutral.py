"""What an operand may hold at points that a guard leaves out, so that a reduction over them is what it was.

    D[q] += E[q,k] where k <= q          0: over the reals, since a sum that is -0 may become +0
    M[q] max= S[q,k] where k <= q        the least number of the type

That is so where elements are reduced by themselves; of what is computed of them first, nothing is known here.
"""

from __future__ import annotations

from isamap_smt.ir.engines import LEAST, MOST
from isamap_smt.ir.kernel import Statement
from isamap_smt.ir.scalar import Read

_FILLS = {"+": "0", "max": LEAST, "min": MOST}


def fill_outside(s: Statement) -> str:
    """'0', 'least' or 'most'; '' where there is no such number, or the statement reduces more than elements, or keeps their order.

    >>> from isamap_smt.language import kernel
    >>> [fill_outside(kernel(f"M[i] {x}").statements[0]) for x in ("max= A[i,k]", "+= A[i,k]", "max= 2 * A[i,k]")]
    ['least', '0', '']
    """
    return _FILLS.get(s.op, "") if isinstance(s.value, Read) and not s.ordered else ""


__all__ = ["fill_outside"]
