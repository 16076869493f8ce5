"""Lessons of a counterexample for the other candidates: a clause excludes some of those it violates, by plain integers.

A pair (sizes and two kernel points) violates agreement of an access if both points fall into one execution and one cell
of the operand it feeds, and name different elements; it violates exclusiveness if both fall into one execution, name
the same output element and have different output cells. Nothing is assumed of larger candidates.

A witness comes with a cube of candidates, all violated by it. The check goes axis by axis, from the outermost, over the
possible pairs of fused indices of each instruction axis, and not over the candidates.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from isamap_encodings.models import Cube, Model
from isamap_smt.ir.expr import elements as in_indices
from isamap_smt.ir.expr import evaluate
from isamap_smt.ir.kernel import Access
from isamap_smt.ir.reach import possible_sizes
from isamap_smt.mapping.fuse import Binding
from isamap_smt.proof.family import Code, Family

MOST = 20_000  # pairs of fused indices that are gone through for one cube

Fused = tuple[tuple[int, int], ...]  # per instruction axis, the fused index of either point


@dataclass(frozen=True)
class PairWitness:
    """Two kernel points at concrete sizes. claim: agreement (of `access`) or exclusive (of the output).

    where: candidates violated by the pair.
    """

    claim: str
    access: Access
    sizes: tuple[tuple[str, int], ...]
    first: tuple[int, ...]
    second: tuple[int, ...]
    where: Cube
    text: str = ""

    def holds(self, family: Family) -> bool:
        """Whether both points are a pair of the kernel for the claim, and violate every candidate of `where`."""
        return self.is_pair(family) and self.violates(family, self.where)

    def is_pair(self, family: Family) -> bool:
        """Both points lie in the domain, and their elements are different (agreement) or the same (exclusive)."""
        statement = family.kernel.statements[family.statement]
        if not possible_sizes(family.kernel, dict(self.sizes)):
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

    def violates(self, family: Family, cube: Cube) -> bool:
        """Whether both points clash in each of these candidates.

        They fall into one execution, and into one cell instead of two, or into two instead of one. Returns False, too,
        if there are too many cases to decide.
        """
        if not all(cube.places) or not cube <= family.everything:
            return False
        reached = self._reached(family, cube)
        return reached is not None and all(
            self._clash(family, family.bindings[b], fused) for b in cube.bindings for fused in reached
        )

    def _points(self, family: Family) -> tuple[dict[str, int], dict[str, int]]:
        sizes = dict(self.sizes)
        return (
            {**sizes, **dict(zip(family.axes, self.first, strict=True))},
            {**sizes, **dict(zip(family.axes, self.second, strict=True))},
        )

    def _reached(self, family: Family, cube: Cube) -> set[Fused] | None:
        """The fused indices of both points in any candidate of the cube; None if one puts them into two executions.

        Points in different tiles of a fused axis stay apart, independent of any axes fused inside it.
        """
        sizes = dict(self.sizes)
        statement = family.kernel.statements[family.statement]
        reached: set[Fused] = {((0, 0),) * len(family.points)}
        for k, a in enumerate(statement.axes):
            extent, x, y = int(evaluate(a.extent, sizes)), self.first[k], self.second[k]
            if extent == 1:
                continue  # both are 0, and no fused index changes
            if 0 in cube.places[k] and x != y:
                return None
            following: set[Fused] = set()
            for g in cube.places[k]:
                if g == 0:
                    following |= reached
                    continue
                at = family.places[g - 1][0]
                n = family.points[at][1]
                for fused in reached:
                    f, h = fused[at]
                    (f, one), (h, two) = family.moved(g, f, x, extent), family.moved(g, h, y, extent)
                    if one != two or f // n != h // n:
                        return None
                    following.add((*fused[:at], (f, h), *fused[at + 1 :]))
            reached = following
            if len(reached) > MOST:
                return None
        return reached

    def _clash(self, family: Family, binding: Binding, fused: Fused) -> bool:
        one = {t: f % n for (t, n), (f, _) in zip(family.points, fused, strict=True)}
        two = {t: h % n for (t, n), (_, h) in zip(family.points, fused, strict=True)}
        contract = family.instruction.kernel.statements[0]
        index: dict[str, Any] = {a.tensor: a.index for a in (contract.target, *contract.inputs)}
        for operand, access in binding:
            if access == self.access and not in_indices(index[operand]):  # data may bring any two points together
                same = all(int(evaluate(i, one)) == int(evaluate(i, two)) for i in index[operand])
                if same == (self.claim == "agreement"):
                    return True
        return False


@dataclass(frozen=True)
class OneWitness:
    """A refutation of its own candidate only."""

    claim: str
    candidate: Model
    values: tuple[tuple[str, Any], ...]
    text: str = ""


@dataclass(frozen=True)
class KernelWitness:
    """A refutation independent of the placement of axes: of every candidate, or of every one with a binding.

    bounds and order speak of the kernel's own points, scalar of the value and the operands.
    """

    claim: str
    subject: str
    binding: int | None
    values: tuple[tuple[str, Any], ...]
    text: str = ""


@dataclass(frozen=True)
class OrderWitness:
    """A sum in the kernel's order, added or rounded in another order by the instruction.

    It excludes every candidate with kernel axis `axis` in the instruction's reduction axis `point`; if both are empty,
    every candidate without a kernel axis in a reduction axis.

    Nothing else in a mapping decides whether several products are added at once, nor the rounding of a single addition.
    """

    axis: str
    point: str
    values: tuple[tuple[str, Any], ...]
    text: str = ""
    claim: ClassVar[str] = "scalar"

    def where(self, family: Family) -> Cube:
        """The excluded candidates. Raises ValueError for unknown names."""
        everything, points = family.everything, [t for t, _ in family.points]
        if self.axis:
            k, places = family.axes.index(self.axis), family.within(points.index(self.point))
            return Cube(everything.bindings, tuple(places if m == k else p for m, p in enumerate(everything.places)))
        summing = [family.within(g) for g, (t, n) in enumerate(family.points) if n > 1 and t in reductions(family)]
        return Cube(everything.bindings, tuple(p.difference(*summing) for p in everything.places))

    def code(self, family: Family) -> Code:
        """One of them, for all: with the one axis in the instruction, or none."""
        return tuple(
            min(p - {0}) if a == self.axis else 0 for a, p in zip(family.axes, self.where(family).places, strict=True)
        )


def reductions(family: Family) -> tuple[str, ...]:
    """The instruction's reduction axes."""
    return family.instruction.kernel.statements[0].reduction_axes


Witness = PairWitness | OneWitness | OrderWitness | KernelWitness


def excluded(witness: Witness, family: Family) -> Cube:
    """The candidates excluded by the witness, if it holds."""
    match witness:
        case PairWitness():
            return witness.where
        case OneWitness():
            return Cube.of(witness.candidate)
        case OrderWitness():
            return witness.where(family)
    everything = family.everything
    bindings = everything.bindings if witness.binding is None else frozenset({witness.binding})
    return Cube(bindings, everything.places)


def widened(family: Family, witness: PairWitness) -> PairWitness:
    """The same two points, or smaller ones, with `where` grown to as large a cube as possible."""
    pair = _smaller(family, witness)
    free, cube = family.everything, pair.where
    anywhere = [(k, places) for k, places in enumerate(free.places)]
    one_more = [(k, frozenset({g})) for k, places in anywhere for g in sorted(places)]
    for k, places in (*anywhere, *one_more):
        wider = Cube(cube.bindings, (*cube.places[:k], cube.places[k] | places, *cube.places[k + 1 :]))
        cube = wider if pair.violates(family, wider) else cube
    for b in sorted(free.bindings):
        wider = Cube(cube.bindings | {b}, cube.places)
        cube = wider if pair.violates(family, wider) else cube
    return replace(pair, where=cube)


def _smaller(family: Family, pair: PairWitness) -> PairWitness:
    """Points nearer to 0, then sizes as small as they can be, one at a time: of axes with one point nothing has to be said."""
    for k in range(len(family.axes)):
        low = min(pair.first[k], pair.second[k])
        for less in ((pair.first[k], pair.second[k]), (low, low)):
            nearer = replace(pair, first=_lowered(pair.first, k, less[0]), second=_lowered(pair.second, k, less[1]))
            if nearer.holds(family):
                pair = nearer
                break
    lows = {p.name: p.low for p in family.kernel.parameters}
    for n, value in pair.sizes:
        for v in range(lows.get(n, 1), value):
            sized = replace(pair, sizes=tuple((m, v if m == n else w) for m, w in pair.sizes))
            if sized.holds(family):
                pair = sized
                break
    return pair


def _lowered(point: tuple[int, ...], k: int, by: int) -> tuple[int, ...]:
    return (*point[:k], point[k] - by, *point[k + 1 :])
