"""Rows of a table of fields: which claims read a field of a program's nodes, and how that is tried."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, fields

from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.program import PARTS, Loop, Program
from isamap_smt.proof.program import prove_program
from tests.uses import field_edits

TRIED, MOST = 10, 80  # edits of a field; and of one of which few edits are what its row says


@dataclass(frozen=True)
class Row:
    """claims: those that refute edits of the field. refused: edits are Unknown, as what has no meaning there. free: why an edit may
    do no harm. sources: programs in which the field says something; () for those that the table names."""

    claims: tuple[str, ...] = ()
    refused: bool = False
    free: str = ""
    sources: tuple[str, ...] = ()


def every_field(elsewhere: dict[str, str]) -> set[str]:
    """Names of all fields of all nodes, and of the kinds of loops, but those of which programs of this kind have none."""
    here = [n for n in PARTS if n.__name__ not in elsewhere]
    kinds = {f"{n.__name__}.{field_edits.KIND}" for n in here if issubclass(n, Loop)}
    return kinds | {f"{n.__name__}.{f.name}" for n in here for f in fields(n)}


def try_row(
    name: str, row: Row, sources: tuple[str, ...], source: Callable[[str], Program], harm: Callable[[str, Program], str],
    tried: int = TRIED,
) -> str:  # fmt: skip
    """What is wrong with the row, '' for nothing: edits of the field are refuted by a claim that it names, or refused where it says
    so, and do no harm where they are proved."""
    found: set[tuple[str, str]] = set()

    def shown() -> bool:
        """Whether the row's claims were seen at work."""
        refuted = any((c, "refuted") in found for c in row.claims) or not row.claims
        return refuted and (any(word == "unknown" for _, word in found) or not row.refused)

    for n in range(MOST):
        if n >= tried and shown():
            break
        where = sources[n % len(sources)]
        owner, field = name.split(".")
        try:
            told, changed = field_edits.edited(source(where), random.Random(f"{name} {n}"), (owner, field))
        except IsamapError:
            continue  # no node is like this, and a message says so
        if changed == source(where):
            continue
        proof = prove_program(changed)
        found |= {(c.claim, c.verdict.word) for c in proof.failed()}
        if proof.proved:
            if not (row.claims or row.free):
                return f"nothing reads it: {told}"
            if done := harm(where, changed):
                return f"{told}: {done}"
    return "" if shown() else f"seen at work were {sorted(found)} alone"
