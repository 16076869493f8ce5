"""NEON of 64-bit Arm: 32 registers of 16 bytes, f32 and f16 products and sums, and dot products of bytes and bf16.

bfdot and bfmmla compute in a mode of their own, for any rounding and flushing in FPCR (Arm's A64 instruction set, BFDOT
and BFMMLA with FPCR.EBF = 0): two products, their sum, and the accumulator are each rounded to odd and flushed, an
infinity if the exponent is too large, and there is one NaN. bfmmla does so for k = 0, 1, then for k = 2, 3. With
FEAT_EBF16 and FPCR.EBF = 1 a CPU computes otherwise; programs begin with 0.

Registers, lanes and the instructions' meanings are the architecture's. All figures are assumptions, taken for a
server core such as Neoverse N1: cycles as its optimisation guide gives them, caches of 64 KiB, 1 MiB and 32 MiB,
and bandwidths not measured here. They rank schedules; no result depends on them.
"""

from __future__ import annotations

from functools import partial

import isamap_smt as im
from isamap_hardware import neon_indexed
from isamap_hardware.across import across, neon_prelude
from isamap_hardware.caches import links, memories
from isamap_hardware.lanewise import Row, lanewise
from isamap_hardware.moves import PAIR_TO_ODD, PAIRS_TO_ODD, MoveCode, Register, dot_of_groups, moves
from isamap_hardware.neon_tiles import C_TYPES, factors, product, sums

# ---- NEON's instructions that compute each lane by itself, as rows for isamap_hardware.lanewise.


def rows(kind: str, floats: bool) -> tuple[Row, ...]:
    """The rows of f32 or s32 in registers of NEON; its maxima are NaN if either operand is."""
    names = ("add", "sub", "mul", *(("div",) if floats else ()), "max", "min")
    value = {"add": "a[l] + b[l]", "sub": "a[l] - b[l]", "mul": "a[l] * b[l]", "div": "a[l] / b[l]",
             "max": "max(a[l], b[l])", "min": "min(a[l], b[l])"}  # fmt: skip
    single = [("neg", "-a[l]", "neg", 2.0, 2.0), ("abs", "abs(a[l])", "abs", 2.0, 2.0)]
    single += [("sqrt", "sqrt(a[l])", "sqrt", 10.0, 0.2), ("floor", "floor(a[l])", "rndm", 3.0, 2.0)] if floats else []
    whole = (("rint", "rndn"), ("ceil", "rndp"), ("trunc", "rnd"))
    single += [(n, f"{n}(a[l])", call, 3.0, 2.0) for n, call in whole] if floats else []
    zero = "vdupq_n_f32(0.0f)" if floats else "vdupq_n_s32(0)"
    return (
        *(
            (f"v{n}q_{kind}", f"c[l] = {value[n]}", f"{{c}} = v{n}q_{kind}({{a}}, {{b}});", 10.0 if n == "div" else 3.0,
             0.2 if n == "div" else 2.0)
            for n in names
        ),
        *((f"{n}_{kind}", f"c[l] = {of}", f"{{c}} = v{call}q_{kind}({{a}});", late, rate) for n, of, call, late, rate in single),
        (f"relu_{kind}", "c[l] = relu(a[l])", f"{{c}} = vmaxq_{kind}({{a}}, {zero});", 3.0, 2.0),
        (f"at_least_0_{kind}", "c[l] = max(a[l], 0)", f"{{c}} = vmaxq_{kind}({{a}}, {zero});", 3.0, 2.0),
        *(
            (f"{word}_{kind}", f"c[l] = select(a[l] {sign} b[l], x[l], y[l])",
             f"{{c}} = vbslq_{kind}(v{test}q_{kind}({{a}}, {{b}}), {{x}}, {{y}});", 5.0, 1.0)
            for word, sign, test in (("less", "<", "clt"), ("at_most", "<=", "cle"), ("equal", "==", "ceq"))
        ),
    )  # fmt: skip


BASE, DOT = ("asimd",), ("asimd", "asimddp")
HALF, MATRIX, BRAIN = ("asimd", "asimdhp"), ("asimd", "i8mm"), ("asimd", "bf16")
NEEDS = {"bf16": BRAIN}  # of moves, beside BASE: compilers declare no bf16 without it
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
/* `fill` in the other lanes. */
static inline int32x4_t neon_filled32(const void *p, int64_t active, int32x4_t fill) {
    int32_t lanes[4];
    vst1q_s32(lanes, fill);
    memcpy(lanes, p, 4 * (size_t)active);
    return vld1q_s32(lanes);
}
/* The same for lanes of 16 bits. */
static inline int32x4_t neon_load16(const void *p, int64_t active) {
    int16_t lanes[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    memcpy(lanes, p, 2 * (size_t)active);
    return vreinterpretq_s32_s16(vld1q_s16(lanes));
}
static inline void neon_store16(void *p, int64_t active, int32x4_t v) {
    int16_t lanes[8];
    vst1q_s16(lanes, vreinterpretq_s16_s32(v));
    memcpy(p, lanes, 2 * (size_t)active);
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
    filled_load="{r} = vreinterpretq_f32_s32(neon_filled32({m}, {active}, vreinterpretq_s32_f32(vdupq_n_f32(FILL))));",
)
INTEGER = MoveCode(
    load="{r} = vld1q_s32({m});",
    broadcast="{r} = vld1q_dup_s32({m});",
    zero="{r} = vdupq_n_s32(0);",
    store="vst1q_s32({m}, {r});",
    masked_load="{r} = neon_load32({m}, {active});",
    masked_store="neon_store32({m}, {active}, {r});",
    filled_load="{r} = neon_filled32({m}, {active}, vdupq_n_s32(FILL));",
)
BYTES = MoveCode(
    load="{r} = vld1q_s8({m});",
    broadcast="{r} = vreinterpretq_s8_s32(neon_broadcast32({m}));",
    zero="{r} = vdupq_n_s8(0);",
    store="vst1q_s8({m}, {r});",
    masked_load="{r} = vreinterpretq_s8_s32(neon_load32({m}, {active}));",
    masked_store="neon_store32({m}, {active}, vreinterpretq_s32_s8({r}));",
)

WORDS = MoveCode(
    load="{r} = vld1q_u32({m});",
    broadcast="{r} = vld1q_dup_u32({m});",
    zero="{r} = vdupq_n_u32(0);",
    store="vst1q_u32({m}, {r});",
    masked_load="{r} = vreinterpretq_u32_s32(neon_load32({m}, {active}));",
    masked_store="neon_store32({m}, {active}, vreinterpretq_s32_u32({r}));",
)
UNSIGNED = MoveCode(
    load="{r} = vld1q_u8({m});",
    broadcast="{r} = vreinterpretq_u8_s32(neon_broadcast32({m}));",
    zero="{r} = vdupq_n_u8(0);",
    store="vst1q_u8({m}, {r});",
    masked_load="{r} = vreinterpretq_u8_s32(neon_load32({m}, {active}));",
    masked_store="neon_store32({m}, {active}, vreinterpretq_s32_u8({r}));",
)
HALVES = MoveCode(
    load="{r} = vld1q_f16((const __fp16 *){m});",
    broadcast="{r} = vld1q_dup_f16((const __fp16 *){m});",
    zero="{r} = vdupq_n_f16(0.0f);",
    store="vst1q_f16((__fp16 *){m}, {r});",
    masked_load="{r} = vreinterpretq_f16_s32(neon_load16({m}, {active}));",
    masked_store="neon_store16({m}, {active}, vreinterpretq_s32_f16({r}));",
)

PAIRS = MoveCode(
    load="{r} = vreinterpretq_bf16_u16(vld1q_u16({m}));",
    broadcast="{r} = vreinterpretq_bf16_s32(neon_broadcast32({m}));",
    zero="{r} = vreinterpretq_bf16_u16(vdupq_n_u16(0));",
    store="vst1q_u16({m}, vreinterpretq_u16_bf16({r}));",
    masked_load="{r} = vreinterpretq_bf16_s32(neon_load32({m}, {active}));",
    masked_store="neon_store32({m}, {active}, vreinterpretq_s32_bf16({r}));",
)

REGISTERS = (
    (Register("neon", "v", "f32", 4, 1, "float32x4_t"), FLOAT),
    (Register("neon", "v", "i32", 4, 1, "int32x4_t"), INTEGER),
    (Register("neon", "v", "i8", 4, 4, "int8x16_t"), BYTES),
    (Register("neon", "v", "u32", 4, 1, "uint32x4_t"), WORDS),
    (Register("neon", "v", "u8", 4, 4, "uint8x16_t"), UNSIGNED),
    (Register("neon", "v", "f16", 8, 1, "float16x8_t"), HALVES),
    (Register("neon", "v", "bf16", 4, 2, "bfloat16x8_t"), PAIRS),
)


_dot = partial(dot_of_groups, "neon", "v", 4, C_TYPES, None)


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
        "neon.vfmaq_f16",
        "c[l] += a[l] * b[l]",
        axes={"l": 8},
        temporaries=0,
        dtypes=dict.fromkeys("abc", "f16"),
        places=dict.fromkeys("abc", "v"),
        emit="{c} = vfmaq_f16({c}, {a}, {b});",
        requires=HALF,
        latency=4.0,
        per_cycle=2.0,
        rounding="fused",
        c_types=dict.fromkeys("abc", "float16x8_t"),
    ),
    _dot("vdotq_s32", DOT, "i8", "i8", "i32"),
    _dot("vdotq_u32", DOT, "u8", "u8", "u32"),
    _dot("vusdotq_s32", MATRIX, "u8", "i8", "i32"),
    product("vmmlaq_s32", MATRIX, "i8", "i8", "i32"),
    product("vmmlaq_u32", MATRIX, "u8", "u8", "u32"),
    product("vusmmlaq_s32", MATRIX, "u8", "i8", "i32"),
    _dot("vbfdotq_f32", BRAIN, "bf16", "bf16", "f32", PAIR_TO_ODD),
    product("vbfmmlaq_f32", BRAIN, "bf16", "bf16", "f32", PAIRS_TO_ODD),
    *neon_indexed.COMPUTES,
)

HARDWARE = im.Hardware(
    "neon",
    memories("v", 32, 16, SIZES),
    links("v", load=32.0, store=16.0),
    (
        *COMPUTES,
        *lanewise("neon", "v", "f32", 4, "float32x4_t", rows("f32", True), BASE),
        *lanewise("neon", "v", "i32", 4, "int32x4_t", rows("s32", False), BASE),
        *across("neon", "v", "f32", 4, "float32x4_t", BASE, neon_prelude("f32")),
        *across("neon", "v", "i32", 4, "int32x4_t", BASE, neon_prelude("i32")),
        *(move for r, code in REGISTERS for move in moves(r, code, NEEDS.get(r.dtype, BASE), PRELUDE, HEADERS)),
        *(move for dtype in ("i8", "u8", "bf16") for move in factors(dtype, NEEDS.get(dtype, BASE))),
        *neon_indexed.MOVES,
        *(move for dtype in ("i32", "u32", "f32") for move in sums(dtype, BASE)),
    ),
    "64-bit Arm with NEON: 4 f32 or 8 f16 lanes, exact dot products of bytes, signed and not, and of bf16",
)
