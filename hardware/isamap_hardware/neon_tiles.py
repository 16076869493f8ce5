"""Products of small matrices in NEON's registers, and the moves of their operands: 2 x 8 bytes, 2 x 4 bf16, 2 x 2 sums.

Both factors lie in rows along k, so the right one holds columns: a dense load takes what is packed so, and one of rows
takes two rows of 8 bytes wherever they lie.
"""

from __future__ import annotations

import isamap_smt as im

C_TYPES = {
    "i8": "int8x16_t", "u8": "uint8x16_t", "bf16": "bfloat16x8_t",
    "i32": "int32x4_t", "u32": "uint32x4_t", "f32": "float32x4_t",
}  # fmt: skip
VECTORS = {"i8": "s8", "u8": "u8", "bf16": "bf16", "i32": "s32", "u32": "u32", "f32": "f32"}  # as intrinsics call them
BYTES = {"i8": 1, "u8": 1, "bf16": 2, "i32": 4, "u32": 4, "f32": 4}
ROW = 8  # bytes
HEADERS = ("arm_neon.h", "stdint.h", "string.h")

PRELUDE = """\
/* Two rows of eight bytes, `stride` bytes apart. */
static inline uint8x16_t neon_load_rows(const void *p, int64_t stride) {
    return vcombine_u8(vld1_u8((const uint8_t *)p), vld1_u8((const uint8_t *)p + stride));
}
static inline void neon_store_rows(void *p, int64_t stride, uint8x16_t v) {
    vst1_u8((uint8_t *)p, vget_low_u8(v));
    vst1_u8((uint8_t *)p + stride, vget_high_u8(v));
}
/* The first rows, and of each the first bytes; no other byte is touched, and what is not loaded is 0. */
static inline uint8x16_t neon_load_part(const void *p, int64_t stride, int64_t rows, int64_t bytes) {
    uint8_t tile[16] = {0};
    for (int64_t r = 0; r < rows; ++r) memcpy(tile + 8 * r, (const uint8_t *)p + r * stride, (size_t)bytes);
    return vld1q_u8(tile);
}
static inline void neon_store_part(void *p, int64_t stride, int64_t rows, int64_t bytes, uint8x16_t v) {
    uint8_t tile[16];
    vst1q_u8(tile, v);
    for (int64_t r = 0; r < rows; ++r) memcpy((uint8_t *)p + r * stride, tile + 8 * r, (size_t)bytes);
}
"""


def product(name: str, requires: tuple[str, ...], a: str, b: str, c: str, rounding: str = "exact") -> im.Instruction:
    """Arm's intrinsic with this name: 2 x 2 sums of products along the rows of both factors, of these element types."""
    dtypes = {"a": a, "b": b, "c": c}
    return im.instruction(
        f"neon.{name}",
        f"c[i,j] += {c}(a[i,k]) * {c}(b[j,k])",
        axes={"i": 2, "j": 2, "k": ROW // BYTES[a]},
        temporaries=0,
        dtypes=dtypes,
        places=dict.fromkeys(dtypes, "v"),
        emit=f"{{c}} = {name}({{c}}, {{a}}, {{b}});",
        requires=requires,
        latency=3.0,
        per_cycle=2.0,
        rounding=rounding,
        c_types={o: C_TYPES[t] for o, t in dtypes.items()},
    )


def _move(
    name: str, text: str, dtype: str, emit: str, requires: tuple[str, ...], place: str, masks: int = 0
) -> im.Instruction:
    """A move of a tile.

    place: of its memory operand, '' if it has none; `?` is its second axis. masks: how many axes may be cut.
    """
    columns = "j" if BYTES[dtype] == 4 else "k"
    kind = name.removeprefix("masked_").split("_")[0]
    return im.instruction(
        f"neon.{name}_{dtype}",
        text.replace("?", columns),
        axes={"i": 2, columns: ROW // BYTES[dtype]},
        dtypes=dict.fromkeys("rm" if place else "r", dtype),
        places={"r": "v"} | ({"m": place.replace("?", columns)} if place else {}),
        emit=emit,
        requires=requires,
        latency=1.0 if kind == "zero" else 5.0,
        per_cycle=1.0 if kind == "store" else 2.0,
        active=dict(zip(("i", columns), ("active", "across"), strict=True))
        if masks == 2
        else {"i": "active"}
        if masks
        else None,
        beyond="zero" if masks and kind == "load" else "kept",
        c_types={"r": C_TYPES[dtype]},
        headers=HEADERS,
        prelude=PRELUDE,
    )


def _stride(dtype: str) -> str:
    """Bytes between rows, as the C says them."""
    return "{stride}" if BYTES[dtype] == 1 else f"{BYTES[dtype]} * {{stride}}"


def factors(dtype: str, requires: tuple[str, ...]) -> tuple[im.Instruction, ...]:
    """Loads of two rows of a factor: from consecutive memory, or from rows apart, both or the first."""
    of, text, apart = VECTORS[dtype], "r[i,?] = m[i,?]", "memory[i*stride + ?]"
    taken = f"{{r}} = vreinterpretq_{of}_u8({{}});" if of != "u8" else "{r} = {};"
    dense = taken.replace("{}", "vld1q_u8((const uint8_t *){m})")
    rows = taken.replace("{}", f"neon_load_rows({{m}}, {_stride(dtype)})")
    part = taken.replace("{}", f"neon_load_part({{m}}, {_stride(dtype)}, {{active}}, 8)")
    return (
        _move("load_tile", text, dtype, dense, requires, "memory"),
        _move("load_rows", text, dtype, rows, requires, apart),
        _move("masked_load_rows", text, dtype, part, requires, apart, masks=1),
    )


def sums(dtype: str, requires: tuple[str, ...]) -> tuple[im.Instruction, ...]:
    """Loads and stores of 2 x 2 sums: rows apart, whole or cut at both ends; and zero."""
    of, load, store, apart = VECTORS[dtype], "r[i,?] = m[i,?]", "m[i,?] = r[i,?]", "memory[i*stride + ?]"
    at, cut = f"{{m}}, {_stride(dtype)}", f"{{m}}, {_stride(dtype)}, {{active}}, {BYTES[dtype]} * {{across}}"
    held = f"vreinterpretq_u8_{of}({{r}})"
    return (
        _move("load_tile", load, dtype, f"{{r}} = vreinterpretq_{of}_u8(neon_load_rows({at}));", requires, apart),
        _move("zero_tile", "r[i,?] = 0", dtype, f"{{r}} = vdupq_n_{of}(0);", requires, ""),
        _move("store_tile", store, dtype, f"neon_store_rows({at}, {held});", requires, apart),
        _move(
            "masked_load_tile",
            load,
            dtype,
            f"{{r}} = vreinterpretq_{of}_u8(neon_load_part({cut}));",
            requires,
            apart,
            2,
        ),
        _move("masked_store_tile", store, dtype, f"neon_store_part({cut}, {held});", requires, apart, 2),
    )
