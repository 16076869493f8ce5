"""Buffers of elements of outputs: accumulators, stored back, and copies, only read.

A copy is filled from the output itself (or from another copy) and nothing goes back from it; no execution writes it.
Every other buffer with an output in its type is an accumulator, and program_scope asks all of its claims.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isamap_smt.ir.program import Alloc
from isamap_smt.proof.program_accesses import Access
from isamap_smt.proof.program_held import Transfer
from isamap_smt.proof.program_sites import Site, Sites


@dataclass(frozen=True)
class Accumulators:
    """stored and copies: their declarations. distances: transfers between an accumulator and its output."""

    stored: tuple[Site, ...]
    copies: tuple[Site, ...]
    distances: dict[tuple[int, ...], int]

    def distance(self, h: Site) -> int:
        """1 for an accumulator loaded from the output itself; 0 when no transfer leads there."""
        return self.distances.get(h.position, 0)

    def is_copy(self, h: Site | None) -> bool:
        """Whether the buffer declared there is only read."""
        return h is not None and any(h is c for c in self.copies)

    def is_accumulator(self, h: Site | None) -> bool:
        """Whether the buffer declared there is stored back to an output."""
        return h is not None and any(h is a for a in self.stored)


def accumulators(sites: Sites, touched: Sequence[Access]) -> Accumulators:
    """All buffers of the program for elements of outputs."""
    outputs = set(sites.kernel.outputs)
    found = [s for s in sites.of(Alloc) if s.node.buffer.type.tensor in outputs]  # type: ignore[union-attr]
    transfers = list(dict.fromkeys(a.transfer for a in touched if a.transfer is not None))
    written = [a.place.home for a in touched if a.writes and a.transfer is None]
    copies = [h for h in found if not any(h is w for w in written)]
    while True:
        kept = [h for h in copies if _only_read(h, copies, transfers)]
        if len(kept) == len(copies):
            break
        copies = kept
    stored = [h for h in found if not any(h is c for c in copies)]
    return Accumulators(tuple(stored), tuple(copies), _distances(stored, transfers))


def _only_read(h: Site, copies: Sequence[Site], transfers: Sequence[Transfer]) -> bool:
    """Filled from the tensor or from copies, and read into copies only."""
    for t in transfers:
        into, out = t.dst.home is h, t.src is not None and t.src.home is h
        other = t.src if into else t.dst
        if not (into or out) or other is None:
            continue
        if other.home is None and out:
            return False
        if other.home is not None and not any(other.home is c for c in copies):
            return False
    return True


def _distances(stored: Sequence[Site], transfers: Sequence[Transfer]) -> dict[tuple[int, ...], int]:
    """Transfers between each accumulator and the output, by the position of its declaration."""
    found: dict[tuple[int, ...], int] = {}
    for n in range(1, len(stored) + 1):
        for t in transfers:
            for a, b in ((t.dst, t.src), (t.src, t.dst)):
                if a is None or b is None or a.home is None or a.home.position in found:
                    continue
                if not any(a.home is h for h in stored):
                    continue
                if n == 1 if b.home is None else found.get(b.home.position) == n - 1:
                    found[a.home.position] = n
    return found
