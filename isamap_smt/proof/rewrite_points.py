"""The claims about points: each point of a statement is in one piece, once, with the same value.

program     a piece has the axes of the statement but for some; at equal points it computes the same of the same elements
bounds      a point of a piece is a point of the statement
exclusive   no two points of the pieces are the same point of the statement
coverage    every point of the statement is in a piece
order       of one piece in the place of the whole: its points come in the order of the whole
"""

from __future__ import annotations

from isamap_smt.ir.expr import is_constant, substitute, sym, symbols_of
from isamap_smt.ir.rewrite import Partial, Piece
from isamap_smt.ir.scalar import Read, put_into_indices, reads, rewrite_reads
from isamap_smt.proof.program_sites import Formula, conjunction, equal, rename
from isamap_smt.proof.rewrite_book import RewriteBook, at_point


def each_point_once(c: RewriteBook) -> None:
    """All claims about the points of the pieces, whose form is proved already."""
    for n, piece in enumerate(c.x.pieces):
        _bounds(c, piece, n)
        _program(c, piece, n)
        for m in range(n + 1):
            _exclusive(c, piece, c.x.pieces[m], n, m)
    _coverage(c)


def pieces(c: RewriteBook, counted: bool) -> None:
    """A piece has the statement's axes, with some replaced by others, and gives the position of all of these.

    counted: each new axis has a point, claimed nowhere else.
    """
    for n, p in enumerate(c.x.pieces):
        s = c.statement(p)
        axes, split = {a.name: a.extent for a in s.axes}, {a.name for a in c.old.axes}
        new = {a: e for a, e in axes.items() if a not in c.others}
        point, back = dict(p.point), dict(p.back)
        same = {a: sym(a) for a in c.others}
        right = (
            all(axes.get(a) == e for a, e in c.others.items())
            and not set(new) & split
            and all(int(e) >= 1 if is_constant(e) else symbols_of([e]) <= set(c.sizes) for e in new.values())
            and sorted(a for a, _ in p.point) == sorted(split)
            and sorted(a for a, _ in p.back) == sorted(axes)
            and {a: point[a] for a in c.others} == {a: back[a] for a in c.others} == same
            and symbols_of(point.values()) <= {*axes, *c.sizes}
            and symbols_of(back.values()) <= {*split, *c.sizes}
        )
        c.structure(
            "program", f"piece {n + 1}", f"it has the axes of the sum, others in the place of {c.x.row.axis}", right,
            "its axes, or what is said of its points, are not those of the sum",
        )  # fmt: skip
        open_ = [e for e in new.values() if counted and not is_constant(e)]
        if right and open_:
            words = "each of its axes has a point, at every size"
            c.ask("bounds", f"piece {n + 1} axes", words, [], [("le", 1, e) for e in open_])


def in_order(c: RewriteBook) -> None:
    """One piece computes the points in the order of the whole: its new axes take the place of the old, and count up."""
    p, old = c.x.pieces[0], c.x.row.replaced
    names = [a.name for a in c.statement(p).axes]
    new = [a for a in names if a not in c.others]
    restored = [a for m in names for a in ([m] if m in c.others else old if m == new[0] else [])]
    right = bool(new) and restored == [a.name for a in c.old.axes]
    right = right and names[(at := restored.index(old[0])) : at + len(new)] == new
    words = "its points come in the order of the whole"
    c.structure("order", "axes", words, right, "its axes stand in another order")
    if not right:
        return
    later = {a: sym(f"{a}'") for a in new}
    same = equal([sym(a) for a in new], [later[a] for a in new])
    first = [("and", *same[:n], ("lt", sym(a), later[a])) for n, a in enumerate(new)]
    points = [dict(p.point)[a] for a in old]
    equals = equal(points, [rename(e, later) for e in points])
    behind = [("and", *equals[:n], ("lt", e, rename(e, later))) for n, e in enumerate(points)]
    known = [*c.inside(p), rename(conjunction(c.inside(p)), later), ("or", *first)]
    c.ask("order", "digits", words, known, [("or", *behind)])


def _bounds(c: RewriteBook, p: Piece, n: int) -> None:
    goals = rename(conjunction(at_point(c.old)), dict(p.point))
    c.ask("bounds", f"piece {n + 1}", "each of its points is a point of the sum", c.inside(p), [goals])


def _program(c: RewriteBook, p: Piece, n: int) -> None:
    """The same tree of operations, over the same elements; the same output, or the partial sums of it."""
    s, table = c.statement(p), dict(p.point)
    words, subject = "it adds what the sum adds at that point, to the same output", f"piece {n + 1}"
    here = put_into_indices(c.old.value, table)  # an axis may stand in a value by itself
    trees = [rewrite_reads(v, lambda r: Read(r.args[0])) for v in (s.value, here)]
    direct = not (isinstance(p, Partial) and s.target.tensor == p.into)
    found = [(list(r.index), list(o.index)) for r, o in zip(reads(s.value), reads(c.old.value), strict=False)]
    found += [(list(s.target.index), list(c.old.target.index))] if direct else []
    arity = all(len(mine) == len(theirs) for mine, theirs in found)
    kept = direct or {sym(a) for a in c.outer} < set(s.target.index)
    shape = trees[0] == trees[1] and s.op == c.old.op and s.ordered == c.old.ordered and kept and arity
    c.structure("program", subject, words, shape, "it computes another expression, or adds to something else")
    if not shape:
        return
    goals: list[Formula] = []
    for mine, theirs in zip(reads(s.value), reads(c.old.value), strict=True):
        goals += equal(mine.index, [substitute(i, table) for i in theirs.index])
    if direct:
        goals += equal(s.target.index, [substitute(i, table) for i in c.old.target.index])
        same = s.target.tensor == c.old.target.tensor
        c.structure("program", subject, "it adds to the sum's output", same, f"it adds to {s.target.tensor}")
    c.ask("program", subject, words, c.inside(p), [g for g in goals if not _trivial(g)] or [("and",)])


def _exclusive(c: RewriteBook, p: Piece, q: Piece, n: int, m: int) -> None:
    """Equal points of the sum are equal points of one piece."""
    again = {a.name: sym(f"{a.name}'") for a in c.statement(q).axes}
    there = rename(conjunction(c.inside(q)), again)
    other = {a: rename(e, again) for a, e in q.point}
    known = [*c.inside(p), there, *(f for a, e in p.point for f in equal([e], [other[a]]))]
    if n == m:
        goals = [f for a in c.statement(p).axes for f in equal([a.symbol], [again[a.name]])]
        c.ask("exclusive", f"piece {n + 1}", "no two of its points are the same", known, goals)
    else:
        c.ask("exclusive", f"pieces {m + 1} and {n + 1}", "they share no point", known, [("or",)])


def _coverage(c: RewriteBook) -> None:
    """Each point of the sum is the point of some piece at its `back`."""
    ways = []
    for p in c.x.pieces:
        back = dict(p.back)
        goals = [rename(conjunction(c.inside(p)), back)]
        goals += [f for a, e in p.point for f in equal([sym(a)], [rename(e, back)])]
        ways.append(conjunction(goals))
    c.ask("coverage", "", "every point of the sum is in a piece", at_point(c.old), [("or", *ways)])


def _trivial(goal: Formula) -> bool:
    """An equality of a term with itself."""
    return isinstance(goal, tuple) and goal[0] == "eq" and (goal[1] - goal[2]).expand() == 0


__all__ = ["each_point_once", "in_order", "pieces"]
