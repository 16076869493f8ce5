"""A program of several phases is right where each of them is: barriers keep them apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from isamap_encodings.verdict import Proved, Unknown
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.phases import phases
from isamap_smt.ir.program import Program
from isamap_smt.ir.proof import ClaimResult, Proof

Result = tuple[Proof, tuple[str, ...]]
WORDS = "phases stand between barriers, with counters and loops of their own"


def at_each_phase(program: Program, proved: Callable[[Program], Result], stop: bool) -> Result | None:
    """The proofs of all phases as one; None for a program of one. What a phase leaves in main memory the next ones read."""
    try:
        parts = phases(program)
    except ScheduleError as error:
        return Proof((ClaimResult("order", "phases", Unknown(str(error)), WORDS),), "reassociate", ()), ()
    if len(parts) == 1:
        return None
    claims, seconds, arithmetic = [ClaimResult("order", "phases", Proved(), WORDS)], 0.0, ""
    assumptions: list[str] = []
    for n, part in enumerate(parts, 1):
        made, _ = proved(part)
        claims += [replace(c, subject=f"phase {n}: {c.subject}") for c in made.claims]
        assumptions += made.assumptions
        seconds, arithmetic = seconds + made.seconds, made.arithmetic
        if stop and not made.proved:
            break
    return Proof(tuple(claims), arithmetic, tuple(dict.fromkeys(assumptions)), seconds), ()
