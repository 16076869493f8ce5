"""Whether what the last write of a state has written is what a use needs: for all sizes and iterations, on each way.

A value is a number, an expression over loops and sizes, an element in main memory, whose bits a cell holds, or a number
granted to a request: then each number that may be granted has to be the needed one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from isamap_encodings.program_implication import implied
from isamap_encodings.verdict import Proved
from isamap_smt.ir.expr import sym
from isamap_smt.ir.program import Ask, Configure, Loop, Ref, SetState, Use
from isamap_smt.ir.states import allowed
from isamap_smt.proof.program_book import Book
from isamap_smt.proof.program_sites import Formula, Site
from isamap_smt.proof.reaching import Position, Reach, Reaching
from isamap_smt.proof.uses.moments import FALSE, Named

CLAIM = "configuration"


@dataclass(frozen=True)
class Granted:
    """What an implementation grants to a request for `number`, up to `most`; `symbol` stands for it."""

    symbol: Any
    number: Any
    most: Any


Value = Any  # a number, an expression, a Ref, or Granted


def written(use: Use, cell: int) -> Value:
    """The value of a cell behind a write of its state; 0 beyond the cells written."""
    if isinstance(use, Ask):
        asked = Granted(sym(f"{use.state}'"), sp.sympify(use.number), sp.sympify(use.instruction.grants))
        return asked if cell == 0 else 0
    assert isinstance(use, SetState | Configure)
    return use.cells[cell] if cell < len(use.cells) else 0


def cells_of(use: SetState | Configure) -> int:
    """The number of cells that it writes."""
    return int(use.instruction.kernel.axes[0].extent)


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


@dataclass
class Ways:
    """Which ways there are, of those found in the text of a program."""

    book: Book
    reaching: Reaching
    _run: dict[Position, bool] = field(default_factory=dict)

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
            words = f"{CLAIM} {site.node.var}: it runs"
            known = [*sites.hypotheses, *site.context()]
            found = implied(known, [("le", 1, count)], sites.sizes, words, smallest=False)
            self._run[position] = isinstance(found, Proved)
        return self._run[position]
