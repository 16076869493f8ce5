"""Questions answered by solvers from their SMT-LIB text alone; what a solver has answered before is not asked again."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from isamap_encodings.cvc5_check import cvc5_answer, cvc5_version
from isamap_smt.certificates.answers import Answers
from isamap_smt.certificates.claim_file import Question


@dataclass(frozen=True)
class Tally:
    """How many questions cvc5 answered as wanted, how many it left open, and what it or Z3 contradicts, in words.

    contested: the text of each question that they answer differently.
    """

    agreed: int = 0
    open: int = 0
    disagreements: tuple[str, ...] = ()
    contested: frozenset[str] = frozenset()


def second_opinion(questions: Sequence[Question], answers: Answers) -> Tally:
    """cvc5's answers, compared with the wanted ones (which Z3 gave). Nothing is asked where cvc5 is not installed."""
    if cvc5_version() is None:
        return Tally(0, len(questions))
    agreed, left = 0, 0
    disagreements = []
    contested = set()
    for q in questions:
        answer = _answer(q.script, answers, cvc5_answer)
        if answer == q.wanted:
            agreed += 1
        elif answer == "unknown":
            left += 1
        else:
            disagreements.append(f"Z3 says {q.wanted}, cvc5 says {answer}")
            contested.add(q.script)
    return Tally(agreed, left, tuple(disagreements), frozenset(contested))


def _answer(script: str, answers: Answers, ask: Callable[[str], str]) -> str:
    found = answers.known(script)
    if found is None:
        started = time.perf_counter()
        found = ask(script), time.perf_counter() - started
        answers.note(script, *found)
    return found[0]
