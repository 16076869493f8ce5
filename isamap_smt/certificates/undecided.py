"""Formulas that stay open: what Z3 gave up on, or two solvers contradict each other about, as files to go on from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from isamap_encodings.solve import Query
from isamap_encodings.verdict import Unknown
from isamap_smt.certificates.claim_file import claim_text
from isamap_smt.certificates.derive import Derived, Step, derive_mapping
from isamap_smt.certificates.errors import CertificateError
from isamap_smt.certificates.fingerprint import mapping_id
from isamap_smt.ir.errors import IsamapError, NotProvedError
from isamap_smt.proof.rejection import Rejection

Files = Mapping[str, str]  # text by path below wherever they are put

GAVE_UP = "Z3 gave up on each of these within its limit of steps. Another solver, or more steps, may decide it."
CONTRADICTED = "Z3 and cvc5 answer each of these differently."


class UndecidedError(CertificateError, NotProvedError):
    """Something that cannot be certified because claims are unknown. formulas: the files of what Z3 gave up on."""

    code = 2

    def __init__(self, text: str, formulas: Files) -> None:
        super().__init__(text)
        self.formulas = dict(formulas)

    def __reduce__(self) -> tuple[type[UndecidedError], tuple[str, dict[str, str]]]:
        return UndecidedError, (str(self), self.formulas)


def unproved(text: str, identifier: str, derived: Derived, error: type[IsamapError] = CertificateError) -> IsamapError:
    """What to raise where a proof is wanted: UndecidedError with the formulas where the claims are unknown, or `error`."""
    if derived.proof.word == "unknown":
        return UndecidedError(text, undecided_files(identifier, derived.steps))
    return error(text)


def undecided_files(identifier: str, steps: Sequence[Step]) -> dict[str, str]:
    """One SMT-LIB file per unknown claim, by identifier/claim.smt2, with the questions that Z3 gave up on.

    A claim that is unknown for another reason (something is not described, or not expressible) has none.
    """
    left = [s for s in steps if any(isinstance(c.verdict, Unknown) for c in s.claims)]
    return question_files(identifier, left, lambda q: q.answer == "unknown", GAVE_UP)


def question_files(
    identifier: str, steps: Sequence[Step], chosen: Callable[[Query], bool], note: str
) -> dict[str, str]:
    """One file per claim, by identifier/claim.smt2, with the chosen questions only; note: what they have in common."""
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
