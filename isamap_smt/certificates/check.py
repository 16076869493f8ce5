"""One certificate against today's sources: every claim is derived and discharged again; what a file says proves nothing."""

from __future__ import annotations

import time
from collections.abc import Mapping as Dict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from isamap_encodings.verdict import Refuted, Unknown
from isamap_smt.certificates.answers import Memory
from isamap_smt.certificates.claim_file import Question, parse_claim_text, questions_of
from isamap_smt.certificates.completeness import family_from, listed, witness_from
from isamap_smt.certificates.derive import Step, derive_mapping, derive_program
from isamap_smt.certificates.digests import digest, mapping_digest
from isamap_smt.certificates.discharge import second_opinion, z3_again
from isamap_smt.certificates.errors import DamagedError
from isamap_smt.certificates.further import further_from
from isamap_smt.certificates.manifest import read_manifest, well_formed
from isamap_smt.certificates.outcome import Outcome
from isamap_smt.certificates.remember import keys_of, remember
from isamap_smt.certificates.store import (
    PROGRAM,
    Certificate,
    Lowered,
    completeness_certificate,
    machine_certificate,
    stated,
)
from isamap_smt.certificates.subject import Sources, mapping_from, schedule_from
from isamap_smt.certificates.undecided import CONTRADICTED, question_files, undecided_files
from isamap_smt.certificates.words import differences
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.proof import Proof, ProvedMapping
from isamap_smt.proof.family_check import check_family
from isamap_smt.proof.mapping import FIRST, prove_after
from isamap_smt.proof.program_configuration import faults

_SHOWN = 3  # refuted obligations that a report tells


def check_certificate(
    directory: Path, identifier: str, expected: str | None, sources: Sources, memory: Memory
) -> Outcome:
    """The outcome of one certificate, found anew; never raises for what is in its files or in the sources.

    Questions that the solvers have answered before, as memory knows, are not asked again.
    """
    started = time.perf_counter()
    place = directory / identifier
    keys = None
    try:
        with well_formed():
            document = read_manifest(place, expected)
            keys = keys_of(place, identifier, document, sources)
            outcome = _Check(place, identifier, document, sources, memory).outcome()
    except DamagedError as error:
        outcome = Outcome(identifier, "damaged", (str(error),))
    except Exception as error:  # whatever stands in one certificate does not end the check of the others
        told = f"checking it failed: {type(error).__name__}: {error}"
        outcome = Outcome(identifier, "unknown", (told, "its manifest was made by hand, or this is a fault of isamap"))
    outcome = replace(outcome, seconds=round(time.perf_counter() - started, 3))
    memory.flush()
    if keys is not None:
        remember(outcome, keys, memory.outcomes)
    return outcome


@dataclass
class _Check:
    """One certificate whose files are as they were written. changes: what is not as it was, in words."""

    place: Path
    id: str
    document: Dict[str, Any]
    sources: Sources
    memory: Memory
    changes: list[str] = field(default_factory=list)

    def outcome(self) -> Outcome:
        """By its kind."""
        if self.document["kind"] == "machine":
            return self._machine()
        try:
            kernel, today = self.sources.kernel(self.document["kernel"])
            instruction = self.sources.instruction(self.document["instruction"]["source"], kernel)
            parts = [self.document, *self.document.get("further", [])]
            used = [instruction, *(self.sources.instruction(p["instruction"]["source"], kernel) for p in parts[1:])]
            found = [self.sources.instruction_digests(p["instruction"]["source"], kernel) for p in parts]
        except IsamapError as error:
            return Outcome(self.id, "broken", ("what it is about is no longer there", str(error)))
        self._changed("kernel", kernel.name, today, self.document["kernel"])
        if wrong := [fault for i in used for fault in faults(i)]:
            return Outcome(self.id, "broken", tuple(dict.fromkeys(wrong))[:_SHOWN])
        told = [now.changed(part["instruction"]) for part, now in zip(parts, found, strict=True)]
        self.changes += [t for t in dict.fromkeys(told) if t]
        if self.document["kind"] == "completeness":
            return self._completeness(kernel, instruction)
        return self._mapping(kernel, instruction)

    def _changed(self, what: str, name: str, now: str, then: Dict[str, Any]) -> None:
        if now != then["digest"]:
            self.changes.append(f"the {what} {name} has changed")

    def _machine(self) -> Outcome:
        try:
            now = self.sources.digests(self.document["hardware"])
        except IsamapError as error:
            return Outcome(self.id, "broken", ("what it is about is no longer there", str(error)))
        wrong = [w for i in self.sources.hardware(self.document["hardware"]).instructions for w in faults(i)]
        if wrong:
            return Outcome(self.id, "broken", tuple(wrong[:_SHOWN]), claims=len(now))
        then = self.document["parts"]
        changed = [k for k in now if k in then and now[k] != then[k]]
        told = [f"{', '.join(changed)} of {self.document['hardware']} changed"] if changed else []
        told += [f"{k} is new" for k in now if k not in then] + [f"{k} is gone" for k in then if k not in now]
        if not told:
            told = list(self._words(machine_certificate(self.sources.hardware(self.document["hardware"]))))
        return Outcome(self.id, "stale" if told else "ok", tuple(told), claims=len(now))

    def _completeness(self, kernel: Kernel, instruction: Instruction) -> Outcome:
        claims = 1 + len(self.document["legal"])
        try:
            family = family_from(self.document["family"], kernel, instruction)
            witnesses = [witness_from(w, family) for w in self.document["witnesses"]]
        except DamagedError as error:
            return Outcome(self.id, "broken", ("the list of legal mappings is not shown to be complete", str(error)))
        except IsamapError as error:
            return Outcome(self.id, "broken", ("the family cannot be gone over", str(error)))
        legal: list[Mapping] = []
        for identifier in self.document["legal"]:
            try:
                legal.append(listed(family, identifier))
            except IsamapError as error:
                told = [f"{identifier}, on the list of legal mappings, is no mapping any more", str(error)]
                return Outcome(self.id, "broken", tuple(told), claims)
        for mapping in legal:
            result = prove_after(mapping, FIRST)
            if not isinstance(result, ProvedMapping):
                return self._not_proved(result.proof, str(result))
        try:
            found = check_family(family, [m.id for m in legal], witnesses)
        except IsamapError as error:
            return Outcome(self.id, "broken", ("the family cannot be gone over", str(error)))
        if not found:
            told = ["the list of legal mappings is no longer shown to be complete", *found.faults]
            told += [f"nothing accounts for {u}" for u in found.uncovered[:_SHOWN]]
            if len(found.uncovered) > _SHOWN:
                told.append(f"nor for {len(found.uncovered) - _SHOWN} more")
            return Outcome(self.id, "broken", tuple(told), claims)
        ids = [m.id for m in legal]
        self.changes += self._words(completeness_certificate(family, ids, witnesses, self.document["kernel"]["source"]))
        return self._proved(claims, (), ())

    def _mapping(self, kernel: Kernel, instruction: Instruction) -> Outcome:
        then = self.document["mapping"]
        try:
            mapping = mapping_from(then, kernel, instruction)
            derived, result = derive_mapping(mapping, self.memory.z3)
        except DamagedError:
            raise
        except IsamapError as error:
            return Outcome(self.id, "broken", ("the mapping cannot be made any more", str(error)))
        if not isinstance(result, ProvedMapping):
            return self._not_proved(derived.proof, str(result), derived.steps)
        self._changed("mapping", mapping.id, mapping_digest(mapping), then)
        steps, last, lowered = [*derived.steps], derived.proof, None
        stored = self._stored(derived.steps, "")
        if "schedule" in self.document:
            try:
                lowered = self._program(result)
            except IsamapError as error:
                return Outcome(self.id, "broken", ("the program cannot be lowered any more", *self.changes, str(error)))
            last = lowered.derived.proof
            if not last.proved:
                return self._not_proved(last, _told(last), lowered.derived.steps)
            steps += lowered.derived.steps
            stored += self._stored(lowered.derived.steps, "program-")
        if list(last.assumptions) != self.document["assumptions"] or last.arithmetic != self.document["arithmetic"]:
            self.changes.append("it assumes something else")
        named = (self.document[k]["source"] for k in ("kernel", "instruction"))
        self.changes += self._words(stated(mapping, derived, lowered, *named))
        return self._proved(sum(len(s.claims) for s in steps), steps, stored)

    def _words(self, today: Certificate) -> list[str]:
        """What else it says that today's sources do not, where nothing that matters has changed."""
        return [] if self.changes else list(differences(self.place, self.id, self.document, today))

    def _program(self, proved: ProvedMapping) -> Lowered:
        then = self.document["schedule"]
        answers = self.memory.z3
        more = further_from(self.document, proved.mapping.kernel, self.sources, answers)
        schedule = schedule_from(then, proved, self.sources.hardware(then["hardware"]))
        lowered = Lowered((schedule, *more), *derive_program(schedule, *more, answers=answers))
        if digest(lowered.text) != self.document["program"]["digest"]:
            self.changes.append(f"the program has changed: {PROGRAM} is not what is lowered today")
        return lowered

    def _stored(self, steps: Sequence[Step], prefix: str) -> list[Question]:
        """Stored questions that are not today's; every claim whose questions differ is a change."""
        grouped: dict[str, list[Step]] = {}
        for s in steps:
            grouped.setdefault(f"{prefix}{s.claim}.smt2", []).append(s)
        mine = [f for f in self.document["files"] if f.endswith(".smt2") and f.startswith("program-") == bool(prefix)]
        other: list[Question] = []
        for name in mine:
            then = parse_claim_text((self.place / name).read_text(encoding="utf-8"), name)
            if then != questions_of(grouped.get(name, [])):
                self.changes.append(f"the formulas of {name} are no longer those that the sources make")
                other += then
        self.changes += [f"the claim of {name} is new" for name in grouped if name not in mine]
        return other

    def _not_proved(self, proof: Proof, told: str, steps: Sequence[Step] = ()) -> Outcome:
        status = "broken" if proof.word == "refuted" else "unknown"
        first = "no longer proved" if status == "broken" else "no longer decided"
        left = undecided_files(self.id, steps) if status == "unknown" else {}
        told_all = (first, *self.changes, told)
        return Outcome(self.id, status, told_all, len(proof.claims), formulas_left=tuple(left.items()))

    def _proved(self, claims: int, steps: Sequence[Step], stored: Sequence[Question]) -> Outcome:
        """All claims hold by Z3: what cvc5 says, what both say of stored text that differs, and whether anything changed."""
        questions = questions_of(steps)
        tally = second_opinion(questions, self.memory.cvc5)
        told = list(tally.disagreements)
        for q, answer in zip(stored, z3_again(stored, self.memory.z3), strict=True):
            if answer != q.wanted:
                told.append(f"a stored formula should be {q.wanted}, and Z3 says {answer}")
        told += [f"of a stored formula: {d}" for d in second_opinion(stored, self.memory.cvc5).disagreements]
        left = question_files(self.id, steps, lambda q: q.smtlib in tally.contested, CONTRADICTED)
        status = "ok"
        if told:
            status = "unknown"
            told.insert(0, "the solvers disagree" if tally.disagreements else "a stored formula does not hold")
        elif self.changes:
            status = "stale"
        return Outcome(
            self.id,
            status,
            (*told, *self.changes),
            claims,
            len(questions),
            tally.agreed,
            tally.open + len(tally.disagreements),
            z3=tuple(round(q.seconds, 5) for s in steps for q in s.queries),
            formulas_left=tuple(left.items()),
        )


def _told(proof: Proof) -> str:
    lines = []
    for c in proof.failed()[:_SHOWN]:
        about = f"{c.claim} of {c.subject}" if c.subject else c.claim
        match c.verdict:
            case Refuted(_, text):
                lines.append(f"{about}: {text or c.statement}")
            case Unknown(reason):
                lines.append(f"{about} is unknown: {reason}")
    return "\n".join(lines)


__all__ = ["check_certificate"]
