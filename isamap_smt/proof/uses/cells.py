"""Cells of uses: the points of a use, the element of each cell, and the cells of sums.

A use names a piece of a buffer, the start of its operand, and the content there. An operand with more rows than a piece
continues in the next pieces, with the next contents of the innermost loop: r is row r % rows of the content r // rows
further on. If that loop has no such iteration, the cell belongs to no content and its value is unknown. A use that
begins a content begins only this one, and leaves anything in the rows beyond. A use may also name a row of the piece as
the start of its operand; then it stays in this piece.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import sympy as sp

from isamap_smt.ir.engines import Operand
from isamap_smt.ir.expr import WIDEST, FloorDiv, FloorMod, Inside, element, elements, substitute, sym, written
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.layouts import has_layout, is_box, layout_of
from isamap_smt.ir.program import Buffer, Ref
from isamap_smt.ir.used import uses
from isamap_smt.proof.uses.moments import FALSE, Formula, Moment, Moments, UseSite, contract_of

Held = tuple[list[Any], list[Formula]]  # coordinates, guard


def axes_inside(site: UseSite, x: Moment) -> list[Formula]:
    """The points of the instruction's axes, active or not."""
    return [f for a in contract_of(site).axes for f in (("le", 0, x.at(a.symbol)), ("lt", x.at(a.symbol), a.extent))]


def active(site: UseSite, x: Moment) -> list[Formula]:
    """Bounds by parameters: active axes lie below theirs, front axes at theirs or above."""
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


@dataclass(frozen=True)
class Cell:
    """The cell of an operand, at a point: its content, its piece and row there, and its column.

    inside: conditions under which it is a cell of a content: on the row, and on the cells of indices that name it.
    """

    version: tuple[Any, ...]
    piece: Any
    row: Any
    column: Any
    inside: list[Formula]


def cell(moments: Moments, site: UseSite, operand: Operand, place: Ref) -> Cell:
    """Over the site's variables and the instruction's axes."""
    buffer, (row, column, known) = moments.buffers[place.name], rows_and_columns(moments, site, operand)
    row += first_row(place)
    own = Cell(tuple(place.version), place.index[0], row, column, known)
    if stays(site, operand, place, buffer):
        return own
    begin = moments.beginning(place.name)
    if begin is None or begin is site or not begin.loops or not place.version:
        return Cell(own.version, own.piece, row, column, [*known, ("lt", row, buffer.rows)])
    further, (*outer, last) = FloorDiv(row, buffer.rows), place.version
    inside = [*known, ("lt", last + further, begin.loops[-1].count)]
    return Cell((*outer, last + further), own.piece + further, FloorMod(row, buffer.rows), column, inside)


def named_by_data(site: UseSite, operand: str) -> tuple[Any, ...]:
    """The operand's index in the contract if data names its cells, else ()."""
    found = [a.index for a in contract_of(site).inputs if a.tensor == operand and elements(a.index)]
    return found[0] if found else ()


def rows_and_columns(moments: Moments, site: UseSite, operand: Operand) -> tuple[Any, Any, list[Formula]]:
    """(row, column) of the operand's cell, at the contract's point, and the conditions under which it is this one.

    A cell named by data is that of the element in the cell of its index; if that one holds none, nobody knows.
    """
    index, sides = list(named_by_data(site, operand.name)), (sp.sympify(operand.row), sp.sympify(operand.column))
    if not index:
        return *sides, []
    places, held_there, known = dict(site.use.operands), {}, []
    for e in elements(index):
        of = site.use.instruction.operand(e.tensor)
        found = cell(moments, site, of, places[e.tensor])
        buffer = moments.buffers[places[e.tensor].name]
        names = {v.name: x for v, x in zip(buffer.version, found.version, strict=True)}
        names |= {c.name: sp.sympify(x) for c, x in zip(buffer.cells, (found.row, found.column), strict=True)}
        known += [*found.inside, *(substitute(g, names) for g in buffer.type.guard)]
        held_there[e] = element(buffer.type.tensor, [substitute(c, names) for c in buffer.type.coordinates])
    given = iter(sp.sympify(i).xreplace(held_there) for i in index)
    row, column = (next(given) if e != 0 else e for e in sides)
    return row, column, known


def data_in(kernel: Kernel, point: dict[str, Any], expressions: Iterable[Any]) -> list[Formula]:
    """Facts about elements in indices: their type's and their assumed values, and what each call has looked at.

    It has, at this point of the kernel, where the one statement uses them.
    """
    found: list[Formula] = []
    valid = [u for u in uses(kernel) if u.statement == 0 and not u.conditions and isinstance(u.index, Inside)]
    looked_at = [(substitute(written(u.index), point), substitute(u.extent, point)) for u in valid]
    for e, extent in looked_at:
        found += [("le", sp.S.Zero, e), ("lt", e, extent)]
    ranges = {name: (low, high) for name, low, high in kernel.ranges}
    for e in elements([*(i for i, _ in looked_at), *expressions]):
        kind = kernel.tensor(e.tensor).dtype
        low, high = ranges.get(e.tensor, (kind.low, kind.high)) if kind.bits <= 32 else (-WIDEST, WIDEST)
        found += [("le", sp.Integer(int(low)), e), ("le", e, sp.Integer(int(high)))]
    return found


def first_row(place: Ref) -> Any:
    """The first row of an operand in its piece; 0 unless named."""
    return place.index[1] if len(place.index) > 1 else sp.S.Zero


def stays(site: UseSite, operand: Operand, place: Ref, buffer: Buffer) -> bool:
    """Whether an operand has to lie in one piece."""
    return len(place.index) > 1 or not rows_of(site, operand) > buffer.rows


def rows_of(site: UseSite, operand: Operand) -> Any:
    """The number of rows of an operand; 1 if its row is no axis."""
    if not is_box(operand):
        known = has_layout(site.use.instruction, operand.name)  # if not, the bounds of its rows are asked for
        return sp.Integer(layout_of(site.use.instruction, operand.name).rows if known else 1)
    extents = {a.symbol: a.extent for a in contract_of(site).axes}
    if named_by_data(site, operand.name) and operand.row != 0:
        return sp.sympify(site.use.instruction.shapes[operand.name][0])
    return max((sp.sympify(extents[e]) for e in extents if e in sp.sympify(operand.row).free_symbols), default=sp.S.One)


def held(moments: Moments, site: UseSite, x: Moment, operand: Operand, place: Ref) -> Held:
    """(coordinates, guard) of the element in the operand's cell, at the point of x."""
    found = cell(moments, site, operand, place)
    coordinates, guard = stands_for(moments, site, x, found, moments.buffers[place.name])
    return coordinates, [*map(x.at, found.inside), *guard]


def stands_for(moments: Moments, site: UseSite, x: Moment, found: Cell, buffer: Buffer) -> Held:
    """The same of a cell of a content."""
    names = {v.name: x.at(e) for v, e in zip(buffer.version, found.version, strict=True)}
    names |= {c.name: x.at(e) for c, e in zip(buffer.cells, (found.row, found.column), strict=True)}
    named = set(found.version)  # the base of a loop is that of its own iteration
    names |= {loop.base.name: x.at(loop.base) for loop in site.loops if loop.base is not None and loop.var in named}
    return [substitute(c, names) for c in buffer.type.coordinates], [substitute(g, names) for g in buffer.type.guard]


def holds_zero(moments: Moments, site: UseSite, x: Moment, operand: Operand, place: Ref) -> Formula:
    """The cell of an operand belongs to a content, but to no element, so it holds 0; FALSE if it may hold anything."""
    if moments.buffers[place.name].type.outside != "0":
        return FALSE
    found = cell(moments, site, operand, place)
    guard = stands_for(moments, site, x, found, moments.buffers[place.name])[1]
    return ("and", *map(x.at, found.inside), negated(guard))


def equal(a: list[Any], b: list[Any]) -> list[Formula]:
    return [("eq", x, y) for x, y in zip(a, b, strict=True)]


def _sums(moments: Moments, site: UseSite) -> list[tuple[Operand, Ref]]:
    """Operands of a use in buffers of sums, with their places; the written one first."""
    total, written = moments.program.kernel.statements[0].target.tensor, contract_of(site).target.tensor
    places = sorted(site.use.operands, key=lambda x: x[0] != written)
    return [
        (site.use.instruction.operand(o), p)
        for o, p in places
        if p.name in moments.buffers and moments.buffers[p.name].type.tensor == total
    ]


def sums_of(moments: Moments, site: UseSite) -> tuple[Operand, Ref]:
    """The operand of a use in a buffer of sums, with its place; of two, the written one."""
    return _sums(moments, site)[0]


def taken_from(moments: Moments, site: UseSite) -> tuple[Operand, Ref]:
    """The operand read by a use that hands sums on, with its place."""
    return _sums(moments, site)[-1]
