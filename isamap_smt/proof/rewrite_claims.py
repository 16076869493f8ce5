"""The one checker of rewrites: each point once, equal terms, temporaries written before they are read, sums regrouped where the
arithmetic allows it.

Both kernels are read as they stand; what a rewrite says of its statements, their roles, is claimed, and proved with every open
size symbolic. A row says which roles its statements have, which claims these need, and in which words. After each group, the
first refutation ends it: the claims that follow rest on those before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from isamap_smt.ir import rows
from isamap_smt.ir.proof import ClaimResult
from isamap_smt.ir.rewrite import Again, Closing, Copied, Counted, Partial, Piece, Rewrite, Total, Valued
from isamap_smt.proof import rewrite_link as link
from isamap_smt.proof import rewrite_numbers as numbers
from isamap_smt.proof import rewrite_points as points
from isamap_smt.proof import rewrite_temporaries as temporaries
from isamap_smt.proof import rewrite_values as values
from isamap_smt.proof.program_book import Watch
from isamap_smt.proof.rewrite_book import RewriteBook, Words

Claim = Callable[[RewriteBook], None]


@dataclass(frozen=True)
class Asked:
    """groups: claims that are asked one group after the other."""

    groups: tuple[tuple[Claim, ...], ...]
    words: Words = field(default_factory=Words)


def _linked(cast: link.Cast, last: Claim) -> tuple[Claim, ...]:
    return (link.before, partial(link.statements, cast=cast), link.tensors, link.names, link.shapes, last)


_ONE, _SOME, _ANY = (1, 1), (1, link.MANY), (0, link.MANY)
_AROUND: Claim = partial(link.recurrences_around, inside=False)
_IN_TIME: Claim = partial(link.recurrences_around, inside=True)
_POINTS: tuple[Claim, ...] = (points.each_point_once,)

_IN_PLACE = Asked(
    (_linked({Piece: _ONE}, _IN_TIME), (points.in_order,), (partial(points.pieces, counted=False),), _POINTS)
)
ASKED: dict[type[rows.Row], Asked] = {
    rows.Digits: _IN_PLACE,
    rows.Bounded: _IN_PLACE,
    rows.Joined: _IN_PLACE,
    rows.Sums: Asked(
        (
            _linked({Partial: _ONE, Closing: _ONE, Piece: _ANY}, _IN_TIME),
            (link.regrouped,),
            (partial(points.pieces, counted=True),),
            (temporaries.temporaries, temporaries.cells),
            (temporaries.closing_of_parts,),
            (temporaries.closing_bounds,),
            _POINTS,
        ),
        Words(
            neutral="{name} is a temporary that one piece adds to before one statement reads it",
            closing="the closing statement adds to every output of the sum",
        ),
    ),
    rows.Moved: Asked(
        (
            _linked({Copied: _ONE, Total: _ONE, Again: _ONE, Closing: _ONE}, _AROUND),
            (link.regrouped,),
            (
                temporaries.temporaries,
                temporaries.elements,
                temporaries.wrapping,
                temporaries.restated,
                temporaries.totals,
            ),
            (temporaries.closing,),
            (values.terms_moved,),
        ),
        Words(
            filled="every element of {of} is moved to its place in {name}",
            again=("sum", "it is the sum that was, of {name}"),
            closing="{name} is added to every output of the sum, once",
        ),
    ),
    rows.Multiplied: Asked(
        (
            _linked({Total: _SOME, Again: _ONE, Closing: _ONE}, _AROUND),
            (link.regrouped,),
            (temporaries.temporaries, temporaries.wrapping, temporaries.restated, temporaries.totals),
            (temporaries.closing,),
            (values.terms_multiplied,),
        ),
        Words(
            kind="{name} has the output's type",
            again=("sum", "what is left is summed over the same points, into the same output"),
            closing="each total, times what does not vary along the sum, is added to every output of the sum, once",
        ),
    ),
    rows.Staged: Asked(
        (
            _linked({Valued: _ONE, Again: _ONE}, _AROUND),
            (temporaries.temporaries, temporaries.elements, values.values_kept, temporaries.restated),
        ),
        Words(
            filled="each point of the reduction is an element of {name}, under the same guard",
            again=("reduction", "it is the reduction that was, of {name}"),
        ),
    ),
    rows.Numbered: Asked(
        (
            (
                link.before,
                partial(link.statements, cast={Counted: _SOME, Again: _SOME}),
                link.tensors,
                link.names,
                link.recurrences,
            ),
            (numbers.tables,),
            (numbers.elements_for_values,),
        ),
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
    for group in row.groups:
        for claim in group:
            claim(book)
        if not book.all_proved:
            break
    return book.results


__all__ = ["ASKED", "Asked", "asked"]
