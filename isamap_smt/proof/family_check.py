"""Completeness, checked again with plain integers: every candidate is legal-listed, redundant, or violated by a witness."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np

from isamap_encodings.verdict import Refuted
from isamap_smt.ir.expr import evaluate
from isamap_smt.proof.family import Family
from isamap_smt.proof.family_witnesses import KernelWitness, OneWitness, PairWitness, Witness
from isamap_smt.proof.mapping import prove
from isamap_smt.proof.rejection import Rejection
from isamap_smt.proof.scalar import scalar_claims


@dataclass(frozen=True)
class CertificateCheck:
    """ok: the set is complete. uncovered: candidates that nothing accounts for, by id. faults: witnesses that say nothing."""

    ok: bool
    candidates: int
    uncovered: tuple[str, ...]
    faults: tuple[str, ...]

    def __bool__(self) -> bool:
        return self.ok


def check_family(family: Family, legal_ids: Collection[str], witnesses: Iterable[Witness]) -> CertificateCheck:
    """Go over the whole family: is every candidate on the legal list, not in normal form, or violated by a witness?

    No solver is asked, except that a refuted scalar claim is proved to be refuted again. That the listed mappings are
    legal is another question: prove() answers it.
    """
    covered = np.tile(family.redundant, len(family.bindings))
    faults: list[str] = []
    ids = set(legal_ids)
    for w in witnesses:
        match w:
            case PairWitness():
                violated = w.violated(family)
            case KernelWitness():
                violated = w.violated(family) if _kernel_witness_holds(family, w) else np.zeros(family.size, bool)
            case OneWitness():
                violated = np.zeros(family.size, bool)
                if 0 <= w.candidate < family.size and _one_holds(family, w):
                    violated[w.candidate] = True
        if not violated.any():
            faults.append(f"a {w.claim} witness violates no candidate")
        covered |= violated
    legal = np.zeros(family.size, bool)
    open_ = np.nonzero(~covered)[0]
    for c in open_:
        legal[c] = family.mapping(int(c)).id in ids
    if int(legal.sum()) != len(ids):
        faults.append("a mapping on the legal list is violated by a witness, redundant or not of the family")
    uncovered = tuple(family.mapping(int(c)).id for c in np.nonzero(~covered & ~legal)[0])
    return CertificateCheck(not uncovered and not faults, family.size, uncovered, tuple(faults))


def _kernel_witness_holds(family: Family, w: KernelWitness) -> bool:
    statement = family.kernel.statements[family.statement]
    if w.claim == "bounds":
        env = {n: int(v) for n, v in w.values}
        mapping = family.mapping(0)
        access = mapping.operand_access(w.subject)
        shape = family.kernel.tensor(access.tensor).shape
        inside = all(0 <= env[a.name] < evaluate(a.extent, env) for a in statement.axes)
        inside = inside and all(evaluate(g, env) for g in statement.guard)
        return inside and any(
            not 0 <= evaluate(i, env) < evaluate(e, env) for i, e in zip(access.index, shape, strict=True)
        )
    if w.claim == "scalar" and w.binding is not None and w.binding < len(family.bindings):
        mapping = family.mapping(w.binding * len(family.codes))
        return any(c.subject == w.subject and isinstance(c.verdict, Refuted) for c in scalar_claims(mapping))
    return False


def _one_holds(family: Family, w: OneWitness) -> bool:
    """A refutation of one candidate: proved again (these are few, and each speaks of one candidate only)."""
    result = prove(family.mapping(w.candidate))
    return isinstance(result, Rejection) and any(
        c.claim == w.claim and isinstance(c.verdict, Refuted) for c in result.proof.claims
    )
