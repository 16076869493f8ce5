"""Vector instructions this CPU lacks, emulated by SIMDe's headers if they are installed: for tests, never for speed.

A header named immintrin.h is put before the compiler's own. It includes that one, then SIMDe with the intrinsics'
own names, then the few intrinsics missing in Debian 12's SIMDe, written with those it has or in plain C.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

from isamap_hardware.host import features as host_features
from isamap_smt.ir.errors import BuildError
from isamap_smt.runtime.whole_file import whole_file

_PLACES = ("/usr/include", "/usr/local/include")

SHIM = r"""
#ifndef ISAMAP_SIMDE_SHIM
#define ISAMAP_SIMDE_SHIM
#define avx512_emulated /* compilers' own builtins are not there */
#pragma GCC system_header
#include_next <immintrin.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>

/* Lanes of `width` bytes each, of which k says which there are. */
static inline void isamap_simde_mask_copy(void *to, const void *from, uint32_t k, int lanes, int width) {
    for (int l = 0; l < lanes; l++)
        if (k >> l & 1u) memcpy((char *)to + width * l, (const char *)from + width * l, (size_t)width);
}
#define ISAMAP_SIMDE_LOAD(vector, name, lanes, width) \
    static inline vector isamap_simde_mask_##name(vector r, uint32_t k, const void *p) { \
        isamap_simde_mask_copy(&r, p, k, lanes, width); \
        return r; \
    } \
    static inline vector isamap_simde_maskz_##name(uint32_t k, const void *p) { \
        vector r; \
        memset(&r, 0, sizeof r); \
        return isamap_simde_mask_##name(r, k, p); \
    }
ISAMAP_SIMDE_LOAD(__m512, loadu_ps, 16, 4)
ISAMAP_SIMDE_LOAD(__m512d, loadu_pd, 8, 8)
ISAMAP_SIMDE_LOAD(__m512i, loadu_epi32, 16, 4)
ISAMAP_SIMDE_LOAD(__m128i, loadu_epi8, 16, 1)
ISAMAP_SIMDE_LOAD(__m256i, loadu_epi16, 16, 2)
ISAMAP_SIMDE_LOAD(__m512i, loadu_epi16_32, 32, 2)
/* Elements that become words of 32 bits, and parts of a register of `width` bytes an element. */
static inline __m512i isamap_simde_widened(const void *p, int width) {
    uint32_t v[16] = {0};
    for (int l = 0; l < 16; l++) memcpy(v + l, (const char *)p + width * l, (size_t)width);
    __m512i r;
    memcpy(&r, v, sizeof r);
    return r;
}
static inline __m512i isamap_simde_cvtepu8_epi32(__m128i a) { return isamap_simde_widened(&a, 1); }
static inline __m512i isamap_simde_cvtepu16_epi32(__m256i a) { return isamap_simde_widened(&a, 2); }
#define ISAMAP_SIMDE_STORE(vector, name, lanes, width) \
    static inline void isamap_simde_##name(void *p, uint32_t k, vector v) { isamap_simde_mask_copy(p, &v, k, lanes, width); }
ISAMAP_SIMDE_STORE(__m512, mask_storeu_ps, 16, 4)
ISAMAP_SIMDE_STORE(__m512d, mask_storeu_pd, 8, 8)
ISAMAP_SIMDE_STORE(__m512i, mask_storeu_epi32, 16, 4)
ISAMAP_SIMDE_STORE(__m512i, mask_storeu_epi16_32, 32, 2)
/* f16 in 32 lanes. */
typedef _Float16 isamap_simde_ph __attribute__((vector_size(64)));
static inline isamap_simde_ph isamap_simde_load_ph(const void *p) {
    isamap_simde_ph r;
    memcpy(&r, p, 64);
    return r;
}
static inline isamap_simde_ph isamap_simde_all_ph(_Float16 v) {
    isamap_simde_ph r;
    for (int l = 0; l < 32; l++) r[l] = v;
    return r;
}
/* The product of two f16 is exact in f64; its sum with a third is rounded to odd there, so that f16 rounds it once. */
static inline _Float16 isamap_simde_fma16(_Float16 a, _Float16 b, _Float16 c) {
    const double p = (double)a * (double)b, s = p + (double)c, back = s - p;
    const double lost = (p - (s - back)) + ((double)c - back);
    uint64_t bits;
    memcpy(&bits, &s, 8);
    if (isfinite(s) && lost != 0 && !(bits & 1)) bits += (lost > 0) == (s > 0) ? 1 : UINT64_MAX;
    double odd;
    memcpy(&odd, &bits, 8);
    return (_Float16)odd;
}
static inline isamap_simde_ph isamap_simde_fmadd_ph(isamap_simde_ph a, isamap_simde_ph b, isamap_simde_ph c) {
    isamap_simde_ph r;
    for (int l = 0; l < 32; l++) r[l] = isamap_simde_fma16(a[l], b[l], c[l]);
    return r;
}
static inline float isamap_simde_flush(float v) {
    return fpclassify(v) == FP_SUBNORMAL ? copysignf(0.0f, v) : v;
}
/* What rounds to less than the smallest normal number when exponents have no bound is flushed: 2^-126 - 2^-151 is a tie.
   Of several NaN the first one stays, quiet. */
static inline float isamap_simde_step(float x, float y, float acc) {
    const float all[3] = {x, y, acc};
    for (int n = 0; n < 3; n++)
        if (isnan(all[n])) {
            uint32_t bits;
            float quiet;
            memcpy(&bits, &all[n], 4);
            bits |= 0x400000u;
            memcpy(&quiet, &bits, 4);
            return quiet;
        }
    double near = (double)x * y + acc;
    float sum = fmaf(x, y, acc);
    return fabs(near) < 0x1p-126 - 0x1p-151 ? copysignf(0.0f, sum) : sum;
}
/* Intel's manual: the odd product first, each step fused, denormals read as zero and flushed. */
static inline __m512 isamap_simde_dpbf16_ps(__m512 c, __m512i a, __m512i b) {
    float r[16];
    uint32_t x[16], y[16];
    memcpy(r, &c, 64);
    memcpy(x, &a, 64);
    memcpy(y, &b, 64);
    for (int l = 0; l < 16; l++)
        for (int e = 1; e >= 0; e--) {
            uint32_t p = x[l] >> 16 * e << 16, q = y[l] >> 16 * e << 16;
            float f, g;
            memcpy(&f, &p, 4);
            memcpy(&g, &q, 4);
            r[l] = isamap_simde_step(isamap_simde_flush(f), isamap_simde_flush(g), isamap_simde_flush(r[l]));
        }
    memcpy(&c, r, 64);
    return c;
}
/* AMX: tiles in memory, one set for each thread, with as many rows and bytes as this thread has configured. */
static _Thread_local uint8_t isamap_simde_tiles[8][16][64], isamap_simde_configuration[64];
static inline int isamap_simde_rows(int t) { return isamap_simde_configuration[48 + t]; }
static inline int isamap_simde_bytes(int t) { return isamap_simde_configuration[16 + 2 * t]; }
static inline void isamap_simde_configured(int right) {
    if (!right) __builtin_trap(); /* SIGILL, as from the CPU */
}
static inline void isamap_simde_tile_zero(int t) {
    isamap_simde_configured(isamap_simde_rows(t));
    memset(isamap_simde_tiles[t], 0, 1024);
}
static inline void isamap_simde_tile_load(int t, const void *p, int64_t stride) {
    isamap_simde_tile_zero(t);
    for (int r = 0; r < isamap_simde_rows(t); r++)
        memcpy(isamap_simde_tiles[t][r], (const char *)p + r * stride, (size_t)isamap_simde_bytes(t));
}
static inline void isamap_simde_tile_store(int t, void *p, int64_t stride) {
    isamap_simde_configured(isamap_simde_rows(t));
    for (int r = 0; r < isamap_simde_rows(t); r++)
        memcpy((char *)p + r * stride, isamap_simde_tiles[t][r], (size_t)isamap_simde_bytes(t));
}
static inline float isamap_simde_half(const uint8_t *p) {
    uint32_t bits = (uint32_t)p[0] << 16 | (uint32_t)p[1] << 24;
    float value;
    memcpy(&value, &bits, 4);
    return isamap_simde_flush(value);
}
/* Intel's manual: even and odd products are summed apart from +0, then to each other, then to the accumulator, whose NaN stays. */
static inline float isamap_simde_tile_floats(const uint8_t *a, uint8_t b[16][64], int depth, int j, float acc) {
    float sum[2] = {0, 0};
    for (int k = 0; k < depth; k++)
        sum[k % 2] = isamap_simde_step(isamap_simde_half(a + 2 * k), isamap_simde_half(b[k / 2] + 4 * j + 2 * (k % 2)), sum[k % 2]);
    return isamap_simde_step(isamap_simde_flush(acc), 1.0f, isamap_simde_step(sum[0], 1.0f, sum[1]));
}
static inline void isamap_simde_tile_dot(const char *how, int c, int a, int b) {
    const int rows = isamap_simde_rows(c), words = isamap_simde_bytes(c) / 4, depth = isamap_simde_bytes(a);
    isamap_simde_configured(rows && words && rows == isamap_simde_rows(a) && isamap_simde_rows(b) == depth / 4);
    isamap_simde_configured(isamap_simde_bytes(b) == 4 * words && depth % 4 == 0);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < words; j++) {
            uint8_t *at = isamap_simde_tiles[c][i] + 4 * j;
            if (strcmp(how, "tdpbf16ps") == 0) {
                float acc;
                memcpy(&acc, at, 4);
                acc = isamap_simde_tile_floats(isamap_simde_tiles[a][i], isamap_simde_tiles[b], depth / 2, j, acc);
                memcpy(at, &acc, 4);
                continue;
            }
            uint32_t acc;
            memcpy(&acc, at, 4);
            for (int k = 0; k < depth; k++) {
                const uint8_t x = isamap_simde_tiles[a][i][k], y = isamap_simde_tiles[b][k / 4][4 * j + k % 4];
                acc += (uint32_t)((how[4] == 's' ? (int8_t)x : (int)x) * (how[5] == 's' ? (int8_t)y : (int)y));
            }
            memcpy(at, &acc, 4);
        }
}
#define amx_tile_load(t, p, stride) isamap_simde_tile_load((t), (p), (stride))
#define amx_tile_store(t, p, stride) isamap_simde_tile_store((t), (p), (stride))
#define amx_tile_zero(t) isamap_simde_tile_zero(t)
#define amx_tile_dot(how, c, a, b) isamap_simde_tile_dot((how), (c), (a), (b))
static inline int amx_tiles_enter(const uint8_t *configuration) {
    memcpy(isamap_simde_configuration, configuration, 64);
    memset(isamap_simde_tiles, 0, sizeof isamap_simde_tiles);
    return 0;
}
static inline void amx_tiles_leave(void) { memset(isamap_simde_configuration, 0, 64); }
#undef _mm512_cvtepu8_epi32
#undef _mm512_cvtepu16_epi32
#undef _mm_maskz_loadu_epi8
#undef _mm_mask_loadu_epi8
#undef _mm256_maskz_loadu_epi16
#undef _mm256_mask_loadu_epi16
#define _mm512_cvtepu8_epi32(a) isamap_simde_cvtepu8_epi32(a)
#define _mm512_cvtepu16_epi32(a) isamap_simde_cvtepu16_epi32(a)
#define _mm_maskz_loadu_epi8(k, p) isamap_simde_maskz_loadu_epi8((k), (p))
#define _mm_mask_loadu_epi8(r, k, p) isamap_simde_mask_loadu_epi8((r), (k), (p))
#define _mm256_maskz_loadu_epi16(k, p) isamap_simde_maskz_loadu_epi16((k), (p))
#define _mm256_mask_loadu_epi16(r, k, p) isamap_simde_mask_loadu_epi16((r), (k), (p))
#undef _mm512_maskz_loadu_epi16
#undef _mm512_mask_loadu_epi16
#undef _mm512_mask_storeu_epi16
#define __m512h isamap_simde_ph
#define _mm512_loadu_ph(p) isamap_simde_load_ph(p)
#define _mm512_storeu_ph(p, v) memcpy((p), &(v), 64)
#define _mm512_set1_ph(v) isamap_simde_all_ph(v)
#define _mm512_setzero_ph() isamap_simde_all_ph(0)
#define _mm512_fmadd_ph(a, b, c) isamap_simde_fmadd_ph((a), (b), (c))
#define _mm512_castsi512_ph(v) ((isamap_simde_ph)(v))
#define _mm512_castph_si512(v) ((__m512i)(v))
#define _mm512_maskz_loadu_epi16(k, p) isamap_simde_maskz_loadu_epi16_32((k), (p))
#define _mm512_mask_loadu_epi16(r, k, p) isamap_simde_mask_loadu_epi16_32((r), (k), (p))
#define _mm512_mask_storeu_epi16(p, k, v) isamap_simde_mask_storeu_epi16_32((p), (k), (v))
#undef _mm512_maskz_loadu_ps
#undef _mm512_mask_loadu_ps
#undef _mm512_maskz_loadu_pd
#undef _mm512_mask_loadu_pd
#undef _mm512_maskz_loadu_epi32
#undef _mm512_mask_loadu_epi32
#undef _mm512_mask_storeu_ps
#undef _mm512_mask_storeu_pd
#undef _mm512_mask_storeu_epi32
#undef _mm512_dpbf16_ps
#undef _mm512_madd_epi16 /* SIMDe 0.7.4 gives this name to the masked form */
#define _mm512_madd_epi16(a, b) simde_mm512_madd_epi16((a), (b))
#define _mm512_maskz_loadu_ps(k, p) isamap_simde_maskz_loadu_ps((k), (p))
#define _mm512_mask_loadu_ps(r, k, p) isamap_simde_mask_loadu_ps((r), (k), (p))
#define _mm512_maskz_loadu_pd(k, p) isamap_simde_maskz_loadu_pd((k), (p))
#define _mm512_mask_loadu_pd(r, k, p) isamap_simde_mask_loadu_pd((r), (k), (p))
#define _mm512_maskz_loadu_epi32(k, p) isamap_simde_maskz_loadu_epi32((k), (p))
#define _mm512_mask_loadu_epi32(r, k, p) isamap_simde_mask_loadu_epi32((r), (k), (p))
#define _mm512_mask_storeu_ps(p, k, v) isamap_simde_mask_storeu_ps((p), (k), (v))
#define _mm512_mask_storeu_pd(p, k, v) isamap_simde_mask_storeu_pd((p), (k), (v))
#define _mm512_mask_storeu_epi32(p, k, v) isamap_simde_mask_storeu_epi32((p), (k), (v))
#define _mm512_dpbf16_ps(c, a, b) isamap_simde_dpbf16_ps((c), (__m512i)(a), (__m512i)(b))
#endif
"""


def find_simde() -> Path | None:
    """The directory with simde/x86/avx512.h: ISAMAP_SIMDE, or a usual place of system headers; None without."""
    places = [p for p in (os.environ.get("ISAMAP_SIMDE"), *_PLACES) if p]
    return next((Path(p) for p in places if (Path(p) / "simde/x86/avx512.h").is_file()), None)


def include_flags() -> list[str]:
    """The flags for a compiler to find SIMDe. Raises BuildError if it is not installed."""
    found = find_simde()
    if found is None:
        raise BuildError("SIMDe's headers are not there: apt-get install libsimde-dev, or set ISAMAP_SIMDE")
    return ["-idirafter", str(found)]


def write_shim(cache: Path) -> Path:
    """The subdirectory of the build cache with the header, written if missing, whole or not at all."""
    place = cache / f"simde-{hashlib.blake2b(SHIM.encode(), digest_size=8).hexdigest()}"
    place.mkdir(exist_ok=True)
    if not (place / "immintrin.h").exists():
        with whole_file(place / "immintrin.h") as new:
            new.write(SHIM)
    return place


def supported(requires: Iterable[str]) -> tuple[str, ...]:
    """The features to use of this CPU: the rest is emulated. AVX2 and FMA are always used if it has them.

    AVX-512 is always emulated whole, as SIMDe's headers do not compile with a part of it.
    """
    asked = {f for f in requires if not f.startswith("avx512")} | {"avx2", "fma"}
    return tuple(sorted(asked & host_features()))
