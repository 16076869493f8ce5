"""Bounds on monomials and on sums of them, and a search for values within all bounds or for a contradiction between bounds.

The simplex of Dutertre and de Moura (CAV 2006), with whole numbers throughout. Its results are never just believed:
values are put into formulas, contradictions are added up (isamap_encodings.linear_forms).
"""

from __future__ import annotations

from math import gcd
from typing import Any

from isamap_encodings.linear_forms import Constraint, Monomial, combined

PIVOTS = 60  # steps of one search
ROUNDS = 3  # in which bounds narrow each other

Sum = Any  # a Monomial, or the frozenset of a sum's (monomial, number)
Bounds = dict[Sum, tuple[int, Constraint]]  # a bound, and the constraint that says it
Conflict = tuple[tuple[int, Constraint], ...]  # so many times


class Tableau:
    """rows: d, {v: n} for each sum s expressed by others, d*s = sum of n*v with d > 0. at: the value of each other one. times:
    each sum with a row, d times its value."""

    def __init__(self) -> None:
        self.lower: Bounds = {}
        self.upper: Bounds = {}
        self.conflict: Conflict = ()
        self.rows: dict[Sum, tuple[int, dict[Sum, int]]] = {}
        self.at: dict[Sum, int] = {}
        self.times: dict[Sum, int] = {}
        self.order: dict[Sum, int] = {}

    def bounds(self) -> tuple[Bounds, Bounds, Conflict]:
        """The state changed by add(), for back()."""
        return self.lower.copy(), self.upper.copy(), self.conflict

    def back(self, bounds: tuple[Bounds, Bounds, Conflict]) -> None:
        """Restore the bounds of `bounds()`. Values within narrower bounds are within these."""
        self.lower, self.upper, self.conflict = bounds

    def add(self, c: Constraint) -> None:
        """One more constraint."""
        if self.conflict:
            return
        if not c.terms:
            self.conflict = ((1, c),) if c.constant < 0 else ()
            return
        v, sign = self._sum(c)
        mine, other = (self.lower, self.upper) if sign > 0 else (self.upper, self.lower)
        bound = -sign * c.constant
        if v in mine and sign * mine[v][0] >= sign * bound:
            return
        mine[v] = bound, c
        if v in other and sign * bound > sign * other[v][0]:
            self.conflict = (1, c), (1, other[v][1])
        elif v in self.at and sign * self.at[v] < sign * bound:
            more, self.at[v] = bound - self.at[v], bound
            for x, (_, row) in self.rows.items():
                if v in row:
                    self.times[x] += row[v] * more

    def _sum(self, c: Constraint) -> tuple[Sum, int]:
        """The sum's name in the tableau, and its sign."""
        terms = c.terms
        if len(terms) == 1:
            ((m, sign),) = terms.items()
            self._meet(m)
            return m, sign
        key = c.sum
        if key in self.order:
            return key, 1
        if c.denied in self.order:
            return c.denied, -1
        scale = 1
        row: dict[Sum, int] = {}
        for m, k in terms.items():
            self._meet(m)
            d, part = self.rows.get(m) or (1, {m: 1})
            times = d // gcd(scale, d)
            if times > 1:
                scale, row = scale * times, {v: n * times for v, n in row.items()}
            for v, n in part.items():
                row[v] = row.get(v, 0) + k * n * (scale // d)
        self.order[key] = len(self.order)
        self._express(key, scale, {v: n for v, n in row.items() if n})
        return key, 1

    def _express(self, s: Sum, d: int, row: dict[Sum, int]) -> None:
        self.rows[s] = d, row
        self.times[s] = sum([n * self.at[w] for w, n in row.items()])

    def _meet(self, m: Monomial) -> None:
        if m not in self.order:
            self.order[m] = len(self.order)
            self.at[m] = 0

    def solve(self) -> bool:
        """Whether values within all bounds are found. If not, there is a conflict, or it took too long."""
        for _ in range(PIVOTS):
            if self.conflict:
                return False
            wrong = self._wrong()
            if wrong is None:
                return True
            v, bound, sign = wrong
            d, row = self.rows[v]
            free = [w for w, n in row.items() if self._moves(w, sign * n)]
            if free:
                self._pivot(v, min(free, key=self.order.__getitem__), bound)
                continue
            own = self.lower if sign > 0 else self.upper
            others = [(abs(n), (self.upper if sign * n > 0 else self.lower)[w][1]) for w, n in row.items()]
            self.conflict = ((d, own[v][1]), *others)
        return False

    def _wrong(self) -> tuple[Sum, int, int] | None:
        """The first sum out of a bound, the bound, and the sign of the way there."""
        found = None
        first = len(self.order)
        order, lower, upper, rows = self.order, self.lower, self.upper, self.rows
        for v, value in self.times.items():
            if order[v] > first:
                continue
            if v in lower and value < rows[v][0] * lower[v][0]:
                found, first = (v, lower[v][0], 1), order[v]
            elif v in upper and value > rows[v][0] * upper[v][0]:
                found, first = (v, upper[v][0], -1), order[v]
        return found

    def _moves(self, w: Sum, direction: int) -> bool:
        limit = (self.upper if direction > 0 else self.lower).get(w)
        return limit is None or limit[0] != self.at[w]

    def _pivot(self, v: Sum, w: Sum, value: int) -> None:
        """v gets the value, and w is expressed by it and the others of its row."""
        d, row = self.rows.pop(v)
        del self.times[v]
        n = row.pop(w)
        by, sign = abs(n), 1 if n > 0 else -1
        mine = {x: -sign * k for x, k in row.items()}
        mine[v] = sign * d
        del self.at[w]
        self.at[v] = value
        for x, (e, other) in self.rows.items():
            m = other.pop(w, 0)
            if m:
                made = {y: k * by for y, k in other.items()}
                for y, k in mine.items():
                    made[y] = made.get(y, 0) + m * k
                common = gcd(e * by, *made.values())
                self._express(x, e * by // common, {y: k // common for y, k in made.items() if k})
        self._express(w, by, mine)

    def values(self) -> dict[str, int] | None:
        """The values of the variables, as they stand; None if one is no integer."""
        found: dict[str, int] = {}
        for v, value in self.at.items():
            if _is_variable(v):
                found[v[0]] = value
        for v, (d, row) in self.rows.items():
            if _is_variable(v):
                value, rest = divmod(sum(n * self.at[w] for w, n in row.items()), d)
                if rest:
                    return None
                found[v[0]] = value
        return found

    def narrow(self) -> None:
        """Add bounds on monomials, derived from one sum and other bounds, rounded to integers."""
        for _ in range(ROUNDS):
            sums = [
                c for bounds in (self.lower, self.upper) for v, (_, c) in bounds.items() if isinstance(v, frozenset)
            ]
            if self.conflict or not [c for c in sums if self._narrowed(c)]:
                break

    def _narrowed(self, c: Constraint) -> bool:
        """c says n*m + others >= 0, and bounds limit the others from above: so m is bounded."""
        most = {m: end for m, n in c.terms.items() if (end := (self.upper if n > 0 else self.lower).get(m))}
        loose = [m for m in c.terms if m not in most]
        if len(loose) > 1:
            return False
        total = c.constant + sum(c.terms[m] * bound for m, (bound, _) in most.items())
        found = False
        for m in loose or list(most):
            n = c.terms[m]
            rest = total if loose else total - n * most[m][0]
            bounds, sign = (self.lower, 1) if n > 0 else (self.upper, -1)
            bound = -sign * (rest // abs(n))  # |n| * sign*m >= -rest
            if m not in bounds or sign * bound > sign * bounds[m][0]:
                self.add(combined([(1, c), *((abs(c.terms[o]), most[o][1]) for o in most if o is not m)]))
                found = True
        return found


def _is_variable(v: Sum) -> bool:
    return isinstance(v, tuple) and len(v) == 1 and isinstance(v[0], str)
