"""Two moments of a run, compared: "equal outside, later here" is impossible at every depth of their common loops.

At equal values of all common loops the text decides.
"""

from __future__ import annotations

from collections.abc import Sequence

from isamap_smt.ir.program import Loop
from isamap_smt.proof.program_book import Book
from isamap_smt.proof.program_sites import Formula, Site, common, primed


def never_earlier(
    book: Book, claim: str, tensor: str, about: str, anchor: tuple[Site, int], given: Sequence[Formula], use: Site
) -> None:
    """Two moments of a run, described by `given`, the second one with primed variables: it is never before the first.

    anchor: the position of the first one, and its statement in the body around it; -1 for the place itself. use: the
    position of the second one.
    """
    site, settled = anchor
    shared = common(site, use)
    known = list(given)
    for x in (x for x in site.around[: max(0, shared - 1)] if isinstance(x, Loop)):
        other = primed([x.var.name])[x.var.name]
        wrong: Formula = ("ne", x.var, other) if x.unordered else ("lt", other, x.var)
        book.ask(claim, tensor, f"{about}: along {x.var}", [*known, wrong], [("or",)])
        known.append(("eq", x.var, other))
    if not _stands_before(site, settled, use, shared):
        book.ask(claim, tensor, about, known, [("or",)])


def _stands_before(anchor: Site, settled: int, use: Site, shared: int) -> bool:
    """Whether the contribution is in memory when the use runs, at equal values of the loops they share."""
    body = len(anchor.position) - 1
    if settled >= 0 and shared >= body:
        return settled < use.position[body]
    return anchor.position < use.position
