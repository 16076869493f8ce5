"""The one checker of rewrites: each point once, equal terms, temporaries written before read, sums regrouped if legal.

Both kernels are read as they stand. The roles of a rewrite's statements are claims, proved with every open size
symbolic. A row lists the roles of its statements, the claims they need, and the words. The first refutation in a group
is the end: later claims rest on earlier ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from isamap_smt.ir import rows
from isamap_smt.ir.proof import ClaimResult
from isamap_smt.ir.rewrite import Again, Closing, Copied, Counted, Partial, Piece, Rewrite, Total, Valued
from isamap_smt.proof.noted import Watch
from isamap_smt.proof.rewrite_book import RewriteBook, Words
from isamap_smt.proof.rewrite_link import (
    ANY,
    ONE,
    SOME,
    Cast,
    before,
    names,
    recurrences,
    recurrences_around,
    regrouped,
    shapes,
    statements,
    tensors,
)  # fmt: skip
from isamap_smt.proof.rewrite_numbers import elements_for_values, tables
from isamap_smt.proof.rewrite_points import each_point_once, in_order, pieces
from isamap_smt.proof.rewrite_temporaries import (
    cells,
    closing,
    closing_bounds,
    closing_of_parts,
    elements,
    restated,
    temporaries,
    totals,
    wrapping,
)  # fmt: skip
from isamap_smt.proof.rewrite_values import terms_moved, terms_multiplied, values_kept

Claim = Callable[[RewriteBook], None]
SHAPES = (tensors, names, shapes)
PIECES, COUNTED = (partial(pieces, counted=n) for n in (False, True))
AROUND, IN_TIME = (partial(recurrences_around, inside=inside) for inside in (False, True))


@dataclass(frozen=True)
class Asked:
    """cast: the roles. last: the final claims, about all unchanged parts. groups: the claims behind it, group by group."""

    cast: Cast
    groups: tuple[tuple[Claim, ...], ...]
    last: tuple[Claim, ...] = (*SHAPES, AROUND)
    words: Words = field(default_factory=Words)

    @property
    def all_groups(self) -> tuple[tuple[Claim, ...], ...]:
        """Those about the link first: all others rest on it."""
        return ((before, partial(statements, cast=self.cast), *self.last), *self.groups)


IN_PLACE = Asked({Piece: ONE}, ((in_order,), (PIECES,), (each_point_once,)), (*SHAPES, IN_TIME))
ASKED: dict[type[rows.Row], Asked] = {
    rows.Digits: IN_PLACE,
    rows.Bounded: IN_PLACE,
    rows.Joined: IN_PLACE,
    rows.Sums: Asked(
        {Partial: ONE, Closing: ONE, Piece: ANY},
        ((regrouped,), (COUNTED,), (temporaries, cells), (closing_of_parts,), (closing_bounds,), (each_point_once,)),
        (*SHAPES, IN_TIME),
        Words(
            neutral="{name} is a temporary that one piece adds to before one statement reads it",
            closing="the closing statement adds to every output of the sum",
        ),
    ),
    rows.Moved: Asked(
        {Copied: ONE, Total: ONE, Again: ONE, Closing: ONE},
        ((regrouped,), (temporaries, elements, wrapping, restated, totals), (closing,), (terms_moved,)),
        words=Words(
            filled="every element of {of} is moved to its place in {name}",
            again=("sum", "it is the sum that was, of {name}"),
            closing="{name} is added to every output of the sum, once",
        ),
    ),
    rows.Multiplied: Asked(
        {Total: SOME, Again: ONE, Closing: ONE},
        ((regrouped,), (temporaries, wrapping, restated, totals), (closing,), (terms_multiplied,)),
        words=Words(
            kind="{name} has the output's type",
            again=("sum", "what is left is summed over the same points, into the same output"),
            closing="each total, times what does not vary along the sum, is added to every output of the sum, once",
        ),
    ),
    rows.Staged: Asked(
        {Valued: ONE, Again: ONE},
        ((temporaries, elements, values_kept, restated),),
        words=Words(
            filled="each point of the reduction is an element of {name}, under the same guard",
            again=("reduction", "it is the reduction that was, of {name}"),
        ),
    ),
    rows.Numbered: Asked(
        {Counted: SOME, Again: SOME},
        ((tables,), (elements_for_values,)),
        (tensors, names, recurrences),
        Words(
            statements="all but the values is as it was, behind the temporaries' statements",
            temporaries="the temporaries",
            neutral="{name} is written by one statement, in front of all that read it",
            filled="each element of {name} is computed once",
        ),
    ),
}


def asked(x: Rewrite, watch: Watch | None = None) -> list[ClaimResult]:
    """Every claim of the rewrite with its verdict, as far as those before it are proved."""
    row = ASKED[type(x.row)]
    book = RewriteBook(x, row.words, watch)
    for group in row.all_groups:
        for claim in group:
            claim(book)
        if not book.all_proved:
            break
    return book.results


__all__ = ["ASKED", "Asked", "asked"]
