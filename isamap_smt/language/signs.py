"""What is known of an expression over sizes and parameters: whether it is never negative, always positive.

Every size is its lowest value plus something that is not negative. Written in those remainders, a polynomial
whose coefficients are all >= 0 is never below its constant term.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from isamap_smt.ir.expr import FloorDiv, FloorMod, IMax, IMin, sym, symbols_of


def lower_bound(expr: Any, lows: Mapping[str, int]) -> int | None:
    """An integer the expression is never below, or None when this argument finds none. Sizes are at least 1.

    >>> from isamap_smt.ir.expr import sym
    >>> lower_bound((sym("P") - 1) * sym("s") + 3, {"s": 2})
    3
    """
    expr = sp.sympify(expr)
    inner = list(expr.atoms(FloorDiv, FloorMod, IMin, IMax))
    if inner:
        return _bound_of_quotients(expr, inner, lows)
    shifted = expr.xreplace({sym(n): sym(n) + lows.get(n, 1) for n in symbols_of([expr])})
    shifted = sp.expand(shifted)
    constant = 0
    for term in sp.Add.make_args(shifted):
        coefficient, rest = term.as_coeff_Mul()
        if rest == 1:
            constant = int(coefficient)
        elif coefficient < 0:
            return None
    return constant


def _bound_of_quotients(expr: Any, inner: list[Any], lows: Mapping[str, int]) -> int | None:
    """A quotient of something never negative is never negative: let it be a size of its own with that low."""
    named = dict(lows)
    table = {}
    outer = [f for f in inner if not any(f is not g and f in g.atoms(type(f)) for g in inner)]
    for n, f in enumerate(outer):
        low = _low_of_function(f, lows)
        if low is None:
            return None
        named[f"_quotient{n}"] = low
        table[f] = sym(f"_quotient{n}")
    replaced = expr.xreplace(table)
    if replaced.atoms(FloorDiv, FloorMod, IMin, IMax):
        return None
    return lower_bound(replaced, named)


def _low_of_function(f: Any, lows: Mapping[str, int]) -> int | None:
    a, b = (lower_bound(x, lows) for x in f.args)
    match f:
        case FloorDiv():
            if a is None or b is None or a < 0 or b < 1:
                return None
            return a // int(f.args[1]) if f.args[1].is_Integer else 0
        case FloorMod():
            return 0 if b is not None and b >= 1 else None
        case IMin():
            return None if a is None or b is None else min(a, b)
        case IMax():
            return max((x for x in (a, b) if x is not None), default=None)
    return None


def is_nonnegative(expr: Any, lows: Mapping[str, int]) -> bool:
    """Whether the expression is known never to be negative."""
    return is_positive(expr + 1, lows)


def is_positive(expr: Any, lows: Mapping[str, int]) -> bool:
    """Whether the expression is known to be at least 1."""
    low = lower_bound(expr, lows)
    return low is not None and low >= 1
