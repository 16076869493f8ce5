"""AVX-512 VNNI: dot products of four bytes, or two numbers of 16 bits, per 32-bit lane.

isamap_hardware.vnni says which wrap and which saturate. `maddubs_dot` is the sequence vpmaddubsw, vpmaddwd, vpaddd of
older CPUs. It saturates the sum of two products to 16 bits, so it equals the dot product only for small operands.
"""

from __future__ import annotations

from dataclasses import replace

import isamap_smt as im
from isamap_hardware.avx512_lanes import LOWER_HALVES, SIXTEEN
from isamap_hardware.avx512_weave import woven
from isamap_hardware.avx512_words import C_TYPE, HEADERS, WORD
from isamap_hardware.avx512_words import PRELUDE as WORD_PRELUDE
from isamap_hardware.caches import links, memories
from isamap_hardware.moves import Register, moves
from isamap_hardware.vnni import PRODUCT, dot, halves
from isamap_hardware.x86_words import products

SATURATING = (
    "acc[l] += i32(sat_i16(i32(a[l,0]) * i32(b[l,0]) + i32(a[l,1]) * i32(b[l,1])))"
    " + i32(sat_i16(i32(a[l,2]) * i32(b[l,2]) + i32(a[l,3]) * i32(b[l,3])))"
)


def _helper(name: str) -> str:
    """Its C. GCC's builtin keeps the accumulator in its register; Clang's (and SIMDe's) intrinsic does so too."""
    return f"""\
static inline avx512_i32x16 avx512_{name}(avx512_i32x16 acc, avx512_i32x16 a, avx512_i32x16 b) {{
#if defined(__clang__) || defined(avx512_emulated)
    return (avx512_i32x16)_mm512_{name}_epi32((__m512i)acc, (__m512i)a, (__m512i)b);
#else
    typedef int builtin_i32x16 __attribute__((vector_size(64)));
    return (avx512_i32x16)__builtin_ia32_vp{name}_v16si((builtin_i32x16)acc, (builtin_i32x16)a,
                                                        (builtin_i32x16)b);
#endif
}}
"""


MADDUBS = """\
static inline avx512_i32x16 avx512_maddubs_dot(avx512_i32x16 acc, avx512_i32x16 a, avx512_i32x16 b) {
    __m512i pairs = _mm512_maddubs_epi16((__m512i)a, (__m512i)b);
    return acc + (avx512_i32x16)_mm512_madd_epi16(pairs, _mm512_set1_epi16(1));
}
"""


MOVED = """\
static inline avx512_i32x16 avx512_dpbssd_moved(avx512_i32x16 acc, avx512_i32x16 a, avx512_i32x16 b) {
    const avx512_i32x16 half = (avx512_i32x16)_mm512_set1_epi8(-128), none = (avx512_i32x16)_mm512_setzero_si512();
    return avx512_dpbusd(acc, a ^ half, b) - avx512_dpbusd(none, half, b);
}
"""


MADDUBS_HALVES = """\
static inline avx512_i32x16 avx512_maddubs_u4(avx512_i32x16 acc, avx512_i32x16 a, avx512_i32x16 b, avx512_i32x16 c) {
    const __m512i low = _mm512_set1_epi8(15);
    const __m512i first = _mm512_maddubs_epi16(_mm512_and_si512((__m512i)a, low), (__m512i)b);
    const __m512i second = _mm512_maddubs_epi16(_mm512_and_si512(_mm512_srli_epi16((__m512i)a, 4), low), (__m512i)c);
    return acc + (avx512_i32x16)_mm512_madd_epi16(_mm512_add_epi16(first, second), _mm512_set1_epi16(1));
}
"""


HALVES = """\
static inline avx512_i32x16 avx512_dpbusd_u4(avx512_i32x16 acc, avx512_i32x16 a, avx512_i32x16 b, avx512_i32x16 c) {
    const __m512i low = _mm512_set1_epi8(15);
    const __m512i high = _mm512_and_si512(_mm512_srli_epi16((__m512i)a, 4), low);
    return avx512_dpbusd(avx512_dpbusd(acc, (avx512_i32x16)_mm512_and_si512((__m512i)a, low), b), (avx512_i32x16)high, c);
}
"""


def _vnni(name: str) -> im.Instruction:
    return dot(
        "avx512_vnni", name, 16, "zmm", C_TYPE, f"{{acc}} = avx512_{name}({{acc}}, {{a}}, {{b}});",
        requires=VNNI, per_cycle=2.0, headers=HEADERS, prelude=(WORD_PRELUDE, _helper(name)),
    )  # fmt: skip


REGISTERS = (
    Register("avx512_vnni", "zmm", "i32", 16, 1, C_TYPE),
    Register("avx512_vnni", "zmm", "u8", 16, 4, C_TYPE),
    Register("avx512_vnni", "zmm", "i8", 16, 4, C_TYPE),
    Register("avx512_vnni", "zmm", "i16", 16, 2, C_TYPE),
)
VNNI = ("avx512f", "avx512_vnni")
BYTES = ("avx512f", "avx512bw")

LANES = replace(
    SIXTEEN,
    machine="avx512_vnni",
    requires=(*SIXTEEN.requires, VNNI[1]),
    prelude=(*SIXTEEN.prelude, LOWER_HALVES, _helper("dpwssd")),
)

HARDWARE = im.Hardware(
    "avx512_vnni",
    memories("zmm", 32, 64),
    links("zmm", load=120.0, store=64.0),
    (
        _vnni("dpbusd"),
        im.instruction(
            "avx512_vnni.maddubs_dot",
            f"acc[l] += {PRODUCT}",
            axes={"l": 16, "e": 4},
            dtypes={"a": "u8", "b": "i8", "acc": "i32"},
            places=dict.fromkeys(("a", "b", "acc"), "zmm"),
            emit="{acc} = avx512_maddubs_dot({acc}, {a}, {b});",
            requires=BYTES,
            latency=5.0,
            per_cycle=0.67,
            exact=SATURATING,
            c_types=dict.fromkeys(("a", "b", "acc"), C_TYPE),
            headers=HEADERS,
            prelude=(WORD_PRELUDE, MADDUBS),
        ),
        *map(_vnni, ("dpwssd", "dpbusds", "dpwssds")),
        *products(LANES, "avx512", "avx512_dpwssd({c}, LEFT, RIGHT)", 0.5),
        halves(
            "avx512_vnni.maddubs_u4",
            16,
            "zmm",
            C_TYPE,
            "avx512_maddubs_u4",
            requires=BYTES,
            latency=13.0,
            per_cycle=0.5,
            headers=HEADERS,
            prelude=(WORD_PRELUDE, MADDUBS_HALVES),
            temporaries=3,
        ),
        halves(
            "avx512_vnni.dpbusd_u4",
            16,
            "zmm",
            C_TYPE,
            "avx512_dpbusd_u4",
            requires=(*VNNI, *BYTES[1:]),
            latency=10.0,
            per_cycle=1.0,
            headers=HEADERS,
            prelude=(WORD_PRELUDE, _helper("dpbusd"), HALVES),
            temporaries=3,
        ),
        dot(
            "avx512_vnni",
            "dpbssd_moved",
            16,
            "zmm",
            C_TYPE,
            "{acc} = avx512_dpbssd_moved({acc}, {a}, {b});",
            requires=VNNI,
            per_cycle=0.5,
            parts=(
                (1.0, ("acc", "a", "b")),
                (0.5, ("a",)),
                (0.5, ("b",)),
            ),  # product and difference; a moved; b's share
            headers=HEADERS,
            prelude=(WORD_PRELUDE, _helper("dpbusd"), MOVED),
            temporaries=4,
        ),
        *(move for r in REGISTERS for move in moves(r, WORD, ("avx512f",), WORD_PRELUDE, HEADERS)),
        *(move for r in REGISTERS[1:] for move in woven(r, 32 // r.group)),
        *LANES.moves("i16 i8 u8"),
    ),
    "x86-64 with AVX-512 VNNI: 16 lanes of four u8 x i8 products, summed in i32",
)
