"""Proves that a sum of products is the same with its factors multiplied out: what does not vary along the sum is taken out of it.

    exclusive   each total sums over the points of the sum, for each of the other axes that it depends on
    program     the sum that is left is over the same points, and adds to the same output
    link        the closing statement adds to every output of the sum, once, each total times what does not vary along the sum
    scalar      at each point the old term is the new one and what is added for it, for all elements
    neutral     the totals are temporaries that nothing else touches, of the output's type

Integers wrap, so sums may be taken apart and regrouped, and what does not vary may be taken out: sum c s = c sum s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from isamap_encodings.ranges import Question
from isamap_smt.ir.expr import sym, symbols_of
from isamap_smt.ir.kernel import Statement
from isamap_smt.ir.scalar import Read, SAdd, SMul, bound_axes, index_values, reads, rewrite_reads
from isamap_smt.ir.typed import typed_value
from isamap_smt.proof.scalar_bits import equal_bits

if TYPE_CHECKING:
    from isamap_smt.proof.split_claims import Claims


def ask_multiplied(c: Claims) -> None:
    """Every claim about the statements in the place of the sum, whose place is proved already."""
    x, old = c.x, c.old
    n, count = x.statement, len(x.beside)
    *totals, main, closing = x.kernel.statements[n : n + count + 2]
    for k, name in enumerate(x.beside):
        c.written_and_read(name, n + k, n + count + 1)
        kind = x.kernel.tensor(name).dtype
        c.structure("neutral", "type", f"{name} has the output's type", kind == c.kind, f"{name} is {kind}")
    plain = not old.guard and old.op == "+" and not old.ordered and not c.kind.is_float and not bound_axes(old.value)
    plain = plain and all(r.tensor != old.target.tensor for r in reads(old.value))
    words = "the sum is of integers that wrap, at every point"
    c.structure("exclusive", "terms", words, plain, "it has a condition or an order, or is no such sum")
    same = (main.target, main.op, main.axes, main.guard, main.ordered) == (
        old.target, old.op, old.axes, old.guard, old.ordered,
    )  # fmt: skip
    words = "what is left is summed over the same points, into the same output"
    c.structure("program", "sum", words, same, "it is another sum")
    for name, total in zip(x.beside, totals, strict=True):
        _same_points(c, old, total, name)
    factors = _closing(c, old, totals, closing) if c.all_proved else None
    if factors is not None and c.all_proved:
        _terms(c, old, totals, main, factors)


def _same_points(c: Claims, old: Statement, total: Statement, name: str) -> None:
    """A total depends on some axes of the output, and is summed over all that the sum is summed over."""
    mine, theirs = {a.name: a.extent for a in total.axes}, {a.name: a.extent for a in old.axes}
    kept = [a for a in mine if a not in old.reduction_axes]
    cells = [i.name for i in total.target.index if i.is_Symbol]
    right = (
        all(theirs.get(a) == e for a, e in mine.items())
        and set(old.reduction_axes) <= set(mine)
        and len(cells) == len(total.target.index)
        and sorted(cells) == sorted(kept)
        and c.x.kernel.tensor(name).shape == tuple(mine[a] for a in cells)
        and (total.target.tensor, total.op, total.guard, total.ordered) == (name, "+", (), False)
        and not bound_axes(total.value)
    )
    c.structure(
        "exclusive", name, f"{name} sums over the points of the sum, for each of its axes that it depends on", right,
        f"{name} sums over other points, or into other cells",
    )  # fmt: skip


def _closing(c: Claims, old: Statement, totals: list[Statement], closing: Statement) -> dict[str, Any] | None:
    """What each total is multiplied with, where the closing statement adds each so, once, to every output."""
    outer = tuple(a for a in old.axes if a.name not in old.reduction_axes)
    places = {t.target.tensor: t.target.index for t in totals}
    found: dict[str, Any] = {}
    right = (closing.op, closing.target, closing.axes, closing.guard) == (old.op, old.target, outer, ())
    for term in _sum(typed_value(c.x.kernel, closing)):
        factor, total = term.args if isinstance(term, SMul) else (term, term)
        name = total.tensor if isinstance(total, Read) else ""
        right = right and isinstance(term, SMul) and name in places and name not in found
        right = right and tuple(total.index) == tuple(places[name])
        found[name] = factor
    parts = [r for f in found.values() for r in reads(f)]
    used = symbols_of([i for r in parts for i in r.index]) | symbols_of(
        [v for f in found.values() for v in index_values(f)]
    )
    right = (
        right and not used & set(old.reduction_axes) and not {r.tensor for r in parts} & {*places, old.target.tensor}
    )
    right = right and sorted(found) == sorted(places)
    words = "each total, times what does not vary along the sum, is added to every output of the sum, once"
    c.structure("link", "closing", words, right, "it is added to something else, or something else is")
    return found if right else None


def _sum(value: Any) -> list[Any]:
    return [t for x in value.args for t in _sum(x)] if isinstance(value, SAdd) else [value]


def _terms(c: Claims, old: Statement, totals: list[Statement], main: Statement, factors: dict[str, Any]) -> None:
    """For all elements: each is a number by itself, whatever its index. Products distribute over sums that wrap."""
    x = c.x
    known = {t.name for t in x.whole.tensors}
    every = [r.tensor for s in (*totals, main) for r in reads(s.value)]
    plain = not any(index_values(s.value) for s in (old, *totals, main)) and set(every) <= known
    words = "elements of the whole's tensors and numbers alone are computed with"
    c.structure("scalar", "values", words, plain, "it computes with an axis, a size or another tensor")
    if not plain:
        return
    new = typed_value(x.kernel, main)
    for total in totals:
        new = SAdd(new, SMul(factors[total.target.tensor], typed_value(x.kernel, total)))
    was = typed_value(x.whole, old)
    names = {r: f"x{n}" for n, r in enumerate(dict.fromkeys((*reads(was), *reads(new))))}
    kinds = {name: x.whole.tensor(r.tensor).dtype for r, name in names.items()}
    words = "each term is that of the sum that is left and what the closing statement adds for it, for every element"
    left, right = (rewrite_reads(v, lambda r: sym(names[r])) for v in (was, new))
    types = {name: (kind.kind, kind.bits) for name, kind in kinds.items()}
    c.note("scalar", "term", words, equal_bits(Question(left, right, types, (c.kind.kind, c.kind.bits), {})))


__all__ = ["ask_multiplied"]
