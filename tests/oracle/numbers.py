"""Numbers of the element types in Python's own integers: wrapping, and rounding to nearest with ties to even.

Written from docs/language.md alone: nothing of isamap_smt is imported, and no NumPy. A floating-point value is a Python
float that its format holds; every operation is carried out exactly as a fraction and rounded once by integer arithmetic.
"""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

Number = int | float


@dataclass(frozen=True)
class Kind:
    """An element type. digits: of a significand, 0 for integers; exponent: bits of it."""

    name: str
    bits: int
    signed: bool = True
    digits: int = 0
    exponent: int = 0

    @property
    def floating(self) -> bool:
        return self.digits > 0

    @property
    def low(self) -> int:
        return -(1 << self.bits - 1) if self.signed else 0

    @property
    def high(self) -> int:
        return (1 << self.bits - self.signed) - 1

    @property
    def epsilon(self) -> float:
        """From 1 to the next number; 0 for integers."""
        return 2.0 ** (1 - self.digits) if self.digits else 0.0


KINDS = {
    k.name: k
    for k in (
        Kind("f64", 64, digits=53, exponent=11), Kind("f32", 32, digits=24, exponent=8),
        Kind("bf16", 16, digits=8, exponent=8), Kind("f16", 16, digits=11, exponent=5),
        *(Kind(f"i{b}", b) for b in (64, 32, 16, 8)), *(Kind(f"u{b}", b, signed=False) for b in (64, 32, 16, 8)),
        Kind("bool", 1, signed=False),
    )
}  # fmt: skip


def wrapped(kind: Kind, x: int) -> int:
    """x modulo 2**bits, in the range of the type.

    >>> wrapped(KINDS["i8"], 200), wrapped(KINDS["u8"], -1)
    (-56, 255)
    """
    return (x - kind.low) % (1 << kind.bits) + kind.low


def rounded(kind: Kind, x: Fraction | int) -> float:
    """The number of the format nearest to x, of two the even one; infinity from half a step beyond the largest.

    >>> rounded(KINDS["bf16"], 257), rounded(KINDS["bf16"], 259), rounded(KINDS["f16"], 65520)
    (256.0, 260.0, inf)
    """
    n, d, sign = abs(x.numerator), x.denominator, -1.0 if x < 0 else 1.0
    if n == 0:
        return 0.0
    bias = (1 << kind.exponent - 1) - 1
    top = n.bit_length() - d.bit_length()
    if (n << max(0, -top)) < (d << max(0, top)):
        top -= 1  # now 2**top <= n/d < 2**(top + 1)
    unit = max(top, 1 - bias) - (kind.digits - 1)
    count, rest = divmod(n << max(0, -unit), d << max(0, unit))
    twice = 2 * rest - (d << max(0, unit))
    count += twice > 0 or (twice == 0 and count & 1)
    if count.bit_length() + unit - 1 > bias:
        return sign * math.inf
    return sign * math.ldexp(count, unit)


_OPERATIONS: dict[str, Callable[[Number, Number], Number]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul,
}  # fmt: skip


def whole(kind: Kind, sign: str, a: int, b: int) -> int:
    """Of integers: quotients rounded down, what they leave over, bits and shifts.

    >>> i8 = KINDS["i8"]
    >>> [whole(i8, s, -128, -1) for s in ("//", "%")], [whole(i8, s, 7, 0) for s in ("//", "%")], whole(i8, "<<", 3, 8)
    ([-128, 0], [0, 7], 0)
    """
    match sign:
        case "//":
            found = a // b if b else 0
        case "%":
            found = a % b if b else a
        case "<<":
            found = a * 2**b if 0 <= b < kind.bits else 0
        case _:
            found = {"&": operator.and_, "|": operator.or_, "^": operator.xor}[sign](a, b)
    return wrapped(kind, found)


def arithmetic(kind: Kind, sign: str, a: Number, b: Number) -> tuple[Number, bool]:
    """(a sign b in the type, whether that is the exact result or needed no rounding)."""
    if sign not in ("+", "-", "*", "/"):
        return whole(kind, sign, int(a), int(b)), True
    if not kind.floating:
        return wrapped(kind, _OPERATIONS[sign](a, b)), True
    if sign == "/":
        return _quotient(kind, a, b)
    plain = _OPERATIONS[sign](a, b)
    if not (math.isfinite(a) and math.isfinite(b)) or a == 0 or b == 0:
        return plain, True  # infinities, NaN and zeros are the same in every format
    if float(a).is_integer() and float(b).is_integer() and abs(plain) < 1 << kind.digits <= 1 << 53:
        return plain, True
    exact = _OPERATIONS[sign](Fraction(a), Fraction(b))
    found = rounded(kind, exact)
    return found, math.isfinite(found) and Fraction(found) == exact


def _quotient(kind: Kind, a: Number, b: Number) -> tuple[Number, bool]:
    if math.isnan(a) or math.isnan(b) or (math.isinf(a) and math.isinf(b)) or (a == 0 and b == 0):
        return math.nan, True
    sign = math.copysign(1.0, a) * math.copysign(1.0, b)
    if math.isinf(a) or b == 0:
        return sign * math.inf, True
    if math.isinf(b) or a == 0:
        return sign * 0.0, True
    exact = Fraction(a) / Fraction(b)
    found = rounded(kind, exact)
    return found, math.isfinite(found) and Fraction(found) == exact


def negative(kind: Kind, a: Number) -> Number:
    return -a if kind.floating else wrapped(kind, -a)  # type: ignore[arg-type]


def larger(kind: Kind, a: Number, b: Number) -> Number:
    """NaN if either is."""
    return math.nan if math.isnan(a) or math.isnan(b) else max(a, b)


def smaller(kind: Kind, a: Number, b: Number) -> Number:
    """NaN if either is."""
    return math.nan if math.isnan(a) or math.isnan(b) else min(a, b)


def converted(to: Kind, x: Number) -> Number:
    """x in another type: integers wrap; a float is rounded once, or cut off towards zero and clamped, and NaN is 0. Of bool it is 1
    where x is not 0, NaN included."""
    if to.name == "bool":
        return int(x != 0)
    if isinstance(x, int):
        return rounded(to, x) if to.floating else wrapped(to, x)
    if to.floating:
        return rounded(to, Fraction(x)) if math.isfinite(x) and x != 0 else x
    if math.isnan(x):
        return 0
    if math.isinf(x):
        return to.high if x > 0 else to.low
    return min(max(math.trunc(x), to.low), to.high)


def nearest(to: Kind, x: float) -> int:
    """round_i8 and the like: ties to even, clamped; NaN gives 0."""
    if math.isnan(x):
        return 0
    if math.isinf(x):
        return to.high if x > 0 else to.low
    return min(max(round(Fraction(x)), to.low), to.high)


_PACKED = {"f64": "<d", "f32": "<f", "f16": "<e"}


def encoded(kind: Kind, values: list[Number]) -> bytes:
    """The values as they lie in memory, little end first."""
    if not kind.floating:
        return b"".join(int(v).to_bytes(-(-kind.bits // 8), "little", signed=kind.signed) for v in values)
    if kind.name == "bf16":
        return b"".join(struct.pack("<f", v)[2:] for v in values)
    return b"".join(struct.pack(_PACKED[kind.name], v) for v in values)


def decoded(kind: Kind, data: bytes) -> list[Number]:
    """encoded() the other way round."""
    width = -(-kind.bits // 8)
    pieces = [data[n : n + width] for n in range(0, len(data), width)]
    if not kind.floating:
        return [int.from_bytes(p, "little", signed=kind.signed) for p in pieces]
    if kind.name == "bf16":
        return [struct.unpack("<f", b"\0\0" + p)[0] for p in pieces]
    return [struct.unpack(_PACKED[kind.name], p)[0] for p in pieces]
