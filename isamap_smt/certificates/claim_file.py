"""One SMT-LIB 2 file per claim: its obligations in words, and under each the questions that decide it.

A question stands between (push 1) and (pop 1) and is complete in itself: declarations, assumptions, the denied claim,
and in (set-info :status ...) the answer that proves it. `unsat` says the assumptions allow no counterexample; `sat`, for
the hypotheses alone, says that nothing was proved from a contradiction. Any SMT-LIB solver reads the file.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from isamap_encodings.cvc5_check import cvc5_answer, cvc5_version
from isamap_smt.certificates.cache import Answers
from isamap_smt.certificates.derive import Step, wants_model

LOGIC = "(set-logic ALL)"
_WIDTH = 120


@dataclass(frozen=True)
class Question:
    """A complete script without its logic, and the answer that proves."""

    script: str
    wanted: str


def questions_of(steps: Sequence[Step]) -> tuple[Question, ...]:
    """All questions of these steps, in order."""
    return tuple(Question(q.smtlib, _wanted(q.smtlib)) for s in steps for q in s.queries)


def _wanted(script: str) -> str:
    return "sat" if wants_model(script) else "unsat"


def claim_text(identifier: str, claim: str, steps: Sequence[Step], *notes: str) -> str:
    """The file of one claim. notes: sentences about all of its questions."""
    lines = [
        "(set-info :smt-lib-version 2.6)",
        LOGIC,
        f"; {identifier}",
        f"; claim: {claim}",
        "; Each question between (push 1) and (pop 1) is complete; it proves when the answer is its :status.",
        *(f"; {note}" for note in notes),
    ]
    number = 0
    for step in steps:
        lines.append("")
        for c in step.claims:
            about = f"{c.claim} of {c.subject}" if c.subject else c.claim
            lines += [f"; {line}" for line in _wrapped(f"{about}: {c.statement or 'holds'}")]
        if not step.queries:
            lines.append(";   decided without a solver, from the structure alone")
        for q in step.queries:
            number += 1
            name = f": {' '.join(q.name.split())}" if q.name and step.claims[0].statement not in q.name else ""
            lines += [f"; question {number}{name}", "(push 1)", f"(set-info :status {_wanted(q.smtlib)})"]
            lines += [q.smtlib.rstrip("\n"), "(pop 1)"]
    return "\n".join(lines) + "\n"


def _wrapped(text: str) -> list[str]:
    flat = " ".join(text.split())
    lines = [""]
    for word in flat.split(" "):
        if len(lines[-1]) + len(word) > _WIDTH - 4:
            lines.append("  ")
        lines[-1] += word if not lines[-1].strip() else f" {word}"
    return lines


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
