"""A second opinion: SMT-LIB 2 text answered by cvc5, which shares no code with Z3.

cvc5 is an extra. Where its wheel is not installed, `cvc5_version()` is None, and whoever reports says "one solver".
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

RESOURCES = 500_000  # cvc5's counted steps for one question; it does not depend on the machine's load


@cache
def _module() -> Any:
    try:
        return importlib.import_module("cvc5")
    except ImportError:
        return None


def cvc5_version() -> str | None:
    """The wheel's version, or None where it is not installed."""
    cvc5 = _module()
    return None if cvc5 is None else str(cvc5.__version__)


def cvc5_answer(script: str, resources: int = RESOURCES) -> str:
    """The answer of the script's last (check-sat): sat, unsat, or unknown at the limit.

    Text that cvc5 cannot read is answered with 'error: ' and its words. Raises RuntimeError where cvc5 is not installed.
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
