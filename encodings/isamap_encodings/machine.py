"""Scalar trees as the machine computes them: wrapping integers as bit-vectors, floating point as IEEE numbers.

Conversions follow isamap_smt.ir.convert: between integers modulo 2^bits; to an integer towards zero, clamped, NaN as
0; to floating point rounded once to nearest even; to bool 0 for zero, else 1. Z3 has one NaN and tells +0 from -0.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

import sympy as sp
import z3

from isamap_encodings.scalar_values import ARITHMETIC, BOOL, COMPARE, TYPED, Kind, kind_of, limits
from isamap_encodings.terms import NotExpressible

SORTS = {("f", 16): (5, 11), ("bf", 16): (8, 8), ("f8e5m2", 8): (5, 3), ("f", 32): (8, 24), ("f", 64): (11, 53)}
Operations = Mapping[str, Callable[..., Any]]  # name of a head -> what it is of terms


def ordered(less: Callable[[Any, Any], Any]) -> dict[str, Callable[..., Any]]:
    """Operations defined by an order: the larger and the smaller of two, and the larger of one and 0."""
    return {
        "SMax": lambda a, b: z3.If(less(a, b), b, a),
        "SMin": lambda a, b: z3.If(less(b, a), b, a),
        "Relu": lambda a: z3.If(less(a, zero := a.sort().cast(0)), zero, a),
    }


def _down(a: Any, b: Any) -> Any:
    """a // b of numbers with a sign: bvsdiv rounds towards zero."""
    left = z3.SRem(a, b)
    quotient = a / b
    return z3.If(b == 0, 0, z3.If(z3.And(left != 0, (left < 0) != (b < 0)), quotient - 1, quotient))


# Sum, difference, product and negation are the same of bit-vectors that wrap, integers and reals.
RING: Operations = {head: ARITHMETIC[head] for head in ("SAdd", "SSub", "SMul", "SNeg")}
WHOLE: Operations = {**RING, **ordered(operator.lt), "Abs": lambda a: z3.If(a < 0, -a, a)}
_BITWISE: Operations = {h: ARITHMETIC[h] for h in ("SAnd", "SOr", "SXor", "SInvert")} | {"SShl": operator.lshift}
SIGNED: Operations = {
    **WHOLE, **_BITWISE, "SShr": operator.rshift, "SFloorDiv": _down,
    "SMod": operator.mod,  # bvsmod: of the divisor's sign, and its first operand where that is 0
}  # fmt: skip
UNSIGNED: Operations = {
    **RING, **_BITWISE, **ordered(z3.ULT), "Abs": lambda a: a, "SShr": z3.LShR,
    "SFloorDiv": lambda a, b: z3.If(b == 0, 0, z3.UDiv(a, b)), "SMod": z3.URem,
}  # fmt: skip
# What IEEE 754 defines, of the type of its operands. Maxima and minima leave open which of two zeros they are.
IEEE: Operations = {
    "SAdd": lambda a, b: z3.fpAdd(z3.RNE(), a, b),
    "SSub": lambda a, b: z3.fpSub(z3.RNE(), a, b),
    "SMul": lambda a, b: z3.fpMul(z3.RNE(), a, b),
    "SDiv": lambda a, b: z3.fpDiv(z3.RNE(), a, b),
    "SNeg": z3.fpNeg,
    "Abs": z3.fpAbs,
    "Sqrt": lambda x: z3.fpSqrt(z3.RNE(), x),
    "Floor": lambda x: z3.fpRoundToIntegral(z3.RTN(), x),
    "Ceil": lambda x: z3.fpRoundToIntegral(z3.RTP(), x),
    "Trunc": lambda x: z3.fpRoundToIntegral(z3.RTZ(), x),
    "Rint": lambda x: z3.fpRoundToIntegral(z3.RNE(), x),
    "Tf32": lambda x: reduce(lambda y, to: z3.fpFPToFP(z3.RNE(), y, to), (z3.Float32(), z3.FPSort(8, 11), x.sort()), x),
}


def operation(table: Operations, head: str, args: Sequence[Any]) -> Any:
    """The operation on these terms. Raises NotExpressible for a head missing in the table."""
    if head not in table:
        raise NotExpressible(head)
    return table[head](*args)


def literal_kind(e: Any, to: Kind) -> Kind:
    """The type of literals that are converted to the type `to`.

    It is `to` for floating point and for a plain integer, which is exact and wrapped once. Else f64 if one of them
    is floating point, u64 if one is beyond i64, else i64.
    """
    if e.is_Integer or to in SORTS:
        return to
    parts = list(sp.preorder_traversal(e))
    if any(p.is_Float or getattr(p, "floating", False) for p in parts):
        return ("f", 64)
    return ("u", 64) if any(p.is_Integer and int(p) >= 1 << 63 for p in parts) else ("i", 64)


def converted(x: Any, source: Kind, to: Kind) -> Any:
    """The value x of one element type in another. Raises NotExpressible for a floating-point type without a sort in Z3."""
    for kind in (source, to):
        if kind not in SORTS and kind[0] not in ("i", "u"):
            raise NotExpressible(kind[0])
    nearest = z3.RNE()
    if to in SORTS:
        if source == to:
            return x
        sort = z3.FPSort(*SORTS[to])
        if source in SORTS:
            return z3.fpFPToFP(nearest, x, sort)
        return z3.fpSignedToFP(nearest, x, sort) if source[0] == "i" else z3.fpUnsignedToFP(nearest, x, sort)
    if to == BOOL:
        zero = z3.fpIsZero(x) if source in SORTS else x == 0
        return z3.If(zero, z3.BitVecVal(0, 1), z3.BitVecVal(1, 1))
    return _whole(x, source, to, z3.RTZ()) if source in SORTS else _resize(x, source, to[1])


def _whole(x: Any, source: Kind, to: Kind, mode: Any) -> Any:
    """A floating-point number as an integer: rounded as `mode` says, clamped; NaN is 0."""
    (low, high), bits = limits(to), to[1]
    cut = (z3.fpToSBV if to[0] == "i" else z3.fpToUBV)(mode, x, z3.BitVecSort(bits))
    most = high + 1 if source != ("f", 64) or bits == 64 else high  # high itself may be no number of the type
    ends = [z3.BitVecVal(v, bits) for v in (low, high)]
    clamped = z3.If(z3.fpLEQ(x, _number(low, source)), ends[0], z3.If(z3.fpGEQ(x, _number(most, source)), ends[1], cut))
    return z3.If(z3.fpIsNaN(x), z3.BitVecVal(0, bits), clamped)


def _number(value: int, kind: Kind) -> Any:
    """The number, exact in the type; an infinity if it is beyond the type's range."""
    sort = z3.FPSort(*SORTS[kind])
    if abs(value).bit_length() > 1 << (SORTS[kind][0] - 1):
        return z3.fpMinusInfinity(sort) if value < 0 else z3.fpPlusInfinity(sort)
    return z3.FPVal(float(value), sort)


class Bits:
    """Integer trees as bit-vectors. floats: the floating-point trees in them."""

    def __init__(self, types: Mapping[str, Kind]) -> None:
        self.types = types
        self.leaves: dict[str, Any] = {}
        self.floats = Floats(self)

    def leaf(self, name: str) -> Any:
        if name not in self.leaves:
            kind, bits = self.types[name]
            if kind not in "iu":
                raise NotExpressible(f"{name} is floating point")
            self.leaves[name] = z3.BitVec(name, bits)
        return self.leaves[name]

    def signed(self, model: Mapping[str, Any]) -> dict[str, int]:
        """A model's values as the elements' own, 0 for elements the model leaves open."""
        values = {}
        for name, kind in sorted(self.types.items()):
            v = int(model.get(name, 0))
            values[name] = v - (1 << kind[1]) if kind[0] == "i" and v >> (kind[1] - 1) else v
        return values

    def between(self, name: str, low: int, high: int) -> Any:
        v = self.leaf(name)
        if self.types[name][0] == "i":
            return z3.And(v >= low, v <= high)
        return z3.And(z3.UGE(v, low), z3.ULE(v, high))

    def kind(self, e: Any) -> Kind | None:
        """The element type of a tree; None for a literal."""
        if e.is_Symbol:
            return self.types[e.name]
        head = type(e).__name__
        if head == "IndexValue":
            return None
        if head in ("Cast", "Saturate", "Round"):
            return kind_of(e.args[0])
        args = e.args[1:] if head == "Select" else e.args
        return next((k for k in map(self.kind, args) if k is not None), None)

    def any(self, e: Any, want: Kind) -> Any:
        """The value of a tree of type `want`, integer or not."""
        return self.value(e, want) if want[0] in ("i", "u") else self.floats.value(e, want)

    def value(self, e: Any, want: Kind) -> Any:
        """The wrapped value, as wide as `want`."""
        kind, bits = want
        if kind not in ("i", "u"):
            raise NotExpressible(f"{kind}{bits} is floating point")
        if e.is_Integer:
            return z3.BitVecVal(int(e), bits)
        if e.is_Symbol:
            if self.types[e.name][1] != bits:
                raise NotExpressible(f"{e.name} has {self.types[e.name][1]} bits where {bits} are wanted")
            return self.leaf(e.name)
        head = type(e).__name__
        if head == "IndexValue":
            raise NotExpressible("an axis or a size as a value")
        if head == "Cast":
            source = self.kind(e.args[1]) or literal_kind(e.args[1], want)
            return converted(self.any(e.args[1], source), source, want)
        if head == "Round":
            double, source = ("f", 64), self.kind(e.args[1]) or ("f", 64)
            return _whole(converted(self.any(e.args[1], source), source, double), double, want, z3.RNE())
        if head == "Saturate":
            return self._saturated(e.args[1], want)
        if head == "Select":
            return z3.If(self.condition(e.args[0]), self.value(e.args[1], want), self.value(e.args[2], want))
        return operation(SIGNED if kind == "i" else UNSIGNED, head, [self.value(a, want) for a in e.args])

    def condition(self, e: Any) -> Any:
        """Whether a comparison holds."""
        op, x, y = e.args
        kind = self.kind(x) or self.kind(y) or ("i", 64)
        if kind[0] not in ("i", "u"):
            return self.floats.condition(e, kind)
        compare = COMPARE if kind[0] == "i" else {**COMPARE, "<": z3.ULT, "<=": z3.ULE, ">": z3.UGT, ">=": z3.UGE}
        return compare[str(op)](self.value(x, kind), self.value(y, kind))

    def _saturated(self, e: Any, want: Kind) -> Any:
        low, high = limits(want)
        x = self.wide(e)
        if x.size() <= want[1]:
            x = z3.SignExt(want[1] + 1 - x.size(), x)
        clamped = z3.If(x < low, z3.BitVecVal(low, x.size()), z3.If(x > high, z3.BitVecVal(high, x.size()), x))
        return z3.Extract(want[1] - 1, 0, clamped)

    def wide(self, e: Any) -> Any:
        """The exact value, signed, in as many bits as it can need."""
        if e.is_Integer:
            return z3.BitVecVal(int(e), max(int(e).bit_length() + 1, 2))
        head = type(e).__name__
        if e.is_Symbol or head in ("Cast", "Saturate", "Round"):
            kind = self.kind(e)
            assert kind is not None
            return _resize(self.value(e, kind), kind, kind[1] + 1)
        args = [self.wide(a) for a in e.args]
        width = max(a.size() for a in args)
        if head in ("SAdd", "SSub", "SNeg", "Abs"):
            width += 1
        elif head == "SMul":
            width = sum(a.size() for a in args)
        if head not in SIGNED or head in TYPED:
            raise NotExpressible(f"{head} below a saturation")
        return SIGNED[head](*(z3.SignExt(width - a.size(), a) for a in args))


def _resize(v: Any, source: Kind, bits: int) -> Any:
    if bits <= source[1]:
        return z3.Extract(bits - 1, 0, v)
    extend = z3.SignExt if source[0] == "i" else z3.ZeroExt
    return extend(bits - source[1], v)


class Floats:
    """Floating-point trees in Z3's theory of them; integer parts are those of `bits`."""

    def __init__(self, bits: Bits) -> None:
        self.bits = bits

    def value(self, e: Any, want: Kind) -> Any:
        """The value, in the tree's type or, for a literal, in `want`."""
        kind = self.bits.kind(e) or want
        if kind not in SORTS:
            raise NotExpressible(f"{kind[0]}{kind[1]}")
        sort = z3.FPSort(*SORTS[kind])
        if e.is_Symbol:
            return z3.FP(e.name, sort)
        if e.is_Integer or e.is_Float:
            return _literal(e, sort)
        head = type(e).__name__
        if head == "IndexValue":
            raise NotExpressible("an axis or a size as a value")
        if head in ("Inf", "Nan"):
            return z3.fpPlusInfinity(sort) if head == "Inf" else z3.fpNaN(sort)
        if head == "Cast":
            source = self.bits.kind(e.args[1]) or kind
            return converted(self.bits.any(e.args[1], source), source, kind)
        if head == "Select":
            return z3.If(self.bits.condition(e.args[0]), self.value(e.args[1], kind), self.value(e.args[2], kind))
        return operation(IEEE, head, [self.value(a, kind) for a in e.args])

    def condition(self, e: Any, kind: Kind) -> Any:
        """Whether a comparison of values of this type holds."""
        op, x, y = e.args
        a, b = self.value(x, kind), self.value(y, kind)
        compare = {"<": z3.fpLT, "<=": z3.fpLEQ, ">": z3.fpGT, ">=": z3.fpGEQ, "==": z3.fpEQ, "!=": z3.fpNEQ}
        return compare[str(op)](a, b)


def _literal(e: Any, sort: Any) -> Any:
    """The nearest value to a number of any size."""
    return z3.simplify(z3.fpRealToFP(z3.RNE(), z3.Q(*map(int, sp.Rational(e).as_numer_denom())), sort))
