"""A counterexample to any claim about points, looked for on small integers before a solver is asked.

Nearly every wrong mapping is wrong at the smallest sizes, and to see it there takes milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from isamap_smt.ir.mapping import Mapping
from isamap_smt.proof import witness
from isamap_smt.proof.mapping_neutral import let_through
from isamap_smt.proof.witness import Finder, Found
from isamap_smt.proof.witness_points import Instance


def scan(mapping: Mapping, among: Sequence[Instance]) -> Found | None:
    """The first counterexample on these instances, replayed but not shrunk; None when there is none among them."""
    finders = tuple(_finders(mapping, all(i.fused for i in among)))
    for instance in among:
        for finder, operand in finders:
            found = finder(instance, operand)
            if found is not None:
                witness.replay(mapping, found)
                return found
    return None


def _finders(mapping: Mapping, fused: bool) -> Iterator[tuple[Finder, str]]:
    """Every question about points, those that fail most often first; a fuse mapping covers its domain by its form."""
    out = mapping.instruction.kernel.statements[0].target.tensor
    if not fused:
        yield witness.coverage, ""
    for operand, _ in mapping.binding:
        yield witness.bounds, operand
        yield witness.agreement, operand
    yield witness.exclusive, out
    if witness.overwrites(mapping):
        yield witness.overwrite, out
    for live in let_through(mapping):
        yield witness.neutral(live), out


__all__ = ["scan"]
