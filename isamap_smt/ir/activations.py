"""exp, log, tanh, sigmoid and erf as fixed sequences of f32 operations, the same in NumPy here and in the printed C.

Every step is one IEEE operation rounded to nearest, and choices are made by masks. So both give the same bits, and
compilers vectorise the C. exp, tanh and sigmoid fuse products with sums. NumPy, and a CPU without the fused operation,
compute a fused step in f64 and round it to f32. The second rounding changes no result of these functions for any f32.
The largest errors over every f32 stand in isamap_smt.ir.heads; benchmarks/accuracy.py finds them, and compares the two
ways.

    exp(x)     = 2^k (1 + e(r)), k = round(x log2 e), r = x - k ln 2 in two parts, e(r) = e^r - 1 a polynomial of degree 6
    sigmoid(x) = 2^k / (2^k + 1 + e(-r)), k and r as above, summed from the smallest
    log(x)     = k ln 2 + log(1 + f), x = 2^k (1 + f), f in [sqrt(1/2) - 1, sqrt(2) - 1), log(1 + f) = f - f^2 / 2 + f^3 p(f)
    erf(x)     = c + d p(d) with the sign of x: |x| = 17/32 k + d, c and p one of eight by the whole k; if k is 0, c is d
    tanh(x)    = d / (2 + d) with the sign of x, d = exp(-2|x|) - 1 = 2^k e(r) + (2^k - 1), and nothing cancels
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray
F = np.float32

LOG2_E = F(1.442695)
LN2_HIGH, LN2_LOW = F(0.693145751953125), F(1.4286068e-06)  # the high part has 15 bits: its product with k is exact
LN2_SHORT = F(1.4286197e-06)  # the low part in 16 bits, whose product with k is exact too
# of r^2 to r^6, minimax where the first is 0.5; with neighbours of 0.5 one step of tanh is a near-tie, missed by two roundings
COEFFICIENTS = tuple(map(F, (0.5, 0.16666535, 0.04166724, 0.008367435, 0.001386343)))
LN2 = F(0.6931472)
LOWEST, HIGHEST = F(-104.0), F(89.0)  # beyond them exp is 0 or infinite
CERTAIN = F(88.0)  # beyond it sigmoid is 1; its 2^k is a float
SATURATED = F(10.0)  # beyond it tanh is 1
ROUND = 12582912.0  # 1.5 * 2^23: adding it leaves the nearest integer in the low bits; a bias of exponents may be added to it
ONE_FACTOR, TWO_FACTORS = F(ROUND + 127), F(ROUND + 254)
LOG = tuple(  # of f^3 to f^11
    map(
        F,
        (
            0.33333313,
            -0.25000009,
            0.20002073,
            -0.16667992,
            0.1422031,
            -0.12406115,
            0.118838750,
            -0.11671167,
            0.06749837,
        ),
    )
)
ROOT_HALF = np.uint32(0x3F3504F3)  # the bits of sqrt(1/2)
FLAT = F(3.921875)  # erf is 1 beyond it
PER_PIECE, PIECE = (
    F(1.875),
    F(0.53125),
)  # erf's pieces are one to 15/8 of |x|; multiples of 17/32 lie near their middles
ERF = tuple(  # of 1, d to d^6, one for each piece; of the first one less the d that is added
    np.array(row, F)
    for row in (
        (0.0, 0.54752845, 0.8670583, 0.9757977, 0.997346, 0.9998277, 0.99999344, 0.9999999),
        (0.12837917, 0.8509142, 0.3649033, 0.088987604, 0.01234082, 0.000973238, 4.3647076e-05, 1.1131215e-06),
        (
            -6.059273e-07,
            -0.4520475,
            -0.38771006,
            -0.14182404,
            -0.02622723,
            -0.0025817147,
            -0.00013761412,
            -1.1322117e-05,
        ),
        (-0.37608963, -0.12356942, 0.15294212, 0.121046394, 0.033039637, 0.0042528175, 0.00028086524, 9.6885415e-06),
        (-0.0006835841, 0.18345016, 0.04798649, -0.049153272, -0.026260858, -0.0049141855, -0.00045520838, 0.000283991),
        (0.11829749, -0.001003943, -0.06477484, -0.005639862, 0.012346839, 0.0038596748, 0.00044387832, 3.5722216e-05),
        (
            -0.01973985,
            -0.04736945,
            0.010070654,
            0.015433744,
            -0.0026044883,
            -0.0009289727,
            0.00012368936,
            -0.0031439958,
        ),
    )
)


def _power(bits: Array) -> Array:
    """2**n from words with n + 127 in their low bits."""
    return (bits << np.uint32(23)).view(np.float32)


def _fused(a: Array, b: Array | np.float32, c: Array | np.float32) -> Array:
    """a * b + c of f32 values, by way of f64; isamap_smt.ir.fused is right for all operands."""
    return np.asarray(a.astype(np.float64) * b + c).astype(np.float32)


def _remainder(x: Array, k: Array) -> Array:
    """x - k ln 2."""
    return np.asarray((x - k * LN2_HIGH) - k * LN2_SHORT)


def _polynomial(r: Array) -> Array:
    """(e**r - 1 - r) / r**2 for |r| <= ln(2) / 2."""
    found: Array | np.float32 = COEFFICIENTS[-1]
    for c in COEFFICIENTS[-2::-1]:
        found = _fused(r, found, c)
    return np.asarray(found)


def _exp(x: Array) -> Array:
    """e**x of f32 values in [LOWEST, -LOWEST], or NaN. The power of two is applied in two halves, for the ends of the range."""
    shifted = _fused(x, LOG2_E, TWO_FACTORS)
    k = shifted - TWO_FACTORS
    bits = shifted.view(np.uint32)
    half = bits >> np.uint32(1)
    r = _remainder(x, k)
    p = _fused(r, _fused(r, _polynomial(r), F(1.0)), F(1.0))
    return np.asarray(p * _power(half) * _power(bits - half))


def exp(x: Array) -> Array:
    """e**x of f32 values."""
    x = np.where(x < LOWEST, LOWEST, x)
    return _exp(np.where(x > HIGHEST, HIGHEST, x))


def sigmoid(x: Array) -> Array:
    """1 / (1 + e**-x) of f32 values."""
    x = np.where(x < LOWEST, LOWEST, x)
    x = np.where(x > CERTAIN, CERTAIN, x)
    shifted = _fused(x, LOG2_E, TWO_FACTORS)
    bits = shifted.view(np.uint32)
    half = bits >> np.uint32(1)
    r = -_remainder(x, shifted - TWO_FACTORS)
    s = _power(half) * _power(bits - half)
    t = _fused(r * r, _polynomial(r), r)
    return np.asarray(s / ((t + np.where(s < F(1.0), s, F(1.0))) + np.where(s < F(1.0), F(1.0), s)))


def tanh(x: Array) -> Array:
    """Hyperbolic tangent of f32 values."""
    m = np.abs(x)
    m = np.where(m > SATURATED, SATURATED, m)
    shifted = _fused(m, F(-2.0) * LOG2_E, ONE_FACTOR)
    k = shifted - ONE_FACTOR
    scale = _power(shifted.view(np.uint32))
    r = _remainder(m * F(-2.0), k)
    t = _fused(r * r, _polynomial(r), r) * scale
    return np.copysign((t + (scale - F(1.0))) / (t + (scale + F(1.0))), x)


def horner(x: Array, coefficients: tuple[np.floating[Any], ...]) -> Array:
    """The polynomial with these coefficients, the constant one first."""
    found = np.full_like(x, coefficients[-1])
    for c in coefficients[-2::-1]:
        found = found * x + c
    return found


def log(x: Array) -> Array:
    """The natural logarithm of f32 values."""
    tiny = x < F(2.0**-126)
    bits = np.where(tiny, x * F(2.0**23), x).view(np.uint32) - ROOT_HALF
    k = (bits.view(np.int32) >> 23).astype(np.float32) - np.where(tiny, F(23.0), F(0.0))
    f = ((bits & np.uint32(0x7FFFFF)) + ROOT_HALF).view(np.float32) - F(1.0)
    f2 = f * f
    found = (f + ((f * f2 * horner(f, LOG) + k * LN2_LOW) - F(0.5) * f2)) + k * LN2_HIGH
    return ends_of_log(x, found)


def ends_of_log(x: Array, found: Array) -> Array:
    """The logarithm of x: `found` if x is finite and positive, -inf at 0, inf at inf, else NaN."""
    number = x.dtype.type
    found = np.where(x == number(np.inf), x, found)
    found = np.where(x == number(0.0), number(-np.inf), found)
    return np.where(x >= number(0.0), found, number(np.nan))


def erf(x: Array) -> Array:
    """The error function of f32 values."""
    m = np.abs(x)
    m = np.where(m > FLAT, FLAT, m)
    shifted = _fused(m, PER_PIECE, F(ROUND))
    k = shifted.view(np.uint32) & np.uint32(7)
    d = m - (shifted - F(ROUND)) * PIECE
    p = ERF[-1][k]
    for row in ERF[-2:0:-1]:
        p = _fused(p, d, row[k])
    return np.copysign(_fused(p, d, np.where(k == 0, d, ERF[0][k])), x)


def in_f32(dtype: np.dtype) -> bool:
    """Whether functions of such values are computed in f32: True for floating point of at most 32 bits."""
    return dtype.kind not in "iu" and dtype.itemsize <= 4


def rounded(x: Array, low: int, high: int, to: np.dtype) -> Array:
    """The nearest integer in [low, high], ties to even; NaN becomes 0."""
    wide = x.astype(np.float64)
    wide = np.where(np.isnan(wide), 0.0, wide)
    return np.asarray(np.rint(np.clip(wide, low, high))).astype(to)


_NUMBERS = {
    "LOG2_E": LOG2_E, "MINUS_LOG2_E": -LOG2_E, "MINUS_TWO_LOG2_E": F(-2.0) * LOG2_E, "LN2": LN2, "LN2_HIGH": LN2_HIGH,
    "LN2_LOW": LN2_LOW, "LN2_SHORT": LN2_SHORT, "LOWEST": LOWEST, "FARTHEST": -LOWEST, "HIGHEST": HIGHEST,
    "CERTAIN": CERTAIN, "SATURATED": SATURATED, "ONE_FACTOR": ONE_FACTOR, "TWO_FACTORS": TWO_FACTORS, "FLAT": FLAT,
    "ROUND": F(ROUND), "PER_PIECE": PER_PIECE, "PIECE": PIECE,
    **{f"C{n}": c for n, c in enumerate(COEFFICIENTS, 2)},
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
static inline float isamap_from_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
/* 2^n from a word with n + 127 in its low bits. */
static inline float isamap_power(uint32_t bits) {
    return isamap_from_bits(bits << 23);
}
/* a * b + c. Without the instruction it is rounded twice, which changes no result of the functions that call it. */
#if defined(__FMA__) || defined(__FP_FAST_FMAF) || defined(__riscv_flen) || defined(__powerpc64__) || defined(__CUDA_ARCH__)
static inline float isamap_fused(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
}
static inline float isamap_fused_exact(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
}
#else
static inline float isamap_fused(float a, float b, float c) {
    return (float)((double)a * b + c);
}
/* where a * b is a float */
static inline float isamap_fused_exact(float a, float b, float c) {
    return a * b + c;
}
#endif
/* x - k ln 2 */
static inline float isamap_remainder(float x, float k) {
    return isamap_fused_exact(k, -{LN2_SHORT}, isamap_fused_exact(k, -{LN2_HIGH}, x));
}
/* (e^r - 1 - r) / r^2 where |r| <= ln(2) / 2. */
static inline float isamap_polynomial(float r) {
    const float p = isamap_fused(r, isamap_fused(r, {C6}, {C5}), {C4});
    return isamap_fused(r, isamap_fused(r, p, {C3}), {C2});
}
/* e^x where |x| <= {FARTHEST}; the power of two in two halves, as one might be no float. */
static inline float isamap_exp_within(float x) {
    const float shifted = isamap_fused(x, {LOG2_E}, {TWO_FACTORS});
    const float k = shifted - {TWO_FACTORS};
    const uint32_t bits = isamap_float_bits(shifted), half = bits >> 1;
    const float r = isamap_remainder(x, k);
    const float p = isamap_fused(r, isamap_fused(r, isamap_polynomial(r), 1.0f), 1.0f);
    return p * isamap_power(half) * isamap_power(bits - half);
}
static inline float isamap_expf(float x) {
    x = isamap_choose(x < {LOWEST}, {LOWEST}, x);
    return isamap_exp_within(isamap_choose(x > {HIGHEST}, {HIGHEST}, x));
}
static inline float isamap_sigmoidf(float x) {
    x = isamap_choose(x < {LOWEST}, {LOWEST}, x);
    x = isamap_choose(x > {CERTAIN}, {CERTAIN}, x);
    const float shifted = isamap_fused(x, {LOG2_E}, {TWO_FACTORS});
    const uint32_t bits = isamap_float_bits(shifted), half = bits >> 1;
    const float r = -isamap_remainder(x, shifted - {TWO_FACTORS});
    const float s = isamap_power(half) * isamap_power(bits - half);
    const float t = isamap_fused(r * r, isamap_polynomial(r), r);
    return s / ((t + isamap_choose(s < 1.0f, s, 1.0f)) + isamap_choose(s < 1.0f, 1.0f, s));
}
static inline float isamap_tanhf(float x) {
    float m = __builtin_fabsf(x);
    m = isamap_choose(m > {SATURATED}, {SATURATED}, m);
    const float shifted = isamap_fused(m, {MINUS_TWO_LOG2_E}, {ONE_FACTOR});
    const float k = shifted - {ONE_FACTOR};
    const float scale = isamap_power(isamap_float_bits(shifted));
    const float r = isamap_remainder(m * -2.0f, k), t = isamap_fused(r * r, isamap_polynomial(r), r);
    const float above = isamap_fused_exact(t, scale, scale - 1.0f), below = isamap_fused_exact(t, scale, scale + 1.0f);
    return __builtin_copysignf(above / below, x);
}
static inline float isamap_logf(float x) {
    const int tiny = x < 0x1p-126f;
    const uint32_t bits = isamap_float_bits(isamap_choose(tiny, x * 0x1p23f, x)) - {ROOT_HALF};
    const float k = (float)((int32_t)bits >> 23) - isamap_choose(tiny, 23.0f, 0.0f);
    const float f = isamap_from_bits((bits & 0x7fffff) + {ROOT_HALF}) - 1.0f, f2 = f * f;
    float found = (f + ((f * f2 * {LOG(f)} + k * {LN2_LOW}) - 0.5f * f2)) + k * {LN2_HIGH};
    found = isamap_choose(x == __builtin_inff(), x, found);
    found = isamap_choose(x == 0.0f, -__builtin_inff(), found);
    return isamap_choose(x >= 0.0f, found, __builtin_nanf(""));
}
static const float isamap_erf_pieces[8][7] = {
{PIECES}};
static inline float isamap_erff(float x) {
    float m = __builtin_fabsf(x);
    m = isamap_choose(m > {FLAT}, {FLAT}, m);
    const float shifted = isamap_fused(m, {PER_PIECE}, {ROUND});
    const uint32_t k = isamap_float_bits(shifted) & 7;
    const float d = isamap_fused_exact(shifted - {ROUND}, -{PIECE}, m), *const c = isamap_erf_pieces[k];
    const float p = {ERF(d)};
    return __builtin_copysignf(isamap_fused(p, d, isamap_choose(k == 0, d, c[0])), x);
}
/* Of 11 significant bits, ties to even. */
static inline float isamap_tf32f(float x) {
    const uint32_t bits = isamap_float_bits(x);
    const float found = isamap_from_bits((bits + 0xfff + (bits >> 13 & 1)) & ~(uint32_t)0x1fff);
    return isamap_choose(x == x, found, x);
}
/* The nearest integer within [low, high], ties to even; NaN becomes 0, which a low of 0 does by itself. */
static inline double isamap_nearest(double x, double low, double high) {
    x = low != 0 && x != x ? 0.0 : x;
    x = x > low ? x : low;
    x = x > high ? high : x;
    return __builtin_rint(x);
}
static inline float isamap_nearestf(float x, float low, float high) {
    x = low != 0 && x != x ? 0.0f : x;
    x = x > low ? x : low;
    x = x > high ? high : x;
    return __builtin_rintf(x);
}
#endif
"""


def tf32(x: Array) -> Array:
    """f32 values rounded to 11 significant bits, ties to even; NaN stays as it is.

    >>> tf32(np.float32([1 + 2**-11, 1 + 3 * 2**-11, 3.4028e38])).tolist()
    [1.0, 1.001953125, inf]
    """
    bits = x.view(np.uint32)
    near = (bits + np.uint32(0xFFF) + (bits >> np.uint32(13) & np.uint32(1))) & ~np.uint32(0x1FFF)
    return np.where(np.isnan(x), x, near.view(np.float32))


def _chorner(x: str, coefficients: tuple[np.float32, ...], step: str) -> str:
    """The polynomial with these coefficients, the constant one first. step: C of p * x + c."""
    found = f"{float(coefficients[-1])!r}f"
    for c in coefficients[-2::-1]:
        found = step.format(p=found, x=x, c=f"{float(c)!r}f")
    return found


def _by_piece() -> str:
    """erf's polynomial in d over d, with the coefficients c of its piece."""
    found = f"c[{len(ERF) - 1}]"
    for n in range(len(ERF) - 2, 0, -1):
        found = f"isamap_fused({found}, d, c[{n}])"
    return found


def c_functions() -> str:
    """The same sequences as C functions isamap_expf, isamap_logf ..., and isamap_nearest(f) for rounding."""
    text = _C.replace("{ROOT_HALF}", f"{hex(ROOT_HALF)}u")
    text = text.replace("{LOG(f)}", _chorner("f", LOG, "({p} * {x} + {c})"))
    text = text.replace("{ERF(d)}", _by_piece())
    pieces = ("    {" + ", ".join(f"{float(row[k])!r}f" for row in ERF) + "},\n" for k in range(len(ERF[0])))
    text = text.replace("{PIECES}", "".join(pieces))
    for name, value in _NUMBERS.items():
        text = text.replace("{" + name + "}", f"{float(value)!r}f")
    return text
