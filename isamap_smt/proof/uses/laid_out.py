"""Operands whose rows and columns are no axes: where their elements lie, in one use and in others of the same content.

1. two elements of an operand lie in two cells;
2. the use that begins a content puts its elements into the cells in which each other use has them.

An update changes each sum: the coordinates of its cells are digits of digits there, and are proved to go on by its axes.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from isamap_encodings.program_implication import implied
from isamap_encodings.verdict import Proved
from isamap_smt.ir.engines import Operand
from isamap_smt.ir.expr import substitute, sym
from isamap_smt.ir.layouts import first_apart, has_layout, lies
from isamap_smt.ir.program import Buffer
from isamap_smt.proof.uses.book import UseBook
from isamap_smt.proof.uses.cells import axes_inside, equal, first_row, rows_and_columns
from isamap_smt.proof.uses.moments import Moments, UseSite, contract_of


def laid_out_alike(book: UseBook, moments: Moments, site: UseSite, operand: Operand, buffer: Buffer) -> None:
    """Each cell that a use touches is the one of an element of the layout of the use that begins it."""
    own = (site.use.instruction, operand)
    for user in moments.sites:
        for name, place in user.use.operands:
            if place.name != buffer.name or user is site:
                continue
            other = user.use.instruction.operand(name)
            words = f"{user.name} has elements of {buffer.name} in the cells into which {site.name} puts them"
            axes = {mine: sym(theirs) for theirs, mine in lies(own, (user.use.instruction, other)).items()}
            wrong = "" if axes else f"their places are others{first_apart(own, (user.use.instruction, other))}"
            if not book.structure("program", buffer.name, words, not wrong, wrong):
                continue
            x, (row, column, known) = moments.moment(user), rows_and_columns(moments, user, other)
            cells = ((operand.row, row + first_row(place)), (operand.column, column))
            goals = [("eq", x.at(substitute(a, axes)), x.at(b)) for a, b in cells]
            given = [*x.ranges(), *axes_inside(user, x), *map(x.at, known)]
            book.ask("program", buffer.name, f"{words}, at each point", given, goals, (x,))


def apart_cells(book: UseBook, moments: Moments, site: UseSite, operand: Operand) -> None:
    """Two elements of an operand whose rows and columns are no axes lie in two cells."""
    x, y = moments.moment(site), moments.moment(site, "'")
    index = site.use.instruction.indices[operand.name]
    plain = has_layout(site.use.instruction, operand.name)
    words = f"each element of {operand.name} of {site.name} has a cell of its own"
    own = (
        f"{operand.memory}[{operand.row}, {operand.column}] is no place of {operand.name}[{', '.join(map(str, index))}]"
    )
    if book.structure("exclusive", site.name, words, plain, own):
        given = [*axes_inside(site, x), *axes_inside(site, y)]
        given += [("eq", x.at(e), y.at(e)) for e in (operand.row, operand.column)]
        book.ask("exclusive", site.name, f"{words}, at each point", given, [("eq", x.at(e), y.at(e)) for e in index])


def straight(book: UseBook, moments: Moments, site: UseSite, coordinates: list[Any]) -> list[Any]:
    """The coordinates of an element as sums of the contract's axes, where they are proved to be these; else as they are."""
    x, none = moments.moment(site), {a.name: sp.S.Zero for a in contract_of(site).axes}
    found = []
    for e in coordinates:
        begin = substitute(e, none)
        steps = (sp.expand(substitute(e, {**none, a: sp.S.One}) - begin) * sym(a) for a in none)
        found.append(sp.expand(begin + sum(steps)))
    given = [*book.sites.hypotheses, *x.ranges(), *axes_inside(site, x)]
    words = f"{site.name} has the next element at each next point of its axes"
    verdict = implied(given, equal(coordinates, found), book.sites.sizes, f"coverage {site.name}: {words}")
    if not isinstance(verdict, Proved):
        return coordinates
    book.note("coverage", site.name, words, verdict)
    return found
