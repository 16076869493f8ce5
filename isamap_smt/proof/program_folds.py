"""Claim 16 for temporaries of which each iteration of a loop has a block of its own (Loop.folds, isamap_smt.ir.folds).

Asked is that each place of the tensor that is touched lies in the block that the loop counts. The loop stands at the top, or in
loops that fold the tensor too, each in a dimension of its own; everything that touches the tensor stands inside it. So an element
is touched in one iteration of them all; in one iteration the elements have cells of their own, the block being moved by a constant;
and what is read there was written there: each element is assigned, or begun at 0, before it is read (claims 10 and 11). The tensor
is no result, and nothing is read of what the memory held before.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from isamap_encodings.verdict import Refuted
from isamap_smt.ir.folds import assigned_whole
from isamap_smt.ir.program import Loop, Node, Use, walk
from isamap_smt.proof.program_accesses import Access
from isamap_smt.proof.program_book import Book, place
from isamap_smt.proof.program_sites import UnrecognisedError, state

_CLAIM = "forms"


def fold_claims(book: Book, touched: Sequence[Access]) -> None:
    """All of it, for each tensor that a loop of the program folds."""
    program = book.sites.program
    for node, around in walk((*program.ahead, *program.body)):
        for tensor, dimension in node.folds if isinstance(node, Loop) else ():
            words = f"{tensor} lies at the front of its memory in each iteration"
            book.attempt(
                _CLAIM, tensor, words, lambda x=node, t=tensor, d=dimension, a=around: _fold(book, x, t, d, a, touched)
            )  # fmt: skip


def _fold(
    book: Book, loop: Loop, tensor: str, dimension: int, around: Sequence[Node], touched: Sequence[Access]
) -> None:  # fmt: skip
    program, kernel = book.sites.program, book.sites.kernel
    dimensions = [dict(x.folds).get(tensor, -1) if isinstance(x, Loop) else -1 for x in around]
    top = -1 not in dimensions and (around or loop in program.body)
    if not top or not loop.folding:
        raise UnrecognisedError(f"{loop.var} is no loop at the top in equal steps, so {tensor} is not folded")
    every = [t for x, _ in walk(program.body) if isinstance(x, Loop) for t, _ in x.folds]
    if dimension in dimensions or every.count(tensor) != _depth(loop, tensor) + len(around):
        raise UnrecognisedError(f"{tensor} is folded twice")
    fresh = tensor in program.starts or tensor in assigned_whole(kernel)
    right = tensor in kernel.temporaries and tensor not in kernel.results and fresh
    said = f"{tensor} is a result, or its elements are not all assigned or begun before they are read"
    book.structure(_CLAIM, tensor, "it is a temporary of which nothing is read that was not written", right, said)
    inside = _uses((loop,), tensor) == _uses((*program.ahead, *program.body), tensor)
    said = f"{tensor} is touched outside of the loop over {loop.var}"
    book.structure(_CLAIM, tensor, f"nothing outside of the loop over {loop.var} touches it", inside, said)
    seen = set()
    for a in touched:
        if a.place.home is not None or a.place.name != tensor:
            continue
        if not 0 <= dimension < len(a.place.index):
            raise UnrecognisedError(f"{tensor} has no dimension {dimension}")
        seen.add(a.site.position)
        moved = sp.expand(a.place.index[dimension] - loop.step * loop.var)
        words = f"what is touched {place(a.site)} lies in the block of {loop.step} that {loop.var} counts"
        goals = [("le", sp.S.Zero, moved), ("lt", moved, sp.sympify(loop.step))]
        book.ask(_CLAIM, tensor, words, [*state(a.site), a.where], goals)
    uses = {
        s.position
        for s in book.sites.sites
        if isinstance(s.node, Use) and tensor in (r.name for _, r in s.node.operands)
    }
    if uses - seen:
        said = f"{tensor} is touched in {len(uses - seen)} places that no claim knows"
        book.note(_CLAIM, tensor, "each place that touches it is known", Refuted({}, said))


def _depth(loop: Loop, tensor: str) -> int:
    """How many loops fold it, one inside the other, from this one on."""
    return sum(tensor in dict(x.folds) for x, _ in walk((loop,)) if isinstance(x, Loop))


def _uses(nodes: Sequence[Node], tensor: str) -> int:
    """How many uses among the nodes touch it."""
    return sum(isinstance(n, Use) and tensor in (r.name for _, r in n.operands) for n, _ in walk(tuple(nodes)))


__all__ = ["fold_claims"]
