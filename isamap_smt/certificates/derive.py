"""The claims of today's sources, each with the questions asked to decide it.

Deriving a claim is proving it: Z3 answers every question on the way, now or, if the caller keeps its answers, when
exactly the same was last asked. No verdict is taken from a certificate.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping as Dict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from isamap_encodings.solve import Answers, Query, recording
from isamap_encodings.verdict import Proved
from isamap_smt.certificates.completeness import complete_claim
from isamap_smt.certificates.subject import Sources, mapping_from, schedule_from
from isamap_smt.codegen.lower import lower
from isamap_smt.ir.errors import NotProvedError
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.program import Program
from isamap_smt.ir.proof import ClaimResult, Proof, ProvedMapping
from isamap_smt.ir.rewrite import Form
from isamap_smt.ir.schedule import Schedule
from isamap_smt.proof.family import Family
from isamap_smt.proof.family_check import CertificateCheck, account
from isamap_smt.proof.family_witnesses import Witness
from isamap_smt.proof.mapping import FIRST, prove_after
from isamap_smt.proof.program import prove_program
from isamap_smt.proof.rejection import Rejection
from isamap_smt.proof.split import prove_split

# the last assertion of a question whether some values satisfy all the others; any other denies a claim
SATISFIABLE = "(assert (not false))"
_SAFE = ("translate", "_symbols", "_shown", "_named", "_most")  # caches of terms, not of verdicts


@dataclass(frozen=True)
class Step:
    """Obligations decided together, with the questions deciding them."""

    claims: tuple[ClaimResult, ...]
    queries: tuple[Query, ...]

    @property
    def claim(self) -> str:
        """The claim they belong to, such as `coverage`."""
        return self.claims[0].claim


@dataclass(frozen=True)
class Derived:
    """Steps of one proof, and the proof itself."""

    proof: Proof
    steps: tuple[Step, ...]


def derive_mapping(mapping: Mapping, answers: Answers | None = None) -> tuple[Derived, ProvedMapping | Rejection]:
    """All claims of a mapping, asked again; questions known to `answers` are not."""
    with Watching(answers) as watch:
        result = prove_after(mapping, FIRST, watch)
    return Derived(result.proof, watch.steps()), result


def derive_program(schedule: Schedule, *more: Schedule, answers: Answers | None = None) -> tuple[Derived, Program]:
    """The schedules lowered again, and all claims of the program asked again; questions known to `answers` are not.

    Raises ScheduleError from lowering.
    """
    program = lower(schedule, *more)
    with Watching(answers) as watch:
        proof = prove_program(program, watch=watch)
    return Derived(proof, watch.steps()), program


def derive_split(split: Form, answers: Answers | None = None) -> Derived:
    """All claims that a sum taken apart is the same sum, asked again; questions known to `answers` are not."""
    with Watching(answers) as watch:
        proof = prove_split(split, watch)
    return Derived(proof, watch.steps())


def derive_complete(
    family: Family, legal: Sequence[Mapping], witnesses: Sequence[Witness], answers: Answers | None = None
) -> tuple[CertificateCheck, tuple[Step, ...]]:
    """The claim that no other mapping of the family is legal, asked again; questions known to `answers` are not.

    The legality of the listed mappings is not asked.
    """
    accounted = account(family, legal, witnesses)
    with Watching(answers) as watch:
        verdict = accounted.verdict()
        watch([complete_claim(len(legal), len(witnesses), family, verdict)])
    return accounted.check(verdict), watch.steps()


class Watching:
    """Collects the claims decided within, each with its questions; those known to `answers` are not asked."""

    def __init__(self, answers: Answers | None) -> None:
        self._answers = answers
        self._steps: list[Step] = []
        self._taken = 0

    def __enter__(self) -> Watching:
        forget_verdicts()
        self._recording = recording(self._answers)
        self._queries = self._recording.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._recording.__exit__(*error)

    def __call__(self, claims: Sequence[ClaimResult]) -> None:
        asked = self._queries[self._taken :]
        self._taken = len(self._queries)
        if claims:
            self._steps.append(Step(tuple(claims), evidence(claims, asked)))

    def steps(self) -> tuple[Step, ...]:
        """Everything watched."""
        return tuple(self._steps)


def evidence(claims: Sequence[ClaimResult], asked: Sequence[Query]) -> tuple[Query, ...]:
    """The questions a proof stands on: contradictions, and models if a model was wanted.

    Failed attempts on the way (a harder form of the same claim, a bound on sizes) are left out. If a claim is
    not proved nothing is left out.
    """
    if not all(isinstance(c.verdict, Proved) for c in claims):
        return tuple(asked)
    kept = {q.smtlib: q for q in asked if q.answer == ("sat" if wants_model(q.smtlib) else "unsat")}
    return tuple(kept.values())


def wants_model(script: str) -> bool:
    """Whether the question asks for values that satisfy everything: `sat` is then the answer hoped for."""
    return script.rstrip().removesuffix("(check-sat)").rstrip().endswith(SATISFIABLE)


def forget_verdicts() -> None:
    """Empty every cache of verdicts in this process: each question is asked, and heard, again."""
    for name, module in list(sys.modules.items()):
        if name.startswith(("isamap_encodings.", "isamap_smt.proof.")):
            for key, value in list(vars(module).items()):
                if hasattr(value, "cache_clear") and key not in _SAFE:
                    value.cache_clear()


def further_from(
    document: Dict[str, Any], kernel: Kernel, sources: Sources, answers: Answers | None = None
) -> tuple[Schedule, ...]:
    """Schedules of the further statements, with their mappings proved.

    Raises NotProvedError if a mapping is no longer proved, IsamapError if it cannot be made.
    """
    found: list[Schedule] = []
    for part in document.get("further", []):
        instruction = sources.instruction_of(part, kernel)
        _, result = derive_mapping(mapping_from(part["mapping"], kernel, instruction), answers)
        if not isinstance(result, ProvedMapping):
            raise NotProvedError(f"statement {part['mapping']['statement'] + 1} is no longer proved\n{result}")
        then = part["schedule"]
        found.append(schedule_from(then, result, sources.hardware(then["hardware"])))
    return tuple(found)
