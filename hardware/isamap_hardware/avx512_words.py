"""Registers of sixteen 32-bit words, whatever the words hold: an i32, two bf16 or i16, or four bytes.

GCC 12 spills accumulators of type __m512i around vpdpbusd and loses two thirds of the speed. A vector of 32-bit
integers, and GCC's own builtin on it, does not spill; Clang does well with either.
"""

from __future__ import annotations

from isamap_hardware.moves import MoveCode

C_TYPE = "avx512_i32x16"
HEADERS = ("immintrin.h", "stdint.h", "string.h")
REQUIRES = ("avx512f",)

PRELUDE = """\
typedef int32_t avx512_i32x16 __attribute__((vector_size(64), may_alias));
/* Four bytes, of any alignment and any element type, in every lane. */
static inline avx512_i32x16 avx512_broadcast32(const void *p) {
    int32_t word;
    memcpy(&word, p, sizeof word);
    return (avx512_i32x16)_mm512_set1_epi32(word);
}
"""

WORD = MoveCode(
    load="{r} = (avx512_i32x16)_mm512_loadu_si512({m});",
    broadcast="{r} = avx512_broadcast32({m});",
    zero="{r} = (avx512_i32x16)_mm512_setzero_si512();",
    store="_mm512_storeu_si512({m}, (__m512i){r});",
    masked_load="{r} = (avx512_i32x16)_mm512_maskz_loadu_epi32((__mmask16)((1u << ({active})) - 1u), {m});",
    masked_store="_mm512_mask_storeu_epi32({m}, (__mmask16)((1u << ({active})) - 1u), (__m512i){r});",
    filled_load="{r} = (avx512_i32x16)_mm512_mask_loadu_epi32("
    "_mm512_set1_epi32(FILL), (__mmask16)((1u << ({active})) - 1u), {m});",
)
