"""Every place read or written by a program's statements, of any kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isamap_smt.ir.program import Point
from isamap_smt.proof.program_book import Book
from isamap_smt.proof.program_executions import execution, executions
from isamap_smt.proof.program_held import TRUE, Place, Transfer
from isamap_smt.proof.program_sites import Formula, Site


@dataclass(frozen=True)
class Access:
    """One place read or written at a site, under `where`. transfer: the statement copies, it does not compute."""

    site: Site
    place: Place
    where: Formula
    writes: bool
    transfer: Transfer | None = None

    @property
    def computed(self) -> bool:
        """A statement of the kernel touches memory itself."""
        return isinstance(self.site.node, Point)


def accesses(book: Book, transfers: Sequence[Transfer]) -> list[Access]:
    """All of them; an execution not recognised becomes an Unknown."""
    found = [Access(t.site, t.dst, t.written, True, t) for t in transfers]
    found += [Access(t.site, t.src, t.selected, False, t) for t in transfers if t.src is not None]
    for site in executions(book.sites):
        e = book.attempt("program", "", "operands are known places", lambda s=site: execution(book.sites, s))
        if e is not None:
            found.append(Access(site, e.target, TRUE, True))
            found += [Access(site, p, TRUE, False) for _, p in e.inputs]
    return found
