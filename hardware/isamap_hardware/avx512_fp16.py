"""AVX512-FP16: 32 registers of 64 bytes, 32 lanes of f16, products and sums rounded once (Sapphire Rapids and later).

Intel's manual: the instructions on f16 read denormal operands and give denormal results whatever MXCSR's DAZ and FTZ say. Cycles
are those of vfmadd on f32 in the same core, from the same manual's throughput tables; nobody measured them here.
"""

from __future__ import annotations

import isamap_smt as im
from isamap_hardware.caches import links, memories
from isamap_hardware.moves import MoveCode, Register, moves

REQUIRES = ("avx512f", "avx512bw", "avx512_fp16")
HEADERS = ("immintrin.h", "stdint.h")
FIRST = "(__mmask32)((UINT64_C(1) << ({active})) - 1u)"

HALVES = MoveCode(
    load="{r} = _mm512_loadu_ph({m});",
    broadcast="{r} = _mm512_set1_ph(*({m}));",
    zero="{r} = _mm512_setzero_ph();",
    store="_mm512_storeu_ph({m}, {r});",
    masked_load=f"{{r}} = _mm512_castsi512_ph(_mm512_maskz_loadu_epi16({FIRST}, {{m}}));",
    masked_store=f"_mm512_mask_storeu_epi16({{m}}, {FIRST}, _mm512_castph_si512({{r}}));",
)

HARDWARE = im.Hardware(
    "avx512_fp16",
    memories("zmm", 32, 64),
    links("zmm", load=120.0, store=64.0),
    (
        im.instruction(
            "avx512_fp16.fmadd_ph",
            "c[l] += a[l] * b[l]",
            axes={"l": 32},
            temporaries=0,
            dtypes=dict.fromkeys("abc", "f16"),
            places=dict.fromkeys("abc", "zmm"),
            emit="{c} = _mm512_fmadd_ph({a}, {b}, {c});",
            requires=REQUIRES,
            latency=4.0,
            per_cycle=2.0,
            rounding="fused",
            c_types=dict.fromkeys("abc", "__m512h"),
            headers=HEADERS,
        ),
        *moves(Register("avx512_fp16", "zmm", "f16", 32, 1, "__m512h"), HALVES, REQUIRES, "", HEADERS),
    ),
    "x86-64 with AVX512-FP16: 32 f16 lanes",
)
