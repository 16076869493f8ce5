"""AVX2's lanes beside f32 and f64: 8 of i32 and of narrower types, 16 of i16 with bytes, 32 of bytes."""

from __future__ import annotations

from dataclasses import replace

import isamap_smt as im
from isamap_hardware.moves import MoveCode
from isamap_hardware.x86_words import (
    Kind,
    Lanes,
    bytes_by_halves,
    chosen_by_floats,
    conversions,
    halves,
    narrower,
    products,
    same_bits,
    small_floats,
    stored_small_floats,
    whole_numbers,
)

HEADERS = ("immintrin.h", "stdint.h", "string.h")

PRELUDE = """\
/* Bytes of memory, all or the first; the others are 0. */
static inline uint64_t avx2_load64(const void *p, int64_t bytes) {
    uint64_t v = 0;
    memcpy(&v, p, (size_t)bytes);
    return v;
}
static inline uint64_t avx2_filled64(const void *p, int64_t bytes, uint8_t fill) {
    uint64_t v = UINT64_C(0x0101010101010101) * fill;
    memcpy(&v, p, (size_t)bytes);
    return v;
}
static inline void avx2_store64(void *p, int64_t bytes, uint64_t v) { memcpy(p, &v, (size_t)bytes); }
static inline __m128i avx2_load128(const void *p, int64_t bytes) {
    uint8_t lanes[16] = {0};
    memcpy(lanes, p, (size_t)bytes);
    return _mm_loadu_si128((const __m128i *)lanes);
}
static inline __m128i avx2_filled128(const void *p, int64_t bytes, __m128i fill) {
    uint8_t lanes[16];
    _mm_storeu_si128((__m128i *)lanes, fill);
    memcpy(lanes, p, (size_t)bytes);
    return _mm_loadu_si128((const __m128i *)lanes);
}
static inline void avx2_store128(void *p, int64_t bytes, __m128i v) {
    uint8_t lanes[16];
    _mm_storeu_si128((__m128i *)lanes, v);
    memcpy(p, lanes, (size_t)bytes);
}
static inline __m256i avx2_load256(const void *p, int64_t bytes) {
    uint8_t lanes[32] = {0};
    memcpy(lanes, p, (size_t)bytes);
    return _mm256_loadu_si256((const __m256i *)lanes);
}
static inline __m256i avx2_filled256(const void *p, int64_t bytes, __m256i fill) {
    uint8_t lanes[32];
    _mm256_storeu_si256((__m256i *)lanes, fill);
    memcpy(lanes, p, (size_t)bytes);
    return _mm256_loadu_si256((const __m256i *)lanes);
}
static inline void avx2_store256(void *p, int64_t bytes, __m256i v) {
    uint8_t lanes[32];
    _mm256_storeu_si256((__m256i *)lanes, v);
    memcpy(p, lanes, (size_t)bytes);
}
static inline short avx2_bits16(const void *p) {
    short bits;
    memcpy(&bits, p, 2);
    return bits;
}
static inline __m256 avx2_floats(__m256i v) { return _mm256_cvtepi32_ps(v); }
static inline __m256i avx2_nearest(__m256 v) { return _mm256_cvtps_epi32(v); }
static inline __m256i avx2_truncated(__m256 v) { return _mm256_cvttps_epi32(v); }
static inline __m256 avx2_number(__m256 v) { return _mm256_and_ps(v, _mm256_cmp_ps(v, v, _CMP_ORD_Q)); }
static inline __m256 avx2_clamped(__m256 v, float low, float high) {
    return _mm256_max_ps(_mm256_min_ps(avx2_number(v), _mm256_set1_ps(high)), _mm256_set1_ps(low));
}
/* What is 2^31 or more is the largest integer; below the least the CPU's answer is the least. */
static inline __m256i avx2_most(__m256 v, __m256i found) {
    const __m256i beyond = _mm256_castps_si256(_mm256_cmp_ps(v, _mm256_set1_ps(0x1p31f), _CMP_GE_OQ));
    return _mm256_blendv_epi8(found, _mm256_set1_epi32(0x7fffffff), beyond);
}
static inline __m256i avx2_cut(__m256 v) { return avx2_most(v, avx2_truncated(avx2_number(v))); }
static inline __m256i avx2_rounded(__m256 v) { return avx2_most(v, avx2_nearest(avx2_number(v))); }
static inline __m256i avx2_limited(__m256i v, int low, int high) {
    return _mm256_max_epi32(_mm256_min_epi32(v, _mm256_set1_epi32(high)), _mm256_set1_epi32(low));
}
/* a + b, clamped to 32 bits. */
static inline __m256i avx2_sum(__m256i a, __m256i b) {
    const __m256i s = _mm256_add_epi32(a, b), over = _mm256_and_si256(_mm256_xor_si256(a, s), _mm256_xor_si256(b, s));
    const __m256i end = _mm256_xor_si256(_mm256_srai_epi32(a, 31), _mm256_set1_epi32(0x7fffffff));
    return _mm256_blendv_epi8(s, end, _mm256_srai_epi32(over, 31));
}
/* a - b, clamped to 32 bits. */
static inline __m256i avx2_difference(__m256i a, __m256i b) {
    const __m256i s = _mm256_sub_epi32(a, b), over = _mm256_and_si256(_mm256_xor_si256(a, b), _mm256_xor_si256(a, s));
    const __m256i end = _mm256_xor_si256(_mm256_srai_epi32(a, 31), _mm256_set1_epi32(0x7fffffff));
    return _mm256_blendv_epi8(s, end, _mm256_srai_epi32(over, 31));
}
static inline __m256i avx2_wide_i8(uint64_t v) { return _mm256_cvtepi8_epi32(_mm_cvtsi64_si128((long long)v)); }
static inline __m256i avx2_wide_u8(uint64_t v) { return _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)v)); }
static inline __m256i avx2_wide_i16(__m128i v) { return _mm256_cvtepi16_epi32(v); }
static inline __m256i avx2_wide_u16(__m128i v) { return _mm256_cvtepu16_epi32(v); }
/* The lower bits of words. */
static inline uint64_t avx2_bytes(__m256i v) {
    const __m256i first = _mm256_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                           0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    const __m256i four = _mm256_shuffle_epi8(v, first);
    return (uint64_t)_mm_cvtsi128_si64(_mm_unpacklo_epi32(_mm256_castsi256_si128(four), _mm256_extracti128_si256(four, 1)));
}
static inline __m128i avx2_halves(__m256i v) {
    const __m256i first = _mm256_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1,
                                           0, 1, 4, 5, 8, 9, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1);
    const __m256i four = _mm256_shuffle_epi8(v, first);
    return _mm_unpacklo_epi64(_mm256_castsi256_si128(four), _mm256_extracti128_si256(four, 1));
}
static inline __m256 avx2_of_f16(__m128i v) { return _mm256_cvtph_ps(v); }
static inline __m128i avx2_to_f16(__m256 v) { return _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
static inline __m256 avx2_of_bf16(__m128i v) { return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(v), 16)); }
/* To the nearest, ties to even; a NaN stays one. */
static inline __m128i avx2_to_bf16(__m256 v) {
    const __m256i bits = _mm256_castps_si256(v), odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    const __m256i near = _mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff)));
    const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(v, v, _CMP_UNORD_Q));
    const __m256i quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x400000));
    return avx2_halves(_mm256_srli_epi32(_mm256_blendv_epi8(near, quiet, nan), 16));
}
/* As f16, whose exponents are 8 more, or the same; of e4m3 all ones are NaN. */
static inline __m256 avx2_of_f8e4m3(uint64_t v) {
    const __m128i wide = _mm_cvtepi8_epi16(_mm_cvtsi64_si128((long long)v));
    const __m128i sign = _mm_and_si128(wide, _mm_set1_epi16((short)0x8000));
    const __m128i rest = _mm_slli_epi16(_mm_and_si128(wide, _mm_set1_epi16(0x7f)), 7);
    const __m256 found = _mm256_mul_ps(_mm256_cvtph_ps(_mm_or_si128(sign, rest)), _mm256_set1_ps(256.0f));
    const __m256i nan = _mm256_cvtepi16_epi32(_mm_cmpeq_epi16(rest, _mm_set1_epi16(0x3f80)));
    return _mm256_blendv_ps(found, _mm256_set1_ps(__builtin_nanf("")), _mm256_castsi256_ps(nan));
}
static inline __m256 avx2_of_f8e5m2(uint64_t v) {
    return _mm256_cvtph_ps(_mm_slli_epi16(_mm_cvtepu8_epi16(_mm_cvtsi64_si128((long long)v)), 8));
}
static inline __m256 avx2_of_f4e2m1(uint64_t v) {
    const __m256i wide = avx2_wide_u8(v), sign = _mm256_slli_epi32(_mm256_and_si256(wide, _mm256_set1_epi32(8)), 28);
    const __m256 all = _mm256_setr_ps(0.0f, 0.5f, 1.0f, 1.5f, 2.0f, 3.0f, 4.0f, 6.0f);
    return _mm256_or_ps(_mm256_permutevar8x32_ps(all, wide), _mm256_castsi256_ps(sign));
}
static inline __m256 avx2_of_e8m0(uint64_t v) {
    const __m256i wide = avx2_wide_u8(v), zero = _mm256_cmpeq_epi32(wide, _mm256_setzero_si256());
    const __m256i nan = _mm256_cmpeq_epi32(wide, _mm256_set1_epi32(255)), low = _mm256_set1_epi32(0x400000);
    return _mm256_castsi256_ps(_mm256_or_si256(_mm256_slli_epi32(wide, 23), _mm256_and_si256(_mm256_or_si256(zero, nan), low)));
}
/* Each half of a word by its own number of bits; the upper one with what lies below it, which is cut off. */
static inline __m256i avx2_sra16(__m256i a, __m256i n) {
    const __m256i low = _mm256_srav_epi32(_mm256_slli_epi32(a, 16), _mm256_and_si256(n, _mm256_set1_epi32(0xffff)));
    return _mm256_blend_epi16(_mm256_srli_epi32(low, 16), _mm256_srav_epi32(a, _mm256_srli_epi32(n, 16)), 0xaa);
}
static inline __m256i avx2_srl16(__m256i a, __m256i n) {
    const __m256i low = _mm256_and_si256(a, _mm256_set1_epi32(0xffff)), by = _mm256_and_si256(n, _mm256_set1_epi32(0xffff));
    return _mm256_blend_epi16(_mm256_srlv_epi32(low, by), _mm256_srlv_epi32(a, _mm256_srli_epi32(n, 16)), 0xaa);
}
static inline __m128i avx2_short_sra16(__m128i a, __m128i n) {
    return avx2_halves(_mm256_srav_epi32(_mm256_cvtepi16_epi32(a), _mm256_cvtepu16_epi32(n)));
}
static inline __m128i avx2_short_srl16(__m128i a, __m128i n) {
    return avx2_halves(_mm256_srlv_epi32(_mm256_cvtepu16_epi32(a), _mm256_cvtepu16_epi32(n)));
}
BYTES_OF_HALVES/* 16 halves and 16 bytes. */
static inline __m128i avx2_halves_bytes(__m256i v) {
    const __m256i kept = _mm256_and_si256(v, _mm256_set1_epi16(0xff));
    return _mm_packus_epi16(_mm256_castsi256_si128(kept), _mm256_extracti128_si256(kept, 1));
}
static inline __m128i avx2_packs(__m256i v) {
    return _mm_packs_epi16(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
}
static inline __m128i avx2_packus(__m256i v) {
    return _mm_packus_epi16(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
}
""".replace(
    "BYTES_OF_HALVES",
    bytes_by_halves("avx2_", "_mm256", 256, "avx2_sra16", "avx2_srl16")
    + bytes_by_halves("avx2_short_", "_mm", 128, "avx2_short_sra16", "avx2_short_srl16"),
)


def _kind(width: int, bits: int, element: str) -> Kind:
    """A register of so many bits as plain integers. element: C of the bits of one at {m}."""
    mm, si, size = ("_mm" if width == 128 else f"_mm{width}"), f"si{width}", bits // 8
    some = f"{size} * {{active}}" if size > 1 else "{active}"
    return Kind(
        f"__m{width}i",
        MoveCode(
            load=f"{{r}} = {mm}_loadu_{si}((const __m{width}i *)(const void *)({{m}}));",
            broadcast=f"{{r}} = {mm}_set1_epi{bits}({element});",
            zero=f"{{r}} = {mm}_setzero_{si}();",
            store=f"{mm}_storeu_{si}((__m{width}i *)(void *)({{m}}), {{r}});",
            masked_load=f"{{r}} = avx2_load{width}({{m}}, {some});",
            masked_store=f"avx2_store{width}({{m}}, {some}, {{r}});",
            filled_load=f"{{r}} = avx2_filled{width}({{m}}, {some}, {mm}_set1_epi{bits}(FILL));",
        ),
    )


EIGHT_BYTES = Kind(
    "uint64_t",
    MoveCode(
        load="{r} = avx2_load64({m}, 8);",
        broadcast="{r} = UINT64_C(0x0101010101010101) * (uint8_t)*({m});",
        zero="{r} = 0;",
        store="avx2_store64({m}, 8, {r});",
        masked_load="{r} = avx2_load64({m}, {active});",
        masked_store="avx2_store64({m}, {active}, {r});",
        filled_load="{r} = avx2_filled64({m}, {active}, (uint8_t)(FILL));",
    ),
)
BYTE, HALF, BITS = "(char)*({m})", "(short)*({m})", "avx2_bits16({m})"
OTHERS = Kind("__m256", MoveCode("", "", "")), Kind("__m256i", MoveCode("", "", ""))
EIGHT = Lanes(
    "avx2",
    "ymm",
    8,
    dict(zip(("f32", "i32"), OTHERS, strict=True))
    | dict.fromkeys(("i16", "u16"), _kind(128, 16, HALF))
    | dict.fromkeys(("f16", "bf16"), _kind(128, 16, BITS))
    | dict.fromkeys(("i8", "u8"), EIGHT_BYTES)
    | stored_small_floats(EIGHT_BYTES),
    ("avx2", "f16c"),
    HEADERS,
    (PRELUDE,),
)
SIXTEEN = Lanes(
    "avx2",
    "ymm",
    16,
    dict.fromkeys(("i16", "u16"), _kind(256, 16, HALF)) | dict.fromkeys(("i8", "u8"), _kind(128, 8, BYTE)),
    ("avx2", "f16c"),
    HEADERS,
    (PRELUDE,),
)
THIRTY_TWO = Lanes(
    "avx2", "ymm", 32, dict.fromkeys(("i8", "u8"), _kind(256, 8, BYTE)), ("avx2", "f16c"), HEADERS, (PRELUDE,)
)


def _calls(bits: int, signed: bool, width: int = 256) -> dict[str, str]:
    """C of the operations on lanes of so many bits, in registers of so many."""
    mm, si = ("_mm" if width == 128 else f"_mm{width}"), f"si{width}"
    e, u = f"epi{bits}", f"ep{'i' if signed else 'u'}{bits}"
    pair, equal = "({a}, {b})", f"{mm}_cmpeq_{e}"
    least, most = f"{equal}({mm}_min_{u}{pair}, {{a}})", f"{equal}({mm}_max_{u}{pair}, {{a}})"
    found = {name: f"{mm}_{name}_{e if name in ('add', 'sub') else u}{pair}" for name in ("add", "sub", "max", "min")}
    if signed:
        zero = f"{mm}_setzero_{si}()"
        found |= {
            "abs": f"{mm}_abs_{e}({{a}})",
            "neg": f"{mm}_sub_{e}({zero}, {{a}})",
            "relu": f"{mm}_max_{u}({zero}, {{a}})",
            "at_least_0": f"{mm}_max_{u}({zero}, {{a}})",
        }
    found |= {name: f"{mm}_{name}_{si}{pair}" for name in ("and", "or", "xor")}
    if bits == 16:
        kind = "a" if signed else "l"
        shift = f"avx2_sr{kind}16" if width == 256 else f"avx2_short_sr{kind}16"
        found |= {"mul": f"{mm}_mullo_{e}{pair}", "shift": f"{shift}{pair}"}
    if bits == 32:
        found |= {"mul": f"{mm}_mullo_{e}{pair}", "shift": f"{mm}_srav_{e}{pair}"}
        found |= {"adds": f"avx2_sum{pair}", "subs": f"avx2_difference{pair}"}
    if bits == 8:
        own = "avx2_" if width == 256 else "avx2_short_"
        found |= {"mul": f"{own}mul8{pair}", "shift": f"{own}sr{'a' if signed else 'l'}8{pair}"}
    if bits < 32:
        found |= {"adds": f"{mm}_adds_{u}{pair}", "subs": f"{mm}_subs_{u}{pair}"}
    if u == "epu8":
        found["mean"] = f"{mm}_avg_epu8{pair}"
    return found | {
        "less": f"{mm}_blendv_epi8({{x}}, {{y}}, {most})",
        "at_most": f"{mm}_blendv_epi8({{y}}, {{x}}, {least})",
        "equal": f"{mm}_blendv_epi8({{y}}, {{x}}, {equal}{pair})",
    }


SPEED = {"mul": (5.0, 1.0), "shift": (4.0, 0.5), "less": (4.0, 0.67), "at_most": (4.0, 0.67), "equal": (3.0, 1.0)}
WORD_SPEED = {**SPEED, "shift": (2.0, 2.0), "adds": (4.0, 0.4), "subs": (4.0, 0.4)}
BYTE_SPEED = {**SPEED, "mul": (8.0, 0.4), "shift": (10.0, 0.15)}
_THERE = ("add", "sub", "mul", "max", "min", "abs")  # of i32 in isamap_hardware.lanewise
NARROW = {"wrap": "avx2_halves_bytes", "signed": "avx2_packs", "unsigned": "avx2_packus"}
WIDE = {"i8": "_mm256_cvtepi8_epi16", "u8": "_mm256_cvtepu8_epi16"}
CHOSEN = "_mm256_blendv_epi8({y}, {x}, _mm256_castps_si256(_mm256_cmp_ps({a}, {b}, PREDICATE)))"
EITHER = "_mm256_or_ps(_mm256_cmp_ps({a}, {b}, _CMP_EQ_OQ), _mm256_cmp_ps({a}, {a}, _CMP_UNORD_Q))"
OR_NAN = f"_mm256_blendv_epi8({{y}}, {{x}}, _mm256_castps_si256({EITHER}))"

LOWER_HALVES = (
    "static inline __m256i avx2_lower(__m256i v) { return _mm256_and_si256(v, _mm256_set1_epi32(0xffff)); }\n"
)

INSTRUCTIONS: tuple[im.Instruction, ...] = (
    *conversions(EIGHT, "avx2", lambda bits, words: f"avx2_{bits}({words})"),
    *halves(EIGHT, "avx2", ()),
    *small_floats(EIGHT, "avx2"),
    *chosen_by_floats(EIGHT, CHOSEN, OR_NAN),
    *whole_numbers(EIGHT, "i32", {n: c for n, c in _calls(32, True).items() if n not in _THERE}, WORD_SPEED),
    *products(
        replace(EIGHT, prelude=(*EIGHT.prelude, LOWER_HALVES)),
        "avx2",
        "_mm256_add_epi32({c}, _mm256_madd_epi16(LEFT, RIGHT))",
        0.75,
    ),
    *narrower(SIXTEEN, WIDE, NARROW),
    *(x for t in ("i16", "u16") for x in whole_numbers(SIXTEEN, t, _calls(16, t == "i16"), SPEED)),
    *(x for t in ("i8", "u8") for x in whole_numbers(THIRTY_TWO, t, _calls(8, t == "i8"), BYTE_SPEED)),
    *(x for t in ("i16", "u16") for x in whole_numbers(EIGHT, t, _calls(16, t == "i16", 128), SPEED)),
    *(x for t in ("i8", "u8") for x in whole_numbers(SIXTEEN, t, _calls(8, t == "i8", 128), BYTE_SPEED)),
    *(x for w in (EIGHT, SIXTEEN, THIRTY_TWO) for x in same_bits(w)),
    *EIGHT.moves("i16 u16 i8 u8 f16 bf16 f8e4m3 f8e5m2 f4e2m1 e8m0"),
    *SIXTEEN.moves("i16 u16 i8 u8"),
    *THIRTY_TWO.moves("i8 u8"),
)
