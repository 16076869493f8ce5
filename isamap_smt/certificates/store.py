"""Certificates of proved values: the contents of their files, and their places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from isamap_encodings.solve import versions
from isamap_encodings.z3_check import cvc5_version
from isamap_smt.certificates.claim_file import claim_text, unproved
from isamap_smt.certificates.completeness import family_document, listed, witness_document
from isamap_smt.certificates.derive import Derived, Step, derive_complete, derive_mapping, derive_program, derive_split
from isamap_smt.certificates.digests import (
    hardware_digests,
    instruction_digests,
    kernel_digest,
    mapping_digest,
)
from isamap_smt.certificates.errors import CertificateError
from isamap_smt.certificates.fingerprint import fingerprint, machine_and_name, mapping_id, program_text
from isamap_smt.certificates.manifest import CLAIMS, claims_text, write_certificate
from isamap_smt.certificates.rounding import KEY, Ranges, Rounding, derive_rounding, made_rounding, name_of
from isamap_smt.certificates.subject import further_document, kernel_document, mapping_document, schedule_document
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.program import Program
from isamap_smt.ir.proof import Proof, ProvedMapping
from isamap_smt.ir.rewrite import Form
from isamap_smt.ir.schedule import Schedule
from isamap_smt.proof.family import Family
from isamap_smt.proof.family_witnesses import Witness

PROGRAM = "program.txt"


@dataclass(frozen=True)
class Certificate:
    """The contents to write: a manifest without its digests of files, and the files by name."""

    id: str
    document: dict[str, Any]
    files: dict[str, str]

    def write(self, directory: Path) -> Path:
        """Put it at its place below the directory. Raises CertificateError if something stands there."""
        place = directory / self.id
        write_certificate(place, self.document, self.files)
        return place


@dataclass(frozen=True)
class Named:
    """The places of today's kernel and instruction, such as `kernels.py:mine`, if not found by their names.

    split: the sum taken apart, if the kernel comes from one.
    """

    kernel: str | None = None
    instruction: str | None = None
    split: Form | None = None


def mapping_certificate(
    proved: ProvedMapping, schedule: Schedule | None = None, named: Named | None = None, more: Sequence[Schedule] = (),
    ranges: Ranges | None = None,
) -> Certificate:  # fmt: skip
    """The certificate of a mapping and, with a schedule, of its program; every claim is derived anew.

    more: schedules of the program's secondary statements; their mappings are proved again at each check, and their
    formulas stand in certificates of their own. ranges: input ranges for a bound of its rounding. Raises CertificateError
    if a claim is not proved (UndecidedError if it is unknown), or the proved value cannot be written.
    """
    named = named or Named()
    identifier = mapping_id(proved.mapping, schedule, named.split)
    apart = None if named.split is None else derive_split(named.split)
    if apart is not None and not apart.proof.proved:
        raise unproved(f"the split sum of {identifier} is not proved:\n{apart.proof}", identifier, apart)
    derived, again = derive_mapping(proved.mapping)
    if not isinstance(again, ProvedMapping):
        raise unproved(f"{identifier} is not proved:\n{again}", identifier, derived)
    lowered = None
    if schedule is not None:
        schedules = (replace(schedule, proved=again), *more)
        lowered = Lowered(schedules, *derive_program(*schedules), split=named.split)
        if not lowered.derived.proof.proved:
            told = f"the program of {identifier} is not proved:\n{lowered.derived.proof}"
            raise unproved(told, identifier, lowered.derived)
    rounding = None
    if ranges:
        if lowered is None:
            raise CertificateError(
                f"{identifier} is no program: how far rounding carries it depends on how it is computed"
            )
        claimed = made_rounding(lowered.program, named.split, ranges)
        rounding = Rounded(*derive_rounding(lowered.program, named.split, claimed))
    return stated(proved.mapping, Evidence(derived, lowered, apart, rounding), named)


def program_certificates(
    schedules: Sequence[Schedule], named: Named | None = None, ranges: Ranges | None = None
) -> Iterator[Certificate]:
    """The certificate of a program, made by the schedules of its mapped statements, and those of the further mappings.

    ranges: input ranges for a bound of its rounding.
    """
    named = named or Named()
    first, *more = schedules
    yield mapping_certificate(first.proved, first, named, more, ranges)
    for s in more:
        same = s.proved.mapping.instruction.name == first.proved.mapping.instruction.name
        yield mapping_certificate(s.proved, None, named if same else replace(named, instruction=None))


@dataclass(frozen=True)
class Lowered:
    """The program of a mapping: the schedules it carries out, its claims, and itself."""

    schedules: tuple[Schedule, ...]
    derived: Derived
    program: Program
    split: Form | None = None

    @cached_property
    def fingerprint(self) -> str:
        """The digest that its C states, too."""
        return fingerprint(self.program, self.split)


@dataclass(frozen=True)
class Rounded:
    """The bound of a program's rounding: its claims, and the derived bound."""

    derived: Derived
    rounding: Rounding


@dataclass(frozen=True)
class Evidence:
    """Everything derived for a certificate: the mapping's claims, its program's, those of a sum taken apart, and of rounding."""

    mapping: Derived
    lowered: Lowered | None = None
    split: Derived | None = None
    rounding: Rounded | None = None

    @property
    def parts(self) -> tuple[tuple[str, Derived], ...]:
        """Each part with the prefix of its file names."""
        apart = (("split-", self.split),) if self.split else ()
        below = (("program-", self.lowered.derived),) if self.lowered else ()
        bounds = (("", self.rounding.derived),) if self.rounding else ()
        return (*apart, ("", self.mapping), *below, *bounds)

    @property
    def steps(self) -> tuple[Step, ...]:
        """In their order."""
        return tuple(s for _, derived in self.parts for s in derived.steps)

    @property
    def last(self) -> Proof:
        """The proof that states the assumptions."""
        return self.lowered.derived.proof if self.lowered else self.mapping.proof


def stated(mapping: Mapping, evidence: Evidence, named: Named) -> Certificate:
    """The whole certificate, from claims just derived. Nothing in it depends on when and where it is written."""
    lowered, last = evidence.lowered, evidence.last
    rounding = evidence.rounding.rounding if evidence.rounding else None
    within = name_of(rounding.ranges) if rounding else ""
    identifier = mapping_id(mapping, lowered.schedules[0] if lowered else None, named.split, within)
    kernel = kernel_document(mapping.kernel, named.kernel, named.split)
    document: dict[str, Any] = {
        "id": identifier,
        "kind": "mapping",
        "kernel": {**kernel, "digest": kernel_digest(mapping.kernel)},
        "instruction": _instruction_document(mapping.instruction, named.instruction),
        "mapping": {**mapping_document(mapping), "digest": mapping_digest(mapping)},
    }
    files: dict[str, str] = {}
    claims: list[dict[str, Any]] = []
    for prefix, derived in evidence.parts:
        files |= claim_files(identifier, derived.steps, prefix)
        claims += claim_documents(derived.steps, prefix)
    if lowered is not None:
        schedule, *more = lowered.schedules
        document["schedule"] = schedule_document(schedule)
        source = {mapping.instruction.name: named.instruction}
        document["further"] = [
            further_document(s, _instruction_document(i, source.get(i.name)))
            for s in more
            for i in (s.proved.mapping.instruction,)
        ]
        document["program"] = {"file": PROGRAM, "digest": lowered.fingerprint}
        files[PROGRAM] = program_text(lowered.program)
    document |= {"arithmetic": last.arithmetic, "assumptions": list(last.assumptions)}
    if rounding is not None:
        document[KEY] = rounding.document()
    return Certificate(identifier, document, {**files, CLAIMS: claims_text(claims, files)})


def completeness_certificate(
    family: Family, legal: Sequence[str], witnesses: Sequence[Witness], kernel: str | None = None
) -> Certificate:
    """The certificate that the legal list of a family, by ids, is complete. Raises CertificateError if it is not."""
    found, steps = derive_complete(family, [listed(family, i) for i in legal], witnesses)
    if not found:
        told = "; ".join([*found.faults, *(f"nothing accounts for {u}" for u in found.uncovered[:1])])
        raise CertificateError(f"{_complete_id(family)} is not shown to be complete: {told}")
    return complete_stated(family, legal, witnesses, steps, kernel)


def complete_stated(
    family: Family, legal: Sequence[str], witnesses: Sequence[Witness], steps: Sequence[Step], kernel: str | None
) -> Certificate:
    """The whole certificate of a complete list, from the claim just derived."""
    identifier = _complete_id(family)
    files = claim_files(identifier, steps, "")
    document = {
        "id": identifier,
        "kind": "completeness",
        "kernel": {**kernel_document(family.kernel, kernel), "digest": kernel_digest(family.kernel)},
        "instruction": _instruction_document(family.instruction, None),
        "family": family_document(family),
        "legal": list(legal),
        "witnesses": [witness_document(w, family) for w in witnesses],
    }
    return Certificate(identifier, document, {**files, CLAIMS: claims_text(claim_documents(steps, ""), files)})


def _complete_id(family: Family) -> str:
    machine, short = machine_and_name(family.instruction)
    name = "" if family.name == "fuse" else f",{family.name}"
    return f"{machine}/{family.kernel.name}/complete,{short}{name}"


def machine_certificate(hardware: Hardware) -> Certificate:
    """Digests of everything in a machine's description: its proofs were made for this."""
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
    if ".py" in document["source"]:  # a file being worked on: a check should name its changes
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
    """Names and versions; cvc5 is 'not installed' if missing."""
    return {**versions(), "cvc5": cvc5_version() or "not installed"}
