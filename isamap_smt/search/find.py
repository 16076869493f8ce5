"""Search proposes, the prover disposes: every candidate of a family is proved, refuted, or counted as unknown.

Candidates are taken in turn. One that no stored witness violates is looked at closely: first for two points that
refute it at small sizes, then by prove(). A refutation by two points becomes a witness that excludes exactly the
candidates it violates; any other refutation excludes what it provably speaks of and no more.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from isamap_encodings.verdict import Refuted
from isamap_smt.ir.errors import did_you_mean
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.kinds import require_kernel_and_instruction
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.proof import ClaimResult, ProvedMapping
from isamap_smt.proof import Rejection
from isamap_smt.proof.family import Family, FamilyError
from isamap_smt.proof.family_check import CertificateCheck, check_family
from isamap_smt.proof.family_witnesses import KernelWitness, OneWitness, PairWitness, Witness
from isamap_smt.proof.mapping import prove_after
from isamap_smt.search.conflicts import SmallKernel, conflicts_of, reasons_of, small_kernels
from isamap_smt.search.mapping_set import MappingSet

Progress = Callable[[int, int, int], None]  # candidates decided, all candidates, legal so far
FAMILIES = ("fuse",)


def find_mappings(
    kernel: Kernel,
    instruction: Instruction,
    family: str = "fuse",
    operands: str = "any",
    partial: bool = False,
    progress: Progress | None = None,
    statement: int = 0,
) -> MappingSet:
    """Every legal mapping of the family, each proved for all free sizes; `complete` when none is left undecided.

    operands: 'fixed' as written, or 'any' order that the element types allow. partial: instruction axes may stay empty
    (padded). statement: which of the kernel's. progress is called with (candidates decided, all, legal so far). The
    result holds proved mappings in a fixed order, by position or id; the number of candidates refuted, not in normal
    form and unknown; the smallest parts that refute (`conflicts`); and the witnesses that check_certificate() needs.
    An interrupt (Ctrl-C) gives back what is known so far, not complete. Raises FamilyError.

    >>> import isamap_smt as im
    >>> found = find_mappings(im.find_kernel("gemm"), im.find_instruction("avx2.fmadd_ps"))
    >>> found.complete, [p.mapping.id for p in found]
    (True, ['l=j;a=A,b=B', 'l=i;a=A,b=B', 'l=i.j;a=A,b=B'])
    """
    require_kernel_and_instruction("find_mappings", kernel, instruction)
    if family not in FAMILIES:
        raise FamilyError(f"unknown family {family!r}; {did_you_mean(family, FAMILIES)}")
    if operands not in ("fixed", "any"):
        raise FamilyError(f"operands {operands!r}: write fixed or any")
    search = _Search(Family(kernel, instruction, operands, partial, statement), progress)
    return search.run()


@dataclass
class _Search:
    family: Family
    progress: Progress | None
    legal: dict[int, ProvedMapping] = field(default_factory=dict)
    unknown: dict[int, tuple[Mapping, str]] = field(default_factory=dict)
    witnesses: list[Witness] = field(default_factory=list)
    interrupted: bool = False

    def run(self) -> MappingSet:
        """Judge every candidate."""
        started = time.perf_counter()
        family = self.family
        excluded = np.zeros(family.size, bool)
        redundant = np.tile(family.redundant, len(family.bindings))
        if family.size:
            small = small_kernels(family, family.mapping(0), 2)
            try:
                self._judge_all(excluded, redundant, small)
            except KeyboardInterrupt:
                self.interrupted = True
        legal = tuple(self.legal[c] for c in sorted(self.legal))
        refuted = int((excluded & ~redundant).sum())
        conflicts = conflicts_of(family, legal, small) if family.size else ()
        return MappingSet(
            family,
            legal,
            refuted,
            int(redundant.sum()),
            tuple(self.unknown[c] for c in sorted(self.unknown)),
            family.size,
            not self.unknown and not self.interrupted,
            round(time.perf_counter() - started, 6),
            tuple(self.witnesses),
            conflicts,
            () if legal else reasons_of(family, conflicts, tuple(self.witnesses)),
            self.interrupted,
        )

    def _judge_all(self, excluded: np.ndarray, redundant: np.ndarray, small: tuple[SmallKernel, ...]) -> None:
        family = self.family
        for candidate in range(family.size):
            if redundant[candidate] or excluded[candidate]:
                continue
            self._judge(candidate, excluded, small)
            if self.progress is not None:
                self.progress(self._decided(excluded, redundant), family.size, len(self.legal))

    def _decided(self, excluded: np.ndarray, redundant: np.ndarray) -> int:
        return int((excluded | redundant).sum()) + len(self.legal) + len(self.unknown)

    def _judge(self, candidate: int, excluded: np.ndarray, small: tuple[SmallKernel, ...]) -> None:
        b, row = self.family.split(candidate)
        for kernel in small:
            pair = kernel.find(self.family.codes[row], b)
            if pair is not None:
                self._exclude(pair, candidate, excluded)
                return
        result = prove_after(self.family.mapping(candidate), 0)
        if isinstance(result, ProvedMapping):
            self.legal[candidate] = result
        elif result.refuted:
            self._exclude(self._witness(candidate, b, result), candidate, excluded)
        else:
            self.unknown[candidate] = (result.mapping, str(result))

    def _exclude(self, witness: Witness, candidate: int, excluded: np.ndarray) -> None:
        self.witnesses.append(witness)
        if isinstance(witness, OneWitness):
            excluded[candidate] = True
            return
        violated = witness.violated(self.family)
        if not violated[candidate]:
            raise AssertionError(f"the witness does not violate the candidate it refutes: {witness}")
        for c in self.legal:
            if violated[c]:
                raise AssertionError(f"{self.legal[c]} was proved, and a witness violates it: {witness}")
        excluded |= violated
        for c in [c for c in self.unknown if violated[c]]:
            del self.unknown[c]

    def _witness(self, candidate: int, binding: int, rejection: Rejection) -> Witness:
        """The most telling witness that a rejection holds."""
        refuted = [c for c in rejection.proof.claims if isinstance(c.verdict, Refuted)]
        everywhere = next((c for c in refuted if speaks_of_kernel(c)), None)
        if everywhere is not None:
            verdict = everywhere.verdict
            assert isinstance(verdict, Refuted)
            only = binding if everywhere.claim == "scalar" else None
            return KernelWitness(
                everywhere.claim, everywhere.subject, only, tuple(verdict.witness.items()), verdict.text
            )
        for claim in refuted:
            pair = self._pair(claim, rejection.mapping)
            if pair is not None and pair.violated(self.family)[candidate]:
                return pair
        verdict = refuted[0].verdict
        assert isinstance(verdict, Refuted)
        return OneWitness(refuted[0].claim, candidate, tuple(verdict.witness.items()), verdict.text)

    def _pair(self, claim: ClaimResult, mapping: Mapping) -> PairWitness | None:
        if claim.claim not in ("agreement", "exclusive") or not isinstance(claim.verdict, Refuted):
            return None
        values = claim.verdict.witness
        first = tuple(int(values[a]) for a in self.family.axes)
        second = tuple(int(values[a + "'"]) for a in self.family.axes)
        sizes = tuple((n, int(values[n])) for n in mapping.kernel.free_sizes)
        return PairWitness(claim.claim, mapping.operand_access(claim.subject), sizes, first, second, claim.verdict.text)


def speaks_of_kernel(claim: ClaimResult) -> bool:
    """Whether a refutation holds for every candidate of a fuse family (with the same binding).

    The lanes of a fuse mapping are exactly the kernel's points (coverage), so bounds are the kernel's own; a value does
    not depend on which axes go where, the order of a reduction does.
    """
    return claim.claim in ("bounds", "hypotheses", "order") or (claim.claim == "scalar" and claim.subject != "order")


def check_certificate(found: MappingSet) -> CertificateCheck:
    """Go over the whole family anew. Of the set only the legal list and the witnesses are used."""
    # A family of its own: nothing that the search computed is used again.
    old = found.family
    family = Family(old.kernel, old.instruction, old.operands, old.partial, old.statement)
    return check_family(family, {p.mapping.id for p in found.legal}, found.witnesses)


__all__ = ["CertificateCheck", "check_certificate"]
