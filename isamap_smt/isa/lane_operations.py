"""Operations on one lane that the tables of meanings share."""

from __future__ import annotations

from collections.abc import Callable

from isamap_encodings import bit_terms as bits
from isamap_encodings.bit_terms import Term

Lane = Callable[..., Term]


def number(op: str) -> Lane:
    """fadd, fsub, fmul, fdiv or fma."""
    return lambda *x: bits.rounded(op, *x)


def integer(op: str) -> Lane:
    """add, sub, mul, and, or, xor, shl, lshr, ashr, wrapping."""
    return lambda a, b: bits.binary(op, a, b)


def fmadd(a_sign: int = 1, c_sign: int = 1) -> Lane:
    """±a * b ± c, rounded once."""
    return lambda a, b, c: bits.rounded("fma", _sign(a, a_sign), b, _sign(c, c_sign))


def _sign(x: Term, sign: int) -> Term:
    return x if sign > 0 else bits.opposite(x)


def unfused(sign: int) -> Lane:
    """c ± a * b, rounded twice."""
    return lambda c, a, b: bits.rounded("fadd" if sign > 0 else "fsub", c, bits.rounded("fmul", a, b))


def larger(a: Term, b: Term, is_signed: bool) -> Term:
    """The larger integer."""
    return bits.ite(less(a, b, is_signed), b, a)


def smaller(a: Term, b: Term, is_signed: bool) -> Term:
    """The smaller integer."""
    return bits.ite(less(a, b, is_signed), a, b)


def less(a: Term, b: Term, is_signed: bool) -> Term:
    """a < b of integers, as one bit."""
    return bits.compare("slt" if is_signed else "ult", a, b)


def all_ones(bit: Term, width: int) -> Term:
    """All bits of a lane set where the bit is, else none."""
    return bits.ite(bit, bits.const(-1, width), bits.const(0, width))


def saturated(op: str, a: Term, b: Term, is_signed: bool) -> Term:
    """The exact sum or difference, clamped to the lane."""
    n = a.width
    x, y = (bits.resized(v, n + 8, is_signed) for v in (a, b))
    return clamped(bits.binary(op, x, y), n, is_signed)


def clamped(x: Term, width: int, is_signed: bool) -> Term:
    """A wider number in two's complement, clamped to a lane."""
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if is_signed else (0, (1 << width) - 1)
    least, most = bits.const(low, x.width), bits.const(high, x.width)
    inside = bits.ite(bits.compare("slt", x, least), least, bits.ite(bits.compare("slt", most, x), most, x))
    return bits.extract(inside, 0, width)


def wide_product(a: Term, b: Term, signs: tuple[bool, bool], width: int) -> Term:
    """The exact product in that many bits."""
    return bits.binary("mul", bits.resized(a, width, signs[0]), bits.resized(b, width, signs[1]))


def x86_max(a: Term, b: Term) -> Term:
    """a where it is larger, else b: b where one is NaN, and of two zeros."""
    return bits.ite(bits.compare("flt", b, a), a, b)


def x86_min(a: Term, b: Term) -> Term:
    """a where it is smaller, else b."""
    return bits.ite(bits.compare("flt", a, b), a, b)


def arm_max(a: Term, b: Term) -> Term:
    """NaN where one is; +0 is larger than -0."""
    return _arm(a, b, bits.ite(bits.compare("flt", a, b), b, a), "and")


def arm_min(a: Term, b: Term) -> Term:
    """NaN where one is; -0 is smaller than +0."""
    return _arm(a, b, bits.ite(bits.compare("flt", a, b), a, b), "or")


def _arm(a: Term, b: Term, chosen: Term, zeros: str) -> Term:
    equal = bits.ite(bits.compare("feq", a, b), bits.bitwise(zeros, a, b), chosen)
    return bits.ite(bits.is_nan(a), a, bits.ite(bits.is_nan(b), b, equal))


_PREDICATES = (
    "eq",
    "lt",
    "le",
    "unord",
    "neq",
    "nlt",
    "nle",
    "ord",
    "equ",
    "nge",
    "ngt",
    "false",
    "neqo",
    "ge",
    "gt",
    "true",
)


def x86_compare(predicate: int, a: Term, b: Term) -> Term:
    """One of the 32 predicates; which of them signal changes no result."""
    nan = bits.bitwise("or", bits.is_nan(a), bits.is_nan(b))
    eq, lt, le = (bits.compare(op, a, b) for op in ("feq", "flt", "fle"))
    gt, ge = bits.compare("flt", b, a), bits.compare("fle", b, a)
    holds = {
        "eq": eq, "lt": lt, "le": le, "unord": nan, "neq": bits.negated(eq), "nlt": bits.negated(lt), "nle": bits.negated(le),
        "ord": bits.negated(nan), "equ": bits.bitwise("or", eq, nan), "nge": bits.negated(ge), "ngt": bits.negated(gt),
        "false": bits.FALSE, "neqo": bits.bitwise("or", lt, gt), "ge": ge, "gt": gt, "true": bits.TRUE,
    }  # fmt: skip
    return holds[_PREDICATES[predicate % 16]]


def half_by_half(width: int, operation: Callable[..., list[Term]]) -> Callable[..., Term]:
    """An operation on the lanes of each 128 bits apart: lists of lanes in, one list out."""

    def compute(_: object, *x: Term) -> Term:
        found: list[Term] = []
        for at in range(0, x[0].width, 128):
            found += operation(*(bits.lanes(bits.extract(v, at, 128), width) for v in x))
        return bits.concat(found)

    return compute
