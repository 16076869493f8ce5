"""Proves that a maximum and the sums that depend on it may run block by block: E is any function with E(a) E(b) = E(a + b).

State after some blocks: m, the maximum so far, and for each sum s, the sum of its terms so far, each as it is at m. A term t at m
is t f at m', with one f for all of them: where E(a) stands in it, a' = a + c makes E(a') of E(a) E(c), and f is E(c).

    bounds, exclusive, coverage, program   every block computes, at each of its points once, what the whole does (split_claims.py)
    scalar argument    a' = a + c, for each argument a of E that depends on m, and the factor's own, c
    scalar factor      each term at m' is the one at m, times the factor
    scalar state       after a block m' is the larger of m and the block's, and s' is s f and the block's sum
    neutral            before the first block m is the least number of its type; and s is 0, whatever its first factor
    order              the sums may be regrouped, and what is read was written above
    link               the last state is given back; all else is as it was

Over the reals, and of numbers: of a row whose scores are all minus infinity nothing is said. Both kernels are read as they stand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import sympy as sp

from isamap_encodings.scalar import equal_reals
from isamap_encodings.verdict import Proved, Refuted
from isamap_smt.ir.expr import substitute, sym, symbols_of
from isamap_smt.ir.kernel import Access, Recurrence, Statement
from isamap_smt.ir.online import Online, Role
from isamap_smt.ir.scalar import (
    Compare,
    Exp,
    IndexValue,
    Read,
    SAdd,
    Scalar,
    Select,
    SMax,
    SMul,
    index_values,
    put_into_indices,
    reads,
    rewrite_reads,
)
from isamap_smt.ir.split import Piece, SplitSum
from isamap_smt.mapping.online import lowest
from isamap_smt.proof.program_book import Watch
from isamap_smt.proof.split_claims import Claims

MULTIPLICATIVE = (Exp,)  # E(a) E(b) = E(a + b) for all a and b
_F = sp.Symbol("factor")
_M, _AFTER = sp.Symbol("m"), sp.Symbol("m'")


class _UnreadableError(Exception):
    """A statement is not of the form that its role has; str() says which, and why."""


@dataclass(frozen=True)
class _Depends:
    """The maximum, by its statement's number, at which a value is taken, and the index of its element."""

    maximum: int
    index: tuple[Any, ...]


class OnlineClaims(Claims):
    """Collects the verdicts about a kernel with running maxima."""

    def __init__(self, x: Online, watch: Watch | None = None) -> None:
        self.online = x
        numbers = range(x.first, x.end)
        self.reduced = {n: x.axis in x.whole.statements[n].reduction_axes for n in numbers}
        self.homes = {x.whole.statements[n].target.tensor: n for n in numbers}
        self.depends: dict[int, _Depends | None] = {}
        super().__init__(SplitSum(x.whole, x.kernel, x.first, x.axis, x.block, (), sums="-"), watch)

    def ask_all(self) -> None:
        """Every claim. Those about the kernels' shape come first: the others rest on them."""
        for shape in (self._around, self._chain, self._written, self._states, self._order_of_reads, self._given_back):
            try:
                shape()
            except _UnreadableError as error:
                self.structure("link", "forms", "every statement has the form of its role", False, str(error))
            if not all(isinstance(r.verdict, Proved) for r in self.results):
                return
        for n in range(self.online.first, self.online.end):
            try:
                self._points(n)
                self._dependence(n)
            except _UnreadableError as error:
                self.structure("program", self._name(n), "a block computes what the whole does", False, str(error))
        if all(isinstance(r.verdict, Proved) for r in self.results):
            self._values()

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
            whole.parameters, whole.ranges,
        )  # fmt: skip
        right = right and set(new.temporaries) == (set(whole.temporaries) | fresh) - gone
        right = right and gone <= set(self.homes) & set(whole.temporaries)
        self.structure("link", "tensors", "tensors are as they were, and new ones temporaries", right, "one is another")
        loops = [
            n for n, m in enumerate(x.made, x.first) if m.role in (Role.POINTS, Role.UPDATE, Role.SCALE) and not m.rest
        ]
        inside = bool(loops) and loops == list(range(loops[0], loops[-1] + 1))
        moved = [replace(r, first=r.first + self._added, end=r.end + self._added) if r.first >= x.end else r
                 for r in whole.recurrences]  # fmt: skip
        known = [*moved, Recurrence(x.step, loops[0], loops[-1] + 1)] if inside else []
        free = not any(r.first < x.end and x.first < r.end for r in whole.recurrences)
        right = inside and free and sorted(new.recurrences, key=_first) == sorted(known, key=_first)
        self.structure("link", "recurrences", "the blocks follow each other, and other loops are as they were", right,
                       "a loop holds other statements")  # fmt: skip
        self._names()

    @property
    def _added(self) -> int:
        return len(self.online.kernel.statements) - len(self.online.whole.statements)

    def _chain(self) -> None:
        """What the chain must be: one writer for each tensor, above its readers, one axis a dimension; sums may be regrouped."""
        x = self.online
        wrong = []
        for n in range(x.first, x.end):
            s, t = self._whole(n), x.whole.tensor(self._name(n))
            extents = {a.name: a.extent for a in s.axes}
            plain = all(i.is_Symbol and i.name in extents for i in s.target.index)
            plain = plain and len(set(s.target.index)) == len(s.target.index)
            plain = plain and tuple(extents[i.name] for i in s.target.index) == t.shape
            once = [y.target.tensor for y in x.whole.statements].count(t.name) == 1
            above = all(self.homes.get(a.tensor, -1) < n for a in s.inputs)
            early = not any(a.tensor == t.name for y in x.whole.statements[:n] for a in y.inputs)
            kind = s.op in ("+", "max") and not s.ordered and t.dtype.is_float if self.reduced[n] else (
                s.op != "=" or not s.reduction_axes
            )  # fmt: skip
            begun = s.op != "max" or not self.reduced[n] or t.name in x.whole.temporaries
            if not (plain and once and above and early and kind and begun and x.axis in extents):
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
        self.structure("link", "written", "each tensor is written for one purpose, and nothing is missing", once and fresh and every,
                       "a tensor has other writers, or a statement of the whole is computed in no block")  # fmt: skip

    def _home(self, role: Role, n: int, rest: bool | None = None) -> tuple[int, Statement]:
        found = self.online.statements(role, rest).get(n)
        if found is None:
            raise _UnreadableError(f"{self._name(n)} has no statement that {role.value}")
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
        """What a block, or the rest, gives at a point of the whole's target."""
        _, s = self._home(Role.POINTS, n, rest)
        index = [self.online.near(rest) if i == sym(self.online.axis) else i for i in self._whole(n).target.index]
        return Access(s.target.tensor, tuple(index) if rest else (sym(self.online.step), *index))

    def _factor(self, m: int, rest: bool) -> Access:
        _, s = self._home(Role.SCALE, m, rest)
        index = self._whole(m).target.index
        return Access(s.target.tensor, index if rest else (sym(self.online.step), *index))

    def _states(self) -> None:
        """The states: one row for each block and the one before; begun, taken on, and of the type of what they stand for."""
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
                raise _UnreadableError(
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
        """Target and shape of a statement with this role; the operator it may have beside `=`, or None where that is asked elsewhere."""
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
        """What is read was written above, in the same block; the state before a block, by the one before it or at the beginning."""
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
        looped = [n for n, m in enumerate(x.made) if m.role is Role.POINTS and not m.rest]
        early = bool(begun and looped) and max(begun) < min(looped)
        said = (
            ", ".join(x.kernel.statements[x.first + n].target.tensor for n in dict.fromkeys(wrong)) or "the first state"
        )
        self.structure(
            "order",
            "reads",
            "what is read was written above",
            not wrong and early,
            f"{said}: read before it is written",
        )

    def _given_back(self) -> None:
        """Whatever is read behind the chain, or is a result, is the last state, or computed again from it by the same statement."""
        x = self.online
        closed, kept = x.statements(Role.CLOSE), x.statements(Role.KEPT)
        wrong = []
        for name, n in self.homes.items():
            if name in {t.name for t in x.kernel.tensors} and n not in (closed if self.reduced[n] else kept):
                wrong.append(name)
        for n, (_, s) in closed.items():
            right = self.reduced[n] and s.value == _of(self._after(n, True) if x.left else self._row(n, x.steps))
            right = right and (s.op == "=") == (self._name(n) in x.whole.temporaries)
            wrong += [] if right else [self._name(n)]
        wrong += [self._name(n) for n, (_, s) in kept.items() if s != self._whole(n) or self.reduced[n]]
        behind = [n for n, m in enumerate(x.made) if m.role in (Role.CLOSE, Role.KEPT)]
        last = behind == list(range(len(x.made) - len(behind), len(x.made)))
        mine = {s.target.tensor for r in Role for s in (y for _, y in x.statements(r).values())} - set(self.homes)
        later = {a.tensor for s in x.whole.statements[x.end :] for a in s.inputs} & mine
        self.structure("link", "given back", "behind it stand the last states, and what is computed again from them",
                       not wrong and last and not later, f"{', '.join(wrong) or 'something'} is another value")  # fmt: skip

    # ---- the points

    def _points(self, n: int) -> None:
        """The pieces of a statement: the blocks and the rest, read as if they named the tensors of the whole."""
        x, old = self.online, self._whole(n)
        pieces, statements = [], list(x.kernel.statements)
        for rest in x.stages():
            number, s = self._home(Role.POINTS, n, rest)
            value = rewrite_reads(s.value, partial(self._seen, n, rest))
            index = tuple(substitute(i, {str(x.near(rest)): x.point(rest)}) for i in self._part(n, rest).index)
            target = Access(old.target.tensor, index if rest else index[1:])
            statements[number] = replace(s, value=value, target=target)
            same = tuple((a.name, a.symbol) for a in old.axes if a.name != x.axis)
            point, back = (*same, (x.axis, x.point(rest))), (*same, *x.back(rest).items())
            pieces.append(Piece(number, point, back))
            others = [a.name for a in s.axes if a.name not in dict(x.axes(rest))]
            kept = others == [a.name for a in old.axes if a.name != x.axis] and s.op == old.op
            self.structure("order", self._name(n), "other axes come in the order of the whole", kept, "they do not")
        seen = replace(x.kernel, statements=tuple(statements))
        self.look_at(SplitSum(x.whole, seen, n, x.axis, x.block, tuple(pieces), sums="-"), self._name(n))

    def _seen(self, n: int, rest: bool, r: Any) -> Any:
        """An element of a block as the one of the whole that it stands for; of the state, the maximum, as it is after the block."""
        x = self.online
        if r.tensor in {t.name for t in x.whole.tensors}:
            if r.tensor in self.homes:
                raise _UnreadableError(f"{self._name(n)} reads {r.tensor} itself in a block")
            return r
        for m, reduced in self.reduced.items():
            if reduced:
                state = self._after(m, rest)
                if r.tensor == state.tensor and self._whole(m).op == "max" and (rest or r.index[0] == state.index[0]):
                    return Read(sp.Symbol(self._name(m)), *(r.index if rest else r.index[1:]))
            elif r.tensor == self._part(m, rest).tensor:
                index = list(r.index if rest else r.index[1:])
                at = self._whole(m).target.index.index(sym(x.axis))
                if (not rest and r.index[0] != sym(x.step)) or index[at] != x.near(rest):
                    raise _UnreadableError(f"{self._name(n)} reads {self._name(m)} of another point or another block")
                index[at] = x.point(rest)
                return Read(sp.Symbol(self._name(m)), *index)
        raise _UnreadableError(
            f"{self._name(n)} reads {r.tensor}, which is none of the block's, or not as it is after the block"
        )

    # ---- the values

    def _dependence(self, n: int) -> None:
        """At which maximum the statement's value is taken."""
        x, found = self.online, set()
        for a in self._whole(n).inputs:
            m = self.homes.get(a.tensor)
            if m is None:
                continue
            own = {str(i): e for i, e in zip(self._whole(m).target.index, a.index, strict=True)}
            if self.reduced[m]:
                found.add(_Depends(m, a.index))
            elif (on := self.depends.get(m)) is not None:
                found.add(_Depends(on.maximum, tuple(substitute(i, own) for i in on.index)))
        inside = all(sym(x.axis) not in i.free_symbols for on in found for i in on.index)
        if len(found) > 1 or not inside or (found and self._whole(n).op not in ("=", "+")):
            raise _UnreadableError(f"{self._name(n)} depends on more than one maximum, or is no sum of what does")
        if found and self.reduced[n] and self._whole(n).op == "+":
            (on,) = found
            if not symbols_of(on.index) <= symbols_of(self._whole(n).target.index):
                raise _UnreadableError(f"{self._name(n)} sums terms at several maxima")
        self.depends[n] = next(iter(found), None)

    def _values(self) -> None:
        """The states after a block, and what a growing maximum makes of each term."""
        for n in range(self.online.first, self.online.end):
            on = self.depends[n]
            for rest in self.online.stages():
                if on is not None:
                    self._scales(n, on, rest)
                if self.reduced[n]:
                    self._state(n, on, rest)

    def _argument(self, on: _Depends, rest: bool) -> Any:
        """What the factor is E of, with symbols for the maximum before and after a block."""
        x, m = self.online, on.maximum
        _, scale = self._home(Role.SCALE, m, rest)
        value = scale.value
        first = Compare(sp.Symbol(">"), IndexValue(sym(x.step)), sp.Integer(0))
        if not rest and isinstance(value, Select) and value.args[0] == first and value.args[2].is_Number:
            value = value.args[1]  # at the first block the sums are 0, whatever they are multiplied by
        if not isinstance(value, MULTIPLICATIVE):
            raise _UnreadableError(f"the factor of {self._name(m)} is no exponential")
        at = {str(i): e for i, e in zip(self._whole(m).target.index, on.index, strict=True)}
        rows = {_of(self._before(m, rest)): _M, _of(self._after(m, rest)): _AFTER}

        def leaf(r: Any) -> Any:
            if r in rows:
                return rows[r]
            if r.tensor in self.homes or r.tensor not in {t.name for t in x.whole.tensors}:
                raise _UnreadableError(f"the factor of {self._name(m)} reads {r.tensor}")
            return _named(put_into_indices(r, at))

        if index_values(value):
            raise _UnreadableError(f"the factor of {self._name(m)} is not of the maxima alone")
        return type(value), rewrite_reads(value.args[0], leaf)

    def _scales(self, n: int, on: _Depends, rest: bool) -> None:
        """The value at the maximum after a block is that at the one before, times the factor."""
        words = f"{self._name(n)} at a larger maximum is {self._name(n)} times the factor"
        try:
            head, c = self._argument(on, rest)
            pairs: list[tuple[Any, Any]] = []
            before = self._at(self._whole(n).value, head, pairs, late=False)
            after = self._at(self._whole(n).value, head, pairs, late=True)
        except _UnreadableError as error:
            self.structure("scalar", f"factor of {self._name(n)}", words, False, str(error))
            return
        where = " of the rest" if rest else ""
        for old, new in pairs:
            said = f"{self._name(n)}: the argument at a larger maximum is the one before, and that of the factor"
            self._equal(f"argument of {self._name(n)}{where}", said, new, SAdd(old, c))
        self._equal(f"factor of {self._name(n)}{where}", words, after, SMul(before, _F))

    def _at(self, value: Any, head: type[Any], pairs: list[tuple[Any, Any]], late: bool) -> Any:
        """The value with a symbol for each element. late: at the maximum after a block, where an exponential that depends on it, or
        what was computed from one, is its old value times the factor, if its argument grows by that of the factor (`pairs`)."""
        if isinstance(value, head) and self._moves(value):
            old, new = (rewrite_reads(value.args[0], partial(self._leaf, at)) for at in (_M, _AFTER))
            if any(isinstance(e, Exp) for t in (old, new) for e in sp.preorder_traversal(t)):
                raise _UnreadableError("an exponential stands inside another one")
            pairs += [] if (old, new) in pairs or late else [(old, new)]
            name = sp.Symbol(f"E({old})")
            return SMul(name, _F) if late else name
        if isinstance(value, Read):
            m = self.homes.get(value.tensor)
            if m is not None and self.reduced[m]:
                return _AFTER if late else _M
            grown = late and m is not None and self.depends.get(m) is not None
            return SMul(_named(value), _F) if grown else _named(value)
        if not isinstance(value, Scalar):
            return value
        if isinstance(value, Exp) or index_values(value) == (value.args[0],):
            return sp.Symbol(f"'{value}'") if not self._moves(value) else _stop(value)
        return value.func(*[self._at(a, head, pairs, late) for a in value.args])

    def _leaf(self, maximum: Any, r: Any) -> Any:
        """An element in an exponential's argument."""
        m = self.homes.get(r.tensor)
        if m is not None and self.reduced[m]:
            return maximum
        if m is not None and self.depends.get(m) is not None:
            raise _UnreadableError(f"an exponential is of {r.tensor}, which depends on the maximum itself")
        return _named(r)

    def _moves(self, value: Any) -> bool:
        """Whether the value depends on a maximum."""
        found = [self.homes.get(r.tensor) for r in reads(value)]
        return any(m is not None and (self.reduced[m] or self.depends.get(m) is not None) for m in found)

    def _state(self, n: int, on: _Depends | None, rest: bool) -> None:
        """The state after a block is that of all points so far."""
        x = self.online
        _, s = self._home(Role.UPDATE, n, rest)
        old, part = sp.Symbol("before"), sp.Symbol("block")
        known = {_of(self._before(n, rest)): old, _of(self._part(n, rest)): part}
        maximum = self._whole(n).op == "max"
        if on is not None:
            factor = self._factor(on.maximum, rest)
            own = {str(i): e for i, e in zip(self._whole(on.maximum).target.index, on.index, strict=True)}
            known[_of(Access(factor.tensor, tuple(substitute(i, own) for i in factor.index)))] = _F
        value = rewrite_reads(s.value, partial(_in_table, known))
        kept = old if on is None or maximum else SMul(old, _F)
        wanted = SMax(old, part) if maximum else SAdd(kept, part)
        words = (
            f"{self._name(n)} after a block is the larger of that before and the block's" if maximum
            else f"{self._name(n)} after a block is {'that before' if on is None else 'that before times the factor'}, and the block's sum"
        )  # fmt: skip
        self._equal(f"state of {self._name(n)}{' of the rest' if rest else ''}", words, value, wanted)

    def _equal(self, subject: str, words: str, left: Any, right: Any) -> None:
        """The two are one number, over the reals."""
        names = {s.name for e in (left, right) for s in e.free_symbols}
        verdict = equal_reals(left, right, dict.fromkeys(names, ("f", 64)))
        if isinstance(verdict, Refuted):
            at = " ".join(f"{k}={v}" for k, v in verdict.witness.items()) or "every value"
            verdict = Refuted(verdict.witness, f"{words}: fails at {at}", verdict.seconds)
        self.note("scalar", subject, words, verdict)


def _in_table(known: Mapping[Any, Any], r: Any) -> Any:
    return known.get(r, _named(r))


def _stop(value: Any) -> Any:
    raise _UnreadableError(f"{value} depends on the maximum, and is not known to be multiplicative")


def _named(r: Any) -> Any:
    return sp.Symbol(f"{r.tensor}[{','.join(map(str, r.index))}]")


def _of(access: Access) -> Any:
    return Read(sp.Symbol(access.tensor), *access.index)


def _first(r: Recurrence) -> int:
    return r.first


__all__ = ["OnlineClaims"]
