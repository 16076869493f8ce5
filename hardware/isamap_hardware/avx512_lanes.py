"""AVX-512's lanes beside f32 and f64: 16 of i32 and of narrower types, 32 of i16, 64 of bytes."""

from __future__ import annotations

from dataclasses import replace

import isamap_smt as im
from isamap_hardware.across import across, x86_prelude
from isamap_hardware.avx512_words import C_TYPE, HEADERS, WORD
from isamap_hardware.avx512_words import PRELUDE as WORDS
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

NARROW = ("avx512f", "avx512bw", "avx512vl")

PRELUDE = """\
typedef avx512_i32x16 avx512_word;
static inline uint16_t avx512_bits16(const void *p) {
    uint16_t bits;
    memcpy(&bits, p, 2);
    return bits;
}
static inline __m512 avx512_floats(avx512_word v) { return _mm512_cvtepi32_ps((__m512i)v); }
static inline avx512_word avx512_nearest(__m512 v) { return (avx512_word)_mm512_cvtps_epi32(v); }
static inline avx512_word avx512_truncated(__m512 v) { return (avx512_word)_mm512_cvttps_epi32(v); }
static inline __m512 avx512_number(__m512 v) { return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(v, v, _CMP_ORD_Q), v); }
static inline __m512 avx512_clamped(__m512 v, float low, float high) {
    return _mm512_max_ps(_mm512_min_ps(avx512_number(v), _mm512_set1_ps(high)), _mm512_set1_ps(low));
}
/* What is 2^31 or more is the largest integer; below the least the CPU's answer is the least. */
static inline avx512_word avx512_most(__m512 v, avx512_word found) {
    const __mmask16 beyond = _mm512_cmp_ps_mask(v, _mm512_set1_ps(0x1p31f), _CMP_GE_OQ);
    return (avx512_word)_mm512_mask_mov_epi32((__m512i)found, beyond, _mm512_set1_epi32(0x7fffffff));
}
static inline avx512_word avx512_cut(__m512 v) { return avx512_most(v, avx512_truncated(avx512_number(v))); }
static inline avx512_word avx512_rounded(__m512 v) { return avx512_most(v, avx512_nearest(avx512_number(v))); }
static inline avx512_word avx512_limited(avx512_word v, int low, int high) {
    return (avx512_word)_mm512_max_epi32(_mm512_min_epi32((__m512i)v, _mm512_set1_epi32(high)), _mm512_set1_epi32(low));
}
/* a + b, clamped to 32 bits. */
static inline avx512_word avx512_sum(avx512_word left, avx512_word right) {
    const __m512i a = (__m512i)left, b = (__m512i)right, s = _mm512_add_epi32(a, b);
    const __m512i over = _mm512_and_si512(_mm512_xor_si512(a, s), _mm512_xor_si512(b, s));
    const __m512i end = _mm512_xor_si512(_mm512_srai_epi32(a, 31), _mm512_set1_epi32(0x7fffffff));
    return (avx512_word)_mm512_mask_mov_epi32(s, _mm512_cmplt_epi32_mask(over, _mm512_setzero_si512()), end);
}
/* a - b, clamped to 32 bits. */
static inline avx512_word avx512_difference(avx512_word left, avx512_word right) {
    const __m512i a = (__m512i)left, b = (__m512i)right, s = _mm512_sub_epi32(a, b);
    const __m512i over = _mm512_and_si512(_mm512_xor_si512(a, b), _mm512_xor_si512(a, s));
    const __m512i end = _mm512_xor_si512(_mm512_srai_epi32(a, 31), _mm512_set1_epi32(0x7fffffff));
    return (avx512_word)_mm512_mask_mov_epi32(s, _mm512_cmplt_epi32_mask(over, _mm512_setzero_si512()), end);
}
static inline avx512_word avx512_wide_i8(__m128i v) { return (avx512_word)_mm512_cvtepi8_epi32(v); }
static inline avx512_word avx512_wide_u8(__m128i v) { return (avx512_word)_mm512_cvtepu8_epi32(v); }
static inline avx512_word avx512_wide_i16(__m256i v) { return (avx512_word)_mm512_cvtepi16_epi32(v); }
static inline avx512_word avx512_wide_u16(__m256i v) { return (avx512_word)_mm512_cvtepu16_epi32(v); }
static inline __m512 avx512_of_f16(__m256i v) { return _mm512_cvtph_ps(v); }
static inline __m256i avx512_to_f16(__m512 v) { return _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
static inline __m512 avx512_of_bf16(__m256i v) {
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(v), 16));
}
/* As f16, whose exponents are 8 more, or the same; of e4m3 all ones are NaN. */
static inline __m512 avx512_of_f8e4m3(__m128i v) {
    const __m256i wide = _mm256_cvtepi8_epi16(v), sign = _mm256_and_si256(wide, _mm256_set1_epi16((short)0x8000));
    const __m256i rest = _mm256_slli_epi16(_mm256_and_si256(wide, _mm256_set1_epi16(0x7f)), 7);
    const __mmask16 nan = _mm256_cmpeq_epi16_mask(rest, _mm256_set1_epi16(0x3f80));
    const __m512 found = _mm512_mul_ps(_mm512_cvtph_ps(_mm256_or_si256(sign, rest)), _mm512_set1_ps(256.0f));
    return _mm512_mask_mov_ps(found, nan, _mm512_set1_ps(__builtin_nanf("")));
}
static inline __m512 avx512_of_f8e5m2(__m128i v) { return _mm512_cvtph_ps(_mm256_slli_epi16(_mm256_cvtepu8_epi16(v), 8)); }
static inline __m512 avx512_of_f4e2m1(__m128i v) {
    const __m512 all = _mm512_setr_ps(0.0f, 0.5f, 1.0f, 1.5f, 2.0f, 3.0f, 4.0f, 6.0f,
                                      -0.0f, -0.5f, -1.0f, -1.5f, -2.0f, -3.0f, -4.0f, -6.0f);
    return _mm512_permutexvar_ps(_mm512_cvtepu8_epi32(v), all);
}
static inline __m512 avx512_of_e8m0(__m128i v) {
    const __m512i wide = _mm512_cvtepu8_epi32(v), found = _mm512_slli_epi32(wide, 23);
    const __m512i low = _mm512_mask_mov_epi32(found, _mm512_testn_epi32_mask(wide, wide), _mm512_set1_epi32(0x400000));
    const __mmask16 nan = _mm512_cmpeq_epi32_mask(wide, _mm512_set1_epi32(255));
    return _mm512_castsi512_ps(_mm512_mask_mov_epi32(low, nan, _mm512_set1_epi32(0x7fc00000)));
}
static inline __m128i avx512_packus16(__m256i v) { return _mm256_cvtusepi16_epi8(_mm256_max_epi16(v, _mm256_setzero_si256())); }
static inline __m256i avx512_packus(__m512i v) { return _mm512_cvtusepi16_epi8(_mm512_max_epi16(v, _mm512_setzero_si512())); }
/* To the nearest, ties to even; a NaN stays one. */
static inline __m256i avx512_to_bf16(__m512 v) {
    const __m512i bits = _mm512_castps_si512(v), odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i near = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
    const __mmask16 nan = _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q);
    const __m512i kept = _mm512_mask_or_epi32(near, nan, bits, _mm512_set1_epi32(0x400000));
    return _mm512_cvtepi32_epi16(_mm512_srli_epi32(kept, 16));
}
/* clang 22 stores all four bytes of a lane where it knows that a mask keeps one of what was narrowed: hide the mask from it. */
static inline uint64_t avx512_kept(uint64_t mask) {
#ifdef __clang__
    __asm__("" : "+r"(mask));
#endif
    return mask;
}
"""

LOWER_HALVES = "static inline avx512_word avx512_lower(avx512_word v) { return v & 0xffff; }\n"
PAIRS = """\
static inline avx512_word avx512_pairs(avx512_word a, avx512_word b) {
    return (avx512_word)_mm512_madd_epi16((__m512i)a, (__m512i)b);
}
"""

BYTES = "".join(
    bytes_by_halves(f"avx512_{width}_", mm, width, f"{mm}_srav_epi16", f"{mm}_srlv_epi16")
    for width, mm in ((128, "_mm"), (256, "_mm256"), (512, "_mm512"))
)


def _mask(lanes: int, kept: str = "") -> str:
    return f"(__mmask{lanes}){kept}((UINT64_C(1) << ({{active}})) - 1u)"


def _kind(width: int, bits: int, lanes: int, element: str, mask: str = "") -> Kind:
    """A register of so many bits as plain integers. element: C of the bits of one at {m}."""
    mm, si = ("_mm" if width == 128 else f"_mm{width}"), f"si{width}"
    mask, kept = mask or _mask(lanes), mask or _mask(lanes, "avx512_kept")
    return Kind(
        f"__m{width}i",
        MoveCode(
            load=f"{{r}} = {mm}_loadu_{si}((const void *)({{m}}));",
            broadcast=f"{{r}} = {mm}_set1_epi{bits}({element});",
            zero=f"{{r}} = {mm}_setzero_{si}();",
            store=f"{mm}_storeu_{si}((void *)({{m}}), {{r}});",
            masked_load=f"{{r}} = {mm}_maskz_loadu_epi{bits}({mask}, {{m}});",
            masked_store=f"{mm}_mask_storeu_epi{bits}({{m}}, {kept}, {{r}});",
            filled_load=f"{{r}} = {mm}_mask_loadu_epi{bits}({mm}_set1_epi{bits}(FILL), {mask}, {{m}});",
        ),
    )


BYTE, HALF, BITS = "(char)*({m})", "(short)*({m})", "(short)avx512_bits16({m})"
SIXTEEN = Lanes(
    "avx512",
    "zmm",
    16,
    {
        "f32": Kind("__m512", MoveCode("", "", "")),
        "i32": Kind(C_TYPE, WORD),
        **dict.fromkeys(("i16", "u16"), _kind(256, 16, 16, HALF)),
        **dict.fromkeys(("f16", "bf16"), _kind(256, 16, 16, BITS)),
        **dict.fromkeys(("i8", "u8"), _kind(128, 8, 16, BYTE)),
        **stored_small_floats(_kind(128, 8, 16, BYTE)),
    },
    NARROW,
    HEADERS,
    (WORDS, PRELUDE, BYTES),
)


def _narrow(bits: str, words: str) -> str:
    return f"_mm512_cvtepi32_epi{8 if bits == 'bytes' else 16}((__m512i)({words}))"


def _calls(bits: int, signed: bool, width: int = 512, word: bool = False) -> dict[str, str]:
    """C of the operations on lanes of so many bits, in registers of so many. word: in the C type of words."""
    mm, si = ("_mm" if width == 128 else f"_mm{width}"), f"si{width}"

    def on(name: str, *operands: str) -> str:
        given = ", ".join(f"(__m512i){o}" if word and o[0] == "{" else o for o in operands)
        return f"{mm}_{name}({given})"

    e, u = f"epi{bits}", f"ep{'i' if signed else 'u'}{bits}"
    zero = f"{mm}_setzero_{si}()"
    found = {
        "add": on(f"add_{e}", "{a}", "{b}"),
        "sub": on(f"sub_{e}", "{a}", "{b}"),
        "max": on(f"max_{u}", "{a}", "{b}"),
        "min": on(f"min_{u}", "{a}", "{b}"),
    }
    found |= {name: on(f"{name}_si{width}", "{a}", "{b}") for name in ("and", "or", "xor")}
    if bits == 8:
        found["mul"] = f"avx512_{width}_mul8({{a}}, {{b}})"
        found["shift"] = f"avx512_{width}_sr{'a' if signed else 'l'}8({{a}}, {{b}})"
    else:
        found["mul"] = on(f"mullo_{e}", "{a}", "{b}")
        found["shift"] = on(f"sr{'a' if signed else 'l'}v_{e}", "{a}", "{b}")
    if signed:
        found |= {
            "abs": on(f"abs_{e}", "{a}"),
            "neg": on(f"sub_{e}", zero, "{a}"),
            "relu": on(f"max_{u}", zero, "{a}"),
            "at_least_0": on(f"max_{u}", zero, "{a}"),
        }
    if bits < 32:
        found |= {"adds": on(f"adds_{u}", "{a}", "{b}"), "subs": on(f"subs_{u}", "{a}", "{b}")}
    if u == "epu8":
        found["mean"] = on("avg_epu8", "{a}", "{b}")
    for name, test in (("less", "lt"), ("at_most", "le"), ("equal", "eq")):
        found[name] = on(f"mask_blend_{e}", on(f"cmp{test}_{u}_mask", "{a}", "{b}"), "{y}", "{x}")
    if not word:
        return found
    clamped = {"adds": "avx512_sum({a}, {b})", "subs": "avx512_difference({a}, {b})"}
    return {name: f"({C_TYPE}){call}" for name, call in found.items()} | clamped


SPEED = {"mul": (5.0, 1.0), "less": (4.0, 1.0), "at_most": (4.0, 1.0), "equal": (4.0, 1.0)}
WORD_SPEED = {**SPEED, "adds": (5.0, 0.4), "subs": (5.0, 0.4)}
BYTE_SPEED = {**SPEED, "mul": (8.0, 0.4), "shift": (6.0, 0.4)}
_FULL = {
    "i16": _kind(512, 16, 32, HALF),
    "u16": _kind(512, 16, 32, HALF),
    "i8": _kind(512, 8, 64, BYTE, "avx512_first({active})"),
    "u8": _kind(512, 8, 64, BYTE, "avx512_first({active})"),
}
FIRST = """\
/* The first of 64 lanes, all included. */
static inline __mmask64 avx512_first(int64_t active) { return active < 64 ? (UINT64_C(1) << active) - 1u : ~UINT64_C(0); }
"""
THIRTY_TWO = Lanes(
    "avx512",
    "zmm",
    32,
    {t: _FULL[t] for t in ("i16", "u16")} | dict.fromkeys(("i8", "u8"), _kind(256, 8, 32, BYTE)),
    NARROW,
    HEADERS,
    (WORDS, PRELUDE, BYTES),
)
SIXTY_FOUR = Lanes("avx512", "zmm", 64, {t: _FULL[t] for t in ("i8", "u8")}, NARROW, HEADERS, (FIRST, BYTES))

WIDE = {"i8": "_mm512_cvtepi8_epi16", "u8": "_mm512_cvtepu8_epi16"}
LOWER = {"wrap": "_mm512_cvtepi16_epi8", "signed": "_mm512_cvtsepi16_epi8", "unsigned": "avx512_packus"}
SHORT_WIDE = {"i8": "_mm256_cvtepi8_epi16", "u8": "_mm256_cvtepu8_epi16"}
SHORT_LOWER = {"wrap": "_mm256_cvtepi16_epi8", "signed": "_mm256_cvtsepi16_epi8", "unsigned": "avx512_packus16"}
CHOSEN = (
    f"({C_TYPE})_mm512_mask_blend_epi32(_mm512_cmp_ps_mask({{a}}, {{b}}, PREDICATE), (__m512i){{y}}, (__m512i){{x}})"
)
NEITHER = "_mm512_mask_cmp_ps_mask(_mm512_cmp_ps_mask({a}, {b}, _CMP_NEQ_UQ), {a}, {a}, _CMP_ORD_Q)"
OR_NAN = f"({C_TYPE})_mm512_mask_blend_epi32({NEITHER}, (__m512i){{x}}, (__m512i){{y}})"
ACROSS = x86_prelude("avx512", "i32", 512, C_TYPE)

INSTRUCTIONS: tuple[im.Instruction, ...] = (
    *conversions(SIXTEEN, "avx512", _narrow),
    *halves(SIXTEEN, "avx512", ()),
    *small_floats(SIXTEEN, "avx512"),
    *chosen_by_floats(SIXTEEN, CHOSEN, OR_NAN),
    *across("avx512", "zmm", "i32", 16, C_TYPE, NARROW, (WORDS, ACROSS), HEADERS),
    *whole_numbers(SIXTEEN, "i32", _calls(32, True, word=True), WORD_SPEED),
    *products(
        replace(SIXTEEN, prelude=(*SIXTEEN.prelude, LOWER_HALVES, PAIRS)),
        "avx512",
        "{c} + avx512_pairs(LEFT, RIGHT)",
        1.0,
    ),
    *narrower(THIRTY_TWO, WIDE, LOWER),
    *(x for t in ("i16", "u16") for x in whole_numbers(THIRTY_TWO, t, _calls(16, t == "i16"), SPEED)),
    *(x for t in ("i8", "u8") for x in whole_numbers(SIXTY_FOUR, t, _calls(8, t == "i8"), BYTE_SPEED)),
    *(x for t in ("i16", "u16") for x in whole_numbers(SIXTEEN, t, _calls(16, t == "i16", 256), SPEED)),
    *(x for t in ("i8", "u8") for x in whole_numbers(SIXTEEN, t, _calls(8, t == "i8", 128), BYTE_SPEED)),
    *(x for t in ("i8", "u8") for x in whole_numbers(THIRTY_TWO, t, _calls(8, t == "i8", 256), BYTE_SPEED)),
    *narrower(SIXTEEN, SHORT_WIDE, SHORT_LOWER),
    *(x for w in (SIXTEEN, THIRTY_TWO, SIXTY_FOUR) for x in same_bits(w)),
    *SIXTEEN.moves("i32 i16 u16 i8 u8 f16 bf16 f8e4m3 f8e5m2 f4e2m1 e8m0"),
    *THIRTY_TWO.moves("i16 u16 i8 u8"),
    *SIXTY_FOUR.moves("i8 u8"),
)
