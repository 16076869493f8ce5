"""Claim 11 for one statement: an `ordered` floating-point reduction adds to each element in the order of the kernel's axes.

Two executions that add to one output element are compared: where the loops put one first, its point comes first in the
kernel's own order. Lanes of one execution add to elements of their own (exclusive), so they need no order.
"""

from __future__ import annotations

from isamap_smt.proof.program_book import Book
from isamap_smt.proof.program_executions import Execution, execution, executions
from isamap_smt.proof.program_kernel_order import axes_in_order, lexicographic
from isamap_smt.proof.program_sites import UnrecognisedError, primed, rename, state

_WORDS = "each element receives its points in the order of the kernel's axes"


def order_claims(book: Book) -> None:
    """The claim, for statements that fix the order of a floating-point sum or product."""
    for position, s in enumerate(book.sites.kernel.statements):
        dtype = book.sites.kernel.tensor(s.target.tensor).dtype
        if s.ordered and dtype.is_float and s.op in ("+", "*"):
            book.attempt("order", "", _WORDS, lambda n=position: _order(book, n))


def _order(book: Book, position: int) -> None:
    found = [e for e in (execution(book.sites, s) for s in executions(book.sites)) if e.position == position]
    if len(found) != 1:
        raise UnrecognisedError(f"{len(found)} places compute the statement; their order is proved for one")
    for depth in range(len(found[0].site.loops)):
        _one_loop(book, found[0], depth)


def _one_loop(book: Book, e: Execution, position: int) -> None:
    """An earlier iteration of this loop, at equal values of the loops around it, holds earlier points."""
    loops, s, target = e.site.loops, e.statement, e.output
    again = primed([x.var.name for x in loops[position:]] + e.lanes)
    here = [*state(e.site), e.live, *e.inside()]
    given = [*here, *rename(here, again), *(("eq", i, rename(i, again)) for i in target)]
    var = loops[position].var
    given.append(("lt", var, again[var.name]))
    axes = axes_in_order(book.sites.kernel, e.position)
    points = [(e.point[a], rename(e.point[a], again)) for a in axes]
    about = f"{_WORDS}: along {loops[position].var}"
    book.ask("order", s.target.tensor, about, given, [lexicographic(points)])
