"""Proves that a sum with one operand moved by a number is the same: term by term, and what moving adds is taken off once.

    coverage    the moved operand has a cell for each element, written once, before the sum reads it
    program     the sum is the one that was, of the moved operand
    exclusive   what moving adds is summed over the same points, for each of the axes that it depends on
    scalar      each term of the sum is the term of the moved operand and what is taken off, for all elements
    link        what is taken off is added to each output of the sum once
    neutral     both are temporaries that nothing else touches

Sums that wrap may be taken apart and regrouped: the terms add up to the same, in whatever order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy as sp

from isamap_encodings.ranges import Question
from isamap_encodings.verdict import Proved
from isamap_smt.ir.expr import sym
from isamap_smt.ir.kernel import Statement
from isamap_smt.ir.scalar import Read, SAdd, SMul, reads, rewrite_reads
from isamap_smt.ir.typed import typed_value
from isamap_smt.proof.scalar_bits import equal_bits

if TYPE_CHECKING:
    from isamap_smt.proof.split_claims import Claims


def ask_moved(c: Claims) -> None:
    """Every claim about the four statements in the place of the sum, whose place is proved already."""
    x = c.x
    n = x.statement
    each, total, main, closing = x.kernel.statements[n : n + 4]
    old = c.old
    _temporaries(c, n)
    _every_element(c, each)
    plain = not old.guard and old.op == "+" and not c.kind.is_float
    c.structure(
        "exclusive",
        "terms",
        "the sum is of integers that wrap, at every point",
        plain,
        "it has a condition, or is no such sum",
    )
    _sum_of_moved(c, old, main)
    _same_points(c, old, total)
    _taken_off(c, old, total, closing)
    if all(isinstance(r.verdict, Proved) for r in c.results):
        _terms(c, old, each, total, main)


def _temporaries(c: Claims, n: int) -> None:
    x = c.x
    for name, writer, reader in ((x.moved, n, n + 2), (x.sums, n + 1, n + 3)):
        c.written_and_read(name, writer, reader)
    c.same_type()


def _every_element(c: Claims, each: Statement) -> None:
    """The moved operand: each element of the operand, at the same place."""
    x = c.x
    shape = x.whole.tensor(x.axis).shape if x.axis in {t.name for t in x.whole.tensors} else None
    index = each.target.index
    there = [(r.tensor, r.index) for r in reads(each.value)]
    whole = shape is not None and x.kernel.tensor(x.moved).shape == shape == each.extents_of(index)
    right = whole and each.op == "=" and not each.guard and there == [(x.axis, index)]
    c.structure(
        "coverage", x.moved, f"every element of {x.axis} is moved to its place in {x.moved}", right,
        f"an element of {x.moved} is not that of {x.axis}",
    )  # fmt: skip


def _sum_of_moved(c: Claims, old: Statement, main: Statement) -> None:
    x = c.x
    back = rewrite_reads(main.value, lambda r: Read(sp.Symbol(x.axis), *r.index) if r.tensor == x.moved else r)
    same = (main.target, main.op, main.axes, main.guard, main.ordered) == (
        old.target, old.op, old.axes, old.guard, old.ordered,
    )  # fmt: skip
    once = len({r for r in reads(old.value) if r.tensor == x.axis}) == 1
    right = same and once and back == old.value and all(r.tensor != x.axis for r in reads(main.value))
    c.structure("program", "sum", f"it is the sum that was, of {x.moved}", right, "it computes something else")


def _same_points(c: Claims, old: Statement, total: Statement) -> None:
    """What moving adds depends on some axes of the output, and is summed over all that the sum is summed over."""
    x = c.x
    mine, theirs = {a.name: a.extent for a in total.axes}, {a.name: a.extent for a in old.axes}
    kept = [n for n in mine if n not in old.reduction_axes]
    summed = all(theirs.get(n) == e for n, e in mine.items()) and set(old.reduction_axes) <= set(mine)
    index = total.target.index
    places = {n: mine[n] for n in kept}
    cells = [i.name for i in index if i.is_Symbol]
    plain = len(cells) == len(index) and sorted(cells) == sorted(kept)
    shape = plain and x.kernel.tensor(x.sums).shape == tuple(places[n] for n in cells)
    others = {(r.tensor, r.index) for r in reads(old.value) if r.tensor != x.axis}
    there = all((r.tensor, r.index) in others for r in reads(total.value))
    right = summed and shape and there and total.op == "+" and not total.guard
    c.structure(
        "exclusive", x.sums, f"{x.sums} sums over the points of the sum, for each of its axes that it depends on", right,
        f"{x.sums} sums over other points, or reads other elements",
    )  # fmt: skip


def _taken_off(c: Claims, old: Statement, total: Statement, closing: Statement) -> None:
    outer = tuple(a for a in old.axes if a.name not in old.reduction_axes)
    right = closing.op == old.op and closing.target == old.target and closing.axes == outer and not closing.guard
    right = right and closing.value == Read(sp.Symbol(c.x.sums), *total.target.index)
    c.structure(
        "link", "closing", f"{c.x.sums} is added to every output of the sum, once", right,
        "it is added to something else, or something else is",
    )  # fmt: skip


def _terms(c: Claims, old: Statement, each: Statement, total: Statement, main: Statement) -> None:
    """A term f(x) * g is f(m) * g + n * g, as f(x) = f(m) + n for every x, and products distribute over sums that wrap."""
    x = c.x
    left, right = typed_value(x.whole, old), typed_value(x.kernel, main)
    factors = (
        list(zip(left.args, right.args, strict=True)) if isinstance(left, SMul) and isinstance(right, SMul) else []
    )
    mine = [(f, m) for f, m in factors if any(r.tensor == x.axis for r in reads(f))]
    beside = [f for f, _ in factors if all(r.tensor != x.axis for r in reads(f))]
    off = typed_value(x.kernel, total)
    numbers = [n for n in off.args if n.is_Integer] if isinstance(off, SMul) else []
    right_form = len(mine) == len(beside) == len(numbers) == 1 and set(off.args) == {beside[0], numbers[0]}
    words = f"a term is a factor of {x.axis} times another; what is taken off is a number times the other"
    c.structure("scalar", "product", words, right_form, f"what {x.sums} adds up is no number times the other factor")
    if not right_form:
        return
    element = sym("x")
    moved = rewrite_reads(typed_value(x.kernel, each), lambda r: element)
    ((was, now),) = mine
    kind = x.whole.tensor(x.axis).dtype
    asked = Question(
        rewrite_reads(was, lambda r: element), SAdd(rewrite_reads(now, lambda r: moved), numbers[0]),
        {"x": (kind.kind, kind.bits)}, (c.kind.kind, c.kind.bits), {},
    )  # fmt: skip
    c.note("scalar", x.axis, f"the factor is that of {x.moved} and the number, for every element", equal_bits(asked))


__all__ = ["ask_moved"]
