"""sin, cos, tan, their inverses, hyperbolic functions and pow as fixed sequences of f64 operations, in NumPy as in C.

Every step is one IEEE operation rounded to nearest or one of integers, nothing is fused, and choices are made by masks.
For f32 they are computed in f64 and rounded once. The largest errors found stand in isamap_smt.ir.heads. Coefficients
interpolate at Chebyshev's points, in 60 digits.

    sin, cos, tan    |x| 2 / pi modulo 4 in 192 bits, for every x (of f32 in 96): quadrant q and r + c in [-pi/4, pi/4]; polynomials
    atan(x)          base + atan(t): t is |x|, (|x| - 1) / (|x| + 1) or -1 / |x|, so |t| <= tan(pi / 8)
    asin(x), acos(x) a polynomial up to 1/2, beyond it of sqrt((1 - |x|) / 2), with the root's rounding error carried along
    sinh, cosh       h -+ 1 / 4h, h = e^|x| / 2; sinh up to 1 a polynomial
    asinh, acosh, atanh  log(1 + u), u = |x| + x^2 / (1 + sqrt(1 + x^2)), x - 1 + sqrt(x^2 - 1), 2 |x| / (1 - |x|)
    pow(x, y)        e^(y log x), log x and the product in two f64 each
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isamap_smt.ir.activations import Array, horner
from isamap_smt.ir.activations_f64 import (
    EXP,
    HIGHEST,
    LN2_HIGH,
    LN2_LOW,
    LOG,
    LOG2_E,
    LOWEST,
    MANTISSA,
    ROOT_HALF,
    TWO_FACTORS,
    F,
    U,
    _power,
    c_horner,
)

PI_4, PI_4_LOW = F(0.7853981633974483), F(3.061616997868383e-17)
PI_2, PI_2_LOW = F(1.5707963267948966), F(6.123233995736766e-17)
PI_2_LONG, PI_2_SHORT = F(1.570796325802803), F(9.920935739593517e-10)  # pi / 2 in 26 bits, and the rest of its f64
PI = F(3.141592653589793)
SPLIT = F(134217729.0)  # 2^27 + 1: a product with it splits an f64
SIN = tuple(  # of r^3 to r^15
    map(
        F,
        (-0.16666666666666666, 0.008333333333333331, -0.00019841269841265065, 2.7557319219339167e-06,
         -2.5052106232447578e-08, 1.6058531618986147e-10, -7.586697117706918e-13),
    )
)  # fmt: skip
COS = tuple(  # of r^4 to r^16
    map(
        F,
        (0.041666666666666664, -0.0013888888888888887, 2.4801587301584645e-05, -2.7557319221402824e-07,
         2.087675579108042e-09, -1.1470460887609959e-11, 4.7458719020432915e-14),
    )
)  # fmt: skip
ATAN = tuple(  # of t^3 to t^27
    map(
        F,
        (-0.3333333333333333, 0.19999999999999993, -0.14285714285711515, 0.11111111110754406, -0.0909090906699066,
         0.07692306735321475, -0.06666642004996545, 0.05881925033877732, -0.052580394289794816, 0.04719381457895137,
         -0.04104381417807643, 0.03063443323901452, -0.013916943217800841),
    )
)  # fmt: skip
ASIN = tuple(  # of x^3 to x^29
    map(
        F,
        (0.16666666666666666, 0.07500000000000118, 0.044642857142551895, 0.03038194447553234, 0.02237215744350722,
         0.017352816540325496, 0.01396378001220357, 0.011566459612121669, 0.009621842970100282, 0.009319560794767446,
         0.0030448799094556773, 0.019554513336123378, -0.01924167174674304, 0.02961201126495512),
    )
)  # fmt: skip
SINH = tuple(  # of x^3 to x^17
    map(
        F,
        (0.16666666666666666, 0.008333333333333333, 0.00019841269841269773, 2.755731922404034e-06, 2.505210836405804e-08,
         1.6059048396350562e-10, 7.646625361656657e-13, 2.8445264169895285e-15),
    )
)  # fmt: skip
FAR = tuple(  # of s^4 to s^18 of log((1 + s) / (1 - s)) / 2s
    map(
        F,
        (0.2, 0.14285714285714682, 0.11111111110827943, 0.09090909167696401, 0.07692297481259215, 0.06667402346923655,
         0.05853118169745603, 0.05861589311938259),
    )
)  # fmt: skip
THIRD, THIRD_LOW = F(0.3333333333333333), F(1.850371707708594e-17)
TAN_PI_8, TAN_3_PI_8 = F(0.41421356237309503), F(2.414213562373095)
BEYOND = F(711.0)  # beyond it sinh and cosh are infinite
WIDE = F(2.0**28)  # beyond it asinh and acosh are log 2|x|
FARTHEST = F(2.0**70)  # a larger exponent has the same effect on every f64 but 1
WHOLE = F(2.0**53)  # from it on every f64 is an even number
WORDS = (  # 64 zeros, and 2 / pi in words of 32 bits
    0, 0, 0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB, 0xDEBBC561, 0xB7246E3A, 0x424DD2E0,
    0x06492EEA, 0x09D1921C, 0xFE1DEB1C, 0xB129A73E, 0xE88235F5, 0x2EBB4484, 0xE99C7026, 0xB45F7E41, 0x3991D639, 0x835339F4,
    0x9C845F8B, 0xBDF9283B, 0x1FF897FF, 0xDE05980F, 0xEF2F118B, 0x5A0A6D1F, 0x6D367ECF, 0x27CB09B7, 0x4F463F66, 0x9E5FEA2D,
    0x7527BAC7, 0xEBE5F17B, 0x3D0739F7, 0x8A5292EA, 0x6BFB5FB1, 0x1F8D5D08, 0x56033046, 0xFC7B6BAB,
)  # fmt: skip
_TWO_OVER_PI = np.array(WORDS, U)
LOW_WORD = U(0xFFFFFFFF)


def _sum(a: Array, b: Array) -> tuple[Array, Array]:
    """a + b, and its rounding error."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def _halves(x: Array | np.float64) -> tuple[Any, Any]:
    """x in two parts of 26 bits."""
    t = x * SPLIT
    high = t - (t - x)
    return high, x - high


def _product(a: Array, b: Array | np.float64) -> tuple[Array, Array]:
    """a * b, and its rounding error."""
    p, (ah, al), (bh, bl) = a * b, _halves(a), _halves(b)
    return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl


def _signed(x: Array, sign: Array) -> Array:
    """x, or -x if the highest bit of `sign` is set."""
    return np.asarray((x.view(U) ^ sign).view(F))


def _double(word: Array) -> Array:
    """A word of 32 bits as an f64."""
    return (word | U(0x4330000000000000)).view(F) - F(2.0**52)


def _reduced(m: Array) -> tuple[Array, Array, Array]:
    """(q, r, c): m is q pi / 2 + r + c modulo 2 pi, |r| <= pi / 4; of positive numbers."""
    bits = np.asarray(m, F).view(U)
    e = np.clip(bits >> U(52), U(1022), U(2046))
    at = e - U(1013)  # of 2 / pi those bits are left out whose products with m are multiples of 4
    word, by = (at >> U(5)).astype(np.int64), U(32) - (at & U(31))
    t = [_TWO_OVER_PI[word + k] for k in range(7)]
    w = [(((t[k] << U(32)) | t[k + 1]) >> by) & LOW_WORD for k in range(5, -1, -1)]  # the lowest first
    mantissa = (bits & MANTISSA) | U(1 << 52)
    m0, m1 = mantissa & LOW_WORD, mantissa >> U(32)
    carry, before, last, found = U(0), U(0), U(0), []
    for one in w:
        p = m0 * one
        s = (p & LOW_WORD) + before + m1 * last + carry
        found.append(s & LOW_WORD)
        carry, before, last = s >> U(32), p >> U(32), one
    top = found[5]
    q = ((top + U(0x20000000)) >> U(30)) & U(3)
    below = U(0) - ((top >> U(29)) & U(1))
    words = [(f ^ below) & LOW_WORD for f in found[:5]]
    h, c = _sum(_double((top ^ below) & U(0x3FFFFFFF)) * F(2.0**-30), _double(words[4]) * F(2.0**-62))
    for k, scale in ((3, -94), (2, -126), (1, -158)):
        h, more = _sum(h, _double(words[k]) * F(2.0**scale))
        c = c + more
    p, (h1, h2) = h * PI_2, _halves(h)
    low = (((h1 * PI_2_LONG - p) + h1 * PI_2_SHORT + h2 * PI_2_LONG) + h2 * PI_2_SHORT) + (h * PI_2_LOW + c * PI_2)
    r, sign = p + low, below & U(1 << 63)
    c = low - (r - p)
    near = m < PI_4
    return (
        np.where(near, U(0), q),
        np.where(near, m, _signed(r, sign)),
        np.where(near, F(0.0), _signed(c, sign)),
    )


def _sin(r: Array, c: Array | np.float64) -> Array:
    """sin(r + c), |r| <= pi / 4."""
    z = r * r
    return np.asarray(r + (z * r * horner(z, SIN) + c * (F(1.0) - F(0.5) * z)))


def _cos(r: Array, c: Array | np.float64) -> Array:
    """cos(r + c), |r| <= pi / 4."""
    z = r * r
    half = F(0.5) * z
    w = F(1.0) - half
    return np.asarray(w + (((F(1.0) - w) - half) + (z * z * horner(z, COS) - r * c)))


def _turned(x: Array, quarters: int) -> Array:
    """sin(|x| + quarters pi / 2)."""
    m = np.abs(x)
    q, r, c = _reduced(m)
    q = q + U(quarters)
    found = np.where(q & U(1), _cos(r, c), _sin(r, c))
    return np.where(m < F(np.inf), _signed(found, (q & U(2)) << U(62)), F(np.nan))


def _reduced_single(m: Array) -> tuple[Array, Array]:
    """(q, r) as above, of f32 values: in 96 bits."""
    bits = np.asarray(m, np.float32).view(np.uint32).astype(U)
    at = np.clip(bits >> U(23), U(126), U(254)) - U(88)
    word, by = (at >> U(5)).astype(np.int64), U(32) - (at & U(31))
    t = [_TWO_OVER_PI[word + k] for k in range(4)]
    w = [(((t[k] << U(32)) | t[k + 1]) >> by) & LOW_WORD for k in range(3)]
    mantissa = (bits & U(0x7FFFFF)) | U(0x800000)
    low = mantissa * w[2]
    middle = mantissa * w[1] + (low >> U(32))
    top = mantissa * w[0] + (middle >> U(32))
    q = (((top & LOW_WORD) + U(0x20000000)) >> U(30)) & U(3)
    below = U(0) - ((top >> U(29)) & U(1))
    h = _double((top ^ below) & U(0x3FFFFFFF)) * F(2.0**-30) + _double((middle ^ below) & LOW_WORD) * F(2.0**-62)
    r = _signed((h + _double((low ^ below) & LOW_WORD) * F(2.0**-94)) * PI_2, below & U(1 << 63))
    near = m < np.float32(PI_4)
    return np.where(near, U(0), q), np.where(near, m.astype(F), r)


def _turned_single(x: Array, quarters: int) -> Array:
    """sin(|x| + quarters pi / 2) of f32 values, in f64."""
    m = np.abs(x)
    q, r = _reduced_single(m)
    q = q + U(quarters)
    found = np.where(q & U(1), _cos(r, F(0.0)), _sin(r, F(0.0)))
    return np.where(m < np.float32(np.inf), _signed(found, (q & U(2)) << U(62)), F(np.nan))


def sin_f32(x: Array) -> Array:
    """The sine of f32 values."""
    return _signed(_turned_single(x, 0), x.astype(F).view(U) & U(1 << 63)).astype(np.float32)


def cos_f32(x: Array) -> Array:
    """The cosine of f32 values."""
    return _turned_single(x, 1).astype(np.float32)


def tan_f32(x: Array) -> Array:
    """The tangent of f32 values."""
    m = np.abs(x)
    q, r = _reduced_single(m)
    s, t = _sin(r, F(0.0)), _cos(r, F(0.0))
    found = np.where(q & U(1), -t, s) / np.where(q & U(1), s, t)
    signed = _signed(found, x.astype(F).view(U) & U(1 << 63))
    return np.where(m < np.float32(np.inf), signed, F(np.nan)).astype(np.float32)


def sin(x: Array) -> Array:
    """The sine of f64 values."""
    return _signed(_turned(x, 0), x.view(U) & U(1 << 63))


def cos(x: Array) -> Array:
    """The cosine of f64 values."""
    return _turned(x, 1)


def tan(x: Array) -> Array:
    """The tangent of f64 values."""
    m = np.abs(x)
    q, r, c = _reduced(m)
    s, t = _sin(r, c), _cos(r, c)
    found = np.where(q & U(1), -t, s) / np.where(q & U(1), s, t)
    return np.where(m < F(np.inf), _signed(found, x.view(U) & U(1 << 63)), F(np.nan))


def _bent(z: Array) -> Array:
    """asin(x) / x - 1 of z = x^2 <= 1/4."""
    return np.asarray(z * horner(z, ASIN))


def _root(z: Array) -> tuple[Array, Array, Array]:
    """(s, h, c): s the root of z, h its upper half, h + c the root."""
    s = np.sqrt(z)
    h = (s.view(U) & ~LOW_WORD).view(F)
    return s, h, (z - h * h) / np.where(s == F(0.0), F(1.0), s + h)


def asin(x: Array) -> Array:
    """The inverse sine of f64 values; NaN beyond 1."""
    m = np.abs(x)
    z = (F(1.0) - m) * F(0.5)
    s, h, c = _root(z)
    p, q = F(2.0) * s * _bent(z) - (PI_2_LOW - F(2.0) * c), PI_4 - F(2.0) * h
    return np.copysign(np.where(m <= F(0.5), m + m * _bent(m * m), PI_4 - (p - q)), x)


def acos(x: Array) -> Array:
    """The inverse cosine of f64 values; NaN beyond 1."""
    m = np.abs(x)
    z = (F(1.0) - m) * F(0.5)
    s, h, c = _root(z)
    bent = s * _bent(z)
    above, below = F(2.0) * (h + (bent + c)), PI - F(2.0) * (s + (bent - PI_2_LOW))
    near = PI_2 - (x - (PI_2_LOW - x * _bent(x * x)))
    return np.where(m <= F(0.5), near, np.where(x > F(0.0), above, below))


def atan(x: Array) -> Array:
    """The inverse tangent of f64 values."""
    m = np.abs(x)
    far, middle, one = m > TAN_3_PI_8, m > TAN_PI_8, F(1.0)
    above = np.where(far, -one, np.where(middle, m - one, m))
    t = above / np.where(far, m, np.where(middle, m + one, one))
    base, low = (np.where(far, b, np.where(middle, a, F(0.0))) for a, b in ((PI_4, PI_2), (PI_4_LOW, PI_2_LOW)))
    z = t * t
    return np.copysign(base + (t + (t * z * horner(z, ATAN) + low)), x)


def _half_exp(m: Array) -> Array:
    """e**m / 2 of positive numbers."""
    m = np.where(m > BEYOND, BEYOND, m)
    shifted = m * LOG2_E + TWO_FACTORS
    bits = shifted.view(U)
    half = bits >> U(1)
    return np.asarray((F(1.0) + _grown(m, F(0.0), shifted - TWO_FACTORS)) * _power(half) * _power(bits - half - U(1)))


def _grown(x: Array, more: Array | np.float64, k: Array) -> Array:
    """e**(x + more - k ln 2) - 1, for a small `more`."""
    high, low = x - k * LN2_HIGH, k * LN2_LOW - more
    r = high - low
    return np.asarray(r + (r * r * horner(r, EXP) + ((high - r) - low)))


def sinh(x: Array) -> Array:
    """Hyperbolic sine of f64 values."""
    m = np.abs(x)
    z, h = m * m, _half_exp(m)
    return np.copysign(np.where(m < F(1.0), m + m * z * horner(z, SINH), h - F(0.25) / h), x)


def cosh(x: Array) -> Array:
    """Hyperbolic cosine of f64 values."""
    h = _half_exp(np.abs(x))
    return np.asarray(h + F(0.25) / h)


def _log_sum(u: Array, whole: Array) -> Array:
    """log(1 + u) for positive u; log 2u if `whole`."""
    y, c = _sum(np.where(whole, F(0.0), F(1.0)), u)
    bits = y.view(U) - ROOT_HALF
    k = (bits.view(np.int64) >> 52).astype(F) + np.where(whole, F(1.0), F(0.0))
    f = ((bits & MANTISSA) + ROOT_HALF).view(F) - F(1.0)
    s, h = f / (F(2.0) + f), F(0.5) * f * f
    z = s * s
    return np.asarray(k * LN2_HIGH - ((h - (s * (h + z * horner(z, LOG)) + (k * LN2_LOW + c / y))) - f))


def asinh(x: Array) -> Array:
    """The inverse of sinh of f64 values."""
    m = np.abs(x)
    far, z = m > WIDE, m * m
    found = _log_sum(np.where(far, m, m + z / (F(1.0) + np.sqrt(F(1.0) + z))), far)
    return np.copysign(np.where(m < F(np.inf), found, m), x)


def acosh(x: Array) -> Array:
    """The positive inverse of cosh of f64 values; NaN below 1."""
    far, t = x > WIDE, x - F(1.0)
    found = _log_sum(np.where(far, x, t + np.sqrt(F(2.0) * t + t * t)), far)
    found = np.where(x < F(np.inf), found, x)
    return np.where(x >= F(1.0), found, F(np.nan))


def atanh(x: Array) -> Array:
    """The inverse of tanh of f64 values; NaN beyond 1."""
    m = np.abs(x)
    found = F(0.5) * _log_sum(F(2.0) * m / (F(1.0) - m), m > F(1.0))
    found = np.where(m == F(1.0), F(np.inf), found)
    return np.copysign(np.where(m <= F(1.0), found, F(np.nan)), x)


def _long_log(a: Array) -> tuple[Array, Array]:
    """log a of positive numbers in two parts."""
    tiny = a < F(2.0**-1022)
    bits = np.where(tiny, a * F(2.0**54), a).view(U) - ROOT_HALF
    k = (bits.view(np.int64) >> 52).astype(F) - np.where(tiny, F(54.0), F(0.0))
    f = ((bits & MANTISSA) + ROOT_HALF).view(F) - F(1.0)
    d = F(2.0) + f
    s = f / d
    p, e = _product(s, d)
    low = (((f - p) - e) - s * (f - (d - F(2.0)))) / d  # s + low is f / (2 + f)
    z, more = _product(s, s)
    t, part = _product(z, THIRD)
    part = part + (z * THIRD_LOW + (more + F(2.0) * s * low) * THIRD)
    b, rest = _sum(t, z * z * horner(z, FAR))
    rest = rest + part
    p, e = _product(s, b)
    h, c = _sum(s, p)
    c = c + (low + (e + (s * rest + low * b)))
    h, e = _sum(k * LN2_HIGH, F(2.0) * h)
    return h, e + (F(2.0) * c + k * LN2_LOW)


def pow(x: Array, y: Array) -> Array:
    """x**y of f64 values, as in IEEE 754: 1 if y is 0 or x is 1, NaN if x is negative and y no whole number."""
    a, size, one = np.abs(x), np.abs(y), F(1.0)
    h, c = _long_log(a)
    by = np.copysign(np.where(size > FARTHEST, FARTHEST, size), y)
    p, e = _product(by, h)
    e = e + by * c
    outside = (p < LOWEST) | (p > HIGHEST)
    p, e = np.where(p < LOWEST, LOWEST, np.where(p > HIGHEST, HIGHEST, p)), np.where(outside, F(0.0), e)
    shifted = p * LOG2_E + TWO_FACTORS
    bits = shifted.view(U)
    half = bits >> U(1)
    found = (one + _grown(p, e, shifted - TWO_FACTORS)) * _power(half) * _power(bits - half)
    found = np.where(a == F(0.0), np.where(y < F(0.0), F(np.inf), F(0.0)), found)
    found = np.where(a == F(np.inf), np.where(y < F(0.0), F(0.0), F(np.inf)), found)
    part = y * F(0.5)
    even = (size >= WHOLE) | (np.trunc(part) == part)
    whole = (size >= WHOLE) | (np.trunc(y) == y)
    found = np.where((x < F(0.0)) & (a < F(np.inf)) & ~whole, F(np.nan), found)
    found = _signed(found, np.where(whole & ~even, x.view(U) & U(1 << 63), U(0)))
    found = np.where(np.isnan(x) | np.isnan(y), F(np.nan), found)
    return np.where((y == F(0.0)) | (x == one), one, found)


NAMES = ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh", "pow")
_NUMBERS = {
    n: globals()[n]
    for n in (
        "PI_4", "PI_4_LOW", "PI_2", "PI_2_LOW", "PI_2_LONG", "PI_2_SHORT", "PI", "SPLIT", "THIRD", "THIRD_LOW", "TAN_PI_8",
        "TAN_3_PI_8", "BEYOND", "WIDE", "FARTHEST", "WHOLE", "LN2_HIGH", "LN2_LOW", "LOG2_E", "LOWEST", "HIGHEST", "TWO_FACTORS",
    )
}  # fmt: skip
_POLYNOMIALS = {
    "SIN(z)": SIN, "COS(z)": COS, "ATAN(z)": ATAN, "ASIN(z)": ASIN, "SINH(z)": SINH, "FAR(z)": FAR, "EXP(r)": EXP, "LOG(z)": LOG,
}  # fmt: skip

_C = """\
#ifndef ISAMAP_MORE_FUNCTIONS
#define ISAMAP_MORE_FUNCTIONS
/* Fixed sequences of operations of double and of integers, without branches. */
static inline double isamap_two_sum(double a, double b, double *error) {
    const double s = a + b, t = s - a;
    *error = (a - (s - t)) + (b - t);
    return s;
}
static inline double isamap_upper(double x) {
    const double t = x * {SPLIT};
    return t - (t - x);
}
static inline double isamap_two_product(double a, double b, double *error) {
    const double p = a * b, ah = isamap_upper(a), al = a - ah, bh = isamap_upper(b), bl = b - bh;
    *error = ((ah * bh - p) + ah * bl + al * bh) + al * bl;
    return p;
}
static inline double isamap_signed(double x, uint64_t sign) {
    return isamap_from_double_bits(isamap_double_bits(x) ^ sign);
}
static inline double isamap_double_of_word(uint64_t word) {
    return isamap_from_double_bits(word | UINT64_C(0x4330000000000000)) - 0x1p52;
}
static inline uint64_t isamap_choose_word(int condition, uint64_t yes, uint64_t no) {
    const uint64_t mask = -(uint64_t)condition;
    return (yes & mask) | (no & ~mask);
}
/* 64 zeros, and 2 / pi */
static const uint64_t isamap_two_over_pi[{COUNT}] = {
{WORDS}};
/* One word of the product of m's mantissa with 2 / pi; the carry, and what is left of the word before. */
#define ISAMAP_WORD(k) \\
    const uint64_t t##k = ((isamap_two_over_pi[i + k] << 32 | isamap_two_over_pi[i + k + 1]) >> by) & 0xffffffffu, p##k = m0 * t##k
#define ISAMAP_CARRY(k, before, last, more) \\
    const uint64_t s##k = (p##k & 0xffffffffu) + (before) + m1 * (last) + (more)
/* q: m is q pi / 2 + r + c modulo 2 pi, |r| <= pi / 4; of positive numbers */
static inline uint64_t isamap_reduced(double m, double *r, double *c) {
    const uint64_t bits = isamap_double_bits(m), field = bits >> 52;
    const uint64_t least = isamap_choose_word(field < 1022, 1022, field), e = isamap_choose_word(least > 2046, 2046, least);
    const uint64_t at = e - 1013, i = at >> 5, by = 32 - (at & 31);
    const uint64_t mantissa = (bits & {MANTISSA}) | UINT64_C(0x10000000000000);
    const uint64_t m0 = mantissa & 0xffffffffu, m1 = mantissa >> 32;
    ISAMAP_WORD(0);
    ISAMAP_WORD(1);
    ISAMAP_WORD(2);
    ISAMAP_WORD(3);
    ISAMAP_WORD(4);
    ISAMAP_WORD(5);
    ISAMAP_CARRY(5, 0, 0, 0);
    ISAMAP_CARRY(4, p5 >> 32, t5, s5 >> 32);
    ISAMAP_CARRY(3, p4 >> 32, t4, s4 >> 32);
    ISAMAP_CARRY(2, p3 >> 32, t3, s3 >> 32);
    ISAMAP_CARRY(1, p2 >> 32, t2, s2 >> 32);
    ISAMAP_CARRY(0, p1 >> 32, t1, s1 >> 32);
    const uint64_t q = (((s0 & 0xffffffffu) + 0x20000000u) >> 30) & 3, below = -((s0 >> 29) & 1);
    double low, more;
    double h = isamap_two_sum(isamap_double_of_word((s0 ^ below) & 0x3fffffffu) * 0x1p-30,
                              isamap_double_of_word((s1 ^ below) & 0xffffffffu) * 0x1p-62, &low);
    h = isamap_two_sum(h, isamap_double_of_word((s2 ^ below) & 0xffffffffu) * 0x1p-94, &more);
    low = low + more;
    h = isamap_two_sum(h, isamap_double_of_word((s3 ^ below) & 0xffffffffu) * 0x1p-126, &more);
    low = low + more;
    h = isamap_two_sum(h, isamap_double_of_word((s4 ^ below) & 0xffffffffu) * 0x1p-158, &more);
    low = low + more;
    const double p = h * {PI_2}, h1 = isamap_upper(h), h2 = h - h1;
    const double rest = (((h1 * {PI_2_LONG} - p) + h1 * {PI_2_SHORT} + h2 * {PI_2_LONG}) + h2 * {PI_2_SHORT})
                        + (h * {PI_2_LOW} + low * {PI_2});
    const double whole = p + rest;
    const uint64_t sign = below & UINT64_C(0x8000000000000000);
    const int near = m < {PI_4};
    *r = isamap_choose_double(near, m, isamap_signed(whole, sign));
    *c = isamap_choose_double(near, 0.0, isamap_signed(rest - (whole - p), sign));
    return isamap_choose_word(near, 0, q);
}
#undef ISAMAP_WORD
#undef ISAMAP_CARRY
static inline double isamap_sin_within(double r, double c) {
    const double z = r * r;
    return r + (z * r * {SIN(z)} + c * (1.0 - 0.5 * z));
}
static inline double isamap_cos_within(double r, double c) {
    const double z = r * r, half = 0.5 * z, w = 1.0 - half;
    return w + (((1.0 - w) - half) + (z * z * {COS(z)} - r * c));
}
/* sin(|x| + quarters pi / 2) */
static inline double isamap_turned(double x, uint64_t quarters) {
    const double m = __builtin_fabs(x);
    double r, c;
    const uint64_t q = isamap_reduced(m, &r, &c) + quarters;
    const double found = isamap_choose_double((int)(q & 1), isamap_cos_within(r, c), isamap_sin_within(r, c));
    return isamap_choose_double(m < __builtin_inf(), isamap_signed(found, (q & 2) << 62), __builtin_nan(""));
}
/* The same of a float, in 96 bits; what is lost is nothing to a float. */
static inline uint64_t isamap_reduced_single(float m, double *r) {
    uint32_t word;
    memcpy(&word, &m, sizeof word);
    const uint64_t field = word >> 23, least = isamap_choose_word(field < 126, 126, field);
    const uint64_t at = isamap_choose_word(least > 254, 254, least) - 88;
    const uint64_t i = at >> 5, by = 32 - (at & 31), mantissa = (word & 0x7fffffu) | 0x800000u;
    const uint64_t t0 = ((isamap_two_over_pi[i] << 32 | isamap_two_over_pi[i + 1]) >> by) & 0xffffffffu;
    const uint64_t t1 = ((isamap_two_over_pi[i + 1] << 32 | isamap_two_over_pi[i + 2]) >> by) & 0xffffffffu;
    const uint64_t t2 = ((isamap_two_over_pi[i + 2] << 32 | isamap_two_over_pi[i + 3]) >> by) & 0xffffffffu;
    const uint64_t low = mantissa * t2, middle = mantissa * t1 + (low >> 32), top = mantissa * t0 + (middle >> 32);
    const uint64_t q = (((top & 0xffffffffu) + 0x20000000u) >> 30) & 3, below = -((top >> 29) & 1);
    const double h = isamap_double_of_word((top ^ below) & 0x3fffffffu) * 0x1p-30
                     + isamap_double_of_word((middle ^ below) & 0xffffffffu) * 0x1p-62;
    const double whole = (h + isamap_double_of_word((low ^ below) & 0xffffffffu) * 0x1p-94) * {PI_2};
    const int near = m < {PI_4_SINGLE};
    *r = isamap_choose_double(near, (double)m, isamap_signed(whole, below & UINT64_C(0x8000000000000000)));
    return isamap_choose_word(near, 0, q);
}
static inline double isamap_turned_single(float x, uint64_t quarters) {
    const float m = __builtin_fabsf(x);
    double r;
    const uint64_t q = isamap_reduced_single(m, &r) + quarters;
    const double found = isamap_choose_double((int)(q & 1), isamap_cos_within(r, 0.0), isamap_sin_within(r, 0.0));
    return isamap_choose_double(m < __builtin_inff(), isamap_signed(found, (q & 2) << 62), __builtin_nan(""));
}
static inline float isamap_sinf(float x) {
    return (float)isamap_signed(isamap_turned_single(x, 0), isamap_double_bits((double)x) & UINT64_C(0x8000000000000000));
}
static inline float isamap_cosf(float x) {
    return (float)isamap_turned_single(x, 1);
}
static inline float isamap_tanf(float x) {
    const float m = __builtin_fabsf(x);
    double r;
    const int odd = (int)(isamap_reduced_single(m, &r) & 1);
    const double s = isamap_sin_within(r, 0.0), t = isamap_cos_within(r, 0.0);
    const double found = isamap_choose_double(odd, -t, s) / isamap_choose_double(odd, s, t);
    const uint64_t sign = isamap_double_bits((double)x) & UINT64_C(0x8000000000000000);
    return (float)isamap_choose_double(m < __builtin_inff(), isamap_signed(found, sign), __builtin_nan(""));
}
static inline double isamap_sin(double x) {
    return isamap_signed(isamap_turned(x, 0), isamap_double_bits(x) & UINT64_C(0x8000000000000000));
}
static inline double isamap_cos(double x) {
    return isamap_turned(x, 1);
}
static inline double isamap_tan(double x) {
    const double m = __builtin_fabs(x);
    double r, c;
    const int odd = (int)(isamap_reduced(m, &r, &c) & 1);
    const double s = isamap_sin_within(r, c), t = isamap_cos_within(r, c);
    const double found = isamap_choose_double(odd, -t, s) / isamap_choose_double(odd, s, t);
    const uint64_t sign = isamap_double_bits(x) & UINT64_C(0x8000000000000000);
    return isamap_choose_double(m < __builtin_inf(), isamap_signed(found, sign), __builtin_nan(""));
}
static inline double isamap_bent(double z) {
    return z * {ASIN(z)};
}
/* The root of z; its upper half, and how far that is below. */
static inline double isamap_root(double z, double *h, double *c) {
    const double s = __builtin_sqrt(z);
    *h = isamap_from_double_bits(isamap_double_bits(s) & UINT64_C(0xffffffff00000000));
    *c = (z - *h * *h) / isamap_choose_double(s == 0.0, 1.0, s + *h);
    return s;
}
static inline double isamap_asin(double x) {
    const double m = __builtin_fabs(x), z = (1.0 - m) * 0.5;
    double h, c;
    const double s = isamap_root(z, &h, &c);
    const double p = 2.0 * s * isamap_bent(z) - ({PI_2_LOW} - 2.0 * c), q = {PI_4} - 2.0 * h;
    return __builtin_copysign(isamap_choose_double(m <= 0.5, m + m * isamap_bent(m * m), {PI_4} - (p - q)), x);
}
static inline double isamap_acos(double x) {
    const double m = __builtin_fabs(x), z = (1.0 - m) * 0.5;
    double h, c;
    const double s = isamap_root(z, &h, &c), bent = s * isamap_bent(z);
    const double above = 2.0 * (h + (bent + c)), below = {PI} - 2.0 * (s + (bent - {PI_2_LOW}));
    const double near = {PI_2} - (x - ({PI_2_LOW} - x * isamap_bent(x * x)));
    return isamap_choose_double(m <= 0.5, near, isamap_choose_double(x > 0.0, above, below));
}
static inline double isamap_atan(double x) {
    const double m = __builtin_fabs(x);
    const int far = m > {TAN_3_PI_8}, middle = m > {TAN_PI_8};
    const double above = isamap_choose_double(far, -1.0, isamap_choose_double(middle, m - 1.0, m));
    const double t = above / isamap_choose_double(far, m, isamap_choose_double(middle, m + 1.0, 1.0)), z = t * t;
    const double base = isamap_choose_double(far, {PI_2}, isamap_choose_double(middle, {PI_4}, 0.0));
    const double low = isamap_choose_double(far, {PI_2_LOW}, isamap_choose_double(middle, {PI_4_LOW}, 0.0));
    return __builtin_copysign(base + (t + (t * z * {ATAN(z)} + low)), x);
}
/* e^(x + more - k ln 2) - 1 */
static inline double isamap_grown_more(double x, double more, double k) {
    const double high = x - k * {LN2_HIGH}, low = k * {LN2_LOW} - more, r = high - low;
    return r + (r * r * {EXP(r)} + ((high - r) - low));
}
/* e^m / 2 of positive numbers */
static inline double isamap_half_exp(double m) {
    m = isamap_choose_double(m > {BEYOND}, {BEYOND}, m);
    const double shifted = m * {LOG2_E} + {TWO_FACTORS};
    const uint64_t bits = isamap_double_bits(shifted), half = bits >> 1;
    return (1.0 + isamap_grown_more(m, 0.0, shifted - {TWO_FACTORS})) * isamap_double_power(half)
           * isamap_double_power(bits - half - 1);
}
static inline double isamap_sinh(double x) {
    const double m = __builtin_fabs(x), z = m * m, h = isamap_half_exp(m);
    return __builtin_copysign(isamap_choose_double(m < 1.0, m + m * z * {SINH(z)}, h - 0.25 / h), x);
}
static inline double isamap_cosh(double x) {
    const double h = isamap_half_exp(__builtin_fabs(x));
    return h + 0.25 / h;
}
/* log(1 + u) of positive numbers; log 2u where `whole` */
static inline double isamap_log_sum(double u, int whole) {
    double c;
    const double y = isamap_two_sum(isamap_choose_double(whole, 0.0, 1.0), u, &c);
    const uint64_t bits = isamap_double_bits(y) - {ROOT_HALF};
    const double k = (double)(int32_t)((int64_t)bits >> 52) + isamap_choose_double(whole, 1.0, 0.0);
    const double f = isamap_from_double_bits((bits & {MANTISSA}) + {ROOT_HALF}) - 1.0;
    const double s = f / (2.0 + f), h = 0.5 * f * f, z = s * s;
    return k * {LN2_HIGH} - ((h - (s * (h + z * {LOG(z)}) + (k * {LN2_LOW} + c / y))) - f);
}
static inline double isamap_asinh(double x) {
    const double m = __builtin_fabs(x), z = m * m;
    const int far = m > {WIDE};
    const double found = isamap_log_sum(isamap_choose_double(far, m, m + z / (1.0 + __builtin_sqrt(1.0 + z))), far);
    return __builtin_copysign(isamap_choose_double(m < __builtin_inf(), found, m), x);
}
static inline double isamap_acosh(double x) {
    const int far = x > {WIDE};
    const double t = x - 1.0;
    double found = isamap_log_sum(isamap_choose_double(far, x, t + __builtin_sqrt(2.0 * t + t * t)), far);
    found = isamap_choose_double(x < __builtin_inf(), found, x);
    return isamap_choose_double(x >= 1.0, found, __builtin_nan(""));
}
static inline double isamap_atanh(double x) {
    const double m = __builtin_fabs(x);
    double found = 0.5 * isamap_log_sum(2.0 * m / (1.0 - m), m > 1.0);
    found = isamap_choose_double(m == 1.0, __builtin_inf(), found);
    return __builtin_copysign(isamap_choose_double(m <= 1.0, found, __builtin_nan("")), x);
}
/* log a of positive numbers in two parts */
static inline double isamap_long_log(double a, double *c) {
    const int tiny = a < 0x1p-1022;
    const uint64_t bits = isamap_double_bits(isamap_choose_double(tiny, a * 0x1p54, a)) - {ROOT_HALF};
    const double k = (double)(int32_t)((int64_t)bits >> 52) - isamap_choose_double(tiny, 54.0, 0.0);
    const double f = isamap_from_double_bits((bits & {MANTISSA}) + {ROOT_HALF}) - 1.0, d = 2.0 + f, s = f / d;
    double e, more, part, rest;
    const double p = isamap_two_product(s, d, &e), low = (((f - p) - e) - s * (f - (d - 2.0))) / d;
    const double z = isamap_two_product(s, s, &more), t = isamap_two_product(z, {THIRD}, &part);
    part = part + (z * {THIRD_LOW} + (more + 2.0 * s * low) * {THIRD});
    const double b = isamap_two_sum(t, z * z * {FAR(z)}, &rest);
    rest = rest + part;
    const double o = isamap_two_product(s, b, &e);
    double left;
    const double h = isamap_two_sum(s, o, &left);
    left = left + (low + (e + (s * rest + low * b)));
    const double found = isamap_two_sum(k * {LN2_HIGH}, 2.0 * h, &e);
    *c = e + (2.0 * left + k * {LN2_LOW});
    return found;
}
static inline double isamap_pow(double x, double y) {
    const double a = __builtin_fabs(x), size = __builtin_fabs(y);
    double c, e;
    const double h = isamap_long_log(a, &c);
    const double by = __builtin_copysign(isamap_choose_double(size > {FARTHEST}, {FARTHEST}, size), y);
    double p = isamap_two_product(by, h, &e);
    e = isamap_choose_double((p < {LOWEST}) | (p > {HIGHEST}), 0.0, e + by * c);
    p = isamap_choose_double(p < {LOWEST}, {LOWEST}, isamap_choose_double(p > {HIGHEST}, {HIGHEST}, p));
    const double shifted = p * {LOG2_E} + {TWO_FACTORS};
    const uint64_t bits = isamap_double_bits(shifted), half = bits >> 1;
    double found = (1.0 + isamap_grown_more(p, e, shifted - {TWO_FACTORS})) * isamap_double_power(half)
                   * isamap_double_power(bits - half);
    found = isamap_choose_double(a == 0.0, isamap_choose_double(y < 0.0, __builtin_inf(), 0.0), found);
    found = isamap_choose_double(a == __builtin_inf(), isamap_choose_double(y < 0.0, 0.0, __builtin_inf()), found);
    const double part = y * 0.5;
    const int even = (size >= {WHOLE}) | (__builtin_trunc(part) == part);
    const int whole = (size >= {WHOLE}) | (__builtin_trunc(y) == y);
    found = isamap_choose_double((x < 0.0) & (a < __builtin_inf()) & !whole, __builtin_nan(""), found);
    found = isamap_signed(found, isamap_double_bits(x) & isamap_choose_word(whole & !even, UINT64_C(0x8000000000000000), 0));
    found = isamap_choose_double((x != x) | (y != y), __builtin_nan(""), found);
    return isamap_choose_double((y == 0.0) | (x == 1.0), 1.0, found);
}
{SINGLE}#endif
"""


def c_functions() -> str:
    """The same sequences as C functions isamap_sin ... of double, and isamap_sinf ... of float, behind those of activations_f64."""
    words = ("    " + ", ".join(f"{w:#010x}u" for w in WORDS[k : k + 8]) + ",\n" for k in range(0, len(WORDS), 8))
    text = _C.replace("{COUNT}", str(len(WORDS))).replace("{WORDS}", "".join(words))
    for name, bits in {"ROOT_HALF": ROOT_HALF, "MANTISSA": MANTISSA}.items():
        text = text.replace("{" + name + "}", f"UINT64_C({int(bits):#x})")
    for name, coefficients in _POLYNOMIALS.items():
        text = text.replace("{" + name + "}", c_horner(name.partition("(")[2][:-1], coefficients))
    for name, value in _NUMBERS.items():
        text = text.replace("{" + name + "}", repr(float(value)))
    text = text.replace("{PI_4_SINGLE}", f"{float(np.float32(PI_4))!r}f")
    return text.replace("{SINGLE}", "".join(_single(n) for n in NAMES if f"{n}_f32" not in globals()))


def _single(name: str) -> str:
    given = ("x", "y") if name == "pow" else ("x",)
    taken, passed = ", ".join(f"float {v}" for v in given), ", ".join(f"(double){v}" for v in given)
    return f"static inline float isamap_{name}f({taken}) {{\n    return (float)isamap_{name}({passed});\n}}\n"
