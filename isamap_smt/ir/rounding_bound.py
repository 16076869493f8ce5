"""How far rounding may carry the results of any program of a kernel, for all inputs of stated ranges: a bound that needs no run.

Of every tensor is known where its exact elements lie, and that a program's are off by at most `relative` of the exact one and by
`absolute` besides. u is half the distance from 1 to the next number, t half the smallest one.

    a + b, a - b       of one sign: the larger relative error; else what both are off, absolutely; and u
    a * b, a / b       (1 + r)(1 + s) - 1, (r + s) / (1 - s); and u, and t
    max, min           the larger of both
    a * a              2 E |a| <= c a^2 + E^2 / c, for any c: of deviations from a mean, whose sum is far from 0 where it matters
    exp                e^d - 1 of the result, where the argument is off by d; and its ULP
    other functions    d times the largest slope, and their ULP
    sum of n terms     of one sign: the terms' relative error, and n - 1 roundings; else of n times the largest term

n is how many points meet in one element at most (isamap_smt.ir.fibres). An element that no point reaches keeps what it had: before
anything was written, what the first statement that writes the tensor starts from.

What is less the maximum over it lies below 0, and is 0 somewhere: so `exp` of it is at most 1, and a sum of such is at least 1.
Nothing is said (infinity) where a divisor may be 0, a logarithm's argument negative, or a number too large.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from math import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atanh,
    cos,
    cosh,
    erf,
    exp,
    expm1,
    inf,
    isfinite,
    log,
    log1p,
    pi,
    sinh,
    sqrt,
    tan,
    tanh,
)  # fmt: skip
from typing import Any, ClassVar

import numpy as np
import sympy as sp

from isamap_encodings.scalar_values import spanned
from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.errors import RangeError, SizeError, UnknownNameError, did_you_mean
from isamap_smt.ir.evaluate import needs_single_points
from isamap_smt.ir.fibres import fibres, least_points
from isamap_smt.ir.heads import FUNCTION_ROWS
from isamap_smt.ir.interpret import neutral
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.ir.kinds import require_kind
from isamap_smt.ir.meaning import Meaning, Rows
from isamap_smt.ir.near import SLACK, TWICE, Unit
from isamap_smt.ir.scalar import (
    Abs,
    Acos,
    Acosh,
    Asin,
    Asinh,
    Atan,
    Atanh,
    Cast,
    Cos,
    Cosh,
    Erf,
    Exp,
    Fmod,
    IndexValue,
    Log,
    Pow,
    Read,
    Relu,
    Round,
    Rsqrt,
    SAdd,
    SAnd,
    Saturate,
    SDiv,
    Select,
    SFloorDiv,
    Sigmoid,
    Sin,
    Sinh,
    SInvert,
    SMax,
    SMin,
    SMod,
    SMul,
    SNeg,
    SOr,
    Sqrt,
    SShl,
    SShr,
    SSub,
    SXor,
    Tan,
    Tanh,
    Unary,
    reads,
    terms_of,
)
from isamap_smt.ir.typed import ends, typed_value

_WIDEST = 700.0  # exponents beyond have no f64
_PARTS = tuple(2.0**-n for n in range(4, 24, 2))  # c, of which the best is taken
_LESS, _MORE = 1 - 1e-14, 1 + 1e-14  # of what is computed in f64
_FAR = 8.0  # times larger: what is added moves a relative error little


@dataclass(frozen=True)
class Bound:
    """Exact elements lie in [low, high]; a program's is off by at most relative * |exact| + absolute.

    peak: of the elements over `over`, axes of the statement that computes them, one at least is as large.
    """

    low: float
    high: float
    relative: float = 0.0
    absolute: float = 0.0
    peak: float = -inf
    over: tuple[str, ...] = ()

    @property
    def size(self) -> float:
        """What no exact element exceeds."""
        return max(abs(self.low), abs(self.high))

    @property
    def error(self) -> float:
        """How far any element may be off."""
        return self.relative * self.size + self.absolute

    def __str__(self) -> str:
        parts = [f"{self.relative:.1e} of each exact element"] if self.relative else []
        parts += [f"{self.absolute:.1e}"] if self.absolute else []
        off = f"off by at most {' and '.join(parts)}" if parts else "exact"
        return f"{off}; exact elements lie between {self.low:g} and {self.high:g}"


NOTHING = Bound(-inf, inf, inf, inf)


def rounding_bound(
    kernel: Kernel,
    ranges: Mapping[str, tuple[float, float]],
    sizes: Mapping[str, int] | None = None,
    trees: Mapping[int, Any] | None = None,
) -> dict[str, Bound]:
    """Output name -> what holds of its elements for all inputs within these ranges, in every program whose sums come in any order,
    in calls that add to nothing.

    trees: values of statements, by their number, that are computed in their place. Raises SizeError for open sizes and recurrences,
    UnknownNameError for an input without a range, RangeError for a range that is none.
    """
    require_kind("rounding_bound", ranges, Mapping, "ranges by name, such as {'A': (-1, 1)}")
    found = nearest(kernel.with_sizes({} if sizes is None else sizes), ranges, trees or {})
    return {n: found.tensors[n] for n in found.kernel.results}


def widest(kernel: Kernel, ranges: Mapping[str, tuple[float, float]]) -> tuple[Statement, float]:
    """The statement whose elements may be largest beside those that it reads, and how large; raises as rounding_bound()."""
    found = followed(kernel, ranges, {})
    return max(found.sizes, key=lambda x: x[1] / max(1.0, x[2]))[:2]


def followed(
    fixed: Kernel, ranges: Mapping[str, tuple[float, float]], trees: Mapping[int, Any], by: type[Bounds] | None = None,
    part: float = 0.0,
) -> Bounds:  # fmt: skip
    """What is known of every tensor behind the last statement. by: what follows them; part: the c of squares. Raises as
    rounding_bound()."""
    if fixed.free_sizes or fixed.recurrences:
        what = "has recurrences" if fixed.recurrences else f"needs the sizes {', '.join(fixed.free_sizes)}"
        raise SizeError(f"{fixed.name} {what}: no bound of its rounding is known")
    for n in ranges:
        if n not in fixed.inputs:
            raise UnknownNameError(f"{fixed.name} has no input {n!r}; {did_you_mean(n, fixed.inputs)}")
    known = {n: Bound(float(low), float(high)) for n, low, high in fixed.ranges}
    for t in (fixed.tensor(n) for n in fixed.inputs):
        if t.name in ranges:
            known[t.name] = _given(t.name, t.dtype, ranges[t.name])
        elif not t.dtype.is_float:
            known.setdefault(t.name, Bound(float(t.dtype.low), float(t.dtype.high)))
        else:
            say = f"ranges={{{t.name!r}: (-1, 1)}}"
            raise UnknownNameError(f"{t.name} has no range: say where its elements lie, such as {say}")
    found = (by or Bounds)(fixed, known, part)
    for number, s in enumerate(fixed.statements):
        found.statement(s, trees.get(number))
    return found


def nearest(
    fixed: Kernel, ranges: Mapping[str, tuple[float, float]], trees: Mapping[int, Any], by: type[Bounds] | None = None
) -> Bounds:
    """The same with the c of squares that says most of the results. Raises as rounding_bound()."""
    found = followed(fixed, ranges, trees, by)
    if not found.squares:
        return found
    every = [found, *(followed(fixed, ranges, trees, by, part) for part in _PARTS)]
    return min(every, key=lambda one: sum(one.tensors[n].error for n in fixed.results))


def _given(name: str, kind: DType, ends_: Any) -> Bound:
    """The range of an input. Raises RangeError for what is none, or has numbers that its elements cannot be."""
    numbers = tuple(ends_) if isinstance(ends_, (tuple, list)) else ()
    if len(numbers) != 2 or not all(
        isinstance(e, (int, float, np.number)) and not isinstance(e, bool) for e in numbers
    ):
        raise RangeError(f"ranges[{name!r}]={ends_!r}: pass its least and its greatest element, such as (-1, 1)")
    low, high = map(float, numbers)
    if not low <= high:
        raise RangeError(f"ranges[{name!r}]={ends_!r}: no element is at least {low:g} and at most {high:g}")
    if not kind.is_float and not (kind.low <= low and high <= kind.high and low.is_integer() and high.is_integer()):
        raise RangeError(
            f"ranges[{name!r}]={ends_!r}: elements of {kind} are whole numbers from {kind.low} to {kind.high}"
        )
    return Bound(low, high)


class Bounds(Meaning[Bound]):
    """What is known of every tensor so far, and of the values of the statement that is carried out."""

    def __init__(self, kernel: Kernel, inputs: dict[str, Bound], part: float = 0.0) -> None:
        super().__init__({t.name: t.dtype for t in kernel.tensors})
        self.kernel, self.tensors = kernel, inputs
        self.number = -1  # of the statement
        self.part, self.squares = part, False  # c, and whether there are any
        self.places: dict[str, Any] = {}  # the index with which a tensor was written
        self.maxima: dict[str, tuple[Any, Statement]] = {}  # tensor -> what it is the maximum of
        self.sizes: list[
            tuple[Statement, float, float]
        ] = []  # how large the elements of each statement, and of what it reads

    def statement(self, s: Statement, tree: Any = None) -> None:
        """The statement is carried out."""
        name, kind = s.target.tensor, self.types[s.target.tensor]
        self.now, self.number = s, self.number + 1
        first = name not in self.tensors
        value = typed_value(self.kernel, s) if tree is None else tree
        before = self._so_far(name)
        least = least_points(self.kernel, self.number)
        read = max((self.tensors[r.tensor].size for r in reads(value) if r.tensor in self.tensors), default=0.0)
        if needs_single_points(s):  # what one point writes another one reads
            made = NOTHING
        elif s.op == "+":
            made = self._sum(s, value, kind, least, None if first else before)
        elif s.op == "=":
            found = self.of(value, kind)
            made = found if each_once(self.kernel, s) else _either(found, before) if not least else flat(found)
        elif s.op in ("max", "min"):
            found = self.of(value, kind)
            made = flat(found if first else _larger(before, found, s.op == "min"))
            made = made if least else _either(made, before)
        else:
            made = NOTHING
        self.maxima = {m: (v, x) for m, (v, x) in self.maxima.items() if name not in {m, *(r.tensor for r in reads(v))}}
        if first and tree is None and is_maximum(s):
            self.maxima[name] = (s.value, s)
        made = made if made.size < (Unit.of(kind).largest if kind.is_float else inf) else NOTHING
        self.tensors[name] = self.kept(made, None, kind)
        self.places[name] = s.target.index
        self.sizes.append((s, self.tensors[name].size, read))

    def _so_far(self, tensor: str) -> Bound:
        """What is known of its elements so far: of an output that nothing has written, what its first statement starts from."""
        if tensor in self.tensors:
            return self.tensors[tensor]
        start = float(begins_at(self.kernel, tensor))
        return Bound(start, start) if isfinite(start) else NOTHING

    def _sum(self, s: Statement, value: Any, kind: DType, least: int, before: Bound | None) -> Bound:
        """So many terms, and `least` at least, in any order, beginning at 0 or at what is there before; those of a sum may be added
        one by one."""
        terms = [(sign, self.of(t, kind)) for sign, t in terms_of(value)]
        signed = [a if sign > 0 else Bound(-a.high, -a.low, a.relative, a.absolute) for sign, a in terms]
        a = reduce(_add, signed[1:], signed[0])
        count = int(fibres(self.kernel, s).most)
        low, high = min(a.low * count, a.low * least), max(a.high * count, a.high * least)
        if a.low >= 0 and a.peak > 0 and along(s) == a.over and least:
            low = max(low, a.peak + (count - 1) * a.low)
        there = before or Bound(0.0, 0.0)
        low, high = low + there.low, high + there.high
        if not kind.is_float:
            inside = max(kind.low, -(2**53)) <= low and high <= min(kind.high, 2**53) and a.error == there.error == 0
            return Bound(low, high) if inside else NOTHING
        unit, roundings = Unit.of(kind), count * len(terms) + (before is not None)
        if roundings * unit.relative >= 1 or not isfinite(a.error + there.error):
            return NOTHING
        grown = max(0, roundings - 1) * unit.relative / (1 - roundings * unit.relative)
        if all(x.low >= 0 for x in (*signed, there)) or all(x.high <= 0 for x in (*signed, there)):
            relative = _both(max(a.relative, there.relative), grown)
            absolute = (count * a.absolute + there.absolute) * (1 + grown)
        else:
            sizes = count * sum(x.size + x.error for x in signed) + there.size + there.error
            relative, absolute = 0.0, count * a.error + there.error + grown * sizes
        return Bound(low, high, relative * SLACK, absolute * SLACK)

    def of(self, x: Any, kind: DType) -> Bound:
        found = super().of(x, kind)
        return self.kept(found if all(map(isfinite, (found.low, found.high, found.error))) else NOTHING, x, kind)

    def kept(self, found: Bound, x: Any, kind: DType) -> Bound:
        """What is gone on with, of what was found of an expression of the statement, or, where x is None, of what it wrote."""
        return found

    def other(self, x: Any, own: DType) -> Bound:
        return NOTHING

    def _read(self, x: Any, own: DType) -> Bound:
        found = self._so_far(x.tensor)
        return found if x.index == self.places.get(x.tensor) else replace(found, peak=-inf)

    def _index_value(self, x: Any, own: DType) -> Bound:
        low, high = ends(x.args[0], self.kernel, self.now)
        return _held(Bound(float(low), float(high)), own)

    def _select(self, x: Any, own: DType) -> Bound:
        yes, no = (self.of(v, own) for v in x.args[1:])
        return _either(yes, no, not all(isinstance(a, IndexValue) or a.is_Integer for a in x.args[0].args[1:]))

    def _clamped(self, x: Any, to: DType, a: Bound) -> Bound:
        least, most = (min(max(v, to.low), to.high) for v in (a.low, a.high))
        return _whole(Bound(least, most, 0.0, a.error))

    def _cast(self, x: Any, to: DType, a: Bound) -> Bound:
        given = self.given(x)
        if not to.is_float:
            made = _whole(a) if given.is_float else a
            return made if made.low - made.error >= to.low and made.high + made.error <= to.high else NOTHING
        exact = given == to or (given.is_float and to.bits > given.bits)
        return a if exact else _rounded(a, to) if given.is_float else _held(a, to)

    def _arithmetic(self, x: Any, own: DType, a: Bound, b: Bound) -> Bound:
        if NOTHING in (a, b):
            return NOTHING
        match x:
            case SAdd():
                made = _add(a, b)
            case SSub():
                made = self._less_maximum(x, _add(a, _negative(b)))
            case SMul():
                made = self._square(a) if x.args[0] == x.args[1] else _multiply(a, b)
            case _:
                made = _divide(a, b)
        if own.is_float:
            return _rounded(made, own)
        inside = max(own.low, -(2**53)) <= made.low and made.high <= min(own.high, 2**53)
        return made if inside and made.error == 0 else NOTHING

    def _whole_numbers(self, x: Any, own: DType, *parts: Bound) -> Bound:
        """Of exact integers an exact integer of the type."""
        if own.is_float or any(p.error != 0 for p in parts):
            return NOTHING
        try:
            low, high = spanned(type(x).__name__, *((int(p.low), int(p.high)) for p in parts))
        except KeyError:
            low, high = own.low, own.high
        inside = own.low <= low and high <= own.high
        return Bound(float(low), float(high)) if inside else Bound(float(own.low), float(own.high))

    leaves: ClassVar[Rows] = {
        Read: _read,
        IndexValue: _index_value,
        Select: _select,
        sp.Rational: lambda self, x, own: _held(Bound(float(x), float(x)), own),
        sp.Float: lambda self, x, own: _held(Bound(float(x), float(x)), own),
    }
    rows: ClassVar[Rows] = {
        Cast: _cast,
        Round: _clamped,
        Saturate: _clamped,
        SNeg: lambda self, x, own, a: _negative(a),
        Relu: lambda self, x, own, a: _larger(a, Bound(0.0, 0.0)),
        SMax: lambda self, x, own, a, b: _larger(a, b),
        SMin: lambda self, x, own, a, b: _larger(a, b, True),
        Unary: lambda self, x, own, a: _function(type(x), a, own),
        Pow: lambda self, x, own, a, b: _power(a, b, own),
        Fmod: lambda self, x, own, a, b: _left_over(a, b),
        SMod: lambda self, x, own, a, b: _modulo(a, b, own) if own.is_float else self._whole_numbers(x, own, a, b),
        **dict.fromkeys((SAdd, SSub, SMul, SDiv), _arithmetic),
        **dict.fromkeys((SAnd, SOr, SXor, SInvert, SShl, SShr, SFloorDiv), _whole_numbers),
    }

    def _square(self, a: Bound) -> Bound:
        """a * a, of which both may be rounded otherwise."""
        made = _multiply(a, a)
        made, e = replace(made, low=max(made.low, 0.0)), a.absolute
        self.squares |= e > 0
        if not self.part:
            return made
        more = self.part * (1 + a.relative)
        return replace(made, relative=_both(a.relative, a.relative) + more, absolute=e * e * (1 + more / self.part**2))

    def _less_maximum(self, x: Any, made: Bound) -> Bound:
        """What is less the maximum over it is at most 0, and 0 at one of the points that the maximum is over."""
        value, m = x.args
        if not isinstance(value, Read) or not isinstance(m, Read) or m.tensor not in self.maxima:
            return made
        whole, s = self.maxima[m.tensor]
        if whole != value or m.index != s.target.index or self.now.guard:
            return made
        over = along(s)
        return made if over is None else replace(made, high=0.0, low=min(made.low, 0.0), peak=0.0, over=over)


def begins_at(kernel: Kernel, tensor: str) -> Any:
    """What the elements of an output are before anything is written, in a call that adds to nothing."""
    first = next(s for s in kernel.statements if s.target.tensor == tensor)
    return neutral(first.op, kernel.tensor(tensor).dtype)


def each_once(kernel: Kernel, s: Statement) -> bool:
    """Whether each element of the target has one point, whose coordinates its own are: what is known of a point is known of it."""
    return s.extents_of(s.target.index) == kernel.tensor(s.target.tensor).shape and not s.guard and not s.reduction_axes


def is_maximum(s: Statement) -> bool:
    """Whether it takes the maximum of a value at all points, and of nothing that it makes itself."""
    return s.op == "max" and not s.guard and s.target.tensor not in {r.tensor for r in reads(s.value)}


def along(s: Statement) -> tuple[str, ...] | None:
    """Axes that take all their values in each element of the target, whatever its coordinates, which are axes by themselves; None
    for other statements."""
    return s.reduction_axes if s.extents_of(s.target.index) is not None and not s.guard else None


def flat(b: Bound) -> Bound:
    """Without what is known of one of many."""
    return replace(b, peak=-inf, over=())


def _both(r: float, s: float) -> float:
    """(1 + r)(1 + s) - 1, where r and s may be too small to be added to 1."""
    return r + s + r * s


def _rounded(a: Bound, kind: DType, ulp: float = 0.5) -> Bound:
    """The same after an operation that is off by so many ULP."""
    unit = Unit.of(kind)
    u, t = 2 * ulp * unit.relative, 2 * ulp * unit.smallest
    relative, absolute = _both(a.relative, u), a.absolute * (1 + u) + t
    made = replace(a, relative=relative * SLACK, absolute=absolute * SLACK)
    return made if isfinite(made.error) and made.size + made.error < unit.largest else NOTHING


def _held(a: Bound, kind: DType) -> Bound:
    """Numbers of a text, or whole ones, in this type."""
    if not kind.is_float:
        return a
    whole = a.low.is_integer() and a.high.is_integer() and a.size * Unit.of(kind).relative <= 0.5
    return a if whole else _rounded(a, kind)


def _negative(a: Bound) -> Bound:
    return Bound(-a.high, -a.low, a.relative, a.absolute)


def _add(a: Bound, b: Bound) -> Bound:
    low, high = a.low + b.low, a.high + b.high
    if (a.low >= 0 and b.low >= 0) or (a.high <= 0 and b.high <= 0):
        return Bound(low, high, max(a.relative, b.relative), a.absolute + b.absolute)
    large, small = (a, b) if a.size > b.size else (b, a)
    if large.size < _FAR * small.size:
        return Bound(low, high, 0.0, a.error + b.error)
    return Bound(low, high, large.relative, large.absolute + small.error + large.relative * small.size)


def _multiply(a: Bound, b: Bound) -> Bound:
    corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    relative = _both(a.relative, b.relative)
    absolute = a.absolute * b.size * (1 + b.relative) + b.absolute * a.size * (1 + a.relative) + a.absolute * b.absolute
    made = Bound(min(corners), max(corners), relative, absolute)
    return replace(made, peak=0.0, over=a.over) if a.peak == 0 and b.low >= 0 else made  # 0 stays 0


def _divide(a: Bound, b: Bound) -> Bound:
    least = max(b.low, -b.high)
    grown = b.relative + b.absolute / least if least > 0 else inf
    if grown >= 1:
        return NOTHING
    corners = [x / y for x in (a.low, a.high) for y in (b.low, b.high)]
    return Bound(min(corners), max(corners), (a.relative + grown) / (1 - grown), a.absolute / (least * (1 - grown)))


def _larger(a: Bound, b: Bound, smaller: bool = False) -> Bound:
    """x +- (r |x| + e) grows with x where r < 1, so the larger one is off by no more than with the larger r and e."""
    choose = min if smaller else max
    relative = max(a.relative, b.relative)
    found = Bound(choose(a.low, b.low), choose(a.high, b.high), relative, max(a.absolute, b.absolute))
    return found if relative < 1 else NOTHING


def _either(a: Bound, b: Bound, uncertain: bool = False) -> Bound:
    """One or the other. uncertain: a program may take the other one."""
    low, high = min(a.low, b.low), max(a.high, b.high)
    if uncertain:
        return Bound(low, high, 0.0, max(a.error, b.error) + high - low)
    return Bound(low, high, max(a.relative, b.relative), max(a.absolute, b.absolute))


def _whole(a: Bound, below: float = 1.0, above: float = 1.0) -> Bound:
    """After rounding to integers that lie so far below and above at most."""
    return Bound(a.low - below, a.high + above, 0.0, a.error + 1 if a.error else 0.0)


def _function(head: type[Unary], a: Bound, kind: DType) -> Bound:
    """The function of each, with its stated ULP."""
    row = FUNCTION_ROWS[head]
    if not isfinite(a.error):
        return NOTHING
    if row.whole is not None:
        return _whole(a, *row.whole)
    if head is Abs:
        low = 0.0 if a.low < 0 < a.high else min(abs(a.low), abs(a.high))
        return Bound(low, a.size, a.relative, a.absolute)
    made = _EXACTLY[head](a) if head in _EXACTLY else NOTHING
    return made if made is NOTHING else _rounded(made, kind, row.error(kind.bits))


def _power(a: Bound, b: Bound, kind: DType) -> Bound:
    """a to the power of b: of positive a' = a (1 + d) it is a^b e^(b log(1 + d) + (b' - b) log a'), and largest at corners."""
    share = a.relative + a.absolute / a.low if a.low > 0 else inf
    if not share < 1 or not isfinite(b.error):
        return NOTHING
    logs = log(a.low), log(a.high)
    corners = [y * x for y in (b.low, b.high) for x in logs]
    more = -log1p(-share)
    moved = ((b.size + b.error) * more + b.error * (max(map(abs, logs)) + more)) * _MORE
    if max(*map(abs, corners), moved) > _WIDEST:
        return NOTHING
    spread = 1 + 1e-12 * (1 + max(map(abs, corners)))  # of powers that are computed by their logarithms
    return _rounded(
        Bound(exp(min(corners)) / spread, exp(max(corners)) * spread, expm1(moved) * _MORE),
        kind,
        FUNCTION_ROWS[Pow].error(kind.bits),
    )


def _left_over(a: Bound, b: Bound) -> Bound:
    """fmod(a, b), exactly: of the sign of a, and nearer to 0 than b; it jumps."""
    if max(b.low - b.error, -b.high - b.error) <= 0:
        return NOTHING
    reach = min(a.size, b.size)
    made = Bound(-reach if a.low < 0 else 0.0, reach if a.high > 0 else 0.0)
    exact = a.error == b.error == 0
    return made if exact else replace(made, absolute=(2 * (b.size + b.error)) * _MORE)


def _modulo(a: Bound, b: Bound, kind: DType) -> Bound:
    """a % b, of the sign of b, rounded where b is added, in f32 first of narrower types."""
    if max(b.low - b.error, -b.high - b.error) <= 0:
        return NOTHING
    exact = a.error == b.error == 0
    made = Bound(min(b.low, 0.0), max(b.high, 0.0), 0.0, 0.0 if exact else 2 * (b.size + b.error) * _MORE)
    return _rounded(made, kind, TWICE)


def _exponential(a: Bound) -> Bound:
    d = a.error
    if max(a.high, d) > _WIDEST:
        return NOTHING
    low = exp(a.low) * _LESS if a.low > -_WIDEST else 0.0
    made = Bound(low, exp(a.high) * _MORE if a.high else 1.0, expm1(d), 0.0)
    return made if a.peak == -inf else replace(made, peak=exp(a.peak) * _LESS, over=a.over)


def _steep(of: Callable[[float], float], steepest: float) -> Callable[[Bound], Bound]:
    """A function that grows, nowhere steeper than this."""

    def bound(a: Bound) -> Bound:
        low, high = (v * (_MORE if (v > 0) == up else _LESS) for v, up in ((of(a.low), False), (of(a.high), True)))
        return Bound(low, high, 0.0, a.error * steepest)

    return bound


def _monotone(
    of: Callable[[float], float], steepest: Callable[[Bound], float], falls: bool = False
) -> Callable[[Bound], Bound]:
    """A function that grows, or falls, as steep as this where the argument may be."""

    def bound(a: Bound) -> Bound:
        steep = steepest(a)
        if not isfinite(steep):
            return NOTHING
        first, last = (a.high, a.low) if falls else (a.low, a.high)
        low, high = (v * (_MORE if (v > 0) == up else _LESS) for v, up in ((of(first), False), (of(last), True)))
        return Bound(low, high, 0.0, a.error * steep * _MORE)

    return bound


def _reach(a: Bound) -> float:
    """No argument, exact or computed, is as large."""
    return (a.size + a.error) * _MORE


def _slope_within_one(power: float) -> Callable[[Bound], float]:
    """Of functions between -1 and 1, whose slope is (1 - v^2)^-power; where the argument is exact it does not count."""

    def steepest(a: Bound) -> float:
        if a.error == 0 and a.size <= (1 if power < 1 else _LESS):
            return 0.0
        reach = _reach(a)
        return ((1 - reach) * (1 + reach)) ** -power * _MORE if reach < 1 - 1e-12 else inf

    return steepest


def _slope_beyond_one(a: Bound) -> float:
    least = (a.low - a.error) * _LESS
    if a.error == 0 and a.low >= 1:
        return 0.0
    return 1 / sqrt((least - 1) * (least + 1)) * _MORE if least > 1 + 1e-12 else inf


def _hyperbolic_cosine(a: Bound) -> Bound:
    """cosh(x + d) is at most e^|d| cosh x."""
    if _reach(a) > _WIDEST:
        return NOTHING
    least = 0.0 if a.low <= 0 <= a.high else min(abs(a.low), abs(a.high))
    return Bound(max(cosh(least) * _LESS, 1.0), cosh(a.size) * _MORE, expm1(a.error) * _MORE, 0.0)


def _positive(of: Callable[[Bound, float], Bound]) -> Callable[[Bound], Bound]:
    """A function of positive numbers, which are off by less than half: by this share of each."""

    def bound(a: Bound) -> Bound:
        share = a.relative + a.absolute / a.low if a.low > 0 else inf
        return of(a, share) if share < 0.5 else NOTHING

    return bound


def _logarithm(a: Bound, share: float) -> Bound:
    return Bound(log(a.low) - 1e-13, log(a.high) + 1e-13, 0.0, -log1p(-share))


def _root(a: Bound, share: float) -> Bound:
    return Bound(sqrt(a.low) * _LESS, sqrt(a.high) * _MORE, share / (1 + sqrt(1 - share)), 0.0)


def _inverse_root(a: Bound, share: float) -> Bound:
    root = sqrt(1 - share)  # 1 / root - 1, without cancellation
    return Bound(1 / sqrt(a.high) * _LESS, 1 / sqrt(a.low) * _MORE, share / (root * (1 + root)), 0.0)


def _sigmoid(x: float) -> float:
    return 1 / (1 + exp(-x)) if x > -_WIDEST else 0.0


# the exact function of numbers that are off
_EXACTLY: dict[type[Unary], Callable[[Bound], Bound]] = {
    Exp: _exponential, Tanh: _steep(tanh, 1.0), Sigmoid: _steep(_sigmoid, 0.25), Erf: _steep(erf, 2 / sqrt(pi)),
    **dict.fromkeys((Sin, Cos), lambda a: Bound(-1.0, 1.0, 0.0, a.error)),
    Atan: _steep(atan, 1.0), Asinh: _steep(asinh, 1.0), Cosh: _hyperbolic_cosine,
    Sinh: _monotone(sinh, lambda a: cosh(_reach(a)) if _reach(a) < _WIDEST else inf),
    Tan: _monotone(tan, lambda a: cos(_reach(a)) ** -2 if _reach(a) < 1.57 else inf),
    Asin: _monotone(asin, _slope_within_one(0.5)), Acos: _monotone(acos, _slope_within_one(0.5), falls=True),
    Atanh: _monotone(atanh, _slope_within_one(1.0)), Acosh: _monotone(acosh, _slope_beyond_one),
    Log: _positive(_logarithm), Sqrt: _positive(_root), Rsqrt: _positive(_inverse_root),
}  # fmt: skip


__all__ = [
    "Bound",
    "Bounds",
    "along",
    "begins_at",
    "each_once",
    "followed",
    "is_maximum",
    "nearest",
    "rounding_bound",
    "widest",
]
