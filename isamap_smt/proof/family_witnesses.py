"""What a counterexample says about the other candidates: exactly those it violates are excluded, by plain integers.

A pair (sizes and two kernel points) violates agreement of an access when both points fall into one execution and one
cell of the operand it feeds, and name different elements; it violates exclusiveness when both fall into one execution,
name the same output element and have different output cells. Nothing is assumed of larger candidates.
"""

from __future__ import annotations

from collections.abc import Mapping as Dict
from dataclasses import dataclass
from typing import Any

import numpy as np

from isamap_smt.ir.expr import evaluate
from isamap_smt.ir.kernel import Access
from isamap_smt.proof.family import Family


@dataclass(frozen=True)
class PairWitness:
    """Two kernel points at concrete sizes. claim: agreement (of `access`) or exclusive (of the output)."""

    claim: str
    access: Access
    sizes: tuple[tuple[str, int], ...]
    first: tuple[int, ...]
    second: tuple[int, ...]
    text: str = ""

    def violated(self, family: Family) -> np.ndarray:
        """One truth value per candidate of the family; all false when the pair is no pair of points of the kernel."""
        result = np.zeros((len(family.bindings), len(family.codes)), bool)
        if not self._is_pair(family):
            return result.reshape(-1)
        same, one, two = self._digits(family)
        for b, binding in enumerate(family.bindings):
            for operand, access in binding:
                if access != self.access:
                    continue
                equal = self._same_cell(family, operand, one, two)
                result[b] |= same & (equal if self.claim == "agreement" else ~equal)
        return result.reshape(-1)

    def _points(self, family: Family) -> tuple[dict[str, int], dict[str, int]]:
        sizes = dict(self.sizes)
        return (
            {**sizes, **dict(zip(family.axes, self.first, strict=True))},
            {**sizes, **dict(zip(family.axes, self.second, strict=True))},
        )

    def _is_pair(self, family: Family) -> bool:
        """Both points lie in the domain, and their elements are different (agreement) or the same (exclusive)."""
        statement = family.kernel.statements[family.statement]
        lows = {p.name: p.low for p in family.kernel.parameters}
        if any(v < lows.get(n, 1) for n, v in self.sizes):
            return False
        elements = []
        for env in self._points(family):
            if not all(0 <= env[a.name] < evaluate(a.extent, env) for a in statement.axes):
                return False
            if not all(evaluate(g, env) for g in statement.guard):
                return False
            elements.append([int(evaluate(i, env)) for i in self.access.index])
        if self.claim == "exclusive" and self.access != statement.target:
            return False
        return bool((elements[0] != elements[1]) == (self.claim == "agreement"))

    def _digits(self, family: Family) -> tuple[np.ndarray, dict[str, Any], dict[str, Any]]:
        """Per row of codes: do both points share an execution; and the instruction point of each."""
        sizes = dict(self.sizes)
        statement = family.kernel.statements[family.statement]
        extents = [int(evaluate(a.extent, sizes)) for a in statement.axes]
        codes = family.codes
        same = np.ones(len(codes), bool)
        for k, (x, y) in enumerate(zip(self.first, self.second, strict=True)):
            if x != y:
                same &= codes[:, k] != 0
        one: dict[str, Any] = {}
        two: dict[str, Any] = {}
        for g, (t, n) in enumerate(family.points):
            f, h = np.zeros(len(codes), np.int64), np.zeros(len(codes), np.int64)
            for k, e in enumerate(extents):
                inside = codes[:, k] == g + 1
                f = np.where(inside, f * e + self.first[k], f)
                h = np.where(inside, h * e + self.second[k], h)
            same &= f // n == h // n
            one[t], two[t] = f % n, h % n
        return same, one, two

    @staticmethod
    def _same_cell(family: Family, operand: str, one: Dict[str, Any], two: Dict[str, Any]) -> np.ndarray:
        contract = family.instruction.kernel.statements[0]
        index = next(a.index for a in (contract.target, *contract.inputs) if a.tensor == operand)
        equal = np.ones(len(family.codes), bool)
        for i in index:
            equal &= np.asarray(evaluate(i, one)) == np.asarray(evaluate(i, two))
        return equal


@dataclass(frozen=True)
class OneWitness:
    """A refutation that excludes only its own candidate."""

    claim: str
    candidate: int
    values: tuple[tuple[str, Any], ...]
    text: str = ""


@dataclass(frozen=True)
class KernelWitness:
    """A refutation that does not depend on which axes go where: of every candidate, or of every one with a binding.

    bounds and order speak of the kernel's own points, scalar of the value and the operands.
    """

    claim: str
    subject: str
    binding: int | None
    values: tuple[tuple[str, Any], ...]
    text: str = ""

    def violated(self, family: Family) -> np.ndarray:
        """One truth value per candidate."""
        result = np.zeros((len(family.bindings), len(family.codes)), bool)
        if self.binding is None:
            result[:] = True
        else:
            result[self.binding] = True
        return result.reshape(-1)


Witness = PairWitness | OneWitness | KernelWitness
