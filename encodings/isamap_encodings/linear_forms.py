"""Index expressions as sums of numbered monomials, and sums of constraints `form >= 0`.

Integers that meet constraints meet every sum of them, each taken a nonnegative number of times. If a number divides the
coefficients of a sum, they meet its quotient, rounded down. `combined` does just this; no verdict of
isamap_encodings.linear rests on more.

Monomials are known only through constraints. An expression outside polynomials is a number of its own, with its
facts: a quotient by a positive number (b*q <= a < b*q + b), the least or greatest of two, an index inside of its
dimension (0 <= e < extent), one of two, an element of a tensor.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import gcd
from typing import Any

_LONGEST = 12  # monomials of a product

Atom = Any  # the name of a variable, or an Opaque
Monomial = tuple[Atom, ...]  # () is the number 1
Form = tuple[tuple[Monomial, int], ...]  # the sum of number * monomial


class NotLinear(Exception):
    """A term without a form, such as a quotient by a possible 0."""


@dataclass(frozen=True, eq=False)
class Opaque:
    """A number that is no polynomial. facts: forms at least 0, whatever it is made of; choices: it is one of these."""

    text: str
    facts: list[Form]
    choices: tuple[Form, ...] = ()


def form_of(e: Any) -> Form:
    """An index expression (SymPy's, or an integer) as a form. Raises NotLinear."""
    found = _form_or_none(e)
    if found is None:
        raise NotLinear(e)
    return found


@lru_cache(maxsize=50_000)
def _form_or_none(e: Any) -> Form | None:
    try:
        return _form_of(e)
    except NotLinear:
        return None


def _form_of(e: Any) -> Form:
    if isinstance(e, int) or e.is_Integer:
        return number(int(e))
    if e.is_Symbol:
        return alone(e.name)
    match type(e).__name__:
        case "Add":
            return added(*((1, form_of(a)) for a in e.args))
        case "Mul":
            return _product(map(form_of, e.args))
        case "Pow" if e.args[1].is_Integer and e.args[1] > 0:
            return _product([form_of(e.args[0])] * int(e.args[1]))
        case "FloorDiv":
            return _quotient(form_of(e.args[0]), _positive(e.args[1]))
        case "FloorMod":
            divided, by = form_of(e.args[0]), _positive(e.args[1])
            return added((1, divided), (-by, _quotient(divided, by)))
        case "IMin" | "IMax" as head:
            a, b = map(form_of, e.args)
            return _chosen(a, b, 1 if head == "IMin" else -1)
        case "Inside":
            return _inside(form_of(e.args[0]), _positive(e.args[1]))
        case "ISelect":
            return _selected(*map(form_of, e.args))
        case "Element":
            name, *index = e.args
            return _element(str(name), tuple(map(form_of, index)))
    raise NotLinear(e)


def _positive(e: Any) -> int:
    if not (e.is_Integer and e > 0):
        raise NotLinear(f"{e} may be 0")
    return int(e)


def number(n: int) -> Form:
    """The form of a number."""
    return (((), n),) if n else ()


def alone(a: Atom) -> Form:
    """The form of a variable, or of an Opaque."""
    return (((a,), 1),)


def added(*parts: tuple[int, Form]) -> Form:
    """The sum of numbers times forms."""
    table: dict[Monomial, int] = {}
    for times, form in parts:
        for m, c in form:
            table[m] = table.get(m, 0) + times * c
    return _in_order(table)


def _in_order(table: Mapping[Monomial, int]) -> Form:
    return tuple(sorted((x for x in table.items() if x[1]), key=_place))


def _place(x: tuple[Monomial, int]) -> list[str]:
    return [*map(_text, x[0])]


def _text(a: Atom) -> str:
    return a if isinstance(a, str) else str(a.text)


def _product(factors: Iterable[Form]) -> Form:
    made = number(1)
    for f in factors:
        if len(made) * len(f) > _LONGEST:
            raise NotLinear("a long product")
        table: dict[Monomial, int] = {}
        for m, c in made:
            for n, d in f:
                both = tuple(sorted((*m, *n), key=_text))
                table[both] = table.get(both, 0) + c * d
        made = _in_order(table)
    return made


def _quotient(a: Form, b: int) -> Form:
    """a // b, with multiples of b taken out of a."""
    whole = tuple((m, c // b) for m, c in a if c // b)
    rest = added((1, a), (-b, whole))
    if all(m == () for m, _ in rest):
        return whole  # the rest is a number from 0 to b - 1
    return added((1, whole), (1, _divided(rest, b)))


@lru_cache(maxsize=10_000)
def _divided(a: Form, b: int) -> Form:
    q = Opaque(f"({_shown(a)})//{b}", [])
    rest = added((1, a), (-b, alone(q)))
    q.facts.extend((rest, added((1, number(b - 1)), (-1, rest))))
    return alone(q)


@lru_cache(maxsize=10_000)
def _chosen(a: Form, b: Form, sign: int) -> Form:
    """The least of both if sign is 1, the greatest if it is -1."""
    m = Opaque(f"{'least' if sign == 1 else 'most'}({_shown(a)}, {_shown(b)})", [], (a, b))
    m.facts.extend(added((sign, x), (-sign, alone(m))) for x in (a, b))
    return alone(m)


@lru_cache(maxsize=10_000)
def _inside(a: Form, extent: int) -> Form:
    """a if it is at least 0 and below the extent, else 0."""
    e = Opaque(f"inside({_shown(a)}, {extent})", [], (a, number(0)))
    e.facts.extend((alone(e), added((1, number(extent - 1)), (-1, alone(e)))))
    return alone(e)


@lru_cache(maxsize=10_000)
def _selected(a: Form, b: Form, x: Form, y: Form) -> Form:
    """x if a < b, else y."""
    return alone(Opaque(f"select({'; '.join(map(_shown, (a, b, x, y)))})", [], (x, y)))


@lru_cache(maxsize=10_000)
def _element(name: str, index: tuple[Form, ...]) -> Form:
    return alone(Opaque(f"{name}[{'; '.join(map(_shown, index))}]", []))


def _shown(a: Form) -> str:
    return " + ".join(f"{c}*{'*'.join(map(_text, m))}" for m, c in a)


@dataclass(frozen=True, eq=False)
class Constraint:
    """The sum of number * monomial, and the constant, is at least 0. No number but 1 divides all coefficients."""

    terms: Mapping[Monomial, int]
    constant: int

    @cached_property
    def sum(self) -> frozenset[tuple[Monomial, int]]:
        """The terms."""
        return frozenset(self.terms.items())

    @cached_property
    def denied(self) -> frozenset[tuple[Monomial, int]]:
        """The terms with the other sign."""
        return frozenset((m, -c) for m, c in self.terms.items())


@lru_cache(maxsize=50_000)
def constraint(form: Form) -> Constraint:
    """form >= 0, over integers.

    >>> import sympy as sp
    >>> constraint(form_of(4 * sp.Symbol("x") - 7))  # 4*x >= 7, so x >= 2
    Constraint(terms={('x',): 1}, constant=-2)
    """
    return _rounded({m: c for m, c in form if m}, sum(c for m, c in form if not m))


def combined(taken: Iterable[tuple[int, Constraint]]) -> Constraint:
    """The sum of constraints, each taken so many times. Raises ValueError for a negative number of times.

    >>> import sympy as sp
    >>> x, y = sp.symbols("x y")
    >>> combined([(1, constraint(form_of(2 * x - y))), (1, constraint(form_of(y - 1)))])  # 2*x >= y >= 1, so x >= 1
    Constraint(terms={('x',): 1}, constant=-1)
    """
    total: dict[Monomial, int] = {}
    constant = 0
    for times, c in taken:
        if times < 0:
            raise ValueError(f"a constraint is taken {times} times")
        constant += times * c.constant
        for m, k in c.terms.items():
            total[m] = total.get(m, 0) + times * k
    return _rounded({m: k for m, k in total.items() if k}, constant)


def _rounded(terms: dict[Monomial, int], constant: int) -> Constraint:
    by = gcd(*terms.values())
    return Constraint({m: c // by for m, c in terms.items()}, constant // by) if by > 1 else Constraint(terms, constant)


def impossible(c: Constraint) -> bool:
    """Whether it says: a negative number is at least 0."""
    return not c.terms and c.constant < 0
