"""Bits: do two terms agree for all contents of their cells? Integers as bit-vectors, numbers by Z3's theory of floating point."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import z3

from isamap_encodings.bit_terms import Term, walk
from isamap_encodings.solve import answered
from isamap_encodings.verdict import Proved, Refuted, Unknown, Verdict

RLIMIT = 1_000_000  # solver steps for one pair of cells; some seconds where products of numbers are bit-blasted
_SORTS = {16: (5, 11), 32: (8, 24), 64: (11, 53)}
_INTEGER: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "and": operator.and_, "or": operator.or_,
    "xor": operator.xor, "shl": operator.lshift, "lshr": z3.LShR, "ashr": operator.rshift, "udiv": z3.UDiv,
}  # fmt: skip
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {"eq": operator.eq, "ult": z3.ULT, "slt": operator.lt}
_ROUNDED: dict[str, Callable[..., Any]] = {
    "fadd": z3.fpAdd,
    "fsub": z3.fpSub,
    "fmul": z3.fpMul,
    "fdiv": z3.fpDiv,
    "fma": z3.fpFMA,
}
_ORDER: dict[str, Callable[[Any, Any], Any]] = {"feq": z3.fpEQ, "flt": z3.fpLT, "fle": z3.fpLEQ}


def equal(a: Term, b: Term, number: bool, either_zero: bool = False, rlimit: int = RLIMIT) -> Verdict:
    """Whether a and b are the same bits for all cells; as numbers, any NaN is equal to any other.

    either_zero: nor are the signs of zeros compared.

    The witness of Refuted gives the bits of each cell as a number without sign. Z3 may choose the NaN of an
    operation, so a witness is to be tried before it is believed.
    """
    values = _translated([a, b])
    look = _number if number else _bits
    same = look(values[a]) == look(values[b])
    if number and either_zero:
        same = z3.Or(same, z3.fpEQ(look(values[a]), look(values[b])))
    answer, solver = answered([z3.Not(same)], rlimit)
    if answer == z3.unsat:
        return Proved()
    if answer != z3.sat:
        return Unknown(f"Z3 gave up after {rlimit} steps")
    model, found = solver.model(), {}
    for t in walk([a, b]):
        if t.op == "cell":
            value = model.eval(values[t], model_completion=True)
            found[t.args[0]] = value.as_long()
    return Refuted(found)


def _number(x: Any) -> Any:
    return x if z3.is_fp(x) else z3.fpBVToFP(x, z3.FPSort(*_SORTS[x.size()]))


def _bits(x: Any) -> Any:
    return z3.fpToIEEEBV(x) if z3.is_fp(x) else x


def _bit(x: Any) -> Any:
    return z3.If(x, z3.BitVecVal(1, 1), z3.BitVecVal(0, 1))


def _translated(roots: list[Term]) -> dict[Term, Any]:
    found: dict[Term, Any] = {}
    for t in walk(roots):
        found[t] = _one(t, [found[x] if isinstance(x, Term) else x for x in t.args])
    return found


def _one(t: Term, x: list[Any]) -> Any:
    nearest = z3.RNE()
    match t.op:
        case "const":
            return z3.BitVecVal(x[0], t.width)
        case "cell":
            return z3.BitVec(x[0], t.width)
        case "ite" if z3.is_fp(x[1]) or z3.is_fp(x[2]):
            return z3.If(x[0] == 1, _number(x[1]), _number(x[2]))
        case "fneg":
            return z3.fpNeg(_number(x[0]))
        case "ff":
            return z3.fpFPToFP(nearest, _number(x[0]), z3.FPSort(*_SORTS[t.width]))
        case "fs" | "fu":
            return _whole(t.op == "fs", _number(x[0]), t.width)
    if t.op in _ORDER:
        return _bit(_ORDER[t.op](*map(_number, x)))
    if t.op in _ROUNDED:
        return _ROUNDED[t.op](nearest, *map(_number, x))
    return _of_bits(t, [_bits(v) if z3.is_expr(v) else v for v in x])


def _of_bits(t: Term, x: list[Any]) -> Any:
    match t.op:
        case "concat":
            return z3.Concat(*reversed(x))
        case "extract":
            return z3.Extract(x[1] + t.width - 1, x[1], x[0])
        case "zext" | "sext":
            return (z3.ZeroExt if t.op == "zext" else z3.SignExt)(t.width - x[0].size(), x[0])
        case "ite":
            return z3.If(x[0] == 1, x[1], x[2])
        case "sf" | "uf":
            make = z3.fpSignedToFP if t.op == "sf" else z3.fpUnsignedToFP
            return make(z3.RNE(), x[0], z3.FPSort(*_SORTS[t.width]))
    if t.op in _INTEGER:
        return _INTEGER[t.op](*x)
    return _bit(_COMPARE[t.op](*x))


def _whole(is_signed: bool, x: Any, width: int) -> Any:
    """Towards zero, clamped; NaN is 0. The bounds are powers of two, or beyond the largest number of the type."""
    low, high = (-(1 << (width - 1)), 1 << (width - 1)) if is_signed else (0, 1 << width)
    cut = (z3.fpToSBV if is_signed else z3.fpToUBV)(z3.RTZ(), x, z3.BitVecSort(width))
    least, most = z3.BitVecVal(low, width), z3.BitVecVal(high - 1, width)
    sort = x.sort()
    below = z3.fpLEQ(x, z3.fpRealToFP(z3.RNE(), z3.RealVal(low), sort))
    above = z3.fpGEQ(x, z3.fpRealToFP(z3.RNE(), z3.RealVal(high), sort))
    return z3.If(z3.fpIsNaN(x), z3.BitVecVal(0, width), z3.If(below, least, z3.If(above, most, cut)))
