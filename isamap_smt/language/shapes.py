"""A missing shape follows from the largest index used: lowest and highest value of an index over the box.

This much is known of signs: every size is its lowest value plus a nonnegative remainder. Written in these remainders, a
polynomial without negative coefficients is never below its constant term.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain, count, islice
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
    if expr.is_Integer:
        return int(expr)
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
    low = lower_bound(expr, lows)
    return low is not None and low >= 0


def is_positive(expr: Any, lows: Mapping[str, int]) -> bool:
    """Whether the expression is known to be at least 1."""
    low = lower_bound(expr, lows)
    return low is not None and low >= 1


Range = tuple[Any, Any]


def index_range(expr: Any, extents: Mapping[str, Any], lows: Mapping[str, int]) -> Range | None:
    """(lowest, highest) value over the box of the axes, as expressions over sizes and parameters.

    Both are attained, but those of remainders at some sizes.

    None when a coefficient's sign is not known, or an axis occurs twice (the ends would not be attained together).

    >>> p, r = sym("p"), sym("r")
    >>> index_range(p + r - 1, {"p": sym("P"), "r": sp.Integer(3)}, {})
    (-1, P)
    """
    expr = sp.expand(expr)
    if not symbols_of([expr]) & set(extents):
        return expr, expr
    if expr.is_Symbol:
        return sp.S.Zero, extents[expr.name] - 1
    match expr:
        case sp.Add():
            return _sum_range(expr, extents, lows)
        case sp.Mul():
            return _product_range(expr, extents, lows)
        case FloorDiv(args=(a, d)):
            inner = index_range(a, extents, lows)
            return None if inner is None else (_quotient(inner[0], d), _quotient(inner[1], d))
        case FloorMod(args=(a, d)):
            return _remainder_range(a, d, extents, lows)
    return None


def _quotient(a: Any, d: Any) -> Any:
    """a // d, with multiples of d taken out of a: (4*N - 1) // 4 is N - 1."""
    a = sp.expand(a)
    whole = sum((t for t in sp.Add.make_args(a) if _divides(d, t)), sp.S.Zero)
    return sp.cancel(whole / d) + FloorDiv(a - whole, d)


def _divides(d: Any, term: Any) -> bool:
    if d.is_Integer:
        return bool(term.as_coeff_Mul()[0] % d == 0)
    return bool(d.is_Symbol and d in sp.Mul.make_args(term))


def _sum_range(expr: Any, extents: Mapping[str, Any], lows: Mapping[str, int]) -> Range | None:
    """Terms on one axis are taken as one product first: p*s + p is p*(s + 1)."""
    axes: dict[frozenset[str], Any] = {}
    for term in expr.args:
        used = frozenset(symbols_of([term]) & set(extents))
        axes[used] = axes.get(used, sp.S.Zero) + term
    groups = list(axes)
    if any(a & b for n, a in enumerate(groups) for b in groups[n + 1 :]):
        return None
    low, high = sp.S.Zero, sp.S.Zero
    for used, term in axes.items():
        if used and isinstance(term, sp.Add):
            (name, *more) = used
            coefficient = sp.expand(term).coeff(sym(name), 1)
            if more or sp.expand(term - coefficient * sym(name)) != 0:
                return None
            ends = _scaled(coefficient, (sp.S.Zero, extents[name] - 1), lows)
        else:
            ends = index_range(term, extents, lows)
        if ends is None:
            return None
        low, high = low + ends[0], high + ends[1]
    return sp.expand(low), sp.expand(high)


def _product_range(expr: Any, extents: Mapping[str, Any], lows: Mapping[str, int]) -> Range | None:
    moving = [a for a in expr.args if symbols_of([a]) & set(extents)]
    if len(moving) != 1:
        return None
    coefficient = sp.Mul(*[a for a in expr.args if a is not moving[0]])
    inner = index_range(moving[0], extents, lows)
    return None if inner is None else _scaled(coefficient, inner, lows)


def _scaled(coefficient: Any, ends: Range, lows: Mapping[str, int]) -> Range | None:
    low, high = sp.expand(coefficient * ends[0]), sp.expand(coefficient * ends[1])
    if is_nonnegative(coefficient, lows):
        return low, high
    return (high, low) if is_nonnegative(-coefficient, lows) else None


def _remainder_range(a: Any, d: Any, extents: Mapping[str, Any], lows: Mapping[str, int]) -> Range | None:
    """The range of a itself if it stays in [0, d), else all of [0, d): a tensor indexed by `i % 7` has 7 elements at every size."""
    inner = index_range(a, extents, lows)
    if inner is not None and is_nonnegative(inner[0], lows) and is_nonnegative(d - 1 - inner[1], lows):
        return inner
    return sp.S.Zero, d - 1


def example_shape(tensor: str, rank: int, taken: Iterable[str]) -> str:
    """A declaration of the tensor's shape, with new names of sizes.

    >>> example_shape("X", 2, ["N"])
    'X: [M, L]'
    """
    known = set(taken)
    free = (n for n in chain("NMLVUTSRQPKJHGFEDCBA", map("N{}".format, count())) if n not in known)
    return f"{tensor}: [{', '.join(islice(free, rank))}]"


def extent_to_come(tensor: str, dimension: int) -> Any:
    """The extent of a dimension until all uses of the tensor are known. No size is called so."""
    return sym(f"{tensor}.shape[{dimension}]")


def new_size(taken: Iterable[str]) -> Any:
    """A size with a new name.

    >>> new_size(["N", "M"])
    L
    """
    return sym(example_shape("", 1, taken)[3:-1])


def guarded_extent(expr: Any, guard: tuple[Any, ...], axes: set[str]) -> tuple[bool, Any | None]:
    """(whether 0 <= expr follows from one relation of the guard, the bound E in expr < E, if the guard has one)."""
    nonnegative, extent = False, None
    for relation in guard:
        small, large, strict = _ordered_sides(relation)
        if small is None:
            continue
        beyond = sp.expand(expr - (large - small - strict))  # what is in brackets is never negative under the guard
        nonnegative = nonnegative or bool(beyond.is_Integer and beyond >= 0)
        if small == expr and not symbols_of([large]) & axes:
            extent = large if strict else large + 1
    return nonnegative, extent


def _ordered_sides(relation: Any) -> tuple[Any, Any, int]:
    """(the smaller side, the larger side, 1 if they differ); Nones for anything but an inequality."""
    if not isinstance(relation, sp.Lt | sp.Le | sp.Gt | sp.Ge):
        return None, None, 0
    return relation.lts, relation.gts, int(isinstance(relation, sp.Lt | sp.Gt))


def largest(extents: list[Any], lows: Mapping[str, int]) -> Any | None:
    """The one extent never below the others, or None if none is known to be.

    >>> from isamap_smt.ir.expr import sym
    >>> largest([sym("I"), sym("I") + 2, sym("I") + 1, sym("J")], {}), largest([sym("I"), sym("I") + 2], {})
    (None, I + 2)
    """
    tops: dict[Any, Any] = {}  # of extents that differ by a number; a sum of many terms has as many of them
    for e in map(sp.sympify, extents):
        number, rest = e.as_coeff_Add()
        if rest not in tops or number > tops[rest].as_coeff_Add()[0]:
            tops[rest] = e
    for e in tops.values():
        if all(is_nonnegative(e - other, lows) for other in tops.values() if other is not e):
            return e
    return None
