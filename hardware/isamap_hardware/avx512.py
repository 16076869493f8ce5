"""AVX-512 F: 32 registers of 64 bytes, fused multiply-add on f32 and f64."""

from __future__ import annotations

from functools import partial

import isamap_smt as im
from isamap_hardware.across import across, x86_prelude
from isamap_hardware.avx512_lanes import FIRST, INSTRUCTIONS
from isamap_hardware.avx512_words import C_TYPE, HEADERS
from isamap_hardware.avx512_words import PRELUDE as WORD_PRELUDE
from isamap_hardware.caches import links, memories
from isamap_hardware.erf_pieces import pieces
from isamap_hardware.lanewise import Row, lanewise, x86_floats
from isamap_hardware.lookups import BYTES, HALVES, WORDS, gathers, lookups
from isamap_hardware.moves import MoveCode, Register, moves

# ---- Functions in AVX-512's own operations: the bits of isamap's sequences, in fewer steps.
#
# exp ends in a product with 2^k. One product would need a k that is an exponent, which the ends of the range have not,
# so the sequence multiplies by two powers. vscalefps takes any k and rounds once, as the second of the two products
# does, of which the first one is exact. Where k leaves the range, or is NaN, it gives infinity, 0 or NaN of any
# positive factor: so not the argument is kept within a range, which takes two steps, but r, of which vrangeps takes the
# sign and the lesser size in one. sigmoid makes its 2^k so, which is a float from the smallest subnormal to 2^127. The
# coefficients of erf's piece are picked by vpermps from registers, where other machines load them. Each function is a
# list of steps, so that those of several executions can take turns. benchmarks/accuracy.py compares the two for all
# 2^32 arguments.


REQUIRES = ("avx512f",)
RANGE = (*REQUIRES, "avx512dq")

PRELUDE = """\
/* a b + c */
static inline __m512 avx512_fused(__m512 a, __m512 b, float c) { return _mm512_fmadd_ps(a, b, _mm512_set1_ps(c)); }
/* NaN stays: it is the second operand. */
static inline __m512 avx512_within(__m512 x, float high) {
    return _mm512_min_ps(_mm512_set1_ps(high), _mm512_max_ps(_mm512_set1_ps(-104.0f), x));
}
static inline __m512 avx512_size(__m512 x, float high) {
    return _mm512_min_ps(_mm512_set1_ps(high), _mm512_abs_ps(x));
}
/* One of eight by each lane's number modulo 8, which may have one bit more. */
static inline __m512 avx512_piece(__m512i k, float a, float b, float c, float d, float e, float f, float g,
    float h) {
    return _mm512_permutexvar_ps(k, _mm512_setr_ps(a, b, c, d, e, f, g, h, a, b, c, d, e, f, g, h));
}
/* The same, of a 0 the first. */
static inline __m512 avx512_piece_or(__m512 first, __m512i k, float a, float b, float c, float d, float e, float f, float g,
    float h) {
    const __m512 pieces = _mm512_setr_ps(a, b, c, d, e, f, g, h, a, b, c, d, e, f, g, h);
    return _mm512_mask_permutexvar_ps(first, _mm512_test_epi32_mask(k, _mm512_set1_epi32(7)), k, pieces);
}
/* The sign of the second. */
static inline __m512 avx512_signed(__m512 size, __m512 x) {
    const __m512i bits = _mm512_set1_epi32(0x7fffffff);
    return _mm512_castsi512_ps(_mm512_ternarylogic_epi32(bits, _mm512_castps_si512(size), _mm512_castps_si512(x), 0xca));
}
"""

#: x = k ln 2 + r, k whole; for |x| below 2^21 |r| is less than 1/2.
WHOLE = (
    "__m512 k = avx512_fused(x, _mm512_set1_ps(1.4426950216293335f), 12582912.0f);",
    "k = _mm512_sub_ps(k, _mm512_set1_ps(12582912.0f));",
)
#: p = (e^r - 1 - r) / r^2
POLYNOMIAL = (
    "__m512 p = avx512_fused(r, _mm512_set1_ps(0.0013863430358469486f), 0.008367435075342655f);",
    "p = avx512_fused(r, p, 0.04166724160313606f);",
    "p = avx512_fused(r, p, 0.16666534543037415f);",
    "p = avx512_fused(r, p, 0.5f);",
)
EXP = (
    "__m512 x = {a};",
    *WHOLE,
    "__m512 r = _mm512_fmadd_ps(k, _mm512_set1_ps(-0.693145751953125f), x);",
    "r = _mm512_fmadd_ps(k, _mm512_set1_ps(-1.4286197256296873e-06f), r);",
    "r = _mm512_range_ps(r, _mm512_set1_ps(0.5f), 2);",  # the sign of r, and its size or 1/2: of what is NaN 1/2, too
    *POLYNOMIAL,
    "p = avx512_fused(r, p, 1.0f);",
    "p = avx512_fused(r, p, 1.0f);",
    "{c} = _mm512_scalef_ps(p, k);",
)
#: 2^k / (2^k + e^r) of r = k ln 2 - x, the sum from its smallest term.
SIGMOID = (
    "__m512 x = avx512_within({a}, 88.0f);",
    *WHOLE,
    "__m512 r = _mm512_fmsub_ps(k, _mm512_set1_ps(0.693145751953125f), x);",
    "r = _mm512_fmadd_ps(k, _mm512_set1_ps(1.4286197256296873e-06f), r);",
    *POLYNOMIAL,
    "__m512 s = _mm512_scalef_ps(_mm512_set1_ps(1.0f), k);",
    "__m512 t = _mm512_mul_ps(r, r);",
    "t = _mm512_fmadd_ps(t, p, r);",
    "t = _mm512_add_ps(t, _mm512_min_ps(s, _mm512_set1_ps(1.0f)));",
    "t = _mm512_add_ps(t, _mm512_max_ps(s, _mm512_set1_ps(1.0f)));",
    "{c} = _mm512_div_ps(s, t);",
)
ERF = (
    "__m512 m = avx512_size({a}, 3.921875f);",
    "__m512 w = avx512_fused(m, _mm512_set1_ps(1.875f), 12582912.0f);",
    "__m512 d = _mm512_sub_ps(w, _mm512_set1_ps(12582912.0f));",
    "d = _mm512_fnmadd_ps(d, _mm512_set1_ps(0.53125f), m);",
    "__m512i k = _mm512_castps_si512(w);",
    *pieces("__m512", "avx512_piece", "_mm512_fmadd_ps"),
    "{c} = avx512_signed(p, {a});",
)


def function(
    name: str, steps: tuple[str, ...], latency: float, per_cycle: float, requires: tuple[str, ...] = REQUIRES
) -> im.Instruction:
    """The named function in each of 16 lanes."""
    return im.instruction(
        f"avx512.{name}_ps",
        f"c[l] = {name}(a[l])",
        axes={"l": 16},
        temporaries=4,
        dtypes=dict.fromkeys("ac", "f32"),
        places=dict.fromkeys("ac", "zmm"),
        emit="\n".join(steps),
        requires=requires,
        latency=latency,
        per_cycle=per_cycle,
        c_types=dict.fromkeys("ac", "__m512"),
        headers=("immintrin.h",),
        prelude=PRELUDE,
    )


FUNCTIONS = (
    function("exp", EXP, 50.0, 0.2, RANGE),
    function("sigmoid", SIGMOID, 75.0, 0.14),
    function("erf", ERF, 48.0, 0.15),
)


FLOAT = MoveCode(
    load="{r} = _mm512_loadu_ps({m});",
    broadcast="{r} = _mm512_set1_ps(*({m}));",
    zero="{r} = _mm512_setzero_ps();",
    store="_mm512_storeu_ps({m}, {r});",
    masked_load="{r} = _mm512_maskz_loadu_ps((__mmask16)((1u << ({active})) - 1u), {m});",
    masked_store="_mm512_mask_storeu_ps({m}, (__mmask16)((1u << ({active})) - 1u), {r});",
    filled_load="{r} = _mm512_mask_loadu_ps(_mm512_set1_ps(FILL), (__mmask16)((1u << ({active})) - 1u), {m});",
)
DOUBLE = MoveCode(
    load="{r} = _mm512_loadu_pd({m});",
    broadcast="{r} = _mm512_set1_pd(*({m}));",
    zero="{r} = _mm512_setzero_pd();",
    store="_mm512_storeu_pd({m}, {r});",
    masked_load="{r} = _mm512_maskz_loadu_pd((__mmask8)((1u << ({active})) - 1u), {m});",
    masked_store="_mm512_mask_storeu_pd({m}, (__mmask8)((1u << ({active})) - 1u), {r});",
    filled_load="{r} = _mm512_mask_loadu_pd(_mm512_set1_pd(FILL), (__mmask8)((1u << ({active})) - 1u), {m});",
)


def _fmadd(name: str, dtype: str, lanes: int, c_type: str) -> im.Instruction:
    return im.instruction(
        f"avx512.{name}",
        "c[l] += a[l] * b[l]",
        axes={"l": lanes},
        temporaries=0,
        dtypes=dict.fromkeys("abc", dtype),
        places=dict.fromkeys("abc", "zmm"),
        emit=f"{{c}} = _mm512_{name}({{a}}, {{b}}, {{c}});",
        requires=REQUIRES,
        latency=4.0,
        per_cycle=2.0,
        rounding="fused",
        c_types=dict.fromkeys("abc", c_type),
    )


def _floats(suffix: str) -> tuple[Row, ...]:
    return x86_floats(
        512,
        suffix,
        f"_mm512_mask_NAME_{suffix}({{b}}, _mm512_cmp_{suffix}_mask({{b}}, {{b}}, _CMP_ORD_Q), {{b}}, {{a}})",
        f"_mm512_mask_blend_{suffix}(_mm512_cmp_{suffix}_mask({{a}}, {{b}}, PREDICATE), {{y}}, {{x}})",
    )


# One product of bytes in each lane: that of their low halves, the other halves of u8 being 0. Bytes are loaded 16 at a time.
EACH_LANE = """\
static inline avx512_i32x16 avx512_muladd_u8i8(avx512_i32x16 acc, __m128i a, __m128i b) {
    const __m512i product = _mm512_madd_epi16(_mm512_cvtepu8_epi32(a), _mm512_cvtepi8_epi32(b));
    return acc + (avx512_i32x16)product;
}
"""
MULADD_BYTES = im.instruction(
    "avx512.muladd_u8i8",
    "acc[l] += i32(a[l]) * i32(b[l])",
    axes={"l": 16},
    dtypes={"a": "u8", "b": "i8", "acc": "i32"},
    places=dict.fromkeys(("a", "b", "acc"), "zmm"),
    emit="{acc} = avx512_muladd_u8i8({acc}, {a}, {b});",
    requires=("avx512f", "avx512bw"),
    latency=7.0,
    per_cycle=1.0,
    c_types={"a": "__m128i", "b": "__m128i", "acc": C_TYPE},
    headers=HEADERS,
    prelude=(WORD_PRELUDE, EACH_LANE),
    temporaries=2,
)

# Tables of more bytes than a register has: each two registers by vpermi2b, of which the highest bit of an index takes one.
LONG = """\
typedef struct { __m512i part[2]; } avx512_bytes128;
typedef struct { __m512i part[4]; } avx512_bytes256;
static inline __m512i avx512_first_bytes(const void *p, int64_t active, int n) {
    const int64_t left = active < 64 * n ? 0 : active - 64 * n;
    return left ? _mm512_maskz_loadu_epi8(avx512_first(left), (const char *)p + 64 * n) : _mm512_setzero_si512();
}
static inline avx512_bytes128 avx512_load128(const void *p, int64_t active) {
    avx512_bytes128 r;
    for (int n = 0; n < 2; ++n) r.part[n] = avx512_first_bytes(p, active, n);
    return r;
}
static inline avx512_bytes256 avx512_load256(const void *p, int64_t active) {
    avx512_bytes256 r;
    for (int n = 0; n < 4; ++n) r.part[n] = avx512_first_bytes(p, active, n);
    return r;
}
static inline __m512i avx512_of256(avx512_bytes256 t, __m512i i) {
    const __m512i low = _mm512_permutex2var_epi8(t.part[0], i, t.part[1]);
    const __m512i high = _mm512_permutex2var_epi8(t.part[2], i, t.part[3]);
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(i), low, high);
}
"""
WIDE, BW, VBMI = "__m512i", ("avx512f", "avx512bw"), ("avx512f", "avx512bw", "avx512vbmi")
LONG_PRELUDE = (FIRST, LONG)
_table = partial(lookups, "avx512", "zmm", headers=HEADERS)
LOOKUPS = (
    *_table(
        "shuffle", 16, 64, BYTES, "{d} = _mm512_shuffle_epi8(_mm512_broadcast_i32x4({t}), {idx});",
        (WIDE, "__m128i", WIDE), BW,
    ),
    *_table("permutexvar", 64, 64, BYTES, "{d} = _mm512_permutexvar_epi8({idx}, {t});", (WIDE,) * 3, VBMI),
    *_table(
        "permutex2var", 128, 64, BYTES, "{d} = _mm512_permutex2var_epi8({t}.part[0], {idx}, {t}.part[1]);",
        (WIDE, "avx512_bytes128", WIDE), VBMI, prelude=LONG_PRELUDE,
    ),
    *_table(
        "lookup256", 256, 64, BYTES[:2], "{d} = avx512_of256({t}, {idx});", (WIDE, "avx512_bytes256", WIDE), VBMI,
        prelude=LONG_PRELUDE, latency=9.0, per_cycle=0.4, temporaries=1,
    ),
    *(
        move
        for n, group in ((128, 2), (256, 4))
        for kind in ("u8", "i8")
        for move in moves(
            Register("avx512", "zmm", kind, n, 1, f"avx512_bytes{n}", f"{kind}_{n}"),
            MoveCode(
                load=f"{{r}} = avx512_load{n}({{m}}, {n});", broadcast="", zero="",
                masked_load=f"{{r}} = avx512_load{n}({{m}}, {{active}});",
            ),
            BW, LONG_PRELUDE, HEADERS,
        )
    ),
    *_table("permutexvar", 32, 32, HALVES, "{d} = _mm512_permutexvar_epi16({idx}, {t});", (WIDE,) * 3, BW),
    *_table(
        "permutexvar", 16, 16, WORDS[:1], "{d} = _mm512_permutexvar_ps((__m512i){idx}, {t});",
        ("__m512", "__m512", C_TYPE), REQUIRES, prelude=(WORD_PRELUDE,),
    ),
    *_table(
        "permutexvar", 16, 16, WORDS[1:], f"{{d}} = ({C_TYPE})_mm512_permutexvar_epi32((__m512i){{idx}}, (__m512i){{t}});",
        (C_TYPE,) * 3, REQUIRES, prelude=(WORD_PRELUDE,),
    ),
    *gathers("avx512", "zmm", 16, 0.1, (
        ("f32", "__m512", C_TYPE, "{d} = _mm512_i32gather_ps((__m512i){idx}, {t}, 4);"),
        ("i32", C_TYPE, C_TYPE, f"{{d}} = ({C_TYPE})_mm512_i32gather_epi32((__m512i){{idx}}, {{t}}, 4);"),
    ), REQUIRES, prelude=(WORD_PRELUDE,), headers=HEADERS),
)  # fmt: skip

HARDWARE = im.Hardware(
    "avx512",
    memories("zmm", 32, 64),
    links("zmm", load=120.0, store=64.0),
    (
        _fmadd("fmadd_ps", "f32", 16, "__m512"),
        _fmadd("fmadd_pd", "f64", 8, "__m512d"),
        MULADD_BYTES,
        *lanewise("avx512", "zmm", "f32", 16, "__m512", _floats("ps"), REQUIRES),
        *lanewise("avx512", "zmm", "f64", 8, "__m512d", _floats("pd"), REQUIRES),
        *across("avx512", "zmm", "f32", 16, "__m512", REQUIRES, x86_prelude("avx512", "f32", 512, "__m512")),
        *across("avx512", "zmm", "f64", 8, "__m512d", REQUIRES, x86_prelude("avx512", "f64", 512, "__m512d")),
        *FUNCTIONS,
        *LOOKUPS,
        *moves(Register("avx512", "zmm", "f32", 16, 1, "__m512"), FLOAT, REQUIRES),
        *moves(Register("avx512", "zmm", "f64", 8, 1, "__m512d"), DOUBLE, REQUIRES),
        *INSTRUCTIONS,
    ),
    "x86-64 with AVX-512 F: 16 f32 or 8 f64 lanes",
)
