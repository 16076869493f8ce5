"""AVX-512 VNNI: dot products of four bytes per 32-bit lane.

`dpbusd` is exact. `maddubs_dot` is the sequence vpmaddubsw, vpmaddwd, vpaddd of older CPUs, which saturates the sum of
two products to 16 bits: it equals the dot product only where the operands are small enough.
"""

from __future__ import annotations

import isamap_smt as im
from isamap_hardware.avx512_weave import woven
from isamap_hardware.avx512_words import C_TYPE, HEADERS, WORD
from isamap_hardware.avx512_words import PRELUDE as WORD_PRELUDE
from isamap_hardware.caches import links, memories
from isamap_hardware.moves import Register, moves

DOT = "acc[l] += i32(a[l,e]) * i32(b[l,e])"
SATURATING = (
    "acc[l] += i32(sat_i16(i32(a[l,0]) * i32(b[l,0]) + i32(a[l,1]) * i32(b[l,1])))"
    " + i32(sat_i16(i32(a[l,2]) * i32(b[l,2]) + i32(a[l,3]) * i32(b[l,3])))"
)

# GCC's builtin keeps the accumulator in its register; Clang's (and SIMDe's) intrinsic does so too.
DPBUSD = """\
static inline avx512_i32x16 avx512_dpbusd(avx512_i32x16 acc, avx512_i32x16 a, avx512_i32x16 b) {
#if defined(__clang__) || defined(avx512_emulated)
    return (avx512_i32x16)_mm512_dpbusd_epi32((__m512i)acc, (__m512i)a, (__m512i)b);
#else
    typedef int builtin_i32x16 __attribute__((vector_size(64)));
    return (avx512_i32x16)__builtin_ia32_vpdpbusd_v16si((builtin_i32x16)acc, (builtin_i32x16)a,
                                                        (builtin_i32x16)b);
#endif
}
"""
MADDUBS = """\
static inline avx512_i32x16 avx512_maddubs_dot(avx512_i32x16 acc, avx512_i32x16 a, avx512_i32x16 b) {
    __m512i pairs = _mm512_maddubs_epi16((__m512i)a, (__m512i)b);
    return acc + (avx512_i32x16)_mm512_madd_epi16(pairs, _mm512_set1_epi16(1));
}
"""


def _dot(
    name: str, requires: tuple[str, ...], *, per_cycle: float, helper: str, exact: str | None = None
) -> im.Instruction:
    return im.instruction(
        f"avx512_vnni.{name}",
        DOT,
        axes={"l": 16, "e": 4},
        dtypes={"a": "u8", "b": "i8", "acc": "i32"},
        places=dict.fromkeys(("a", "b", "acc"), "zmm"),
        emit=f"{{acc}} = avx512_{name}({{acc}}, {{a}}, {{b}});",
        requires=requires,
        latency=5.0,
        per_cycle=per_cycle,
        exact=exact,
        c_types=dict.fromkeys(("a", "b", "acc"), C_TYPE),
        headers=HEADERS,
        prelude=(WORD_PRELUDE, helper),
    )


REGISTERS = (
    Register("avx512_vnni", "zmm", "i32", 16, 1, C_TYPE),
    Register("avx512_vnni", "zmm", "u8", 16, 4, C_TYPE),
    Register("avx512_vnni", "zmm", "i8", 16, 4, C_TYPE),
)
VNNI = ("avx512f", "avx512_vnni")
BYTES = ("avx512f", "avx512bw")

HARDWARE = im.Hardware(
    "avx512_vnni",
    memories("zmm", 32, 64),
    links("zmm", load=120.0, store=64.0),
    (
        _dot("dpbusd", VNNI, per_cycle=2.0, helper=DPBUSD),
        _dot("maddubs_dot", BYTES, per_cycle=0.67, helper=MADDUBS, exact=SATURATING),
        *(move for r in REGISTERS for move in moves(r, WORD, ("avx512f",), WORD_PRELUDE, HEADERS)),
        *(move for r in REGISTERS[1:] for move in woven(r, 8)),
    ),
    "x86-64 with AVX-512 VNNI: 16 lanes of four u8 x i8 products, summed in i32",
)
