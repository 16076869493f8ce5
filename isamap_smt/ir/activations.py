"""exp, tanh and sigmoid as fixed sequences of f32 operations, the same in NumPy here and in the C that is printed.

Every step is one IEEE operation rounded to nearest, no product is fused with a sum, and choices are made by masks, so both give the
same bits and compilers vectorise the C. The largest errors over every f32 are stated in ULP (tests/language/test_activations.py).

    exp(x)     = 2^k (1 + e(r)), k = round(x log2 e), r = x - k ln 2 in two parts, e(r) = e^r - 1 a polynomial of degree 6
    sigmoid(x) = n - n z / (1 + z), z = exp(-|x|), n = z where x is negative, else 1
    tanh(x)    = d / (2 + d) with the sign of x, d = exp(-2|x|) - 1 = 2^k e(r) + (2^k - 1), where nothing cancels
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Array = np.ndarray
F = np.float32

LOG2_E = F(1.442695)
LN2_HIGH, LN2_LOW = F(0.693145751953125), F(1.4286068e-06)  # the high part has 14 bits: its product with k is exact
COEFFICIENTS = tuple(map(F, (0.4999999, 0.16666524, 0.04166889, 0.008368413, 0.0013788947)))  # of r^2 to r^6, minimax
LOWEST, HIGHEST = F(-104.0), F(89.0)  # beyond them exp is 0 or infinite
SATURATED = F(10.0)  # beyond it tanh is 1
ROUND = 12582912.0  # 1.5 * 2^23: adding it leaves the nearest integer in the low bits, to which a bias of exponents may be added
ONE_FACTOR, TWO_FACTORS = F(ROUND + 127), F(ROUND + 254)
ULP = {"exp": 1.01, "tanh": 1.96, "sigmoid": 1.87}  # the largest error of an f32 result, subnormal ones included


def _power(bits: Array) -> Array:
    """2**n from words with n + 127 in their low bits."""
    return (bits << np.uint32(23)).view(np.float32)


def _remainder(x: Array, k: Array) -> Array:
    """x - k ln 2."""
    return np.asarray((x - k * LN2_HIGH) - k * LN2_LOW)


def _polynomial(r: Array) -> Array:
    """e**r - 1 where |r| <= ln(2) / 2."""
    a, b, c, d, e = COEFFICIENTS
    r2 = r * r
    return np.asarray(r + r2 * ((a + b * r) + r2 * ((c + d * r) + r2 * e)))


def _exp(x: Array) -> Array:
    """e**x of f32 values in [LOWEST, -LOWEST], or NaN. The power of two is applied in two halves, for the ends of the range."""
    shifted = np.asarray(x * LOG2_E + TWO_FACTORS)
    k = shifted - TWO_FACTORS
    bits = shifted.view(np.uint32)
    half = bits >> np.uint32(1)
    return np.asarray((F(1.0) + _polynomial(_remainder(x, k))) * _power(half) * _power(bits - half))


def exp(x: Array) -> Array:
    """e**x of f32 values."""
    x = np.where(x < LOWEST, LOWEST, x)
    return _exp(np.where(x > HIGHEST, HIGHEST, x))


def sigmoid(x: Array) -> Array:
    """1 / (1 + e**-x) of f32 values."""
    m = np.abs(x)
    z = _exp(-np.where(m > -LOWEST, -LOWEST, m))
    w = z / (F(1.0) + z)
    n = np.where(x < F(0.0), z, F(1.0))
    return np.asarray(n - n * w)


def tanh(x: Array) -> Array:
    """Hyperbolic tangent of f32 values."""
    m = np.abs(x)
    m = np.where(m > SATURATED, SATURATED, m)
    shifted = np.asarray(m * (F(-2.0) * LOG2_E) + ONE_FACTOR)
    k = shifted - ONE_FACTOR
    scale = _power(shifted.view(np.uint32))
    t = _polynomial(_remainder(m * F(-2.0), k)) * scale
    return np.copysign((t + (scale - F(1.0))) / (t + (scale + F(1.0))), x)


def smooth(name: str, x: Array) -> Array:
    """The function of that name. f64 arguments keep NumPy's own accuracy; all others go through the sequences above."""
    found = _ACCURATE[name](x) if x.dtype == np.float64 else _SEQUENCES[name](x.astype(np.float32))
    return np.asarray(found).astype(x.dtype)


_SEQUENCES: dict[str, Callable[[Array], Array]] = {"exp": exp, "tanh": tanh, "sigmoid": sigmoid}
_ACCURATE: dict[str, Callable[[Array], Array]] = {
    "exp": np.exp,
    "tanh": np.tanh,
    "sigmoid": lambda v: 1 / (1 + np.exp(-v)),
}


def rounded(x: Array, low: int, high: int, to: np.dtype) -> Array:
    """The nearest integer in [low, high], ties to even; NaN becomes 0."""
    wide = x.astype(np.float64)
    wide = np.where(np.isnan(wide), 0.0, wide)
    return np.asarray(np.rint(np.clip(wide, low, high))).astype(to)


_NUMBERS = {
    "LOG2_E": LOG2_E, "MINUS_TWO_LOG2_E": F(-2.0) * LOG2_E, "LN2_HIGH": LN2_HIGH, "LN2_LOW": LN2_LOW,
    "LOWEST": LOWEST, "FARTHEST": -LOWEST, "HIGHEST": HIGHEST, "SATURATED": SATURATED,
    "ONE_FACTOR": ONE_FACTOR, "TWO_FACTORS": TWO_FACTORS, **{f"C{n}": c for n, c in enumerate(COEFFICIENTS, 2)},
}  # fmt: skip

_C = """\
#ifndef ISAMAP_FUNCTIONS
#define ISAMAP_FUNCTIONS
/* Fixed sequences of float operations, without branches: a mask chooses, which every compiler vectorises. */
static inline float isamap_choose(int condition, float yes, float no) {
    uint32_t a, b;
    memcpy(&a, &yes, sizeof a);
    memcpy(&b, &no, sizeof b);
    const uint32_t mask = -(uint32_t)condition;
    a = (a & mask) | (b & ~mask);
    memcpy(&yes, &a, sizeof yes);
    return yes;
}
static inline uint32_t isamap_float_bits(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
/* 2^n from a word with n + 127 in its low bits. */
static inline float isamap_power(uint32_t bits) {
    float power;
    bits <<= 23;
    memcpy(&power, &bits, sizeof power);
    return power;
}
/* x - k ln 2 */
static inline float isamap_remainder(float x, float k) {
    return (x - k * {LN2_HIGH}) - k * {LN2_LOW};
}
/* e^r - 1 where |r| <= ln(2) / 2. */
static inline float isamap_polynomial(float r) {
    const float r2 = r * r;
    return r + r2 * (({C2} + {C3} * r) + r2 * (({C4} + {C5} * r) + r2 * {C6}));
}
/* e^x where |x| <= {FARTHEST}; the power of two in two halves, as one might be no float. */
static inline float isamap_exp_within(float x) {
    const float shifted = x * {LOG2_E} + {TWO_FACTORS};
    const float k = shifted - {TWO_FACTORS};
    const uint32_t bits = isamap_float_bits(shifted), half = bits >> 1;
    const float p = 1.0f + isamap_polynomial(isamap_remainder(x, k));
    return p * isamap_power(half) * isamap_power(bits - half);
}
static inline float isamap_expf(float x) {
    x = isamap_choose(x < {LOWEST}, {LOWEST}, x);
    return isamap_exp_within(isamap_choose(x > {HIGHEST}, {HIGHEST}, x));
}
static inline float isamap_sigmoidf(float x) {
    const float m = __builtin_fabsf(x);
    const float z = isamap_exp_within(-isamap_choose(m > {FARTHEST}, {FARTHEST}, m));
    const float w = z / (1.0f + z), n = isamap_choose(x < 0.0f, z, 1.0f);
    return n - n * w;
}
static inline float isamap_tanhf(float x) {
    float m = __builtin_fabsf(x);
    m = isamap_choose(m > {SATURATED}, {SATURATED}, m);
    const float shifted = m * {MINUS_TWO_LOG2_E} + {ONE_FACTOR};
    const float k = shifted - {ONE_FACTOR};
    const float scale = isamap_power(isamap_float_bits(shifted));
    const float t = isamap_polynomial(isamap_remainder(m * -2.0f, k)) * scale;
    return __builtin_copysignf((t + (scale - 1.0f)) / (t + (scale + 1.0f)), x);
}
/* The nearest integer within [low, high], ties to even; NaN becomes 0. */
static inline double isamap_nearest(double x, double low, double high) {
    x = x != x ? 0.0 : x;
    x = x < low ? low : x;
    x = x > high ? high : x;
    return __builtin_rint(x);
}
static inline float isamap_nearestf(float x, float low, float high) {
    x = x != x ? 0.0f : x;
    x = x < low ? low : x;
    x = x > high ? high : x;
    return __builtin_rintf(x);
}
#endif
"""


def c_functions() -> str:
    """The same sequences as C functions isamap_expf, isamap_sigmoidf, isamap_tanhf, and isamap_nearest(f) for rounding."""
    text = _C
    for name, value in _NUMBERS.items():
        text = text.replace("{" + name + "}", f"{float(value)!r}f")
    return text
