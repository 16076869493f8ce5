"""Makes one axis of two with contiguous points in memory. Nothing here is trusted: proof/rewrite_claims.py shows that
both kernels compute the same.

    Y[n,c] += X[n,c,p,q]                              X: [N,C,7,7]

    axis p_q < 49
    Y[n,c] += X[n,c,p_q//7,p_q%7]                     49 neighbours; each lane sums every 16th

X's elements are read in their order in memory: the address of p_q//7, p_q%7 is that of p_q.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import FloorDiv, FloorMod, is_constant, substitute, sym, symbols_of
from isamap_smt.ir.kernel import Access, Axis, Kernel, Statement
from isamap_smt.ir.rewrite import Piece, Rewrite
from isamap_smt.ir.rows import Joined
from isamap_smt.ir.scalar import bound_axes, index_values, put_into_indices
from isamap_smt.mapping.substituted import in_place_of, new_name


def joinable(kernel: Kernel, statement: int) -> tuple[tuple[str, str], ...]:
    """Pairs of neighbouring reduction axes of known extents, contiguous in every operand with either of them."""
    s = kernel.statements[statement]
    if s.guard or s.ordered or kernel.recurrence_of(statement) is not None or bound_axes(s.value):
        return ()
    names = [a.name for a in s.axes]
    return tuple(
        (p, q) for p, q in pairwise(names) if {p, q} <= set(s.reduction_axes) and _lie_together(kernel, s, p, q)
    )


def _lie_together(kernel: Kernel, s: Statement, p: str, q: str) -> bool:
    extent = s.axis(q).extent
    if not is_constant(extent) or not is_constant(s.axis(p).extent) or symbols_of(index_values(s.value)) & {p, q}:
        return False
    return all(_in_row(kernel, a, p, q, extent) for a in (s.target, *s.inputs) if symbols_of(a.index) & {p, q})


def _in_row(kernel: Kernel, a: Access, p: str, q: str, extent: object) -> bool:
    shape = kernel.tensor(a.tensor).shape
    at = next((n for n, i in enumerate(a.index[:-1]) if i == sym(p) and a.index[n + 1] == sym(q)), None)
    if at is None or shape[at + 1] != extent:
        return False
    return not symbols_of([*a.index[:at], *a.index[at + 2 :]]) & {p, q}


def join_axes(kernel: Kernel, axes: tuple[str, str], statement: int | None = None) -> Rewrite:
    """The kernel whose statement runs over one axis in place of these two. Raises ScheduleError if they are apart."""
    position = kernel.main if statement is None else statement
    s, (p, q) = kernel.statements[position], axes
    if axes not in joinable(kernel, position):
        raise ScheduleError(f"{p} and {q} are no one axis of statement {position + 1} of {kernel.name}")
    inner = s.axis(q).extent
    name = new_name(kernel, f"{p}_{q}")
    one = Axis(name, s.axis(p).extent * inner)
    table = {p: FloorDiv(sym(name), inner), q: FloorMod(sym(name), inner)}
    made = replace(
        s,
        target=Access(s.target.tensor, tuple(substitute(i, table) for i in s.target.index)),
        value=put_into_indices(s.value, table),
        axes=tuple(x for a in s.axes for x in ((one,) if a.name == p else () if a.name == q else (a,))),
        source="",
    )
    same = tuple((a.name, a.symbol) for a in s.axes if a.name not in axes)
    piece = Piece(position, (*same, *table.items()), (*same, (name, sym(p) * inner + sym(q))))
    return Rewrite(kernel, in_place_of(kernel, position, (made,)), Joined(position, p, other=q), (piece,))


__all__ = ["join_axes", "joinable"]
