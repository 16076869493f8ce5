"""A partial sum that has become infinite is seen: whatever is added to it, or multiplies or divides it, leaves no number."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import lru_cache

import z3

from isamap_encodings.machine import SORTS
from isamap_encodings.scalar_values import Kind
from isamap_encodings.solve import ask
from isamap_encodings.verdict import Proved, Unknown, Verdict


@lru_cache(maxsize=8)
def is_seen(kind: Kind) -> Verdict:
    """Whether no operation of a running sum makes a finite number of an infinity or NaN: a sum, a product, both rounded once, or
    a quotient whose divisor is finite."""
    started = time.perf_counter()
    if kind not in SORTS:
        return Unknown(f"{kind[0]}{kind[1]} has no infinities that are described")
    x, y, a, b = (z3.FP(n, z3.FPSort(*SORTS[kind])) for n in ("x", "y", "a", "b"))
    nearest = z3.RNE()

    def lost(v: z3.FPRef) -> z3.BoolRef:
        return z3.Or(z3.fpIsInf(v), z3.fpIsNaN(v))

    made = {
        "sum": z3.fpAdd(nearest, x, y), "sum with it": z3.fpAdd(nearest, y, x), "product": z3.fpMul(nearest, x, y),
        "fused sum": z3.fpFMA(nearest, a, b, x), "quotient": z3.fpDiv(nearest, x, y),
    }  # fmt: skip
    for name, v in made.items():
        given = [lost(x), *([z3.Not(lost(y))] if name == "quotient" else [])]
        verdict = ask(given, lost(v), f"infinite {name}")
        if not isinstance(verdict, Proved):
            return replace(verdict, seconds=time.perf_counter() - started)
    return Proved(time.perf_counter() - started)
