"""A point that instructions compute from elements side by side: they lie in one row, and the tree is the point's own.

The instructions are those of the machine. What their contracts say one after the other, of these elements in this order, is the
statement's value, operation by operation; so every bit is. That each element is there to be read is claimed of the point itself.
"""

from __future__ import annotations

from isamap_smt.ir.across import combined, in_a_row
from isamap_smt.ir.pointwise import pointwise
from isamap_smt.ir.program import Across, Point
from isamap_smt.ir.traversal import nodes_of
from isamap_smt.proof.program_book import Book

_CLAIM = "forms"


def across_claims(book: Book) -> None:
    """One for each such point of the program."""
    for point in nodes_of(Point, book.sites.program):
        if point.across is not None:
            _across(book, point, point.across)


def _across(book: Book, use: Point, across: Across) -> None:
    machine = None if book.sites.program.schedule is None else book.sites.program.schedule.hardware
    subject = f"{use.dst.name} by {across.last.short}"
    theirs = machine is not None and all(i in machine.whole.instructions for i in across.steps)
    book.structure(
        _CLAIM, subject, "the machine has its steps", theirs,
        f"{subject}: a step is no instruction of the machine",
    )  # fmt: skip
    function, row = pointwise(use.instruction), in_a_row(use)
    book.structure(
        _CLAIM, subject, "its elements lie side by side, in their order", bool(row),
        f"{subject}: it reads elements that do not follow each other",
    )  # fmt: skip
    kinds = {t.dtype for i in (use.instruction, *across.steps) for t in i.kernel.tensors}
    tree = combined(across, [name for name, _ in row])
    book.structure(
        _CLAIM, subject, "its steps compute the value of the statement, operation by operation",
        len(kinds) == 1 and tree is not None and tree == function.tree, f"{subject}: the steps compute another value",
    )  # fmt: skip


__all__ = ["across_claims"]
