"""Sums in a memory whose cells have few bits: no sum leaves them, so that what wraps there is what the kernel says."""

from __future__ import annotations

from isamap_smt.proof.narrow import sums_fit
from isamap_smt.proof.uses.book import UseBook
from isamap_smt.proof.uses.moments import Moments, UseSite, contract_of
from isamap_smt.proof.uses.order import target


def width_claims(book: UseBook, moments: Moments, add: UseSite, begin: UseSite) -> None:
    """Of each use that writes such a memory. add, begin: those of the sums; what else is written there, nothing bounds."""
    kernel = moments.program.kernel
    for site in moments.sites:
        if (place := target(site)) is None:
            continue
        buffer = moments.buffers.get(place.name)
        memory = None if buffer is None else moments.machine.memory(buffer.memory)
        if memory is None or not memory.bits or (site is begin and contract_of(site).value == 0):
            continue
        words = f"what {site.name} leaves in {memory.name} stays within its {memory.bits} bits"
        if site is add and contract_of(begin).value == 0:
            book.note("scalar", site.name, words, sums_fit(kernel, memory.bits, memory.name))
        else:
            book.unknown("scalar", site.name, words, "only sums of the kernel's terms, from 0, are bounded")
