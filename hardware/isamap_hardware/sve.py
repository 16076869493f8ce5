"""SVE of 64-bit Arm: 32 vectors of 128 bits times VL, which the CPU decides: 1, 2, 4, 8 or 16.

It has f32 sums of products, and dot products of bytes.

One description and one binary are for all lengths. Others between 128 and 2048 bits, which the architecture once allowed, are not
listed: LLVM takes the number for a power of two (its LangRef on vscale) and vectorizes plain loops so; at 384 bits they
leave their arrays. Registers, lanes and what each instruction computes are the architecture's.
Figures are assumptions, taken for a server core such as Neoverse V1 (two vectors of 256 bits a cycle), caches of 64 KiB, 1 MiB
and 32 MiB; nobody measured them here. They rank schedules; no result depends on them.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import isamap_smt as im
from isamap_hardware.caches import links, memories
from isamap_hardware.moves import MoveCode, Register, dot_of_groups, moves

BASE, MATMUL = ("sve",), ("sve", "svei8mm")
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
    """The moves of lanes of 32 bits, f32 or s32."""
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


LANES: Any = 4 * im.parameter("VL")
REGISTER_OF = {"i8": "svint8_t", "u8": "svuint8_t", "i32": "svint32_t", "u32": "svuint32_t"}
_dot = partial(dot_of_groups, "sve", "z", LANES, REGISTER_OF, HEADERS)


REGISTERS = (
    (Register("sve", "z", "f32", LANES, 1, "svfloat32_t"), _words("f32")),
    (Register("sve", "z", "i32", LANES, 1, "svint32_t"), _words("s32")),
    (Register("sve", "z", "i8", LANES, 4, "svint8_t"), _bytes("s8")),
    (Register("sve", "z", "u8", LANES, 4, "svuint8_t"), _bytes("u8")),
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
    _dot("svusdot_s32", MATMUL, "u8", "i8", "i32"),
)

HARDWARE = im.Hardware(
    "sve",
    tuple(replace(m, capacity=512 * im.parameter("VL")) if m.name == "z" else m for m in memories("z", 32, 16, SIZES)),
    links("z", load=64.0, store=32.0),
    COMPUTES + tuple(move for register, code in REGISTERS for move in moves(register, code, BASE, PRELUDE, HEADERS)),
    "64-bit Arm with SVE of any vector length: f32 lanes, and exact dot products of bytes",
    parameters=(VL,),
)
