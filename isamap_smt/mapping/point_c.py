"""Scalar expressions as portable C, exact in their element types: integers wrap, bf16 rounds to nearest even."""

from __future__ import annotations

import re
from collections.abc import Mapping as Dict
from typing import Any

import numpy as np
import sympy as sp

from isamap_encodings.scalar_values import ARITHMETIC, spanned
from isamap_smt.ir import activations, activations_f64
from isamap_smt.ir.convert import constant
from isamap_smt.ir.dtypes import DType, dtype, widens
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.heads import FUNCTION_ROWS
from isamap_smt.ir.scalar import (
    Abs,
    Cast,
    Compare,
    IndexValue,
    Read,
    Relu,
    Round,
    SAdd,
    Saturate,
    SDiv,
    Select,
    SMax,
    SMin,
    SMul,
    SNeg,
    SShr,
    SSub,
    Unary,
)
from isamap_smt.ir.typed import comparison_kind, literal_kind, type_of
from isamap_smt.mapping.convert_c import CHOICES, conversion_helpers, wide
from isamap_smt.mapping.convert_c import converted as c_converted
from isamap_smt.mapping.spans import span

_SHORT, _LONG = 200, 20_000  # characters of a value that is written more than once, and of one that is never
_ARITHMETIC = {SAdd: "+", SSub: "-", SMul: "*", SDiv: "/"}
_LITERAL, _DOUBLE = dtype("i64"), dtype("f64")
_NEGATIVE_ZERO = {"bf16": "(uint16_t)0x8000", **{n: f"({dtype(n).c})-0.0" for n in ("f16", "f32", "f64")}}
_COMBINE: dict[str, type[Any]] = {"+": SAdd, "*": SMul, "max": SMax, "min": SMin}


def prelude(code: str) -> tuple[str, ...]:
    """The helper functions that this C calls."""
    own = ((r"(exp|log|tanh|sigmoid|erf|nearest)f|nearest", activations), ("exp|log|tanh|sigmoid|erf", activations_f64))
    called = (of.c_functions() for names, of in own if re.search(rf"\bisamap_({names})\(", code))
    return (*conversion_helpers(code), *called)


def c_value(tree: Any, names: Dict[str, tuple[str, DType]], literal: DType) -> tuple[str, DType]:
    """(C text, element type) of a tree whose casts are explicit. names: tensor -> (identifier, type).

    A literal takes the type of its neighbour, `literal` when it stands alone. Raises ScheduleError for what portable C
    does not do exactly (a division of integers).
    """
    match tree:
        case Read():
            return names[tree.tensor]
        case IndexValue():
            return c_converted(literal, *names[tree.args[0].name]), literal
        case Cast():
            return _cast(dtype(str(tree.args[0])), tree.args[1], names)
        case Saturate():
            return _saturate(dtype(str(tree.args[0])), tree.args[1], names)
        case Round():
            return _round(dtype(str(tree.args[0])), *c_value(tree.args[1], names, _DOUBLE))
        case Unary():
            return _unary(type(tree), *c_value(tree.args[0], names, literal))
        case SNeg():
            text, kind = c_value(tree.args[0], names, literal)
            return _arithmetic("-", _NEGATIVE_ZERO.get(kind.name, f"({kind.c})0"), text, kind), kind
        case Relu():
            return _choose(">", *_pair(tree.args[0], sp.S.Zero, names, literal))
        case SMax() | SMin():
            return _choose(">" if isinstance(tree, SMax) else "<", *_pair(tree.args[0], tree.args[1], names, literal))
        case SShr():
            x, y, kind = _pair(tree.args[0], tree.args[1], names, literal)
            return f"({kind.c}){_shifted(x, y, tree.args[1], kind.bits, kind.kind == 'u')}", kind
        case Select():
            condition = tree.args[0]
            if not isinstance(condition, Compare):
                raise ScheduleError(f"select needs a comparison, not {condition}")
            sides = comparison_kind(condition, {n: kind for n, (_, kind) in names.items()}, literal)
            a, b, kind = _pair(condition.args[1], condition.args[2], names, sides)
            x, y, result = _pair(tree.args[1], tree.args[2], names, literal)
            return f"({wide(a, kind)} {condition.args[0]} {wide(b, kind)} ? {x} : {y})", result
    for head, symbol in _ARITHMETIC.items():
        if isinstance(tree, head):
            x, y, kind = _pair(tree.args[0], tree.args[1], names, literal)
            return _arithmetic(symbol, x, y, kind), kind
    if isinstance(tree, sp.Number) and tree is not sp.nan:
        return _literal(tree, literal), literal
    raise ScheduleError(f"portable C has no exact {type(tree).__name__}; only vector descriptions could offer it")


def c_update(op: str, value: Any, names: Dict[str, tuple[str, DType]], target: str, kind: DType) -> str:
    """The C statement `target <op> value`."""
    text, given = c_value(value, names, kind)
    if given != kind:
        text = c_converted(kind, text, given)
    if op == "=":
        return f"{target} = {text};"
    if op in ("max", "min"):
        return f"{target} = {_choose('>' if op == 'max' else '<', target, text, kind)[0]};"
    return f"{target} = {_arithmetic('+' if op == '+' else '*', target, text, kind)};"


def _pair(a: Any, b: Any, names: Dict[str, tuple[str, DType]], literal: DType) -> tuple[str, str, DType]:
    """Both operands in one type; a literal takes the other's."""
    kind = _type(a, names) or _type(b, names) or literal
    (x, one), (y, other) = (c_value(v, names, kind) for v in (a, b))
    if one != other:
        raise ScheduleError(f"{one} and {other} meet in one operation; write a cast, for example {kind}(...)")
    return x, y, kind


def _type(tree: Any, names: Dict[str, tuple[str, DType]]) -> DType | None:
    """The element type of a tree; None for literals."""
    return type_of(tree, {n: kind for n, (_, kind) in names.items()})


def _literal(value: Any, kind: DType) -> str:
    exact = constant(sp.sympify(value), kind)
    if kind.name == "bf16":
        return f"(uint16_t){hex(int(exact.view('u2')))}"
    if not kind.is_float:
        return f"({kind.c}){_integer(int(exact))}"
    return (
        f"({kind.c}){float(exact)!r}" if np.isfinite(exact) else f"({'-' * bool(exact < 0)}({kind.c})__builtin_inff())"
    )


def _integer(value: int) -> str:
    """A 64-bit literal that C reads as this number."""
    if value == -(1 << 63):
        return "(-INT64_C(9223372036854775807) - 1)"
    return f"UINT64_C({value})" if value >= 1 << 63 else f"INT64_C({value})"


def _arithmetic(symbol: str, x: str, y: str, kind: DType) -> str:
    if kind.name == "bf16":
        return f"isamap_narrow_bf16(isamap_widen_bf16({x}) {symbol} isamap_widen_bf16({y}))"
    if kind.name == "f16":
        return f"(_Float16)((float){x} {symbol} (float){y})"
    if kind.is_float:
        return f"({x} {symbol} {y})"
    if symbol == "/":
        raise ScheduleError("division of integers is not offered; cast to a floating-point type")
    wide = "uint64_t" if kind.bits == 64 else "uint32_t"  # wraps, and never overflows a signed type
    return f"({kind.c})(({wide}){x} {symbol} ({wide}){y})"


def _shifted(x: str, y: str, by: Any, bits: int, unsigned: bool) -> str:
    """x >> y, of `bits` bits; where y is none of their numbers, the sign. Compilers shift the sign in."""
    if by.is_Integer:
        return f"({x} >> {int(by)})"
    inside = f"{y} < {bits}" if unsigned else f"{y} >= 0 && {y} < {bits}"
    return f"({inside} ? {_short(x)} >> {y} : {'0' if unsigned else f'-({x} < 0)'})"


def _choose(symbol: str, x: str, y: str, kind: DType) -> tuple[str, DType]:
    """The larger or smaller; NaN if either is NaN. Long operands are given to a function: written here, each stands there twice."""
    if len(x) + len(y) > _SHORT:
        which = next(w for w, sign in CHOICES.items() if sign == symbol)
        return f"isamap_{which}_{kind}({x}, {y})", kind
    a, b = wide(x, kind), wide(y, kind)
    nan = f" || {a} != {a}" if kind.is_float else ""
    return f"(({a} {symbol} {b}{nan}) ? {x} : {y})", kind


def _short(*texts: str) -> str:
    """The first text. Raises ScheduleError where they are long: a choice repeats them, so nested choices grow fast."""
    if any(len(t) > _LONG for t in texts):
        raise ScheduleError("this value nests max, min, relu or saturation too deeply for portable C; split the kernel")
    return texts[0]


def _cast(to: DType, tree: Any, names: Dict[str, tuple[str, DType]]) -> tuple[str, DType]:
    types = {n: kind for n, (_, kind) in names.items()}
    literal = literal_kind(tree, to)
    text, kind = c_value(tree, names, literal)
    if to.is_float or not kind.is_float:
        return c_converted(to, text, kind), to
    found = span(tree, types, literal)
    return c_converted(to, text, kind, fits=found.within(to), number=found.number), to


def _round(to: DType, text: str, kind: DType) -> tuple[str, DType]:
    """In f32 where that holds the value and both ends of `to`, which is vectorised widest; else in f64."""
    small = to.bits < 32 and widens(kind, dtype("f32"))
    call, single = ("isamap_nearestf", "f") if small else ("isamap_nearest", "")
    value = c_converted(dtype("f32" if small else "f64"), text, kind)
    step = "(int32_t)" if to.bits < 32 else ""
    return f"(({to.c}){step}{call}({value}, {float(to.low)!r}{single}, {float(to.high)!r}{single}))", to


def _unary(head: type[Unary], text: str, kind: DType) -> tuple[str, DType]:
    """The function of a value, computed in f32 and rounded to the value's type where that is not f64."""
    if not kind.is_float:
        opposite = _arithmetic("-", f"({kind.c})0", _short(text), kind)
        return (text if kind.kind == "u" else f"({text} < 0 ? {opposite} : {text})"), kind
    row, f32 = FUNCTION_ROWS[head], dtype("f32")
    if kind == _DOUBLE:
        return row.wide.format(x=text), kind
    return c_converted(kind, row.c.format(x=c_converted(f32, text, kind)), f32), kind


def _saturate(to: DType, tree: Any, names: Dict[str, tuple[str, DType]]) -> tuple[str, DType]:
    """The tree's exact value, clamped: nothing below a saturation wraps, so it is computed as wide as it needs."""
    most = max(map(abs, _reach(tree, names)[2]))
    if most >= 1 << 127:
        raise ScheduleError(
            "the value below this saturation does not fit 128 bits, so portable C cannot say it exactly"
        )
    wide = "int64_t" if max(most, abs(to.low), to.high) < 1 << 63 else "__int128"
    text = _short(_exact(tree, names, wide))
    low, high = (f"({wide}){_integer(v)}" for v in (to.low, to.high))
    return f"(({to.c})({text} < {low} ? {low} : {text} > {high} ? {high} : {text}))", to


def _exact(tree: Any, names: Dict[str, tuple[str, DType]], wide: str) -> str:
    """C text of the integer tree in the type `wide`, which holds every part of it."""
    match tree:
        case sp.Integer():
            return f"({wide}){_integer(int(tree))}"
        case Read() | Cast() | Saturate() | Round():
            return f"({wide}){c_value(tree, names, _LITERAL)[0]}"
        case SNeg():
            return f"(-{_exact(tree.args[0], names, wide)})"
        case Relu():
            x = _short(_exact(tree.args[0], names, wide))
            return f"({x} > 0 ? {x} : 0)"
        case Abs():
            x = _short(_exact(tree.args[0], names, wide))
            return f"({x} < 0 ? -{x} : {x})"
    x, y = (_short(_exact(a, names, wide)) for a in tree.args)
    if isinstance(tree, SShr):
        return _shifted(x, y, tree.args[1], 64 if wide == "int64_t" else 128, False)
    if isinstance(tree, SMax | SMin):
        return f"({x} {'>' if isinstance(tree, SMax) else '<'} {y} ? {x} : {y})"
    return f"({x} {_ARITHMETIC[type(tree)]} {y})"


def _reach(tree: Any, names: Dict[str, tuple[str, DType]]) -> tuple[int, int, tuple[int, ...]]:
    """(least, greatest value) of an exact tree, and the bounds of all its parts. Raises ScheduleError for other trees."""
    match tree:
        case sp.Integer():
            return int(tree), int(tree), (int(tree),)
        case Read() | Cast() | Saturate() | Round():
            kind = names[tree.tensor][1] if isinstance(tree, Read) else dtype(str(tree.args[0]))
            if kind.is_float:
                raise ScheduleError("saturation is between integer types")
            return kind.low, kind.high, (kind.low, kind.high)
    parts = [_reach(a, names) for a in tree.args]
    head = type(tree).__name__
    if head not in ARITHMETIC:
        raise ScheduleError(f"portable C has no exact {head} below a saturation")
    low, high = spanned(head, *(p[:2] for p in parts))
    return low, high, (low, high, *(v for p in parts for v in p[2]))
