"""Claim 9, the readers: no cell whose value matters is read before it was written.

A cell matters where its type's guard holds, or where its type promises a known value outside the guard; a dead cell
may hold anything. Accumulators are covered by their loads: see program_scope.
"""

from __future__ import annotations

from isamap_smt.ir.program import Exec
from isamap_smt.proof.program_book import Book, place
from isamap_smt.proof.program_cover import covered, writes
from isamap_smt.proof.program_held import DEAD, TRUE, Place, Transfer, operand_cells
from isamap_smt.proof.program_sites import Formula, Site, state


def read_claims(book: Book, transfers: list[Transfer]) -> None:
    """Every read of a buffer, by a transfer or an execution, is covered."""
    for t in transfers:
        if t.src is not None and t.src.home is not None:
            _covered(book, transfers, t.site, t.src, t.selected, t.src.name)
    for site in book.sites.of(Exec):
        found = book.attempt(
            "program", site.node.instruction.short, "operands are registers",  # type: ignore[union-attr]
            lambda s=site: operand_cells(s, book.sites),
        )  # fmt: skip
        if found is None:
            continue
        acc, inputs = found
        for p in (acc, *(p for _, p in inputs)):
            _covered(book, transfers, site, p, TRUE, p.name)


def _covered(book: Book, transfers: list[Transfer], site: Site, p: Place, where: Formula, name: str) -> None:
    if p.home is None:
        return
    matters = TRUE if p.held.outside != DEAD else p.held.guard
    statement = f"every cell of {name} that is read {place(site)} was written before"
    book.attempt(
        "program", name, statement,
        lambda: book.ask(
            "program", name, statement, [*state(site), where, matters],
            [covered(site, p.index, writes(transfers, p.home))],
        ),
    )  # fmt: skip
