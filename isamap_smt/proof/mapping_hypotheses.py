"""What a mapping's proof takes for granted: sizes are at least 1, parameters at least their lowest value, and declared shapes hold
what the kernel reads of them (`L >= K`), as its programs assume and each call checks.

These are hypotheses, so they are shown to be satisfiable (nothing is proved from a contradiction), and they are listed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import sympy as sp

from isamap_encodings import bounds, solve, space
from isamap_encodings.verdict import Proved, Refuted, Unknown, Verdict
from isamap_smt.ir.conditions import Condition
from isamap_smt.ir.expr import FloorDiv, FloorMod, evaluate, is_constant, sym, symbols_of
from isamap_smt.ir.hypotheses import Hypothesis, Relation, Stated
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.proof import ClaimResult
from isamap_smt.ir.reach import possible_sizes, size_conditions
from isamap_smt.proof.witness_points import Instance, size_vectors


@dataclass(frozen=True)
class Hypotheses:
    """lows: least value of every free size and parameter. extents: axis extents that are expressions, taken >= 1. needed: what the
    kernel's declared shapes ask of sizes."""

    lows: tuple[tuple[str, int], ...]
    extents: tuple[Any, ...]
    needed: tuple[Condition, ...] = ()

    @staticmethod
    def of(mapping: Mapping) -> Hypotheses:
        """The hypotheses of a mapping of this kernel."""
        lows = {p.name: p.low for p in mapping.kernel.parameters}
        s = mapping.statement
        used = set(mapping.kernel.free_sizes) | symbols_of([a.extent for a in s.axes])
        free = sorted(used | set(lows))
        extents = tuple(a.extent for a in s.axes if not is_constant(a.extent) and not a.extent.is_Symbol)
        # An axis may run to a parameter that may be 0.
        extents += tuple(a.extent for a in s.axes if a.extent.is_Symbol and lows.get(a.extent.name, 1) < 1)
        needed = size_conditions(mapping.kernel)
        return Hypotheses(tuple((n, lows.get(n, 1)) for n in free), tuple(dict.fromkeys(extents)), needed)

    @cached_property
    def formulas(self) -> tuple[Any, ...]:
        """The hypotheses for the encodings."""
        return (
            *(("le", sp.Integer(low), sym(n)) for n, low in self.lows),
            *(("le", sp.S.One, e) for e in self.extents),
            *(c.formula for c in self.needed),
        )

    @property
    def nonnegative(self) -> frozenset[str]:
        """Sizes and parameters known to be >= 0."""
        return frozenset(n for n, low in self.lows if low >= 0)

    @property
    def listed(self) -> tuple[Hypothesis, ...]:
        """As the proof lists them. An axis that has no points leaves its statement none, of which all claims hold."""
        stated = (Stated(f"{e} >= 1") for e in self.extents)
        lows = (Condition(sym(n), ">=", sp.Integer(low)) for n, low in self.lows)
        return (*map(Relation, lows), *stated, *map(Relation, self.needed))

    def claims(self, mapping: Mapping, fused: bool) -> list[ClaimResult]:
        """Claim 14: some sizes satisfy everything at once with a point in the domain, and divisors are positive."""
        words = "some sizes satisfy every hypothesis, and divisors are positive"
        results = []
        if divisors := self._divisors(mapping):
            verdict = space.together([self._positive(mapping, d) for d in divisors])
            results.append(ClaimResult("hypotheses", "divisors", verdict, words))
            if not isinstance(verdict, Proved):
                return results  # the rest would have to evaluate them
        results.append(ClaimResult("hypotheses", "sizes", self._satisfiable(mapping, fused), words))
        return results

    def _positive(self, mapping: Mapping, divisor: Any) -> Verdict:
        """divisor >= 1 for all sizes; refuted by sizes that replay."""
        verdict = bounds.positive(divisor, self.lows, self.formulas)
        if isinstance(verdict, Proved):
            return verdict
        if isinstance(verdict, Refuted):
            sizes = {n: int(verdict.witness.get(n, low)) for n, low in self.lows}
            if symbols_of([divisor]) <= set(sizes):
                value = int(evaluate(divisor, sizes))
                there = all(evaluate(e, sizes) >= 1 for e in self.extents)
                if value < 1 and there and possible_sizes(mapping.kernel, sizes):
                    shown = " ".join(f"{n}={v}" for n, v in sizes.items() if sym(n) in divisor.free_symbols)
                    text = f"the divisor {divisor} is {value}" + (f" at {shown}" if shown else "")
                    return Refuted(sizes, text, verdict.seconds)
        return Unknown(f"the divisor {divisor} is not known to be positive", verdict.seconds)

    def _satisfiable(self, mapping: Mapping, fused: bool) -> Verdict:
        for sizes in size_vectors(mapping):
            instance = Instance(mapping, sizes, fused)
            if all(e >= 1 for e in instance.extents.values()) and any(len(v) for v in instance.domain.values()):
                return Proved()
        box = space.ranges((a.name, a.extent) for a in mapping.statement.axes)
        return solve.satisfiable([*self.formulas, *box, *mapping.statement.guard], "hypotheses")

    def _divisors(self, mapping: Mapping) -> list[Any]:
        """Divisors in every expression of the mapping; products of extents, each >= 1, need no question."""
        expressions = [e for _, e in (*mapping.forward, *mapping.inverse)] + [*mapping.guard]
        expressions += [a.extent for a in mapping.outer]
        for _, access in mapping.binding:
            expressions += list(access.index)
        found = {
            d.args[1]
            for e in expressions
            if hasattr(e, "atoms")
            for d in e.atoms(FloorDiv, FloorMod)
            if not (d.args[1].is_Integer and d.args[1] > 0)
        }
        return sorted(found, key=_text)


_text = lru_cache(maxsize=10_000)(str)  # the mappings of a kernel divide by much the same
