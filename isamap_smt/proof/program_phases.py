"""A program of several phases is right where each of them is: barriers keep them apart.

Where a program is no such sequence, it is run at small sizes: a race or a deadlock there refutes it, in the simulator's words.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from isamap_encodings.verdict import Proved, Refuted, Unknown
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.hypotheses import Hypothesis
from isamap_smt.ir.phases import host_of, phases
from isamap_smt.ir.program import Program
from isamap_smt.ir.proof import ClaimResult, Proof
from isamap_smt.proof.uses.prove import goes_wrong_somewhere

Result = tuple[Proof, tuple[Hypothesis, ...]]
Computed = frozenset[str]
HOST = "the program runs between what was written before the call and what reads its results"
WORDS = "phases stand between barriers, with counters and loops of their own"


def at_each_phase(program: Program, proved: Callable[[Program, Computed], Result], stop: bool) -> Result | None:
    """The proofs of all phases as one; None for a program of one. What a phase leaves in main memory the next ones read.

    proved: takes a phase, and the tensors that earlier ones computed.
    """
    try:
        parts = phases(program)
    except ScheduleError as error:
        started = time.perf_counter()
        found = goes_wrong_somewhere(program)
        verdict = Unknown(str(error)) if found is None else Refuted(found.witness, f"{WORDS}: {found.text} ({error})")
        seconds = time.perf_counter() - started
        return Proof((ClaimResult("order", "phases", verdict, WORDS),), "reassociate", (), seconds), ()
    if parts == (program,):
        return None
    claims, seconds, arithmetic = [ClaimResult("order", "phases", Proved(), WORDS)], 0.0, ""
    if program.machine is not None and (host := host_of(program.machine)):
        claims.append(ClaimResult("order", host, Proved(), f"{HOST}, and barriers keep it apart from {host}"))
    hypotheses: list[Hypothesis] = []
    computed: frozenset[str] = frozenset()
    for n, part in enumerate(parts, 1):
        made, _ = proved(part, computed)
        computed |= set(part.kernel.results)
        claims += [replace(c, subject=f"phase {n}: {c.subject}") if len(parts) > 1 else c for c in made.claims]
        hypotheses += made.hypotheses
        seconds, arithmetic = seconds + made.seconds, made.arithmetic
        if stop and not made.proved:
            break
    return Proof(tuple(claims), arithmetic, tuple(dict.fromkeys(hypotheses)), seconds), ()
