"""SVE of 64-bit Arm: 32 vectors of 128 bits times VL, chosen by the CPU: 1, 2, 4, 8 or 16.

It has f32 sums of products, dot products of bytes and bf16, and products of small matrices. Those of bf16 round as
`bfdot` does.

One description and one binary are for all lengths. Others between 128 and 2048 bits, once allowed by the
architecture, are not listed: LLVM takes the number for a power of two (its LangRef on vscale) and vectorizes plain
loops so; at 384 bits they leave their arrays. Registers, lanes and the instructions' meanings are the
architecture's. Figures are assumptions, taken for a server core such as Neoverse V1 (two vectors of 256 bits a
cycle), caches of 64 KiB, 1 MiB and 32 MiB; nobody measured them here. They rank schedules; no result depends on
them.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import isamap_smt as im
from isamap_hardware import sve_indexed
from isamap_hardware.caches import links, memories
from isamap_hardware.moves import PAIR_TO_ODD, PAIRS_TO_ODD, MoveCode, Register, dot_of_groups, moves
from isamap_hardware.sve_tiles import C_TYPES, factors, product, sums

BASE, MATMUL, BRAIN = ("sve",), ("sve", "svei8mm"), ("sve", "svebf16")
NEEDS = {"bf16": BRAIN}  # of moves, beside BASE: compilers declare no bf16 without it
SIZES = (64 << 10, 1 << 20, 32 << 20)  # bytes of L1, L2 and L3
HEADERS = ("arm_sve.h", "stdint.h", "string.h")
# asked past the compiler, which would fold the question whether it is one of these
ASK = '__extension__({ int64_t n; __asm__("rdvl %0, #1" : "=r"(n)); n / 16; })'
VL = im.MachineParameter("VL", (1, 2, 4, 8, 16), ASK, typical=2, vector_bits=128)

PRELUDE = """\
/* Four bytes, of any alignment and any element type, in every lane of 32 bits. */
static inline svint32_t sve_broadcast32(const void *p) {
    int32_t word;
    memcpy(&word, p, sizeof word);
    return svdup_s32(word);
}
"""


def _words(type_of: str) -> MoveCode:
    """The moves of lanes of 32 bits, f32, s32 or u32."""
    zero = "0.0f" if type_of == "f32" else "0"
    return MoveCode(
        load=f"{{r}} = svld1_{type_of}(svptrue_b32(), {{m}});",
        broadcast=f"{{r}} = svdup_{type_of}(*{{m}});",
        zero=f"{{r}} = svdup_{type_of}({zero});",
        store=f"svst1_{type_of}(svptrue_b32(), {{m}}, {{r}});",
        masked_load=f"{{r}} = svld1_{type_of}(svwhilelt_b32((int64_t)0, {{active}}), {{m}});",
        masked_store=f"svst1_{type_of}(svwhilelt_b32((int64_t)0, {{active}}), {{m}}, {{r}});",
    )


def _bytes(type_of: str) -> MoveCode:
    """The moves of groups of four bytes, s8 or u8."""
    return MoveCode(
        load=f"{{r}} = svld1_{type_of}(svptrue_b8(), {{m}});",
        broadcast=f"{{r}} = svreinterpret_{type_of}_s32(sve_broadcast32({{m}}));",
        zero=f"{{r}} = svdup_{type_of}(0);",
        store=f"svst1_{type_of}(svptrue_b8(), {{m}}, {{r}});",
        masked_load=f"{{r}} = svld1_{type_of}(svwhilelt_b8((int64_t)0, 4 * {{active}}), {{m}});",
        masked_store=f"svst1_{type_of}(svwhilelt_b8((int64_t)0, 4 * {{active}}), {{m}}, {{r}});",
    )


PAIRS = MoveCode(
    load="{r} = svreinterpret_bf16_u16(svld1_u16(svptrue_b16(), {m}));",
    broadcast="{r} = svreinterpret_bf16_s32(sve_broadcast32({m}));",
    zero="{r} = svreinterpret_bf16_u16(svdup_u16(0));",
    store="svst1_u16(svptrue_b16(), {m}, svreinterpret_u16_bf16({r}));",
    masked_load="{r} = svreinterpret_bf16_u16(svld1_u16(svwhilelt_b16((int64_t)0, 2 * {active}), {m}));",
    masked_store="svst1_u16(svwhilelt_b16((int64_t)0, 2 * {active}), {m}, svreinterpret_u16_bf16({r}));",
)


LANES: Any = 4 * im.parameter("VL")
_dot = partial(dot_of_groups, "sve", "z", LANES, C_TYPES, HEADERS)


REGISTERS = (
    (Register("sve", "z", "f32", LANES, 1, "svfloat32_t"), _words("f32")),
    (Register("sve", "z", "i32", LANES, 1, "svint32_t"), _words("s32")),
    (Register("sve", "z", "u32", LANES, 1, "svuint32_t"), _words("u32")),
    (Register("sve", "z", "i8", LANES, 4, "svint8_t"), _bytes("s8")),
    (Register("sve", "z", "u8", LANES, 4, "svuint8_t"), _bytes("u8")),
    (Register("sve", "z", "bf16", LANES, 2, "svbfloat16_t"), PAIRS),
)

COMPUTES = (
    im.instruction(
        "sve.svmla_f32",
        "c[l] += a[l] * b[l]",
        axes={"l": LANES},
        temporaries=0,
        dtypes=dict.fromkeys("abc", "f32"),
        places=dict.fromkeys("abc", "z"),
        emit="{c} = svmla_f32_x(svptrue_b32(), {c}, {a}, {b});",
        requires=BASE,
        latency=4.0,
        per_cycle=2.0,
        rounding="fused",
        c_types=dict.fromkeys("abc", "svfloat32_t"),
        headers=HEADERS,
    ),
    _dot("svdot_s32", BASE, "i8", "i8", "i32"),
    _dot("svdot_u32", BASE, "u8", "u8", "u32"),
    _dot("svusdot_s32", MATMUL, "u8", "i8", "i32"),
    _dot("svbfdot_f32", BRAIN, "bf16", "bf16", "f32", PAIR_TO_ODD),
    product("svmmla_s32", MATMUL, "i8", "i8", "i32"),
    product("svmmla_u32", MATMUL, "u8", "u8", "u32"),
    product("svusmmla_s32", MATMUL, "u8", "i8", "i32"),
    product("svbfmmla_f32", BRAIN, "bf16", "bf16", "f32", PAIRS_TO_ODD),
    *sve_indexed.COMPUTES,
)

HARDWARE = im.Hardware(
    "sve",
    tuple(replace(m, capacity=512 * im.parameter("VL")) if m.name == "z" else m for m in memories("z", 32, 16, SIZES)),
    links("z", load=64.0, store=32.0),
    (
        *COMPUTES,
        *(move for r, code in REGISTERS for move in moves(r, code, NEEDS.get(r.dtype, BASE), PRELUDE, HEADERS)),
        *(move for dtype in ("i8", "u8", "bf16") for move in factors(dtype, NEEDS.get(dtype, BASE))),
        *sve_indexed.MOVES,
        *(move for dtype in ("i32", "u32", "f32") for move in sums(dtype, BASE)),
    ),
    "64-bit Arm with SVE of any vector length: f32 lanes, dot products and small matrices of bytes and of bf16",
    parameters=(VL,),
)
