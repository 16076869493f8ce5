"""Which numbers a floating-point value can be: bounds that hold for every element, so that a needless clamp is not printed.

Rounding never changes the order of two numbers. So the ends of an interval, rounded, bound everything inside it that is rounded.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from isamap_smt.ir.convert import constant, converted
from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.heads import FUNCTION_ROWS
from isamap_smt.ir.scalar import Cast, Read, Relu, Round, Saturate, Select, SMax, SMin, SNeg, Unary
from isamap_smt.ir.typed import literal_kind, type_of


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
    kind = type_of(tree, dict(types)) or literal
    match tree:
        case sp.Integer() | sp.Float():
            number = float(constant(tree, kind))
            return Span(number, number, True)
        case Read() | Saturate() | Round():
            return _every(kind)
        case Cast():
            inner = tree.args[1]
            return _cast(kind, type_of(inner, dict(types)), span(inner, types, literal_kind(inner, kind)))
        case SNeg() if kind.is_float:
            a = span(tree.args[0], types, kind)
            return Span(-a.high, -a.low, a.number)
        case SMax() | SMin() | Relu():
            return _chosen(tree, [span(a, types, kind) for a in tree.args])
        case Select():
            a, b = (span(x, types, kind) for x in tree.args[1:])
            return Span(min(a.low, b.low), max(a.high, b.high), a.number and b.number)
        case Unary() if kind.is_float and (bounds := FUNCTION_ROWS[type(tree)].bounds):
            return Span(*bounds, span(tree.args[0], types, kind).number)
    return ANYTHING if kind.is_float else _every(kind)


def _every(kind: DType) -> Span:
    return ANYTHING if kind.is_float else Span(float(kind.low), float(kind.high), True)


def _cast(to: DType, source: DType | None, given: Span) -> Span:
    if to.is_float:
        with np.errstate(all="ignore"):
            low, high = (float(converted(np.array(x), to)) for x in (given.low, given.high))
        return Span(low, high, given.number)
    if source is not None and not source.is_float and not (to.low <= given.low and given.high <= to.high):
        return _every(to)  # it wraps
    low, high = (min(max(x, float(to.low)), float(to.high)) for x in (given.low, given.high))
    return Span(low, high, True) if given.number else Span(min(low, 0.0), max(high, 0.0), True)


def _chosen(tree: Any, parts: list[Span]) -> Span:
    parts = [*parts, Span(0.0, 0.0, True)] if isinstance(tree, Relu) else parts
    choose = min if isinstance(tree, SMin) else max
    return Span(choose(p.low for p in parts), choose(p.high for p in parts), all(p.number for p in parts))


__all__ = ["Span", "span"]
