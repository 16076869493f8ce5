"""One certificate against today's sources: every claim is derived and discharged again; a file's own words prove nothing.

But a reader, or another solver, reads the files: a question made trivial, a claim in other words, a proof under a foreign
name must not stand beside `ok`. So their contents are compared with those written for today's sources.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from collections.abc import Mapping as Dict
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from isamap_encodings.verdict import Refuted, Unknown
from isamap_smt.certificates.cache import Memory
from isamap_smt.certificates.claim_file import (
    CONTRADICTED,
    question_files,
    questions_of,
    second_opinion,
    undecided_files,
)
from isamap_smt.certificates.completeness import family_from, listed, witness_from
from isamap_smt.certificates.derive import (
    Step,
    derive_complete,
    derive_mapping,
    derive_program,
    derive_split,
    further_from,
)
from isamap_smt.certificates.digests import mapping_digest
from isamap_smt.certificates.errors import DamagedError
from isamap_smt.certificates.manifest import CLAIMS, Stored, read_certificate, well_formed
from isamap_smt.certificates.remember import Outcome, keys_of, remember
from isamap_smt.certificates.rounding import derive_rounding, rounding_from
from isamap_smt.certificates.store import (
    PROGRAM,
    Certificate,
    Evidence,
    Lowered,
    Named,
    Rounded,
    complete_stated,
    machine_certificate,
    stated,
)
from isamap_smt.certificates.subject import Sources, mapping_from, schedule_from, split_from
from isamap_smt.ir.errors import IsamapError, UnnamedFileError
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.proof import Proof, ProvedMapping
from isamap_smt.ir.rewrite import Form
from isamap_smt.language.library import kernel_names
from isamap_smt.proof.family_check import SHOWN, CertificateCheck
from isamap_smt.proof.mapping import FIRST, prove_after

_SHOWN = 3  # refuted obligations that a report tells


def check_certificate(
    directory: Path, identifier: str, expected: str | None, sources: Sources, memory: Memory
) -> Outcome:
    """The outcome of one certificate, found anew; never raises for the contents of its files or the sources.

    Questions already answered by the solvers, as memory knows, are not asked again.
    """
    started = time.perf_counter()
    place = directory / identifier
    keys = None
    try:
        with well_formed():
            stored = read_certificate(place, expected)
            keys = keys_of(identifier, stored, sources)
            outcome = _Check(identifier, stored, sources, memory).outcome()
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
    """One certificate with its files as they were written. changes: everything changed since, in words."""

    id: str
    stored: Stored
    sources: Sources
    memory: Memory
    changes: list[str] = field(default_factory=list)

    @property
    def document(self) -> dict[str, Any]:
        """The manifest."""
        return self.stored.document

    def outcome(self) -> Outcome:
        """By its kind."""
        if self.document["kind"] == "machine":
            return self._machine()
        try:
            kernel, today = self.sources.kernel(self.document["kernel"])
            instruction = self.sources.instruction_of(self.document, kernel)
            parts = [self.document, *self.document.get("further", [])]
            found = [self.sources.digests_of(p, kernel) for p in parts]
        except UnnamedFileError as error:
            return Outcome(self.id, "unknown", (str(error),))
        except IsamapError as error:
            return Outcome(self.id, "broken", ("what it is about is no longer there", str(error)))
        self._changed("kernel", kernel.name, today, self.document["kernel"])
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
        except UnnamedFileError as error:
            return Outcome(self.id, "unknown", (str(error),))
        except IsamapError as error:
            return Outcome(self.id, "broken", ("what it is about is no longer there", str(error)))
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
        found, steps = derive_complete(family, legal, witnesses, self.memory.z3)
        if not found:
            return self._not_complete(found, steps, claims)
        ids, source = [m.id for m in legal], self.document["kernel"]["source"]
        self.changes += self._words(complete_stated(family, ids, witnesses, steps, source))
        return self._proved(claims, steps)

    def _not_complete(self, found: CertificateCheck, steps: Sequence[Step], claims: int) -> Outcome:
        if not found.uncovered and any(isinstance(c.verdict, Unknown) for s in steps for c in s.claims):
            left = undecided_files(self.id, steps)
            return Outcome(
                self.id, "unknown", ("no longer decided", *found.faults), claims, formulas_left=tuple(left.items())
            )
        told = ["the list of legal mappings is no longer shown to be complete", *found.faults]
        told += [f"nothing accounts for {u}" for u in found.uncovered[:_SHOWN]]
        if len(found.uncovered) > _SHOWN:
            some = "at least " if len(found.uncovered) == SHOWN else ""
            told.append(f"nor for {some}{len(found.uncovered) - _SHOWN} more")
        return Outcome(self.id, "broken", tuple(told), claims)

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
        lowered = apart = None
        split = split_from(self.document["kernel"], self.sources.files)
        if split is not None:
            apart = derive_split(split, self.memory.z3)
            if not apart.proof.proved:
                return self._not_proved(apart.proof, _told(apart.proof), apart.steps)
        if "schedule" in self.document:
            try:
                lowered = self._program(result, split)
            except DamagedError:
                raise
            except IsamapError as error:
                return Outcome(self.id, "broken", ("the program cannot be lowered any more", *self.changes, str(error)))
            below = lowered.derived
            if not below.proof.proved:
                return self._not_proved(below.proof, _told(below.proof), below.steps)
        try:
            rounding = self._rounding(lowered, split)
        except DamagedError:
            raise
        except IsamapError as error:
            return Outcome(self.id, "broken", ("its rounding is not followed any more", *self.changes, str(error)))
        if rounding is not None and not rounding.derived.proof.proved:
            return self._not_proved(rounding.derived.proof, _told(rounding.derived.proof), rounding.derived.steps)
        evidence = Evidence(derived, lowered, apart, rounding)
        last = evidence.last
        if list(last.assumptions) != self.document["assumptions"] or last.arithmetic != self.document["arithmetic"]:
            self.changes.append("it assumes something else")
        named = Named(self.document["kernel"]["source"], self.document["instruction"]["source"], split)
        self.changes += self._words(stated(mapping, evidence, named))
        return self._proved(sum(len(s.claims) for s in evidence.steps), evidence.steps)

    def _words(self, today: Certificate) -> list[str]:
        """Other differences between its files and today's sources, if nothing relevant has changed."""
        return [] if self.changes else list(differences(self.id, self.stored, today))

    def _program(self, proved: ProvedMapping, split: Form | None) -> Lowered:
        then = self.document["schedule"]
        answers = self.memory.z3
        more = further_from(self.document, proved.mapping.kernel, self.sources, answers)
        schedule = schedule_from(then, proved, self.sources.hardware(then["hardware"]))
        lowered = Lowered((schedule, *more), *derive_program(schedule, *more, answers=answers), split=split)
        if lowered.fingerprint != self.document["program"]["digest"]:
            self.changes.append(f"the program has changed: {PROGRAM} is not what is lowered today")
        return lowered

    def _rounding(self, lowered: Lowered | None, split: Form | None) -> Rounded | None:
        claimed = rounding_from(self.document)
        if claimed is None:
            return None
        if lowered is None:
            raise DamagedError("it bounds the rounding of a program, and has none")
        return Rounded(*derive_rounding(lowered.program, split, claimed, self.memory.z3))

    def _not_proved(self, proof: Proof, told: str, steps: Sequence[Step] = ()) -> Outcome:
        status = "broken" if proof.word == "refuted" else "unknown"
        first = "no longer proved" if status == "broken" else "no longer decided"
        left = undecided_files(self.id, steps) if status == "unknown" else {}
        told_all = (first, *self.changes, told)
        return Outcome(self.id, status, told_all, len(proof.claims), formulas_left=tuple(left.items()))

    def _proved(self, claims: int, steps: Sequence[Step]) -> Outcome:
        """The outcome if all claims hold by Z3: with cvc5's answers to the same questions, and the changes found.

        The formulas in the files are compared with those made by today's sources; solvers are asked the latter.
        """
        questions = questions_of(steps)
        tally = second_opinion(questions, self.memory.cvc5)
        left = question_files(self.id, steps, lambda q: q.smtlib in tally.contested, CONTRADICTED)
        told = ("the solvers disagree", *tally.disagreements) if tally.disagreements else ()
        return Outcome(
            self.id,
            "unknown" if told else "stale" if self.changes else "ok",
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


_APART = {"format", "digest", "files"}  # its own digests, which read_certificate() checks


def differences(identifier: str, then: Stored, today: Certificate) -> Iterator[str]:
    """All differences from the result of `isamap proofs update` today, in words."""
    document = then.document
    if identifier != today.id:
        yield f"it stands in the place of another: {today.id} is what it proves"
    kernel = document.get("kernel")
    if kernel and kernel["source"] is None and kernel["name"] in kernel_names():
        yield f"it is about a kernel of its own under the name of the library's {kernel['name']}"
    written = json.loads(json.dumps(today.document))
    for key in sorted({*document, *written} - _APART):
        if document.get(key) != written.get(key):
            yield f"its {key} is not what today's sources say"
    if CLAIMS in today.files and then.claims != json.loads(today.files[CLAIMS])["claims"]:
        yield "its claims are not what today's sources say"
    for name in sorted({*then.files, *today.files} - {CLAIMS}):
        if name not in today.files:
            yield f"{name} belongs to no such certificate"
        elif name not in then.files:
            yield f"{name} is missing"
        elif then.files[name] != today.files[name]:
            yield f"{name} is not what today's sources make"
