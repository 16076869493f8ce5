"""Functions in AVX-512's own operations: the bits of isamap's sequence, in fewer steps.

exp ends in a product with 2^k. One product would need a k that is an exponent, which the ends of the range have not, so the
sequence multiplies by two powers. vscalefps takes any k and rounds once, as the second of the two products does, of which the
first one is exact. sigmoid makes its 2^k so, which is a float from the smallest subnormal to 2^127.
benchmarks/accuracy.py compares the two for all 2^32 arguments.
"""

from __future__ import annotations

import isamap_smt as im

REQUIRES = ("avx512f",)

REDUCED = """\
/* x = k ln 2 + r, k whole, where x lies in [-104, 89]. */
static inline __m512 avx512_whole(__m512 x) {
    const __m512 round = _mm512_set1_ps(12582912.0f);
    return _mm512_sub_ps(_mm512_fmadd_ps(x, _mm512_set1_ps(1.4426950216293335f), round), round);
}
static inline __m512 avx512_rest(__m512 x, __m512 k) {
    const __m512 r = _mm512_fmadd_ps(k, _mm512_set1_ps(-0.693145751953125f), x);
    return _mm512_fmadd_ps(k, _mm512_set1_ps(-1.4286197256296873e-06f), r);
}
/* NaN stays: it is the second operand. */
static inline __m512 avx512_within(__m512 x, float high) {
    return _mm512_min_ps(_mm512_set1_ps(high), _mm512_max_ps(_mm512_set1_ps(-104.0f), x));
}
/* (e^r - 1 - r) / r^2 */
static inline __m512 avx512_polynomial(__m512 r) {
    __m512 p = _mm512_fmadd_ps(r, _mm512_set1_ps(0.0013863430358469486f), _mm512_set1_ps(0.008367435075342655f));
    p = _mm512_fmadd_ps(r, p, _mm512_set1_ps(0.04166724160313606f));
    p = _mm512_fmadd_ps(r, p, _mm512_set1_ps(0.16666534543037415f));
    return _mm512_fmadd_ps(r, p, _mm512_set1_ps(0.5f));
}
static inline __m512 avx512_exp(__m512 x) {
    const __m512 one = _mm512_set1_ps(1.0f), within = avx512_within(x, 89.0f);
    const __m512 k = avx512_whole(within), r = avx512_rest(within, k);
    return _mm512_scalef_ps(_mm512_fmadd_ps(r, _mm512_fmadd_ps(r, avx512_polynomial(r), one), one), k);
}
/* 2^k / (2^k + e^-r), the sum from its smallest term. */
static inline __m512 avx512_sigmoid(__m512 x) {
    const __m512 one = _mm512_set1_ps(1.0f), within = avx512_within(x, 88.0f);
    const __m512 k = avx512_whole(within), rest = avx512_rest(within, k), r = _mm512_sub_ps(_mm512_setzero_ps(), rest);
    const __m512 t = _mm512_fmadd_ps(_mm512_mul_ps(r, r), avx512_polynomial(r), r), s = _mm512_scalef_ps(one, k);
    return _mm512_div_ps(s, _mm512_add_ps(_mm512_add_ps(t, _mm512_min_ps(s, one)), _mm512_max_ps(s, one)));
}
"""


def function(name: str, latency: float, per_cycle: float) -> im.Instruction:
    """The function of that name in each of 16 lanes."""
    return im.instruction(
        f"avx512.{name}_ps",
        f"c[l] = {name}(a[l])",
        axes={"l": 16},
        temporaries=4,
        dtypes=dict.fromkeys("ac", "f32"),
        places=dict.fromkeys("ac", "zmm"),
        emit=f"{{c}} = avx512_{name}({{a}});",
        requires=REQUIRES,
        latency=latency,
        per_cycle=per_cycle,
        c_types=dict.fromkeys("ac", "__m512"),
        headers=("immintrin.h",),
        prelude=REDUCED,
    )


FUNCTIONS = (function("exp", 50.0, 0.18), function("sigmoid", 75.0, 0.14))
