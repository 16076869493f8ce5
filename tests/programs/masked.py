"""Masks inside reductions, cut in the loads: small programs whose edits are attacked (benchmarks/fuzz_programs.py)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import isamap_smt as im
from isamap_smt.ir.program import Program

CHAIN = "temporary T\nT[q,k] = S[q,k] * 2 where k <= q\nM[q] += T[q,k] where k <= q"


def made(text: str, machine: str = "avx2") -> Program:
    """The program that is planned for it, partial results in lanes."""
    program = im.plan(im.kernel(text, name="masked"), machine, sizes={"q": 9, "k": 136}).program
    assert "masked_load" in str(program) and ", until " in str(program)
    return program


ORIGINALS: dict[str, Callable[[], Program]] = {
    "maximum": partial(made, "M[q] max= S[q,k] where k <= q + 99"),
    "minimum of integers": partial(made, "S: i32\nM: i32\nM[q] min= S[q,k] where k < q + 90"),
    "chain": partial(made, CHAIN),
}
