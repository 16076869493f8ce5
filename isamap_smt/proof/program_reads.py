"""Claim 9, the readers: no cell whose value matters is read before it was written.

A cell matters where its type's guard holds, or where its type promises a known value outside the guard; a dead cell
may hold anything. Accumulators are covered by their loads: see program_scope.
"""

from __future__ import annotations

from collections.abc import Sequence

from isamap_smt.proof.program_accesses import Access
from isamap_smt.proof.program_book import Book, place
from isamap_smt.proof.program_cover import covered, writes
from isamap_smt.proof.program_held import DEAD, TRUE, Transfer
from isamap_smt.proof.program_sites import state


def read_claims(book: Book, transfers: Sequence[Transfer], touched: Sequence[Access]) -> None:
    """Every read of a buffer, by a transfer or an execution, is covered; an execution also reads what it adds to."""
    for a in touched:
        if a.place.home is not None and not (a.writes and a.transfer is not None):
            _covered(book, transfers, a)


def _covered(book: Book, transfers: Sequence[Transfer], a: Access) -> None:
    p, site = a.place, a.site
    assert p.home is not None
    matters = TRUE if p.held.outside != DEAD else p.held.guard
    statement = f"every cell of {p.name} that is read {place(site)} was written before"
    book.attempt(
        "program", p.name, statement,
        lambda: book.ask(
            "program", p.name, statement, [*state(site), a.where, matters],
            [covered(site, p.index, writes(transfers, p.home))],
        ),
    )  # fmt: skip
