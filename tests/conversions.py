"""Conversions between element types in plain Python integers and fractions: an oracle that shares no code with isamap_smt.

An element is its bits. `decoded` says what they mean, `encoded` which bits a number has; NaN is the word "nan", since which NaN an
operation gives is left open.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from fractions import Fraction

BITS = {
    "f64": 64, "f32": 32, "bf16": 16, "f16": 16, "i64": 64, "i32": 32, "i16": 16, "i8": 8, "u64": 64, "u32": 32,
    "u16": 16, "u8": 8, "bool": 8, "f8e4m3": 8, "f8e5m2": 8, "f8e4m3fnuz": 8, "f8e5m2fnuz": 8,
    "e8m0": 8, "f4e2m1": 4, "i4": 4, "u4": 4, "i2": 2, "u2": 2,
}  # fmt: skip
EXPONENT = {
    "f64": 11,
    "f32": 8,
    "bf16": 8,
    "f16": 5,
    "f8e4m3": 4,
    "f8e5m2": 5,
    "f8e4m3fnuz": 4,
    "f8e5m2fnuz": 5,
    "f4e2m1": 2,
    "e8m0": 8,
}  # bits; fmt: skip
# types without infinities: the bits of their largest number
LACKING = {"f8e4m3": 0x7E, "f8e4m3fnuz": 0x7F, "f8e5m2fnuz": 0x7F, "f4e2m1": 0x7, "e8m0": 0xFE}
ONE_ZERO = ("f8e4m3fnuz", "f8e5m2fnuz")  # whose -0 is their only NaN, and whose exponents are one larger
NAMES = tuple(BITS)
NUMBERS = tuple(
    n for n in NAMES if n not in ("bool", "e8m0") and not n.startswith("f8") and BITS[n] >= 8
)  # what is computed with here
WORDS = {n: f"u{max(b, 8) // 8}" for n, b in BITS.items()}  # what NumPy holds the bits of an element in
INFINITE = ("inf", "-inf")
Value = Fraction | str  # a number, "-0.0", "inf", "-inf" or "nan"


def floating(name: str) -> bool:
    return name in EXPONENT


def limits(name: str) -> tuple[int, int]:
    """Least and greatest value of an integer type."""
    if name == "bool":
        return 0, 1
    n = BITS[name]
    return (-(1 << (n - 1)), (1 << (n - 1)) - 1) if name[0] == "i" else (0, (1 << n) - 1)


def decoded(bits: int, name: str) -> Value:
    """What the bits mean."""
    n = BITS[name]
    if not floating(name):
        return Fraction(bits - (1 << n) if name[0] == "i" and bits >> (n - 1) else bits)
    if name == "e8m0":
        return Fraction(2) ** (bits - 127) if bits < 255 else "nan"
    digits = n - 1 - EXPONENT[name]
    top = (1 << EXPONENT[name]) - 1
    sign, exponent, fraction = bits >> (n - 1), (bits >> digits) & top, bits & ((1 << digits) - 1)
    if name in LACKING:
        if bits == 0x80 if name in ONE_ZERO else bits & ((1 << (n - 1)) - 1) > LACKING[name]:
            return "nan"
    elif exponent == top:
        return "nan" if fraction else INFINITE[sign]
    if exponent == 0 and fraction == 0:
        return "-0.0" if sign else Fraction(0)
    whole = fraction if exponent == 0 else fraction + (1 << digits)
    size = whole * Fraction(2) ** (max(exponent, 1) - bias(name) - digits)
    return -size if sign else size


def bias(name: str) -> int:
    """What is subtracted from an exponent as it is written."""
    return (1 << (EXPONENT[name] - 1)) - 1 + (name in ONE_ZERO)


def encoded(value: Value, name: str) -> int | str:
    """The bits of the conversion of a value; "nan" for any NaN. Of bool it is 1 for all but zeros."""
    if name == "bool":
        return int(value not in (0, "-0.0"))
    return _to_float(value, name) if floating(name) else _to_integer(value, name)


def _to_float(value: Value, name: str) -> int | str:
    """The nearest, ties to even: the one among the neighbouring multiples of the unit in the last place."""
    n, top = BITS[name], (1 << EXPONENT[name]) - 1
    digits = n - 1 - EXPONENT[name]
    if name == "e8m0":
        return _to_scale(value)
    if value == "nan":
        return 8 if n < 8 else "nan"  # f4e2m1 has none, and no infinities
    negative = value in ("-0.0", "-inf") or (isinstance(value, Fraction) and value < 0)
    sign = int(negative) << (n - 1)
    if value in INFINITE:
        return sign | LACKING[name] if n < 8 else "nan" if name in LACKING else sign | top << digits
    size = Fraction(0) if isinstance(value, str) else abs(value)
    if size == 0:
        return 0 if name in ONE_ZERO else sign
    a, b = size.numerator, size.denominator
    power = a.bit_length() - b.bit_length()
    power -= a << max(0, -power) < b << max(0, power)  # 2^power <= size < 2^(power + 1)
    unit = max(power, 1 - bias(name)) - digits
    a, b = a << max(0, -unit), b << max(0, unit)  # size / 2^unit
    near, rest = divmod(a, b)
    twice = 2 * rest - b
    near += twice > 0 or (twice == 0 and near % 2 == 1)
    # a whole number of units is the bits themselves, carries into the exponent included
    found = near if unit == 1 - bias(name) - digits else near + ((unit + digits + bias(name) - 1) << digits)
    if n < 8:
        return sign | min(found, LACKING[name])
    if name in LACKING:
        return "nan" if found > LACKING[name] else 0 if name in ONE_ZERO and found == 0 else sign | found
    return sign | min(found, top << digits)


HALFWAY = [Fraction(3, 2) * Fraction(2) ** n for n in range(-127, 128)]  # between a power of two and the next


def _to_scale(value: Value) -> int | str:
    """Of the powers of two in question the one that is no further off than the other; the larger one of a tie."""
    if isinstance(value, str) or value <= 0:
        return "nan"
    found = bisect_right(HALFWAY, value)
    return found if found < 255 else "nan"


def _to_integer(value: Value, name: str) -> int:
    low, high = limits(name)
    if isinstance(value, str):
        found = {"nan": 0, "-0.0": 0, "inf": high, "-inf": low}[value]
    else:
        cut = abs(value.numerator) // value.denominator * (-1 if value < 0 else 1)
        found = min(max(cut, low), high)
    return found % (1 << BITS[name])


def converted(bits: int, source: str, to: str) -> int | str:
    """The bits in the type `to` of an element of type `source`; "nan" for any NaN."""
    if not floating(source) and not floating(to) and to != "bool":
        whole = decoded(bits, source)
        assert isinstance(whole, Fraction)
        return int(whole) % (1 << BITS[to])
    return encoded(decoded(bits, source), to)


def clamped(bits: int, source: str, to: str) -> int:
    """The bits of sat_T(x) for an integer, and of round_T(x) for a floating-point number."""
    value = decoded(bits, source)
    if isinstance(value, Fraction):
        value = Fraction(round(value))  # Python rounds halves to even
    found = encoded(value, to)
    assert isinstance(found, int)
    return found


def is_nan(bits: int, name: str) -> bool:
    return floating(name) and decoded(bits, name) == "nan"


def edges(name: str, to: str) -> list[int]:
    """Elements about the ends of both types, about zero, and about every point at which a rounding could turn."""
    n = BITS[name]
    if not floating(name):
        low, high = limits(name)
        near = [0, 1, 2, 3, low, low + 1, high, high - 1, -1, -2]
        for power in range(BITS[name]):
            near += [s * (1 << power) + d for s in (1, -1) for d in (-2, -1, 0, 1, 2)]
            near += [(1 << power) + (1 << max(power - 8, 0)) + d for d in (-1, 0, 1)]  # halves of bf16, odd and even
            near += [(1 << power) + 3 * (1 << max(power - 8, 0)) + d for d in (-1, 0, 1)]
            near += [(1 << power) + (1 << max(power - 24, 0)) + d for d in (-1, 0, 1)]
            near += [(1 << power) + (1 << max(power - 53, 0)) + d for d in (-1, 0, 1)]
        near += [65504, 65519, 65520, 65521]
        return sorted({v % (1 << n) for v in near if low <= v <= high})
    if n <= 8:
        return list(range(1 << n))
    digits = n - 1 - EXPONENT[name]
    infinite = ((1 << EXPONENT[name]) - 1) << digits
    found = {0, 1, 2, (1 << digits) - 1, 1 << digits, infinite - 1, infinite, infinite + 1, infinite | 1 << (digits - 1),
             (1 << (n - 1)) - 1}  # fmt: skip
    numbers = [Fraction(1, 2), Fraction(3, 2), Fraction(5, 2), Fraction(1), Fraction(255, 256), Fraction(3007, 10)]
    if floating(to):
        digits_to = max(BITS[to] - 1 - EXPONENT[to], 0)
        least = 2 - (1 << (EXPONENT[to] - 1)) - digits_to  # exponent of the smallest subnormal
        for power in (least - 1, least, least + 1, least + digits_to, -1, 0, 1, 15, 16, (1 << (EXPONENT[to] - 1)) - 1):
            one = Fraction(2) ** power
            tail = Fraction(2) ** (power - 40)
            for half in (0, Fraction(1, 2 << digits_to), Fraction(3, 2 << digits_to), 2 - Fraction(1, 2 << digits_to)):
                numbers += [
                    one * (1 + half),
                    one * (1 + half) + tail,
                    one * (1 + half) - tail,
                    one * half,
                    one * half + tail,
                ]
    else:
        low, high = limits(to)
        for end in (low, high, high + 1, 1 << 24, 1 << 53, 1 << 31, 1 << 63):
            numbers += [end + d for d in (Fraction(0), Fraction(1, 2), Fraction(-1, 2), Fraction(1), Fraction(-1))]
    for number in numbers:
        for v in (number, -number):
            bits = encoded(Fraction(v), name)
            found |= {(bits + d) % (1 << n) for d in (-1, 0, 1)} if isinstance(bits, int) else set()
    return sorted(found | {b ^ 1 << (n - 1) for b in found})


def some(name: str, to: str, count: int, seed: int = 0) -> list[int]:
    """The edges, and random bits: uniform ones, and numbers near enough to zero for `to` to hold them."""
    rng = random.Random(f"{name} {to} {seed}")
    n = BITS[name] if name != "bool" else 1
    found = edges(name, to) + [rng.getrandbits(n) for _ in range(count)]
    for _ in range(count):
        if floating(name):
            size = Fraction(rng.getrandbits(53)) * Fraction(2) ** rng.randint(-80, 20)
            bits = encoded(size * rng.choice([1, -1]), name)
            found += [bits] if isinstance(bits, int) else []
        else:
            found.append(rng.getrandbits(rng.randint(1, n)))
    return found
