"""exp, tanh and sigmoid of f32 as fixed sequences of f64 operations, the same in NumPy here and in the C that is printed.

Every step is one IEEE operation rounded to nearest, so both give the same bits. The f64 result is rounded to f32 at the
end; the largest errors, found over every f32, are stated in ULP and tested (tests/language/test_activations.py).

    exp(x)     = 2^k p(r), k = round(x log2 e), r = x - k ln 2 in two parts, p the Taylor polynomial of degree 11
    sigmoid(x) = 1 / (1 + exp(-x))
    tanh(x)    = (e - 1) / (e + 1), e = exp(2x); x + x^3 q(x^2) where |x| < 1/128
"""

from __future__ import annotations

from collections.abc import Callable
from math import factorial

import numpy as np

Array = np.ndarray

LOG2_E = 1.4426950408889634
LN2_HIGH, LN2_LOW = 0.693147180369123816490, 1.90821492927058770002e-10  # the high part has 32 trailing zero bits
ROUND = 6755399441055744.0  # 1.5 * 2^52: adding it leaves the nearest integer in the low bits
LARGEST = 110.0  # beyond it exp is 0 or infinite in f32
SMALL = 0.0078125
TANH = (-17.0 / 315.0, 2.0 / 15.0, -1.0 / 3.0)
COEFFICIENTS = tuple(1.0 / factorial(n) for n in range(11, -1, -1))
ULP = {"exp": 0.501, "tanh": 0.501, "sigmoid": 0.501}  # the largest error of the f32 result


def exp(x: Array) -> Array:
    """e**x of f64 values, for use after rounding to f32 only: beyond +-110 the argument is clamped."""
    x = np.where(x < -LARGEST, -LARGEST, x)
    x = np.where(x > LARGEST, LARGEST, x)
    shifted = x * LOG2_E + ROUND
    k = shifted - ROUND
    r = (x - k * LN2_HIGH) - k * LN2_LOW
    p = np.full_like(r, COEFFICIENTS[0])
    for c in COEFFICIENTS[1:]:
        p = p * r + c
    scale = ((shifted.view(np.uint64) + np.uint64(1023)) << np.uint64(52)).view(np.float64)
    return np.asarray(p * scale)


def sigmoid(x: Array) -> Array:
    """1 / (1 + e**-x) of f64 values, for use after rounding to f32."""
    return np.asarray(1.0 / (1.0 + exp(-x)))


def tanh(x: Array) -> Array:
    """Hyperbolic tangent of f64 values, for use after rounding to f32."""
    e = exp(2.0 * x)
    s = x * x
    q = np.full_like(s, TANH[0])
    for c in TANH[1:]:
        q = q * s + c
    return np.where(np.abs(x) < SMALL, x + x * s * q, (e - 1.0) / (e + 1.0))


def smooth(name: str, x: Array) -> Array:
    """The function of that name. f64 arguments keep NumPy's own accuracy; all others go through the sequences above."""
    wide = x.astype(np.float64)
    found = _ACCURATE[name](wide) if x.dtype == np.float64 else _SEQUENCES[name](wide)
    return found.astype(x.dtype)


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


def _c(name: str, body: str) -> str:
    return f"static inline double {name}(double x) {{\n{body}}}\n"


def c_functions() -> str:
    """The same sequences as C functions isamap_exp, isamap_sigmoid, isamap_tanh, and isamap_nearest for rounding."""
    steps = "".join(f"    p = p * r + {c!r};\n" for c in COEFFICIENTS[1:])
    exponential = _c(
        "isamap_exp",
        f"    x = x < {-LARGEST!r} ? {-LARGEST!r} : x;\n    x = x > {LARGEST!r} ? {LARGEST!r} : x;\n"
        f"    const double shifted = x * {LOG2_E!r} + {ROUND!r};\n    const double k = shifted - {ROUND!r};\n"
        f"    const double r = (x - k * {LN2_HIGH!r}) - k * {LN2_LOW!r};\n"
        f"    double p = {COEFFICIENTS[0]!r}, scale;\n{steps}"
        "    uint64_t bits;\n    memcpy(&bits, &shifted, sizeof bits);\n    bits = (bits + 1023) << 52;\n"
        "    memcpy(&scale, &bits, sizeof scale);\n    return p * scale;\n",
    )
    series = "".join(f"    q = q * s + {c!r};\n" for c in TANH[1:])
    return (
        "#ifndef ISAMAP_FUNCTIONS\n#define ISAMAP_FUNCTIONS\n"
        "/* Fixed sequences of double operations; results are meant to be rounded to float. */\n"
        + exponential
        + _c("isamap_sigmoid", "    return 1.0 / (1.0 + isamap_exp(-x));\n")
        + _c(
            "isamap_tanh",
            f"    const double e = isamap_exp(2.0 * x), s = x * x;\n    double q = {TANH[0]!r};\n{series}"
            f"    return (x < 0.0 ? -x : x) < {SMALL!r} ? x + x * s * q : (e - 1.0) / (e + 1.0);\n",
        )
        + "/* The nearest integer within [low, high], ties to even; NaN becomes 0. */\n"
        "static inline double isamap_nearest(double x, double low, double high) {\n"
        "    x = x != x ? 0.0 : x;\n    x = x < low ? low : x;\n    x = x > high ? high : x;\n"
        "    return __builtin_rint(x);\n}\n#endif\n"
    )
