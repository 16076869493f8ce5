"""AVX-512 BF16: dot products of two bfloat16 per f32 lane.

By Intel's manual, vdpbf16ps computes t = c + a[1]*b[1], then t + a[0]*b[0], each step fused and rounded to nearest
even for any MXCSR. It reads denormal operands as zero and flushes denormal results. A result counts as denormal if
it is less than the smallest normal number after rounding with an exponent without bound (seen on an Intel core).
"""

from __future__ import annotations

import isamap_smt as im
from isamap_hardware.avx512_weave import woven
from isamap_hardware.avx512_words import C_TYPE, HEADERS, PRELUDE, WORD
from isamap_hardware.caches import links, memories
from isamap_hardware.moves import MoveCode, Register, moves

REQUIRES = ("avx512f", "avx512_bf16")

FLOAT = MoveCode(
    load="{r} = _mm512_loadu_ps({m});",
    broadcast="{r} = _mm512_set1_ps(*({m}));",
    zero="{r} = _mm512_setzero_ps();",
    store="_mm512_storeu_ps({m}, {r});",
    masked_load="{r} = _mm512_maskz_loadu_ps((__mmask16)((1u << ({active})) - 1u), {m});",
    masked_store="_mm512_mask_storeu_ps({m}, (__mmask16)((1u << ({active})) - 1u), {r});",
)

PAIRS = Register("avx512_bf16", "zmm", "bf16", 16, 2, C_TYPE)

HARDWARE = im.Hardware(
    "avx512_bf16",
    memories("zmm", 32, 64),
    links("zmm", load=120.0, store=64.0),
    (
        im.instruction(
            "avx512_bf16.dpbf16_ps",
            "acc[l] += f32(a[l,e]) * f32(b[l,e])",
            axes={"l": 16, "e": 2},
            temporaries=0,
            dtypes={"a": "bf16", "b": "bf16", "acc": "f32"},
            places=dict.fromkeys(("a", "b", "acc"), "zmm"),
            emit="{acc} = _mm512_dpbf16_ps({acc}, (__m512bh){a}, (__m512bh){b});",
            requires=REQUIRES,
            latency=6.0,
            per_cycle=2.0,
            rounding="two fused steps in either order, to nearest even, flushes denormals",
            c_types={"a": C_TYPE, "b": C_TYPE, "acc": "__m512"},
            headers=HEADERS,
            prelude=PRELUDE,
        ),
        *moves(Register("avx512_bf16", "zmm", "f32", 16, 1, "__m512"), FLOAT, ("avx512f",)),
        *moves(PAIRS, WORD, ("avx512f",), PRELUDE, HEADERS),
        *woven(PAIRS, 16),
    ),
    "x86-64 with AVX-512 BF16: 16 lanes of two bf16 products, summed in f32",
)
