"""Why a claim holds, or does not: in words, its formula, and the assumptions needed by its proof or the counterexample."""

from __future__ import annotations

import re
from collections.abc import Mapping as Dict
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from isamap_encodings.solve import Query
from isamap_encodings.verdict import Proved, Refuted, Unknown
from isamap_encodings.z3_check import unsat_core
from isamap_smt.certificates.completeness import family_from, listed, witness_from
from isamap_smt.certificates.derive import (
    Step,
    derive_complete,
    derive_mapping,
    derive_program,
    derive_split,
    further_from,
    wants_model,
)
from isamap_smt.certificates.errors import CertificateError
from isamap_smt.certificates.manifest import certificate_ids, read_manifest, well_formed
from isamap_smt.certificates.rounding import derive_rounding, rounding_from
from isamap_smt.certificates.subject import Sources, kernel_from, mapping_from, schedule_from, split_from
from isamap_smt.ir.errors import UnknownNameError, did_you_mean
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.program import Loop
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.ir.traversal import nodes_of

_NEAR = 0.6  # how alike, of 1, a name has to be to be suggested


@dataclass(frozen=True)
class Reason:
    """One obligation: in words, its verdict, and per question its formula and the part of it needed by the proof.

    cores: (formula, the assumptions contradicting the denied claim, each in words); none if a model was
    wanted or no contradiction was found. witness: the counterexample in words.
    """

    claim: str
    subject: str
    statement: str
    verdict: str
    cores: tuple[tuple[str, tuple[str, ...]], ...]
    witness: str = ""

    def as_document(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "claim": self.claim,
            "subject": self.subject,
            "statement": self.statement,
            "verdict": self.verdict,
            "questions": [{"formula": f, "core": list(core)} for f, core in self.cores],
            "witness": self.witness,
        }


def find_certificate(directory: Path, words: str) -> tuple[str, str]:
    """(id, claim or '') of `id`, `id/claim`, or a part of an id found in one alone. Raises UnknownNameError."""
    ids = certificate_ids(directory)
    if words in ids:
        return words, ""
    head, _, claim = words.rpartition("/")
    if head in ids:
        return head, claim
    for part, rest in ((words, ""), (head, claim)):
        found = [i for i in ids if part and part in i]
        if len(found) > 1:  # only mappings have formulas to explain
            found = [i for i in found if not i.endswith("/machine") and "/complete," not in i] or found
        if len(found) > 1:
            raise UnknownNameError(f"{len(found)} certificates have {part!r} in their id, such as {found[0]}")
        if found:
            return found[0], rest
    raise UnknownNameError(f"{directory} has no certificate {words!r}; {_nearby(words, ids)}")


def _nearby(words: str, ids: Sequence[str]) -> str:
    """Near matches among ids and their parts; if nothing is near, one id as an example, and the number of ids."""
    heads = {i.split(",")[0] for i in ids}
    known = {*ids, *heads, *(part for head in heads for part in head.split("/"))}
    near = get_close_matches(words, sorted(known), n=3, cutoff=_NEAR)
    if near:
        return f"did you mean {' or '.join(near)}?"
    return f"it has {len(ids)}, such as {ids[0]}" if ids else "it has none"


def explain(directory: Path, identifier: str, claim: str, sources: Sources) -> list[Reason]:
    """The reasons of all obligations of one claim (of every claim, without formulas, when it is empty), derived today.

    Raises CertificateError for a certificate without such a claim, DamagedError, and the errors of looking up names.
    """
    steps, known = _steps(directory / identifier, sources)
    claims = dict.fromkeys(s.claim for s in steps)
    if claim and claim not in claims:
        raise CertificateError(f"{identifier} has no claim {claim!r}; {did_you_mean(claim, claims)}")
    return [r for s in steps if claim in ("", s.claim) for r in _reasons(s, bool(claim), known)]


def _steps(place: Path, sources: Sources) -> tuple[tuple[Step, ...], dict[str, str]]:
    """The steps, and the meaning of the names in them."""
    with well_formed():
        document = read_manifest(place)
        if document["kind"] == "machine":
            raise CertificateError(f"{place.name} has no formulas: it is checked by digests")
        if document["kind"] == "completeness":
            return _complete_steps(document, sources)
        files = sources.files
        kernel, split = kernel_from(document["kernel"], files), split_from(document["kernel"], files)
        mapping = mapping_from(document["mapping"], kernel, sources.instruction_of(document, kernel))
    derived, result = derive_mapping(mapping)
    apart = () if split is None else derive_split(split).steps
    steps, known = (*apart, *derived.steps), vocabulary(mapping)
    if isinstance(result, ProvedMapping) and "schedule" in document:
        with well_formed():
            then = document["schedule"]
            schedule = schedule_from(then, result, sources.hardware(then["hardware"]))
        below, program = derive_program(schedule, *further_from(document, kernel, sources))
        steps += below.steps
        if (claimed := rounding_from(document)) is not None:
            steps += derive_rounding(program, split, claimed)[0].steps
        known |= {str(n.var): f"the loop {n.var} over {n.axis}" for n in nodes_of(Loop, program.body)}
    return steps, known


def _complete_steps(document: Dict[str, Any], sources: Sources) -> tuple[tuple[Step, ...], dict[str, str]]:
    kernel, _ = sources.kernel(document["kernel"])
    family = family_from(document["family"], kernel, sources.instruction_of(document, kernel))
    witnesses = [witness_from(w, family) for w in document["witnesses"]]
    _, steps = derive_complete(family, [listed(family, i) for i in document["legal"]], witnesses)
    known = {f"{a}.in.{t}": f"axis {a} in lane index {t}" for a in family.axes for t in family.choices.places}
    bound = ["feeding " + ", ".join(f"{o} by {a.tensor}" for o, a in b) for b in family.bindings]
    return steps, known | {f"binding.{n}": words for n, words in enumerate(bound)}


def _reasons(step: Step, formulas: bool, known: dict[str, str]) -> list[Reason]:
    cores = tuple((_titled(q), _core(q.smtlib, known)) for q in step.queries) if formulas else ()
    found = []
    for n, c in enumerate(step.claims):
        match c.verdict:
            case Refuted(witness, text):
                told = text or " ".join(f"{k}={v}" for k, v in witness.items())
            case Unknown(reason):
                told = reason
            case Proved():
                told = ""
        found.append(Reason(c.claim, c.subject, c.statement, c.verdict.word, () if n else cores, told))
    return found


def _titled(q: Query) -> str:
    return f"; {' '.join(q.name.split())}\n{q.smtlib}" if q.name else q.smtlib


def _core(script: str, known: dict[str, str]) -> tuple[str, ...]:
    found = () if wants_model(script) else unsat_core(script) or ()
    return tuple(sentence(label, known) if label else text for label, text in found)


_NAME = re.compile(r"(?:[qrm]!\([^!]*?\)(?://|%)\([^()]*\))|[A-Za-z_][\w.]*'*(?:\d+)?")
_WORDS = {"and", "or", "not", "implies"}
_LOW = re.compile(r"(-?\d+) <= ([\w.']+)\Z")
_LOW_TOO = re.compile(r"([\w.']+) >= (-?\d+)\Z")
_BELOW = re.compile(r"([\w.']+) < (.+)\Z")
_BELOW_TOO = re.compile(r"(\d+) > ([\w.']+)\Z")


def vocabulary(mapping: Mapping) -> dict[str, str]:
    """The meaning of each name of the mapping: 'size I', 'parameter s', 'axis i', 'loop i_out', 'lane index l'."""
    kernel = mapping.kernel
    parameters = {p.name for p in kernel.parameters}
    found = {n: f"lane index {n} of {mapping.instruction.short}" for n in mapping.instruction.axes}
    found |= {a.name: f"loop {a.name}" for a in mapping.outer}
    # An axis of the kernel may be called like one of the instruction; formulas about both name the kernel's.
    found |= {a.name: f"axis {a.name}" for a in mapping.statement.axes}
    found |= {n: f"{'parameter' if n in parameters else 'size'} {n}" for n in (*kernel.free_sizes, *parameters)}
    return found


def sentence(label: str, known: Dict[str, str]) -> str:
    """An assertion in words with the user's names; the formula itself in brackets."""
    head, _, formula = label.partition(": ")
    if head == "denied":
        return f"the claim is denied: not ({formula}){_named(formula, known)}"
    said = _bound(formula, known)
    if said:
        return f"{said} ({formula})"
    return f"{formula}{_named(formula, known)}"


def meaning(name: str, known: Dict[str, str]) -> str:
    """The meaning of a formula's variable; '' for one known to the proof alone."""
    if name.startswith("..") or name.endswith(".."):
        return ""
    base, _, mark = name.partition("'")
    if base in known:
        return f"{known[base]}{' at the other point' if mark or name.endswith(chr(39)) else ''}"
    stem, dot, part = base.partition(".")
    if dot and stem in known:
        return f"the {part} of {known[stem]}{' at the other point' if mark else ''}"
    if dot and stem and part:
        return f"the {part} of {stem}"
    if base.startswith("c_"):
        return f"cell index {base[2:]}"
    if name.startswith("q!"):
        return "a quotient"
    if name.startswith("r!"):
        return "a remainder"
    if name.startswith("m!"):
        return "a product"
    return ""


def _bound(formula: str, known: Dict[str, str]) -> str:
    """A lower or upper bound of one name, in words; '' for anything else."""
    if (m := _LOW.match(formula)) or (m := _LOW_TOO.match(formula)):
        name, low = (m[2], m[1]) if m.re is _LOW else (m[1], m[2])
        what = meaning(name, known)
        return (
            f"{what} {'starts at' if what.startswith(('axis', 'loop', 'lane', 'the loop', 'cell')) else 'is at least'} {low}"
            if what
            else ""
        )
    if (m := _BELOW.match(formula)) or (m := _BELOW_TOO.match(formula)):
        name, high = (m[1], m[2]) if m.re is _BELOW else (m[2], m[1])
        what = meaning(name, known)
        return f"{what} ends before {high}" if what else ""
    return ""


def _named(formula: str, known: Dict[str, str]) -> str:
    """The meanings of a formula's names: `, with axis i, size J`."""
    names = [n for n in dict.fromkeys(_NAME.findall(formula)) if n not in _WORDS]
    found = list(dict.fromkeys(filter(None, (meaning(n, known) for n in names))))
    return f", with {', '.join(found)}" if found else ""
