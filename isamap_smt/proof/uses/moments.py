"""Moments of a program of uses: one iteration of one use, and which moments happen before which.

The number of a loop counts its iterations in the whole program: inside a loop with number m it is n = m * count + var.
Products of sizes occur in this definition alone. Claims use two linear consequences of it for moments x and y
(`together`):

- equal m: the numbers differ as the variables do;
- m of x before m of y: n of y is larger by count + var(y) - var(x) at least.

Under a condition the number of a loop is what it would be if all iterations were carried out: it orders moments, and no
program may name it.

A claim that fails with these is asked again with the definition, at small sizes; it is refuted if it fails there, too.

**Happens before.** Uses of one engine follow one another in text order. A use x of another engine happens before y if
some counter orders them: on its engine, x is followed by signal q of the counter at the latest, and y comes, on its
own, at or after an await of q at least.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import sympy as sp

from isamap_smt.ir.expr import substitute, sym, symbols_of
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.kernel import Statement
from isamap_smt.ir.program import Command, If, Issued, Loop
from isamap_smt.ir.traversal import buffers
from isamap_smt.proof.program_sites import Site, Sites

Formula = Any
FALSE: Formula = ("lt", sp.S.Zero, sp.S.Zero)
TRUE: Formula = ("le", sp.S.Zero, sp.S.Zero)


@dataclass(frozen=True, eq=False)
class UseSite:
    """Position of a use: the loops around it, and its place in each body around. name: unique words for it.

    guard: conditions around it, over variables of its loops and sizes; it is issued where they hold.
    """

    use: Issued
    loops: tuple[Loop, ...]
    path: tuple[int, ...]
    name: str
    guard: tuple[Formula, ...] = ()
    places: tuple[tuple[int, ...], ...] = ()  # in the body of each loop, through the conditions there

    @property
    def command(self) -> Command:
        """The use as a Command; only for uses that move or compute."""
        assert isinstance(self.use, Command)
        return self.use

    @property
    def engine(self) -> str:
        """The engine that issues it."""
        return self.use.instruction.engine

    def common(self, other: UseSite) -> int:
        """The number of loops around both."""
        same = 0
        while same < min(len(self.loops), len(other.loops)) and self.places[same] == other.places[same]:
            same += 1
        return same

    def ahead(self, other: UseSite) -> bool:
        """Whether it stands before the other in their common body."""
        level = self.common(other)
        return self is not other and self.places[level] < other.places[level]


@dataclass(frozen=True, eq=False)
class Named:
    """Names of a moment of its own: all but the sizes are marked."""

    mark: str
    sizes: frozenset[str]

    def at(self, e: Any) -> Any:
        """An expression or a formula at this moment."""
        if isinstance(e, tuple):
            return (e[0], *map(self.at, e[1:])) if e and isinstance(e[0], str) else tuple(map(self.at, e))
        return _marked(sp.sympify(e), self.mark, self.sizes)


@dataclass(frozen=True, eq=False)
class Moment(Named):
    """One iteration of a site. Its variables, numbers and cells are marked, sizes are not."""

    site: UseSite

    def number(self, level: int = -1) -> Any:
        """Number of the loop at this level, the innermost by default; 0 outside of all loops."""
        return self.at(self.site.loops[level].number) if self.site.loops else sp.S.Zero

    def ranges(self) -> list[Formula]:
        """Ranges of its loops' variables and bases, bounds on their numbers, and the conditions under which it is issued."""
        found: list[Formula] = [self.at(g) for g in self.site.guard]
        for level, loop in enumerate(self.site.loops):
            var, number = self.at(loop.var), self.at(loop.number)
            found += [("le", sp.S.Zero, var), ("lt", var, loop.count)]
            if loop.base is not None:
                base = self.at(loop.base)
                found += [("le", sp.S.Zero, base), ("lt", base, loop.extent)]
            if level == 0:
                found.append(("eq", number, var))
            else:
                outer = self.number(level - 1)
                found += [("le", outer, number), ("le", var, number)]
                found.append(("implies", ("eq", outer, sp.S.Zero), ("eq", number, var)))
        return found

    def exact(self) -> list[Formula]:
        """The numbers by their definition."""
        found = []
        for level, loop in enumerate(self.site.loops):
            outer = self.number(level - 1) if level else sp.S.Zero
            found.append(("eq", self.at(loop.number), sp.expand(outer * loop.count) + self.at(loop.var)))
            if loop.base is not None:
                found.append(("eq", self.at(loop.base), loop.step * self.at(loop.var)))
                found += [
                    ("le", loop.extent, loop.step * loop.count),
                    ("lt", loop.step * (loop.count - 1), loop.extent),
                ]
        return found

    def same(self, other: Moment) -> Formula:
        """It is the other moment; both of one site."""
        return ("and", *(("eq", self.at(x.var), other.at(x.var)) for x in self.site.loops), TRUE)


@lru_cache(maxsize=50_000)  # asked for each pair of moments
def _marked(e: sp.Basic, mark: str, sizes: frozenset[str]) -> sp.Basic:
    return substitute(e, {n: sym(n + mark) for n in symbols_of([e]) if n not in sizes})


def together(x: Moment, y: Moment) -> list[Formula]:
    """Facts about the numbers of two moments, for each loop around both.

    The base of a loop is a step larger in the next iteration.
    """
    found: list[Formula] = []
    for loop in x.site.loops[: x.site.common(y.site)]:
        if loop.base is not None:
            v, w, apart = x.at(loop.var), y.at(loop.var), y.at(loop.base) - x.at(loop.base)
            found += [
                ("implies", ("eq", v, w), ("eq", apart, sp.S.Zero)),
                ("implies", ("lt", v, w), ("le", loop.step, apart)),
                ("implies", ("lt", w, v), ("le", loop.step, -apart)),
            ]
    for level in range(1, x.site.common(y.site)):
        loop = x.site.loops[level]
        m, other = x.number(level - 1), y.number(level - 1)
        apart, step = y.number(level) - x.number(level), y.at(loop.var) - x.at(loop.var)
        found += [
            ("implies", ("eq", m, other), ("eq", apart, step)),
            ("implies", ("lt", m, other), ("le", loop.count + step, apart)),
            ("implies", ("lt", other, m), ("le", loop.count - step, -apart)),
        ]
    return found


def lemma(loop: Loop) -> tuple[list[Formula], list[Formula]]:
    """(hypotheses, goals) behind together() for a loop inside a loop, with products as variables.

    d + 1 iterations of the outer loop lie between; p is m * count, and q is d * count, not negative as neither d nor
    count is.
    """
    v, w, p, q, count = (sym(f"{n}?") for n in "vwpqc")
    given = [("le", sp.S.Zero, v), ("lt", v, count), ("le", sp.S.Zero, w), ("lt", w, count), ("le", sp.S.Zero, q)]
    given += [("eq", count, loop.count)]
    n, later = p + v, p + count + q + w
    return given, [("le", count + w - v, later - n), ("lt", n, later)]


class Moments:
    """The sites of a program, and their order of happening."""

    def __init__(self, sites: Sites, machine: Hardware) -> None:
        self.program, self.machine = sites.program, machine
        self.sizes, self.given = frozenset(sites.sizes), tuple(sites.hypotheses)
        self.buffers = buffers(sites.program)
        self.sites = tuple(_site(s.node, s) for s in sites.sites if isinstance(s.node, Issued))
        self.counts = frozenset(x.count.name for s in self.sites for x in s.loops if x.base is not None)

    @cached_property
    def signals(self) -> dict[str, list[UseSite]]:
        """Counter -> the uses signalling it, once per signal."""
        found: dict[str, list[UseSite]] = {}
        for site in self.sites:
            for counter in site.use.signals:
                found.setdefault(counter, []).append(site)
        return found

    def beginning(self, buffer: str) -> UseSite | None:
        """The one use that begins the contents of a buffer; None if there is none, or several."""
        found = [s for s in self.sites if isinstance(s.use, Command) and s.use.begins and buffer == _written(s)]
        return found[0] if len(found) == 1 else None

    def moment(self, site: UseSite, mark: str = "", alike: frozenset[str] = frozenset()) -> Moment:
        """An iteration of the site, under names of its own. alike: those that it shares with the unmarked moment."""
        return Moment(mark, self.sizes | self.counts | alike, site)

    def known(self, *moments: Moment) -> list[Formula]:
        """Ranges of all moments, and the facts about each two of them."""
        found = [f for m in moments for f in m.ranges()]
        return found + [f for n, x in enumerate(moments) for y in moments[n + 1 :] for f in together(x, y)]

    def before(self, x: Moment, y: Moment) -> Formula:
        """x comes before y in the text."""
        level = x.site.common(y.site)
        first = x.site.ahead(y.site)
        if level == 0:
            return TRUE if first else FALSE
        return ("le" if first else "lt", x.number(level - 1), y.number(level - 1))

    def signalled(self, counter: str, x: Moment) -> Any | None:
        """The number of signals of the counter before x in the text.

        Returns None unless it is a sum of numbers of loops around x, and one engine alone signals it, under no condition.
        """
        sites = self.signals.get(counter, [])
        levels = [site.common(x.site) for site in sites]
        inside = all(level == len(site.loops) for level, site in zip(levels, sites, strict=True))
        if len({s.engine for s in sites}) > 1 or not inside or any(s.guard for s in sites):
            return None
        counts = (x.number(level - 1) if level else sp.S.Zero for level in levels)
        return sp.Add(*counts, sum(site.ahead(x.site) for site in sites))

    def happens_before(self, x: Moment, y: Moment) -> Formula:
        """x is complete before y begins, by the text of one engine or by one counter."""
        if x.site.engine == y.site.engine:
            return self.before(x, y)
        return ("or", *self._joined(x, y), FALSE)

    def between(self, x: Moment, y: Moment) -> Iterator[tuple[Moment, list[Formula], Formula]]:
        """Possible signals w between x and y: (w, facts about it, whether x comes before w and w before y).

        On another engine than x: the last signal y waits for, so y begins after it is complete. On the engine of x: the
        first signal in loops behind x. The facts hold only if there is such a signal.
        """
        for n, (counter, amount) in enumerate(self._met(y)):
            sites = self.signals.get(counter, [])
            if len(sites) != 1 or sites[0].engine == y.site.engine or sites[0].guard:
                continue
            w = self.moment(sites[0], f"'between{n}")
            shared = x.site.common(w.site)
            if w.site.engine != x.site.engine:
                some: Formula = ("le", sp.S.One, amount)
                facts, follows = [("eq", w.number(), amount - 1)], self.happens_before(x, w)
            elif x.site.ahead(w.site) and shared < len(w.site.loops):
                inner = w.site.loops[shared:]
                some = ("and", *(("le", sp.S.One, w.at(loop.count)) for loop in inner))
                facts = [("eq", w.at(loop.var), x.at(loop.var)) for loop in x.site.loops[:shared]]
                facts += [("eq", w.at(loop.var), sp.S.Zero) for loop in inner]
                follows = ("le", w.number() + 1, amount)
            else:
                continue
            facts += [*self.known(x, w), *together(w, y)]
            yield w, [("implies", some, f) for f in facts], ("and", some, follows)

    def _joined(self, x: Moment, y: Moment) -> Iterator[Formula]:
        for counter, amount in self._met(y):
            engines = {s.engine for s in self.signals.get(counter, [])}
            earlier = self.signalled(counter, x)
            if engines == {x.site.engine} and earlier is not None:
                yield ("le", earlier + 1, amount)

    def _met(self, y: Moment) -> Iterator[tuple[str, Any]]:
        """(counter, amount) of each await finished by its engine when y begins."""
        for site in self.sites:
            if site.engine != y.site.engine or not (site is y.site or site.ahead(y.site)):
                continue
            inside = site.loops[site.common(y.site) :] if site is not y.site else ()
            if site is not y.site and site.guard:
                continue  # it may not be issued
            if not all(sp.sympify(loop.count).is_Integer and loop.count >= 1 for loop in inside):
                continue  # it may not be issued at all
            own = {e.name for loop in inside for e in (loop.var, loop.number)}
            for counter, amount in site.use.awaits:
                if not own & symbols_of([amount]):
                    yield counter, y.at(amount)


def _site(use: Issued, site: Site) -> UseSite:
    """The site of a use with its conditions, and its places loop by loop."""
    places: list[tuple[int, ...]] = [()]
    for n, around in zip(site.position[1:], (*site.around, None), strict=True):
        places[-1] = (*places[-1], n)
        if isinstance(around, Loop):
            places.append(())
    guard = tuple(c for n in site.around if isinstance(n, If) for c in n.condition)
    return UseSite(use, site.loops, site.position[1:], _name(use), guard, tuple(places))


def contract_of(site: UseSite) -> Statement:
    """The one statement of the instruction."""
    return site.use.instruction.kernel.statements[0]


def _written(site: UseSite) -> str:
    place = dict(site.use.operands).get(contract_of(site).target.tensor)
    return "" if place is None else place.name


def _name(use: Issued) -> str:
    """Its instruction, and the first of its operands."""
    names = [ref.name for _, ref in use.operands]
    return " ".join([use.instruction.name, *names[:1]])
