"""The order in which the kernel itself goes: statement by statement, and in a recurrence one time step after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from isamap_smt.ir.kernel import Access, Kernel, Statement
from isamap_smt.proof.program_sites import Formula, UnrecognisedError, conjunction, equal, primed, rename, span


@dataclass(frozen=True)
class Order:
    """When one point of a statement precedes one of another statement (or of the same one).

    axis: their common recurrence, '' for none: then always. same: within one time step, too.
    """

    axis: str = ""
    same: bool = True

    def holds(self, first: Mapping[str, Any], second: Mapping[str, Any]) -> list[Formula]:
        """Formulas: the first point (by axis) precedes the second one."""
        if not self.axis:
            return []
        return [("le" if self.same else "lt", first[self.axis], second[self.axis])]

    def fails(self, first: Mapping[str, Any], second: Mapping[str, Any]) -> list[Formula]:
        """Formulas: it does not. Only for an order within a recurrence."""
        return [("lt" if self.same else "le", second[self.axis], first[self.axis])]


def order_of(kernel: Kernel, n: int, m: int) -> Order | None:
    """When a point of statement n precedes one of statement m. None: never, or (of one statement, outside recurrences)
    without an order."""
    r = kernel.recurrence_of(n)
    if r is not None and kernel.recurrence_of(m) == r:
        return Order(r.axis, n < m)
    return Order() if n < m else None


def injective(s: Statement) -> bool:
    """Whether each point of the statement has an output element of its own: each axis, times a whole number other than 0 and
    moved by a constant, is a dimension of the target, and other dimensions are constant."""
    axes = {a.symbol for a in s.axes}
    found = set()
    for i in map(sp.sympify, s.target.index):
        own = i.free_symbols & axes
        if len(own) > 1 or not all(_steps(i, a) for a in own):
            return False
        found |= own
    return found == axes


def _steps(index: Any, axis: Any) -> bool:
    """Whether the index is a nonzero whole multiple of the axis, plus a rest independent of it."""
    step = sp.expand(index).coeff(axis, 1)
    return bool(step.is_Integer and step != 0 and axis not in sp.expand(index - step * axis).free_symbols)


def axes_in_order(kernel: Kernel, n: int) -> list[str]:
    """The axes of a statement in the order of its points: a recurrence's time step comes first."""
    r, names = kernel.recurrence_of(n), [a.name for a in kernel.statements[n].axes]
    return names if r is None else [r.axis, *(a for a in names if a != r.axis)]


def lexicographic(points: Sequence[tuple[Any, Any]]) -> Formula:
    """The first of each pair, taken together in this order, comes before the second."""
    return (
        "or",
        *(
            conjunction([*(("eq", a, b) for a, b in points[:n]), ("lt", points[n][0], points[n][1])])
            for n in range(len(points))
        ),
    )


def precedes(kernel: Kernel, n: int, first: Mapping[str, Any], m: int, second: Mapping[str, Any]) -> Formula | None:
    """Formula: a point of statement n runs before one of statement m, each given by axis. None: never."""
    if n == m:
        return lexicographic([(first[a], second[a]) for a in axes_in_order(kernel, n)])
    order = order_of(kernel, n, m)
    return None if order is None else conjunction(order.holds(first, second))


@dataclass(frozen=True)
class Question:
    """A claim about the kernel alone, in words and as a formula; it holds if the formula cannot be met."""

    words: str
    given: tuple[Formula, ...]


def overwrites(kernel: Kernel, n: int, access: Access, writer: int) -> Question | None:
    """Is an element read by a point of statement n written by a later point of `writer`?

    Returns None if it plainly is not. Raises UnrecognisedError if no recurrence orders the two and the writer stands
    later.
    """
    order = order_of(kernel, writer, n)
    tensor = access.tensor
    if order is None:
        if n == writer:
            raise UnrecognisedError(f"statement {n + 1} reads other elements of its own output")
        raise UnrecognisedError(f"statement {n + 1} reads {tensor}, which statement {writer + 1} writes")
    if not order.axis:
        return None
    writes, reads = kernel.statements[writer], kernel.statements[n]
    again = primed(a.name for a in reads.axes)
    given = [f for a in writes.axes for f in span(a.symbol, a.extent)]
    given += [f for a in reads.axes for f in span(again[a.name], a.extent)]
    given += [*writes.guard, *(rename(g, again) for g in reads.guard)]
    given += equal(writes.target.index, [rename(i, again) for i in access.index])
    given += order.fails({a.name: a.symbol for a in writes.axes}, again)
    words = f"no element of {tensor} that statement {n + 1} reads is written later by statement {writer + 1}"
    return Question(f"{words}, along {order.axis}", tuple(given))


__all__ = ["Order", "Question", "axes_in_order", "injective", "lexicographic", "order_of", "overwrites", "precedes"]
