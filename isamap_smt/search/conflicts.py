"""The smallest parts of a mapping that refute it, for display: nothing is excluded because of them.

A part is judged as a mapping with every other instruction axis empty. Parts of a legal mapping are not shown (with
fixed sizes or guards, a larger mapping can be legal though a part of it is not).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from isamap_encodings.models import Cube, Model
from isamap_smt.ir.expr import elements as by_value
from isamap_smt.ir.expr import evaluate
from isamap_smt.ir.kernel import Access
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.mapping.fuse import fuse_groups, operand_accesses
from isamap_smt.proof.family import Code, Family
from isamap_smt.proof.family_witnesses import KernelWitness, PairWitness, Witness
from isamap_smt.proof.witness import Found, Point, agreement, conflict, exclusive, kernel_point, shrunk
from isamap_smt.proof.witness_points import Instance, broadcast, label, size_vectors
from isamap_smt.proof.witness_text import tell


class Part(dict[str, list[str]]):
    """Some kernel axes in some instruction axes; prints as `i=p.r,k=c`."""

    def __str__(self) -> str:
        return ",".join(f"{t}={'.'.join(g)}" for t, g in self.items())


@dataclass(frozen=True)
class Conflict:
    """A part of a mapping that refutes it; no smaller part does. witness: in the user's names."""

    part: Part
    claim: str
    witness: str


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
    def weight(self) -> np.ndarray:
        """Of each point, the sum of its coordinates."""
        return np.asarray(self.points.sum(axis=1))

    @cached_property
    def elements(self) -> dict[Access, np.ndarray]:
        """Per access, equal numbers for equal elements."""
        statement = self.family.kernel.statements[self.family.statement]
        domain, sizes = self.instance.domain, self.instance.sizes
        env: dict[str, Any] = {**sizes, **domain}
        return {
            a: label([broadcast(evaluate(i, env), domain) for i in a.index], len(self.points))
            for a in (statement.target, *statement.inputs)
            if not by_value(a.index)
        }

    def find(self, code: Code, binding: int) -> PairWitness | None:
        """A pair here that violates agreement or exclusiveness of the candidate; None if there is none."""
        family, points = self.family, self.points
        if not len(points):
            return None
        extents = [self.instance.extents[a] for a in family.axes]
        outside = [points[:, k] for k in range(len(extents)) if code[k] == 0]
        lane: dict[str, np.ndarray] = {}
        for g, (t, n) in enumerate(family.points):
            f, mine = np.zeros(len(points), np.int64), family.within(g)
            for k, e in enumerate(extents):
                if code[k] in mine:
                    f, rest = family.moved(code[k], f, points[:, k], e)
                    outside += [rest] if family.places[code[k] - 1][1] else []
            outside.append(f // n)
            lane[t] = f % n
        execution = label(outside, len(points))
        contract = family.instruction.kernel.statements[0]
        index = {a.tensor: a.index for a in (contract.target, *contract.inputs)}
        for operand, access in family.bindings[binding]:
            if by_value((*index[operand], *access.index)):
                continue  # which element it is, is no matter of points alone
            cells = label(
                [np.broadcast_to(np.asarray(evaluate(i, lane)), (len(points),)) for i in index[operand]], len(points)
            )
            elements = self.elements[access]
            rows = conflict(label([execution, cells], len(points)), elements, self.weight)
            if rows is not None:
                return self._witness("agreement", access, rows, (binding, code))
            if operand == contract.target.tensor:
                rows = conflict(label([execution, elements], len(points)), cells, self.weight)
                if rows is not None:
                    return self._witness("exclusive", access, rows, (binding, code))
        return None

    def _witness(self, claim: str, access: Access, rows: tuple[int, int], candidate: Model) -> PairWitness:
        first, second = (tuple(int(v) for v in self.points[k]) for k in rows)
        where = Cube.of(candidate)
        return PairWitness(claim, access, tuple(self.instance.sizes.items()), first, second, where)


def small_kernels(family: Family, any_mapping: Mapping, count: int) -> tuple[SmallKernel, ...]:
    """The kernel at the first `count` vectors of sizes."""
    vectors = size_vectors(any_mapping)[:count]
    return tuple(SmallKernel(family, Instance(any_mapping, v, True)) for v in vectors)


Literal = tuple[int, int]  # kernel axis, instruction axis
LARGEST = 2  # axes in a part


def conflicts_of(
    family: Family, legal: tuple[ProvedMapping, ...], small: tuple[SmallKernel, ...]
) -> tuple[Conflict, ...]:
    """Parts of up to two axes that refute agreement or exclusiveness, with every binding, without such a smaller part."""
    literals = [(a, g) for g in range(len(family.points)) for a in range(len(family.axes))]
    used = [frozenset(_literals(family, p)) for p in legal]
    found: dict[frozenset[Literal], Conflict] = {}
    for size in range(1, LARGEST + 1):
        for part in map(frozenset, itertools.combinations(literals, size)):
            if len({a for a, _ in part}) < size or any(p <= part for p in found):
                continue
            if any(part <= u for u in used):
                continue
            conflict = _conflict(family, part, small)
            if conflict is not None:
                found[part] = conflict
    return tuple(found.values())


def _literals(family: Family, proved: ProvedMapping) -> list[Literal]:
    points = [t for t, _ in family.points]
    split = proved.mapping.split
    digits = {} if split is None else split.low_digits
    return [
        (family.axes.index(digits.get(a, a).partition("%")[0]), points.index(t))
        for t, g in proved.mapping.groups
        for a in g
    ]


def _code(family: Family, part: frozenset[Literal]) -> Code:
    places = dict(part)
    return tuple(places[a] + 1 if a in places else 0 for a in range(len(family.axes)))


def _conflict(family: Family, part: frozenset[Literal], small: tuple[SmallKernel, ...]) -> Conflict | None:
    code = _code(family, part)
    first: tuple[int, PairWitness] | None = None
    for b in range(len(family.bindings)):
        pair = next((w for w in (k.find(code, b) for k in small) if w is not None), None)
        if pair is None:
            return None
        first = first or (b, pair)
    if first is None:
        return None
    b, pair = first
    shown = Part({t: list(g) for t, g in family.groups(code) if g})
    return Conflict(shown, pair.claim, pair_text(family, code, b, pair))


def pair_text(family: Family, code: Code, binding: int, pair: PairWitness) -> str:
    """The two points told in the user's names, for the candidate (or part) of this code."""
    mapping = fuse_groups(
        family.kernel, family.instruction, family.groups(code), family.bindings[binding], family.statement
    )
    sizes = dict(pair.sizes)
    points = []
    for x in (pair.first, pair.second):
        kernel = dict(zip(family.axes, x, strict=True))
        there = {n: int(evaluate(e, {**sizes, **kernel})) for n, e in mapping.inverse}
        lane = {t: there[t] for t in family.instruction.axes}
        outer = {a.name: there[a.name] for a in mapping.outer}
        assert kernel_point(mapping, sizes, outer, lane) == kernel
        points.append(Point(outer, lane, kernel))
    operand = next(o for o, a in mapping.binding if a == pair.access)
    finder = agreement if pair.claim == "agreement" else exclusive
    return tell(mapping, shrunk(mapping, finder, Found(pair.claim, operand, sizes, tuple(points))))


def reasons_of(
    family: Family, conflicts: tuple[Conflict, ...], witnesses: tuple[Witness, ...]
) -> tuple[tuple[str, str], ...]:
    """When nothing is legal: per instruction axis, why no kernel axis can feed it; or the refutations of everything."""
    if not family.bindings:
        return ((",".join(t for t, _ in family.points) or "operands", _no_binding(family)),)
    if not family.size:
        needs = (
            f"{family.kernel.name} has {len(family.axes)} axes and {family.instruction.name} needs {len(family.points)}"
        )
        return (
            (
                ",".join(t for t, _ in family.points),
                f"{needs}; partial use pads the others: --partial, or partial=True",
            ),
        )
    general = [w for w in witnesses if isinstance(w, KernelWitness)]
    if general:
        return tuple((f"{w.claim} of {w.subject}" if w.subject else w.claim, w.text) for w in general)
    single = {(t, g[0]): c for c in conflicts if len(c.part) == 1 for t, g in c.part.items() if len(g) == 1}
    reasons = []
    for t, _ in family.points:
        why = [single.get((t, a)) for a in family.axes]
        if all(w is not None for w in why):
            listed = "; ".join(f"{a}: {w.claim} {_last(w)}" for a, w in zip(family.axes, why, strict=True) if w)
            reasons.append((t, f"no axis of {family.kernel.name} can feed it ({listed})"))
    if not reasons:
        reasons = _pairs(family, conflicts)
    return tuple(reasons)


def _pairs(family: Family, conflicts: tuple[Conflict, ...]) -> list[tuple[str, str]]:
    """Pairs of instruction axes that cannot both be fed, with one example; within one axis, axes that do not fuse."""
    grouped: dict[str, list[Conflict]] = {}
    for c in conflicts:
        if sum(len(g) for g in c.part.values()) > 1:
            grouped.setdefault(",".join(c.part), []).append(c)
    reasons = []
    for axes, found in grouped.items():
        more = f", and {len(found) - 1} more" if len(found) > 1 else ""
        what = "feed both" if "," in axes else "be fused in it"
        example = f"{found[0].part}: {found[0].claim} {_last(found[0])}"
        reasons.append((axes, f"no two axes of {family.kernel.name} that are left can {what} ({example}{more})"))
    return reasons


def _no_binding(family: Family) -> str:
    """Why the kernel's operands fit the instruction's in no order."""
    statement, contract = family.kernel.statements[family.statement], family.instruction.kernel.statements[0]
    have, want = operand_accesses(statement), operand_accesses(contract)
    ours = ", ".join(f"{a.tensor}: {family.kernel.tensor(a.tensor).dtype}" for a in have)
    theirs = ", ".join(f"{a.tensor}: {family.instruction.kernel.tensor(a.tensor).dtype}" for a in want)
    several = [a.tensor for n, a in enumerate(want) if a.tensor in {b.tensor for b in want[:n]}]
    if several:
        return (
            f"{family.instruction.name} reads several cells of {several[0]} at a point, and an operand takes one access"
        )
    return f"{family.kernel.name} reads {ours}; {family.instruction.name} takes {theirs}: no order fits"


def _last(c: Conflict) -> str:
    return c.witness.splitlines()[-1].strip()
