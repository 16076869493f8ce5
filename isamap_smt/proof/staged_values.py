"""Proves that a reduction of values that have a tensor of their own is the same.

neutral     the values are a temporary that one statement writes before the reduction, and it alone, reads it
coverage    each point of the reduction has an element, written once, under the reduction's guard
scalar      an element is what the reduction took at that point, of the same type
program     the reduction is the one that was, of these elements, in its order
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy as sp

from isamap_smt.ir.kernel import Statement
from isamap_smt.ir.scalar import Read
from isamap_smt.ir.typed import typed_value

if TYPE_CHECKING:
    from isamap_smt.proof.split_claims import Claims


def ask_staged(c: Claims) -> None:
    """Every claim about the two statements in the place of the reduction, whose place is proved already."""
    x, n = c.x, c.x.statement
    each, again = x.kernel.statements[n : n + 2]
    c.written_and_read(x.sums, n, n + 1)
    c.same_type()
    _every_point(c, each)
    value = typed_value(x.kernel, each) == typed_value(x.whole, c.old)
    c.structure(
        "scalar", x.sums, "an element is what the reduction takes at its point", value,
        f"an element of {x.sums} is another value than the reduction takes",
    )  # fmt: skip
    _same_reduction(c, each, again)


def _every_point(c: Claims, each: Statement) -> None:
    """One element for each point, under the same guard."""
    name, index = c.x.sums, each.target.index
    whole = each.op == "=" and each.extents_of(index) == c.x.kernel.tensor(name).shape
    every = set(each.axes) == set(c.old.axes) and len(index) == len(each.axes) == len(c.old.axes)
    c.structure(
        "coverage", name, f"each point of the reduction is an element of {name}, under the same guard",
        whole and every and each.guard == c.old.guard,
        f"{name} has not one element for each point of the reduction",
    )  # fmt: skip


def _same_reduction(c: Claims, each: Statement, again: Statement) -> None:
    old = c.old
    mine = (again.target, again.op, again.axes, again.guard, again.ordered)
    same = mine == (old.target, old.op, old.axes, old.guard, old.ordered)
    c.structure(
        "program", "reduction", f"it is the reduction that was, of {c.x.sums}",
        same and again.value == Read(sp.Symbol(c.x.sums), *each.target.index), "it reduces something else",
    )  # fmt: skip


__all__ = ["ask_staged"]
