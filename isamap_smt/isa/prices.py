"""What an instruction of a table costs: what a machine here says of the same intrinsics, or what is assumed."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache

from isamap_smt.ir.instruction import Cost
from isamap_smt.language.hardware_library import find_hardware

MACHINES = ("avx2", "avx_vnni", "avx512", "avx512_vnni", "neon", "rvv")
ASSUMED = "assumed"
_CALLED = re.compile(r"\b(_mm\w+|v\w+q\w*_\w+|__riscv_v(?!set)\w+)\(")
_GUESSED = {
    "load": Cost(5.0, 2.0),
    "broadcast": Cost(5.0, 2.0),
    "store": Cost(5.0, 1.0),
    "zero": Cost(1.0, 2.0),
}


def price_of(intrinsics: Collection[str], kind: str) -> tuple[Cost, str]:
    """Latency and rate of what calls exactly these intrinsics, and whose figures they are: the name of an instruction, or ASSUMED.

    Assumed are 5 cycles and 2 a cycle for loads, 1 a cycle for stores, and for what computes 4 cycles and 1 a cycle for each call.
    """
    known = _described().get((frozenset(intrinsics), kind))
    if known is not None:
        return known
    calls = max(1, len(intrinsics))
    return _GUESSED.get(kind, Cost(4.0 * calls, 1.0 / calls)), ASSUMED


@cache
def _described() -> dict[tuple[frozenset[str], str], tuple[Cost, str]]:
    """What the machines here emit, by the intrinsics that they call."""
    found: dict[tuple[frozenset[str], str], tuple[Cost, str]] = {}
    for machine in MACHINES:
        for i in find_hardware(machine).instructions:
            if called := frozenset(_CALLED.findall(i.emit)):
                found.setdefault((called, i.kind), (i.cost, i.name))
    return found
