"""The points a mapping relates: kernel points, executions (outer points) and instruction points.

FusedSpace is a mapping of the fuse family; its claims are linear: two kernel points of one
execution share every axis outside the instruction and every tile index, and digits are equal exactly when the fused
indices are (digit lemma). GeneralSpace is any mapping, by its forward, inverse and guard expressions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import prod
from typing import Any

import sympy as sp

from isamap_encodings.digits import lemmas
from isamap_encodings.solve import RLIMIT, check
from isamap_encodings.verdict import Proved, Unknown, Verdict

BRIEF = 50_000  # solver steps where an answer decides nothing any more, or many mappings are tried


@dataclass(frozen=True)
class FusedSpace:
    """axes: (name, extent). groups: (instruction axis, its points, kernel axes). where: the kernel's guard.

    hypotheses: formulas about sizes. nonnegative: names of sizes, parameters and axes, all >= 0.
    """

    axes: tuple[tuple[str, Any], ...]
    groups: tuple[tuple[str, int, tuple[str, ...]], ...]
    where: tuple[Any, ...]
    hypotheses: tuple[Any, ...]
    nonnegative: frozenset[str]

    @property
    def extents(self) -> dict[str, Any]:
        """Kernel axis -> extent."""
        return dict(self.axes)

    def total(self, t: str) -> Any:
        """Number of fused points of an instruction axis; 1 for an empty group."""
        group = next(g for name, _, g in self.groups if name == t)
        return sp.expand(sp.Mul(*[self.extents[a] for a in group]))


@dataclass(frozen=True)
class GeneralSpace:
    """Any mapping. outer and points: (name, extent); guard over them; where over the kernel's axes.

    brief: ask with fewer solver steps, and nothing after the first question without a proof.
    """

    axes: tuple[tuple[str, Any], ...]
    outer: tuple[tuple[str, Any], ...]
    points: tuple[tuple[str, int], ...]
    forward: tuple[tuple[str, Any], ...]
    inverse: tuple[tuple[str, Any], ...]
    guard: tuple[Any, ...]
    where: tuple[Any, ...]
    hypotheses: tuple[Any, ...]
    brief: bool = False

    def ask(self, assumptions: Sequence[Any], claim: Any, name: str) -> Verdict:
        """check() within the space's limit."""
        return check(assumptions, claim, name, rlimit=BRIEF if self.brief else RLIMIT)

    def ask_all(self, assumptions: Sequence[Any], claims: Sequence[Any], name: str) -> Verdict:
        """Every claim of these as a question of its own, together."""
        verdicts: list[Verdict] = []
        for claim in claims:
            verdicts.append(self.ask(assumptions, claim, name))
            if self.brief and not isinstance(verdicts[-1], Proved):
                break
        return together(verdicts)

    def inside(self, table: Mapping[str, Any]) -> list[Any]:
        """(outer, instruction point) in range and guarded; `table` renames the instruction point."""
        box = [*ranges(self.outer), *ranges((rename(sp.Symbol(t, integer=True), table), n) for t, n in self.points)]
        return [*self.hypotheses, *box, *(rename(g, table) for g in self.guard)]

    def box(self, table: Mapping[str, Any]) -> list[Any]:
        """The same without the guard."""
        return self.inside(table)[: len(self.hypotheses) + 2 * (len(self.outer) + len(self.points))]

    def image(self, e: Any, table: Mapping[str, Any]) -> Any:
        """An expression over kernel axes, at the kernel point of (outer, renamed instruction point)."""
        return rename(rename(e, dict(self.forward)), table)

    def primed(self, mark: str = "'") -> dict[str, Any]:
        """Instruction axes renamed, for a second point of the same execution."""
        return {t: sp.Symbol(t + mark, integer=True) for t, _ in self.points}


def rename(e: Any, table: Mapping[str, Any]) -> Any:
    """An expression or formula with symbols replaced by name, all at once."""
    if isinstance(e, tuple):
        return (e[0], *[rename(a, table) for a in e[1:]])
    if not hasattr(e, "free_symbols"):
        return e
    chosen = {s: table[s.name] for s in _symbols(e) if s.name in table}
    return e.xreplace(chosen) if chosen else e


@lru_cache(maxsize=20_000)
def _symbols(e: Any) -> tuple[Any, ...]:
    return tuple(e.free_symbols)


def plain(relation: Any) -> Any:
    """A SymPy relation as a formula of tuples: renaming one evaluates nothing anew (this would be slow)."""
    head = type(relation).__name__
    if head not in _PLAIN:
        return relation
    a, b = relation.args
    name, swapped = _PLAIN[head]
    return (name, b, a) if swapped else (name, a, b)


_PLAIN = {
    "StrictLessThan": ("lt", False), "LessThan": ("le", False), "StrictGreaterThan": ("lt", True),
    "GreaterThan": ("le", True), "Equality": ("eq", False), "Unequality": ("ne", False),
}  # fmt: skip


@cache
def symbol(name: str) -> Any:
    """The integer symbol with this name; SymPy takes long to look up its assumptions."""
    return sp.Symbol(name, integer=True)


def ranges(pairs: Any) -> list[Any]:
    """0 <= x < extent for every (name or expression, extent)."""
    result: list[Any] = []
    for x, extent in pairs:
        s = symbol(x) if isinstance(x, str) else x
        result += [("le", sp.S.Zero, s), ("lt", s, sp.sympify(extent))]
    return result


def either(assumptions: Sequence[Any], claim: Any, name: str, nonnegative: frozenset[str]) -> Verdict:
    """The claim by its linear part if that is enough, else with products multiplied out by the solver."""
    verdict = check(assumptions, claim, name, nonnegative)
    return verdict if isinstance(verdict, Proved) else check(assumptions, claim, name)


def together(verdicts: Sequence[Verdict]) -> Verdict:
    """Proved when all are; else the first refuted one, else the first unknown one. Times add up."""
    seconds = sum(v.seconds for v in verdicts)
    order = {"refuted": 0, "unknown": 1, "proved": 2}
    worst = min(verdicts, key=lambda v: order[v.word], default=Proved())
    return Proved(seconds) if isinstance(worst, Proved) else worst


@cache
def retained(groups: tuple[tuple[str, int, tuple[str, ...]], ...], cells: tuple[Any, ...]) -> frozenset[str]:
    """Instruction axes whose point is determined by the cell: equal cells have equal points on these axes."""
    names = {s.name for e in cells if hasattr(e, "free_symbols") for s in e.free_symbols}
    plain = {e.name for e in cells if getattr(e, "is_Symbol", False)}
    hard = names - plain
    mark = {t: sp.Symbol(t + "'", integer=True) for t, _, _ in groups if t not in plain}
    sizes = {t: n for t, n, _ in groups}
    given = ranges((t, sizes[t]) for t in sorted(names)) + ranges((mark[t], sizes[t]) for t in sorted(hard))
    given += [("eq", e, rename(e, mark)) for e in cells]
    found = {
        t
        for t in sorted(hard)
        if isinstance(check(given, ("eq", sp.Symbol(t, integer=True), mark[t]), "cells name points"), Proved)
    }
    return frozenset(plain | found)


@dataclass(frozen=True)
class Pair:
    """Two kernel points of one execution. second: kernel axis -> symbol at the second point; digits likewise."""

    facts: tuple[Any, ...]
    second: Mapping[str, Any]
    digits: Mapping[str, tuple[Any, Any]]
    missing: Verdict | None  # a lemma that is needed and not proved


def pair(space: FusedSpace, same: frozenset[str]) -> Pair:
    """Facts about two points of the kernel's box in one execution, with equal digits on the axes in `same`.

    By the digit lemma those groups' kernel axes are then equal too, so they keep one name.
    """
    extents = space.extents
    second: dict[str, Any] = {}
    for t, _, group in space.groups:
        if t not in same:
            second.update({a: symbol(a + "'") for a in group})
    facts: list[Any] = [*space.hypotheses, *ranges(space.axes)]
    facts += ranges((second[a], extents[a]) for a in second)
    digits: dict[str, tuple[Any, Any]] = {}
    needed: list[tuple[str, int]] = [("digit", 0)]
    for t, n, group in space.groups:
        if not group:
            digits[t] = (sp.S.Zero, sp.S.Zero)
        elif t in same:
            d = symbol(f"{t}.digit")
            digits[t] = (d, d)
            facts += ranges([(d, n)])
        else:
            digits[t] = _tile(t, n, group, extents, second, facts, needed)
    return Pair(tuple(facts), second, digits, lemmas(*needed))


def _tile(
    t: str,
    n: int,
    group: tuple[str, ...],
    extents: Mapping[str, Any],
    second: Mapping[str, Any],
    facts: list[Any],
    needed: list[tuple[str, int]],
) -> tuple[Any, Any]:
    """The two digits on one tile of a fused axis; adds their facts.

    An inner axis of constant extent is multiplied out (linear). One of symbolic extent gives an opaque fused index.
    Of this, the digit lemma says: equal exactly when its parts are.
    """
    v, w = symbol(group[0]), second[group[0]]
    _frozen(0, group, n, extents, (v, w), facts, needed)
    for k, a in enumerate(group[1:], start=1):
        x, y = symbol(a), second[a]
        if extents[a].is_Integer:
            v, w = v * extents[a] + x, w * extents[a] + y
        else:
            p, q = (symbol(f"{t}.fused{k}{m}") for m in ("", "'"))
            facts += [("iff", ("eq", p, q), ("and", ("eq", v, w), ("eq", x, y)))]
            facts += [("le", sp.S.Zero, p), ("le", sp.S.Zero, q)]
            v, w = p, q
        _frozen(k, group, n, extents, (v, w), facts, needed)
    tile, d, e = (symbol(f"{t}.{m}") for m in ("tile", "digit", "digit'"))
    facts += ranges([(d, n), (e, n)])
    facts += [("eq", v, n * tile + d), ("eq", w, n * tile + e)]
    return d, e


def _frozen(
    k: int,
    group: tuple[str, ...],
    n: int,
    extents: Mapping[str, Any],
    values: tuple[Any, Any],
    facts: list[Any],
    needed: list[tuple[str, int]],
) -> None:
    """Frozen lemma: if the axes inside position k span whole tiles, one tile holds one value of the axes up to k."""
    if k + 1 < len(group) and spans_tiles([extents[a] for a in group[k + 1 :]], n):
        needed.append(("tile", n))
        facts.append(("eq", *values))


def spans_tiles(inner: Sequence[Any], n: int) -> bool:
    """Whether the product of the extents is a multiple of n for all sizes (by its integer coefficients)."""
    return prod(map(content, inner)) % n == 0


@lru_cache(maxsize=20_000)
def content(extent: Any) -> int:
    """The greatest common divisor of all coefficients of the extent, a polynomial of sizes; 1 for a quotient.

    A product of extents has the product of their contents (Gauss's lemma).
    """
    if not extent.free_symbols:
        return int(extent)
    return int(sp.Poly(extent, *extent.free_symbols).content()) if extent.is_polynomial() else 1


def no_lemma(verdict: Verdict) -> Verdict:
    """The verdict of a claim based on an unproved lemma."""
    return Unknown(f"a lemma it needs is not proved: {verdict}")
