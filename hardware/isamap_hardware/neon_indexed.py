"""NEON's products with one element of a vector, and the loads of their four rows."""

from __future__ import annotations

from functools import partial

import isamap_smt as im
from isamap_hardware.indexed import COUNT, load, products

HEADERS = ("arm_neon.h", "stdint.h", "string.h")
BASE, DOT, MATRIX = ("asimd",), ("asimd", "asimddp"), ("asimd", "i8mm")
ONE = {"f32": "float32x4_t", "i8": "int8x16_t", "u8": "uint8x16_t", "i32": "int32x4_t", "u32": "uint32x4_t"}
FOUR = {"f32": "float32x4x4_t", "i8": "int8x16x4_t", "u8": "uint8x16x4_t"}

PRELUDE = """\
/* Four rows of four words, `stride` words apart. */
static inline float32x4x4_t neon_four_rows(const float *p, int64_t stride) {
    float32x4x4_t r;
    for (int k = 0; k < 4; ++k) r.val[k] = vld1q_f32(p + k * stride);
    return r;
}
/* Of the first rows the first words; what is not loaded is 0. */
static inline float32x4x4_t neon_some_rows(const float *p, int64_t stride, int64_t rows, int64_t count) {
    float lanes[4][4] = {{0}};
    for (int64_t k = 0; k < rows; ++k) memcpy(lanes[k], p + k * stride, 4 * (size_t)count);
    return neon_four_rows(lanes[0], 4);
}
"""


def _product(name: str, requires: tuple[str, ...], a: str, b: str, acc: str) -> im.Instruction:
    def call(n: int) -> str:
        return f"{name}({{acc}}, {{b}}.val[{n}], {{a}}, {n})"

    return products("neon", "v", COUNT, call, name, requires, (a, b, acc), (ONE[a], FOUR[b], ONE[acc]))


COMPUTES = (
    _product("vfmaq_laneq_f32", BASE, "f32", "f32", "f32"),
    _product("vdotq_laneq_s32", DOT, "i8", "i8", "i32"),
    _product("vdotq_laneq_u32", DOT, "u8", "u8", "u32"),
    _product("vsudotq_laneq_s32", MATRIX, "u8", "i8", "i32"),
    _product("vusdotq_laneq_s32", MATRIX, "i8", "u8", "i32"),
)
_rows = partial(
    load, "neon", "v", axes={"k": COUNT, "l": 4}, c_type=FOUR["f32"], requires=BASE, headers=HEADERS, prelude=PRELUDE
)
_APART = "memory[k*stride + l]"
MOVES = (
    _rows("load_four_f32", emit="{r} = neon_four_rows({m}, 4);"),
    _rows("load_four_rows_f32", emit="{r} = neon_four_rows({m}, {stride});", place=_APART),
    _rows(
        "masked_load_four_rows_f32",
        emit="{r} = neon_some_rows({m}, {stride}, {active}, {across});",
        place=_APART,
        active={"k": "active", "l": "across"},
    ),
)
