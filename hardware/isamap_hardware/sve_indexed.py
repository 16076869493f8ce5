"""SVE's products with one element of every 128 bits, and the loads of their operands.

The element is one of those in the same 128 bits as the lane. Here all of them hold the same four, a variable of 128 bits that the
intrinsics of arm_neon_sve_bridge.h repeat (ld1rq).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import isamap_smt as im
from isamap_hardware.indexed import COUNT, load, products
from isamap_hardware.sve_tiles import VECTORS

BASE, MATMUL = ("sve",), ("sve", "svei8mm")
HEADERS = ("arm_sve.h", "arm_neon_sve_bridge.h", "stdint.h", "string.h")
LANES: Any = 4 * im.parameter("VL")
ONE = {"f32": "float32x4_t", "i8": "int8x16_t", "u8": "uint8x16_t"}
FOUR = {"f32": "svfloat32x4_t", "i8": "svint8x4_t", "u8": "svuint8x4_t"}
SUM = {"f32": "svfloat32_t", "i32": "svint32_t", "u32": "svuint32_t"}

PRELUDE = """\
/* Of the first of four rows of words, `stride` words apart, the first ones; what is not loaded is 0. */
static inline svfloat32_t sve_one_row(const float *p, int64_t count) {
    return svld1_f32(svwhilelt_b32((int64_t)0, count), p);
}
static inline svfloat32x4_t sve_four_rows(const float *p, int64_t stride, int64_t rows, int64_t count) {
    const int64_t n1 = rows > 1 ? count : 0, n2 = rows > 2 ? count : 0, n3 = rows > 3 ? count : 0;
    return svcreate4_f32(sve_one_row(p, rows > 0 ? count : 0), sve_one_row(n1 ? p + stride : p, n1),
                         sve_one_row(n2 ? p + 2 * stride : p, n2), sve_one_row(n3 ? p + 3 * stride : p, n3));
}
/* The first of four words; the others are 0. */
static inline float32x4_t sve_some_words(const float *p, int64_t count) {
    float lanes[4] = {0};
    memcpy(lanes, p, 4 * (size_t)count);
    return vld1q_f32(lanes);
}
"""


def _product(name: str, requires: tuple[str, ...], a: str, b: str, acc: str) -> im.Instruction:
    def call(n: int) -> str:
        return f"{name}({{acc}}, svget4_{VECTORS[b]}({{b}}, {n}), svdup_neonq_{VECTORS[a]}({{a}}), {n})"

    return products("sve", "z", LANES, call, name, requires, (a, b, acc), (ONE[a], FOUR[b], SUM[acc]), HEADERS)


COMPUTES = (
    _product("svmla_lane_f32", BASE, "f32", "f32", "f32"),
    _product("svdot_lane_s32", BASE, "i8", "i8", "i32"),
    _product("svdot_lane_u32", BASE, "u8", "u8", "u32"),
    _product("svsudot_lane_s32", MATMUL, "u8", "i8", "i32"),
    _product("svusdot_lane_s32", MATMUL, "i8", "u8", "i32"),
)
_load = partial(load, "sve", "z", requires=BASE, headers=HEADERS, prelude=PRELUDE)
_ROWS: dict[str, Any] = {"k": COUNT, "l": LANES}
_APART = "memory[k*stride + l]"
MOVES = (
    _load("load_words_f32", {"k": COUNT}, "{r} = vld1q_f32({m});", ONE["f32"]),
    _load(
        "masked_load_words_f32",
        {"k": COUNT},
        "{r} = sve_some_words({m}, {active});",
        ONE["f32"],
        active={"k": "active"},
    ),
    _load("load_four_f32", _ROWS, "{r} = sve_four_rows({m}, (int64_t)svcntw(), 4, (int64_t)svcntw());", FOUR["f32"]),
    _load(
        "load_four_rows_f32",
        _ROWS,
        "{r} = sve_four_rows({m}, {stride}, 4, (int64_t)svcntw());",
        FOUR["f32"],
        place=_APART,
    ),
    _load(
        "masked_load_four_rows_f32",
        _ROWS,
        "{r} = sve_four_rows({m}, {stride}, {active}, {across});",
        FOUR["f32"],
        place=_APART,
        active={"k": "active", "l": "across"},
    ),
)
