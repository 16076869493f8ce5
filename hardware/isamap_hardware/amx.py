"""AMX: eight tile registers of 16 rows of 64 bytes, and products of two tiles added to a third.

A tile of bytes is multiplied with one whose rows are interleaved by fours: row r, group j holds b[4*r .. 4*r+3, j]. How many
rows and bytes a row each tile has stands in 64 bytes of each thread, tilecfg (Intel's manual, ldtilecfg): byte 0 is the palette,
bytes 16 + 2*t and 17 + 2*t are the bytes of a row of tile t, byte 48 + t its rows. Instructions say what they need there. Linux
wants to be asked first whether a process may have tiles (arch_prctl). There are no masks: a masked move goes through 1 KB of
memory, with the masks of AVX-512, which every core with AMX has.

tdpbf16ps reads denormals as zero and flushes denormal results. It adds the even and the odd products of a row and a column
apart, each step fused, and then both sums to the accumulator (Intel's manual, and seen on an Intel core).
"""

from __future__ import annotations

import isamap_smt as im
from isamap_hardware.caches import links, memories

HEADERS = ("stdint.h", "sys/syscall.h", "immintrin.h")
TILES = ("amx_tile",)

# In `asm`, with the tile's number as a constant: GCC's own macros take nothing but a literal, and do not say that they read
# memory. Whoever emulates tiles defines these names before.
PRELUDE = """\
#ifndef amx_tile_load
#define amx_tile_load(t, p, stride) \\
    __asm__ volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(p), "r"((int64_t)(stride)), "i"(t) : "memory")
#define amx_tile_store(t, p, stride) \\
    __asm__ volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(p), "r"((int64_t)(stride)), "i"(t) : "memory")
#define amx_tile_zero(t) __asm__ volatile("tilezero %%tmm%c0" : : "i"(t))
#define amx_tile_dot(how, c, a, b) \\
    __asm__ volatile(how " %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(c), "i"(a), "i"(b))
long syscall(long number, ...); /* -std=c11 hides it */
/* This thread's tiles, as 64 bytes say. Not 0 where the system refuses them. */
static inline int amx_tiles_enter(const uint8_t *configuration) {
    static int asked;
    const long request = 0x1023, tile_data = 18; /* ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA */
    if (!__atomic_load_n(&asked, __ATOMIC_RELAXED)) {
        if (syscall(SYS_arch_prctl, request, tile_data)) return 1;
        __atomic_store_n(&asked, 1, __ATOMIC_RELAXED);
    }
    __asm__ volatile("ldtilecfg %0" : : "m"(*(const uint8_t(*)[64])configuration));
    return 0;
}
static inline void amx_tiles_leave(void) { __asm__ volatile("tilerelease"); }
#endif
"""
PARTS = """\
/* The first rows of a tile, and of each the first 4-byte words: what lies beyond is not touched, and loaded as 0. */
static inline void amx_tile_part_in(char *part, const void *p, int64_t stride, int64_t rows, int64_t words) {
    const __mmask16 some = (__mmask16)((1u << words) - 1u);
    for (int64_t r = 0; r < rows; ++r)
        _mm512_storeu_si512(part + 64 * r, _mm512_maskz_loadu_epi32(some, (const char *)p + r * stride));
    for (int64_t r = rows; r < 16; ++r) _mm512_storeu_si512(part + 64 * r, _mm512_setzero_si512());
}
static inline void amx_tile_part_out(const char *part, void *p, int64_t stride, int64_t rows, int64_t words) {
    const __mmask16 some = (__mmask16)((1u << words) - 1u);
    for (int64_t r = 0; r < rows; ++r)
        _mm512_mask_storeu_epi32((char *)p + r * stride, some, _mm512_loadu_si512(part + 64 * r));
}
#define amx_tile_load_part(t, p, stride, rows, words) do { \\
        const int64_t rows_ = (rows), words_ = (words); \\
        if (rows_ == 16 && words_ == 16) { \\
            amx_tile_load(t, p, stride); \\
        } else { \\
            _Alignas(64) char part_[1024]; \\
            amx_tile_part_in(part_, p, stride, rows_, words_); \\
            amx_tile_load(t, part_, 64); \\
        } \\
    } while (0)
#define amx_tile_store_part(t, p, stride, rows, words) do { \\
        _Alignas(64) char part_[1024]; \\
        amx_tile_store(t, part_, 64); \\
        amx_tile_part_out(part_, p, stride, rows, words); \\
    } while (0)
"""
BYTES = {"bf16": 2, "f32": 4, "i32": 4, "u8": 1, "i8": 1}


def _stride(dtype: str) -> str:
    """Bytes between rows, as the C says them."""
    return "{stride}" if BYTES[dtype] == 1 else f"{BYTES[dtype]} * {{stride}}"


def _tile(operand: str, rows: str, row: str) -> tuple[str, ...]:
    """The operand is one of eight tiles, with so many rows, and bytes of a row, over the extents of axes."""
    return (
        f"{operand} < 8",
        "tilecfg[0] = 1",
        f"tilecfg[48 + {operand}] = {rows}",
        f"tilecfg[16 + 2*{operand}] = {row}",
        f"tilecfg[17 + 2*{operand}] = 0",
    )


def _configure(name: str, text: str, emit: str, may_fail: bool) -> im.Instruction:
    """All bytes of tilecfg; the tiles are 0 then."""
    cells = {"cfg": "tilecfg[x]", "new": "code"} if may_fail else {"cfg": "tilecfg[x]"}
    return im.instruction(
        f"amx.{name}", text, axes={"x": 64}, dtypes=dict.fromkeys(cells, "u8"), places=cells, emit=emit, may_fail=may_fail,
        requires=TILES, headers=HEADERS, prelude=(PRELUDE,), latency=200.0, per_cycle=1 / 64,
    )  # fmt: skip


def _product(name: str, feature: str, a: str, b: str, c: str, group: int, rounding: str) -> im.Instruction:
    """c[i,j] += a[i,k] * b[k,j] for 16 rows, 16 columns and 64 bytes of k; the tile of b holds them in groups."""
    return im.instruction(
        f"amx.{name}",
        f"c[i,j] += {c}(a[i,k]) * {c}(b[k,j])",
        axes={"i": 16, "j": 16, "k": 16 * group},
        temporaries=0,
        dtypes={"a": a, "b": b, "c": c},
        places=dict.fromkeys("abc", "tmm"),
        emit=f'amx_tile_dot("t{name}", {{c}}, {{a}}, {{b}});',
        requires=(*TILES, feature),
        latency=52.0,
        per_cycle=1 / 16,
        rounding=rounding,
        needs=(
            *_tile("a", "i", f"{BYTES[a]}*k"),
            *_tile("b", f"k // {group}", f"{group * BYTES[b]}*j"),
            *_tile("c", "i", "4*j"),
        ),
        headers=HEADERS,
        prelude=(PRELUDE,),
    )


def _move(
    name: str,
    kind: str,
    text: str,
    axes: dict[str, int],
    dtype: str,
    emit: str,
    shape: tuple[str, str],
    memory: str = "memory",
    masks: int = 0,
) -> im.Instruction:
    """shape: rows of the tile, and bytes of a row, over the extents of axes."""
    return im.instruction(
        f"amx.{name}",
        text,
        axes=axes,
        dtypes=dict.fromkeys("r" if kind == "zero" else "rm", dtype),
        places={"r": "tmm"} | ({} if kind == "zero" else {"m": memory}),
        emit=emit,
        requires=(*TILES, "avx512f") if masks else TILES,
        latency=16.0,
        per_cycle=1.0 if kind == "zero" else 1 / 8 if kind == "load" else 1 / 16,
        active=dict(zip(list(axes)[:masks], ("active", "across"), strict=False)),
        beyond="zero" if masks and kind == "load" else "kept",
        needs=_tile("r", *shape),
        headers=HEADERS,
        prelude=(PRELUDE, PARTS) if masks else (PRELUDE,),
    )


def _rows_of(dtype: str, group: int) -> tuple[im.Instruction, ...]:
    """Rows of the left operand, wherever they lie; all of them or the first."""
    axes = {"i": 16, "k": 16 * group}
    load = f"amx_tile_load({{r}}, {{m}}, {_stride(dtype)});"
    part = f"amx_tile_load_part({{r}}, {{m}}, {_stride(dtype)}, {{active}}, 16);"
    text, rows, shape = "r[i,k] = m[i,k]", "memory[i*stride + k]", ("i", f"{BYTES[dtype]}*k")
    return (
        _move(f"load_rows_{dtype}", "load", text, axes, dtype, load, shape, rows),
        _move(f"masked_load_rows_{dtype}", "load", text, axes, dtype, part, shape, rows, masks=1),
    )


def _groups_of(dtype: str, group: int) -> im.Instruction:
    """The right operand, interleaved in groups, from consecutive memory."""
    text = f"r[k,j] = m[k//{group},j,k%{group}]"
    load = "amx_tile_load({r}, {m}, 64);"
    shape = f"k // {group}", f"{group * BYTES[dtype]}*j"
    return _move(f"load_groups_{dtype}", "load", text, {"k": 16 * group, "j": 16}, dtype, load, shape)


def _sums(dtype: str) -> tuple[im.Instruction, ...]:
    """Accumulators: to and from rows, whole or cut at both ends, and zero."""
    axes, load, store, rows = {"i": 16, "j": 16}, "r[i,j] = m[i,j]", "m[i,j] = r[i,j]", "memory[i*stride + j]"
    place, shape = f"{{r}}, {{m}}, {_stride(dtype)}", ("i", "4*j")
    part = f"{place}, {{active}}, {{across}}"
    return (
        _move(f"load_{dtype}", "load", load, axes, dtype, f"amx_tile_load({place});", shape, rows),
        _move(f"zero_{dtype}", "zero", "r[i,j] = 0", axes, dtype, "amx_tile_zero({r});", shape),
        _move(f"store_{dtype}", "store", store, axes, dtype, f"amx_tile_store({place});", shape, rows),
        _move(f"masked_load_{dtype}", "load", load, axes, dtype, f"amx_tile_load_part({part});", shape, rows, masks=2),
        _move(
            f"masked_store_{dtype}", "store", store, axes, dtype, f"amx_tile_store_part({part});", shape, rows, masks=2
        ),
    )


BF16 = "even and odd products summed apart, each step fused and to nearest even, then added; flushes denormals"

HARDWARE = im.Hardware(
    "amx",
    (*memories("tmm", 8, 1024), im.Memory("tilecfg", 64, kind="state")),
    links("tmm", load=128.0, store=64.0),
    (
        _product("dpbf16ps", "amx_bf16", "bf16", "bf16", "f32", 2, BF16),
        _product("dpbusd", "amx_int8", "u8", "i8", "i32", 4, "exact"),
        _product("dpbsud", "amx_int8", "i8", "u8", "i32", 4, "exact"),
        _product("dpbssd", "amx_int8", "i8", "i8", "i32", 4, "exact"),
        _product("dpbuud", "amx_int8", "u8", "u8", "i32", 4, "exact"),
        *(move for dtype, group in (("bf16", 2), ("u8", 4), ("i8", 4)) for move in _rows_of(dtype, group)),
        *(_groups_of(dtype, group) for dtype, group in (("bf16", 2), ("u8", 4), ("i8", 4))),
        *_sums("f32"),
        *_sums("i32"),
        _configure("ldtilecfg", "cfg[x] = new[x]", "amx_tiles_enter({new})", may_fail=True),
        _configure("tilerelease", "cfg[x] = 0", "amx_tiles_leave();", may_fail=False),
    ),
    "x86-64 with AMX: products of tiles of 16 x 16 sums of 32 bf16 or 64 byte products",
)
