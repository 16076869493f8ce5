"""Search proposes, the prover disposes: every candidate of a family is proved, refuted, or counted as unknown.

Candidates are models of the facts so far. A candidate not yet excluded by a clause is looked at closely: first for two
points to refute it at small sizes, then by prove(). A refutation by two points becomes a clause. It excludes as many of
the violated candidates as one clause can; any other refutation excludes its provable scope and no more. When no
candidate is left, everything has been judged: the work grows with the legal mappings and the clauses, not with the
candidates.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from collections.abc import Mapping as Dict
from dataclasses import dataclass, field
from typing import Any

from isamap_encodings.deadline import DeadlinePassed, check, until
from isamap_encodings.models import Cube, Model, Models
from isamap_encodings.verdict import Refuted
from isamap_smt.ir.arguments import function_or_none, position, time_limit, yes_or_no
from isamap_smt.ir.expr import evaluate
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.kinds import require_kernel_and_instruction, require_kind
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.proof import ClaimResult, ProvedMapping
from isamap_smt.mapping.fuse import operand_accesses
from isamap_smt.proof import Rejection
from isamap_smt.proof.by_data import follows
from isamap_smt.proof.family import Family, FamilyError, known_family
from isamap_smt.proof.family_check import CertificateCheck, check_twice
from isamap_smt.proof.family_normal import count_normal, not_normal
from isamap_smt.proof.family_witnesses import (
    KernelWitness,
    OneWitness,
    OrderWitness,
    PairWitness,
    Witness,
    excluded,
    reductions,
    widened,
)
from isamap_smt.proof.mapping import prove_after
from isamap_smt.proof.mapping_form import check_operands
from isamap_smt.search.conflicts import SmallKernel, small_kernels
from isamap_smt.search.mapping_set import MappingSet

Progress = Callable[[int, int, int], None]  # candidates decided (at least), all candidates, legal so far
_EVERY = 0.2  # seconds between two counts of what the clauses exclude


def find_mappings(
    kernel: Kernel,
    instruction: Instruction,
    family: str = "fuse",
    operands: str = "any",
    partial: bool = False,
    progress: Progress | None = None,
    statement: int = 0,
    timeout: float | None = None,
) -> MappingSet:
    """Every legal mapping of the family, each proved for all free sizes; `complete` when none is left undecided.

    operands: 'fixed' as written, or 'any' order allowed by the element types. partial: instruction axes may stay empty
    (padded). statement: number of the kernel's statement. progress is called with (decided, all candidates, legal so
    far). The result holds proved mappings in a fixed order, by position or id; the number of candidates refuted, not in
    normal form and unknown; the smallest refuting parts (`conflicts`); and the witnesses for check_certificate(). An
    interrupt (Ctrl-C), or the end of `timeout` seconds, gives the results so far, not complete. Raises FamilyError, and
    MappingError for an instruction that reads several cells of one operand at a point.

    >>> import isamap_smt as im
    >>> found = find_mappings(im.find_kernel("gemm"), im.find_instruction("avx2.fmadd_ps"))
    >>> found.complete, [p.mapping.id for p in found]
    (True, ['l=j;a=A,b=B', 'l=i;a=A,b=B', 'l=i.j;a=A,b=B'])
    """
    require_kernel_and_instruction("find_mappings", kernel, instruction)
    if str(operands) not in ("fixed", "any"):
        raise FamilyError(f"operands {operands!r}: write fixed or any")
    partial = yes_or_no(partial, "partial", FamilyError)
    statement = position(statement, len(kernel.statements), "statement", FamilyError)
    told, limit = function_or_none(progress, "progress", FamilyError), time_limit(timeout, FamilyError)
    operands_of = [operand_accesses(k.statements[n]) for k, n in ((kernel, statement), (instruction.kernel, 0))]
    if len(operands_of[0]) == len(operands_of[1]):
        check_operands(instruction)
    search = _Search(Family(kernel, instruction, operands, partial, statement, known_family(family)), told, limit)
    with until(limit):
        return search.run()


@dataclass
class _Search:
    family: Family
    progress: Progress | None
    timeout: float | None = None
    legal: dict[Model, ProvedMapping] = field(default_factory=dict)
    unknown: dict[Model, tuple[Mapping, Rejection]] = field(default_factory=dict)
    witnesses: list[Witness] = field(default_factory=list)
    refuted: int = 0
    counted: float = 0.0
    interrupted: bool = False
    late: bool = False

    def run(self) -> MappingSet:
        """Judge every candidate."""
        started = time.perf_counter()
        family = self.family
        normal, small = 0, tuple[SmallKernel, ...]()
        if family.size:
            try:
                normal, _ = count_normal(family)
                models = Models(family.choices, not_normal(family))
                while (candidate := models.next()) is not None:
                    check()
                    small = small or small_kernels(family, family.any_of(candidate[0]), 2)
                    self._judge(candidate, models, small)
                    self._tell(normal)
                self.refuted = normal - len(self.legal) - len(self.unknown)
                self._tell(normal, last=True)
            except KeyboardInterrupt:
                self.interrupted = True
                self._count(normal)
            except DeadlinePassed:
                if self.timeout is None:
                    raise  # a limit of the caller's
                self.late = True
        legal = tuple(self.legal[c] for c in sorted(self.legal, key=family.order))
        return MappingSet(
            family,
            legal,
            self.refuted,
            family.size - normal if normal else 0,
            tuple(self.unknown[c] for c in sorted(self.unknown, key=family.order)),
            family.size,
            not (self.unknown or self.interrupted or self.late),
            round(time.perf_counter() - started, 6),
            tuple(self.witnesses),
            small,
            self.interrupted,
            self.timeout if self.late else None,
        )

    def _tell(self, normal: int, last: bool = False) -> None:
        if self.progress is None:
            return
        if not last and time.perf_counter() - self.counted > _EVERY:
            self._count(normal)
        redundant = self.family.size - normal
        decided = redundant + self.refuted + len(self.legal) + len(self.unknown)
        self.progress(decided, self.family.size, len(self.legal))

    def _count(self, normal: int) -> None:
        """How many candidates the clauses exclude, or at least so many."""
        left, _ = count_normal(self.family, [excluded(w, self.family) for w in self.witnesses])
        self.refuted = normal - left
        self.counted = time.perf_counter()

    def _judge(self, candidate: Model, models: Models, small: tuple[SmallKernel, ...]) -> None:
        b, code = candidate
        for kernel in small:
            pair = kernel.find(code, b)
            if pair is not None:
                self._exclude(widened(self.family, pair), candidate, models)
                return
        result = prove_after(self.family.mapping(candidate), 0)
        if isinstance(result, ProvedMapping):
            self.legal[candidate] = result
            models.exclude(Cube.of(candidate))
        elif result.refuted:
            self._exclude(self._witness(candidate, result), candidate, models)
        else:
            self.unknown[candidate] = (result.mapping, result)
            models.exclude(Cube.of(candidate))

    def _exclude(self, witness: Witness, candidate: Model, models: Models) -> None:
        cube = excluded(witness, self.family)
        if candidate not in cube:
            raise AssertionError(f"the witness does not violate the candidate it refutes: {witness}")
        for c in self.legal:
            if c in cube:
                raise AssertionError(f"{self.legal[c]} was proved, and a witness violates it: {witness}")
        models.exclude(cube)
        self.witnesses = [w for w in self.witnesses if not excluded(w, self.family) <= cube] + [witness]
        for c in [c for c in self.unknown if c in cube]:
            del self.unknown[c]

    def _witness(self, candidate: Model, rejection: Rejection) -> Witness:
        """The most telling witness for a rejection."""
        refuted = [c for c in rejection.proof.claims if isinstance(c.verdict, Refuted)]
        by_value = {o for o, _ in rejection.mapping.binding if follows(rejection.mapping, o)}
        everywhere = next((c for c in refuted if speaks_of_kernel(c) and c.subject not in by_value), None)
        if everywhere is not None:
            verdict = everywhere.verdict
            assert isinstance(verdict, Refuted)
            only = candidate[0] if everywhere.claim == "scalar" else None
            values = dict(verdict.witness)
            if everywhere.claim == "bounds":  # of the kernel's own axes
                point = _whole(rejection.mapping, values, self.family.axes)
                values |= dict(zip(self.family.axes, point, strict=True))
            return KernelWitness(everywhere.claim, everywhere.subject, only, tuple(values.items()), verdict.text)
        for claim in (c for c in refuted if c.subject not in by_value):
            pair = self._pair(claim, candidate, rejection.mapping)
            if pair is not None and pair.holds(self.family):
                return widened(self.family, pair)
        if any(c.claim == "scalar" and c.subject == "order" for c in refuted):
            return self._order(candidate, next(c for c in refuted if c.subject == "order"))
        verdict = refuted[0].verdict
        assert isinstance(verdict, Refuted)
        return OneWitness(refuted[0].claim, candidate, tuple(verdict.witness.items()), verdict.text)

    def _order(self, candidate: Model, claim: ClaimResult) -> Witness:
        """For the first kernel axis in a reduction axis of several points; for all candidates if there is none."""
        family = self.family
        several = [
            (a, t)
            for g, (t, n) in enumerate(family.points)
            for a, p in zip(family.axes, candidate[1], strict=True)
            if n > 1 and t in reductions(family) and p in family.within(g)
        ]
        axis, point = several[0] if several else ("", "")
        verdict = claim.verdict
        assert isinstance(verdict, Refuted)
        return OrderWitness(axis, point, tuple(verdict.witness.items()), verdict.text)

    def _pair(self, claim: ClaimResult, candidate: Model, mapping: Mapping) -> PairWitness | None:
        if claim.claim not in ("agreement", "exclusive") or not isinstance(claim.verdict, Refuted):
            return None
        values = claim.verdict.witness
        first, second = (_whole(mapping, values, self.family.axes, mark) for mark in ("", "'"))
        sizes = tuple((n, int(values[n])) for n in mapping.kernel.free_sizes)
        access, where = mapping.operand_access(claim.subject), Cube.of(candidate)
        return PairWitness(claim.claim, access, sizes, first, second, where, claim.verdict.text)


def _whole(mapping: Mapping, values: Dict[str, Any], axes: Sequence[str], mark: str = "") -> tuple[int, ...]:
    """The point of the family's kernel at these values of the mapped kernel's axes; mark: suffix of their names."""
    env = {a.name: int(values[a.name + mark]) for a in mapping.statement.axes}
    for one in reversed(mapping.split.splits if mapping.split else ()):
        env |= {a: int(evaluate(e, env)) for a, e in one.pieces[0].point}
    return tuple(env[a] for a in axes)


def speaks_of_kernel(claim: ClaimResult) -> bool:
    """Whether a refutation holds for every candidate of a fuse family (with the same binding).

    The lanes of a fuse mapping are exactly the kernel's points (coverage), so bounds are the kernel's own; a value does
    not depend on the placement of axes, the order of a reduction does.
    """
    return claim.claim in ("bounds", "hypotheses", "order") or (claim.claim == "scalar" and claim.subject != "order")


def check_certificate(found: MappingSet) -> CertificateCheck:
    """Check the whole family anew, by Z3 and by cvc5. Of the set only the legal list and the witnesses are used."""
    require_kind("check_certificate", found, MappingSet, "what isamap_smt.find_mappings() returns")
    # A family of its own: nothing that the search computed is used again.
    old = found.family
    family = Family(old.kernel, old.instruction, old.operands, old.partial, old.statement, old.name)
    return check_twice(family, [p.mapping for p in found.legal], found.witnesses)


__all__ = ["CertificateCheck", "check_certificate"]
