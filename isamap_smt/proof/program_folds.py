"""Claim 16 for temporaries of which each iteration of a loop has a block of its own (Loop.folds, isamap_smt.ir.folds).

Asked is that each place of the tensor that is touched lies in the block that the loop counts. The loop stands at the top, or in
loops that fold the tensor too, each in a dimension of its own; everything that touches the tensor stands inside it. So an element
is touched in one iteration of them all; in one iteration the elements have cells of their own, the block being moved by a constant;
and what is read there was written there: each element is assigned, or begun at 0, before it is read (claims 10 and 18). The tensor
is no result, and nothing is read of what the memory held before.

Of a ring (Loop.rings) each iteration touches rows var and var + 1, what stands before the loop rows 0 and 1, and what stands behind
it the last two. A row is then touched in two iterations that follow each other, and the next one in its place only after them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import sympy as sp

from isamap_encodings.verdict import Refuted
from isamap_smt.ir.expr import is_constant
from isamap_smt.ir.program import Loop, Node, Point, Use
from isamap_smt.ir.traversal import nodes_of, walk
from isamap_smt.proof.program_accesses import Access
from isamap_smt.proof.program_book import Book, place
from isamap_smt.proof.program_sites import UnrecognisedError, state

_CLAIM = "forms"


def fold_claims(book: Book, touched: Sequence[Access]) -> None:
    """All of it, for each tensor that a loop of the program folds."""
    program = book.sites.program
    for node, around in walk(program):
        for tensor, dimension in node.folds if isinstance(node, Loop) else ():
            words = f"each iteration has a block of {tensor} of its own"
            book.attempt(
                _CLAIM, tensor, words, lambda x=node, t=tensor, d=dimension, a=around: _fold(book, x, t, d, a, touched)
            )  # fmt: skip

    for n, node in enumerate(program.body):
        for tensor, dimension in node.rings if isinstance(node, Loop) else ():
            words = f"two rows of {tensor} are kept"
            book.attempt(
                _CLAIM, tensor, words, lambda x=node, t=tensor, d=dimension, at=n: _ring(book, x, t, d, at, touched)
            )  # fmt: skip
    inner = [t for x, around in walk(program) if isinstance(x, Loop) and around for t, _ in x.rings]
    if inner:
        said = "a loop inside another one keeps two rows"
        book.note(_CLAIM, inner[0], "rings are of loops at the top", Refuted({}, said))


def _ring(book: Book, loop: Loop, tensor: str, dimension: int, at: int, touched: Sequence[Access]) -> None:
    program, kernel = book.sites.program, book.sites.kernel
    counted = loop.step == 1 and is_constant(loop.count) and loop.count >= 1 and loop.end is None
    if not loop.plain or loop.base is not None or not counted:
        raise UnrecognisedError(f"{loop.var} is no loop in order, in steps of 1, so it keeps no two rows of {tensor}")
    every = [t for x in nodes_of(Loop, program.body) for t, _ in (*x.folds, *x.rings)]
    if every.count(tensor) != 1 or _uses(program.ahead, tensor):
        raise UnrecognisedError(f"{tensor} is folded twice, or touched ahead of the calls")
    fresh = tensor in program.assigned and tensor in kernel.temporaries and tensor not in kernel.results
    said = f"{tensor} is a result, or its elements are not all assigned before they are read"
    book.structure(_CLAIM, tensor, "it is a temporary of which nothing is read that was not written", fresh, said)

    apart = not any(x.across is not None and tensor in {r.name for r in x.reads} for x in nodes_of(Point, program.body))
    said = f"instructions combine elements of {tensor} side by side, which two rows do not keep in their order"
    book.structure(_CLAIM, tensor, "no instruction combines its elements side by side", apart, said)

    def rows(a: Access) -> Any:
        here = a.site.position[1]
        return loop.var if here == at else sp.S.Zero if here < at else sp.sympify(loop.count) - 1

    _all_within(book, tensor, dimension, touched, rows, 2, f"rows that are there, of {loop.var} and the next")


def _all_within(
    book: Book, tensor: str, dimension: int, touched: Sequence[Access], base: Callable[[Access], Any], length: Any, what: str
) -> None:  # fmt: skip
    """Each place of the tensor that is touched lies in so many rows from base(access) on."""
    seen = set()
    for a in touched:
        if a.place.home is not None or a.place.name != tensor:
            continue
        if not 0 <= dimension < len(a.place.index):
            raise UnrecognisedError(f"{tensor} has no dimension {dimension}")
        seen.add(a.site.position)
        moved = sp.expand(a.place.index[dimension] - base(a))
        words = f"what is touched {place(a.site)} lies in the {what}"
        goals = [("le", sp.S.Zero, moved), ("lt", moved, sp.sympify(length))]
        book.ask(_CLAIM, tensor, words, [*state(a.site), a.where], goals)
    uses = {
        s.position
        for s in book.sites.sites
        if isinstance(s.node, Use) and tensor in (r.name for _, r in s.node.operands)
    }
    if uses - seen:
        said = f"{tensor} is touched in {len(uses - seen)} places that no claim knows"
        book.note(_CLAIM, tensor, "each place that touches it is known", Refuted({}, said))


def _fold(
    book: Book, loop: Loop, tensor: str, dimension: int, around: Sequence[Node], touched: Sequence[Access]
) -> None:  # fmt: skip
    program, kernel = book.sites.program, book.sites.kernel
    dimensions = [dict(x.folds).get(tensor, -1) if isinstance(x, Loop) else -1 for x in around]
    top = -1 not in dimensions and (around or loop in program.body)
    if not top or not loop.folding:
        raise UnrecognisedError(f"{loop.var} is no loop at the top in equal steps, so {tensor} is not folded")
    every = [t for x in nodes_of(Loop, program.body) for t, _ in x.folds]
    if dimension in dimensions or every.count(tensor) != _depth(loop, tensor) + len(around):
        raise UnrecognisedError(f"{tensor} is folded twice")
    right = tensor in kernel.temporaries and tensor not in kernel.results and tensor in program.unfilled
    said = f"{tensor} is a result, or its elements are not all assigned or begun before they are read"
    book.structure(_CLAIM, tensor, "it is a temporary of which nothing is read that was not written", right, said)
    inside = _uses((loop,), tensor) == _uses((*program.ahead, *program.body), tensor)
    said = f"{tensor} is touched outside of the loop over {loop.var}"
    book.structure(_CLAIM, tensor, f"nothing outside of the loop over {loop.var} touches it", inside, said)
    what = f"block of {loop.step} that {loop.var} counts"
    _all_within(book, tensor, dimension, touched, lambda _: loop.step * loop.var, loop.step, what)


def _depth(loop: Loop, tensor: str) -> int:
    """How many loops fold it, one inside the other, from this one on."""
    return sum(tensor in dict(x.folds) for x in nodes_of(Loop, (loop,)))


def _uses(nodes: Sequence[Node], tensor: str) -> int:
    """How many uses among the nodes touch it."""
    return sum(tensor in (r.name for _, r in n.operands) for n in nodes_of(Use, tuple(nodes)))


__all__ = ["fold_claims"]
