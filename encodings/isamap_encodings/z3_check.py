"""SMT-LIB 2 text answered by Z3: for stored claims, and to say which assumptions a proof really needs.

Text is read in a context of its own: names that it gives to assertions would otherwise turn up in the models of all
later questions of the process.
"""

from __future__ import annotations

from collections.abc import Sequence

import z3

from isamap_encodings.smtlib import labels
from isamap_encodings.solve import RLIMIT, answered

STEPS = 5 * RLIMIT  # some lemmas are asked with more than the usual limit


def z3_answer(script: str, rlimit: int = STEPS) -> str:
    """The answer to the script's assertions: sat, unsat, or unknown at the limit; 'error: ' and Z3's words otherwise."""
    context = z3.Context()
    try:
        return str(answered(z3.parse_smt2_string(script, ctx=context), rlimit, context)[0])
    except z3.Z3Exception as error:
        return f"error: {str(error).strip()}"


def unsat_core(script: str, rlimit: int = STEPS) -> list[tuple[str, str]] | None:
    """The assertions that contradict each other already without the rest, as (name, text); None where Z3 finds none.

    No assertion of the core can be left out (each is tried within the limit).
    """
    try:
        assertions = list(z3.parse_smt2_string(script, ctx=z3.Context()))
    except z3.Z3Exception:
        return None
    names = labels(script)
    if len(names) != len(assertions) or not _contradict(assertions, rlimit):
        return None
    core = list(range(len(assertions)))
    for n in list(core):
        rest = [k for k in core if k != n]
        if _contradict([assertions[k] for k in rest], rlimit):
            core = rest
    return [(names[k], str(assertions[k].sexpr())) for k in core]


def _contradict(assertions: Sequence[z3.BoolRef], rlimit: int) -> bool:
    context = assertions[0].ctx if assertions else z3.Context()
    return bool(answered(assertions, rlimit, context)[0] == z3.unsat)
