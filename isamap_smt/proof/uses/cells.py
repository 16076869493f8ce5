"""Cells of uses: which points there are, what a cell stands for, and which cells hold sums."""

from __future__ import annotations

from typing import Any

from isamap_smt.ir.engines import Operand
from isamap_smt.ir.expr import substitute, sym
from isamap_smt.ir.program import Ref
from isamap_smt.proof.uses.moments import Formula, Moment, Moments, UseSite, contract_of

Held = tuple[list[Any], list[Formula]]  # coordinates, guard


def axes_inside(site: UseSite, x: Moment) -> list[Formula]:
    """The points of the instruction's axes, active or not."""
    return [f for a in contract_of(site).axes for f in (("le", 0, x.at(a.symbol)), ("lt", x.at(a.symbol), a.extent))]


def active(site: UseSite, x: Moment) -> list[Formula]:
    """Those axes that have a parameter lie below it, and from the other one on."""
    i, numbers = site.use.instruction, site.use.parameters
    below = [("lt", x.at(sym(a)), x.at(numbers[p])) for a, p in i.active]
    return below + [("le", x.at(numbers[p]), x.at(sym(a))) for a, p in i.front]


def whole(site: UseSite, x: Moment) -> list[Formula]:
    """All points are active."""
    i, numbers, extents = site.use.instruction, site.use.parameters, {a.name: a.extent for a in contract_of(site).axes}
    below = [("eq", x.at(numbers[p]), extents[a]) for a, p in i.active]
    return below + [("eq", x.at(numbers[p]), 0) for _, p in i.front]


def negated(guard: list[Formula]) -> Formula:
    """Some part does not hold."""
    return ("or", *(("not", g) for g in guard), ("lt", 0, 0))


def held(moments: Moments, site: UseSite, x: Moment, operand: Operand, place: Ref) -> Held:
    """What the cell of an operand stands for, at the point of x."""
    buffer = moments.buffers[place.name]
    names = {v.name: x.at(e) for v, e in zip(buffer.version, place.version, strict=True)}
    names |= {c.name: x.at(e) for c, e in zip(buffer.cells, (operand.row, operand.column), strict=True)}
    named = set(place.version)  # the base of a loop is that of its own iteration
    names |= {loop.base.name: x.at(loop.base) for loop in site.loops if loop.base is not None and loop.var in named}
    return [substitute(c, names) for c in buffer.type.coordinates], [substitute(g, names) for g in buffer.type.guard]


def equal(a: list[Any], b: list[Any]) -> list[Formula]:
    return [("eq", x, y) for x, y in zip(a, b, strict=True)]


def _sums(moments: Moments, site: UseSite) -> list[tuple[Operand, Ref]]:
    """Operands of a use that lie in buffers of sums, and their places; what it writes first."""
    total, written = moments.program.kernel.statements[0].target.tensor, contract_of(site).target.tensor
    places = sorted(site.use.operands, key=lambda x: x[0] != written)
    return [
        (site.use.instruction.operand(o), p)
        for o, p in places
        if p.name in moments.buffers and moments.buffers[p.name].type.tensor == total
    ]


def sums_of(moments: Moments, site: UseSite) -> tuple[Operand, Ref]:
    """The operand of a use that lies in a buffer of sums, and its place; what it writes, where two do."""
    return _sums(moments, site)[0]


def taken_from(moments: Moments, site: UseSite) -> tuple[Operand, Ref]:
    """Of a use that takes sums on: the operand that it reads, and its place."""
    return _sums(moments, site)[-1]
