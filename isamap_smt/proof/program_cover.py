"""A reader is covered by its writers: every cell read was written before, in the same life of the buffer.

A writer runs before a reader when it stands earlier at equal values of the loops they share. The iteration of the
writer's own loops is found by inverting its index, digit by digit; the guess is checked, not trusted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import sympy as sp

from isamap_smt.ir.expr import FloorDiv, FloorMod, IMin, affine, sym, symbols_of
from isamap_smt.ir.program import If
from isamap_smt.proof.program_held import TRUE, Place, Transfer
from isamap_smt.proof.program_sites import Formula, Site, before, common, conjunction, equal, own_spans, rename, span


def covered(
    reader: Site, cell: Sequence[Any], writers: Sequence[tuple[Site, Place, Formula]], shared: int | None = None
) -> Formula:
    """A formula in the reader's variables that implies: some writer has written this cell before.

    writers: (site, the cell it writes, the condition of the write). shared: the number of positions of the writer taken
    at the reader's values, if other than their common ones.
    """
    options: list[Formula] = []
    for site, place, where in writers:
        prefix = common(reader, site) if shared is None else shared
        if shared is None and not before(site, reader):
            continue
        option = _written_by(site, place, where, cell, prefix)
        if option is not None:
            options.append(option)
    return ("or", *options)


def _written_by(site: Site, place: Place, where: Formula, cell: Sequence[Any], prefix: int) -> Formula | None:
    inner = site.around[max(0, prefix - 1) :]
    loops = [(n.var, n.count) for n in inner if not isinstance(n, If)] + own_spans(site.node)
    conditions: list[Formula] = [c for n in inner if isinstance(n, If) for c in n.condition]
    # the reader's expressions may use the same names, so the writer's own variables get new ones first
    table = {v.name: sym(f"{v.name}~w") for v, _ in loops}
    spans = [(rename(v, table), rename(sp.sympify(n), table)) for v, n in loops]
    index = [rename(sp.sympify(i), table) for i in place.index]
    solved = inverted(index, cell, [v.name for v, _ in spans])
    if solved is None:
        return None
    goals = [f for v, n in spans for f in span(v, n)]
    goals += rename(conditions, table)
    goals += [rename(where, table)] if where != TRUE else []
    goals += equal(index, cell)
    return rename(conjunction(goals), solved)


def inverted(
    index: Sequence[Any],
    cell: Sequence[Any],
    unknown: Sequence[str],
    extents: Mapping[str, Any] = MappingProxyType({}),
    left_open: int = 0,
) -> dict[str, Any] | None:
    """Values of the unknowns with index = cell if there are any; None when an index is not affine in them.

    extents: of the unknowns; with them steps may be negative, too, and no digit but the last is beyond its extent.
    left_open: the value of unknowns not determined by the cell.
    """
    solved: dict[str, Any] = {}
    waiting = _joined(list(zip(index, cell, strict=True)))
    for entry, x in sorted(waiting, key=lambda p: len(symbols_of([p[0]]) & set(unknown))):
        i = rename(entry, solved)
        left = symbols_of([i]) & (set(unknown) - set(solved))
        if not left:
            continue
        parts = affine(i, left)
        if parts is None:
            return None
        steps, rest = parts
        if not all(c.is_Integer and (c > 0 or (extents and c < 0)) for c in steps.values()):
            return None
        remainder = sp.expand(x - rest)
        order = sorted(steps, key=lambda v: -abs(int(steps[v])))
        for v in order:
            digit = FloorDiv(sp.sign(steps[v]) * remainder, abs(steps[v]))
            solved[v] = IMin(digit, extents[v] - 1) if extents and v != order[-1] else digit
            remainder = sp.expand(remainder - steps[v] * solved[v])
    return {v: solved.get(v, sp.Integer(left_open)) for v in unknown}


def _joined(pairs: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """The pairs, with x // n = a and x % n = b as x = n*a + b: this finds lanes shared by two axes."""
    table = dict(pairs)
    whole = [(e, table[m]) for e, _ in pairs if isinstance(e, FloorDiv) and (m := FloorMod(*e.args)) in table]
    taken = {x for e, _ in whole for x in (e, FloorMod(*e.args))}
    return [
        *((e, x) for e, x in pairs if e not in taken),
        *((e.args[0], sp.expand(e.args[1] * table[e] + low)) for e, low in whole),
    ]


def writes(transfers: Sequence[Transfer], home: Site | None) -> list[tuple[Site, Place, Formula]]:
    """The transfers into the buffer declared at `home`."""
    return [(t.site, t.dst, t.written) for t in transfers if t.dst.home is home]
