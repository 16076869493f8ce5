"""AVX-VNNI: dot products of bytes and of 16 bits in 16 registers of 32 bytes, on CPUs without AVX-512 (Alder Lake and later).

The instructions are those of AVX-512 VNNI in the encoding of AVX. Registers and moves are those of AVX2.
"""

from __future__ import annotations

import isamap_smt as im
from isamap_hardware.avx2 import HEADERS, PRELUDE, WORD
from isamap_hardware.caches import links, memories
from isamap_hardware.moves import Register, moves
from isamap_hardware.vnni import FORMS, dot, halves

REQUIRES = ("avx2", "avx_vnni")

HALVES = """\
static inline __m256i avx_vnni_dpbusd_u4(__m256i acc, __m256i a, __m256i b, __m256i c) {
    const __m256i low = _mm256_set1_epi8(15), high = _mm256_and_si256(_mm256_srli_epi16(a, 4), low);
    return _mm256_dpbusd_avx_epi32(_mm256_dpbusd_avx_epi32(acc, _mm256_and_si256(a, low), b), high, c);
}
"""

REGISTERS = tuple(
    Register("avx_vnni", "ymm", dtype, 8, group, "__m256i")
    for dtype, group in (("i32", 1), ("i16", 2), ("u8", 4), ("i8", 4))
)

HARDWARE = im.Hardware(
    "avx_vnni",
    memories("ymm", 16, 32),
    links("ymm", load=64.0, store=32.0),
    (
        *(
            dot(
                "avx_vnni", name, 8, "ymm", "__m256i", f"{{acc}} = _mm256_{name}_avx_epi32({{acc}}, {{a}}, {{b}});",
                requires=REQUIRES, per_cycle=2.0, headers=HEADERS, temporaries=0,
            )
            for name in FORMS
            if not name.endswith("_moved")
        ),
        halves(
            "avx_vnni.dpbusd_u4", 8, "ymm", "__m256i", "avx_vnni_dpbusd_u4", requires=REQUIRES, latency=10.0, per_cycle=1.0,
            headers=HEADERS, prelude=HALVES, temporaries=3,
        ),
        *(move for r in REGISTERS for move in moves(r, WORD, ("avx2",), PRELUDE, HEADERS)),
    ),
    "x86-64 with AVX-VNNI: 8 lanes of four u8 x i8 or two i16 products, summed in i32",
)  # fmt: skip
