"""The points of a sum: known facts there, axes determined by equations, and index expressions in one form.

Every step is an equivalence under the known facts. A step with a further condition, such as a remainder's range, first
asks for its proof, and is left out without one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import sympy as sp

from isamap_encodings.solve import check
from isamap_encodings.verdict import Proved
from isamap_smt.equality.sums import Range
from isamap_smt.ir.expr import Element, FloorDiv, FloorMod, IMax, IMin, Inside, ISelect, substitute, symbols_of

STEPS = 300_000  # of the solver, for one question
BRIEF = 60_000


@dataclass(frozen=True)
class Known:
    """Facts that hold in the place of a question."""

    facts: tuple[Any, ...] = ()
    asked: dict[Any, bool] = field(default_factory=dict, compare=False, hash=False)

    def also(self, facts: Iterable[Any]) -> Known:
        """The same with more facts."""
        new = tuple(f for f in dict.fromkeys(facts) if f != True and f not in self.facts)  # noqa: E712
        return Known((*self.facts, *new)) if new else self

    def holds(self, claim: Any, steps: int = STEPS) -> bool:
        """Whether the claim is proved to follow."""
        if claim in (True, sp.true):
            return True
        if claim in (False, sp.false):
            return self.impossible()
        if claim in self.facts:
            return True
        if claim not in self.asked:
            self.asked[claim] = self._asked(claim, steps)
        return self.asked[claim]

    def impossible(self) -> bool:
        """Whether the facts are proved to contradict each other."""
        if any(f in (False, sp.false) for f in self.facts):
            return True
        if False not in self.asked:
            self.asked[False] = self._asked(False, STEPS)
        return self.asked[False]

    def _asked(self, claim: Any, steps: int) -> bool:
        facts = tuple(self.facts)
        if isinstance(check(facts, claim, rlimit=steps, model=False), Proved):
            return True
        if not any(_multiplies(f) for f in (*facts, claim)):
            return False
        low = {
            f.lhs.name for f in facts if isinstance(f, sp.Ge) and f.lhs.is_Symbol and f.rhs.is_Integer and f.rhs >= 0
        }
        return isinstance(check(facts, claim, products=low, rlimit=steps, model=False), Proved)


@lru_cache(maxsize=50_000)
def _multiplies(e: Any) -> bool:
    if isinstance(e, tuple):
        return any(map(_multiplies, e[1:]))
    return isinstance(e, sp.Basic) and any(
        (isinstance(x, FloorDiv | FloorMod) and not x.args[1].is_Integer)
        or (isinstance(x, sp.Mul) and sum(not a.is_Number for a in x.args) > 1)
        or isinstance(x, sp.Pow)
        for x in sp.preorder_traversal(e)
    )  # fmt: skip


def box(axes: Iterable[Range]) -> list[Any]:
    """Relations: each axis is in its range."""
    return [r for a, e in axes for r in (sp.Ge(a, 0), sp.Lt(a, e))]


def between(e: Any, extent: Any) -> list[Any]:
    """Relations: 0 <= e < extent."""
    return [sp.Ge(e, 0), sp.Lt(e, extent)]


def opposite(relation: Any) -> Any:
    """The negation of the relation."""
    match relation:
        case sp.Lt() | sp.StrictLessThan():
            return sp.Ge(relation.lhs, relation.rhs)
        case sp.Le():
            return sp.Gt(relation.lhs, relation.rhs)
        case sp.Gt():
            return sp.Le(relation.lhs, relation.rhs)
        case sp.Ge():
            return sp.Lt(relation.lhs, relation.rhs)
        case sp.Eq():
            return sp.Ne(relation.lhs, relation.rhs)
        case sp.Ne():
            return sp.Eq(relation.lhs, relation.rhs)
    return sp.false if relation == True else sp.true  # noqa: E712


def pieces_without(guard: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Mutually exclusive guards; one of them holds if `guard` fails."""
    return [(*guard[:n], opposite(g)) for n, g in enumerate(guard)]


# ---- Index expressions


def simple(e: Any, known: Known) -> Any:
    """The expression in one form: remainders by quotients, without multiples of the divisor or parts below it."""
    if not isinstance(e, sp.Basic) or not e.has(FloorDiv, FloorMod, IMin, IMax, ISelect):
        return sp.expand(e) if isinstance(e, sp.Expr) else e
    if isinstance(e, sp.core.relational.Relational):
        return e.func(simple(e.lhs, known), simple(e.rhs, known))
    parts = [simple(a, known) for a in e.args]
    if isinstance(e, FloorMod):
        q = _quotient(parts[0], parts[1], known)
        return sp.expand(parts[0] - parts[1] * q)
    if isinstance(e, FloorDiv):
        return _quotient(parts[0], parts[1], known)
    if isinstance(e, IMin | IMax):
        a, b = parts
        less, more = (a, b) if isinstance(e, IMin) else (b, a)
        if known.holds(sp.Le(a, b), BRIEF):
            return less
        return more if known.holds(sp.Le(b, a), BRIEF) else e.func(a, b)
    if isinstance(e, Element | Inside | ISelect):
        return e.func(*parts)
    return sp.expand(e.func(*parts))


def _quotient(n: Any, d: Any, known: Known) -> Any:
    n = sp.expand(n)
    if d == 1:
        return n
    whole, rest = [], []
    for t in sp.Add.make_args(n):
        if t.is_Integer and d.is_Integer:
            q = sp.Integer(int(t) // int(d))
            whole.append(q)
            rest.append(t - q * d)
        elif (q := _multiple(t, d)) is not None:
            whole.append(q)
        else:
            rest.append(t)
    left = sp.Add(*rest)
    return sp.expand(sp.Add(*whole) + _small_quotient(left, d, known))


@lru_cache(maxsize=50_000)
def _multiple(t: Any, d: Any) -> Any:
    """The quotient of the term by the divisor, if it is a polynomial with whole coefficients; else None."""
    q = sp.cancel(t / d)
    return q if _is_whole(q) else None


def _is_whole(q: Any) -> bool:
    """Whether it is a polynomial of whole coefficients."""
    numerator, denominator = sp.fraction(sp.together(q))
    return denominator == 1 and all(c.is_Integer for c in sp.Poly(numerator, *numerator.free_symbols).coeffs()) if (
        numerator.free_symbols and not numerator.has(FloorDiv, FloorMod, IMin, IMax, ISelect, Element, Inside)
    ) else denominator == 1 and _whole_terms(numerator)  # fmt: skip


def _whole_terms(e: Any) -> bool:
    return all(t.as_coeff_Mul()[0].is_Integer for t in sp.Add.make_args(sp.expand(e)))


def _small_quotient(n: Any, d: Any, known: Known) -> Any:
    if n == 0:
        return sp.S.Zero
    if known.holds(sp.Ge(n, 0), BRIEF) and known.holds(sp.Lt(n, d), BRIEF):
        return sp.S.Zero
    if isinstance(n, FloorDiv):
        return FloorDiv(n.args[0], sp.expand(n.args[1] * d))
    return FloorDiv(n, d)


# ---- Axes that equations determine


@dataclass(frozen=True)
class Solved:
    """values: of axes, by name, free of these axes. guard: further conditions. left: the axes still free."""

    values: Mapping[str, Any]
    guard: tuple[Any, ...]
    left: tuple[Range, ...]


def solved(equations: Iterable[Any], axes: Sequence[Range], known: Known) -> Solved:
    """The points of the axes' box at which every equation's expression is 0.

    They are the points with these values, under the guard, with the remaining axes in their ranges. No equation is
    lost: one that determines nothing joins the guard.
    """
    left = list(axes)
    values: dict[str, Any] = {}
    guard: list[Any] = []
    waiting = [simple(e, known) for e in equations]
    while True:
        inside = known.also([*box(left), *guard])
        found = next((f for n, e in enumerate(waiting) if (f := _step(e, left, inside, n))), None)
        if found is None:
            break
        n, table, more, again = found
        made = dict(table)
        guard += more
        values = {a: simple(substitute(v, made), inside) for a, v in values.items()} | made
        left = [(a, e) for a, e in left if a.name not in made]
        rest = [*waiting[:n], *again, *waiting[n + 1 :]]
        waiting = [simple(substitute(e, made), inside) for e in rest]
        outside = known.also(box(left))  # a guard says nothing of itself
        guard = [simple(substitute(g, made), outside) for g in guard]
    guard += [sp.Eq(e, 0) for e in waiting]
    return Solved(values, tuple(g for g in dict.fromkeys(guard) if g != True), tuple(left))  # noqa: E712


Step = tuple[int, dict[str, Any], list[Any], list[Any]]  # equation, values, guard, equations instead


def _step(e: Any, left: Sequence[Range], known: Known, n: int) -> Step | None:
    names = {a.name: (a, x) for a, x in left}
    inside = symbols_of([e])
    used = [u for u in names if u in inside]  # in their order: the same question has the same answer in every process
    if not used:
        return (n, {}, [sp.Eq(e, 0)], []) if e != 0 else (n, {}, [], [])
    coefficients = {u: e.coeff(names[u][0], 1) for u in used}
    rest = sp.expand(e - sum(c * names[u][0] for u, c in coefficients.items()))
    if symbols_of([rest, *coefficients.values()]) & set(names):
        return None
    for u, a in coefficients.items():  # a*u + r = v, with 0 <= r < a: u is a quotient
        for sign in (1, -1):
            if len(used) == 1 and abs(a) == 1:
                continue
            d = sp.expand(sign * a)
            r = sp.expand(sign * (e - a * names[u][0] - rest))
            if r == 0 and d == 1:
                continue
            v = sp.expand(-sign * rest)
            if _sign_unknown(d, known):
                continue
            low = sum(
                -c * (names[w][1] - 1)
                for w, c in ((w, sign * c) for w, c in coefficients.items() if w != u)
                if _falls(c)
            )
            r, v = (
                sp.expand(r + low),
                sp.expand(v + low),
            )  # an axis that runs down: what is left over begins at 0 all the same
            if r == 0:
                q = simple(FloorDiv(v, d), known)
                return n, {u: q}, [sp.Eq(sp.expand(v - d * q), 0), *between(q, names[u][1])], []
            if known.holds(sp.Ge(r, 0), BRIEF) and known.holds(sp.Lt(r, d), BRIEF):
                q = simple(FloorDiv(v, d), known)
                return n, {u: q}, between(q, names[u][1]), [sp.expand(r - v + d * q)]
    for u, a in coefficients.items():
        if abs(a) == 1:
            value = sp.expand(-(e - a * names[u][0]) / a)
            return n, {u: value}, between(value, names[u][1]), []
    return None


def _falls(c: Any) -> bool:
    """Whether a coefficient looks negative; a hint for the order of tries only."""
    return bool(c.is_negative or (c.is_negative is None and c.could_extract_minus_sign()))


def _sign_unknown(d: Any, known: Known) -> bool:
    if d.is_Integer:
        return bool(d <= 0)
    return not known.holds(sp.Ge(d, 1), BRIEF)
