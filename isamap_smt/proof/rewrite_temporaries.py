"""Claims about temporaries of a rewrite, and about the statements that write and read them.

neutral     one statement writes a temporary, and only later statements of its role read it; it has the output's type
coverage    a statement that fills a temporary writes each element once
exclusive   a cell of partial sums is one point; a total covers every point of the sum
program     a statement that reads filled elements is the original one at the same points, but for these elements
link        the closing statement adds to every output of the sum, once
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import sympy as sp

from isamap_smt.ir.expr import substitute, symbols_of
from isamap_smt.ir.rewrite import Again, Closing, Copied, Counted, Filled, Partial, Total, Valued
from isamap_smt.ir.rows import REGROUPED, Staged
from isamap_smt.ir.scalar import Read, SAdd, SMul, bound_axes, index_values, reads, rewrite_reads
from isamap_smt.ir.typed import typed_value
from isamap_smt.proof.program_sites import span
from isamap_smt.proof.rewrite_book import RewriteBook, at_point
from isamap_smt.proof.rewrite_link import same_but_value

Stored = Partial | Filled | Total


def stored(c: RewriteBook) -> list[Stored]:
    """The roles of all statements that write a temporary."""
    return [r for r in c.x.roles if isinstance(r, Stored)]


def temporaries(c: RewriteBook) -> None:
    """Only the statements of its role write and read a temporary; a part of the output has the output's type."""
    for r in stored(c):
        written_and_read(c, r)
        part = isinstance(r, Valued) and isinstance(c.x.row, Staged) and c.x.row.parts > 0
        if not (isinstance(r, Copied) or part):
            kind, home = c.x.kernel.tensor(r.into).dtype, c.old.target.tensor
            words = c.words.kind.format(name=r.into, home=home)
            c.structure("neutral", "type", words, kind == c.kind, f"{r.into} is {kind}, {home} is {c.kind}")


def written_and_read(c: RewriteBook, r: Stored) -> None:
    """A temporary has one writer, ahead of all its readers."""
    every = c.x.kernel.statements
    writers = [n for n, s in enumerate(every) if s.target.tensor == r.into]
    found = [n for n, s in enumerate(every) if any(a.tensor == r.into for a in s.inputs)]
    reader = Again if isinstance(r, Filled) else Closing
    right = writers == [r.statement] and all(r.statement < n for n in found)
    right = (
        right
        and (bool(found) or isinstance(r, Counted))
        and set(found) <= {a.statement for a in c.x.roles if isinstance(a, reader)}
    )
    right = right and (not isinstance(r, Partial) or c.statement(r).op == c.old.op)
    words = c.words.neutral.format(name=r.into)
    c.structure("neutral", r.into, words, right, f"another statement writes or reads {r.into}, or reads it before")


# ---- what is filled


def elements(c: RewriteBook) -> None:
    """Each element of a filled temporary is written once."""
    for r in c.x.roles:
        if isinstance(r, Filled):
            each_once(c, r)


def each_once(c: RewriteBook, r: Filled) -> None:
    """The statement writes each element once, at the points and under the guard of its role."""
    s, shape = c.statement(r), c.x.kernel.tensor(r.into).shape
    guard: tuple[Any, ...] = ()
    match r:
        case Copied(of=of):
            whole = {t.name: t.shape for t in c.x.whole.tensors}.get(of)
            over = shape == whole and [(a.tensor, a.index) for a in reads(s.value)] == [(of, s.target.index)]
        case Valued():
            over, guard = set(s.axes) <= set(c.old.axes) and len(set(s.axes)) == len(s.axes), c.old.guard
            over = over and (not guard or len(s.axes) == len(c.old.axes))
            of = ""
        case Counted():
            over, of = True, ""
    once = s.op == "=" and s.guard == guard and len(s.target.index) == len(s.axes)
    words = c.words.filled.format(name=r.into, of=of)
    right = once and over and s.extents_of(s.target.index) == shape
    c.structure("coverage", r.into, words, right, f"an element of {r.into} is another one, or computed twice, or never")


def restated(c: RewriteBook) -> None:
    """The restated sum is the original one, with filled elements in place of the values they stand for."""
    assert c.words.again is not None
    subject, words = c.words.again
    for r in c.x.roles:
        if isinstance(r, Again):
            right = same_but_value(c, r) and all(_reads_it(c, f, c.statement(r).value) for f in c.x.roles)
            said = words.format(name=", ".join(f.into for f in c.x.roles if isinstance(f, Filled)))
            c.structure("program", subject, said, right, "it computes something else")


def _reads_it(c: RewriteBook, f: object, value: Any) -> bool:
    """Whether the value is the original statement's, if the filled elements are replaced by the values behind them."""
    match f:
        case Copied(into=into, of=of):
            back = rewrite_reads(value, lambda r: Read(sp.Symbol(of), *r.index) if r.tensor == into else r)
            once = len({r for r in reads(c.old.value) if r.tensor == of}) == 1
            return back == c.old.value and once and all(r.tensor != of for r in reads(value))
        case Valued(into=into):
            found = [r.index for r in reads(value) if r.tensor == into]
            return bool(found) and all(i == tuple(c.statement(f).target.index) for i in found)
    return True


# ---- sums of integers, taken apart into totals and what is left


def wrapping(c: RewriteBook) -> None:
    """Integers wrap, so products distribute over their sums; a guard would leave out points of these."""
    s = c.old
    plain = not s.guard and s.op == "+" and not s.ordered and not c.kind.is_float and not bound_axes(s.value)
    plain = plain and all(r.tensor != s.target.tensor for r in reads(s.value))
    words = "the sum is of integers that wrap, at every point"
    c.structure("exclusive", "terms", words, plain, "it has a condition or an order, or is no such sum")


def totals(c: RewriteBook) -> None:
    """A total depends on some axes of the output, and is summed over all reduction axes of the sum."""
    old = c.old
    for r in c.x.roles:
        if not isinstance(r, Total):
            continue
        s = c.statement(r)
        mine, theirs = {a.name: a.extent for a in s.axes}, {a.name: a.extent for a in old.axes}
        kept = [a for a in mine if a not in old.reduction_axes]
        right = (
            all(theirs.get(a) == e for a, e in mine.items())
            and set(old.reduction_axes) <= set(mine)
            and sorted(map(str, s.target.index)) == sorted(kept)
            and s.extents_of(s.target.index) == c.x.kernel.tensor(r.into).shape
            and (s.target.tensor, s.op, s.guard, s.ordered) == (r.into, "+", (), False)
            and not bound_axes(s.value)
            and _of_others(c, s.value)
        )
        c.structure(
            "exclusive", r.into, f"{r.into} sums over the points of the sum, for each of its axes that it depends on", right,
            f"{r.into} sums over other points, into other cells, or reads other elements",
        )  # fmt: skip


def _of_others(c: RewriteBook, value: Any) -> bool:
    """If an operand is copied: whether the value reads only the sum's other operands."""
    copied = {r.of for r in c.x.roles if isinstance(r, Copied)}
    others = {(r.tensor, r.index) for r in reads(c.old.value) if r.tensor not in copied}
    return not copied or all((r.tensor, r.index) in others for r in reads(value))


# ---- the statement that closes


def closing(c: RewriteBook) -> None:
    """It adds to every output of the sum; each total once, as often as its factor says."""
    wrong = "it is added to something else, or something else is"
    found = closing_factors(c)
    names = ", ".join(r.into for r in stored(c) if isinstance(r, Total))
    right = _closes(c) and found is not None
    c.structure("link", "closing", c.words.closing.format(name=names), right, wrong)


def closing_factors(c: RewriteBook) -> dict[str, Any] | None:
    """Total -> its factor in the closing statement, 1 if the total stands alone.

    Returns None if a term is anything else, or varies along the sum.
    """
    places = {r.into: c.statement(r).target.index for r in stored(c) if isinstance(r, Total)}
    s = _closing(c)
    found: dict[str, Any] = {}
    for term in _terms(typed_value(c.x.kernel, s), SAdd):
        factor, total = term.args if isinstance(term, SMul) else (sp.Integer(1), term)
        if not isinstance(total, Read) or total.tensor in found or tuple(total.index) != places.get(total.tensor):
            return None
        found[total.tensor] = factor
    parts = [r for f in found.values() for r in reads(f)]
    used = symbols_of([i for r in parts for i in r.index])
    used |= symbols_of([v for f in found.values() for v in index_values(f)])
    free = not used & set(c.old.reduction_axes) and not {r.tensor for r in parts} & {*places, c.old.target.tensor}
    return found if free and sorted(found) == sorted(places) else None


def _closes(c: RewriteBook) -> bool:
    """Whether the closing statement runs at each output of the sum, under the guards on outputs."""
    s, every = _closing(c), {a.name for a in c.old.axes}
    ours = [g for g in c.old.guard if symbols_of([g]) & every <= set(c.outer)]
    mine = {a.name: a.extent for a in s.axes}
    return s.op == c.old.op and s.target == c.old.target and mine == c.outer and list(s.guard) == ours


def _closing(c: RewriteBook) -> Any:
    return c.x.kernel.statements[c.x.closing]


def _terms(value: Any, head: type[Any]) -> list[Any]:
    """The terms of a sum, or of a maximum, as `head` says."""
    return [t for x in value.args for t in _terms(x, head)] if isinstance(value, head) else [value]


def cells(c: RewriteBook) -> None:
    """Partial sums have one cell for each point of the output and each part."""
    (partial,) = [r for r in c.x.roles if isinstance(r, Partial)]
    s, name = c.statement(partial), partial.into
    c.structure(
        "exclusive", name, f"each cell of {name} is one point of the piece's other axes",
        s.extents_of(s.target.index) == c.x.kernel.tensor(name).shape,
        f"the index of {name} is not one axis for each dimension",
    )  # fmt: skip


def closing_of_parts(c: RewriteBook) -> None:
    """The closing statement adds each partial sum of the output's point once."""
    c.structure(
        "link", "closing", c.words.closing, _closes(c),
        "the closing statement has another target, other axes or another condition",
    )  # fmt: skip
    (partial,) = [r for r in c.x.roles if isinstance(r, Partial)]
    first, parts = c.statement(partial), getattr(c.x.row, "parts", 0)
    index = first.target.index
    part = [i.name for i in index if i.is_Symbol and i.name not in c.outer]
    terms = _terms(_closing(c).value, REGROUPED[c.old.op])
    found = Counter(tuple(t.index) for t in terms if isinstance(t, Read) and t.tensor == partial.into)
    wanted: dict[Any, int] = {}
    if len(part) == 1:
        wanted = {tuple(substitute(i, {part[0]: n}) for i in index): 1 for n in range(parts)}
    extent = {a.name: a.extent for a in first.axes}.get(part[0] if part else "", 0)
    whole = bool(wanted) and found == wanted and len(terms) == parts and extent == parts
    c.structure(
        "coverage", partial.into, f"each of the {parts} partial sums is added once", whole,
        f"what is added is not each of the {parts} partial sums once",
    )  # fmt: skip


def closing_bounds(c: RewriteBook) -> None:
    """Nothing is added outside of the output."""
    s, home = _closing(c), c.x.whole.tensor(c.old.target.tensor)
    inside = [f for i, n in zip(s.target.index, home.shape, strict=True) for f in span(i, n)]
    c.ask("bounds", "closing", f"what it adds to lies inside {home.name}", at_point(s), inside)


__all__ = [
    "cells", "closing", "closing_bounds", "closing_factors", "closing_of_parts", "each_once", "elements", "restated", "temporaries",
    "totals", "wrapping", "written_and_read",
]  # fmt: skip
