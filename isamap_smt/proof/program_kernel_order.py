"""The order in which the kernel itself goes: statement by statement, and in a recurrence turn by turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp

from isamap_encodings.verdict import Proved
from isamap_smt.ir.kernel import Access, Kernel, Statement
from isamap_smt.proof.program_book import Book
from isamap_smt.proof.program_sites import Formula, UnrecognisedError, equal, primed, rename, span


@dataclass(frozen=True)
class Order:
    """When one point of a statement precedes one of another statement (or of the same one).

    axis: the recurrence that both stand in, '' for none: then always. same: within one turn, too.
    """

    axis: str = ""
    same: bool = True

    def holds(self, first: Mapping[str, Any], second: Mapping[str, Any]) -> list[Formula]:
        """That the first point (by axis) precedes the second one."""
        if not self.axis:
            return []
        return [("le" if self.same else "lt", first[self.axis], second[self.axis])]

    def fails(self, first: Mapping[str, Any], second: Mapping[str, Any]) -> list[Formula]:
        """That it does not. Only for an order within a recurrence."""
        return [("lt" if self.same else "le", second[self.axis], first[self.axis])]


def order_of(kernel: Kernel, n: int, m: int) -> Order | None:
    """When a point of statement n precedes one of statement m. None: never, or (of one statement, outside recurrences)
    without an order."""
    r = kernel.recurrence_of(n)
    if r is not None and kernel.recurrence_of(m) == r:
        return Order(r.axis, n < m)
    return Order() if n < m else None


def injective(s: Statement) -> bool:
    """Whether each point of the statement has an output element of its own: each axis, moved by a constant, is a dimension
    of the target, and other dimensions are constant."""
    axes = {a.symbol for a in s.axes}
    found = set()
    for i in map(sp.sympify, s.target.index):
        own = i.free_symbols & axes
        if len(own) > 1 or any((i - a).free_symbols & axes for a in own):
            return False
        found |= own
    return found == axes


def never_overwritten(book: Book, n: int, access: Access, writer: int) -> bool:
    """What a point of statement n reads there is written by no point of `writer` that follows it in the kernel.

    Whether that is proved: a kernel of which it does not hold may still be computed right, and is Unknown. Raises
    UnrecognisedError where no recurrence puts the two in order and the writer stands later.
    """
    kernel = book.sites.kernel
    order = order_of(kernel, writer, n)
    tensor = access.tensor
    if order is None:
        if n == writer:
            raise UnrecognisedError(f"statement {n + 1} reads other elements of its own output")
        raise UnrecognisedError(f"statement {n + 1} reads {tensor}, which statement {writer + 1} writes")
    if not order.axis:
        return True
    writes, reads = kernel.statements[writer], kernel.statements[n]
    again = primed(a.name for a in reads.axes)
    given = [f for a in writes.axes for f in span(a.symbol, a.extent)]
    given += [f for a in reads.axes for f in span(again[a.name], a.extent)]
    given += [*writes.guard, *(rename(g, again) for g in reads.guard)]
    given += equal(writes.target.index, [rename(i, again) for i in access.index])
    given += order.fails({a.name: a.symbol for a in writes.axes}, again)
    words = f"no element of {tensor} that statement {n + 1} reads is written later by statement {writer + 1}"
    return isinstance(book.covered("order", tensor, f"{words}, along {order.axis}", given, [("or",)]), Proved)


__all__ = ["Order", "injective", "never_overwritten", "order_of"]
