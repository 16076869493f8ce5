"""A fast look for two points that refute a candidate, at the first small sizes, without making the Mapping."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from isamap_smt.ir.expr import evaluate
from isamap_smt.ir.kernel import Access
from isamap_smt.ir.mapping import Mapping
from isamap_smt.proof.family import Family
from isamap_smt.proof.family_witnesses import PairWitness
from isamap_smt.proof.witness import conflict
from isamap_smt.proof.witness_points import Instance, broadcast, label, size_vectors


@dataclass(frozen=True)
class SmallKernel:
    """The kernel's points at one vector of sizes, with the number of every access' element."""

    family: Family
    instance: Instance

    @cached_property
    def points(self) -> np.ndarray:
        """One row per point of the domain, one column per axis."""
        domain = self.instance.domain
        count = len(next(iter(domain.values())))  # a kernel without axes has one point, of no columns
        return (
            np.stack([domain[a] for a in self.family.axes], axis=1) if self.family.axes else np.zeros((count, 0), int)
        )

    @cached_property
    def elements(self) -> dict[Access, np.ndarray]:
        """Per access, equal numbers for equal elements."""
        statement = self.family.kernel.statements[self.family.statement]
        domain, sizes = self.instance.domain, self.instance.sizes
        env: dict[str, Any] = {**sizes, **domain}
        return {
            a: label([broadcast(evaluate(i, env), domain) for i in a.index], len(self.points))
            for a in (statement.target, *statement.inputs)
        }

    def find(self, code: np.ndarray, binding: int) -> PairWitness | None:
        """A pair that violates agreement or exclusiveness of this candidate here."""
        family, points = self.family, self.points
        if not len(points):
            return None
        extents = [self.instance.extents[a] for a in family.axes]
        outside = [points[:, k] for k in range(len(extents)) if code[k] == 0]
        lane: dict[str, np.ndarray] = {}
        for g, (t, n) in enumerate(family.points):
            f = np.zeros(len(points), np.int64)
            for k, e in enumerate(extents):
                if code[k] == g + 1:
                    f = f * e + points[:, k]
            outside.append(f // n)
            lane[t] = f % n
        execution = label(outside, len(points))
        contract = family.instruction.kernel.statements[0]
        index = {a.tensor: a.index for a in (contract.target, *contract.inputs)}
        weight = points.sum(axis=1)
        for operand, access in family.bindings[binding]:
            cells = label(
                [np.broadcast_to(np.asarray(evaluate(i, lane)), (len(points),)) for i in index[operand]], len(points)
            )
            elements = self.elements[access]
            rows = conflict(label([execution, cells], len(points)), elements, weight)
            if rows is not None:
                return self._witness("agreement", access, rows)
            if operand == contract.target.tensor:
                rows = conflict(label([execution, elements], len(points)), cells, weight)
                if rows is not None:
                    return self._witness("exclusive", access, rows)
        return None

    def _witness(self, claim: str, access: Access, rows: tuple[int, int]) -> PairWitness:
        first, second = (tuple(int(v) for v in self.points[k]) for k in rows)
        return PairWitness(claim, access, tuple(self.instance.sizes.items()), first, second)


def small_kernels(family: Family, any_mapping: Mapping, count: int) -> tuple[SmallKernel, ...]:
    """The kernel at the first `count` vectors of sizes."""
    vectors = size_vectors(any_mapping)[:count]
    return tuple(SmallKernel(family, Instance(any_mapping, v, True)) for v in vectors)
