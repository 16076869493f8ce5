"""The claims that a sum, or an axis, taken apart is the same: each point of it is in one piece, once, with the same value.

    bounds      a point of a piece is a point of the sum
    exclusive   no two points of the pieces that add to one output are the same point of the sum
    coverage    every point of the sum is in a piece
    program     at equal points, the piece reads the elements that the sum reads, and adds to the same output
    hypotheses  no axis has the name of a size or of another axis
    neutral     the partial sums are a temporary that starts at zero and is written by one piece and read by one statement
    link        the rest of the kernel is as it was; the closing statement adds up every partial sum once
    order       the sum may be regrouped: its kernel does not fix its order; or, of digits: the order is the same

What is claimed of an operand that is moved stands in isamap_smt.proof.shift, of factors that are multiplied out in
isamap_smt.proof.multiplied, and of values with a tensor of their own in isamap_smt.proof.staged_values.
Both kernels are read as they stand; which points a piece has is claimed, and proved with every open size symbolic.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from isamap_encodings.program_implication import implied
from isamap_encodings.verdict import Proved, Refuted, Verdict
from isamap_smt.ir.expr import is_constant, substitute, sym, symbols_of
from isamap_smt.ir.kernel import Statement
from isamap_smt.ir.proof import ClaimResult
from isamap_smt.ir.reach import size_conditions
from isamap_smt.ir.scalar import Read, bound_axes, put_into_indices, reads, rewrite_reads
from isamap_smt.ir.split import REGROUPED, Piece, SplitSum
from isamap_smt.proof.multiplied import ask_multiplied
from isamap_smt.proof.program_book import Watch
from isamap_smt.proof.program_sites import Formula, conjunction, equal, rename, span
from isamap_smt.proof.shift import ask_moved
from isamap_smt.proof.staged_values import ask_staged


class Claims:
    """Collects the verdicts."""

    def __init__(self, split: SplitSum, watch: Watch | None = None) -> None:
        self.watch = watch
        self.results: list[ClaimResult] = []
        self.about = ""  # what the claims that follow speak of, where it is not the kernel's only sum
        self._now(split)
        low = {p.name: p.low for p in split.whole.parameters}
        self.sizes = sorted({*split.whole.free_sizes, *split.kernel.free_sizes})
        self.given: list[Formula] = [("le", low.get(n, 1), sym(n)) for n in self.sizes]
        self.given += [c.formula for c in size_conditions(split.whole)]

    def _now(self, split: SplitSum) -> None:
        self.x = split
        self.old = split.whole.statements[split.statement]
        self.kind = split.whole.tensor(self.old.target.tensor).dtype
        self.others = {a.name: a.extent for a in self.old.axes if a.name not in {split.axis, *split.joined}}

    @property
    def all_proved(self) -> bool:
        """Whether nothing has failed so far."""
        return all(isinstance(r.verdict, Proved) for r in self.results)

    def look_at(self, split: SplitSum, about: str) -> None:
        """The claims about the points of another statement: each is in one piece, once, with the same value."""
        self._now(split)
        self.about = about
        found = len(self.results)
        self._pieces()
        if all(isinstance(r.verdict, Proved) for r in self.results[found:]):
            self._points_of_pieces()
        self.about = ""

    def ask_all(self) -> None:
        """Every claim. Those about the kernels' shape come first: the others rest on them."""
        whole = (self._link, self._in_its_place, self._pieces)
        sums = (self._link, self._order, self._pieces, self._neutral, self._closes, self._closing_bounds)
        moved = (self._link, self._order, lambda: ask_moved(self))
        staged = (self._link, lambda: ask_staged(self))
        multiplied = (self._link, self._order, lambda: ask_multiplied(self))
        forms = {
            "moved": moved,
            "multiplied": multiplied,
            "staged": staged,
            "digits": whole,
            "bounded": whole,
            "joined": whole,
            "sums": sums,
        }
        for shape in forms[self.x.form]:
            shape()
            if not self.all_proved:
                return
        if not self.x.restated:
            self._points_of_pieces()

    def _points_of_pieces(self) -> None:
        for n, piece in enumerate(self.x.pieces):
            self._bounds(piece, n)
            self._program(piece, n)
            for m in range(n + 1):
                self._exclusive(piece, self.x.pieces[m], n, m)
        self._coverage()

    # ---- writing down

    def ask(self, claim: str, subject: str, words: str, known: Sequence[Formula], goals: Sequence[Formula]) -> None:
        """Ask the solver."""
        verdict = implied([*self.given, *known], goals, self.sizes, f"{claim} {subject}: {words}")
        if isinstance(verdict, Refuted):
            at = " ".join(f"{k}={v}" for k, v in verdict.witness.items()) or "every size"
            verdict = Refuted(verdict.witness, f"{words}: fails at {at}", verdict.seconds)
        self.note(claim, subject, words, verdict)

    def structure(self, claim: str, subject: str, words: str, right: bool, wrong: str) -> None:
        """A claim on the kernels' shape."""
        self.note(claim, subject, words, Proved() if right else Refuted({}, wrong))

    def note(self, claim: str, subject: str, words: str, verdict: Verdict) -> None:
        """Write a verdict down."""
        result = ClaimResult(claim, f"{self.about} {subject}".strip(), verdict, words)
        self.results.append(result)
        if self.watch is not None:
            self.watch([result])

    # ---- the shape

    def _link(self) -> None:
        """All but the split statement is as it was, with the pieces in its place, and one temporary more."""
        x, whole, new = self.x, self.x.whole, self.x.kernel
        n, m = x.statement, x.statement + x.added + 1
        numbers = (
            list(range(n, m))
            if x.restated
            else sorted([*([] if x.in_place else [x.closing]), *(p.statement for p in x.pieces)])
        )
        around = (x.added == x.restated if x.restated else bool(x.pieces)) and m <= len(new.statements)
        around = (
            around and whole.statements[:n] == new.statements[:n] and whole.statements[n + 1 :] == new.statements[m:]
        )
        if x.before is not None:
            self.structure(
                "link",
                "before",
                "it is the kernel that was left before",
                x.before.kernel == whole,
                "it is another kernel",
            )
        self.structure(
            "link", "statements", "all other statements are as they were, and the pieces are in the place of the sum",
            around and numbers == list(range(n, m)), "a statement is another one, missing, or of no piece",
        )  # fmt: skip
        tensors = [t for t in new.tensors if t.name not in x.temporaries]
        same = sorted(tensors, key=lambda t: t.name) == sorted(whole.tensors, key=lambda t: t.name)
        same = same and (new.parameters, new.ranges) == (whole.parameters, whole.ranges)
        more = x.temporaries
        fresh = not set(more) & {t.name for t in whole.tensors} and len(set(more)) == len(more)
        fresh = fresh and set(new.temporaries) == {*more, *whole.temporaries}
        self.structure(
            "link", "tensors", " and ".join(["the tensors are those of the whole", *(f"the temporary {n}" for n in more)]),
            same and fresh and len(new.tensors) == len(tensors) + len(more), "a tensor, a parameter or a range is another one",
        )  # fmt: skip
        self._names()
        moved = tuple(
            replace(r, first=r.first + x.added * (r.first > n), end=r.end + x.added * (r.end > n))
            for r in whole.recurrences
        )
        block = whole.recurrence_of(n)  # its axis is one of the output's: each time step has partial sums of its own
        own = block is None or (not x.restated and block.axis not in self.old.reduction_axes and block.axis != x.axis)
        words = "the recurrences hold the same statements" + (", and not the sum" if block is None else "")
        self.structure(
            "link", "recurrences", words, new.recurrences == moved and own, "a recurrence holds other statements"
        )

    def _names(self) -> None:
        """Every name means one thing."""
        whole, new = self.x.whole, self.x.kernel
        sizes = {*whole.free_sizes, *new.free_sizes, *(p.name for p in whole.parameters)}
        apart = all(
            len({a.name for a in s.axes}) == len(s.axes)
            and not {a.name for a in s.axes} & (sizes | set(bound_axes(s.value)))
            and all(a.name.isidentifier() for a in s.axes)  # a prime marks a second point
            for s in (*whole.statements, *new.statements)
        )
        self.structure(
            "hypotheses", "names", "every name means one thing", apart and set(new.free_sizes) <= set(whole.free_sizes),
            "an axis has the name of a size or of another axis",
        )  # fmt: skip
        if asked := set(size_conditions(whole)):
            kept = asked <= set(size_conditions(new))
            words = "programs of it ask of sizes what declared shapes ask"
            self.structure("hypotheses", "shapes", words, kept, "a condition of the whole is none of it")

    def _order(self) -> None:
        s, t = self.old, self.x.whole.tensor(self.old.target.tensor)
        free = s.op in REGROUPED and not s.ordered and all(a.tensor != s.target.tensor for a in s.inputs)
        self.structure(
            "order", "", "the sum may be regrouped", free, f"statement {self.x.statement + 1} adds to {t.name} in an order"
        )  # fmt: skip

    def _in_its_place(self) -> None:
        """One piece that computes the points in the order of the whole: its new axes stand in the old one's place, and count up."""
        p = self.x.pieces[0]
        s = self.statement(p)
        new = [a.name for a in s.axes if a.name not in self.others]
        old = self.x.joined or (self.x.axis,)
        names = [n for a in s.axes for n in ([a.name] if a.name in self.others else old * (a.name == new[0]))]
        right = len(self.x.pieces) == 1 and bool(new) and names == [a.name for a in self.old.axes]
        right = right and [a.name for a in s.axes][(at := names.index(old[0])) : at + len(new)] == new
        words = "its points come in the order of the whole"
        self.structure("order", "axes", words, right, "its axes stand in another order")
        if not right:
            return
        later = {a: sym(f"{a}'") for a in new}
        same = equal([sym(a) for a in new], [later[a] for a in new])
        first = [("and", *same[:n], ("lt", sym(a), later[a])) for n, a in enumerate(new)]
        points = [dict(p.point)[a] for a in old]
        equals = equal(points, [rename(e, later) for e in points])
        behind = [("and", *equals[:n], ("lt", e, rename(e, later))) for n, e in enumerate(points)]
        known = [*self._inside(p), rename(conjunction(self._inside(p)), later), ("or", *first)]
        self.ask("order", "digits", words, known, [("or", *behind)])

    def _pieces(self) -> None:
        """A piece has the sum's axes but the one that is split, and says where all of these are."""
        for n, p in enumerate(self.x.pieces):
            s = self.statement(p)
            axes, split = {a.name: a.extent for a in s.axes}, {a.name for a in self.old.axes}
            new = {a: e for a, e in axes.items() if a not in self.others}
            point, back = dict(p.point), dict(p.back)
            same = {a: sym(a) for a in self.others}
            right = (
                all(axes.get(a) == e for a, e in self.others.items())
                and not set(new) & split
                and all(int(e) >= 1 if is_constant(e) else symbols_of([e]) <= set(self.sizes) for e in new.values())
                and sorted(a for a, _ in p.point) == sorted(split)
                and sorted(a for a, _ in p.back) == sorted(axes)
                and {a: point[a] for a in self.others} == {a: back[a] for a in self.others} == same
                and symbols_of(point.values()) <= {*axes, *self.sizes}
                and symbols_of(back.values()) <= {*split, *self.sizes}
            )
            self.structure(
                "program", f"piece {n + 1}", f"it has the axes of the sum, others in the place of {self.x.axis}", right,
                "its axes, or what is said of its points, are not those of the sum",
            )  # fmt: skip
            counted = [] if self.x.in_place else [e for e in new.values() if not is_constant(e)]
            if right and counted:
                words = "each of its axes has a point, at every size"
                self.ask("bounds", f"piece {n + 1} axes", words, [], [("le", 1, e) for e in counted])

    def _neutral(self) -> None:
        """The partial sums: one cell for each point of the output and each part, from zero, written once, read once."""
        x, first = self.x, self.statement(self.x.pieces[0])
        writers = [n for n, s in enumerate(x.kernel.statements) if s.target.tensor == x.sums]
        readers = [n for n, s in enumerate(x.kernel.statements) if any(a.tensor == x.sums for a in s.inputs)]
        self.structure(
            "neutral", x.sums, f"{x.sums} is a temporary that one piece adds to before one statement reads it",
            writers == [x.pieces[0].statement] and readers == [x.closing] and x.pieces[0].statement < x.closing
            and first.op == self.old.op, f"another statement writes or reads {x.sums}",
        )  # fmt: skip
        self.same_type()
        t, index = x.kernel.tensor(x.sums), first.target.index
        fits = first.extents_of(index) == t.shape
        self.structure(
            "exclusive", x.sums, f"each cell of {x.sums} is one point of the piece's other axes", fits,
            f"the index of {x.sums} is not one axis for each dimension",
        )  # fmt: skip

    def written_and_read(self, name: str, writer: int, reader: int) -> None:
        """A temporary of two statements alone."""
        every = self.x.kernel.statements
        writers = [n for n, s in enumerate(every) if s.target.tensor == name]
        readers = [n for n, s in enumerate(every) if any(a.tensor == name for a in s.inputs)]
        self.structure(
            "neutral", name, f"{name} is written by one statement and read by one behind it",
            (writers, readers) == ([writer], [reader]), f"another statement writes or reads {name}",
        )  # fmt: skip

    def same_type(self) -> None:
        """What is added up by itself has the output's type."""
        x, home = self.x, self.x.whole.tensor(self.old.target.tensor)
        t = x.kernel.tensor(x.sums)
        self.structure(
            "neutral", "type", f"{x.sums} has the element type of {home.name}", t.dtype == home.dtype,
            f"{x.sums} is {t.dtype}, {home.name} is {home.dtype}",
        )  # fmt: skip

    def _closes(self) -> None:
        """The closing statement adds each partial sum of the output's point once."""
        x, s = self.x, self.x.kernel.statements[self.x.closing]
        first = self.statement(x.pieces[0]).target.index
        axes = {a.name: a.extent for a in self.old.axes if a.name not in self.old.reduction_axes}
        mine = {a.name: a.extent for a in s.axes}
        ours = [g for g in self.old.guard if symbols_of([g]) & {a.name for a in self.old.axes} <= set(axes)]
        shape = s.op == self.old.op and s.target == self.old.target and mine == axes and list(s.guard) == ours
        self.structure(
            "link", "closing", "the closing statement adds to every output of the sum", shape,
            "the closing statement has another target, other axes or another condition",
        )  # fmt: skip
        part = [i.name for i in first if i.is_Symbol and i.name not in axes]
        terms = _terms(s.value, REGROUPED[self.old.op])
        found = Counter(tuple(r.index) for r in terms or () if r.tensor == x.sums and len(r.index) == len(first))
        wanted: dict[Any, int] = {}
        if len(part) == 1:
            wanted = {tuple(substitute(i, {part[0]: n}) for i in first): 1 for n in range(x.parts)}
        extent = {a.name: a.extent for a in self.statement(x.pieces[0]).axes}.get(part[0] if part else "", 0)
        whole = bool(wanted) and found == wanted and len(terms or ()) == x.parts and extent == x.parts
        self.structure(
            "coverage", x.sums, f"each of the {x.parts} partial sums is added once", whole,
            f"what is added is not each of the {x.parts} partial sums once",
        )  # fmt: skip

    def _closing_bounds(self) -> None:
        s, home = self.x.kernel.statements[self.x.closing], self.x.whole.tensor(self.old.target.tensor)
        inside = [f for i, n in zip(s.target.index, home.shape, strict=True) for f in span(i, n)]
        known = [*(f for a in s.axes for f in span(a.symbol, a.extent)), *s.guard]
        self.ask("bounds", "closing", f"what it adds to lies inside {home.name}", known, inside)

    # ---- the points

    def statement(self, p: Piece) -> Statement:
        """The statement of a piece."""
        return self.x.kernel.statements[p.statement]

    def _inside(self, p: Piece) -> list[Formula]:
        """A point of the piece."""
        s = self.statement(p)
        return [*(f for a in s.axes for f in span(a.symbol, a.extent)), *s.guard]

    def _domain(self) -> list[Formula]:
        """A point of the sum."""
        return [*(f for a in self.old.axes for f in span(a.symbol, a.extent)), *self.old.guard]

    def _bounds(self, p: Piece, n: int) -> None:
        goals = rename(conjunction(self._domain()), dict(p.point))
        self.ask("bounds", f"piece {n + 1}", "each of its points is a point of the sum", self._inside(p), [goals])

    def _program(self, p: Piece, n: int) -> None:
        """The same tree of operations, over the same elements; the same output, or the partial sums of it."""
        s, table = self.statement(p), dict(p.point)
        words, subject = "it adds what the sum adds at that point, to the same output", f"piece {n + 1}"
        here = put_into_indices(self.old.value, table)  # an axis may stand in a value by itself
        trees = [rewrite_reads(v, lambda r: Read(r.args[0])) for v in (s.value, here)]
        direct = s.target.tensor != self.x.sums
        outer = [a.symbol for a in self.old.axes if a.name not in self.old.reduction_axes]
        found = [(list(r.index), list(o.index)) for r, o in zip(reads(s.value), reads(self.old.value), strict=False)]
        found += [(list(s.target.index), list(self.old.target.index))] if direct else []
        arity = all(len(mine) == len(theirs) for mine, theirs in found)
        kept = direct or set(outer) < set(s.target.index)
        shape = trees[0] == trees[1] and s.op == self.old.op and s.ordered == self.old.ordered and kept and arity
        self.structure("program", subject, words, shape, "it computes another expression, or adds to something else")
        if not shape:
            return
        goals: list[Formula] = []
        for mine, theirs in zip(reads(s.value), reads(self.old.value), strict=True):
            goals += equal(mine.index, [substitute(i, table) for i in theirs.index])
        if direct:
            goals += equal(s.target.index, [substitute(i, table) for i in self.old.target.index])
            same = s.target.tensor == self.old.target.tensor
            self.structure("program", subject, "it adds to the sum's output", same, f"it adds to {s.target.tensor}")
        self.ask("program", subject, words, self._inside(p), [g for g in goals if not _trivial(g)] or [("and",)])

    def _exclusive(self, p: Piece, q: Piece, n: int, m: int) -> None:
        """Equal points of the sum are equal points of one piece."""
        again = {a.name: sym(f"{a.name}'") for a in self.statement(q).axes}
        there = rename(conjunction(self._inside(q)), again)
        other = {a: rename(e, again) for a, e in q.point}
        known = [*self._inside(p), there, *(f for a, e in p.point for f in equal([e], [other[a]]))]
        if n == m:
            goals = [f for a in self.statement(p).axes for f in equal([a.symbol], [again[a.name]])]
            self.ask("exclusive", f"piece {n + 1}", "no two of its points are the same", known, goals)
        else:
            self.ask("exclusive", f"pieces {m + 1} and {n + 1}", "they share no point", known, [("or",)])

    def _coverage(self) -> None:
        """Each point of the sum is the point of some piece at its `back`."""
        ways = []
        for p in self.x.pieces:
            back = dict(p.back)
            goals = [rename(conjunction(self._inside(p)), back)]
            goals += [f for a, e in p.point for f in equal([sym(a)], [rename(e, back)])]
            ways.append(conjunction(goals))
        known = self._domain()
        self.ask("coverage", "", "every point of the sum is in a piece", known, [("or", *ways)])


def _terms(value: Any, head: type[Any]) -> list[Any] | None:
    """The terms of a sum (or a maximum, as `head` says) of reads; None where it is anything else."""
    if isinstance(value, Read):
        return [value]
    if not isinstance(value, head):
        return None
    a, b = (_terms(x, head) for x in value.args)
    return None if a is None or b is None else a + b


def _trivial(goal: Formula) -> bool:
    """An equality of a term with itself."""
    return isinstance(goal, tuple) and goal[0] == "eq" and (goal[1] - goal[2]).expand() == 0
