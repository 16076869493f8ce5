"""Certificates of proved values: what stands in their files, and where they are put."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from isamap_encodings.cvc5_check import cvc5_version
from isamap_encodings.solve import versions
from isamap_smt.certificates.claim_file import claim_text
from isamap_smt.certificates.completeness import family_document, witness_document
from isamap_smt.certificates.derive import Derived, Step, derive_mapping, derive_program
from isamap_smt.certificates.digests import (
    digest,
    hardware_digests,
    instruction_digests,
    kernel_digest,
    mapping_digest,
)
from isamap_smt.certificates.manifest import write_certificate
from isamap_smt.certificates.names import machine_and_name, mapping_id
from isamap_smt.certificates.subject import further_document, kernel_document, mapping_document, schedule_document
from isamap_smt.certificates.undecided import unproved
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.program import Program
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.ir.schedule import Schedule
from isamap_smt.proof.family import Family
from isamap_smt.proof.family_witnesses import Witness

PROGRAM = "program.txt"


@dataclass(frozen=True)
class Certificate:
    """What is written: a manifest without its digests of files, and the files by name."""

    id: str
    document: dict[str, Any]
    files: dict[str, str]

    def write(self, directory: Path) -> Path:
        """Put it at its place below the directory. Raises CertificateError where something stands there."""
        place = directory / self.id
        write_certificate(place, self.document, self.files)
        return place


def mapping_certificate(
    proved: ProvedMapping,
    schedule: Schedule | None = None,
    kernel: str | None = None,
    instruction: str | None = None,
    more: Sequence[Schedule] = (),
) -> Certificate:
    """The certificate of a mapping and, with a schedule, of its program; every claim is derived anew.

    more: schedules of further statements that the program maps; their mappings are proved again at each check, and their
    formulas stand in certificates of their own. kernel, instruction: where today's ones are found, such as
    `kernels.py:mine`, if not by their names. Raises CertificateError where a claim is not proved (UndecidedError
    where it is unknown), or what is proved cannot be written.
    """
    identifier = mapping_id(proved.mapping)
    derived, again = derive_mapping(proved.mapping)
    if not isinstance(again, ProvedMapping):
        raise unproved(f"{identifier} is not proved:\n{again}", identifier, derived)
    lowered = None
    if schedule is not None:
        schedules = (replace(schedule, proved=again), *more)
        lowered = Lowered(schedules, *derive_program(*schedules))
        if not lowered.derived.proof.proved:
            told = f"the program of {identifier} is not proved:\n{lowered.derived.proof}"
            raise unproved(told, identifier, lowered.derived)
    found = stated(proved.mapping, derived, lowered, kernel, instruction)
    steps = (*derived.steps, *(lowered.derived.steps if lowered else ()))
    seconds = round(sum(q.seconds for s in steps for q in s.queries), 3)
    return replace(found, document={**found.document, "solvers": solvers(), "seconds": {"z3": seconds}})


@dataclass(frozen=True)
class Lowered:
    """The program of a mapping: the schedules it carries out, its claims, and itself."""

    schedules: tuple[Schedule, ...]
    derived: Derived
    program: Program

    @cached_property
    def text(self) -> str:
        """The program as pseudo-code, which shows every loop, buffer, move and execution, with what it assumes."""
        assumed = "".join(f"assumes {a}\n" for a in self.program.assumptions)
        return f"{self.program}\n{assumed}"


def stated(
    mapping: Mapping, derived: Derived, lowered: Lowered | None, kernel: str | None, instruction: str | None
) -> Certificate:
    """Everything that the certificate says, from claims just derived: all of it but who answered, and in what time."""
    identifier = mapping_id(mapping)
    document: dict[str, Any] = {
        "id": identifier,
        "kind": "mapping",
        "kernel": {**kernel_document(mapping.kernel, kernel), "digest": kernel_digest(mapping.kernel)},
        "instruction": _instruction_document(mapping.instruction, instruction),
        "mapping": {**mapping_document(mapping), "digest": mapping_digest(mapping)},
    }
    files = claim_files(identifier, derived.steps, "")
    claims = claim_documents(derived.steps, "")
    last = derived.proof
    if lowered is not None:
        schedule, *more = lowered.schedules
        document["schedule"] = schedule_document(schedule)
        document["further"] = [
            further_document(s, _instruction_document(s.proved.mapping.instruction, None)) for s in more
        ]
        document["program"] = {"file": PROGRAM, "digest": digest(lowered.text)}
        below = lowered.derived
        files |= claim_files(identifier, below.steps, "program-") | {PROGRAM: lowered.text}
        claims += claim_documents(below.steps, "program-")
        last = below.proof
    document |= {"arithmetic": last.arithmetic, "assumptions": list(last.assumptions), "claims": claims}
    return Certificate(identifier, document, files)


def completeness_certificate(
    family: Family, legal: Sequence[str], witnesses: Sequence[Witness], kernel: str | None = None
) -> Certificate:
    """The certificate that the legal list of a family is complete."""
    machine, short = machine_and_name(family.instruction)
    identifier = f"{machine}/{family.kernel.name}/complete,{short}"
    words = (
        f"each of {family.size} candidates is one of {len(legal)} listed ones, not in normal form, or violated by one of "
        f"{len(witnesses)} witnesses; each listed one is legal"
    )
    return Certificate(
        identifier,
        {
            "id": identifier,
            "kind": "completeness",
            "kernel": {**kernel_document(family.kernel, kernel), "digest": kernel_digest(family.kernel)},
            "instruction": _instruction_document(family.instruction, None),
            "family": family_document(family),
            "legal": list(legal),
            "witnesses": [witness_document(w, family) for w in witnesses],
            "claims": [{"claim": "complete", "subject": "", "statement": words, "verdict": "proved", "file": ""}],
            "solvers": {"integers": "plain"},
        },
        {},
    )


def machine_certificate(hardware: Hardware) -> Certificate:
    """Digests of everything that a machine's description says: its proofs were made for this."""
    identifier = f"{hardware.name}/machine"
    document = {
        "id": identifier,
        "kind": "machine",
        "hardware": hardware.name,
        "parts": hardware_digests(hardware),
    }
    return Certificate(identifier, document, {})


def _instruction_document(instruction: Instruction, source: str | None) -> dict[str, Any]:
    found = instruction_digests(instruction)
    document: dict[str, Any] = {"source": source or instruction.name, "text": found.text, "rounding": found.rounding}
    if ".py" in document["source"]:  # a file that is being worked on: a check should say what in it has changed
        document["parts"] = dict(found.parts)
    return {**document, "digest": found.whole}


def claim_documents(steps: Iterable[Step], prefix: str) -> list[dict[str, Any]]:
    """Claims in words, with verdict, file and number of questions (said once for obligations decided together)."""
    found = []
    for step in steps:
        for n, c in enumerate(step.claims):
            found.append(
                {
                    "claim": c.claim,
                    "subject": c.subject,
                    "statement": c.statement,
                    "verdict": c.verdict.word,
                    "file": f"{prefix}{step.claim}.smt2",
                    "questions": 0 if n else len(step.queries),
                }
            )
    return found


def claim_files(identifier: str, steps: Sequence[Step], prefix: str) -> dict[str, str]:
    """One file per claim."""
    grouped: dict[str, list[Step]] = {}
    for step in steps:
        grouped.setdefault(step.claim, []).append(step)
    return {f"{prefix}{claim}.smt2": claim_text(identifier, claim, part) for claim, part in grouped.items()}


def solvers() -> dict[str, str]:
    """Names and versions; cvc5 is 'not installed' where it is not."""
    return {**versions(), "cvc5": cvc5_version() or "not installed"}
