"""Rewrites sums over exponentials less a maximum into blocks, each with the maximum so far.

Nothing here is trusted: proof/online.py shows that both kernels compute the same over the reals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import ml_dtypes
import sympy as sp

from isamap_smt.ir.errors import ScheduleError, did_you_mean
from isamap_smt.ir.expr import is_constant, substitute, sym, symbols_of, words
from isamap_smt.ir.kernel import Access, Axis, Kernel, Recurrence, Statement, Tensor
from isamap_smt.ir.online import Made, Online, Role
from isamap_smt.ir.online_rounding import ranges_of
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
    read,
    reads,
)
from isamap_smt.language import to_text
from isamap_smt.mapping.substituted import in_text, new_name


def lowest(kind: Any) -> Any:
    """The least number of a floating-point type."""
    return sp.Float(float(ml_dtypes.finfo(kind.numpy).min))  # type: ignore[no-untyped-call]


def running(kernel: Kernel, axis: str, block: int) -> Online:
    """The kernel with its maximum over `axis`, and all sums that depend on it, in blocks of `block` points.

    Raises ScheduleError if there are none, or they cannot be rewritten.
    """
    extents = {a.name: a.extent for a in kernel.axes}
    if axis not in extents:
        raise ScheduleError(f"{kernel.name} has no axis {axis!r}; {did_you_mean(axis, extents)}")
    with_axis = [n for n, s in enumerate(kernel.statements) if axis in {a.name for a in s.axes}]
    reduced = [n for n in with_axis if axis in kernel.statements[n].reduction_axes]
    if not reduced:
        raise ScheduleError(f"{kernel.name} reduces nothing over {axis}")
    chain = _Chain(kernel, axis, min(with_axis), max(reduced) + 1)
    chain.check()
    if not is_constant(extents[axis]):
        raise ScheduleError(f"the extent {words(extents[axis])} of {axis} is open; give its size")
    if not 1 <= block <= int(extents[axis]):
        raise ScheduleError(f"{axis} has {extents[axis]} points: blocks have 1 to {extents[axis]} of them, not {block}")
    return _Rewriting(chain, block).made()


@dataclass(frozen=True)
class _Chain:
    """Statements first to end - 1 of the kernel, all those over the axis."""

    kernel: Kernel
    axis: str
    first: int
    end: int

    @property
    def numbers(self) -> range:
        return range(self.first, self.end)

    def statement(self, n: int) -> Statement:
        return self.kernel.statements[n]

    def reduces(self, n: int) -> bool:
        return self.axis in self.statement(n).reduction_axes

    @cached_property
    def homes(self) -> dict[str, int]:
        """Tensor -> number of the statement that writes it."""
        return {self.statement(n).target.tensor: n for n in self.numbers}

    def maxima(self, n: int) -> set[int]:
        """The maxima in a statement's values, directly or through other statements."""
        found = set()
        for a in self.statement(n).inputs:
            m = self.homes.get(a.tensor)
            if m is not None and m < n:
                found |= {m} if self.reduces(m) else self.maxima(m)
        return found

    def check(self) -> None:
        """Raise ScheduleError if the chain cannot be rewritten."""
        for n in self.numbers:
            if why := self._wrong(n):
                raise ScheduleError(f"{self.axis} cannot go in blocks, with the maximum so far: {why}")
        if not any(self.reduces(n) and self.maxima(n) for n in self.numbers):
            raise ScheduleError(
                f"{self.kernel.name} sums nothing over {self.axis} that depends on a maximum over it, such as "
                f"`M[..] max= x` and `D[..] += exp(x - M[..])`"
            )

    def _wrong(self, n: int) -> str:
        s, at = self.statement(n), f"statement {n + 1}"
        name, index = s.target.tensor, s.target.index
        others = [x.target.tensor for m, x in enumerate(self.kernel.statements) if m != n]
        if self.axis not in {a.name for a in s.axes}:
            return f"{at} stands between the others and does not go over {self.axis}; put it before or behind them"
        if self.kernel.recurrence_of(n) is not None:
            return f"{at} stands in a recurrence"
        if name in others or any(a.tensor == name for a in s.inputs):
            return f"{at} is not all that writes {name}, or reads it"
        if any(m > n for a in s.inputs if (m := self.homes.get(a.tensor)) is not None):
            return f"{at} reads what is written below it"
        if s.extents_of(index) != self.kernel.tensor(name).shape:
            return f"the index of {name} in {at} is not one axis for each dimension"
        return (self._wrong_reduction(n) if self.reduces(n) else "") or self._wrong_reads(n)

    def _wrong_reduction(self, n: int) -> str:
        s, at = self.statement(n), f"statement {n + 1}"
        t = self.kernel.tensor(s.target.tensor)
        if s.op not in ("+", "max") or not t.dtype.is_float:
            return f"{at} is no sum and no maximum of floating point"
        if s.ordered:
            return f"the order of the sum in {at} is fixed"
        if s.op == "max" and t.name not in self.kernel.temporaries:
            return f"{t.name} is a result; make it a temporary, and assign it to a result behind the sums"
        if s.op == "max" and self.maxima(n):
            return f"the maximum in {at} depends on another one"
        return ""

    def _wrong_reads(self, n: int) -> str:
        for a in self.statement(n).inputs:
            m = self.homes.get(a.tensor)
            if m is None:
                continue
            if self.reduces(m) and self.statement(m).op != "max":
                return f"statement {n + 1} reads {a.tensor}, which is whole only behind the last block"
            if self.axis in symbols_of([i for d, i in enumerate(a.index) if self.reduces(m) or d != self.place(m)]):
                return f"statement {n + 1} reads {a.tensor} of other points of {self.axis}"
            if not self.reduces(m) and a.index[self.place(m)] != sym(self.axis):
                return f"statement {n + 1} reads {a.tensor} of other points of {self.axis}"
        if len(self.maxima(n)) > 1:
            return f"statement {n + 1} depends on two maxima"
        return ""

    def place(self, n: int) -> int:
        """The axis' dimension in a statement's target."""
        return self.statement(n).target.index.index(sym(self.axis))

    def argument(self, m: int) -> Any:
        """The argument of an exponential that uses maximum m directly. Raises ScheduleError if there is none."""
        name, score = self.statement(m).target.tensor, self.statement(m).value
        for n in self.numbers:
            for e in _exponentials(self.statement(n).value):
                if any(r.tensor == name for r in reads(e)) and _has(e, score):
                    return e.args[0]
        raise ScheduleError(
            f"{self.kernel.name} has no exponential of what {name} is the maximum of, less {name}, such as "
            f"exp(x - {name}[..])"
        )


def _exponentials(value: Any) -> Iterator[Any]:
    if isinstance(value, Exp):
        yield value
    elif isinstance(value, Scalar) and not isinstance(value, Read):
        for a in value.args:
            yield from _exponentials(a)


def _has(tree: Any, part: Any) -> bool:
    return tree == part or (
        isinstance(tree, Scalar) and not isinstance(tree, Read) and any(_has(a, part) for a in tree.args)
    )


def _changed(tree: Any, change: Callable[[Any], Any]) -> Any:
    """The tree with change(part) in place of each part, unless it is None."""
    found = change(tree)
    if found is not None:
        return found
    if isinstance(tree, Read) or not isinstance(tree, Scalar):
        return tree
    return tree.func(*[_changed(a, change) for a in tree.args])


@dataclass
class _Rewriting:
    """The statements, tensors and roles of the rewritten kernel, as they are made."""

    chain: _Chain
    block: int
    names: dict[str, str] = field(default_factory=dict)
    tensors: dict[str, Tensor] = field(default_factory=dict)
    statements: list[Statement] = field(default_factory=list)
    roles: list[Made] = field(default_factory=list)

    def made(self) -> Online:
        c = self.chain
        axes = tuple(new_name(c.kernel, f"{c.axis}_{what}") for what in ("block", "in", "rest"))
        self.x = Online(c.kernel, c.kernel, c.axis, self.block, c.first, c.end, (), *axes)
        for n in c.numbers:
            if c.reduces(n):
                self._begin(n)
        at = len(self.statements)
        for rest in self.x.stages():
            for n in c.numbers:
                self._step(n, rest)
            if not rest:
                loop = Recurrence(self.x.step, c.first + at, c.first + len(self.statements))
        needed = self._needed()
        for n in c.numbers:
            if c.reduces(n) and n in needed:
                self._close(n)
        for n in c.numbers:
            if not c.reduces(n) and n in needed:
                self._add(c.statement(n), Role.KEPT, n)
        return replace(self.x, kernel=self._kernel(loop, needed), made=tuple(self.roles))

    def _kernel(self, loop: Recurrence, needed: set[int]) -> Kernel:
        c = self.chain
        k = c.kernel
        gone = {c.statement(n).target.tensor for n in c.numbers if n not in needed}
        every = (*k.statements[: c.first], *self.statements, *k.statements[c.end :])
        added = len(every) - len(k.statements)
        moved = [r.moved(c.end - 1, added) for r in k.recurrences]
        tensors = (*(t for t in k.tensors if t.name not in gone), *self.tensors.values())
        new = replace(
            k, tensors=in_text(tensors, every), statements=every, file="",
            temporaries=(*(t for t in k.temporaries if t not in gone), *self.tensors),
            recurrences=tuple(sorted((*moved, loop), key=lambda r: r.first)),
        )  # fmt: skip
        new = new.with_ranges(ranges_of(self.x))
        return replace(new, text=to_text(new))

    def _needed(self) -> set[int]:
        """Statements whose tensors are results or read behind the chain, and all statements needed to compute these."""
        c = self.chain
        behind = {a.tensor for s in c.kernel.statements[c.end :] for a in s.inputs}
        found: set[int] = set()
        for n in reversed(c.numbers):
            s = c.statement(n)
            if s.target.tensor in behind or s.target.tensor not in c.kernel.temporaries:
                found.add(n)
            if n in found and not c.reduces(n):
                behind |= {a.tensor for a in s.inputs}
        return found

    # ---- tensors

    def _tensor(self, n: int, what: str, shape: tuple[Any, ...]) -> str:
        """A tensor of this name beside the statement's, made once."""
        of = self.chain.kernel.tensor(self.chain.statement(n).target.tensor)
        key = f"{of.name}_{what}"
        if key not in self.names:
            self.names[key] = new_name(self.chain.kernel, key)
            self.tensors[self.names[key]] = Tensor(self.names[key], of.dtype, shape)
        return self.names[key]

    def _state(self, n: int, row: Any) -> Access:
        """The state behind so many blocks."""
        s = self.chain.statement(n)
        shape = self.chain.kernel.tensor(s.target.tensor).shape
        return Access(
            self._tensor(n, "run", (sp.Integer(self.x.steps + 1), *shape)), (sp.sympify(row), *s.target.index)
        )

    def _before(self, n: int, rest: bool) -> Access:
        return self._state(n, self.x.steps if rest else sym(self.x.step))

    def _after(self, n: int, rest: bool) -> Access:
        if not rest:
            return self._state(n, sym(self.x.step) + 1)
        s = self.chain.statement(n)
        return Access(self._tensor(n, "end", self.chain.kernel.tensor(s.target.tensor).shape), s.target.index)

    def _piece(self, n: int, rest: bool) -> Access:
        """The place of the statement's values of a block, or of the rest."""
        c, s = self.chain, self.chain.statement(n)
        shape, index = list(c.kernel.tensor(s.target.tensor).shape), list(s.target.index)
        if not c.reduces(n):
            shape[c.place(n)] = sp.Integer(self.x.left if rest else self.block)
            index[c.place(n)] = self.x.near(rest)
        if rest:
            return Access(self._tensor(n, "rest", tuple(shape)), tuple(index))
        name = self._tensor(n, "part" if c.reduces(n) else "block", (sp.Integer(self.x.steps), *shape))
        return Access(name, (sym(self.x.step), *index))

    # ---- statements

    def _add(self, s: Statement, role: Role, of: int, rest: bool = False) -> None:
        self.statements.append(s)
        self.roles.append(Made(role, of, rest))

    def _over(self, access: Access, value: Any, op: str = "=") -> Statement:
        """One element after the other of a row of the state."""
        extents = {a.name: a for a in self.chain.kernel.axes}
        extents[self.x.step] = Axis(self.x.step, sp.Integer(self.x.steps))
        names = dict.fromkeys(sorted(s.name for i in access.index for s in i.free_symbols if s.name == self.x.step))
        names |= dict.fromkeys(i.name for i in access.index if i.is_Symbol)
        return Statement(access, op, value, tuple(extents[n] for n in names))

    def _begin(self, n: int) -> None:
        kind = self.chain.kernel.tensor(self.chain.statement(n).target.tensor).dtype
        value = lowest(kind) if self.chain.statement(n).op == "max" else sp.Integer(0)
        self._add(self._over(self._state(n, 0), value), Role.BEGIN, n)

    def _close(self, n: int) -> None:
        s = self.chain.statement(n)
        op = "=" if s.target.tensor in self.chain.kernel.temporaries else s.op
        self._add(
            self._over(s.target, _of(self._after(n, True) if self.x.left else self._before(n, True)), op), Role.CLOSE, n
        )

    def _step(self, n: int, rest: bool) -> None:
        """Adds the statement at the points of a block, or of the rest, and its update of the state."""
        c, s, x = self.chain, self.chain.statement(n), self.x
        new = [Axis(a, sp.Integer(e)) for a, e in x.axes(rest)]
        axes = [new[-1] if a.name == c.axis else a for a in s.axes]
        table = {c.axis: x.point(rest)}
        value = _changed(s.value, lambda e: self._read(e, rest) if isinstance(e, Read) else None)
        points = replace(
            s, target=self._piece(n, rest), value=put_into_indices(value, table), axes=(*new[:-1], *axes), source="",
            guard=tuple(g for g in (substitute(g, table) for g in s.guard) if g is not sp.true),
        )  # fmt: skip
        self._add(points, Role.POINTS, n, rest)
        if not c.reduces(n):
            return
        before, after = _of(self._before(n, rest)), _of(self._after(n, rest))
        part = _of(points.target)
        on = c.maxima(n)
        if s.op == "max":
            self._add(self._over(self._after(n, rest), SMax(before, part)), Role.UPDATE, n, rest)
            if any(n in c.maxima(m) for m in c.numbers):
                self._add(self._scale(n, rest, before, after), Role.SCALE, n, rest)
            return
        if on:
            before = SMul(before, _of(self._factor(next(iter(on)), rest)))
        self._add(self._over(self._after(n, rest), SAdd(before, part)), Role.UPDATE, n, rest)

    def _read(self, r: Any, rest: bool) -> Any:
        c = self.chain
        m = c.homes.get(r.tensor)
        if m is None:
            return None
        found = self._after(m, rest) if c.reduces(m) else self._piece(m, rest)
        own = dict(zip(c.statement(m).target.index, r.index, strict=True))
        table = {str(i): e for i, e in own.items() if i.is_Symbol and i.name != c.axis}
        return put_into_indices(_of(found), table)

    def _factor(self, m: int, rest: bool) -> Access:
        index, shape = self.chain.statement(m).target.index, self.chain.kernel.tensor(self._home(m)).shape
        if rest:
            return Access(self._tensor(m, "last", shape), index)
        return Access(self._tensor(m, "scale", (sp.Integer(self.x.steps), *shape)), (sym(self.x.step), *index))

    def _home(self, n: int) -> str:
        return self.chain.statement(n).target.tensor

    def _scale(self, m: int, rest: bool, before: Any, after: Any) -> Statement:
        """The exponential with the maximum before in place of the score, and the one after as its maximum."""
        score, name = self.chain.statement(m).value, self._home(m)

        def change(e: Any) -> Any:
            return before if e == score else after if isinstance(e, Read) and e.tensor == name else None

        argument = _changed(self.chain.argument(m), change)
        axes = {str(i) for i in self.chain.statement(m).target.index} | {self.x.step}
        known = {a.name for a in self.chain.kernel.axes}
        used = symbols_of([i for r in reads(argument) for i in r.index] + list(index_values(argument)))
        if (used & known) - axes:
            raise ScheduleError(
                f"the exponential less {name} does not depend on {', '.join(sorted((used & known) - axes))} by what {name} is "
                "the maximum of alone"
            )
        factor = Exp(argument)
        if not rest:  # what is summed before the first block is 0, and the least number less a maximum may overflow
            factor = Select(Compare(sp.Symbol(">"), IndexValue(sym(self.x.step)), sp.Integer(0)), factor, sp.Integer(0))
        return self._over(self._factor(m, rest), factor)


def _of(access: Access) -> Any:
    return read(access.tensor, *access.index)


__all__ = ["lowest", "running"]
