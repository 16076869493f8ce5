"""A sum is 0 if its terms cancel: pairs of terms are matched point by point, and unmatched points are left over.

A map from the points of one term to those of the other matches the two. It is found by equating the indices of all
elements read. Then it is proved: the map is one to one on its domain, and takes each factor to an equal one. Terms need
not meet everywhere. Both are cut into the common part, with the sum of both coefficients, and the remaining parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, permutations, product
from typing import Any

import sympy as sp

from isamap_encodings import deadline
from isamap_smt.equality.domains import Known, between, box, pieces_without, simple, solved
from isamap_smt.equality.sums import (
    BASE,
    ELEMENT,
    FOLD,
    Atom,
    Factor,
    Range,
    Sum,
    Term,
    add,
    elements_in,
    free_names,
    fresh,
    key_of,
    map_indices,
    multiply,
    negated,
    of_atom,
    put,
    put_atom,
    put_term,
)
from isamap_smt.ir.dtypes import DTYPES
from isamap_smt.ir.expr import substitute, symbols_of

MOST_PAIRS = 4_000  # of terms, in one question
MOST_DIVISORS = 4
MOST_WAYS = 24  # of pairing the factors of two terms
EVEN = ("+", "*", "&", "|", "^")  # functions whose arguments have no order
FLOATS = tuple(n for n, d in DTYPES.items() if d.is_float)
REPEATS = ("max", "min")  # reductions that may take a point more than once
EXTREME = "extreme"  # of any number of values, in any order
# the axes of u by those of t, and back; what is 0 where the elements read are the same
Way = tuple[dict[str, Any], dict[str, Any], list[Any]]


class Canceller:
    """bits: type -> width of its integers, whose sums are taken modulo 2^bits; no other type has a modulus."""

    def __init__(self, moduli: dict[str, int]) -> None:
        self.moduli, self.pairs = moduli, 0
        self.asked: dict[Any, bool] = {}

    # ---- a sum

    def is_zero(self, value: Sum, known: Known, kind: str = "") -> bool:
        """Whether the value is proved to be 0 wherever `known` holds."""
        question = key_of(value), known.facts, kind
        if question not in self.asked:
            self.asked[question] = not self.left(value, known, kind)
        return self.asked[question]

    def left(self, value: Sum, known: Known, kind: str = "") -> Sum:
        """The terms left of a value; none of them is proved to be 0.

        If a term divides by a sum, the value is 0 as soon as its product with the sum is 0.
        """
        left = self._left(value, known, kind)
        for _ in range(MOST_DIVISORS):
            divisor = next(
                (a for t in left if not t.axes and not t.guard for a, p in t.factors if _divides(a, p)), None
            )
            if divisor is None or len(left) < 2:
                break
            cleared = self._left(multiply(left, of_atom(divisor)), known, kind)
            if not cleared:
                return ()
            if len(cleared) > 2 * len(left):
                break
            left = cleared
        return left

    def _left(self, value: Sum, known: Known, kind: str) -> Sum:
        """The same without clearing divisors.

        Unused axes stay at first, since a partner may have the same ones; then each multiplies its term by its number
        of points.
        """
        terms = [t for s in add(value) for t in self._tidy(s, known, kind)]
        for merge in (False, True):
            terms = self._cancelled(terms, known, kind, merge)
        if any(t.axes for t in terms):
            terms = [t for s in add(tuple(self._counted(t, known) for t in terms)) for t in self._tidy(s, known, kind)]
            for merge in (False, True):
                terms = self._cancelled(terms, known, kind, merge)
        return tuple(terms)

    def _cancelled(self, terms: list[Term], known: Known, kind: str, merge: bool) -> list[Term]:
        """The terms left when no two of them meet any more."""
        n = 0
        while n < len(terms):
            found = self._met(terms[n], terms[n + 1 :], known, kind, merge)
            if found is None:
                n += 1
                continue
            m, made = found
            del terms[n + 1 + m], terms[n]
            terms, n = [*made, *terms], 0
        return terms

    def _met(self, t: Term, others: Sequence[Term], known: Known, kind: str, merge: bool) -> tuple[int, Sum] | None:
        """(number of the partner that leaves the fewest terms, the remains of both terms); None without a partner."""
        best: tuple[int, Sum] | None = None
        for m, u in enumerate(others):
            if _signature(t) != _signature(u):
                continue
            self.pairs += 1
            deadline.check()
            if self.pairs > MOST_PAIRS:
                return None
            made = self._meeting(t, u, known, kind, merge)
            if made is not None and (best is None or len(made) < len(best[1])):
                best = m, made
                if not made:
                    break
        return best

    def _tidy(self, t: Term, known: Known, kind: str) -> Sum:
        """The term without axes determined by equations and without guards known to hold; () if it has no points."""
        equal = [g for g in t.guard if isinstance(g, sp.Eq)]
        if equal and t.axes:
            inside = known.also([*box(t.axes), *(g for g in t.guard if g not in equal)])
            found = solved([g.lhs - g.rhs for g in equal], t.axes, inside)
            if found.values:
                rest = tuple(substitute(g, found.values) for g in t.guard if g not in equal)
                t = put_term(replace(t, axes=(), guard=()), found.values)
                t = replace(t, axes=found.left, guard=(*found.guard, *rest))
        inside = known.also(box(t.axes))
        guard: list[Any] = []
        for g in dict.fromkeys(simple(g, inside) for g in t.guard):
            if g != True and not inside.also(guard).holds(g):  # noqa: E712
                guard.append(g)
        inside = inside.also(guard)
        if inside.impossible():
            return ()
        (t,) = map_indices((replace(t, guard=()),), lambda e: simple(e, inside))
        t = replace(t, guard=tuple(guard), coefficient=self._reduced(t.coefficient, kind))
        if t.coefficient == 0:
            return ()
        return (t,)

    def _reduced(self, c: Any, kind: str) -> Any:
        if kind in self.moduli and c.is_Integer:
            m = 1 << self.moduli[kind]
            return (c + m // 2) % m - m // 2
        return c if c.is_Number else sp.cancel(sp.expand(c))

    def _counted(self, t: Term, known: Known) -> Term:
        """The term without unused axes: its coefficient is multiplied by their numbers of points."""
        used = symbols_of([t.coefficient, *t.guard, *(e for _, e in t.axes)]).union(
            *(free_names(a) for a, _ in t.factors)
        )
        for a, e in t.axes:
            if a.name not in used and known.also(box(x for x in t.axes if x[0] != a)).holds(sp.Ge(e, 0)):
                c = sp.cancel(t.coefficient * e)
                t = replace(t, coefficient=c, axes=tuple(x for x in t.axes if x[0] != a))
        return t

    # ---- two terms

    def _meeting(self, t: Term, u: Term, known: Known, kind: str, merge: bool) -> Sum | None:
        """The remains of two terms whose points meet somewhere. merge: also if their coefficients do not cancel."""
        u = fresh(u)
        for pairing in islice(_pairings(t.factors, u.factors), MOST_WAYS):
            met = self._map(t, u, [(a, b) for (a, _), (b, _) in pairing], known)
            if met is None:
                continue
            there, extra, extra_back = met
            c = self._reduced(sp.cancel(t.coefficient + substitute(u.coefficient, there)), kind)
            if c != 0 and not merge:
                continue
            out: list[Term] = []
            if c != 0:
                out.append(replace(t, coefficient=c, guard=(*t.guard, *extra)))
            out += (replace(t, guard=(*t.guard, *g)) for g in pieces_without(extra))
            out += (replace(u, guard=(*u.guard, *g)) for g in pieces_without(extra_back))
            return tuple(x for s in out for x in self._tidy(s, known, kind))
        return None

    def _map(
        self, t: Term, u: Term, pairs: Sequence[tuple[Atom, Atom]], known: Known
    ) -> tuple[dict[str, Any], tuple[Any, ...], tuple[Any, ...]] | None:
        """The map from points of t to points of u, and the guards under which it and its inverse are taken."""
        for table, back, equations in self._maps(t.axes, u.axes, pairs, known, t.guard, u.guard):
            inside = known.also([*box(t.axes), *t.guard])
            meets = [sp.Eq(simple(substitute(e, table), inside), 0) for e in equations]
            extra = _kept([*meets, *_landing(table, u.axes, u.guard, inside)], inside)
            where = inside.also(extra)
            if where.impossible():
                continue
            again = {a.name: simple(substitute(back[a.name], table), where) for a, _ in t.axes}
            if not all(where.holds(sp.Eq(again[a.name], a)) for a, _ in t.axes):
                continue
            if not all(self.same(a, put_atom(b, table), where) for a, b in pairs):
                continue
            other = known.also([*box(u.axes), *u.guard])
            landing = _landing(back, t.axes, t.guard, other)
            landing += [simple(substitute(g, back), other) for g in extra]
            forth = {b.name: simple(substitute(table[b.name], back), other) for b, _ in u.axes}
            landing += [sp.Eq(forth[b.name], b) for b, _ in u.axes if forth[b.name] != b]
            return table, extra, _kept(landing, other)
        return None

    def _maps(
        self, ours: Sequence[Range], theirs: Sequence[Range], pairs: Sequence[tuple[Atom, Atom]], known: Known,
        guard: Sequence[Any], guard_there: Sequence[Any],
    ) -> Iterator[Way]:  # fmt: skip
        """Candidate maps between both terms' axes, in both directions, with the equations behind them; not yet proved."""
        for equations in islice(_equations(pairs), 8):
            inside = known.also([*box(ours), *guard, *box(theirs), *guard_there])
            there = solved(equations, theirs, inside)
            back = solved(equations, ours, inside)
            free, free_back = list(there.left), list(back.left)
            if len(free) != len(free_back) or len(free) > 3:
                continue
            for order in permutations(free_back):
                named = {a.name: b for (a, _), (b, _) in zip(free, order, strict=True)}
                named_back = {b.name: a for (a, _), (b, _) in zip(free, order, strict=True)}
                table = {a: substitute(e, named) for a, e in there.values.items()} | named
                inverse = {b: substitute(e, named_back) for b, e in back.values.items()} | named_back
                if not symbols_of(table.values()) & {a.name for a, _ in theirs} and not symbols_of(inverse.values()) & {
                    a.name for a, _ in ours
                }:
                    yield table, inverse, equations

    # ---- two atoms

    def same(self, a: Atom, b: Atom, known: Known) -> bool:
        """Whether two atoms are proved to be equal wherever `known` holds."""
        if a == b:
            return True
        if _sort(a) == _sort(b) and _sort(a)[0] == EXTREME:
            return self._same_maximum(a, b, known)
        if (a.head, a.name, a.kind, a.moduli) != (b.head, b.name, b.kind, b.moduli) or len(a.args) != len(b.args):
            return False
        if a.head == ELEMENT:
            return len(a.index) == len(b.index) and all(
                known.holds(sp.Eq(sp.expand(i - j), 0)) for i, j in zip(a.index, b.index, strict=True)
            )
        if a.head == FOLD:
            return self._same_fold(a, b, known)
        moduli = a.moduli or ("",) * len(a.args)
        orders = permutations(b.args) if _is_even(a) else (b.args,)
        return any(
            all(self.is_zero(add(x, negated(y)), known, m) for x, y, m in zip(a.args, args, moduli, strict=True))
            for args in orders
        )

    def _same_maximum(self, a: Atom, b: Atom, known: Known) -> bool:
        """Whether two maxima are over the same values: each value of one occurs in the other, in any nesting or axes."""
        if a.head == b.head == FOLD and self._same_fold(a, b, known):
            return True
        ours, theirs = _extremes(a), _extremes(b)
        if len(ours) * len(theirs) > MOST_WAYS:
            return False
        modulus = next(iter(a.moduli), "")
        return all(self._among(v, theirs, known, modulus) for v in ours) and all(
            self._among(v, ours, known, modulus) for v in theirs
        )

    def _among(self, values: Term, others: Sequence[Term], known: Known, modulus: str) -> bool:
        """Whether at every point the value is one of the others'."""
        open_ = [values.guard]
        for u in map(fresh, others):
            (x, _), (y, _) = values.factors[0], u.factors[0]
            left: list[Any] = []
            for guard in open_:
                inside = known.also([*box(values.axes), *guard])
                if inside.impossible():
                    continue
                for table, _, equations in self._maps(values.axes, u.axes, [(x, y)], known, guard, u.guard):
                    meets = [sp.Eq(simple(substitute(e, table), inside), 0) for e in equations]
                    extra = _kept([*meets, *_landing(table, u.axes, u.guard, inside)], inside)
                    difference = add(x.args[0], negated(put(y.args[0], table)))
                    if self.is_zero(difference, inside.also(extra), modulus):
                        left += [(*guard, *g) for g in pieces_without(extra)]
                        break
                else:
                    left.append(guard)
            open_ = left
        return all(known.also([*box(values.axes), *g]).impossible() for g in open_)

    def _same_fold(self, a: Atom, b: Atom, known: Known) -> bool:
        """Whether two reductions run over the same points, in any order; axis by axis if the type's order counts."""
        (x,), (y,), (modulus,) = a.args, b.args, a.moduli or ("",)
        if len(a.index) != len(b.index) or (len(a.axes) != len(b.axes) and (a.index or a.name not in REPEATS)):
            return False
        repeats = a.name in REPEATS and not a.index
        if a.index:
            ways: Iterator[Way] = iter(
                [({q.name: p for (p, _), (q, _) in zip(a.axes, b.axes, strict=True)},
                  {p.name: q for (p, _), (q, _) in zip(a.axes, b.axes, strict=True)}, [])]
            )  # fmt: skip
        else:
            pairs = _hints(x, y)
            ways = self._maps(a.axes, b.axes, pairs, known, a.guard, b.guard)
        for table, back, _ in ways:
            one, other = known.also([*box(a.axes), *a.guard]), known.also([*box(b.axes), *b.guard])
            if _kept(_landing(table, b.axes, b.guard, one), one) or _kept(
                _landing(back, a.axes, a.guard, other), other
            ):
                continue
            again = {p.name: simple(substitute(back[p.name], table), one) for p, _ in a.axes}
            if not repeats and not all(one.holds(sp.Eq(again[p.name], p)) for p, _ in a.axes):
                continue
            if not all(one.holds(sp.Eq(i, substitute(j, table))) for i, j in zip(a.index, b.index, strict=True)):
                continue
            if not self.is_zero(add(x, negated(put(y, table))), one, modulus):
                continue
            if repeats and not self.is_zero(add(y, negated(put(x, back))), other, modulus):
                continue
            forth = {q.name: simple(substitute(table[q.name], back), other) for q, _ in b.axes}
            if not repeats and not all(other.holds(sp.Eq(forth[q.name], q)) for q, _ in b.axes):
                continue  # a point of b that none of a is taken to
            return True
        return False


def _extremes(a: Atom) -> list[Term]:
    """The values under an atom's maximum: each in a factor of its own, over axes with a guard."""
    out: list[Term] = []
    for value in a.args:
        inner = value[0].factors[0][0] if len(value) == 1 and len(value[0].factors) == 1 else None
        if inner and value == of_atom(inner) and (_sort(inner), inner.moduli[:1]) == (_sort(a), a.moduli[:1]):
            out += (
                replace(t, axes=(*a.axes, *t.axes), guard=(*a.guard, *t.guard)) for t in map(fresh, _extremes(inner))
            )
        else:
            out.append(Term(sp.S.One, ((Atom("", args=(value,)), sp.S.One),), a.axes, a.guard))
    return out


def _sort(a: Atom) -> tuple[str, str, str]:
    """The key shared by atoms that may be equal: maxima may be written in two ways, unless the order of zeros counts."""
    op = a.name if a.head == FOLD else a.head
    return (EXTREME, op, a.kind) if op in REPEATS and a.kind not in FLOATS else (a.head, a.name, a.kind)


def _is_even(a: Atom) -> bool:
    """Whether the arguments may be exchanged. Not those of maxima in a float's bits: of two zeros they take the second one."""
    return a.head == "call" and a.name in EVEN and len(a.args) > 1


def _kept(guard: Sequence[Any], known: Known) -> tuple[Any, ...]:
    """The relations not implied, each by the known facts and the relations before it."""
    kept: list[Any] = []
    for g in dict.fromkeys(guard):
        if g != True and not known.also(kept).holds(g):  # noqa: E712
            kept.append(g)
    return tuple(kept)


def _landing(table: dict[str, Any], axes: Sequence[Range], guard: Sequence[Any], known: Known) -> list[Any]:
    """Relations: the image of a point lies in the domain."""
    found = [r for a, e in axes for r in between(table[a.name], substitute(e, table))]
    return [simple(r, known) for r in (*found, *(substitute(g, table) for g in guard))]


def _divides(a: Atom, power: Any) -> bool:
    return a.head == BASE and power.is_Integer and bool(power < 0)


def _signature(t: Term) -> tuple[Any, ...]:
    return tuple(sorted((*_sort(a), str(p)) for a, p in t.factors))


def _pairings(left: Sequence[Factor], right: Sequence[Factor]) -> Iterator[list[tuple[Factor, Factor]]]:
    """The ways to pair factors of one kind and power."""
    groups: dict[Any, tuple[list[Factor], list[Factor]]] = {}
    for side, factors in enumerate((left, right)):
        for f in factors:
            groups.setdefault((*_sort(f[0]), str(f[1])), ([], []))[side].append(f)
    yield from _paired(list(groups.values()))


def _paired(groups: Sequence[tuple[list[Factor], list[Factor]]]) -> Iterator[list[tuple[Factor, Factor]]]:
    """One after the other: ten factors of a kind have millions of ways."""
    if not groups:
        yield []
        return
    (ours, theirs), *others = groups
    for order in permutations(theirs):
        for rest in _paired(others):
            yield [*zip(ours, order, strict=True), *rest]


def _hints(x: Sum, y: Sum) -> list[tuple[Atom, Atom]]:
    """Two sums as atoms, whose elements are then compared."""
    return [(Atom("", args=(x,)), Atom("", args=(y,)))]


def _equations(pairs: Sequence[tuple[Atom, Atom]]) -> Iterator[list[Any]]:
    """Differences of indices, all 0 if the atoms of every pair read the same elements.

    Yields several lists if a function reads a tensor more than once.
    """
    fixed: list[Any] = []
    ways: list[list[list[Any]]] = []
    for a, b in pairs:
        if a.head == ELEMENT:
            fixed += [i - j for i, j in zip(a.index, b.index, strict=False)]
            continue
        theirs = elements_in(b)
        choices: list[list[Any]] = []
        first, bound = next(iter(elements_in(a)), (None, frozenset()))
        if first is None:
            continue
        straight = [
            e for (p, inner), (q, there) in zip(elements_in(a), theirs, strict=False) if p.name == q.name
            for e in _outer(p, inner, q, there)
        ]  # fmt: skip
        choices.append(straight)
        for q, there in theirs:
            if q.name == first.name:
                choices.append(_outer(first, bound, q, there))
        ways.append(choices)
    for chosen in product(*ways):
        yield [*fixed, *(e for part in chosen for e in part)]


def _outer(p: Atom, inner: frozenset[str], q: Atom, there: frozenset[str]) -> list[Any]:
    return [
        i - j for i, j in zip(p.index, q.index, strict=False)
        if not symbols_of([i]) & inner and not symbols_of([j]) & there
    ]  # fmt: skip


__all__ = ["Canceller"]
