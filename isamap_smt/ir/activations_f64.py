"""exp, log, tanh, sigmoid and erf as fixed sequences of f64 operations, the same in NumPy here and in the printed C.

Every step is one IEEE operation rounded to nearest, nothing is fused, and choices are made by masks. The largest errors
found stand in isamap_smt.ir.heads; benchmarks/accuracy_f64.py looks for them. Coefficients are minimax, from a Remez
exchange in 60 digits.

    exp(x)     = 2^k e(r + c), k = round(x log2 e), r + c = x - k ln 2 with its rounding error c, e(r) = 1 + (r + (r^2 q(r) + c))
    sigmoid(x) = n - n (z / (1 + z)), z = exp(-|x|), n = z if x is negative, else 1
    tanh(x)    = (t + (s-1)) / (t + (s+1)) with the sign of x, s = 2^k, t = s (e(r) - 1), of -2|x|
    log(x)     = k ln 2 + log(1 + f), x = 2^k (1 + f), log(1 + f) = f - (h - s (h + R(s^2))), s = f / (2 + f), h = f^2 / 2
    erf(x)     = x + x p(x^2) up to 1, then 1 - e^-(|x| + |x| q(|x| - 2)) with the sign of x
"""

from __future__ import annotations

import numpy as np

from isamap_smt.ir.activations import Array, ends_of_log, horner

F, U = np.float64, np.uint64

LOG2_E = F(1.4426950408889634)
LN2_HIGH, LN2_LOW = (
    F(0.6931471803691238),
    F(1.9082149292705877e-10),
)  # the high part has 32 bits: its product with k is exact
EXP = tuple(  # of r^2 to r^12
    map(
        F,
        (0.5, 0.1666666666666667, 0.041666666666666685, 0.008333333333326134, 0.0013888888888874398, 0.0001984126987482399,
         2.480158734733946e-05, 2.7557255396471e-06, 2.7557252912472866e-07, 2.510521838664829e-08, 2.0921589370829142e-09),
    )
)  # fmt: skip
LOWEST, HIGHEST = F(-746.0), F(710.0)  # beyond them exp is 0 or infinite
SATURATED = F(20.0)  # beyond it tanh is 1
ROUND = 6755399441055744.0  # 1.5 * 2^52: adding it leaves the nearest integer in the low bits
ONE_FACTOR, TWO_FACTORS = F(ROUND + 1023), F(ROUND + 2046)
LOG = tuple(  # of s^2 to s^14
    map(
        F,
        (0.6666666666666734, 0.3999999999941552, 0.28571428742217064, 0.22222198588204356, 0.18183563693916482,
         0.15314062801547962, 0.14795865532902955),
    )
)  # fmt: skip
ROOT_HALF = U(0x3FE6A09E667F3BCD)  # the bits of sqrt(1/2)
MANTISSA = U((1 << 52) - 1)
SMALL, FLAT = F(1.0), F(6.0)  # of erf, which is 1 beyond FLAT
ERF_SMALL = tuple(  # of 1 to x^24
    map(
        F,
        (0.1283791670955126, -0.3761263890318375, 0.1128379167095486, -0.02686617064507311, 0.0052239776247813285,
         -0.0008548326978702324, 0.00012055331033594772, -1.4925593391646451e-05, 1.6460970488052699e-06,
         -1.6349996165100503e-07, 1.4657658716680904e-08, -1.1364723179406126e-09, 5.943533291654512e-11),
    )
)  # fmt: skip
ERF_LARGE = tuple(  # of 1 to (|x| - 2)^18
    map(
        F,
        (1.6824706323083187, 0.867845086843048, 0.027952877490362557, -0.0057438796767345, 0.0010865616656371795,
         -0.00017708113968498612, 2.0885900157462896e-05, -8.973664255593316e-08, -9.312218699410079e-07,
         3.637992222853645e-07, -9.530750701222256e-08, 1.8740181326857526e-08, -2.384719933192978e-09,
         -6.501979577711551e-11, 1.6280348643059976e-10, -6.476225324380419e-11, 1.6761066758185675e-11,
         -2.711113102608081e-12, 2.0097800776523328e-13),
    )
)  # fmt: skip


def _power(bits: Array) -> Array:
    """2**n from words with n + 1023 in their low bits."""
    return (bits << U(52)).view(F)


def _grown(x: Array, k: Array) -> Array:
    """e**(x - k ln 2) - 1."""
    high, low = x - k * LN2_HIGH, k * LN2_LOW
    r = high - low
    return np.asarray(r + (r * r * horner(r, EXP) + ((high - r) - low)))


def _exp(x: Array) -> Array:
    """e**x of values in [LOWEST, HIGHEST], or NaN. The power of two is applied in two halves, for the ends of the range."""
    shifted = x * LOG2_E + TWO_FACTORS
    k = shifted - TWO_FACTORS
    bits = shifted.view(U)
    half = bits >> U(1)
    return np.asarray((F(1.0) + _grown(x, k)) * _power(half) * _power(bits - half))


def exp(x: Array) -> Array:
    """e**x of f64 values."""
    x = np.where(x < LOWEST, LOWEST, x)
    return _exp(np.where(x > HIGHEST, HIGHEST, x))


def sigmoid(x: Array) -> Array:
    """1 / (1 + e**-x) of f64 values."""
    m = np.abs(x)
    z = _exp(-np.where(m > -LOWEST, -LOWEST, m))
    n = np.where(x < F(0.0), z, F(1.0))
    return np.asarray(n - n * (z / (F(1.0) + z)))


def tanh(x: Array) -> Array:
    """Hyperbolic tangent of f64 values."""
    m = np.abs(x)
    m = np.where(m > SATURATED, SATURATED, m) * F(-2.0)
    shifted = m * LOG2_E + ONE_FACTOR
    scale = _power(shifted.view(U))
    t = _grown(m, shifted - ONE_FACTOR) * scale
    return np.copysign((t + (scale - F(1.0))) / (t + (scale + F(1.0))), x)


def log(x: Array) -> Array:
    """The natural logarithm of f64 values."""
    tiny = x < F(2.0**-1022)
    bits = np.where(tiny, x * F(2.0**54), x).view(U) - ROOT_HALF
    k = (bits.view(np.int64) >> 52).astype(F) - np.where(tiny, F(54.0), F(0.0))
    f = ((bits & MANTISSA) + ROOT_HALF).view(F) - F(1.0)
    s, h = f / (F(2.0) + f), F(0.5) * f * f
    z = s * s
    found = k * LN2_HIGH - ((h - (s * (h + z * horner(z, LOG)) + k * LN2_LOW)) - f)
    return ends_of_log(x, found)


def erf(x: Array) -> Array:
    """The error function of f64 values."""
    m = np.abs(x)
    m = np.where(m > FLAT, FLAT, m)
    small = x + x * horner(m * m, ERF_SMALL)
    large = np.copysign(F(1.0) - _exp(-(m + m * horner(m - F(2.0), ERF_LARGE))), x)
    return np.where(m > SMALL, large, small)


_NUMBERS = {
    "LOG2_E": LOG2_E, "LN2_HIGH": LN2_HIGH, "LN2_LOW": LN2_LOW, "LOWEST": LOWEST, "FARTHEST": -LOWEST, "HIGHEST": HIGHEST,
    "SATURATED": SATURATED, "ONE_FACTOR": ONE_FACTOR, "TWO_FACTORS": TWO_FACTORS, "SMALL": SMALL, "FLAT": FLAT,
}  # fmt: skip

_C = """\
#ifndef ISAMAP_WIDE_FUNCTIONS
#define ISAMAP_WIDE_FUNCTIONS
/* Fixed sequences of double operations, without branches: a mask chooses, which every compiler vectorises. */
static inline uint64_t isamap_double_bits(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static inline double isamap_from_double_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static inline double isamap_choose_double(int condition, double yes, double no) {
    const uint64_t mask = -(uint64_t)condition;
    return isamap_from_double_bits((isamap_double_bits(yes) & mask) | (isamap_double_bits(no) & ~mask));
}
/* 2^n from a word with n + 1023 in its low bits. */
static inline double isamap_double_power(uint64_t bits) {
    return isamap_from_double_bits(bits << 52);
}
/* e^(x - k ln 2) - 1 */
static inline double isamap_grown(double x, double k) {
    const double high = x - k * {LN2_HIGH}, low = k * {LN2_LOW}, r = high - low;
    return r + (r * r * {EXP(r)} + ((high - r) - low));
}
/* e^x within [{LOWEST}, {HIGHEST}]; the power of two in two halves, as one might be no double. */
static inline double isamap_double_exp_within(double x) {
    const double shifted = x * {LOG2_E} + {TWO_FACTORS};
    const uint64_t bits = isamap_double_bits(shifted), half = bits >> 1;
    return (1.0 + isamap_grown(x, shifted - {TWO_FACTORS})) * isamap_double_power(half) * isamap_double_power(bits - half);
}
static inline double isamap_exp(double x) {
    x = isamap_choose_double(x < {LOWEST}, {LOWEST}, x);
    return isamap_double_exp_within(isamap_choose_double(x > {HIGHEST}, {HIGHEST}, x));
}
static inline double isamap_sigmoid(double x) {
    const double m = __builtin_fabs(x);
    const double z = isamap_double_exp_within(-isamap_choose_double(m > {FARTHEST}, {FARTHEST}, m));
    const double n = isamap_choose_double(x < 0.0, z, 1.0);
    return n - n * (z / (1.0 + z));
}
static inline double isamap_tanh(double x) {
    double m = __builtin_fabs(x);
    m = isamap_choose_double(m > {SATURATED}, {SATURATED}, m) * -2.0;
    const double shifted = m * {LOG2_E} + {ONE_FACTOR}, scale = isamap_double_power(isamap_double_bits(shifted));
    const double t = isamap_grown(m, shifted - {ONE_FACTOR}) * scale;
    return __builtin_copysign((t + (scale - 1.0)) / (t + (scale + 1.0)), x);
}
static inline double isamap_log(double x) {
    const int tiny = x < 0x1p-1022;
    const uint64_t bits = isamap_double_bits(isamap_choose_double(tiny, x * 0x1p54, x)) - {ROOT_HALF};
    const double k = (double)(int32_t)((int64_t)bits >> 52) - isamap_choose_double(tiny, 54.0, 0.0);
    const double f = isamap_from_double_bits((bits & {MANTISSA}) + {ROOT_HALF}) - 1.0;
    const double s = f / (2.0 + f), h = 0.5 * f * f, z = s * s;
    double found = k * {LN2_HIGH} - ((h - (s * (h + z * {LOG(z)}) + k * {LN2_LOW})) - f);
    found = isamap_choose_double(x == __builtin_inf(), x, found);
    found = isamap_choose_double(x == 0.0, -__builtin_inf(), found);
    return isamap_choose_double(x >= 0.0, found, __builtin_nan(""));
}
static inline double isamap_erf(double x) {
    double m = __builtin_fabs(x);
    m = isamap_choose_double(m > {FLAT}, {FLAT}, m);
    const double m2 = m * m, u = m - 2.0, small = x + x * {ERF_SMALL(m2)};
    const double large = 1.0 - isamap_double_exp_within(-(m + m * {ERF_LARGE(u)}));
    return isamap_choose_double(m > {SMALL}, __builtin_copysign(large, x), small);
}
#endif
"""


def c_horner(x: str, coefficients: tuple[np.float64, ...]) -> str:
    found = repr(float(coefficients[-1]))
    for c in coefficients[-2::-1]:
        found = f"({found} * {x} + {float(c)!r})"
    return found


def c_functions() -> str:
    """The same sequences as C functions isamap_exp, isamap_log ... of double."""
    polynomials = {"EXP(r)": EXP, "LOG(z)": LOG, "ERF_SMALL(m2)": ERF_SMALL, "ERF_LARGE(u)": ERF_LARGE}
    text = _C
    for name, bits in {"ROOT_HALF": ROOT_HALF, "MANTISSA": MANTISSA}.items():
        text = text.replace("{" + name + "}", f"UINT64_C({int(bits):#x})")
    for name, coefficients in polynomials.items():
        text = text.replace("{" + name + "}", c_horner(name.partition("(")[2][:-1], coefficients))
    for name, value in _NUMBERS.items():
        text = text.replace("{" + name + "}", repr(float(value)))
    return text
