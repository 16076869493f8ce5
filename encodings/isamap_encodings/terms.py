"""SymPy to Z3, by one table of rules. Quotients and remainders are fresh variables with their defining constraints.

A formula is a SymPy relation, a truth value, or a tuple: ("and", *fs), ("or", *fs), ("not", f), ("implies", f, g),
("iff", f, g), ("eq", a, b), ("ne", a, b), ("le", a, b), ("lt", a, b), ("bool", name). Index functions (FloorDiv,
FloorMod, IMin, IMax, ISelect, Inside, Element) are recognised by the names of their classes, so that this package knows nothing
of its users.

With `products` given, a product of variables is one fresh variable per monomial (after expansion). Every fact that holds
for the products then holds for the variables, so a claim proved this way is proved; a counterexample need not be one.
`products` names the variables known to be >= 0: a monomial of those is >= 0.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache, partial, reduce
from typing import Any

import sympy as sp
import z3


@dataclass(frozen=True)
class Translation:
    """A formula in Z3, with the facts about its fresh variables, the terms that must be positive, and the variables it names."""

    formula: Any
    definitions: tuple[Any, ...]
    divisors: tuple[Any, ...]
    names: frozenset[str]


@lru_cache(maxsize=20_000)
def translate(f: Any, products: frozenset[str] | None) -> Translation:
    """The translation of one formula; the same formula is translated once per process."""
    terms = Terms(products)
    formula = terms.formula(f)
    return Translation(formula, tuple(terms.definitions), tuple(terms.divisors), frozenset(terms.variables))


ELEMENT = "at!"  # before a tensor's name: the function of the place that its elements are


def element_name(tensor: str, place: Iterable[Any]) -> str:
    """A witness' name for an element; of `...`, for those at all places without one of their own."""
    return f"{tensor}[{','.join(map(str, place))}]"


class NotExpressible(Exception):
    """An expression not covered by the rules; the verdict is then Unknown."""


class Terms:
    """One translation. `definitions` hold for the fresh variables; `divisors` must be positive for them to exist."""

    def __init__(self, products: Collection[str] | None = None) -> None:
        self.variables: dict[str, Any] = {}
        self.definitions: list[Any] = []
        self.divisors: list[Any] = []
        self._products = products
        self._divisions: dict[Any, tuple[Any, Any]] = {}
        self._monomials: dict[Any, Any] = {}

    def variable(self, name: str) -> Any:
        """The integer variable with this name."""
        if name not in self.variables:
            self.variables[name] = _variable(name)
        return self.variables[name]

    def term(self, e: Any) -> Any:
        """The Z3 integer of an index expression."""
        if isinstance(e, int):
            return _number(e)
        if self._products is not None:
            return self._term(e if e.is_Atom else sp.expand(e))
        return self._kept(_polynomial(e)) if _is_polynomial(e) else self._term(e)

    def _kept(self, found: tuple[Any, dict[str, Any]]) -> Any:
        """An earlier translation; its variables are now this translation's, too."""
        term, variables = found
        self.variables |= variables
        return term

    def _term(self, e: Any) -> Any:
        if e.is_Integer:
            return _number(int(e))
        if e.is_Symbol:
            return self.variable(e.name)
        rule = RULES.get(type(e).__name__)
        if rule is None:
            raise NotExpressible(f"{type(e).__name__} in {e}")
        return rule(self, e)

    def formula(self, f: Any) -> Any:
        """The Z3 truth value of a formula."""
        if isinstance(f, tuple):
            return self._connective(f)
        if f is True or f is sp.true:
            return z3.BoolVal(True)
        if f is False or f is sp.false:
            return z3.BoolVal(False)
        relation = RELATIONS.get(type(f).__name__)
        if relation is None:
            raise NotExpressible(f"{type(f).__name__} in {f}")
        return self._compared(relation, *f.args)

    def _compared(self, relation: str, a: Any, b: Any) -> Any:
        """The comparison of two index expressions."""
        if self._products is None and _is_polynomial(a) and _is_polynomial(b):
            return self._kept(_comparison(relation, a, b))
        return COMPARISONS[relation](self.term(a), self.term(b))

    def _connective(self, f: tuple[Any, ...]) -> Any:
        head, *args = f
        match head:
            case "and":
                return z3.And([self.formula(a) for a in args])
            case "or":
                return z3.Or([self.formula(a) for a in args])
            case "not":
                return z3.Not(self.formula(args[0]))
            case "implies":
                return z3.Implies(self.formula(args[0]), self.formula(args[1]))
            case "iff":
                return self.formula(args[0]) == self.formula(args[1])
            case "bool":
                return z3.Bool(args[0])
        return self._compared(head, *args)

    def division(self, a: Any, b: Any) -> tuple[Any, Any]:
        """Fresh q, r with a = b*q + r and 0 <= r < b; b > 0 becomes an obligation unless b is a positive number."""
        key = (a, b)
        if key not in self._divisions:
            # Named by what they stand for, so that translations made apart speak of the same variables.
            q, r = z3.Int(f"q!({_shown(a)})//({_shown(b)})"), z3.Int(f"r!({_shown(a)})%({_shown(b)})")
            divisor = self.term(b)
            self.definitions += [self.term(a) == divisor * q + r, r >= 0, r < divisor]
            if not (b.is_Integer and b > 0):
                self.divisors.append(divisor > 0)
            self._divisions[key] = (q, r)
        return self._divisions[key]

    def element(self, e: Any) -> Any:
        """An uninterpreted function of the place."""
        name, *index = e.args
        places = [self.term(i) for i in index]
        return z3.Function(f"{ELEMENT}{name}", *[z3.IntSort()] * (len(places) + 1))(*places)

    def monomial(self, e: Any) -> Any:
        """The fresh variable of a product of variables, or the product itself if products are kept exact."""
        factors = sp.Mul.make_args(e)
        if self._products is None or not all(f.is_Symbol or (f.is_Pow and f.base.is_Symbol) for f in factors):
            return reduce(operator.mul, map(self._term, factors))
        if e not in self._monomials:
            m = z3.Int(f"m!{e}")
            if all(s.name in self._products for s in e.free_symbols):
                self.definitions.append(m >= 0)
            self._monomials[e] = m
        return self._monomials[e]


@lru_cache(maxsize=10_000)
def _variable(name: str) -> Any:
    return z3.Int(name)


@lru_cache(maxsize=10_000)
def _number(value: int) -> Any:
    return z3.IntVal(value)


@lru_cache(maxsize=100_000)
def _is_polynomial(e: Any) -> bool:
    """Whether its translation has no fresh variables: it is made of numbers, variables, sums, products and powers alone."""
    if isinstance(e, int) or e.is_Integer or e.is_Symbol:
        return True
    return type(e).__name__ in ("Add", "Mul", "Pow") and all(map(_is_polynomial, e.args))


@lru_cache(maxsize=100_000)
def _polynomial(e: Any) -> tuple[Any, dict[str, Any]]:
    """The term of a polynomial and its variables: formulas of one program share most of theirs."""
    terms = Terms()
    return terms._term(e), terms.variables


@lru_cache(maxsize=100_000)
def _comparison(relation: str, a: Any, b: Any) -> tuple[Any, dict[str, Any]]:
    """The comparison of two polynomials, and their variables."""
    terms = Terms()
    return COMPARISONS[relation](terms.term(a), terms.term(b)), terms.variables


@lru_cache(maxsize=20_000)
def _shown(e: Any) -> str:
    """SymPy's text of an expression; slower than all the rest of a translation."""
    return str(e)


def _mul(t: Terms, e: Any) -> Any:
    number, rest = e.as_coeff_Mul()
    if not number.is_Integer:
        raise NotExpressible(f"the fraction {number} in {e}")
    rest_term = t.monomial(rest) if rest.is_Mul else t._term(rest)
    return rest_term if number == 1 else int(number) * rest_term


def _pow(t: Terms, e: Any) -> Any:
    base, exponent = e.args
    if not (exponent.is_Integer and exponent > 0):
        raise NotExpressible(f"the power {e}")
    if t._products is not None and base.is_Symbol:
        return t.monomial(e)
    return reduce(operator.mul, [t._term(base)] * int(exponent))


def _first_if(holds: Callable[[Any, Any], Any], t: Terms, e: Any) -> Any:
    """The first argument if it stands so to the second, else the second."""
    a, b = map(t.term, e.args)
    return z3.If(holds(a, b), a, b)


def _inside(t: Terms, e: Any) -> Any:
    a, b = map(t.term, e.args)
    return z3.If(z3.And(a >= 0, a < b), a, 0)


def _selected(t: Terms, e: Any) -> Any:
    a, b, x, y = map(t.term, e.args)
    return z3.If(a < b, x, y)


# What every head of an index expression is in Z3, and of Python's integers.
RULES: dict[str, Callable[[Terms, Any], Any]] = {
    "Add": lambda t, e: z3.Sum([t._term(a) for a in e.args]),
    "Mul": _mul,
    "Pow": _pow,
    "FloorDiv": lambda t, e: t.division(*e.args)[0],
    "FloorMod": lambda t, e: t.division(*e.args)[1],
    "Element": lambda t, e: t.element(e),
    "IMin": partial(_first_if, operator.le),
    "IMax": partial(_first_if, operator.ge),
    "Inside": _inside,
    "ISelect": _selected,
}
INTEGERS: dict[str, Callable[..., int]] = {
    "Add": operator.add, "Mul": operator.mul, "Pow": operator.pow, "FloorDiv": operator.floordiv, "FloorMod": operator.mod,
    "IMin": min, "IMax": max, "Inside": lambda a, b: a if 0 <= a < b else 0, "ISelect": lambda a, b, x, y: x if a < b else y,
}  # fmt: skip
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "eq": operator.eq, "ne": operator.ne, "le": operator.le, "lt": operator.lt, "ge": operator.ge, "gt": operator.gt,
}  # fmt: skip
RELATIONS = {
    "StrictLessThan": "lt", "LessThan": "le", "StrictGreaterThan": "gt", "GreaterThan": "ge", "Equality": "eq",
    "Unequality": "ne",
}  # fmt: skip
