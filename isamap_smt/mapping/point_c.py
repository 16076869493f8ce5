"""Scalar expressions as portable C, exact in their element types: integers wrap, bf16 rounds to nearest even."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from collections.abc import Mapping as Dict
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import sympy as sp

from isamap_encodings.scalar_values import EXACTLY, spanned
from isamap_smt.ir import activations, activations_f64, functions_f64
from isamap_smt.ir.convert import constant, converted
from isamap_smt.ir.dtypes import DTYPES, DType, bool_, dtype, negative_zero, widens
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.heads import FUNCTION_ROWS, HEADS, special
from isamap_smt.ir.meaning import Fold, Meaning, Rows
from isamap_smt.ir.scalar import (
    Abs,
    Binary,
    Cast,
    Constant,
    IndexValue,
    Inf,
    Read,
    Relu,
    Round,
    SAdd,
    SAnd,
    Saturate,
    Scalar,
    SDiv,
    Select,
    SFloorDiv,
    SInvert,
    SMax,
    SMin,
    SMod,
    SMul,
    SNeg,
    SOr,
    SShl,
    SShr,
    SSub,
    SXor,
    Unary,
)
from isamap_smt.ir.typed import comparison_kind, target, type_of
from isamap_smt.mapping.convert_c import CHOICES, as_part, conversion_helpers, wide
from isamap_smt.mapping.convert_c import converted as c_converted

# ---- Bounds on a floating-point value: they hold for every element, so no needless clamp is printed.
#
# Rounding never changes the order of two numbers. So the ends of an interval, rounded, bound everything inside it that
# is rounded.


@dataclass(frozen=True)
class Span:
    """All numbers among the values lie in [low, high]; `number`: all values are numbers."""

    low: float
    high: float
    number: bool

    def within(self, kind: DType) -> bool:
        """Whether each number, cut off towards zero, is one of this integer type."""
        return kind.low - 1 < self.low and self.high < kind.high + 1


ANYTHING = Span(-math.inf, math.inf, False)


def span(tree: Any, types: Mapping[str, DType], literal: DType) -> Span:
    """Bounds of a typed value; literals take `literal` if nothing else gives a type."""
    return _Spans(types).of(tree, literal)


def _every(kind: DType) -> Span:
    return ANYTHING if kind.is_float else Span(float(kind.low), float(kind.high), True)


class _Spans(Meaning[Span]):
    """The algebra of intervals. A head without a row may be anything of its type."""

    def other(self, x: Any, own: DType) -> Span:
        return _every(own)

    def _cast(self, x: Any, to: DType, given: Span) -> Span:
        if to == bool_:
            return _every(to)
        if to.is_float:
            with np.errstate(all="ignore"):
                low, high = (float(converted(np.array(v), to)) for v in (given.low, given.high))
            return Span(low, high, given.number) if low <= high else ANYTHING  # an end has become NaN
        source = type_of(x.args[1], self.types)
        if source is not None and not source.is_float and not (to.low <= given.low and given.high <= to.high):
            return _every(to)  # it wraps
        low, high = (min(max(v, float(to.low)), float(to.high)) for v in (given.low, given.high))
        return Span(low, high, True) if given.number else Span(min(low, 0.0), max(high, 0.0), True)

    def _function(self, x: Any, own: DType, a: Span) -> Span:
        row = FUNCTION_ROWS[type(x)]
        if not own.is_float:
            return _every(own)
        if row.rounds:
            low, high = row.f64(np.array([a.low, a.high])).tolist()
            return Span(low, high, a.number)
        return ANYTHING if row.bounds is None else Span(*row.bounds, a.number and row.total)

    def _select(self, x: Any, own: DType) -> Span:
        a, b = (self.of(v, own) for v in x.args[1:])
        return Span(min(a.low, b.low), max(a.high, b.high), a.number and b.number)

    leaves: ClassVar[Rows] = {
        sp.Number: lambda self, x, own: _number(float(constant(x, own))),
        Inf: lambda self, x, own: _number(math.inf),
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


_SHORT, _LONG = 200, 20_000  # characters of a value that is written more than once, and of one that is never
_Ends = tuple[int, int, tuple[int, ...]]
_LITERAL, _DOUBLE = dtype("i64"), dtype("f64")
_NEGATIVE_ZERO = {n: f"({dtype(n).c})-0.0" for n in ("f16", "f32", "f64")} | {
    d.name: f"({d.c}){hex(negative_zero(d))}" for d in DTYPES.values() if d.is_word
}


def prelude(code: str) -> tuple[str, ...]:
    """The helper functions called by this C."""
    more = "|".join(functions_f64.NAMES)
    own = (
        (r"(exp|log|tanh|sigmoid|erf|nearest|tf32)f|nearest", activations),
        (f"exp|log|tanh|sigmoid|erf|({more})f?", activations_f64),
        (f"({more})f?", functions_f64),
    )  # fmt: skip
    called = (of.c_functions() for names, of in own if re.search(rf"\bisamap_({names})\(", code))
    return (*conversion_helpers(code), *called)


def c_value(tree: Any, names: Dict[str, tuple[str, DType]], literal: DType) -> tuple[str, DType]:
    """(C text, element type) of a tree with explicit casts. names: tensor -> (identifier, type).

    A literal takes the type of its neighbour, `literal` if it stands alone. Raises ScheduleError for operations without
    an exact form in portable C (a division of integers).
    """
    meaning = _C(names)
    return meaning.of(tree, literal), type_of(tree, meaning.types) or literal


def c_update(op: str, value: Any, names: Dict[str, tuple[str, DType]], target: str, kind: DType) -> str:
    """The C statement `target <op> value`."""
    text, given = c_value(value, names, kind)
    if given != kind:
        text = c_converted(kind, text, given)
    if op == "=":
        return f"{target} = {text};"
    if op in ("max", "min"):
        return f"{target} = {_choose('>' if op == 'max' else '<', target, text, kind)};"
    return f"{target} = {_arithmetic('+' if op == '+' else '*', target, text, kind)};"


class _C(Meaning[str]):
    """C text of values."""

    def __init__(self, names: Dict[str, tuple[str, DType]]) -> None:
        super().__init__({n: kind for n, (_, kind) in names.items()})
        self.names = names

    def other(self, x: Any, own: DType) -> str:
        raise ScheduleError(f"portable C has no exact {type(x).__name__}; only vector descriptions could offer it")

    def _saturate(self, x: Any, to: DType) -> str:
        """The exact value, clamped: nothing below a saturation wraps, so it is computed as wide as it needs."""
        most = max(map(abs, _Reach(self.names).of(x.args[1])[2]))
        if most >= 1 << 127:
            raise ScheduleError(
                "the value below this saturation does not fit 128 bits, so portable C cannot say it exactly"
            )
        wide = "int64_t" if max(most, abs(to.low), to.high) < 1 << 63 else "__int128"
        text = _short(_Exactly(self, wide).of(x.args[1]))
        low, high = (f"({wide}){_integer(v)}" for v in (to.low, to.high))
        return as_part(to, f"(({to.c})({text} < {low} ? {low} : {text} > {high} ? {high} : {text}))")

    def _cast(self, x: Any, to: DType, text: str) -> str:
        source, inner = self.given(x), x.args[1]
        if to.is_float or to == bool_ or not source.is_float:
            return c_converted(to, text, source)
        found = span(inner, self.types, source)
        return c_converted(to, text, source, fits=found.within(to), number=found.number)

    def _round(self, x: Any, to: DType, text: str) -> str:
        """In f32, vectorised widest, if it holds the value and both ends of `to`; else in f64."""
        source = self.given(x)
        small = to.bits < 32 and widens(source, dtype("f32"))
        call, single = ("isamap_nearestf", "f") if small else ("isamap_nearest", "")
        value = c_converted(dtype("f32" if small else "f64"), text, source)
        step = "(int32_t)" if to.bits < 32 else ""
        return as_part(to, f"(({to.c}){step}{call}({value}, {float(to.low)!r}{single}, {float(to.high)!r}{single}))")

    def _function(self, x: Any, own: DType, text: str) -> str:
        """The function of a value: in f64 for f64, else computed in f32 and rounded to the value's type."""
        if not own.is_float:
            opposite = _arithmetic("-", f"({own.c})0", _short(text), own)
            return text if own.kind == "u" else f"({text} < 0 ? {opposite} : {text})"
        row, f32 = FUNCTION_ROWS[type(x)], dtype("f32")
        if own == _DOUBLE:
            return row.wide.format(x=text)
        return c_converted(own, row.c.format(x=c_converted(f32, text, own)), f32)

    def _binary(self, x: Any, own: DType, a: str, b: str) -> str:
        """The function of two values, likewise."""
        row, f32 = FUNCTION_ROWS[type(x)], dtype("f32")
        if own == _DOUBLE:
            return row.wide.format(x=a, y=b)
        x_, y_ = (c_converted(f32, v, own) for v in (a, b))
        return c_converted(own, row.c.format(x=x_, y=y_), f32)

    def _shift(self, x: Any, own: DType, a: str, b: str) -> str:
        return f"({own.c}){_shifted(a, b, x.args[1], own.bits, own.kind == 'u')}"

    def _shift_up(self, x: Any, own: DType, a: str, b: str) -> str:
        """Of the type's bits; a count out of their range leaves no bit."""
        wide, by = ("uint64_t" if own.bits == 64 else "uint32_t"), x.args[1]
        if by.is_Integer:
            return f"(({own.c})(({wide}){a} << {int(by)}))"
        inside = f"{b} < {own.bits}" if own.kind == "u" else f"{b} >= 0 && {b} < {own.bits}"
        return f"({inside} ? ({own.c})(({wide}){a} << {b}) : ({own.c})0)"

    def _divided(self, x: Any, own: DType, a: str, b: str) -> str:
        if own.is_float and own != _DOUBLE:
            f32 = dtype("f32")
            return c_converted(
                own, f"isamap_left_over_f32({c_converted(f32, a, own)}, {c_converted(f32, b, own)})", f32
            )
        return f"isamap_{'quotient' if isinstance(x, SFloorDiv) else 'left_over'}_{own}({a}, {b})"

    def _select(self, x: Any, own: DType, a: str, b: str, yes: str, no: str) -> str:
        kind = comparison_kind(x.args[0], self.types, own)
        return f"({wide(a, kind)} {x.args[0].args[0]} {wide(b, kind)} ? {yes} : {no})"

    leaves: ClassVar[Rows] = {
        Read: lambda self, x, own: self.names[x.tensor][0],
        type(sp.nan): lambda self, x, own: self.other(x, own),
        sp.Number: lambda self, x, own: _literal(x, own),
        Constant: lambda self, x, own: _special(special(x, own), own),
        IndexValue: lambda self, x, own: c_converted(own, *self.names[x.args[0].name]),
        Saturate: _saturate,
    }
    rows: ClassVar[Rows] = {
        Cast: _cast,
        Round: _round,
        Select: _select,
        Unary: _function,
        Binary: _binary,
        SShr: _shift,
        SShl: _shift_up,
        **dict.fromkeys((SFloorDiv, SMod), _divided),
        **dict.fromkeys((SAnd, SOr, SXor), lambda self, x, own, a, b: f"(({own.c})({a} {HEADS[type(x)].text} {b}))"),
        SInvert: lambda self, x, own, a: f"(({own.c})~{a})",
        SNeg: lambda self, x, own, a: _arithmetic("-", _NEGATIVE_ZERO.get(own.name, f"({own.c})0"), a, own),
        SMax: lambda self, x, own, a, b: _choose(">", a, b, own),
        SMin: lambda self, x, own, a, b: _choose("<", a, b, own),
        Relu: lambda self, x, own, a: _choose(">", a, _literal(sp.S.Zero, own), own),
        **dict.fromkeys(
            (SAdd, SSub, SMul, SDiv), lambda self, x, own, a, b: _arithmetic(HEADS[type(x)].text, a, b, own)
        ),
    }


class _Exactly(Fold[str]):
    """C text of integers in the type `wide`, sufficient for all of their parts."""

    def __init__(self, typed: _C, wide: str) -> None:
        self.typed, self.wide = typed, wide

    def _typed(self, x: Any) -> str:
        kind = type_of(x, self.typed.types)
        assert kind is not None
        return f"({self.wide}){wide(self.typed.of(x, _LITERAL), kind)}"

    def _shift(self, x: Any, a: str, b: str) -> str:
        return _shifted(_short(a), _short(b), x.args[1], 64 if self.wide == "int64_t" else 128, False)

    leaves: ClassVar[Rows] = {
        sp.Integer: lambda self, x: f"({self.wide}){_integer(int(x))}",
        **dict.fromkeys((Read, Cast, Saturate, Round), _typed),
    }
    rows: ClassVar[Rows] = {
        SNeg: lambda self, x, a: f"(-{a})",
        Relu: lambda self, x, a: f"({_short(a)} > 0 ? {a} : 0)",
        Abs: lambda self, x, a: f"({_short(a)} < 0 ? -{a} : {a})",
        SShr: _shift,
        SMax: lambda self, x, a, b: f"({_short(a)} > {_short(b)} ? {a} : {b})",
        SMin: lambda self, x, a, b: f"({_short(a)} < {_short(b)} ? {a} : {b})",
        **dict.fromkeys((SAdd, SSub, SMul), lambda self, x, a, b: f"({_short(a)} {HEADS[type(x)].text} {_short(b)})"),
    }


class _Reach(Fold[_Ends]):
    """(least, greatest value) of an exact tree, and the bounds of all its parts. Raises ScheduleError for other trees."""

    def __init__(self, names: Dict[str, tuple[str, DType]]) -> None:
        self.names = names

    def _typed(self, x: Any) -> _Ends:
        kind = self.names[x.tensor][1] if isinstance(x, Read) else target(x)
        if kind.is_float:
            raise ScheduleError("saturation is between integer types")
        return kind.low, kind.high, (kind.low, kind.high)

    def _operation(self, x: Any, *parts: _Ends) -> _Ends:
        head = type(x).__name__
        if head not in EXACTLY:
            raise ScheduleError(f"portable C has no exact {head} below a saturation")
        low, high = spanned(head, *(p[:2] for p in parts))
        return low, high, (low, high, *(v for p in parts for v in p[2]))

    leaves: ClassVar[Rows] = {
        sp.Integer: lambda self, x: (int(x), int(x), (int(x),)),
        **dict.fromkeys((Read, Cast, Saturate, Round), _typed),
    }
    rows: ClassVar[Rows] = {Scalar: _operation}


def _special(number: Any, kind: DType) -> str:
    """An infinity or no number, of floating point."""
    if kind.is_word or np.isinf(number):
        return _number_c(number, kind)
    return f'(({kind.c})__builtin_nanf(""))'


def _literal(value: Any, kind: DType) -> str:
    return _number_c(constant(sp.sympify(value), kind), kind)


def _number_c(exact: Any, kind: DType) -> str:
    if kind.is_word:
        return f"({kind.c}){hex(int(exact.view(f'u{kind.bytes}')))}"
    if kind.is_part:
        return f"({kind.c}){int(exact) & ((1 << kind.bits) - 1)}"
    if not kind.is_float:
        return f"({kind.c}){_integer(int(exact))}"
    return (
        f"({kind.c}){float(exact)!r}" if np.isfinite(exact) else f"({'-' * bool(exact < 0)}({kind.c})__builtin_inff())"
    )


def _integer(value: int) -> str:
    """A 64-bit C literal of this number."""
    if value == -(1 << 63):
        return "(-INT64_C(9223372036854775807) - 1)"
    return f"UINT64_C({value})" if value >= 1 << 63 else f"INT64_C({value})"


def _arithmetic(symbol: str, x: str, y: str, kind: DType) -> str:
    if kind.is_word:
        return f"isamap_narrow_{kind}(isamap_widen_{kind}({x}) {symbol} isamap_widen_{kind}({y}))"
    if kind.name == "f16":
        return f"(_Float16)((float){x} {symbol} (float){y})"
    if kind.is_float:
        return f"({x} {symbol} {y})"
    if symbol == "/":
        raise ScheduleError("division of integers is not offered; cast to a floating-point type")
    wide = "uint64_t" if kind.bits == 64 else "uint32_t"  # wraps, and never overflows a signed type
    return f"({kind.c})(({wide}){x} {symbol} ({wide}){y})"


def _shifted(x: str, y: str, by: Any, bits: int, unsigned: bool) -> str:
    """x >> y, of `bits` bits; the sign if y is out of their range. Compilers shift the sign in."""
    if by.is_Integer:
        return f"({x} >> {int(by)})"
    inside = f"{y} < {bits}" if unsigned else f"{y} >= 0 && {y} < {bits}"
    return f"({inside} ? {_short(x)} >> {y} : {'0' if unsigned else f'-({x} < 0)'})"


def _choose(symbol: str, x: str, y: str, kind: DType) -> str:
    """The larger or smaller; NaN if either is NaN. Long operands are given to a function: written here, each stands there twice."""
    if len(x) + len(y) > _SHORT:
        which = next(w for w, sign in CHOICES.items() if sign == symbol)
        return f"isamap_{which}_{kind}({x}, {y})"
    a, b = wide(x, kind), wide(y, kind)
    nan = f" || {a} != {a}" if kind.is_float else ""
    return f"(({a} {symbol} {b}{nan}) ? {x} : {y})"


def _short(*texts: str) -> str:
    """The first text. Raises ScheduleError if they are long: a choice repeats them, so nested choices grow fast."""
    if any(len(t) > _LONG for t in texts):
        raise ScheduleError("this value nests max, min, relu or saturation too deeply for portable C; split the kernel")
    return texts[0]
