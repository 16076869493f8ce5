"""One SMT-LIB 2 file per claim: its obligations in words, and under each the questions deciding it.

A question stands between (push 1) and (pop 1) and is complete in itself: declarations, assumptions, the denied claim,
and in (set-info :status ...) the answer proving it. `unsat` says the assumptions allow no counterexample; `sat`, for
the hypotheses alone, says they are not contradictory, so the proof is not empty. Any SMT-LIB solver reads the file.
Open formulas, given up by Z3 or answered differently by two solvers, are such files to go on from.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from isamap_encodings.solve import Query
from isamap_encodings.verdict import Unknown
from isamap_encodings.z3_check import cvc5_answer, cvc5_version
from isamap_smt.certificates.cache import Answers
from isamap_smt.certificates.derive import Derived, Step, derive_mapping, wants_model
from isamap_smt.certificates.errors import CertificateError
from isamap_smt.certificates.fingerprint import mapping_id
from isamap_smt.ir.errors import IsamapError, NotProvedError
from isamap_smt.proof.rejection import Rejection

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
    """The numbers of questions cvc5 answered as wanted and left open, and its contradictions to Z3, in words.

    contested: the text of each question with different answers.
    """

    agreed: int = 0
    open: int = 0
    disagreements: tuple[str, ...] = ()
    contested: frozenset[str] = frozenset()


def second_opinion(questions: Sequence[Question], answers: Answers) -> Tally:
    """cvc5's answers, compared with the wanted ones (given by Z3). Nothing is asked if cvc5 is not installed."""
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


Files = Mapping[str, str]  # text by path below wherever they are put

GAVE_UP = "Z3 gave up on each of these within its limit of steps. Another solver, or more steps, may decide it."
CONTRADICTED = "Z3 and cvc5 answer each of these differently."


class UndecidedError(CertificateError, NotProvedError):
    """Raised if something cannot be certified because claims are unknown. formulas: the files of questions given up by Z3."""

    code = 2

    def __init__(self, text: str, formulas: Files) -> None:
        super().__init__(text)
        self.formulas = dict(formulas)

    def __reduce__(self) -> tuple[type[UndecidedError], tuple[str, dict[str, str]]]:
        return UndecidedError, (str(self), self.formulas)


def unproved(text: str, identifier: str, derived: Derived, error: type[IsamapError] = CertificateError) -> IsamapError:
    """The error to raise if a proof is wanted: UndecidedError with the formulas if claims are unknown, else `error`."""
    if derived.proof.word == "unknown":
        return UndecidedError(text, undecided_files(identifier, derived.steps))
    return error(text)


def undecided_files(identifier: str, steps: Sequence[Step]) -> dict[str, str]:
    """One SMT-LIB file per unknown claim, by identifier/claim.smt2, with the questions given up by Z3.

    A claim unknown for another reason (something is not described, or not expressible) has none.
    """
    left = [s for s in steps if any(isinstance(c.verdict, Unknown) for c in s.claims)]
    return question_files(identifier, left, lambda q: q.answer == "unknown", GAVE_UP)


def question_files(
    identifier: str, steps: Sequence[Step], chosen: Callable[[Query], bool], note: str
) -> dict[str, str]:
    """One file per claim, by identifier/claim.smt2, with the chosen questions only; note: a sentence true of all of them."""
    picked = [replace(s, queries=tuple(dict.fromkeys(q for q in s.queries if chosen(q)))) for s in steps]
    grouped: dict[str, list[Step]] = {}
    for step in picked:
        if step.queries:
            grouped.setdefault(step.claim, []).append(step)
    return {f"{identifier}/{c}.smt2": claim_text(identifier, c, part, note) for c, part in grouped.items()}


def undecided_formulas(rejection: Rejection) -> dict[str, str]:
    """The files of an unknown result of prove(); its claims are derived again, with every question written down."""
    if rejection.refuted:
        return {}
    derived, _ = derive_mapping(rejection.mapping)
    return undecided_files(mapping_id(rejection.mapping), derived.steps)
