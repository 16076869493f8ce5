"""NEON of 64-bit Arm: 32 registers of 16 bytes, f32 products and sums, and dot products of signed bytes.

Registers, lanes and what each instruction computes are the architecture's. All figures are assumptions, taken for a
server core such as Neoverse N1: cycles as its optimisation guide gives them, caches of 64 KiB, 1 MiB and 32 MiB,
and bandwidths that nobody measured here. They rank schedules; no result depends on them.
"""

from __future__ import annotations

import isamap_smt as im
from isamap_hardware.caches import links, memories
from isamap_hardware.moves import MoveCode, Register, moves

BASE, DOT = ("asimd",), ("asimd", "asimddp")
SIZES = (64 << 10, 1 << 20, 32 << 20)  # bytes of L1, L2 and L3
HEADERS = ("arm_neon.h", "stdint.h", "string.h")

PRELUDE = """\
/* The first `active` lanes of 32 bits come from memory or go there; no other byte of it is touched. */
static inline int32x4_t neon_load32(const void *p, int64_t active) {
    int32_t lanes[4] = {0, 0, 0, 0};
    memcpy(lanes, p, 4 * (size_t)active);
    return vld1q_s32(lanes);
}
static inline void neon_store32(void *p, int64_t active, int32x4_t v) {
    int32_t lanes[4];
    vst1q_s32(lanes, v);
    memcpy(p, lanes, 4 * (size_t)active);
}
/* Four bytes, of any alignment and any element type, in every lane. */
static inline int32x4_t neon_broadcast32(const void *p) {
    int32_t word;
    memcpy(&word, p, sizeof word);
    return vdupq_n_s32(word);
}
"""

FLOAT = MoveCode(
    load="{r} = vld1q_f32({m});",
    broadcast="{r} = vld1q_dup_f32({m});",
    zero="{r} = vdupq_n_f32(0.0f);",
    store="vst1q_f32({m}, {r});",
    masked_load="{r} = vreinterpretq_f32_s32(neon_load32({m}, {active}));",
    masked_store="neon_store32({m}, {active}, vreinterpretq_s32_f32({r}));",
)
INTEGER = MoveCode(
    load="{r} = vld1q_s32({m});",
    broadcast="{r} = vld1q_dup_s32({m});",
    zero="{r} = vdupq_n_s32(0);",
    store="vst1q_s32({m}, {r});",
    masked_load="{r} = neon_load32({m}, {active});",
    masked_store="neon_store32({m}, {active}, {r});",
)
BYTES = MoveCode(
    load="{r} = vld1q_s8({m});",
    broadcast="{r} = vreinterpretq_s8_s32(neon_broadcast32({m}));",
    zero="{r} = vdupq_n_s8(0);",
    store="vst1q_s8({m}, {r});",
    masked_load="{r} = vreinterpretq_s8_s32(neon_load32({m}, {active}));",
    masked_store="neon_store32({m}, {active}, vreinterpretq_s32_s8({r}));",
)

REGISTERS = (
    (Register("neon", "v", "f32", 4, 1, "float32x4_t"), FLOAT),
    (Register("neon", "v", "i32", 4, 1, "int32x4_t"), INTEGER),
    (Register("neon", "v", "i8", 4, 4, "int8x16_t"), BYTES),
)

COMPUTES = (
    im.instruction(
        "neon.vfmaq_f32",
        "c[l] += a[l] * b[l]",
        axes={"l": 4},
        temporaries=0,
        dtypes=dict.fromkeys("abc", "f32"),
        places=dict.fromkeys("abc", "v"),
        emit="{c} = vfmaq_f32({c}, {a}, {b});",
        requires=BASE,
        latency=4.0,
        per_cycle=2.0,
        rounding="fused",
        c_types=dict.fromkeys("abc", "float32x4_t"),
    ),
    im.instruction(
        "neon.vdotq_s32",
        "acc[l] += i32(a[l,e]) * i32(b[l,e])",
        axes={"l": 4, "e": 4},
        temporaries=0,
        dtypes={"a": "i8", "b": "i8", "acc": "i32"},
        places=dict.fromkeys(("a", "b", "acc"), "v"),
        emit="{acc} = vdotq_s32({acc}, {a}, {b});",
        requires=DOT,
        latency=3.0,
        per_cycle=2.0,
        c_types={"a": "int8x16_t", "b": "int8x16_t", "acc": "int32x4_t"},
    ),
)

HARDWARE = im.Hardware(
    "neon",
    memories("v", 32, 16, SIZES),
    links("v", load=32.0, store=16.0),
    COMPUTES + tuple(move for register, code in REGISTERS for move in moves(register, code, BASE, PRELUDE, HEADERS)),
    "64-bit Arm with NEON and its dot product: 4 f32 or i32 lanes, exact dot products of signed bytes",
)
