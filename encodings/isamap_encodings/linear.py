"""Implications between linear constraints, decided without a solver if a sum of constraints says `-1 >= 0`.

The claim is denied and added to the assumptions. If some of these constraints, each taken a nonnegative number of
times, add up to a negative number said to be at least 0, no integers satisfy them all (Farkas). A simplex looks for the
numbers, and the sum is made anew (isamap_encodings.linear_forms). Disjunctions are taken apart, each case with the
earlier ones denied.

Only a yes is an answer. A solver is asked about the rest: claims true of integers alone, claims with more than MOST
cases, and all questions with a divisor other than a positive number, since it may be 0. It is asked about everything
while the text of questions is recorded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import sympy as sp

from isamap_encodings.linear_forms import (
    Constraint,
    Form,
    Monomial,
    NotLinear,
    Opaque,
    added,
    alone,
    combined,
    constraint,
    form_of,
    impossible,
    number,
)
from isamap_encodings.simplex import Tableau
from isamap_encodings.terms import RELATIONS

MOST = 40  # cases of one question

Literal = tuple[Any, bool]  # a formula (isamap_encodings.terms), and whether it holds
Clause = tuple[Literal, ...]  # one of them is so
_LEAST = "is at least 0"  # head of a formula about a form
_DENIED = {"eq": "ne", "ne": "eq", "le": "gt", "lt": "ge", "ge": "lt", "gt": "le"}


def follows(assumptions: Sequence[Any], claim: Any) -> bool:
    """Whether the assumptions are seen to imply the claim, for all integers; False says nothing.

    >>> i, j = sp.symbols("i j")
    >>> inside = [("le", 0, i), ("lt", i, 4), ("le", 0, j), ("lt", j, 8)]
    >>> follows(inside, ("lt", 8 * i + j, 32)), follows(inside, ("lt", 8 * i + j, 31))
    (True, False)
    """
    return _seen(tuple(assumptions), claim)


@lru_cache(maxsize=20_000)
def _seen(assumptions: tuple[Any, ...], claim: Any) -> bool:
    question = _Question()
    try:
        denied = list(question.assume((claim, False)))
        clauses = [c for a in assumptions for c in question.assume((a, True))]
    except NotLinear:
        return False
    t = question.tableau
    if t.solve() and any(isinstance(m, Opaque) for m in question.met):
        t.narrow()
    return question.refuted([*denied, *clauses])


def somewhere(assumptions: Sequence[Any]) -> dict[str, int] | None:
    """Integers by name that may satisfy the assumptions; None if none are found. They may be wrong: put them in."""
    question = _Question()
    try:
        for a in assumptions:
            question.assume((a, True))
    except NotLinear:
        return None
    return question.tableau.values() if question.tableau.solve() else None


@dataclass(frozen=True)
class _Parts:
    """A formula holds exactly if all constraints and all clauses do."""

    constraints: tuple[Constraint, ...] = ()
    clauses: tuple[Clause, ...] = ()


@lru_cache(maxsize=50_000)
def _parts(literal: Literal) -> _Parts | None:
    """The parts of a formula; None if any part of it is not linear."""
    f, holds = literal
    try:
        if isinstance(f, tuple):
            return _of_tuple(f[0], f[1:], holds)
        if f is sp.true or f is sp.false or isinstance(f, bool):
            return _Parts() if bool(f) == holds else _Parts((constraint(number(-1)),))
        if type(f).__name__ in RELATIONS:
            return _compared(RELATIONS[type(f).__name__], f.args[0], f.args[1], holds)
    except NotLinear:
        pass
    return None


def _of_tuple(head: str, args: tuple[Any, ...], holds: bool) -> _Parts | None:
    match head:
        case "and" | "or":
            return _all_or_one(tuple((a, holds) for a in args), (head == "and") == holds)
        case "not":
            return _parts((args[0], not holds))
        case "implies":
            return _all_or_one(((args[0], not holds), (args[1], holds)), not holds)
        case "iff":
            a, b = args
            other = b if holds else ("not", b)
            return _all_or_one(((("and", a, other), True), (("and", ("not", a), ("not", other)), True)), False)
        case "is at least 0":
            form = args[0] if holds else added((-1, args[0]), (-1, number(1)))
            return _Parts((constraint(form),))
    return _compared(head, args[0], args[1], holds) if head in _DENIED else None


def _all_or_one(literals: Clause, every: bool) -> _Parts | None:
    found = [_parts(x) for x in literals]
    known = [p for p in found if p is not None]
    if len(known) < len(found):
        return None
    if every:
        return _Parts(tuple(c for p in known for c in p.constraints), tuple(c for p in known for c in p.clauses))
    return _Parts((), (literals,))


def _compared(relation: str, a: Any, b: Any, holds: bool) -> _Parts:
    x, y, one = form_of(a), form_of(b), number(1)
    below, above = added((1, y), (-1, x)), added((1, x), (-1, y))
    match relation if holds else _DENIED[relation]:
        case "le":
            return _Parts((constraint(below),))
        case "ge":
            return _Parts((constraint(above),))
        case "lt":
            return _Parts((constraint(added((1, below), (-1, one))),))
        case "gt":
            return _Parts((constraint(added((1, above), (-1, one))),))
        case "eq":
            return _Parts((constraint(below), constraint(above)))
    return _Parts((), (((("lt", a, b), True), (("gt", a, b), True)),))


@dataclass
class _Question:
    """Formulas meant to have no solution. met: monomials and opaque numbers whose facts were all added."""

    tableau: Tableau = field(default_factory=Tableau)
    met: set[Any] = field(default_factory=set)
    products: list[Monomial] = field(default_factory=list)
    cases: int = 0

    def assume(self, literal: Literal) -> list[Clause]:
        """Add it; returns the further clauses to satisfy. Raises NotLinear."""
        parts = _parts(literal)
        if parts is None:
            raise NotLinear(literal)
        clauses = list(parts.clauses)
        for c in parts.constraints:
            self._add(c, clauses)
        return clauses

    def _add(self, c: Constraint, clauses: list[Clause]) -> None:
        self.tableau.add(c)
        for m in c.terms:
            if m not in self.met:
                self.met.add(m)
                if len(m) > 1:
                    self.products.append(m)
                for a in m:
                    if isinstance(a, Opaque):
                        self._about(a, clauses)

    def _about(self, a: Opaque, clauses: list[Clause]) -> None:
        if a in self.met:
            return
        self.met.add(a)
        for fact in a.facts:
            self._add(constraint(fact), clauses)
        if a.choices:
            clauses.append(tuple((("and", *_same(alone(a), x)), True) for x in a.choices))

    def refuted(self, clauses: Sequence[Clause]) -> bool:
        """Whether no values satisfy the assumptions and the clauses."""
        t = self.tableau
        for m in self.products:
            if all((a,) in t.lower and t.lower[(a,)][0] >= 0 for a in m):
                t.add(constraint(((m, 1),)))  # a product of what is not negative
        if not t.conflict:
            self.cases += 1
            if self.cases > MOST:
                return False
            t.solve()
        if t.conflict:
            return impossible(combined(t.conflict))
        if not clauses:
            return False
        left, *others = clauses
        while left:
            again = tuple(x for x in left if not self._nowhere(x, others))
            if len(again) == len(left):
                return False
            left = again
        return True

    def _nowhere(self, literal: Literal, clauses: list[Clause]) -> bool:
        """Whether no values satisfy it, too; its negation is then assumed from here on."""
        before, met = self.tableau.bounds(), self.met.copy()
        found = self.refuted([*self.assume(literal), *clauses])
        self.tableau.back(before)
        self.met = met
        if found:
            clauses += self.assume((literal[0], not literal[1]))
        return found


def _same(a: Form, b: Form) -> list[Any]:
    return [(_LEAST, added((s, a), (-s, b))) for s in (1, -1)]
