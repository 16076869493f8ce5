"""Whether what the last write of a state has written is what a use needs: on each way, for all sizes and iterations.

A value is a number, an expression over loops and sizes, an element in main memory, whose bits a cell holds, or a number
granted to a request: then each number that may be granted has to be the needed one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import sympy as sp

from isamap_encodings.program_implication import implied
from isamap_encodings.verdict import Proved, Refuted, Unknown, Verdict
from isamap_smt.ir.engine_states import named_set
from isamap_smt.ir.expr import FloorMod, sym
from isamap_smt.ir.program import Alloc, Ask, Configure, If, Issued, Loop, Node, Parallel, Ref, SetState, Use
from isamap_smt.ir.states import allowed
from isamap_smt.mapping.moves import registers_of
from isamap_smt.proof.program_book import Book
from isamap_smt.proof.program_sites import Formula, Site, mentioned
from isamap_smt.proof.reaching import CONTENT, Key, Position, Positions, Reach, Reaching, Visit
from isamap_smt.proof.uses.moments import FALSE, TRUE, Named

CLAIM = "configuration"
MARK = "'set"  # of names at the moment of a write
Value = Any  # a number, an expression, a Ref, or Granted


@dataclass(frozen=True)
class Granted:
    """What an implementation grants to a request for `number`, up to `most`; `symbol` stands for it."""

    symbol: Any
    number: Any
    most: Any


def written(node: Node | Use, cell: int) -> Value:
    """The value of a cell behind a write of its state; of CONTENT: 1 if the node declares the buffer."""
    match node:
        case Ask():
            asked = Granted(sym(f"{node.state}'"), sp.sympify(node.number), sp.sympify(node.instruction.grants))
            return asked if cell == 0 else 0
        case SetState() | Configure() if 0 <= cell < len(node.cells):
            return node.cells[cell]
    return int(cell == CONTENT and isinstance(node, Alloc))


def cells_of(use: SetState | Configure) -> int:
    """The number of cells that it writes."""
    return int(use.instruction.kernel.axes[0].extent)


def well_formed(use: SetState | Configure) -> bool:
    """Each of its cells is given a value; on a core a byte, which is 0 if the instruction takes none."""
    most = 255 if use.instruction.kernel.inputs else 0
    right = isinstance(use, Configure) or all(type(e) is int and 0 <= e <= most for e in use.cells)
    return right and len(use.cells) == cells_of(use)


def touched(node: Node, files: Collection[str] = ()) -> tuple[list[Key], list[Key]]:
    """(keys needed, keys written). files: buffers in numbered registers, whose contents a thread's write of a state loses."""
    match node:
        case Alloc(buffer=b) if b.name in files:
            return [], [(b.name, CONTENT)]
        case SetState():
            return [], [*([(node.state, 0)] if well_formed(node) else []), *((name, CONTENT) for name in files)]
        case Use() if node.state:
            return [], [(node.state, _set(node, node.state))]
        case Use(instruction=i):
            states = dict.fromkeys([n.memory for n in i.numbers_needed] + [n.memory for n in i.cells_needed])
            held = dict.fromkeys(ref.name for operand, i, ref in registers_of(node) if operand in i.registers)
            return [*((m, _set(node, m)) for m in states), *((name, CONTENT) for name in held)], []
    return [], []


def _set(use: Use, memory: str) -> int:
    return (named_set(use, memory) or 0) if isinstance(use, Issued) else 0


def agreement(needed: Value, has: Value, x: Named, y: Named) -> tuple[list[Formula], list[Formula]]:
    """(facts, goals): the value at y is the one needed at x."""
    if isinstance(has, Granted):
        return [allowed(has.symbol, y.at(has.number), has.most)], [("eq", has.symbol, x.at(needed))]
    pairs = [(needed, has)]
    if isinstance(needed, Ref) or isinstance(has, Ref):
        if not (isinstance(needed, Ref) and isinstance(has, Ref) and needed.name == has.name):
            return [], [FALSE]
        pairs = list(zip(needed.index, has.index, strict=True))
    apart = [sp.expand(x.at(a) - y.at(b)) for a, b in pairs]
    return [], [FALSE if e.is_Integer else ("eq", e, sp.S.Zero) for e in apart if e != 0]


def names_of(loops: tuple[Loop, ...]) -> frozenset[str]:
    """The names that have one value in an iteration of these loops."""
    return frozenset(e.name for x in loops for e in (x.var, x.number, x.base) if e is not None)


@dataclass(frozen=True)
class Wish:
    """What is needed of a cell behind the last write.

    begins: the value of a cell that nothing has written; None if it has none. told: a counterexample in words, with the
    write. differs: why it is not known where the value is wrong on some ways alone.
    """

    needed: Any
    cell: int
    begins: Value | None
    told: Callable[[Site | None, Mapping[str, int]], str]
    differs: str
    question: str


@dataclass
class Ways:
    """The ways found in the text of a program, and what holds on them."""

    book: Book
    reaching: Reaching
    _run: dict[Position, bool] = field(default_factory=dict)
    _asked: dict[tuple[Formula, ...], Verdict] = field(default_factory=dict)

    def possible(self, reach: Reach) -> dict[Site | None, int]:
        """The writes in the order of the text, with the loops known to be in the same iteration."""
        found: dict[Site | None, int] = {}
        for way, level in sorted(reach.items(), key=lambda pair: pair[0].write.position if pair[0].write else ()):
            if not any(map(self._runs, way.skipped)):
                found[way.write] = min(level, found.get(way.write, level))
        return found

    def _runs(self, position: Position) -> bool:
        """Whether the loop has an iteration wherever it is reached, at all sizes."""
        if position not in self._run:
            site = self.reaching.sites[position]
            assert isinstance(site.node, Loop)
            count, sites = sp.sympify(site.node.trips), self.book.sites
            known, words = [*sites.hypotheses, *site.context()], f"{CLAIM} {site.node.var}: it runs"
            found = implied(known, [("le", 1, count)], sites.sizes, words, smallest=False)
            self._run[position] = isinstance(found, Proved)
        return self._run[position]

    def judged(self, site: Site, visits: list[Visit], wish: Wish) -> list[Verdict]:
        """One verdict if the value is right on all ways, else one for all ways that may lead there in one case."""
        self._asked.clear()  # what proves a claim is asked for it, and recorded with it
        each = [self._on_way(site, wish, w.write, level) for visit in visits for w, level in visit.reach.items()]
        if all(isinstance(v, Proved) for v in each):
            return [Proved(sum(v.seconds for v in dict.fromkeys(each)))]
        cases: dict[tuple[tuple[Site | None, int], ...], list[Positions]] = {}
        for visit in visits:  # only now is it asked which loops run
            cases.setdefault(tuple(self.possible(visit.reach).items()), []).append(visit.first)
        found = [self._in_case(site, wish, dict(ways), firsts) for ways, firsts in cases.items()]
        failed = [v for v in found if not isinstance(v, Proved)]
        return list({v.text if isinstance(v, Refuted) else v.reason: v for v in failed}.values()) or [Proved()]

    def _in_case(self, site: Site, wish: Wish, ways: dict[Site | None, int], firsts: list[Positions]) -> Verdict:
        """Refuted only where a wrong write is the last one, in an iteration of this case."""
        wrong = [w for w, level in ways.items() if not isinstance(self._on_way(site, wish, w, level), Proved)]
        if not wrong:
            return Proved()
        compared = {w: self._compared(site, wish, w, level) for w, level in ways.items()}
        reached = [("lt", x.var, sp.sympify(x.trips)) for x in site.loops]
        if len(ways) > 1 and all(FALSE in goals for _, goals, _ in compared.values()):
            compared = {next((w for w in wrong if w), None): (site.context(), [FALSE], True)}
        for write in (w for w in compared if w in wrong):
            facts, goals, exact = compared[write]
            last = _last(site, write, ways) if len(compared) > 1 else []
            if not exact or last is None:
                continue
            facts = list(dict.fromkeys([*self._first(firsts), *facts, *reached, *last]))
            verdict = self._implied(wish, facts, goals)
            if isinstance(verdict, Refuted):
                return replace(verdict, text=wish.told(write, verdict.witness))
            if len(compared) == 1:
                return verdict
        return Unknown(wish.differs)

    def _on_way(self, site: Site, wish: Wish, write: Site | None, level: int) -> Verdict:
        """Whether the value of this write is the one needed, wherever both are."""
        return self._implied(wish, *self._compared(site, wish, write, level)[:2])

    def _compared(
        self, site: Site, wish: Wish, write: Site | None, level: int
    ) -> tuple[list[Formula], list[Formula], bool]:
        """(what is known where both are, what is to follow, whether the iterations of the write make no difference)."""
        has = wish.begins if write is None else written(write.node, wish.cell)
        if type(has) is int and has == wish.needed:
            return [], [], True
        if has is None:
            return site.context(), [FALSE], True
        names = frozenset(self.book.sites.given)
        y = Named(MARK, names | names_of(site.loops[:level]))
        facts, goals = agreement(wish.needed, has, Named("", names), y)
        there = [] if write is None else map(y.at, write.context())
        exact = not any(name.endswith(MARK) for f in (*facts, *goals) for name in mentioned(f))
        return list(dict.fromkeys([*site.context(), *there, *facts])), goals, exact

    def _implied(self, wish: Wish, facts: list[Formula], goals: list[Formula]) -> Verdict:
        asked, sites = (*facts, *goals), self.book.sites
        if goals and asked not in self._asked:
            known = [*sites.hypotheses, *facts]
            self._asked[asked] = implied(known, goals, sites.sizes, wish.question, smallest=not self.book.stop)
        return self._asked[asked] if goals else Proved()

    def _first(self, firsts: list[Positions]) -> list[Formula]:
        """Each loop of one of these sets is in its first iteration."""
        loops = [[self.reaching.sites[p].node for p in sorted(first)] for first in firsts]
        return [("or", *(("and", *(_at_first(x) for x in each if isinstance(x, Loop))) for each in loops))] * all(loops)


def _last(site: Site, write: Site | None, ways: Mapping[Site | None, int]) -> list[Formula] | None:
    """What suffices for none of the other writes to follow this one before the use; None if nothing is known to."""
    found: list[Formula] = []
    for other, level in ways.items():
        if other is None:
            continue
        shared = _shared(other, site)
        common = sum(isinstance(n, Loop) for n in other.around[:shared])
        both = 0 if write is None else _shared(other, write)
        again = other is not write and any(isinstance(n, Loop) for n in other.around[shared:both])
        if level < common or again:  # another iteration may have written
            return None
        if write is None or other.position > write.position:
            found.append(_left_out(other.around[shared:]))
    return found


def _shared(a: Site, b: Site) -> int:
    """How many loops and conditions are around both."""
    most = min(len(a.around), len(b.around))
    return next((n for n in range(most) if a.position[: n + 2] != b.position[: n + 2]), most)


def _left_out(around: tuple[Loop | If, ...]) -> Formula:
    """What suffices for nothing in these to be carried out; a thread need not take part in a parallel loop."""
    conditions: list[Formula] = [TRUE]
    for n in around:
        if isinstance(n, If):
            conditions += n.condition
        else:
            empty = TRUE if isinstance(n, Parallel) else ("le", sp.sympify(n.trips), sp.S.Zero)
            return ("or", ("not", ("and", *conditions)), empty)
    return ("not", ("and", *conditions))


def _at_first(loop: Loop) -> Formula:
    """The variable of a loop in its first iteration."""
    first, last = ("eq", loop.var, sp.S.Zero), ("eq", loop.var, sp.sympify(loop.trips) - 1)
    odd = ("eq", FloorMod(loop.backwards or sp.S.Zero, 2), sp.S.One)
    return ("and", ("implies", odd, last), ("implies", ("not", odd), first))


__all__ = [
    "CLAIM", "Granted", "Value", "Ways", "Wish", "agreement", "cells_of", "names_of", "touched", "well_formed", "written",
]  # fmt: skip
