"""Arm's bfdot step in exact fractions, from its definition: what tests compare with, and shares nothing with isamap's own."""

from __future__ import annotations

from fractions import Fraction

NAN, SIGN = 0x7FC00000, 1 << 31


def rounded(exact: Fraction, negative: bool) -> int:
    """The bits of an f32: to odd, an infinity from 2^128 on, a zero below 2^-126. negative: the sign of a zero."""
    sign = SIGN if exact < 0 or (exact == 0 and negative) else 0
    size = abs(exact)
    if size < Fraction(1, 2**126):
        return sign
    if size >= 2**128:
        return sign | 0x7F800000
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= Fraction(2) ** exponent > size
    digits = size / Fraction(2) ** (exponent - 23)
    whole = digits.numerator // digits.denominator
    return sign | (exponent + 127) << 23 | ((whole | (digits != whole)) & 0x7FFFFF)


def value(bits: int) -> Fraction:
    """The number that is neither infinite nor NaN; a denormal is 0."""
    exponent, digits = bits >> 23 & 0xFF, bits & 0x7FFFFF
    size = Fraction(digits | 1 << 23) * Fraction(2) ** (exponent - 150) if exponent else Fraction(0)
    return -size if bits & SIGN else size


def is_nan(bits: int) -> bool:
    return bits & 0x7FFFFFFF > 0x7F800000


def is_infinite(bits: int) -> bool:
    return bits & 0x7FFFFFFF == 0x7F800000


def times(a: int, b: int) -> int:
    sign = (a ^ b) & SIGN
    if is_nan(a) or is_nan(b):
        return NAN
    if is_infinite(a) or is_infinite(b):
        finite = [x for x in (a, b) if not is_infinite(x)]
        return NAN if finite and value(finite[0]) == 0 else sign | 0x7F800000
    return rounded(value(a) * value(b), bool(sign))


def plus(a: int, b: int) -> int:
    if is_nan(a) or is_nan(b) or (is_infinite(a) and is_infinite(b) and a != b):
        return NAN
    if is_infinite(a) or is_infinite(b):
        return a if is_infinite(a) else b
    return rounded(value(a) + value(b), bool(a & b & SIGN))


def dot(acc: int, a: list[int], b: list[int]) -> int:
    """acc plus the products of bf16, two by two; a and b are bits of bf16, an even number of them."""
    products = [times(x << 16, y << 16) for x, y in zip(a, b, strict=True)]
    for first, second in zip(products[::2], products[1::2], strict=True):
        acc = plus(acc, plus(first, second))
    return acc
