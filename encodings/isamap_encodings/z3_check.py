"""SMT-LIB 2 text answered by Z3: for stored claims, and to find the assumptions a proof really needs.

Text is read in a context of its own: names it gives to assertions would otherwise turn up in the models of all
later questions of the process.

The second opinion is cvc5, an extra without code in common with Z3. If its wheel is not installed, cvc5_version() is
None, and reports say "one solver".
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from functools import cache
from typing import Any

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
    """The assertions that contradict each other already without the rest, as (name, text); None if Z3 finds none.

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


RESOURCES = 500_000  # cvc5's counted steps for one question; it does not depend on the machine's load


@cache
def _module() -> Any:
    try:
        return importlib.import_module("cvc5")
    except ImportError:
        return None


def cvc5_version() -> str | None:
    """The wheel's version, or None if it is not installed."""
    cvc5 = _module()
    return None if cvc5 is None else str(cvc5.__version__)


def cvc5_answer(script: str, resources: int = RESOURCES) -> str:
    """The answer of the script's last (check-sat): sat, unsat, or unknown at the limit.

    If cvc5 cannot read the text, the answer is 'error: ' and its words. Raises RuntimeError if cvc5 is not
    installed.
    """
    cvc5 = _module()
    if cvc5 is None:
        raise RuntimeError("cvc5 is not installed")
    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("rlimit-per", str(resources))
    solver.setOption("fp-exp", "true")  # half precision
    parser = cvc5.InputParser(solver)
    answer = "error: the text asks nothing"
    try:
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, f"(set-logic ALL)\n{script}", "claim")
        while not (command := parser.nextCommand()).isNull():
            said = str(command.invoke(solver, parser.getSymbolManager())).strip()
            if said:
                word = said.partition(" ")[0]  # `unknown` is followed by why, such as (RESOURCEOUT)
                answer = word if word in ("sat", "unsat", "unknown") else f"error: {said}"
    except RuntimeError as error:
        return f"error: {error}"
    return answer
