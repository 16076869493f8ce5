"""Coverage: each point of a box has an iteration of a use, and cells of its instruction, that stand for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from isamap_smt.ir.expr import FloorDiv, FloorMod, affine, substitute, sym, symbols_of
from isamap_smt.proof.uses.book import UseBook
from isamap_smt.proof.uses.moments import Formula, UseSite, contract_of


def covered(
    book: UseBook, site: UseSite, index: dict[str, Any], axes: dict[str, Any], words: str,
    alive: Sequence[Formula] = (), where: Sequence[Formula] = (),
) -> None:  # fmt: skip
    """Each point (of those `where`) has an iteration and cells, for which `alive` holds: its digits, supplied and checked."""
    extents = {n: getattr(a, "extent", a) for n, a in axes.items()}
    given = [f for n, e in extents.items() for f in (("le", 0, sym(f"{n}?")), ("lt", sym(f"{n}?"), e))]
    given += where
    own = {a.name: a.extent for a in contract_of(site).axes}
    counts = {x.var.name: x.count for x in site.loops if x.base is None}
    bases = {x.base.name: x for x in site.loops if x.base is not None}
    found: dict[str, Any] = {}
    for n, e in index.items():
        value = sym(f"{n}?")
        for b in symbols_of([e]) & set(bases):  # a multiple of the step not above the value, less than a step below it
            found[b] = sym(f"{b}?")
            given += [("le", 0, found[b]), ("le", found[b], value), ("lt", value, found[b] + bases[b].step)]
        rest = substitute(e, dict.fromkeys(bases, sp.S.Zero))
        value -= sum(found[b] for b in symbols_of([e]) & set(bases))
        digits = _digits(rest, value, own, set(counts))
        if digits is None:
            return book.unknown("coverage", site.name, words, f"the digits of {e} are not recognised")
        found |= digits
    found |= dict.fromkeys({*own, *counts, *bases} - set(found), sp.S.Zero)
    goals = [f for n, e in counts.items() for f in (("le", 0, found[n]), ("lt", found[n], e))]
    goals += [f for n, e in own.items() for f in (("le", 0, found[n]), ("lt", found[n], e))]
    parameters = site.use.parameters
    goals += [("lt", found[b], x.extent) for b, x in bases.items()]
    goals += [("lt", found[a], substitute(parameters[p], found)) for a, p in site.use.instruction.active]
    goals += [("le", substitute(parameters[p], found), found[a]) for a, p in site.use.instruction.front]
    goals += [("eq", substitute(e, found), sym(f"{n}?")) for n, e in index.items()]
    goals += [_at(f, found) for f in alive]
    book.ask("coverage", site.name, words, given, goals)
    return None


def _at(f: Formula, values: dict[str, Any]) -> Formula:
    """A formula at these values."""
    return (f[0], *(_at(g, values) for g in f[1:])) if isinstance(f, tuple) else substitute(f, values)


def _digits(e: Any, value: Any, own: dict[str, Any], loops: set[str]) -> dict[str, Any] | None:
    """Values of the symbols of a sum such as `32 * j0 + 16 * ju + l` that give the value: its digits, the largest step first. What
    does not run is taken off, and `I - 1 - 8 * i0 - r` counts backwards. Whether they are the value is a goal of its own."""
    names = symbols_of([e]) & (set(own) | loops)
    if not names:
        return {}
    split = affine(e, names)
    if split is None:
        return None
    steps, rest = split[0], value - split[1]
    if all(c.is_Integer and c < 0 for c in steps.values()):
        steps, rest = {n: -c for n, c in steps.items()}, -rest
    ordered = sorted(((c, n) for n, c in steps.items()), key=lambda x: -x[0] if x[0].is_Integer else 0)
    if any(not c.is_Integer or c <= 0 for c, _ in ordered) or ordered[-1][0] != 1:
        return None
    found: dict[str, Any] = {}
    for c, n in ordered:
        found[n], rest = FloorDiv(rest, c), FloorMod(rest, c)
    return found
