"""All forms of a value by proved rules, and a chain of rules from one value to another.

A value's parts become terms of an e-graph, each with its element type; below a saturation integers are exact, and the
type is 'exact'. A rule applies to terms of a type if it is proved in this type's arithmetic. If floating point may be
rounded otherwise (`reals`), a proof over the reals is enough.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import sympy as sp

from isamap_encodings.egraph import EGraph, Name, TooMany, Way
from isamap_encodings.verdict import Proved
from isamap_smt.ir import scalar, typed
from isamap_smt.ir.convert import constant
from isamap_smt.ir.dtypes import DTYPES, DType
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.rules import Rule
from isamap_smt.ir.scalar import Compare, Constant, IndexValue, Read, Scalar, Select, SNeg, Sum
from isamap_smt.ir.typed import of_type, operands, own_type, type_of
from isamap_smt.mapping.rule_verdicts import (
    REALS,
    SATURATING,
    element_types,
    heads_of,
    keeps_error_of,
    keeps_range_of,
    met,
    sides,
    verdict,
)

EXACT = typed.EXACT.name  # the type of what stands below a saturation
TERMS, ROUNDS, CHAIN = 700, 4, 200
COMMUTE = tuple(head.__name__ for head in (scalar.SAdd, scalar.SMul, scalar.SMax, scalar.SMin))
Types = Mapping[str, DType]


def proved_in(rule: Rule, kind: str, reals: bool, turned: bool) -> str | None:
    """An arithmetic with a proof of the rule, in which it applies to values of this type; None if there is none.

    turned: from right to left. reals: floating point may be rounded otherwise; then the error must not grow either.
    """
    floats = kind != EXACT and DTYPES[kind].is_float
    if reals and floats and isinstance(keeps_error_of(rule, turned), Proved) and _holds(rule, REALS):
        return REALS
    machine = SATURATING if kind == EXACT else kind
    return machine if _holds(rule, machine) else None


def may_leave_range(rule: Rule, kind: str) -> bool:
    """Whether intermediate values of the rule's new side may leave this floating-point type's range although the old
    side's do not. Never for a rule with the same bits on both sides."""
    if _holds(rule, kind):
        return False
    ways = [t for t in (False, True) if isinstance(keeps_error_of(rule, t), Proved)]
    return not all(isinstance(keeps_range_of(rule, t), Proved) for t in ways)


def conditions_met(rule: Rule, literals: Mapping[str, tuple[Any, str]], arithmetic: str) -> bool:
    """Whether numbers meet the rule's conditions in this arithmetic. literals: name -> (literal, its type)."""
    machine = DTYPES.get(arithmetic)
    values = {n: literal_value(e, kind, machine is None) for n, (e, kind) in literals.items()}
    return met(rule, values, machine)


def _holds(rule: Rule, arithmetic: str) -> bool:
    return element_types(rule, arithmetic) is not None and isinstance(verdict(rule, arithmetic), Proved)


class Equalities:
    """A value's forms by the rules: its parts as classes of equal trees. types: of the elements, by their tensor's name."""

    def __init__(
        self, value: Any, types: Types, out: DType, rules: Sequence[Rule], reals: bool, limit: int = TERMS
    ) -> None:
        self.types, self.out, self.rules = dict(types), out, rules
        self.reals = reals and not value.has(Constant)  # which no real number is
        self.graph = EGraph(10**9, lambda op: op[0] in COMMUTE)
        self.root = self.term(value)
        self.graph.limit = len(self.graph.terms) + limit
        self._trees: dict[int, Any] = {}
        self._verdicts: dict[tuple[Rule, str, bool], str | None] = {}

    def saturate(self, rounds: int = ROUNDS) -> None:
        """Use the rules, wherever they are proved."""
        kinds = sorted({str(op[1]) for op, _ in self.graph.terms})  # type: ignore[index]
        self.graph.saturate(partial(self._matching, kinds), rounds)
        self.graph.limit = 10**9

    def _matching(self, kinds: Sequence[str]) -> list[Way]:
        """The ways whose old side may stand in the graph as it is: the texts of all others need not be read."""
        heads = {op[0] for op, _ in self.graph.terms}  # type: ignore[index]
        found = []
        for rule in self.rules:
            turns = [turned for turned in (False, True) if heads_of(rule.right if turned else rule.left) <= heads]
            found += [way for kind in kinds for way in self._ways(rule, kind, turns)]
        return found

    # ---- trees and terms

    def term(self, tree: Any) -> int:
        """The term of a tree of the whole value's type."""
        return self._term(tree, self.out.name)

    def _term(self, tree: Any, want: str) -> int:
        """want: the type of a literal here; 'exact' below a saturation."""
        if isinstance(tree, Read) or getattr(tree, "is_Symbol", False):
            return self.graph.add(("read", self._own(tree), tree))
        if isinstance(tree, sp.Integer | sp.Float):
            return self.graph.add(("number", want, tree))
        op, parts = operation(tree, want, self.types)
        return self.graph.add(op, tuple(self._term(t, w) for t, w in parts))

    def _own(self, leaf: Any) -> str:
        found = type_of(leaf, dict(self.types)) if isinstance(leaf, Read) else self.types[leaf.name]
        assert found is not None
        return found.name

    def tree(self, term: int) -> Any:
        """The term's tree."""
        if term not in self._trees:
            op, args = self.graph.terms[term]
            trees = [self.tree(a) for a in args]
            if op[0] == "Saturate" or (op[1] == EXACT and args):  # type: ignore[index]
                kinds = [DTYPES.get(self.kind(a)) for a in args]
                trees = [t if d is None else of_type(t, d) for t, d in zip(trees, kinds, strict=True)]
            self._trees[term] = _joined(op, trees)
        return self._trees[term]

    def kind(self, term: int) -> str:
        """The element type of a term, or 'exact'."""
        return str(self.graph.terms[term][0][1])  # type: ignore[index]

    def literal(self, term: int) -> Any:
        """The literal in the class; None if there is none."""
        return next((op[2] for op in self.graph.operations(term) if op[0] == "number"), None)  # type: ignore[index]

    # ---- rules

    def _ways(self, rule: Rule, kind: str, turns: Sequence[bool]) -> Iterator[Way]:
        """turns: from left to right (False), and from right to left."""
        found = _patterns(rule, kind) if turns else None
        if found is None:
            return
        left, right, names = found
        for turned in turns:
            a, b = (right, left) if turned else (left, right)
            if not isinstance(a, Name):
                yield Way(rule, a, b, partial(self._allowed, rule, kind, names, b, turned))

    def _proved(self, rule: Rule, kind: str, turned: bool) -> str | None:
        asked = rule, kind, turned
        if asked not in self._verdicts:
            self._verdicts[asked] = proved_in(rule, kind, self.reals, turned)
        return self._verdicts[asked]

    def _allowed(
        self, rule: Rule, kind: str, names: Mapping[str, str], right: Any, turned: bool, at: Mapping[str, int]
    ) -> dict[str, int] | None:
        """The terms for the rule's names, with the numbers implied by others; None if it may not be used."""
        found = dict(at)
        written = {n: Fraction(n[1:]) for n in names if n.startswith("#")}
        for n, t in found.items():
            if self.kind(t) != names[n] and not (names[n] == EXACT and self.kind(t) in DTYPES):
                return None
        literals = {n: self.literal(t) for n, t in found.items()}
        if any(n in found and (literals[n] is None or _exactly(literals[n]) != v) for n, v in written.items()):
            return None
        if any(literals.get(n) is not None for n in _negated(right)):
            return None  # a number has its sign itself
        if any(n in found and literals[n] is None for n in rule.numbers):
            return None
        numbers = {n: _exactly(literals[n]) for n in found if n in rule.numbers}
        arithmetic = self._proved(rule, kind, turned) if _complete(rule, numbers) else None
        if arithmetic is None:
            return None
        for n in names:
            if n not in found:
                literals[n] = _number(written[n] if n in written else numbers[n], names[n])
                if literals[n] is None:
                    return None
        if not conditions_met(rule, {n: (literals[n], names[n]) for n in rule.numbers}, arithmetic):
            return None
        return {n: found[n] if n in found else self.graph.add(("number", names[n], literals[n])) for n in names}


def operation(tree: Any, want: str, types: dict[str, DType]) -> tuple[Any, list[tuple[Any, str]]]:
    """An operation, and its operands with the types of literals among them."""
    if type(tree) in (Sum, IndexValue, Compare) or not isinstance(tree, Scalar):
        raise IsamapError(f"{type(tree).__name__} is not rewritten")
    own = own_type(tree, typed.EXACT if want == EXACT else DTYPES[want], types)
    parts = [(a, kind.name) for a, kind in operands(tree, own, types)]
    head = type(tree).__name__, own.name
    return ((*head, str(tree.args[0].args[0]), parts[0][1]) if isinstance(tree, Select) else head), parts


def _joined(op: Any, args: list[Any]) -> Any:
    """The tree of an operation on trees."""
    match op[0]:
        case "read" | "number":
            return op[2]
        case "Cast" | "Round" | "Saturate":
            return getattr(scalar, op[0])(sp.Symbol(op[1]), *args)
        case "Select":
            return Select(Compare(sp.Symbol(op[2]), *args[:2]), *args[2:])
    return getattr(scalar, op[0])(*args)


def _exactly(literal: Any) -> Fraction:
    return Fraction(*map(int, sp.Rational(literal).as_numer_denom()))


def literal_value(literal: Any, kind: str, written: bool) -> Fraction:
    """The number of a literal: as it is written, or as its type holds it."""
    exact = _exactly(literal)
    if written or kind == EXACT or not DTYPES[kind].is_float:
        return exact
    held = float(constant(literal, DTYPES[kind]))
    return Fraction(held) if abs(held) != float("inf") else exact


def _number(value: Fraction, kind: str) -> Any:
    """A literal written exactly like this; None if the type has none."""
    if kind == EXACT or not DTYPES[kind].is_float:
        d = DTYPES.get(kind)
        fits = value.denominator == 1 and (d is None or d.low <= value <= d.high)
        return sp.Integer(value.numerator) if fits else None
    made = sp.Integer(value.numerator) if value.denominator == 1 else sp.Float(float(value))
    return made if _exactly(made) == value else None


def _complete(rule: Rule, numbers: dict[str, Fraction]) -> bool:
    """Adds the numbers implied by known ones. Returns whether all are known then."""
    for c in rule.given:
        if c[0] in ("twice", "minus"):
            by = 2 if c[0] == "twice" else -1
            if c[1] in numbers:
                numbers.setdefault(c[2], numbers[c[1]] / by)
            elif c[2] in numbers:
                numbers[c[1]] = numbers[c[2]] * by
    return all(n in numbers for n in rule.numbers)


def _negated(pattern: Any) -> list[str]:
    """Names directly below a minus sign: a number there would be another number."""
    if isinstance(pattern, Name):
        return []
    op, parts = pattern
    own = [p.name for p in parts if isinstance(p, Name)] if op[0] == SNeg.__name__ else []
    return [*own, *(n for p in parts for n in _negated(p))]


@lru_cache(maxsize=2048)
def _patterns(rule: Rule, kind: str) -> tuple[Any, Any, dict[str, str]] | None:
    """Both sides over terms of one type, and the type of each name; names of literals start with '#'."""
    arithmetic = SATURATING if kind == EXACT else kind
    known = element_types(rule, arithmetic)
    if known is None:
        return None
    types, _ = known
    if kind == EXACT:
        if rule.types:
            return None
        own = dict.fromkeys(types, EXACT)
    else:
        own = {n: d.name for n, d in types.items()}
    names: dict[str, str] = {}

    def pattern(tree: Any, want: str) -> Any:
        if isinstance(tree, Read):
            names[tree.tensor] = own[tree.tensor]
            return Name(tree.tensor)
        if isinstance(tree, sp.Integer | sp.Float):
            name = f"#{literal_value(tree, want, True)}"
            names[name] = want
            return Name(name)
        op, parts = operation(tree, want, types)
        return op, tuple(pattern(t, w) for t, w in parts)

    s = sides(rule)
    return pattern(s.left, kind), pattern(s.right, kind), names


class Forms:
    """The parts of a value, each as one tree, and all trees equal to a part, made of parts; the oldest comes first."""

    def __init__(self, found: Equalities) -> None:
        self.found = found
        graph = found.graph
        self._names: dict[int, Any] = {}
        self.of: dict[Any, tuple[Any, ...]] = {}
        self.exact: set[Any] = set()  # what has no type of its own, below a saturation
        for t in graph.classes():
            tree = self._name(t)
            number = not any(True for _ in scalar.reads(tree))
            if tree in self.of and not number:  # as one of a type, and as an exact integer
                raise IsamapError(f"{tree} stands below a saturation and elsewhere, too")
            self.of[tree] = (tree,) if number else tuple(dict.fromkeys(self._form(m) for m in graph.members(t)))
            if found.kind(t) == EXACT and not number:
                self.exact.add(tree)

    @property
    def root(self) -> Any:
        """The whole value."""
        return self._name(self.found.root)

    def _name(self, term: int) -> Any:
        """The tree that stands for a class: a number if it has one, else its oldest."""
        leader = self.found.graph.find(term)
        if leader not in self._names:
            trees = [self.found.tree(m) for m in self.found.graph.members(leader)]
            self._names[leader] = next((t for t in trees if not any(True for _ in scalar.reads(t))), trees[0])
        return self._names[leader]

    def _form(self, term: int) -> Any:
        op, args = self.found.graph.terms[term]
        return _joined(op, [self._name(a) for a in args])

    def rules(self, tree: Any) -> tuple[Rule, ...]:
        """The rules by which the value equals this tree of its parts' forms; in the order of the table."""
        graph = self.found.graph
        made = self.found.term(tree)
        graph.rebuild()
        if graph.find(made) != graph.find(self.found.root):
            raise IsamapError(f"internal error: {tree} is none of the value's forms")
        try:
            used = {link.rule for link in graph.chain(self.found.root, made, CHAIN)} - {None}
        except TooMany:
            raise IsamapError(f"more than {CHAIN} uses of rules make {tree}") from None
        return tuple(r for r in self.found.rules if r in used)


__all__ = [
    "CHAIN", "EXACT", "Equalities", "Forms", "TooMany", "conditions_met", "may_leave_range", "operation", "proved_in",
]  # fmt: skip
