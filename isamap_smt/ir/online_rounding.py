"""How far rounding carries sums of exponentials less a maximum, whether in one pass over blocks or in two: bounds without a run.

Scores x_i as they are computed, m the largest, r_i = m - x_i, s = sum of e^-r_i over N terms; u is half the distance from 1 to the
next number, an exponential is off by k ULP, which is 2 k u of it at most. In n blocks of w points:

    argument    (x_i - m_b) + (m_b - m_b+1) + ...  is -r_i, and no part of it is positive: so all roundings of differences, `a` for
                each, move the exponent by a u r_i at most, as many as there are blocks
    term        of the first block: one exponential; d additions in its block, where d <= w - 1; and for each of n - 1 later
                blocks one exponential, one product and one addition. Of a later block fewer
    sum         each term is its exact value times e^(u (K + a r_i)) at most, K = 2 k n + d + 2 (n - 1). The sum of e^-(1-t) r_i
                is at most N^t s^(1-t) (Jensen), and s >= 1: so |s' - s| <= (e^(u (K + a ln N)) - 1) s
    weighted    o = sum of e^-r_i v_i: one product more, and |o' - o| <= (e^(u (K + 1 + a ln N)) - 1) s max |v_i|
    quotient    |o'/s' - o/s| <= (O + S + (1 + O) u) / (1 - S) max |v_i|, with O and S for the two numbers above

Each exponential and each product is off by a fraction of the smallest number besides, which is counted where s >= 1 is divided by.
That scores are scaled by what is not negative is assumed, and said. Where a guard leaves points out, it is the same in all of
the chain, and a row has a score that is a number: else s >= 1 is not so, and nothing is said of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, expm1, log, log2
from typing import Any

from isamap_smt.ir.expr import is_constant, symbols_of
from isamap_smt.ir.functions import TABLE
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.ir.near import SLACK, Unit
from isamap_smt.ir.online import Online, Role
from isamap_smt.ir.scalar import Exp, Read, SDiv, SMul, SSub
from isamap_smt.ir.split import Apart, SplitSum


@dataclass(frozen=True)
class SumRounding:
    """Of a sum of exponentials, or of one weighted by values, that a kernel takes in blocks.

    units: K + a ln N, in u. number: the bound. of: what it is a part of. assumed: factors of the scores that are not negative.
    """

    tensor: str
    units: float
    formula: str
    number: float
    of: str
    assumed: tuple[str, ...] = ()

    def __str__(self) -> str:
        given = f" with {' and '.join(f'{f} >= 0' for f in self.assumed)}" if self.assumed else ""
        of = self.of if self.of != "itself" else f"each exact {self.tensor}"
        return (
            f"for all inputs{given}, {self.tensor} is off by at most {self.number:.1e} of {of}, besides the rounding of the "
            f"scores; computed without a run, {self.formula}"
        )


def online_rounding(split: Apart) -> tuple[SumRounding, ...]:
    """What is known of the rounding of each sum of a kernel with running maxima, and of the quotients of two of them, besides that
    of the scores; nothing for other kernels."""
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
    """A term of a sum: an exponential, its argument rounded `rounded` times; times values of these tensors."""

    rounded: int
    weights: tuple[str, ...]
    assumed: tuple[str, ...]


def _of_sum(x: Online, n: int, split: Apart) -> SumRounding | None:
    s = x.whole.statements[n]
    if x.axis not in s.reduction_axes or s.op != "+" or set(s.reduction_axes) != {x.axis}:
        return None
    term = _term(x, s.value, s)
    if term is None or len(term.weights) > 1:
        return None
    kind = x.whole.tensor(s.target.tensor).dtype
    unit, row = Unit.of(kind), TABLE[Exp]
    ulp = row.wide_ulp if kind.bits == 64 else row.ulp
    blocks, points = x.steps + bool(x.left), x.extent
    deep = max(_additions(x, n, rest, split) for rest in x.stages())
    more = len(term.weights)
    units = 2 * ulp * blocks + deep + 2 * (blocks - 1) + more + term.rounded * log(points) * (1 + 4 * unit.relative)
    tiny = unit.smallest * (2 * ulp * points * (1 + blocks) + blocks + more * points)
    number = (expm1(units * unit.relative) + tiny * 2) * SLACK
    counted = f"{2 * ulp:g}*{blocks} + {deep}" + (f" + 2*{blocks - 1}" if blocks > 1 else "") + (" + 1" if more else "")
    formula = f"as ({counted} + {term.rounded} ln {points}) u with u = {unit.relative:.1e}"
    name = s.target.tensor
    of = f"the sum of its exponentials times the largest |{term.weights[0]}|" if more else "itself"
    return SumRounding(name, units, formula, number, of, term.assumed)


def _of_quotient(kernel: Kernel, s: Statement, found: dict[str, SumRounding]) -> SumRounding | None:
    """Of a weighted sum divided by the sum of its weights."""
    if s.op != "=" or not isinstance(s.value, SDiv) or not all(isinstance(a, Read) for a in s.value.args):
        return None
    o, d = (found.get(a.tensor) for a in s.value.args)
    if o is None or d is None or d.of != "itself" or o.of == "itself" or d.number >= 1:
        return None
    unit = Unit.of(kernel.tensor(s.target.tensor).dtype)
    number = ((o.number + d.number + (1 + o.number) * unit.relative) / (1 - d.number) + unit.smallest) * SLACK
    of = o.of.removeprefix("the sum of its exponentials times ")
    name = s.target.tensor
    return SumRounding(name, o.units + d.units + 1, f"from those of {o.tensor} and {d.tensor}", number, of, o.assumed)


def _term(x: Online, value: Any, s: Statement) -> _Term | None:
    """The exponential, and what it is multiplied by, at the points of the sum; None where it is something else."""
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
            return _Term(inner.rounded, (*inner.weights, other.tensor), inner.assumed)
    return None


def _exponential(x: Online, argument: Any, s: Statement, rounded: int = 1) -> _Term | None:
    """A score less the maximum over the scores, times factors that are the same for all points."""
    if isinstance(argument, SMul):
        for one, other in (argument.args, argument.args[::-1]):
            fixed = isinstance(other, Read) and _home(x, other) is None and x.axis not in symbols_of(other.index)
            if other.is_Number and other > 0:
                return _exponential(x, one, s, rounded + 1)
            if fixed and _fits(x, s, other) and (inner := _exponential(x, one, s, rounded + 1)) is not None:
                return _Term(inner.rounded, (), (*inner.assumed, other.tensor))
        return None
    if not isinstance(argument, SSub) or not all(isinstance(a, Read) for a in argument.args):
        return None
    score, maximum = argument.args
    home = _home(x, maximum)
    if home is None or home.op != "max" or home.value != score or maximum.index != home.target.index:
        return None
    right = home.guard == s.guard and _fits(x, s, maximum, same=True) and _fits(x, s, score)
    return _Term(rounded, (), ()) if right else None


def _fits(x: Online, s: Statement, r: Any, same: bool = False) -> bool:
    """Whether what is read has the sum's type, or (unless it must be the same) one whose values that has, too."""
    kind, own = (x.whole.tensor(t).dtype for t in (s.target.tensor, r.tensor))
    return own == kind or (not same and own.is_float and own.bits < kind.bits)


def _home(x: Online, r: Any) -> Statement | None:
    """The statement of the chain that writes what is read."""
    return next((s for s in x.whole.statements[x.first : x.end] if s.target.tensor == r.tensor), None)


def _additions(x: Online, n: int, rest: bool, split: Apart) -> int:
    """How many additions a term of a block, or of the rest, is in at most, before the block's sum is added to the others'."""
    s = x.statements(Role.POINTS, rest)[n][1]
    points = x.left if rest else x.block
    for one in _splits(split):
        if one.whole.statements[one.statement].target.tensor == s.target.tensor:
            left = max(points - _covered(one), 0)
            return _covered(one) // one.parts - 1 + ceil(log2(one.parts)) + left
    return points - 1


def _splits(split: Apart) -> Iterator[SplitSum]:
    return (one for one in split.chain if isinstance(one, SplitSum) and one.form == "sums")


def _covered(one: SplitSum) -> int:
    """Points that go into partial sums."""
    first = one.kernel.statements[one.pieces[0].statement]
    own = {a for a, _ in one.pieces[0].back} - {a.name for a in one.whole.statements[one.statement].axes}
    found = 1
    for a in first.axes:
        found *= int(a.extent) if a.name in own and is_constant(a.extent) else 1
    return found


__all__ = ["SumRounding", "online_rounding"]
