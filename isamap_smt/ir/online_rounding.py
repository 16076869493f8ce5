"""Rounding errors of sums of exponentials less a maximum, in one pass over blocks or in two: bounds without a run.

Scores x_i as they are computed, m the largest, r_i = m - x_i, s = sum of e^-r_i over N terms; u is half the distance
from 1 to the next number, an exponential is off by k ULP, at most 2 k u of it. In n blocks of w points:

    argument    (x_i - m_b) + (m_b - m_b+1) + ...  is -r_i, and no part of it is positive: so all roundings of differences, `a`
                for each, move the exponent by a u r_i at most, as many as there are blocks
    term        of the first block: one exponential; d additions in its block, with d <= w - 1; and for each of n - 1 later
                blocks one exponential, one product and one addition. Of a later block fewer
    sum         each term is its exact value times e^(u (K + a r_i)) at most, K = 2 k n + d + 2 (n - 1). The sum of
                e^-(1-t) r_i is at most N^t s^(1-t) (Jensen), and s >= 1: so |s' - s| <= (e^(u (K + a ln N)) - 1) s
    weighted    o = sum of e^-r_i v_i: one product more, and |o' - o| <= (e^(u (K + 1 + a ln N)) - 1) s max |v_i|
    quotient    |o'/s' - o/s| <= (O + S + (1 + O) u) / (1 - S) max |v_i|, with O and S for the two numbers above

Each exponential and each product is off by a fraction of the smallest number besides. It counts at the division by s,
since s >= 1. Products with values have no such divisor, and are off by N times this fraction in all. For so many
points, values and factors nothing overflows (isamap_smt.ir.online_range), and the bound says so. If a guard leaves
points out, it must be the same in the whole chain, and each row must have a score other than NaN and infinities.
Otherwise s >= 1 may fail, and there is no bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil, expm1, log, log2
from typing import Any

from isamap_smt.ir.expr import is_constant, symbols_of
from isamap_smt.ir.fibres import fibres
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.ir.near import SLACK, Unit
from isamap_smt.ir.online import Online, Role
from isamap_smt.ir.online_range import OnlineRange, online_range
from isamap_smt.ir.rewrite import Form, Rewrite
from isamap_smt.ir.rounding_walk import ulp_of
from isamap_smt.ir.rows import Sums
from isamap_smt.ir.scalar import Exp, Read, SDiv, SMul, SSub


@dataclass(frozen=True)
class SumRounding:
    """Of a sum of exponentials, or of one weighted by values, taken by a kernel in blocks.

    units: K + a ln N, in u. number: the bound, relative to `of`. absolute: a further absolute error.
    factors: of the scores, with their least and greatest values.
    values: the weighted tensor, and its largest absolute value.
    """

    tensor: str
    units: float
    formula: str
    number: float
    of: str
    absolute: float = 0.0
    factors: tuple[tuple[str, float, float], ...] = ()
    values: tuple[str, float] | None = None

    def __str__(self) -> str:
        given = [f"{low:g} <= {name} <= {high:g}" for name, low, high in self.factors]
        given += [f"|{self.values[0]}| <= {self.values[1]:g}"] if self.values else []
        beyond = f"; beyond {given[-1]} an overflow leaves an infinity or NaN" if self.values else ""
        of = self.of if self.of != "itself" else f"each exact {self.tensor}"
        off = f"{self.number:.1e} of {of}" + (f" and {self.absolute:.1e}" if self.absolute else "")
        return (
            f"for all inputs{' with ' if given else ''}{' and '.join(given)}, {self.tensor} is off by at most {off}, besides the "
            f"rounding of the scores{beyond}; computed without a run, {self.formula}"
        )


def online_rounding(split: Form) -> tuple[SumRounding, ...]:
    """Rounding bounds of each sum of a kernel with running maxima, and of quotients of two of them.

    The rounding of the scores is not included. () for other kernels.
    """
    found: dict[str, SumRounding] = {}
    for x in split.chain:
        if isinstance(x, Online):
            for n in range(x.first, x.end):
                made = _of_sum(x, n, split)
                found |= {made.tensor: made} if made else {}
            for s in x.whole.statements[x.end :]:
                quotient = _of_quotient(x.whole, s, found)
                found |= {quotient.tensor: quotient} if quotient else {}
    return tuple(found.values())


@dataclass(frozen=True)
class _Term:
    """A term of a sum: an exponential, its argument rounded `rounded` times; times values of these tensors.

    factors: tensors multiplied with the argument. scale: the product of its constant factors below 1, and of the
    others.
    """

    rounded: int
    weights: tuple[str, ...] = ()
    factors: tuple[str, ...] = ()
    scale: tuple[float, float] = (1.0, 1.0)


def range_of(x: Online, n: int) -> OnlineRange | None:
    """Ranges of values without overflow in a sum, if a bound may be stated of it; else None."""
    s = x.whole.statements[n]
    if s.op != "+" or fibres(x.whole, s).number != x.extent or set(s.reduction_axes) != {x.axis}:
        return None
    term = _term(x, s.value, s)
    if term is None or len(term.weights) > 1 or len(term.factors) > 1:
        return None
    kind, blocks = x.whole.tensor(s.target.tensor).dtype, x.steps + bool(x.left)
    roundings = 2 * ulp_of(Exp, kind) * blocks + 2 * (blocks - 1) + len(term.weights) + term.rounded * log(x.extent) + 1
    return online_range(kind, x.extent, roundings, term.weights, term.factors, term.scale[0])


def ranges_of(x: Online) -> dict[str, tuple[float, float]]:
    """The ranges of its sums' factors needed for a bound, for factors among the inputs: each call checks them."""
    found = (range_of(x, n) for n in range(x.first, x.end))
    every = (f for r in found if r is not None for f in r.factors if f[0] in x.whole.inputs)
    least: dict[str, tuple[float, float]] = {}
    for name, low, high in every:
        before = least.get(name, (low, high))
        least[name] = max(low, before[0]), min(high, before[1])
    return least


def _of_sum(x: Online, n: int, split: Form) -> SumRounding | None:
    s = x.whole.statements[n]
    reach, term = range_of(x, n), _term(x, s.value, s)
    if reach is None or term is None:
        return None
    kind = x.whole.tensor(s.target.tensor).dtype
    unit, ulp = Unit.of(kind), ulp_of(Exp, kind)
    blocks, points = x.steps + bool(x.left), x.extent
    deep = max(_additions(x, n, rest, split) for rest in x.stages())
    more = len(term.weights)
    units = 2 * ulp * blocks + deep + 2 * (blocks - 1) + more + term.rounded * log(points) * (1 + 4 * unit.relative)
    tiny = unit.smallest * ((2 * ulp + 1) * points * (1 + blocks) + blocks)
    shifted = blocks * (term.rounded - 1) * unit.smallest * term.scale[1]  # of arguments next to 0
    number = (expm1(units * unit.relative + shifted) + tiny * 2) * SLACK
    absolute = 2 * unit.smallest * (points + blocks) * SLACK * more
    counted = f"{2 * ulp:g}*{blocks} + {deep}" + (f" + 2*{blocks - 1}" if blocks > 1 else "") + (" + 1" if more else "")
    formula = f"as ({counted} + {term.rounded} ln {points}) u with u = {unit.relative:.1e}"
    name = s.target.tensor
    of = f"the sum of its exponentials times the largest |{term.weights[0]}|" if more else "itself"
    return SumRounding(name, units, formula, number, of, absolute, reach.factors, reach.values)


def _of_quotient(kernel: Kernel, s: Statement, found: dict[str, SumRounding]) -> SumRounding | None:
    """The bound of a weighted sum divided by the sum of its weights."""
    if s.op != "=" or not isinstance(s.value, SDiv) or not all(isinstance(a, Read) for a in s.value.args):
        return None
    o, d = (found.get(a.tensor) for a in s.value.args)
    if o is None or d is None or d.of != "itself" or o.of == "itself" or d.number >= 1:
        return None
    unit = Unit.of(kernel.tensor(s.target.tensor).dtype)
    number = (o.number + d.number + (1 + o.number) * unit.relative) / (1 - d.number) * SLACK
    absolute = (o.absolute / (1 - d.number) + unit.smallest) * SLACK
    of = o.of.removeprefix("the sum of its exponentials times ")
    name = s.target.tensor
    formula, factors = f"from those of {o.tensor} and {d.tensor}", o.factors
    return SumRounding(name, o.units + d.units + 1, formula, number, of, absolute, factors, o.values)


def _term(x: Online, value: Any, s: Statement) -> _Term | None:
    """The exponential and its factors at the points of the sum; None for any other value."""
    if isinstance(value, Exp):
        return _exponential(x, value.args[0], s)
    if isinstance(value, Read):
        home = _home(x, value)
        inner = None if home is None or home.op != "=" or home.guard != s.guard else _term(x, home.value, s)
        return inner if inner is not None and not inner.weights and _fits(x, s, value, same=True) else None
    if not isinstance(value, SMul):
        return None
    for one, other in (value.args, value.args[::-1]):
        inner = _term(x, one, s)
        if inner is not None and isinstance(other, Read) and _home(x, other) is None and _fits(x, s, other):
            return replace(inner, weights=(*inner.weights, other.tensor))
    return None


def _exponential(x: Online, argument: Any, s: Statement, rounded: int = 1) -> _Term | None:
    """A score less the maximum over the scores, times factors constant over all points."""
    if isinstance(argument, SMul):
        for one, other in (argument.args, argument.args[::-1]):
            fixed = isinstance(other, Read) and _home(x, other) is None and x.axis not in symbols_of(other.index)
            number = bool(other.is_Number and other > 0)
            inner = _exponential(x, one, s, rounded + 1) if number or (fixed and _fits(x, s, other)) else None
            if inner is not None and number:
                less, more = inner.scale
                return replace(inner, scale=(less * min(float(other), 1.0), more * max(float(other), 1.0)))
            if inner is not None:
                return replace(inner, factors=(*inner.factors, other.tensor))
        return None
    if not isinstance(argument, SSub) or not all(isinstance(a, Read) for a in argument.args):
        return None
    score, maximum = argument.args
    home = _home(x, maximum)
    if home is None or home.op != "max" or home.value != score or maximum.index != home.target.index:
        return None
    right = home.guard == s.guard and _fits(x, s, maximum, same=True) and _fits(x, s, score)
    return _Term(rounded) if right else None


def _fits(x: Online, s: Statement, r: Any, same: bool = False) -> bool:
    """Whether the tensor read has the sum's type, or (unless it must be the same) a narrower floating-point type."""
    kind, own = (x.whole.tensor(t).dtype for t in (s.target.tensor, r.tensor))
    return own == kind or (not same and own.is_float and own.bits < kind.bits)


def _home(x: Online, r: Any) -> Statement | None:
    """The statement of the chain writing the tensor read."""
    return next((s for s in x.whole.statements[x.first : x.end] if s.target.tensor == r.tensor), None)


def _additions(x: Online, n: int, rest: bool, split: Form) -> int:
    """The largest number of additions of a term of a block, or of the rest, before the block's sum joins the others'."""
    s = x.statements(Role.POINTS, rest)[n][1]
    points = x.left if rest else x.block
    for one, row in _splits(split):
        if one.whole.statements[row.statement].target.tensor == s.target.tensor:
            left = max(points - _covered(one), 0)
            return _covered(one) // row.parts - 1 + ceil(log2(row.parts)) + left
    return points - 1


def _splits(split: Form) -> Iterator[tuple[Rewrite, Sums]]:
    return ((x, x.row) for x in split.chain if isinstance(x, Rewrite) and isinstance(x.row, Sums))


def _covered(one: Rewrite) -> int:
    """The number of points in partial sums."""
    first = one.kernel.statements[one.pieces[0].statement]
    own = {a for a, _ in one.pieces[0].back} - {a.name for a in one.whole.statements[one.row.restated[0]].axes}
    found = 1
    for a in first.axes:
        found *= int(a.extent) if a.name in own and is_constant(a.extent) else 1
    return found


__all__ = ["SumRounding", "online_rounding", "range_of", "ranges_of"]
