"""Equality saturation: all rewritings of a term as classes of equal terms, with the reason for each equality.

A term is an operation on terms, kept once; classes are closed under congruence. Every union has a reason: a rule's
two sides with the same terms for its names, or equal operands. So two terms of one class are joined by a chain of
terms (`chain`), each got from the one before by one rule at one place; anybody can check it. The result depends on
the order of the rules and on the limit alone.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Term = int
Pattern = Any  # a Name, or (operation, patterns)
Forms = dict[Hashable, list[tuple[Term, ...]]]
_STRAIGHT, _TURNED = "operands are equal", "operands are equal in the other order"


@dataclass(frozen=True)
class Name:
    """A name in a pattern; it stands for any term allowed by `accepts`."""

    name: str


@dataclass(frozen=True)
class Way:
    """A rule in one direction. allowed: whether it may be used with these terms for its names; it may add names (numbers)."""

    rule: Hashable
    left: Pattern
    right: Pattern
    allowed: Callable[[dict[str, Term]], dict[str, Term] | None]


@dataclass(frozen=True)
class Link:
    """Two neighbours of a chain: `before` and `after` differ at one place, by the rule, or (None) in the order of two operands."""

    before: Term
    after: Term
    rule: Hashable | None


class TooMany(Exception):
    """The limit of terms, or of links in a chain, was reached."""


class EGraph:
    """Terms and their classes. limit: of terms. commutes: whether the order of an operation's two operands makes no difference."""

    def __init__(self, limit: int, commutes: Callable[[Any], bool] = lambda _: False) -> None:
        self.limit, self.commutes = limit, commutes
        self.terms: list[tuple[Hashable, tuple[Term, ...]]] = []
        self._index: dict[tuple[Hashable, tuple[Term, ...]], Term] = {}
        self._leader: list[Term] = []
        self._members: dict[Term, list[Term]] = {}
        self._users: dict[Term, list[Term]] = {}
        self._canon: dict[tuple[Hashable, tuple[Term, ...]], Term] = {}
        self._why: dict[Term, tuple[Term, Hashable]] = {}  # a forest: the next term towards a root, and the rule
        self._waiting: list[Term] = []

    def add(self, op: Hashable, args: tuple[Term, ...] = ()) -> Term:
        """The term, in a class of its own unless an equal one is known. Raises TooMany."""
        known = self._index.get((op, args))
        if known is not None:
            return known
        if len(self.terms) >= self.limit:
            raise TooMany
        t = len(self.terms)
        self.terms.append((op, args))
        self._index[op, args] = t
        self._leader.append(t)
        self._members[t], self._users[t] = [t], []
        for a in dict.fromkeys(map(self.find, args)):
            self._users[a].append(t)
        other = self._canon.setdefault(self._key(t), t)
        if other != t:
            self._same_operands(t, other)
        return t

    def find(self, t: Term) -> Term:
        """The leading term of the class."""
        while self._leader[t] != t:
            self._leader[t] = self._leader[self._leader[t]]
            t = self._leader[t]
        return t

    def members(self, t: Term) -> list[Term]:
        """Terms of the class, one for each operation on classes, the oldest first."""
        seen: dict[Any, Term] = {}
        for m in self._members[self.find(t)]:
            seen.setdefault(self._key(m), m)
        return list(seen.values())

    def operations(self, t: Term) -> Iterator[Hashable]:
        """The operations of the class's terms, the oldest first; one may come several times."""
        return (self.terms[m][0] for m in self._members[self.find(t)])

    def classes(self) -> list[Term]:
        """The leading term of each class."""
        return list(self._members)

    def _key(self, t: Term) -> tuple[Hashable, tuple[Term, ...]]:
        op, args = self.terms[t]
        found = map(self.find, args)
        return op, tuple(sorted(found) if self.commutes(op) else found)

    def _same_operands(self, a: Term, b: Term) -> None:
        pairs = zip(self.terms[a][1], self.terms[b][1], strict=True)
        straight = all(self.find(x) == self.find(y) for x, y in pairs)
        self.union(a, b, _STRAIGHT if straight else _TURNED)

    def union(self, a: Term, b: Term, rule: Hashable) -> bool:
        """Both are equal, by the rule. Returns whether they were in different classes."""
        one, other = self.find(a), self.find(b)
        if one == other:
            return False
        self._hang(a, b, rule)
        if other < one:  # the oldest term stands for the class
            one, other = other, one
        self._leader[other] = one
        self._members[one] = sorted(self._members[one] + self._members.pop(other))
        users = self._users.pop(other)
        self._users[one] += users
        self._waiting += users
        return True

    def _hang(self, a: Term, b: Term, rule: Hashable) -> None:
        """The tree of a below b: turn round the way from a to its root first."""
        path, t = [], a
        while t in self._why:
            path.append((t, *self._why[t]))
            t = path[-1][1]
        for t, _, _ in path:
            self._why.pop(t)
        for t, up, why in path:
            self._why[up] = (t, why)
        self._why[a] = (b, rule)

    def rebuild(self) -> None:
        """Equal operands make equal terms."""
        while self._waiting:
            t = self._waiting.pop()
            other = self._canon.setdefault(self._key(t), t)
            if self.find(other) != self.find(t):
                self._same_operands(t, other)

    # ---- rules

    def saturate(self, ways: Callable[[], Sequence[Way]], rounds: int) -> bool:
        """Use every rule everywhere until nothing is new (True), or until a limit is reached.

        ways(): those that may match in the graph as it stands.
        """
        try:
            for _ in range(rounds):
                news = False
                for way, at in self._uses(ways()):
                    names = way.allowed(at)
                    if names is not None:
                        left, right = self.instance(way.left, names), self.instance(way.right, names)
                        news |= self.union(left, right, way.rule)
                self.rebuild()
                if not news:
                    return True
        except TooMany:
            self.rebuild()
        return False

    def _uses(self, ways: Sequence[Way]) -> list[tuple[Way, dict[str, Term]]]:
        """The uses of the rules in the graph as it stands: the classes for the names of a rule's left side."""
        forms = {c: self._forms(c) for c in self.classes()}
        having: dict[Hashable, list[Term]] = {}  # an operation -> the classes with it
        for c, by_operation in forms.items():
            for op in by_operation:
                having.setdefault(op, []).append(c)
        found = []
        for way in ways:
            classes = list(forms) if isinstance(way.left, Name) else having.get(way.left[0], [])
            found += [(way, at) for c in classes for at in _matches(way.left, c, {}, forms)]
        return found

    def _forms(self, leader: Term) -> Forms:
        """Each operation of a class -> the classes of its operands, in each order that a pattern may have."""
        found: Forms = {}
        for m in self.members(leader):
            op, args = self.terms[m]
            operands = tuple(map(self.find, args))
            orders = found.setdefault(op, [])
            orders.append(operands)
            if self.commutes(op) and operands[0] != operands[1]:
                orders.append(operands[::-1])
        return found

    def instance(self, pattern: Pattern, at: Mapping[str, Term]) -> Term:
        """The pattern with these terms for its names. Raises TooMany."""
        if isinstance(pattern, Name):
            return at[pattern.name]
        op, parts = pattern
        return self.add(op, tuple(self.instance(p, at) for p in parts))

    # ---- reasons

    def chain(self, a: Term, b: Term, most: int) -> list[Link]:
        """Terms from a to b, each from the one before by one rule at one place; they are in one class. Raises TooMany."""
        links: list[Link] = []
        self._explain(a, b, lambda t: t, links, most)
        return links

    def _explain(self, a: Term, b: Term, around: Callable[[Term], Term], links: list[Link], most: int) -> None:
        if a == b:
            return
        for t, up, rule in self._path(a, b):
            if rule in (_STRAIGHT, _TURNED):
                self._operands(t, up, rule == _TURNED, around, links, most)
            else:
                links.append(Link(around(t), around(up), rule))
            if len(links) > most:
                raise TooMany

    def _operands(
        self, a: Term, b: Term, turned: bool, around: Callable[[Term], Term], links: list[Link], most: int
    ) -> None:
        op, before = self.terms[a]
        after = self.terms[b][1][:: -1 if turned else 1]
        for n, (x, y) in enumerate(zip(before, after, strict=True)):
            head, tail = after[:n], before[n + 1 :]
            self._explain(x, y, lambda t, h=head, r=tail: around(self._written(op, (*h, t, *r))), links, most)  # type: ignore[misc]

        if turned:
            links.append(Link(around(self._written(op, after)), around(b), None))

    def _written(self, op: Hashable, args: tuple[Term, ...]) -> Term:
        """A term used only by a chain; it is in no class."""
        known = self._index.get((op, args))
        if known is None:
            known = len(self.terms)
            self.terms.append((op, args))
            self._index[op, args] = known
            self._leader.append(known)
            self._members[known], self._users[known] = [known], []
        return known

    def _path(self, a: Term, b: Term) -> list[tuple[Term, Term, Hashable]]:
        """The way from a to b in the forest of reasons: (from, to, rule)."""
        up: dict[Term, int] = {}
        steps: list[tuple[Term, Term, Hashable]] = []
        t = a
        while True:
            up[t] = len(steps)
            if t not in self._why:
                break
            nxt, rule = self._why[t]
            steps.append((t, nxt, rule))
            t = nxt
        down: list[tuple[Term, Term, Hashable]] = []
        t = b
        while t not in up:
            nxt, rule = self._why[t]
            down.append((nxt, t, rule))
            t = nxt
        return [*steps[: up[t]], *reversed(down)]


def _matches(pattern: Pattern, c: Term, at: dict[str, Term], forms: Mapping[Term, Forms]) -> Iterator[dict[str, Term]]:
    """Matches of the pattern in a class, as classes for its names. forms: of each class."""
    if isinstance(pattern, Name):
        known = at.get(pattern.name)
        if known is None:
            yield {**at, pattern.name: c}
        elif known == c:
            yield at
        return
    op, parts = pattern
    for operands in forms[c].get(op, ()):
        if len(operands) == len(parts):
            yield from _all_match(parts, operands, 0, at, forms)


def _all_match(
    parts: Sequence[Pattern], operands: tuple[Term, ...], n: int, at: dict[str, Term], forms: Mapping[Term, Forms]
) -> Iterator[dict[str, Term]]:
    """Matches of the patterns from the n-th on in these classes."""
    if n == len(parts):
        yield at
        return
    for found in _matches(parts[n], operands[n], at, forms):
        yield from _all_match(parts, operands, n + 1, found, forms)


__all__ = ["EGraph", "Link", "Name", "TooMany", "Way"]
