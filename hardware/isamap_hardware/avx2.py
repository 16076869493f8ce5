"""AVX2 with FMA: 16 registers of 32 bytes.

The integer dot products are exact: bytes are widened to 16 bits inside the register, even and odd ones apart, and
vpmaddwd sums pairs of 32-bit products. A lane's four bytes thus need no shuffle. A compiler shares the widening
between executions that use the same operand.
"""

from __future__ import annotations

import isamap_smt as im
from isamap_hardware import avx2_lanes
from isamap_hardware.across import across, x86_prelude
from isamap_hardware.caches import links, memories
from isamap_hardware.erf_pieces import pieces
from isamap_hardware.lanewise import Row, lanewise, x86_floats, x86_ints
from isamap_hardware.lookups import BYTES, WORDS, gathers, lookups
from isamap_hardware.moves import MoveCode, Register, moves
from isamap_hardware.vnni import halves

# ---- erf in AVX2's own operations: the bits of isamap's sequence, the coefficients of a piece by vpermps and not by
# loads.
#
# benchmarks/accuracy.py compares the two for all 2^32 arguments.


FUNCTION_HELPERS = """\
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
        prelude=FUNCTION_HELPERS,
    ),
)


REQUIRES = ("avx2", "fma")

PRELUDE = """\
/* Lanes below `active` are all ones, the others zero. */
static inline __m256i avx2_mask32(int64_t active) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)active), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
static inline __m256i avx2_mask64(int64_t active) {
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(active), _mm256_setr_epi64x(0, 1, 2, 3));
}
/* The first `active` lanes from memory, `fill` in the others. */
static inline __m256 avx2_filled_ps(const float *p, int64_t active, float fill) {
    const __m256i some = avx2_mask32(active);
    return _mm256_blendv_ps(_mm256_set1_ps(fill), _mm256_maskload_ps(p, some), _mm256_castsi256_ps(some));
}
static inline __m256d avx2_filled_pd(const double *p, int64_t active, double fill) {
    const __m256i some = avx2_mask64(active);
    return _mm256_blendv_pd(_mm256_set1_pd(fill), _mm256_maskload_pd(p, some), _mm256_castsi256_pd(some));
}
static inline __m256i avx2_filled_epi32(const void *p, int64_t active, int32_t fill) {
    const __m256i some = avx2_mask32(active);
    return _mm256_blendv_epi8(_mm256_set1_epi32(fill), _mm256_maskload_epi32((const int *)p, some), some);
}
/* Four bytes, of any alignment and any element type, in every lane. */
static inline __m256i avx2_broadcast32(const void *p) {
    int32_t word;
    memcpy(&word, p, sizeof word);
    return _mm256_set1_epi32(word);
}
static inline __m256i avx2_even_u8(__m256i v) { return _mm256_and_si256(v, _mm256_set1_epi16(0xff)); }
static inline __m256i avx2_odd_u8(__m256i v) { return _mm256_srli_epi16(v, 8); }
static inline __m256i avx2_even_i8(__m256i v) { return _mm256_srai_epi16(_mm256_slli_epi16(v, 8), 8); }
static inline __m256i avx2_odd_i8(__m256i v) { return _mm256_srai_epi16(v, 8); }
static inline __m256i avx2_madd_u8i8(__m256i acc, __m256i a, __m256i b) {
    __m256i even = _mm256_madd_epi16(avx2_even_u8(a), avx2_even_i8(b));
    __m256i odd = _mm256_madd_epi16(avx2_odd_u8(a), avx2_odd_i8(b));
    return _mm256_add_epi32(acc, _mm256_add_epi32(even, odd));
}
static inline __m256i avx2_madd_i8i8(__m256i acc, __m256i a, __m256i b) {
    __m256i even = _mm256_madd_epi16(avx2_even_i8(a), avx2_even_i8(b));
    __m256i odd = _mm256_madd_epi16(avx2_odd_i8(a), avx2_odd_i8(b));
    return _mm256_add_epi32(acc, _mm256_add_epi32(even, odd));
}
"""
HALVES = """\
static inline __m256i avx2_maddubs_u4(__m256i acc, __m256i a, __m256i b, __m256i c) {
    const __m256i low = _mm256_set1_epi8(15), high = _mm256_and_si256(_mm256_srli_epi16(a, 4), low);
    __m256i pairs = _mm256_add_epi16(_mm256_maddubs_epi16(_mm256_and_si256(a, low), b), _mm256_maddubs_epi16(high, c));
    return _mm256_add_epi32(acc, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}
"""
HEADERS = ("immintrin.h", "stdint.h", "string.h")

FLOAT = MoveCode(
    load="{r} = _mm256_loadu_ps({m});",
    broadcast="{r} = _mm256_broadcast_ss({m});",
    zero="{r} = _mm256_setzero_ps();",
    store="_mm256_storeu_ps({m}, {r});",
    masked_load="{r} = _mm256_maskload_ps({m}, avx2_mask32({active}));",
    masked_store="_mm256_maskstore_ps({m}, avx2_mask32({active}), {r});",
    filled_load="{r} = avx2_filled_ps({m}, {active}, FILL);",
)
DOUBLE = MoveCode(
    load="{r} = _mm256_loadu_pd({m});",
    broadcast="{r} = _mm256_broadcast_sd({m});",
    zero="{r} = _mm256_setzero_pd();",
    store="_mm256_storeu_pd({m}, {r});",
    masked_load="{r} = _mm256_maskload_pd({m}, avx2_mask64({active}));",
    masked_store="_mm256_maskstore_pd({m}, avx2_mask64({active}), {r});",
    filled_load="{r} = avx2_filled_pd({m}, {active}, FILL);",
)
# 32-bit words: one i32, two i16 or four bytes
WORD = MoveCode(
    load="{r} = _mm256_loadu_si256((const __m256i *)({m}));",
    broadcast="{r} = avx2_broadcast32({m});",
    zero="{r} = _mm256_setzero_si256();",
    store="_mm256_storeu_si256((__m256i *)({m}), {r});",
    masked_load="{r} = _mm256_maskload_epi32((const int *)(const void *)({m}), avx2_mask32({active}));",
    masked_store="_mm256_maskstore_epi32((int *)(void *)({m}), avx2_mask32({active}), {r});",
    filled_load="{r} = avx2_filled_epi32({m}, {active}, FILL);",
)

REGISTERS = (
    (Register("avx2", "ymm", "f32", 8, 1, "__m256"), FLOAT),
    (Register("avx2", "ymm", "f64", 4, 1, "__m256d"), DOUBLE),
    (Register("avx2", "ymm", "i32", 8, 1, "__m256i"), WORD),
    (Register("avx2", "ymm", "i16", 8, 2, "__m256i"), WORD),
    (Register("avx2", "ymm", "u8", 8, 4, "__m256i"), WORD),
    (Register("avx2", "ymm", "i8", 8, 4, "__m256i"), WORD),
)


def _float(name: str, dtype: str, lanes: int, c_type: str) -> im.Instruction:
    return im.instruction(
        f"avx2.{name}",
        "c[l] += a[l] * b[l]",
        axes={"l": lanes},
        temporaries=0,
        dtypes=dict.fromkeys("abc", dtype),
        places=dict.fromkeys("abc", "ymm"),
        emit=f"{{c}} = _mm256_{name}({{a}}, {{b}}, {{c}});",
        requires=REQUIRES,
        latency=4.0,
        per_cycle=2.0,
        rounding="fused",
        c_types=dict.fromkeys("abc", c_type),
    )


def _dot(name: str, operands: tuple[str, str], group: int, emit: str, per_cycle: float) -> im.Instruction:
    a, b = operands
    return im.instruction(
        f"avx2.{name}",
        "acc[l] += i32(a[l,e]) * i32(b[l,e])",
        axes={"l": 8, "e": group},
        dtypes={"a": a, "b": b, "acc": "i32"},
        places=dict.fromkeys(("a", "b", "acc"), "ymm"),
        emit=emit,
        requires=("avx2",),
        latency=5.0,
        per_cycle=per_cycle,
        c_types=dict.fromkeys(("a", "b", "acc"), "__m256i"),
        headers=HEADERS,
        prelude=PRELUDE,
    )


COMPUTES = (
    _float("fmadd_ps", "f32", 8, "__m256"),
    _float("fmadd_pd", "f64", 4, "__m256d"),
    _dot("madd_u8i8", ("u8", "i8"), 4, "{acc} = avx2_madd_u8i8({acc}, {a}, {b});", 0.5),
    _dot("madd_i8i8", ("i8", "i8"), 4, "{acc} = avx2_madd_i8i8({acc}, {a}, {b});", 0.5),
    _dot("madd_i16i16", ("i16", "i16"), 2, "{acc} = _mm256_add_epi32({acc}, _mm256_madd_epi16({a}, {b}));", 1.0),
    halves(
        "avx2.maddubs_u4",
        8,
        "ymm",
        "__m256i",
        "avx2_maddubs_u4",
        requires=("avx2",),
        latency=13.0,
        per_cycle=0.5,
        headers=HEADERS,
        prelude=HALVES,
        temporaries=3,
    ),
    im.instruction(
        "avx2.mullo_i32",
        "c[l] += a[l] * b[l]",
        axes={"l": 8},
        dtypes=dict.fromkeys("abc", "i32"),
        places=dict.fromkeys("abc", "ymm"),
        emit="{c} = _mm256_add_epi32({c}, _mm256_mullo_epi32({a}, {b}));",
        requires=("avx2",),
        latency=5.0,
        per_cycle=1.0,
        c_types=dict.fromkeys("abc", "__m256i"),
    ),
)


def _floats(suffix: str) -> tuple[Row, ...]:
    return x86_floats(
        256,
        suffix,
        f"_mm256_or_{suffix}(_mm256_NAME_{suffix}({{b}}, {{a}}), _mm256_cmp_{suffix}({{b}}, {{b}}, _CMP_UNORD_Q))",
        f"_mm256_blendv_{suffix}({{y}}, {{x}}, _mm256_cmp_{suffix}({{a}}, {{b}}, PREDICATE))",
    )


LANEWISE = (
    *lanewise("avx2", "ymm", "f32", 8, "__m256", _floats("ps"), ("avx2",)),
    *lanewise("avx2", "ymm", "f64", 4, "__m256d", _floats("pd"), ("avx2",)),
    *lanewise("avx2", "ymm", "i32", 8, "__m256i", x86_ints(256), ("avx2",)),
    *across("avx2", "ymm", "f32", 8, "__m256", ("avx2",), x86_prelude("avx2", "f32", 256, "__m256")),
    *across("avx2", "ymm", "f64", 4, "__m256d", ("avx2",), x86_prelude("avx2", "f64", 256, "__m256d")),
    *across("avx2", "ymm", "i32", 8, "__m256i", ("avx2",), x86_prelude("avx2", "i32", 256, "__m256i")),
)

VECTOR = "__m256i"
LOOKUPS = (
    *lookups(
        "avx2", "ymm", "shuffle", 16, 32, BYTES, "{d} = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256({t}), {idx});",
        (VECTOR, "__m128i", VECTOR), ("avx2",), 1.0,
    ),
    *lookups(
        "avx2", "ymm", "permutevar8x32", 8, 8, WORDS[:1], "{d} = _mm256_permutevar8x32_ps({t}, {idx});",
        ("__m256", "__m256", VECTOR), ("avx2",),
    ),
    *lookups(
        "avx2", "ymm", "permutevar8x32", 8, 8, WORDS[1:], "{d} = _mm256_permutevar8x32_epi32({t}, {idx});",
        (VECTOR,) * 3, ("avx2",),
    ),
    *gathers("avx2", "ymm", 8, 0.2, (
        ("f32", "__m256", VECTOR, "{d} = _mm256_i32gather_ps({t}, {idx}, 4);"),
        ("i32", VECTOR, VECTOR, "{d} = _mm256_i32gather_epi32((const int *){t}, {idx}, 4);"),
    ), ("avx2",)),
)  # fmt: skip

HARDWARE = im.Hardware(
    "avx2",
    memories("ymm", 16, 32),
    links("ymm", load=64.0, store=32.0),
    COMPUTES
    + LANEWISE
    + FUNCTIONS
    + LOOKUPS
    + avx2_lanes.INSTRUCTIONS
    + tuple(move for register, code in REGISTERS for move in moves(register, code, REQUIRES, PRELUDE, HEADERS)),
    "x86-64 with AVX2 and FMA: 8 f32, 4 f64 or 8 i32 lanes, exact 8-bit and 16-bit dot products",
)
