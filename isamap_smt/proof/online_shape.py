"""The shape of a kernel with running maxima: writes and reads of each statement; all else is as it was.

isamap_smt.proof.online asks about the values of its statements.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import sympy as sp

from isamap_smt.ir.expr import sym, symbols_of
from isamap_smt.ir.kernel import Access, Recurrence, Statement
from isamap_smt.ir.online import Online, Role
from isamap_smt.ir.online_rounding import ranges_of
from isamap_smt.ir.rewrite import Rewrite
from isamap_smt.ir.rows import Sums
from isamap_smt.ir.scalar import Read
from isamap_smt.mapping.online import lowest
from isamap_smt.proof.kernel_begun import answer, questions
from isamap_smt.proof.noted import Watch
from isamap_smt.proof.rewrite_book import RewriteBook, Words
from isamap_smt.proof.rewrite_link import names, shapes


class UnreadableError(Exception):
    """A statement without the form of its role; str() names it, and the reason."""


class OnlineShape(RewriteBook):
    """Collects the verdicts about the shape."""

    def __init__(self, x: Online, watch: Watch | None = None) -> None:
        self.online = x
        numbers = range(x.first, x.end)
        self.reduced = {n: x.axis in x.whole.statements[n].reduction_axes for n in numbers}
        self.homes = {x.whole.statements[n].target.tensor: n for n in numbers}
        super().__init__(Rewrite(x.whole, x.kernel, Sums(x.first, x.axis, x.block), ()), Words(), watch)

    def ask_shape(self) -> None:
        """Every claim about it, until one fails."""
        for shape in (
            self._around, self._chain, self._written, self._states, self._order_of_reads, self._given_back,
        ):  # fmt: skip
            try:
                shape()
            except UnreadableError as error:
                self.structure("link", "forms", "every statement has the form of its role", False, str(error))
            if not self.all_proved:
                return

    def _whole(self, n: int) -> Statement:
        return self.online.whole.statements[n]

    def _name(self, n: int) -> str:
        return self._whole(n).target.tensor

    # ---- the shape

    def _around(self) -> None:
        """All but the chain is as it was."""
        x, whole, new = self.online, self.online.whole, self.online.kernel
        end = x.first + len(x.made)
        around = new.statements[: x.first] == whole.statements[: x.first]
        around = around and new.statements[end:] == whole.statements[x.end :]
        self.structure(
            "link", "statements", "all other statements are as they were", around, "one is another, or missing"
        )
        old, now = ({t.name: t for t in k.tensors} for k in (whole, new))
        fresh = now.keys() - old.keys()
        gone = old.keys() - now.keys()
        right = all(old[n] == t for n, t in now.items() if n in old) and (new.parameters, new.ranges) == (
            whole.parameters, whole.with_ranges(ranges_of(x)).ranges,
        )  # fmt: skip
        right = right and set(new.temporaries) == (set(whole.temporaries) | fresh) - gone
        right = right and gone <= set(self.homes) & set(whole.temporaries)
        words = "tensors are as they were, new ones temporaries, and factors of the scores in their range"
        self.structure("link", "tensors", words, right, "one is another")
        loops = [
            n for n, m in enumerate(x.made, x.first) if m.role in (Role.POINTS, Role.UPDATE, Role.SCALE) and not m.rest
        ]
        inside = bool(loops) and loops == list(range(loops[0], loops[-1] + 1))
        moved = [replace(r, first=r.first + self._added, end=r.end + self._added) if r.first >= x.end else r
                 for r in whole.recurrences]  # fmt: skip
        known = [*moved, Recurrence(x.step, loops[0], loops[-1] + 1)] if inside else []
        free = not any(r.first < x.end and x.first < r.end for r in whole.recurrences)
        right = (
            inside and free and sorted(new.recurrences, key=lambda r: r.first) == sorted(known, key=lambda r: r.first)
        )
        self.structure("link", "recurrences", "the blocks follow each other, and other loops are as they were", right,
                       "a loop holds other statements")  # fmt: skip
        names(self)
        shapes(self)

    @property
    def _added(self) -> int:
        return len(self.online.kernel.statements) - len(self.online.whole.statements)

    def _chain(self) -> None:
        """The chain: one writer for each tensor, above its readers, one axis a dimension; its sums may be regrouped."""
        x = self.online
        wrong = []
        for n in range(x.first, x.end):
            s, t = self._whole(n), x.whole.tensor(self._name(n))
            plain = s.extents_of(s.target.index) == t.shape
            once = [y.target.tensor for y in x.whole.statements].count(t.name) == 1
            above = all(self.homes.get(a.tensor, -1) < n for a in s.inputs)
            early = not any(a.tensor == t.name for y in x.whole.statements[:n] for a in y.inputs)
            kind = s.op in ("+", "max") and not s.ordered and t.dtype.is_float if self.reduced[n] else (
                s.op != "=" or not s.reduction_axes
            )  # fmt: skip
            begun = s.op != "max" or not self.reduced[n] or t.name in x.whole.temporaries
            if not (plain and once and above and early and kind and begun and x.axis in {a.name for a in s.axes}):
                wrong.append(f"statement {n + 1}")
        self.structure("order", "chain", "its sums may be regrouped, and each tensor is written once, above what reads it",
                       not wrong, f"{', '.join(wrong)} of the whole cannot be taken block by block")  # fmt: skip

    def _written(self) -> None:
        """Each new tensor is written by statements of one purpose alone."""
        x = self.online
        found: dict[str, set[Any]] = {}
        for m, s in zip(x.made, x.kernel.statements[x.first :], strict=False):
            role = Role.UPDATE if m.role is Role.BEGIN else m.role  # both write the state
            found.setdefault(s.target.tensor, set()).add((role, m.of, m.rest))
        elsewhere = {s.target.tensor for s in (*x.kernel.statements[: x.first], *x.whole.statements[x.end :])}
        once = all(len(p) == 1 for p in found.values()) and not set(found) & elsewhere
        fresh = all(
            (name in self.homes) == (next(iter(p))[0] in (Role.CLOSE, Role.KEPT))
            and (name in self.homes or name not in {t.name for t in x.whole.tensors})
            for name, p in found.items()
        )
        roles = [(m.role, m.of, m.rest) for m in x.made]
        wanted = {(Role.POINTS, n, r) for n in self.reduced for r in x.stages()}
        wanted |= {(role, n, r) for n, red in self.reduced.items() if red
                   for role, r in ((Role.BEGIN, False), *((Role.UPDATE, r) for r in x.stages()))}  # fmt: skip
        left = [r for r in roles if r[0] in (Role.POINTS, Role.BEGIN, Role.UPDATE)]
        every = set(left) == wanted and len(set(roles)) == len(roles)
        self.structure(
            "link", "written", "each tensor is written for one purpose, and nothing is missing", once and fresh and every,
            "a tensor has other writers, or a statement of the whole is computed in no block",
        )  # fmt: skip

    def _home(self, role: Role, n: int, rest: bool | None = None) -> tuple[int, Statement]:
        found = self.online.statements(role, rest).get(n)
        if found is None:
            raise UnreadableError(f"{self._name(n)} has no statement that {role.value}")
        return found

    def _row(self, n: int, row: Any) -> Access:
        """An element of the state behind so many blocks."""
        _, s = self._home(Role.UPDATE, n, False)
        return Access(s.target.tensor, (sp.sympify(row), *self._whole(n).target.index))

    def _before(self, n: int, rest: bool) -> Access:
        return self._row(n, self.online.steps if rest else sym(self.online.step))

    def _after(self, n: int, rest: bool) -> Access:
        if not rest:
            return self._row(n, sym(self.online.step) + 1)
        return Access(self._home(Role.UPDATE, n, True)[1].target.tensor, self._whole(n).target.index)

    def _part(self, n: int, rest: bool) -> Access:
        """The result of a block, or of the rest, at a point of the whole's target."""
        _, s = self._home(Role.POINTS, n, rest)
        index = [self.online.near(rest) if i == sym(self.online.axis) else i for i in self._whole(n).target.index]
        return Access(s.target.tensor, tuple(index) if rest else (sym(self.online.step), *index))

    def _factor(self, m: int, rest: bool) -> Access:
        _, s = self._home(Role.SCALE, m, rest)
        index = self._whole(m).target.index
        return Access(s.target.tensor, index if rest else (sym(self.online.step), *index))

    def _states(self) -> None:
        """The states: one row for each block and the one before; begun, taken on, and of their tensor's type."""
        x = self.online
        for m, s in zip(x.made, x.kernel.statements[x.first :], strict=False):
            t, home = x.kernel.tensor(s.target.tensor), x.whole.tensor(self._name(m.of))
            wanted, shape, over = self._form(m.role, m.of, m.rest)
            right = m.role is Role.KEPT or (s.target == wanted and t.shape == shape and t.dtype == home.dtype)
            if over is not None:
                right = right and s.op in ("=", over) and not s.guard and not s.ordered
                right = right and {a.name: a.extent for a in s.axes} == self._extents(s.target)
                right = right and len({a.name for a in s.axes}) == len(s.axes)
            if not right:
                raise UnreadableError(
                    f"the statement for {s.target.tensor} does not write, once, what {m.role.value} writes"
                )
        for n, reduced in self.reduced.items():
            if reduced:
                _, begin = self._home(Role.BEGIN, n)
                least = self._whole(n).op == "max"
                value = lowest(x.whole.tensor(self._name(n)).dtype) if least else sp.Integer(0)
                words = f"{self._name(n)} begins {'at the least number of its type' if least else 'at 0'}"
                self.structure("neutral", self._name(n), words, begin.value == value, f"it begins at {begin.value}")

    def _form(self, role: Role, n: int, rest: bool) -> tuple[Access, tuple[Any, ...], str | None]:
        """(target, shape, operator allowed beside `=`) of a statement with this role.

        The operator is None if other claims ask for it.
        """
        x, shape = self.online, self.online.whole.tensor(self._name(n)).shape
        rows = sp.Integer(x.steps + 1)
        match role:
            case Role.BEGIN:
                return self._row(n, 0), (rows, *shape), "="
            case Role.UPDATE:
                return self._after(n, rest), shape if rest else (rows, *shape), "="
            case Role.SCALE:
                return self._factor(n, rest), shape if rest else (sp.Integer(x.steps), *shape), "="
            case Role.POINTS:
                cut = [sp.Integer(x.left if rest else x.block) if i == sym(x.axis) else e
                       for i, e in zip(self._whole(n).target.index, shape, strict=True)]  # fmt: skip
                return self._part(n, rest), tuple(cut) if rest else (sp.Integer(x.steps), *cut), None
            case Role.CLOSE:
                op = "=" if self._name(n) in x.whole.temporaries else self._whole(n).op
                return self._whole(n).target, shape, op
            case Role.KEPT:
                return self._whole(n).target, shape, None

    def _extents(self, target: Access) -> dict[str, Any]:
        """Axes of the index with their extents, as they are in the whole or stand for its blocks."""
        x = self.online
        every = {a.name: a.extent for a in x.whole.axes} | {x.step: sp.Integer(x.steps)}
        return {n: every[n] for n in symbols_of(target.index)}

    def _order_of_reads(self) -> None:
        """An element read was written above, in the same block.

        The state before a block is written by the block before it, or at the beginning.
        """
        x = self.online
        writers: dict[str, list[int]] = {}
        for n, s in enumerate(x.kernel.statements[x.first : x.first + len(x.made)]):
            writers.setdefault(s.target.tensor, []).append(n)
        wrong = []
        for n, m in enumerate(x.made):
            for a in x.kernel.statements[x.first + n].inputs:
                if a.tensor not in writers:
                    continue
                of = x.made[writers[a.tensor][-1]]
                above = all(w < n for w in writers[a.tensor])
                looped = not m.rest and m.role in (Role.POINTS, Role.UPDATE, Role.SCALE)
                if of.role is Role.UPDATE and not of.rest:
                    # in the loop: the state before the block, or that after it, behind its update
                    row = a.index[0] - sym(x.step) if looped else a.index[0]
                    right = row == 0 or (row == 1 and above) if looped else row == x.steps and above
                else:
                    right = above and (of.rest == m.rest or m.role is Role.CLOSE or of.role in (Role.CLOSE, Role.KEPT))
                wrong += [] if right else [n]
        begun = [n for n, m in enumerate(x.made) if m.role is Role.BEGIN]
        blocks = [n for n, m in enumerate(x.made) if m.role is Role.POINTS and not m.rest]
        early = bool(begun and blocks) and max(begun) < min(blocks)
        names = dict.fromkeys(x.kernel.statements[x.first + n].target.tensor for n in wrong)
        said = f"{', '.join(names) or 'the first state'}: read before it is written"
        self.structure("order", "reads", "what is read was written above", not wrong and early, said)

    def _given_back(self) -> None:
        """Whatever is read behind the chain, or is a result, is the last state, or computed again from it by the same statement."""
        x = self.online
        closed, kept = x.statements(Role.CLOSE), x.statements(Role.KEPT)
        wrong = []
        for name, n in self.homes.items():
            if name in {t.name for t in x.kernel.tensors} and n not in (closed if self.reduced[n] else kept):
                wrong.append(name)
        for n, (_, s) in closed.items():
            right = self.reduced[n] and s.value == element(self._after(n, True) if x.left else self._row(n, x.steps))
            right = right and (s.op == "=") == (self._name(n) in x.whole.temporaries)
            wrong += [] if right else [self._name(n)]
        wrong += [self._name(n) for n, (_, s) in kept.items() if s != self._whole(n) or self.reduced[n]]
        behind = [n for n, m in enumerate(x.made) if m.role in (Role.CLOSE, Role.KEPT)]
        last = behind == list(range(len(x.made) - len(behind), len(x.made)))
        mine = {s.target.tensor for r in Role for s in (y for _, y in x.statements(r).values())} - set(self.homes)
        later = {a.tensor for s in x.whole.statements[x.end :] for a in s.inputs} & mine
        self.structure("link", "given back", "behind it stand the last states, and what is computed again from them",
                       not wrong and last and not later, f"{', '.join(wrong) or 'something'} is another value")  # fmt: skip
        for n in closed:
            if self._whole(n).op == "max" and self._whole(n).guard:
                self._no_row_is_empty(n)

    def _no_row_is_empty(self, n: int) -> None:
        """A maximum given back has a point for each element; without one it is minus infinity, its state not."""
        whole, name = self.online.whole, self._name(n)
        for q in questions(whole, name, n):
            self.note("coverage", name, f"{q.needed.words}, by a point", answer(whole, q, self.given))


def element(access: Access) -> Any:
    """The value at the access."""
    return Read(sp.Symbol(access.tensor), *access.index)


__all__ = ["OnlineShape", "UnreadableError", "element"]
