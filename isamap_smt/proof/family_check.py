"""Completeness, checked again: only listed candidates are in normal form and outside of every witness' clause.

Plain integers show that a witness excludes all of its clause; a solver answers whether anything else is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from isamap_encodings.models import Cube, Model, Models, nothing_else
from isamap_encodings.solve import RLIMIT, recording
from isamap_encodings.verdict import Proved, Refuted, Unknown, Verdict
from isamap_encodings.z3_check import RESOURCES, cvc5_answer, cvc5_version
from isamap_smt.ir.expr import evaluate
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.reach import possible_sizes
from isamap_smt.proof.family import Family
from isamap_smt.proof.family_normal import is_normal, not_normal
from isamap_smt.proof.family_witnesses import (
    KernelWitness,
    OneWitness,
    OrderWitness,
    PairWitness,
    Witness,
    excluded,
    reductions,
)
from isamap_smt.proof.mapping import prove
from isamap_smt.proof.rejection import Rejection
from isamap_smt.proof.scalar import scalar_claims

STEPS = 10 * RLIMIT
SHOWN = 100  # candidates that nothing accounts for


@dataclass(frozen=True)
class CertificateCheck:
    """Result of a check; ok: the set is complete.

    uncovered: up to 100 unaccounted candidates, by id. faults: witnesses that exclude nothing, and any other fault.
    solvers: the solvers that find nothing else left.
    """

    ok: bool
    candidates: int
    uncovered: tuple[str, ...]
    faults: tuple[str, ...]
    solvers: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.ok


@dataclass(frozen=True)
class Accounted:
    """Cubes of a family's candidates: not in normal form, excluded by a valid witness, on the legal list.

    faults: of witnesses and of the list, in words.
    """

    family: Family
    normal: tuple[Cube, ...]
    witnesses: tuple[Cube, ...]
    legal: tuple[Cube, ...]
    faults: tuple[str, ...]

    @property
    def cubes(self) -> tuple[Cube, ...]:
        """All of them."""
        return (*self.normal, *self.witnesses, *self.legal)

    def verdict(self) -> Verdict:
        """Whether every candidate is accounted for; Z3 is asked, and the question can be recorded."""
        if not self.family.size:
            return Proved()
        if not self.cubes:
            return Refuted({}, "nothing accounts for any candidate")
        return nothing_else(self.family.choices, self.cubes, STEPS)

    def check(self, verdict: Verdict) -> CertificateCheck:
        """The result of the check, given the verdict on the remaining candidates."""
        left: list[Model] = []
        faults = list(self.faults)
        if isinstance(verdict, Unknown):
            faults.append(f"it is not known whether something else is left: {verdict.reason}")
        elif isinstance(verdict, Refuted):
            left = list(islice(Models(self.family.choices, self.cubes).each(), SHOWN))
        ids = tuple(self.family.mapping(m).id for m in sorted(left, key=self.family.order))
        ok = isinstance(verdict, Proved) and not faults
        return CertificateCheck(ok, self.family.size, ids, tuple(faults), ("z3",) if ok else ())


def account(family: Family, legal: Sequence[Mapping], witnesses: Iterable[Witness]) -> Accounted:
    """Accounts for the candidates of the family. Whether the listed mappings are legal is a question for prove().

    No solver is asked, except to prove again the refutation of one candidate, or of a value.
    """
    faults: list[str] = []
    cubes: list[Cube] = []
    for w in witnesses:
        if _holds(family, w):
            cubes.append(excluded(w, family))
        else:
            faults.append(f"a {w.claim} witness does not violate the candidates that it excludes")
    listed = [family.candidate(m) for m in legal]
    right = {c for c in listed if c is not None and is_normal(family, c[1]) and not any(c in cube for cube in cubes)}
    if len(right) != len(legal):
        faults.append(
            "a mapping on the legal list is violated by a witness, redundant, listed twice or not of the family"
        )
    found = sorted(right, key=family.order)
    return Accounted(family, not_normal(family), tuple(cubes), tuple(map(Cube.of, found)), tuple(faults))


def check_family(family: Family, legal: Sequence[Mapping], witnesses: Iterable[Witness]) -> CertificateCheck:
    """Is every candidate on the legal list, not in normal form, or excluded by a valid witness? By Z3."""
    accounted = account(family, legal, witnesses)
    return accounted.check(accounted.verdict())


def check_twice(family: Family, legal: Sequence[Mapping], witnesses: Iterable[Witness]) -> CertificateCheck:
    """check_family(), with the same question answered by cvc5, too, if it is installed."""
    accounted = account(family, legal, witnesses)
    with recording() as queries:
        found = accounted.check(accounted.verdict())
    if not found.ok or not queries or cvc5_version() is None:
        return found
    answer = cvc5_answer(queries[-1].smtlib, RESOURCES)
    if answer == "unsat":
        return replace(found, solvers=(*found.solvers, "cvc5"))
    if answer == "unknown":
        return found
    return replace(found, ok=False, faults=(f"Z3 says that nothing else is left, cvc5 says {answer}",))


def _holds(family: Family, w: Witness) -> bool:
    match w:
        case PairWitness():
            return w.holds(family)
        case KernelWitness():
            return _kernel_witness_holds(family, w)
        case OrderWitness():
            return _order_holds(family, w)
    return _one_holds(family, w)


def _kernel_witness_holds(family: Family, w: KernelWitness) -> bool:
    statement = family.kernel.statements[family.statement]
    if not family.size:
        return False
    if w.claim == "bounds" and w.binding is None:
        env = {n: int(v) for n, v in w.values}
        access = family.any_of(0).operand_access(w.subject)
        shape = family.kernel.tensor(access.tensor).shape
        inside = all(0 <= env[a.name] < evaluate(a.extent, env) for a in statement.axes)
        inside = inside and possible_sizes(family.kernel, {n: env[n] for n in family.kernel.free_sizes})
        inside = inside and all(evaluate(g, env) for g in statement.guard)
        return inside and any(
            not 0 <= evaluate(i, env) < evaluate(e, env) for i, e in zip(access.index, shape, strict=True)
        )
    known = w.binding is not None and 0 <= w.binding < len(family.bindings)
    if w.claim == "scalar" and w.subject != "order" and w.binding is not None and known:
        mapping = family.any_of(w.binding)
        return any(c.subject == w.subject and isinstance(c.verdict, Refuted) for c in scalar_claims(mapping))
    return False


def _order_holds(family: Family, w: OrderWitness) -> bool:
    """Whether a candidate of the witness is refuted because of its order.

    `axis`, if any, must lie in a reduction axis of several points.
    """
    if w.axis and (w.axis not in family.axes or w.point not in reductions(family) or dict(family.points)[w.point] == 1):
        return False
    if not family.bindings:
        return False
    found = scalar_claims(family.mapping((0, w.code(family))))
    return any(c.subject == "order" and isinstance(c.verdict, Refuted) for c in found)


def _one_holds(family: Family, w: OneWitness) -> bool:
    """A refutation of one candidate: proved again (these are few, and each speaks of one candidate only)."""
    result = prove(family.mapping(w.candidate))
    return isinstance(result, Rejection) and any(
        c.claim == w.claim and isinstance(c.verdict, Refuted) for c in result.proof.claims
    )
