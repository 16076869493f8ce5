"""Functions in AVX-512's own operations: the bits of isamap's sequence, in fewer steps.

exp ends in a product with 2^k. One product would need a k that is an exponent, which the ends of the range have not, so the
sequence multiplies by two powers. vscalefps takes any k and rounds once, as the second of the two products does, of which the
first one is exact.
benchmarks/accuracy.py compares the two for all 2^32 arguments.
"""

from __future__ import annotations

import isamap_smt as im

REQUIRES = ("avx512f",)

EXP = """\
/* 2^k (1 + r + r^2 p(r)) where x = k ln 2 + r. */
static inline __m512 avx512_exp(__m512 x) {
    x = _mm512_max_ps(_mm512_set1_ps(-104.0f), x); /* the second operand, where that is NaN */
    x = _mm512_min_ps(_mm512_set1_ps(89.0f), x);
    const __m512 round = _mm512_set1_ps(12582912.0f);
    const __m512 k = _mm512_sub_ps(_mm512_fmadd_ps(x, _mm512_set1_ps(1.4426950216293335f), round), round);
    __m512 r = _mm512_fmadd_ps(k, _mm512_set1_ps(-0.693145751953125f), x);
    r = _mm512_fmadd_ps(k, _mm512_set1_ps(-1.4286197256296873e-06f), r);
    __m512 p = _mm512_fmadd_ps(r, _mm512_set1_ps(0.0013863430358469486f), _mm512_set1_ps(0.008367435075342655f));
    p = _mm512_fmadd_ps(r, p, _mm512_set1_ps(0.04166724160313606f));
    p = _mm512_fmadd_ps(r, p, _mm512_set1_ps(0.16666534543037415f));
    p = _mm512_fmadd_ps(r, p, _mm512_set1_ps(0.5f));
    p = _mm512_fmadd_ps(r, p, _mm512_set1_ps(1.0f));
    p = _mm512_fmadd_ps(r, p, _mm512_set1_ps(1.0f));
    return _mm512_scalef_ps(p, k);
}
"""

FUNCTIONS = (
    im.instruction(
        "avx512.exp_ps",
        "c[l] = exp(a[l])",
        axes={"l": 16},
        temporaries=4,
        dtypes=dict.fromkeys("ac", "f32"),
        places=dict.fromkeys("ac", "zmm"),
        emit="{c} = avx512_exp({a});",
        requires=REQUIRES,
        latency=50.0,
        per_cycle=0.18,
        c_types=dict.fromkeys("ac", "__m512"),
        headers=("immintrin.h",),
        prelude=EXP,
    ),
)
