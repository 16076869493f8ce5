"""Which numbers a floating-point value can be: bounds that hold for every element, so that a needless clamp is not printed.

Rounding never changes the order of two numbers. So the ends of an interval, rounded, bound everything inside it that is rounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import sympy as sp

from isamap_smt.ir.convert import constant, converted
from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.heads import FUNCTION_ROWS
from isamap_smt.ir.meaning import Meaning, Rows
from isamap_smt.ir.scalar import Cast, Read, Relu, Round, Saturate, Select, SMax, SMin, SNeg, Unary
from isamap_smt.ir.typed import type_of


@dataclass(frozen=True)
class Span:
    """Every value that is a number lies in [low, high]; `number`: there is no other."""

    low: float
    high: float
    number: bool

    def within(self, kind: DType) -> bool:
        """Whether each number, cut off towards zero, is one of this integer type."""
        return kind.low - 1 < self.low and self.high < kind.high + 1


ANYTHING = Span(-math.inf, math.inf, False)


def span(tree: Any, types: Mapping[str, DType], literal: DType) -> Span:
    """Bounds of a typed value; literals take `literal` where nothing else says a type."""
    return _Spans(types).of(tree, literal)


def _every(kind: DType) -> Span:
    return ANYTHING if kind.is_float else Span(float(kind.low), float(kind.high), True)


class _Spans(Meaning[Span]):
    """The algebra of intervals. A head without a row may be anything of its type."""

    def other(self, x: Any, own: DType) -> Span:
        return _every(own)

    def _cast(self, x: Any, to: DType, given: Span) -> Span:
        if to.is_float:
            with np.errstate(all="ignore"):
                low, high = (float(converted(np.array(v), to)) for v in (given.low, given.high))
            return Span(low, high, given.number)
        source = type_of(x.args[1], self.types)
        if source is not None and not source.is_float and not (to.low <= given.low and given.high <= to.high):
            return _every(to)  # it wraps
        low, high = (min(max(v, float(to.low)), float(to.high)) for v in (given.low, given.high))
        return Span(low, high, True) if given.number else Span(min(low, 0.0), max(high, 0.0), True)

    def _function(self, x: Any, own: DType, a: Span) -> Span:
        row = FUNCTION_ROWS[type(x)]
        if not own.is_float:
            return _every(own)
        if row.whole is not None:  # it never falls, and the type has its values
            low, high = row.f64(np.array([a.low, a.high])).tolist()
            return Span(low, high, a.number)
        return ANYTHING if row.bounds is None else Span(*row.bounds, a.number)

    def _select(self, x: Any, own: DType) -> Span:
        a, b = (self.of(v, own) for v in x.args[1:])
        return Span(min(a.low, b.low), max(a.high, b.high), a.number and b.number)

    leaves: ClassVar[Rows] = {
        sp.Number: lambda self, x, own: _number(float(constant(x, own))),
        **dict.fromkeys((Read, Saturate, Round), lambda self, x, own: _every(own)),
        Select: _select,
    }
    rows: ClassVar[Rows] = {
        Cast: _cast,
        SNeg: lambda self, x, own, a: Span(-a.high, -a.low, a.number) if own.is_float else _every(own),
        SMax: lambda self, x, own, a, b: _chosen(max, a, b),
        SMin: lambda self, x, own, a, b: _chosen(min, a, b),
        Relu: lambda self, x, own, a: _chosen(max, a, _number(0.0)),
        Unary: _function,
    }


def _number(x: float) -> Span:
    return Span(x, x, True)


def _chosen(choose: Callable[..., float], a: Span, b: Span) -> Span:
    return Span(choose(a.low, b.low), choose(a.high, b.high), a.number and b.number)


__all__ = ["Span", "span"]
