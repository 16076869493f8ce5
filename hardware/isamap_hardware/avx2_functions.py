"""erf in AVX2's own operations: the bits of isamap's sequence, the coefficients of a piece by vpermps and not by loads.

benchmarks/accuracy.py compares the two for all 2^32 arguments.
"""

from __future__ import annotations

import isamap_smt as im
from isamap_hardware.erf_pieces import pieces

PRELUDE = """\
static inline __m256 avx2_fused(__m256 a, float b, float c) {
    return _mm256_fmadd_ps(a, _mm256_set1_ps(b), _mm256_set1_ps(c));
}
/* NaN stays: it is the second operand. */
static inline __m256 avx2_size(__m256 x, float high) {
    return _mm256_min_ps(_mm256_set1_ps(high), _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x));
}
/* One of eight by each lane's number modulo 8. */
static inline __m256 avx2_piece(__m256i k, float a, float b, float c, float d, float e, float f, float g,
    float h) {
    return _mm256_permutevar8x32_ps(_mm256_setr_ps(a, b, c, d, e, f, g, h), k);
}
/* The same, of a 0 the first: 12582912 is the number whose bits end in 0. */
static inline __m256 avx2_piece_or(__m256 first, __m256i k, float a, float b, float c, float d, float e, float f, float g,
    float h) {
    const __m256i zeros = _mm256_cmpeq_epi32(k, _mm256_castps_si256(_mm256_set1_ps(12582912.0f)));
    return _mm256_blendv_ps(avx2_piece(k, a, b, c, d, e, f, g, h), first, _mm256_castsi256_ps(zeros));
}
static inline __m256 avx2_signed(__m256 size, __m256 x) {
    return _mm256_or_ps(size, _mm256_and_ps(_mm256_set1_ps(-0.0f), x));
}
"""
ERF = (
    "__m256 m = avx2_size({a}, 3.921875f);",
    "__m256 w = avx2_fused(m, 1.875f, 12582912.0f);",
    "__m256 d = _mm256_sub_ps(w, _mm256_set1_ps(12582912.0f));",
    "d = _mm256_fnmadd_ps(d, _mm256_set1_ps(0.53125f), m);",
    "__m256i k = _mm256_castps_si256(w);",
    *pieces("__m256", "avx2_piece", "_mm256_fmadd_ps"),
    "{c} = avx2_signed(p, {a});",
)

FUNCTIONS = (
    im.instruction(
        "avx2.erf_ps",
        "c[l] = erf(a[l])",
        axes={"l": 8},
        temporaries=3,
        dtypes=dict.fromkeys("ac", "f32"),
        places=dict.fromkeys("ac", "ymm"),
        emit="\n".join(ERF),
        requires=("avx2", "fma"),
        latency=48.0,
        per_cycle=0.14,
        c_types=dict.fromkeys("ac", "__m256"),
        headers=("immintrin.h",),
        prelude=PRELUDE,
    ),
)
