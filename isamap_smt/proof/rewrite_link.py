"""A rewrite leaves all but its restated parts as it was: statements, tensors, names, sizes, recurrences."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from isamap_smt.ir.reach import size_conditions
from isamap_smt.ir.rewrite import Again
from isamap_smt.ir.rows import REGROUPED
from isamap_smt.ir.scalar import bound_axes
from isamap_smt.proof.rewrite_book import FRONT, RewriteBook

ONE, SOME, ANY = (1, 1), (1, 1 << 30), (0, 1 << 30)
Cast = Mapping[type, tuple[int, int]]  # the roles of a rewrite's statements; how many have each, at least and at most


def before(c: RewriteBook) -> None:
    """The whole is the result of the rewrite before it."""
    if c.x.before is not None:
        right = c.x.before.kernel == c.x.whole
        c.structure("link", "before", "it is the kernel that was left before", right, "it is another kernel")


def statements(c: RewriteBook, cast: Cast) -> None:
    """Statements without a role are the whole's, in its order; others stand in place of the statement they restate."""
    x = c.x
    there = Counter(map(type, x.roles))
    order = stood_for(c)
    again = sorted(r.of for r in x.roles if isinstance(r, Again))
    right = (
        all(least <= there[role] <= most for role, (least, most) in cast.items())
        and set(there) <= set(cast)
        and again in ([], sorted(set(x.row.restated)))
        and order == sorted(order)
        and set(order) - {FRONT} == set(range(len(x.whole.statements)))
        and all(
            x.kernel.statements[m] == x.whole.statements[n]
            for m, n in enumerate(order)
            if n not in (FRONT, *x.row.restated)
        )
        and (c.words.again or all(same_but_value(c, r) for r in x.roles if isinstance(r, Again)))
    )
    c.structure(
        "link", "statements", c.words.statements, bool(right), "a statement is another one, missing, or of no piece"
    )


def stood_for(c: RewriteBook) -> list[int]:
    """For each statement of the kernel, its number in the whole, or the one it replaces; FRONT for one in front.

    Returns [] if the roles leave more or fewer statements than the whole has besides.
    """
    x = c.x
    placed = {r.statement: c.stands_for(r) for r in x.roles}
    rest = [n for n in range(len(x.whole.statements)) if n not in x.row.restated]
    free = [m for m in range(len(x.kernel.statements)) if m not in placed]
    if len(placed) != len(x.roles) or len(free) != len(rest) or len(placed) + len(free) != len(x.kernel.statements):
        return []
    placed |= dict(zip(free, rest, strict=True))
    return [placed[m] for m in range(len(x.kernel.statements))]


def same_but_value(c: RewriteBook, role: Again) -> bool:
    """Whether the statement equals the whole's, up to its value."""
    mine, theirs = c.statement(role), c.x.whole.statements[role.of]
    return replace(mine, value=theirs.value, source=theirs.source) == theirs


def tensors(c: RewriteBook) -> None:
    """One more temporary for each one named by a role."""
    x, whole, new = c.x, c.x.whole, c.x.kernel
    more = x.temporaries
    kept = [t for t in new.tensors if t.name not in more]
    same = sorted(kept, key=lambda t: t.name) == sorted(whole.tensors, key=lambda t: t.name)
    same = same and (new.parameters, new.ranges) == (whole.parameters, whole.ranges)
    fresh = not set(more) & {t.name for t in whole.tensors} and len(set(more)) == len(more)
    fresh = fresh and set(new.temporaries) == {*more, *whole.temporaries}
    named = [c.words.temporaries] if c.words.temporaries else [f"the temporary {n}" for n in more]
    c.structure(
        "link", "tensors", " and ".join(["the tensors are those of the whole", *named]),
        same and fresh and len(new.tensors) == len(kept) + len(more), "a tensor, a parameter or a range is another one",
    )  # fmt: skip


def names(c: RewriteBook) -> None:
    """Every name means one thing."""
    whole, new = c.x.whole, c.x.kernel
    sizes = {*whole.free_sizes, *new.free_sizes, *(p.name for p in whole.parameters)}
    apart = all(
        len({a.name for a in s.axes}) == len(s.axes)
        and not {a.name for a in s.axes} & (sizes | set(bound_axes(s.value)))
        and all(a.name.isidentifier() for a in s.axes)  # a prime marks a second point
        for s in (*whole.statements, *new.statements)
    )
    c.structure(
        "hypotheses", "names", "every name means one thing", apart and set(new.free_sizes) <= set(whole.free_sizes),
        "an axis has the name of a size or of another axis",
    )  # fmt: skip


def shapes(c: RewriteBook) -> None:
    """Conditions of declared shapes on sizes are known from here on, as programs of the kernel require them, too."""
    asked = size_conditions(c.x.whole)
    c.given.extend(q.formula for q in asked)
    if asked:
        kept = set(asked) <= set(size_conditions(c.x.kernel))
        words = "programs of it ask of sizes what declared shapes ask"
        c.structure("hypotheses", "shapes", words, kept, "a condition of the whole is none of it")


def recurrences(c: RewriteBook) -> None:
    """They hold the same statements, in whose places others stand one for one."""
    _recurrences(c, "the recurrences hold the same statements", True)


def recurrences_around(c: RewriteBook, inside: bool) -> None:
    """Recurrences hold the same statements, and none with its points computed in another way.

    inside: except a recurrence with its own restated sum in each time step, if its axis is one of the output's.
    """
    block = c.x.whole.recurrence_of(c.x.row.restated[0])
    kept = inside and block is not None and block.axis not in (*c.old.reduction_axes, *c.x.row.replaced)
    words = "the recurrences hold the same statements" + (", and not the sum" if block is None else "")
    _recurrences(c, words, block is None or kept)


def _recurrences(c: RewriteBook, words: str, right: bool) -> None:
    order = stood_for(c)
    same = tuple(
        replace(r, first=bisect_left(order, r.first), end=bisect_left(order, r.end)) for r in c.x.whole.recurrences
    )
    right = right and c.x.kernel.recurrences == same
    c.structure("link", "recurrences", words, right, "a recurrence holds other statements")


def regrouped(c: RewriteBook) -> None:
    """Its points may be taken in any order."""
    s, t = c.old, c.x.whole.tensor(c.old.target.tensor)
    free = s.op in REGROUPED and not s.ordered and all(a.tensor != s.target.tensor for a in s.inputs)
    wrong = f"statement {c.x.row.restated[0] + 1} adds to {t.name} in an order"
    c.structure("order", "", "the sum may be regrouped", free, wrong)


__all__ = [
    "ANY", "ONE", "SOME", "Cast", "before", "names", "recurrences", "recurrences_around", "regrouped", "same_but_value", "shapes",
    "statements", "tensors",
]  # fmt: skip
