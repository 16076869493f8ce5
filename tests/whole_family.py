"""A small family gone over candidate by candidate, as nothing but tests and attacks does."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from isamap_encodings.models import Model
from isamap_smt.proof.family import Family


def candidates(family: Family) -> Iterator[Model]:
    """Every candidate, normal form or not."""
    wanted = set(range(1, len(family.points) + 1))
    for b in range(len(family.bindings)):
        for code in product(range(len(family.points) + 1), repeat=len(family.axes)):
            if family.partial or set(code) >= wanted:
                yield b, code
