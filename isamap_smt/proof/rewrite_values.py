"""Claims that terms are equal: with a moved operand, with factors multiplied out, with values in elements of their own.

Each element is a number by itself, independent of its index. Integers wrap, so sums may be taken apart and regrouped,
and a constant factor may be taken out: sum c s = c sum s.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from isamap_encodings.ranges import Question
from isamap_smt.ir.expr import sym
from isamap_smt.ir.kernel import Statement
from isamap_smt.ir.rewrite import Again, Copied, Total, Valued
from isamap_smt.ir.scalar import SAdd, Saturate, SMul, index_values, reads, rewrite_reads
from isamap_smt.ir.typed import typed_value
from isamap_smt.proof.rewrite_book import RewriteBook
from isamap_smt.proof.rewrite_temporaries import closing_factors
from isamap_smt.proof.scalar_bits import equal_bits


def values_kept(c: RewriteBook) -> None:
    """With each element replaced by its value, the statement's value is the original, with the same conversions."""
    ((each, name),) = [(c.statement(r), r.into) for r in c.x.roles if isinstance(r, Valued)]
    element = typed_value(c.x.kernel, each)
    mine = typed_value(c.x.kernel, _again(c))
    exact = any(r.tensor == name for e in sp.preorder_traversal(mine) if isinstance(e, Saturate) for r in reads(e))
    c.structure(
        "scalar",
        name,
        f"{name} is read where numbers wrap as they do in it",
        not exact,
        "it is read below a saturation",
    )
    now = rewrite_reads(mine, lambda r: element if r.tensor == name else r)
    wrong = f"an element of {name} is another value than the reduction takes"
    c.structure(
        "scalar",
        name,
        "an element is what the reduction takes at its point",
        now == typed_value(c.x.whole, c.old),
        wrong,
    )


def terms_moved(c: RewriteBook) -> None:
    """A term f(x) * g is f(m) * g + n * g, as f(x) = f(m) + n for every x, and products distribute over sums that wrap."""
    (copied,) = [r for r in c.x.roles if isinstance(r, Copied)]
    (total,) = [r for r in c.x.roles if isinstance(r, Total)]
    left, right, off = (typed_value(k, s) for k, s in (
        (c.x.whole, c.old), (c.x.kernel, _again(c)), (c.x.kernel, c.statement(total)),
    ))  # fmt: skip
    both = isinstance(left, SMul) and isinstance(right, SMul)
    factors = list(zip(left.args, right.args, strict=True)) if both else []
    mine = [(f, m) for f, m in factors if {r.tensor for r in reads(f)} == {copied.of}]
    beside = [f for f, _ in factors if all(r.tensor != copied.of for r in reads(f))]
    numbers = [n for n in off.args if n.is_Integer] if isinstance(off, SMul) else []
    form = len(mine) == len(beside) == len(numbers) == 1 and set(off.args) == {beside[0], numbers[0]}
    form = form and closing_factors(c) == {total.into: 1}
    words = f"a term is a factor of {copied.of} times another; what is taken off is a number times the other"
    c.structure("scalar", "product", words, form, f"what {total.into} adds up is no number times the other factor")
    if not form:
        return
    ((was, now),) = mine
    was = _of_one(was, element := sym("x"))
    now = _of_one(now, _of_one(typed_value(c.x.kernel, c.statement(copied)), element))
    words = f"the factor is that of {copied.into} and the number, for every element"
    kind = c.x.whole.tensor(copied.of).dtype
    _equal(c, copied.of, words, was, SAdd(now, numbers[0]), {"x": (kind.kind, kind.bits)})


def terms_multiplied(c: RewriteBook) -> None:
    """The old term is the new one plus its addition by the closing statement."""
    main, totals = _again(c), [(r.into, c.statement(r)) for r in c.x.roles if isinstance(r, Total)]
    known = {t.name for t in c.x.whole.tensors}
    every = [r.tensor for s in (*(s for _, s in totals), main) for r in reads(s.value)]
    plain = not any(index_values(s.value) for s in (c.old, *(s for _, s in totals), main)) and set(every) <= known
    words = "elements of the whole's tensors and numbers alone are computed with"
    c.structure("scalar", "values", words, plain, "it computes with an axis, a size or another tensor")
    factors = closing_factors(c)
    if not plain or factors is None:
        return
    was, new = typed_value(c.x.whole, c.old), typed_value(c.x.kernel, main)
    for name, total in totals:
        new = SAdd(new, SMul(factors[name], typed_value(c.x.kernel, total)))
    names = {r: f"x{n}" for n, r in enumerate(dict.fromkeys((*reads(was), *reads(new))))}
    kinds = {name: c.x.whole.tensor(r.tensor).dtype for r, name in names.items()}
    words = "each term is that of the sum that is left and what the closing statement adds for it, for every element"
    was, new = (rewrite_reads(v, lambda r: sym(names[r])) for v in (was, new))
    _equal(c, "term", words, was, new, {name: (kind.kind, kind.bits) for name, kind in kinds.items()})


def _of_one(value: Any, element: Any) -> Any:
    return rewrite_reads(value, lambda r: element)


def _equal(c: RewriteBook, subject: str, words: str, was: Any, new: Any, types: dict[str, tuple[str, int]]) -> None:
    """The two are the same bits in the output's type, for all elements of these types."""
    asked = Question(was, new, types, (c.kind.kind, c.kind.bits), {})
    c.note("scalar", subject, words, equal_bits(asked))


def _again(c: RewriteBook) -> Statement:
    (found,) = [r for r in c.x.roles if isinstance(r, Again)]
    return c.statement(found)


__all__ = ["terms_moved", "terms_multiplied", "values_kept"]
