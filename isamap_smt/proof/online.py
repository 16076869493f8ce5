"""Proves that a maximum and the sums that depend on it may run block by block, for any E with E(a) E(b) = E(a + b).

State after some blocks: m, the maximum so far, and for each sum s, the sum of its terms so far, each taken at m. A term
t at m is t f at m', with one f for all of them: if it contains E(a), a' = a + c turns E(a') into E(a) E(c), and f is
E(c).

    bounds, exclusive, coverage, program   every block computes each of its points once, as the whole (rewrite_points.py)
    scalar argument    a' = a + c, for each argument a of E that depends on m, and the factor's own, c
    scalar factor      each term at m' is the one at m, times the factor
    scalar state       after a block m' is the larger of m and the block's, and s' is s f and the block's sum
    neutral            before the first block m is the least number of its type; and s is 0, whatever its first factor
    order              the sums may be regrouped, and every element is written above its read
    link               the last state is given back; all else is as it was
    rounding           for the stated values no sum overflows, and no factor hides a difference that overflows

The claims hold over the reals, and for numbers: a row whose scores are all minus infinity is not covered. Both kernels
are read as they stand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import sympy as sp

from isamap_encodings.scalar import equal_reals
from isamap_encodings.verdict import Proved
from isamap_smt.ir.expr import substitute, sym, symbols_of
from isamap_smt.ir.kernel import Access
from isamap_smt.ir.online import Online, Role
from isamap_smt.ir.online_rounding import range_of
from isamap_smt.ir.rewrite import Piece, Rewrite
from isamap_smt.ir.rows import Sums
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
)  # fmt: skip
from isamap_smt.proof.noted import Watch, in_words
from isamap_smt.proof.online_range import seen, stays, vanishes, words
from isamap_smt.proof.online_shape import OnlineShape, UnreadableError, element
from isamap_smt.proof.rewrite_points import each_point_once, pieces

MULTIPLICATIVE = (Exp,)  # E(a) E(b) = E(a + b) for all a and b
_F = sp.Symbol("factor")
_M, _AFTER = sp.Symbol("m"), sp.Symbol("m'")


@dataclass(frozen=True)
class _Depends:
    """The maximum at which a value is taken, by its statement's number, and the index of its element."""

    maximum: int
    index: tuple[Any, ...]


class OnlineClaims(OnlineShape):
    """Collects the verdicts about a kernel with running maxima."""

    def __init__(self, x: Online, watch: Watch | None = None) -> None:
        super().__init__(x, watch)
        self.depends: dict[int, _Depends | None] = {}

    def ask_all(self) -> None:
        """Every claim. Those about the kernels' shape come first: the others rest on them."""
        self.ask_shape()
        if not self.all_proved:
            return
        for n in range(self.online.first, self.online.end):
            try:
                self._points(n)
                self._dependence(n)
            except UnreadableError as error:
                self.structure("program", self._name(n), "a block computes what the whole does", False, str(error))
        if self.all_proved:
            self._values()
            self._ranges()

    # ---- the points

    def _points(self, n: int) -> None:
        """The pieces of a statement: the blocks and the rest, read as if they named the tensors of the whole."""
        x, old = self.online, self._whole(n)
        found, statements = [], list(x.kernel.statements)
        for rest in x.stages():
            number, s = self._home(Role.POINTS, n, rest)
            value = rewrite_reads(s.value, partial(self._seen, n, rest))
            index = tuple(substitute(i, {str(x.near(rest)): x.point(rest)}) for i in self._part(n, rest).index)
            target = Access(old.target.tensor, index if rest else index[1:])
            statements[number] = replace(s, value=value, target=target)
            same = tuple((a.name, a.symbol) for a in old.axes if a.name != x.axis)
            point, back = (*same, (x.axis, x.point(rest))), (*same, *x.back(rest).items())
            found.append(Piece(number, point, back))
            others = [a.name for a in s.axes if a.name not in dict(x.axes(rest))]
            kept = others == [a.name for a in old.axes if a.name != x.axis] and s.op == old.op
            self.structure("order", self._name(n), "other axes come in the order of the whole", kept, "they do not")
        seen = replace(x.kernel, statements=tuple(statements))
        self._look_at(Rewrite(x.whole, seen, Sums(n, x.axis, x.block), tuple(found)), self._name(n))

    def _look_at(self, x: Rewrite, about: str) -> None:
        """Each point of a statement of the chain is in one piece, once, with the same value."""
        self.turn_to(x)
        self.about = about
        found = len(self.results)
        pieces(self, counted=True)
        if all(isinstance(r.verdict, Proved) for r in self.results[found:]):
            each_point_once(self)
        self.about = ""

    def _seen(self, n: int, rest: bool, r: Any) -> Any:
        """The whole kernel's element for an element of a block; a maximum of the state is the one after the block."""
        x = self.online
        if r.tensor in {t.name for t in x.whole.tensors}:
            if r.tensor in self.homes:
                raise UnreadableError(f"{self._name(n)} reads {r.tensor} itself in a block")
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
                    raise UnreadableError(f"{self._name(n)} reads {self._name(m)} of another point or another block")
                index[at] = x.point(rest)
                return Read(sp.Symbol(self._name(m)), *index)
        raise UnreadableError(
            f"{self._name(n)} reads {r.tensor}, which is none of the block's, or not as it is after the block"
        )

    # ---- the values

    def _dependence(self, n: int) -> None:
        """Records the maximum at which the statement's value is taken."""
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
            raise UnreadableError(f"{self._name(n)} depends on more than one maximum, or is no sum of what does")
        if found and self.reduced[n] and self._whole(n).op == "+":
            (on,) = found
            if not symbols_of(on.index) <= symbols_of(self._whole(n).target.index):
                raise UnreadableError(f"{self._name(n)} sums terms at several maxima")
        self.depends[n] = next(iter(found), None)

    def _values(self) -> None:
        """The states after a block, and the effect of a growing maximum on each term."""
        for n in range(self.online.first, self.online.end):
            on = self.depends[n]
            for rest in self.online.stages():
                if on is not None:
                    self._scales(n, on, rest)
                if self.reduced[n]:
                    self._state(n, on, rest)

    def _ranges(self) -> None:
        """Notes the claims about the rounding of sums, with the values they cover."""
        for n in range(self.online.first, self.online.end):
            if (found := range_of(self.online, n)) is not None:
                sums, differences, beyond = words(found, self._name(n))
                self.note("rounding", self._name(n), sums, stays(found))
                self.note("rounding", self._name(n), differences, vanishes(found))
                if found.values:
                    self.note("rounding", self._name(n), beyond, seen(found))

    def _argument(self, on: _Depends, rest: bool) -> Any:
        """(E, the factor's argument), with symbols for the maximum before and after a block."""
        x, m = self.online, on.maximum
        _, scale = self._home(Role.SCALE, m, rest)
        value = scale.value
        first = Compare(sp.Symbol(">"), IndexValue(sym(x.step)), sp.Integer(0))
        if not rest and isinstance(value, Select) and value.args[0] == first and value.args[2].is_Number:
            value = value.args[1]  # at the first block the sums are 0, whatever they are multiplied by
        if not isinstance(value, MULTIPLICATIVE):
            raise UnreadableError(f"the factor of {self._name(m)} is no exponential")
        at = {str(i): e for i, e in zip(self._whole(m).target.index, on.index, strict=True)}
        rows = {element(self._before(m, rest)): _M, element(self._after(m, rest)): _AFTER}

        def leaf(r: Any) -> Any:
            if r in rows:
                return rows[r]
            if r.tensor in self.homes or r.tensor not in {t.name for t in x.whole.tensors}:
                raise UnreadableError(f"the factor of {self._name(m)} reads {r.tensor}")
            return _named(put_into_indices(r, at))

        if index_values(value):
            raise UnreadableError(f"the factor of {self._name(m)} is not of the maxima alone")
        return type(value), rewrite_reads(value.args[0], leaf)

    def _scales(self, n: int, on: _Depends, rest: bool) -> None:
        """The value at the maximum after a block is the value at the one before, times the factor."""
        words = f"{self._name(n)} at a larger maximum is {self._name(n)} times the factor"
        try:
            head, c = self._argument(on, rest)
            pairs: list[tuple[Any, Any]] = []
            before = self._at(self._whole(n).value, head, pairs, late=False)
            after = self._at(self._whole(n).value, head, pairs, late=True)
        except UnreadableError as error:
            self.structure("scalar", f"factor of {self._name(n)}", words, False, str(error))
            return
        where = " of the rest" if rest else ""
        for old, new in pairs:
            said = f"{self._name(n)}: the argument at a larger maximum is the one before, and that of the factor"
            self._equal(f"argument of {self._name(n)}{where}", said, new, SAdd(old, c))
        self._equal(f"factor of {self._name(n)}{where}", words, after, SMul(before, _F))

    def _at(self, value: Any, head: type[Any], pairs: list[tuple[Any, Any]], late: bool) -> Any:
        """The value with a symbol for each element.

        late: at the maximum after a block. An exponential of the maximum, or a value computed from one, is then its old
        value times the factor, if its argument grows by the factor's argument (`pairs`).
        """
        if isinstance(value, head) and self._moves(value):
            old, new = (rewrite_reads(value.args[0], partial(self._leaf, at)) for at in (_M, _AFTER))
            if any(isinstance(e, Exp) for t in (old, new) for e in sp.preorder_traversal(t)):
                raise UnreadableError("an exponential stands inside another one")
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
            raise UnreadableError(f"an exponential is of {r.tensor}, which depends on the maximum itself")
        return _named(r)

    def _moves(self, value: Any) -> bool:
        """Whether the value depends on a maximum."""
        found = [self.homes.get(r.tensor) for r in reads(value)]
        return any(m is not None and (self.reduced[m] or self.depends.get(m) is not None) for m in found)

    def _state(self, n: int, on: _Depends | None, rest: bool) -> None:
        """The state after a block covers all points so far."""
        _, s = self._home(Role.UPDATE, n, rest)
        old, part = sp.Symbol("before"), sp.Symbol("block")
        known = {element(self._before(n, rest)): old, element(self._part(n, rest)): part}
        maximum = self._whole(n).op == "max"
        if on is not None:
            factor = self._factor(on.maximum, rest)
            own = {str(i): e for i, e in zip(self._whole(on.maximum).target.index, on.index, strict=True)}
            known[element(Access(factor.tensor, tuple(substitute(i, own) for i in factor.index)))] = _F
        value = rewrite_reads(s.value, partial(_in_table, known))
        kept = old if on is None or maximum else SMul(old, _F)
        wanted = SMax(old, part) if maximum else SAdd(kept, part)
        grown = "that before" if on is None else "that before times the factor"
        taken = "the larger of that before and the block's" if maximum else f"{grown}, and the block's sum"
        words = f"{self._name(n)} after a block is {taken}"
        self._equal(f"state of {self._name(n)}{' of the rest' if rest else ''}", words, value, wanted)

    def _equal(self, subject: str, words: str, left: Any, right: Any) -> None:
        """The two are one number, over the reals."""
        names = {s.name for e in (left, right) for s in e.free_symbols}
        verdict = equal_reals(left, right, dict.fromkeys(names, ("f", 64)))
        self.note("scalar", subject, words, in_words(verdict, words, "every value"))


def _in_table(known: Mapping[Any, Any], r: Any) -> Any:
    return known.get(r, _named(r))


def _stop(value: Any) -> Any:
    raise UnreadableError(f"{value} depends on the maximum, and is not known to be multiplicative")


def _named(r: Any) -> Any:
    return sp.Symbol(f"{r.tensor}[{','.join(map(str, r.index))}]")


__all__ = ["OnlineClaims"]
