"""Values as sums of products: a form of a kernel's results with sums free to regroup and products free to distribute.

A `Sum` is a tuple of terms. A term is a coefficient times factors, summed over its own axes, under its guard:

    1/N * X[i,n]^2 * G[i]     over n in [0, N), where n < i

A factor is an `Atom` to some power: an element of an input, or a function of sums other than their product or sum. The
names of bound axes are used once in a process, so a value put in for a free name never meets a bound axis with one of
its names. The exception is a value put into itself: `fresh` renames the axes of a copy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import count
from typing import Any

import sympy as sp

from isamap_smt.ir.expr import elements, substitute, sym, symbols_of
from isamap_smt.ir.kept import hashed_once

Range = tuple[Any, Any]  # the symbol of an axis, and its extent
Factor = tuple["Atom", Any]  # and its power, a rational number
_numbers = count()

ELEMENT, BASE, EXP = "element", "base", "exp"
FOLD = "fold"  # of a reduction that is no sum
TRUTHS = ("less", "equal")  # 1 where the argument is above 0, or is 0; else 0


@hashed_once
@dataclass(frozen=True)
class Term:
    """coefficient * product of the factors, summed over the axes, wherever every relation of the guard holds.

    The coefficient is an expression over sizes, parameters and axes.
    """

    coefficient: Any
    factors: tuple[Factor, ...] = ()
    axes: tuple[Range, ...] = ()
    guard: tuple[Any, ...] = ()

    @property
    def bound(self) -> frozenset[str]:
        """Names of the term's own axes."""
        return frozenset(a.name for a, _ in self.axes)


Sum = tuple[Term, ...]


@hashed_once
@dataclass(frozen=True)
class Atom:
    """A factor without its power; `head` tells its kind.

    head: ELEMENT of the tensor `name` at an index; BASE, a sum as a value, for powers not written out; EXP of a term;
    FOLD by the operator `name` over guarded axes, in the order of the index if the order counts; else a function.

    kind: the type in which the function computes, if the type matters; '' over the reals. moduli: for each argument,
    the integer type in which it counts, so sums equal modulo 2^bits are the same; '' or none without such a type.
    """

    head: str
    name: str = ""
    index: tuple[Any, ...] = ()
    args: tuple[Sum, ...] = ()
    axes: tuple[Range, ...] = ()
    guard: tuple[Any, ...] = ()
    kind: str = ""
    moduli: tuple[str, ...] = ()


ZERO: Sum = ()
ONE: Sum = (Term(sp.S.One),)


def number(value: Any) -> Sum:
    """A number, or an expression over sizes and axes."""
    value = sp.sympify(value)
    return () if value == 0 else (Term(value),)


def of_atom(atom: Atom, power: Any = sp.S.One) -> Sum:
    """An atom, to some power."""
    return (Term(sp.S.One, ((atom, sp.sympify(power)),)),)


def fresh_axis(name: str) -> Any:
    """A bound axis with an unused name."""
    return sym(f"{name.split('#', maxsplit=1)[0]}#{next(_numbers)}")


# ---- Names


def put(value: Sum, table: Mapping[str, Any]) -> Sum:
    """Free symbols replaced by name."""
    return tuple(put_term(t, table) for t in value) if table else value


def put_term(t: Term, table: Mapping[str, Any]) -> Term:
    """The same in a term."""
    if not table:
        return t
    return Term(
        _of(t.coefficient, table),
        tuple((put_atom(a, table), p) for a, p in t.factors),
        tuple((a, _of(e, table)) for a, e in t.axes),
        tuple(_of(g, table) for g in t.guard),
    )


def put_atom(a: Atom, table: Mapping[str, Any]) -> Atom:
    """The same in an atom."""
    return replace(
        a,
        index=tuple(_of(i, table) for i in a.index),
        args=tuple(put(s, table) for s in a.args),
        axes=tuple((x, _of(e, table)) for x, e in a.axes),
        guard=tuple(_of(g, table) for g in a.guard),
    )


def _of(e: Any, table: Mapping[str, Any]) -> Any:
    return substitute(e, table)


def fresh(t: Term) -> Term:
    """The term, its axes under new names."""
    table = {a.name: fresh_axis(a.name) for a, _ in t.axes}
    made = put_term(replace(t, axes=()), table)
    return replace(made, axes=tuple((table[a.name], e) for a, e in t.axes))


def free_names(value: Sum | Term | Atom) -> frozenset[str]:
    """Free names of a value; its bound names are left out."""
    if isinstance(value, Term):
        return _free_in_term(value)
    if isinstance(value, Atom):
        return _free_in_atom(value)
    return frozenset(n for t in value for n in _free_in_term(t))


@lru_cache(maxsize=100_000)
def _free_in_term(t: Term) -> frozenset[str]:
    own = symbols_of([t.coefficient, *t.guard, *(e for _, e in t.axes)])
    return frozenset(own.union(*(_free_in_atom(a) for a, _ in t.factors)) - t.bound)


@lru_cache(maxsize=100_000)
def _free_in_atom(a: Atom) -> frozenset[str]:
    own = frozenset(symbols_of([*a.index, *a.guard, *(e for _, e in a.axes)]))
    return own.union(*map(free_names, a.args)) - {x.name for x, _ in a.axes}


@lru_cache(maxsize=100_000)
def key(a: Atom) -> str:
    """The atom as text, whatever its bound axes are called: equal texts are equal values."""
    return _Text({}).atom(a)


def key_of(value: Sum) -> str:
    """The same of a sum; of its terms in their order."""
    return _Text({}).sum(value)


class _Text:
    def __init__(self, names: Mapping[str, str], bound: int = 0) -> None:
        self.names, self.bound = dict(names), bound

    def within(self, axes: Iterable[Range]) -> _Text:
        inner = _Text(self.names, self.bound)
        for x, _ in axes:
            inner.names[x.name] = f"${inner.bound}"
            inner.bound += 1
        return inner

    def expr(self, e: Any) -> str:
        names = {n: sym(self.names[n]) for n in symbols_of([e]) & set(self.names)}
        return sp.srepr(substitute(e, names)) if elements([e]) else str(substitute(e, names))

    def atom(self, a: Atom) -> str:
        inner = self.within(a.axes)
        parts = [*map(inner.expr, a.index), *map(inner.sum, a.args), *(self.expr(e) for _, e in a.axes)]
        return f"{a.head} {a.name} {a.kind} {a.moduli}({'; '.join([*parts, *sorted(map(inner.expr, a.guard))])})"

    def sum(self, value: Sum) -> str:
        return " + ".join(sorted(map(self.term, value)))

    def term(self, t: Term) -> str:
        inner = self.within(t.axes)
        factors = sorted(f"{inner.atom(a)}^{p}" for a, p in t.factors)
        guard = sorted(map(inner.expr, t.guard))
        return f"{inner.expr(t.coefficient)}*{factors}[{[self.expr(e) for _, e in t.axes]}]{guard}"


# ---- Arithmetic


def add(*values: Sum) -> Sum:
    """The sum. Terms equal up to their coefficients become one."""
    known: dict[str, Term] = {}
    for t in (t for v in values for t in v):
        own = _Text({}).term(replace(t, coefficient=sp.S.One))
        if own not in known or any(a.name in symbols_of([t.coefficient]) for a, _ in t.axes):
            known[own if own not in known else f"{own} {len(known)}"] = t
            continue
        c = sp.cancel(known[own].coefficient + t.coefficient)
        known[own] = replace(known[own], coefficient=c)
    return tuple(t for t in known.values() if t.coefficient != 0)


def negated(value: Sum) -> Sum:
    """-value."""
    return tuple(replace(t, coefficient=-t.coefficient) for t in value)


def multiply(a: Sum, b: Sum) -> Sum:
    """The product, written out."""
    return add(*(_product(s, t) for s in a for t in b))


def _product(s: Term, t: Term) -> Sum:
    t = fresh(t) if s.bound & t.bound else t
    factors = _merged((*s.factors, *t.factors))
    made = Term(_simple(s.coefficient * t.coefficient), (), (*s.axes, *t.axes), (*s.guard, *t.guard))
    out: Sum = (replace(made, factors=tuple(f for f in factors if not _opens(f))),)
    for atom, power in factors:
        if _opens((atom, power)):
            for _ in range(int(power)):
                out = multiply(out, tuple(map(fresh, atom.args[0])))
    return out


def _opens(f: Factor) -> bool:
    return f[0].head == BASE and f[1].is_Integer and f[1] > 0


def _simple(c: Any) -> Any:
    return c if c.is_Number else sp.cancel(c)


def _merged(factors: Iterable[Factor]) -> tuple[Factor, ...]:
    """Equal atoms once, with the sum of their powers. A truth value is its own square."""
    known: dict[str, Factor] = {}
    for atom, power in factors:
        k = key(atom)
        before = known[k][1] if k in known else sp.S.Zero
        known[k] = atom, sp.S.One if atom.head in TRUTHS else before + power
    return tuple(sorted((f for f in known.values() if f[1] != 0), key=lambda f: (f[0].head, f[0].name, str(f[1]))))


def power(value: Sum, exponent: Any) -> Sum:
    """value^exponent over the reals. Whole negative powers go into products; a sum's common factor comes out."""
    exponent = sp.sympify(exponent)
    if exponent.is_Integer and exponent >= 0:
        out = ONE
        for _ in range(int(exponent)):
            out = multiply(out, tuple(map(fresh, value)))
        return out
    if len(value) == 1 and not value[0].axes and not value[0].guard and exponent.is_Integer:
        t = value[0]
        return (Term(_simple(t.coefficient**exponent), tuple((a, p * exponent) for a, p in t.factors)),)
    if not exponent.is_Integer:
        if len(value) == 1 and value[0].coefficient == 1 and _is_base(value[0]):
            atom, p = value[0].factors[0]
            if not (p * exponent).is_Integer and not p.is_Integer:
                return of_atom(atom, p * exponent)
        return of_atom(Atom(BASE, args=(value,)), exponent)
    outside, inside = _content(value)
    whole = of_atom(Atom(BASE, args=(inside,)), exponent)
    return multiply(power((outside,), exponent), whole)


def _is_base(t: Term) -> bool:
    return len(t.factors) == 1 and t.factors[0][0].head == BASE and not t.axes and not t.guard


def _content(value: Sum) -> tuple[Term, Sum]:
    """(term without axes, sum) with the value as their product; the term is the common factor of all terms."""
    shared: dict[str, Factor] | None = None
    for t in value:
        own = {key(a): (a, p) for a, p in t.factors if not _free_in_atom(a) & t.bound}
        if shared is None:
            shared = own
        else:  # what stands in one term alone has the power 0 in the others
            both = dict.fromkeys((*shared, *own))
            lows = {
                k: min(shared[k][1] if k in shared else sp.S.Zero, own[k][1] if k in own else sp.S.Zero) for k in both
            }
            shared = {k: ((shared.get(k) or own[k])[0], p) for k, p in lows.items() if p != 0}
    common = tuple((shared or {}).values())
    first = min(value, key=lambda t: _Text({}).term(t))
    scale = first.coefficient if not symbols_of([first.coefficient]) & first.bound else sp.S.One
    outside = Term(scale, common)
    back: Sum = (Term(_simple(1 / scale), tuple((a, -p) for a, p in common)),)
    return outside, tuple(s for t in value for s in _product(back[0], t))


def exponential(value: Sum) -> Sum:
    """e^value over the reals: a product, of the exponentials of terms."""
    out: list[Factor] = []
    for t in value:
        c = t.coefficient
        if c.is_Rational and not t.guard:
            out.append((Atom(EXP, args=((replace(t, coefficient=sp.S.One),),)), c))
        else:
            out.append((Atom(EXP, args=((t,),)), sp.S.One))
    return (Term(sp.S.One, _merged(out)),)


def without_exponentials(value: Sum) -> tuple[Sum, Sum]:
    """(t, rest) with value = e^t * rest; every term has the factor e^t."""
    if not value:
        return (), value
    outside, _ = _content(value)
    taken = tuple((a, p) for a, p in outside.factors if a.head == EXP)
    exponents = add(*(multiply(number(p), a.args[0]) for a, p in taken))
    return exponents, multiply(value, (Term(sp.S.One, tuple((a, -p) for a, p in taken)),))


# ---- Walks


def _atoms_in(factors: Iterable[Factor], around: frozenset[str]) -> Iterator[tuple[Atom, frozenset[str]]]:
    for a, _ in factors:
        yield a, around
        inner = around | {x.name for x, _ in a.axes}
        for s in a.args:
            for t in s:
                yield from _atoms_in(t.factors, inner | t.bound)


def elements_in(a: Atom) -> list[tuple[Atom, frozenset[str]]]:
    """The elements of inputs in an atom, with the names bound around them inside it."""
    return [(x, b) for x, b in _atoms_in(((a, sp.S.One),), frozenset()) if x.head == ELEMENT]


def map_indices(value: Sum, change: Callable[[Any], Any]) -> Sum:
    """The value with every index expression, extent and guard changed."""
    return tuple(_mapped(t, change) for t in value)


def _mapped(t: Term, change: Callable[[Any], Any]) -> Term:
    return Term(
        t.coefficient,
        tuple((_mapped_atom(a, change), p) for a, p in t.factors),
        tuple((a, change(e)) for a, e in t.axes),
        tuple(map(change, t.guard)),
    )


def _mapped_atom(a: Atom, change: Callable[[Any], Any]) -> Atom:
    return replace(
        a,
        index=tuple(map(change, a.index)),
        args=tuple(map_indices(s, change) for s in a.args),
        axes=tuple((x, change(e)) for x, e in a.axes),
        guard=tuple(map(change, a.guard)),
    )
