"""Propagation of rounding errors through a kernel: one walk, with three analyses as algebras.

    isamap_smt.ir.rounding_error      numbers of given arrays, and their errors
    isamap_smt.ir.rounding_bound      ranges, in f64
    isamap_smt.proof.rounding         ranges, in fractions, each step a question to Z3

The walk gives the operations, the type each one rounds to, and the error in ULP. An algebra gives the result of one
operation: its error, from those of the operands.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from math import isfinite
from typing import Any, ClassVar, TypeVar

import sympy as sp

from isamap_encodings.error_steps import Total
from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.evaluate import needs_single_points
from isamap_smt.ir.fibres import fibres, least_points
from isamap_smt.ir.heads import FUNCTION_ROWS, HEADS
from isamap_smt.ir.interpret import neutral
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.ir.meaning import Meaning, Rows
from isamap_smt.ir.near import TWICE, Unit
from isamap_smt.ir.scalar import (
    Abs,
    Cast,
    Fmod,
    IndexValue,
    Pow,
    Read,
    Relu,
    Round,
    SAdd,
    Saturate,
    Scalar,
    SDiv,
    Select,
    SMax,
    SMin,
    SMod,
    SMul,
    SNeg,
    SSub,
    Unary,
    reads,
    terms_of,
)
from isamap_smt.ir.typed import ends, typed_value

V = TypeVar("V")


def ulp_of(head: type[Scalar], kind: DType) -> float:
    """The error of a function, in ULP of a type; 0 if its exact values are numbers of the type."""
    row = FUNCTION_ROWS[head]
    exact = kind.is_float and (row.rounds or head in (Abs, Fmod))
    return 0.0 if exact else row.error(kind.bits)


class Steps(Meaning[V], ABC):
    """Values at the points of a statement, operation by operation."""

    @abstractmethod
    def step(self, op: str, x: Any, own: DType, operands: Sequence[V], ulp: float = 0.5) -> V:
        """The result of the operation x.

        op: its name in isamap_encodings.error_steps. ulp: its distance from the exact value, in its own type; 0 if each
        exact value is one of the type. Integers do not round, and values outside of their type are not such values.
        """

    @abstractmethod
    def to_integer(self, x: Any, to: DType, a: V) -> V:
        """A conversion, towards 0, a rounding or a saturation to integers."""

    def held(self, x: Any, own: DType, a: V) -> V:
        """Integers, or a number of the text, in a type of floating point."""
        return self.step("same", x, own, [a])

    def integers(self, x: Any, own: DType, *operands: V) -> V:
        """An operation of integers alone."""
        return self.other(x, own)

    def _cast(self, x: Any, to: DType, a: V) -> V:
        given = self.given(x)
        if not to.is_float:
            return self.to_integer(x, to, a)
        if given == to or (given.is_float and to.bits > given.bits):
            return a
        return self.step("same", x, to, [a]) if given.is_float else self.held(x, to, a)

    def _product(self, x: Any, own: DType, a: V, b: V) -> V:
        same = x.args[0] == x.args[1]  # a program may round it in two ways all the same
        return self.step("square", x, own, [a]) if same else self.step("*", x, own, [a, b])

    def _function(self, x: Any, own: DType, *operands: V) -> V:
        return self.step(FUNCTION_ROWS[type(x)].text, x, own, operands, ulp_of(type(x), own))

    def _exact(self, x: Any, own: DType, *operands: V) -> V:
        return self.step(HEADS[type(x)].text, x, own, operands, 0.0)

    def _rounded(self, x: Any, own: DType, *operands: V) -> V:
        return self.step(HEADS[type(x)].text, x, own, operands)

    rows: ClassVar[Rows] = {
        Cast: _cast,
        SNeg: lambda self, x, own, a: self.step("neg", x, own, [a], 0.0 if own.is_float else 0.5),
        SMul: _product,
        # in f32 first of narrower types
        SMod: lambda self, x, own, *o: self.step("%", x, own, o, TWICE) if own.is_float else self.integers(x, own, *o),
        **dict.fromkeys((SAdd, SSub, SDiv), _rounded),
        **dict.fromkeys((SMax, SMin, Relu), _exact),
        **dict.fromkeys((Unary, Pow, Fmod), _function),
        **dict.fromkeys((Round, Saturate), lambda self, x, to, a: self.to_integer(x, to, a)),
    }


class Ranges(Steps[Any]):
    """Properties of all elements of each tensor, statement by statement.

    Each tensor has an interval of its exact elements, and the errors of a program's (`low`, `high`, `relative`,
    `absolute`). This class holds the consequences of the kernel's structure alone: the points of an element, its value
    before them, and the peak. A value less its own maximum is at most 0, and 0 at one of the maximum's points (`peak`
    of the points `over`).
    """

    def __init__(self, kernel: Kernel, inputs: Mapping[str, Any]) -> None:
        super().__init__({t.name: t.dtype for t in kernel.tensors})
        self.kernel, self.tensors = kernel, dict(inputs)
        self.number = -1  # of the statement
        self.places: dict[str, Any] = {}  # the index of the last write to a tensor
        self.maxima: dict[str, tuple[Any, Statement]] = {}  # a tensor -> the value under its maximum, and the statement

    @abstractmethod
    def between(self, low: Any, high: Any) -> Any:
        """Exact numbers: from the text, or whole ones."""

    @abstractmethod
    def plain_step(self, op: str, x: Any, own: DType, operands: Sequence[Any], ulp: float, below: bool) -> Any:
        """step() without facts on one element among many. below: the first operand is no larger than the second one."""

    @abstractmethod
    def peak_of_exponential(self, peak: Any) -> Any:
        """A lower bound of the exponential at the peak."""

    @abstractmethod
    def total(self, s: Statement, sum_: Total[Any], kind: DType) -> Any:
        """A sum, in any order."""

    @abstractmethod
    def taken(self, s: Statement, found: Any, before: Any) -> Any:
        """The maxima or minima of elements and of their values before."""

    @abstractmethod
    def nothing(self, why: str, s: Statement | None = None) -> Any:
        """The bound of values not followed."""

    def counted(self, s: Statement, how: str, words: str) -> None:
        """The points of an element have been counted in this way."""

    def written(self, s: Statement, made: Any, kind: DType) -> Any:
        """The bound to continue with, of a statement's target."""
        return made

    def statement(self, s: Statement, tree: Any = None) -> None:
        """The statement is carried out. tree: computed in place of its value."""
        name, kind = s.target.tensor, self.types[s.target.tensor]
        self.now, self.number = s, self.number + 1
        value = typed_value(self.kernel, s) if tree is None else tree
        before = self.tensors.get(name)
        made = self._made(s, value, kind, before)
        self.maxima = {m: v for m, v in self.maxima.items() if name not in {m, *(r.tensor for r in reads(v[0]))}}
        if before is None and tree is None and is_maximum(s):
            self.maxima[name] = s.value, s
        self.tensors[name], self.places[name] = self.written(s, made, kind), s.target.index

    def _made(self, s: Statement, value: Any, kind: DType, before: Any) -> Any:
        if needs_single_points(s):
            return self.nothing("a point reads what another one writes, which is not followed", s)
        if s.op == "+":
            return self._sum(s, value, kind, before)
        if s.op not in ("=", "max", "min"):
            return self.nothing("products of many are not followed", s)
        found = self.of(value, kind)
        if s.op == "=" and each_once(self.kernel, s):
            return found
        left = [] if self._covered(s) else [self.so_far(s.target.tensor)]
        made = found if s.op == "=" else self.taken(s, found, before)
        return reduce(hull, left, replace(made, peak=None, over=()))

    def _covered(self, s: Statement) -> bool:
        """Whether each element has a point; reported unless the target's own axes show it."""
        least = least_points(self.kernel, self.number)
        if least and s.extents_of(s.target.index) is None:
            self.counted(s, "counted", "each element that is read has a point")
        return least > 0

    def so_far(self, tensor: str) -> Any:
        """The bound of its elements so far; of an output before any write, the first value of its first statement."""
        if tensor in self.tensors:
            return self.tensors[tensor]
        start = float(begins_at(self.kernel, tensor))
        if isfinite(start):
            return self.between(start, start)
        return self.nothing(f"{tensor} may be read where nothing was written, and is {start} there")

    def _sum(self, s: Statement, value: Any, kind: DType, before: Any) -> Any:
        """Its terms, one by one: a program may add the parts of a sum by themselves."""
        terms = tuple((sign, self.of(t, kind)) for sign, t in terms_of(value))
        meeting, least = fibres(self.kernel, s), least_points(self.kernel, self.number)
        points = int(meeting.most)
        if meeting.how:
            self.counted(s, meeting.how, f"an element has {points} terms at most, and {least} at least")
        (sign, first), *more = terms
        alone = not more and sign > 0 and least > 0 and first.over == along(s)
        return self.total(s, Total(terms, points, least, before, first.peak if alone else None), kind)

    def step(self, op: str, x: Any, own: DType, operands: Sequence[Any], ulp: float = 0.5) -> Any:
        over = self._over_maximum(x) if op == "-" else None
        made = self.plain_step(op, x, own, operands, ulp, over is not None)
        if over is not None:
            return replace(made, peak=0, over=over)
        first, last = operands[0], operands[-1]
        if op == "same":
            return replace(made, peak=first.peak, over=first.over)
        if op == "exp" and first.peak is not None:
            return replace(made, peak=self.peak_of_exponential(first.peak), over=first.over)
        stays = op in ("*", "square") and first.peak == 0 and last.low >= 0  # 0 stays 0
        return replace(made, peak=0, over=first.over) if stays else made

    def _over_maximum(self, x: Any) -> tuple[str, ...] | None:
        """The axes of a maximum, if x is a value under it less this maximum; else None."""
        if not all(isinstance(v, Read) for v in x.args) or self.now.guard:
            return None
        value, m = x.args
        of, s = self.maxima.get(m.tensor, (None, self.now))
        return along(s) if of == value and m.index == s.target.index else None

    def held(self, x: Any, own: DType, a: Any) -> Any:
        ends_whole = a.low % 1 == 0 == a.high % 1
        if not own.is_float or (ends_whole and (a.size + a.error) * Unit.of(own).relative <= 0.5):
            return a
        return super().held(x, own, a)

    def _read(self, x: Any, own: DType) -> Any:
        found = self.so_far(x.tensor)
        return found if x.index == self.places.get(x.tensor) else replace(found, peak=None, over=())

    def _number(self, x: Any, own: DType) -> Any:
        return self.held(x, own, self.between(x, x))

    def _select(self, x: Any, own: DType) -> Any:
        """Either value; surely the exact elements' choice, if no element is compared."""
        condition, *values = x.args
        surely = all(isinstance(a, IndexValue) or a.is_Integer for a in condition.args[1:])
        return self.step("surely" if surely else "either", x, own, [self.of(v, own) for v in values], 0.0)

    leaves: ClassVar[Rows] = {
        Read: _read,
        IndexValue: lambda self, x, own: self.held(x, own, self.between(*ends(x.args[0], self.kernel, self.now))),
        Select: _select,
        sp.Rational: _number,
        sp.Float: _number,
    }


def hull(a: Any, b: Any) -> Any:
    """The facts true of both."""
    return replace(
        a, low=min(a.low, b.low), high=max(a.high, b.high), relative=max(a.relative, b.relative),
        absolute=max(a.absolute, b.absolute), peak=None, over=(),
    )  # fmt: skip


def larger(a: Any, b: Any, smaller: bool = False) -> Any:
    """The larger one. x +- (r |x| + e) grows with x if r < 1, so its error is at most that of the larger r and e."""
    choose = min if smaller else max
    return replace(hull(a, b), low=choose(a.low, b.low), high=choose(a.high, b.high))


def begins_at(kernel: Kernel, tensor: str) -> Any:
    """The value of an output's elements before any write, in a call that adds to nothing."""
    first = next(s for s in kernel.statements if s.target.tensor == tensor)
    return neutral(first.op, kernel.tensor(tensor).dtype)


def each_once(kernel: Kernel, s: Statement) -> bool:
    """Whether each element of the target has one point, with the element's coordinates as its own.

    Facts on a point are then facts on its element.
    """
    return s.extents_of(s.target.index) == kernel.tensor(s.target.tensor).shape and not s.guard and not s.reduction_axes


def is_maximum(s: Statement) -> bool:
    """Whether it takes the maximum of a value at all points, without reading its own target."""
    return s.op == "max" and not s.guard and s.target.tensor not in {r.tensor for r in reads(s.value)}


def along(s: Statement) -> tuple[str, ...] | None:
    """Axes taking all their values in each element of the target, whatever its coordinates; these must be plain axes.

    None for other statements.
    """
    return s.reduction_axes if s.extents_of(s.target.index) is not None and not s.guard else None
