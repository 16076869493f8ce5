"""Products of small matrices in SVE's vectors, one in every 128 bits, and the moves of their operands.

A vector of 128 * VL bits holds 2 x 8 bytes, 2 x 4 bf16 or 2 x 2 sums in each segment of 128. The segments lie below each other
here: the left factor has 2 * VL rows, the sums have 2 * VL rows of two, and all segments take the same right factor. Its two rows
are a variable of 128 bits, which the intrinsics of arm_neon_sve_bridge.h repeat.
"""

from __future__ import annotations

from typing import Any

import isamap_smt as im

VECTORS = {"i8": "s8", "u8": "u8", "bf16": "bf16", "i32": "s32", "u32": "u32", "f32": "f32"}  # as intrinsics call them
C_TYPES = {
    "i8": "svint8_t", "u8": "svuint8_t", "bf16": "svbfloat16_t",
    "i32": "svint32_t", "u32": "svuint32_t", "f32": "svfloat32_t",
}  # fmt: skip
PAIRS = {"i8": "int8x16_t", "u8": "uint8x16_t", "bf16": "bfloat16x8_t"}
BYTES = {"i8": 1, "u8": 1, "bf16": 2, "i32": 4, "u32": 4, "f32": 4}
ROWS: Any = 2 * im.parameter("VL")
ROW = 8  # bytes of a factor
HEADERS = ("arm_sve.h", "arm_neon_sve_bridge.h", "stdint.h", "string.h")

PRELUDE = """\
/* Rows of eight bytes, `stride` bytes apart: the first ones, the others are 0. */
static inline svint64_t sve_load_rows(const void *p, int64_t stride, int64_t rows) {
    const svbool_t some = svwhilelt_b64((int64_t)0, rows);
    return svld1_gather_s64offset_s64(some, (const int64_t *)p, svindex_s64(0, stride));
}
/* A column of words, `down` bytes apart, each in 64 bits. */
static inline svint64_t sve_load_column(svbool_t some, const void *p, int64_t down) {
    const int32_t *first = (const int32_t *)p;
    return down == 4 ? svld1sw_s64(some, first) : svld1sw_gather_s64offset_s64(some, first, svindex_s64(0, down));
}
static inline void sve_store_column(svbool_t some, void *p, int64_t down, svint64_t v) {
    int32_t *first = (int32_t *)p;
    if (down == 4) svst1w_s64(some, first, v);
    else svst1w_scatter_s64offset_s64(some, first, svindex_s64(0, down), v);
}
/* The first rows of words, and the first of both columns, `right` bytes apart. */
static inline svint32_t sve_load_sums(const void *p, int64_t down, int64_t right, int64_t rows, int64_t columns) {
    const svbool_t first = svwhilelt_b64((int64_t)0, columns > 0 ? rows : 0);
    const svbool_t second = svwhilelt_b64((int64_t)0, columns > 1 ? rows : 0);
    const svint64_t left = sve_load_column(first, p, down);
    const svint64_t other = sve_load_column(second, (const char *)p + (columns > 1 ? right : 0), down);
    return svtrn1_s32(svreinterpret_s32_s64(left), svreinterpret_s32_s64(other));
}
static inline void sve_store_sums(void *p, int64_t down, int64_t right, int64_t rows, int64_t columns, svint32_t v) {
    const svbool_t first = svwhilelt_b64((int64_t)0, columns > 0 ? rows : 0);
    const svbool_t second = svwhilelt_b64((int64_t)0, columns > 1 ? rows : 0);
    const svint64_t both = svreinterpret_s64_s32(v);
    sve_store_column(first, p, down, both);
    sve_store_column(second, (char *)p + (columns > 1 ? right : 0), down, svasr_n_s64_x(svptrue_b64(), both, 32));
}
"""
PAIR = """\
/* Two rows of eight bytes, `stride` bytes apart, both or the first. */
static inline int64x2_t sve_load_pair(const void *p, int64_t stride, int64_t rows) {
    int64_t pair[2] = {0, 0};
    if (rows > 0) memcpy(pair, p, 8);
    if (rows > 1) memcpy(pair + 1, (const char *)p + stride, 8);
    return vld1q_s64(pair);
}
"""


def product(name: str, requires: tuple[str, ...], a: str, b: str, c: str, rounding: str = "exact") -> im.Instruction:
    """Arm's intrinsic with this name: in every segment 2 x 2 sums of products along the rows of both factors."""
    dtypes = {"a": a, "b": b, "c": c}
    return im.instruction(
        f"sve.{name}",
        f"c[i,j] += {c}(a[i,k]) * {c}(b[j,k])",
        axes={"i": ROWS, "j": 2, "k": ROW // BYTES[a]},
        temporaries=1,
        dtypes=dtypes,
        places=dict.fromkeys(dtypes, "z"),
        emit=f"{{c}} = {name}({{c}}, {{a}}, svdup_neonq_{VECTORS[b]}({{b}}));",
        requires=requires,
        latency=3.0,
        per_cycle=2.0,
        rounding=rounding,
        c_types={"a": C_TYPES[a], "b": PAIRS[b], "c": C_TYPES[c]},
        headers=HEADERS,
    )


def _move(
    name: str, axes: dict[str, Any], dtype: str, emit: str, requires: tuple[str, ...], place: str, masks: int = 0
) -> im.Instruction:
    """A move of a tile. place: of its memory operand, '' if it has none. masks: how many axes may be cut."""
    kind, cell = name.removeprefix("masked_").split("_")[0], f"[{','.join(axes)}]"
    texts = {"load": f"r{cell} = m{cell}", "store": f"m{cell} = r{cell}", "zero": f"r{cell} = 0"}
    return im.instruction(
        f"sve.{name}_{dtype}",
        texts[kind],
        axes=axes,
        dtypes=dict.fromkeys("rm" if place else "r", dtype),
        places={"r": "z"} | ({"m": place} if place else {}),
        emit=emit,
        requires=requires,
        latency=1.0 if kind == "zero" else 9.0,
        per_cycle=1.0 if kind == "zero" else 0.25,
        active=dict(zip(axes, ("active", "across")[:masks], strict=False)) if masks else None,
        beyond="zero" if masks and kind == "load" else "kept",
        c_types={"r": PAIRS[dtype] if "pair" in name else C_TYPES[dtype]},
        headers=HEADERS,
        prelude=PAIR if "pair" in name else PRELUDE,
    )


def _stride(name: str, dtype: str) -> str:
    """Bytes of a stride, as the C says them."""
    return f"{{{name}}}" if BYTES[dtype] == 1 else f"{BYTES[dtype]} * {{{name}}}"


def factors(dtype: str, requires: tuple[str, ...]) -> tuple[im.Instruction, ...]:
    """Loads of rows of the left factor, and the two of the right one: consecutive, or apart and all or the first."""
    of, apart, stride = VECTORS[dtype], "memory[i*stride + k]", _stride("stride", dtype)
    axes: dict[str, Any] = {"i": ROWS, "k": ROW // BYTES[dtype]}
    rows = f"{{r}} = svreinterpret_{of}_s64(sve_load_rows({{m}}, {stride}, {{n}}));"
    pair = f"{{r}} = vreinterpretq_{of}_s64(sve_load_pair({{m}}, {stride}, {{n}}));"
    two, other = {"j": 2, "k": axes["k"]}, "memory[j*stride + k]"
    loads = {
        "load_tile": f"{{r}} = svreinterpret_{of}_u8(svld1_u8(svptrue_b8(), (const uint8_t *){{m}}));",
        "load_pair": f"{{r}} = vreinterpretq_{of}_u8(vld1q_u8((const uint8_t *){{m}}));",
    }
    if of == "u8":
        loads = {
            name: text.replace("svreinterpret_u8_u8", "").replace("vreinterpretq_u8_u8", "")
            for name, text in loads.items()
        }
    return (
        _move("load_tile", axes, dtype, loads["load_tile"], requires, "memory"),
        _move("load_rows", axes, dtype, rows.replace("{n}", "(int64_t)svcntd()"), requires, apart),
        _move("masked_load_rows", axes, dtype, rows.replace("{n}", "{active}"), requires, apart, masks=1),
        _move("load_pair", two, dtype, loads["load_pair"], requires, "memory"),
        _move("load_pair_rows", two, dtype, pair.replace("{n}", "2"), requires, other),
        _move("masked_load_pair_rows", two, dtype, pair.replace("{n}", "{active}"), requires, other, masks=1),
    )


def sums(dtype: str, requires: tuple[str, ...]) -> tuple[im.Instruction, ...]:
    """Loads and stores of sums, any steps apart, whole or cut at both ends; and zero."""
    of, axes, place = VECTORS[dtype], {"i": ROWS, "j": 2}, "memory[i*down + j*right]"
    at = f"{{m}}, {_stride('down', dtype)}, {_stride('right', dtype)}"
    whole, cut = f"{at}, (int64_t)svcntd(), 2", f"{at}, {{active}}, {{across}}"
    loaded, held = (
        ("{{r}} = {};", "{{r}}")
        if of == "s32"
        else (f"{{{{r}}}} = svreinterpret_{of}_s32({{}});", f"svreinterpret_s32_{of}({{{{r}}}})")
    )
    load, store = loaded.format("sve_load_sums({})"), f"sve_store_sums({{}}, {held.format()});"
    return (
        _move("load_tile", axes, dtype, load.replace("{}", whole), requires, place),
        _move("zero_tile", axes, dtype, f"{{r}} = svdup_{of}(0);", requires, ""),
        _move("store_tile", axes, dtype, store.replace("{}", whole), requires, place),
        _move("masked_load_tile", axes, dtype, load.replace("{}", cut), requires, place, 2),
        _move("masked_store_tile", axes, dtype, store.replace("{}", cut), requires, place, 2),
    )
