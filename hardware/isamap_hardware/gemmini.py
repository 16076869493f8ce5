"""Gemmini, a systolic array of 16 x 16 beside a RISC-V core: sums of products of bytes, in a scratchpad and an accumulator.

Default configuration (ucb-bar/gemmini 8c3f992): 256 KiB of scratchpad in rows of 16 bytes, 64 KiB of accumulator in rows of 16
sums. Three controllers load, execute and store; each is an engine here. The array holds the weights. Each use configures what
it needs, so that no state is left behind: a command more for a move, and for a product. `clear` sends what the rows ZEROS hold,
zeros, through an array without weights; the description's scratchpad ends before them.

Cycles are what the sources let one assume: a row of the array a cycle, 16 bytes a cycle on the bus, 40 cycles until memory
answers. No clock was measured, and no result depends on them.
"""

from __future__ import annotations

from typing import Any

import isamap_smt as im

SIDE = 16
ROWS = 16384  # of the scratchpad
ZEROS = ROWS - SIDE  # the first row of the tile that holds zeros
TILE = {"r": SIDE, "c": SIDE}
LATENCY = 40  # cycles

PRELUDE = f"""\
/* Up to 16 rows and columns from main memory, rows {{down}} bytes apart, and zeros beyond them. */
static inline void gemmini_load(const int8_t *from, int64_t down, int64_t row, int64_t rows, int64_t columns) {{
    if (rows <= 0 || columns <= 0 || rows < 16 || columns < 16) gemmini_mvin(0, gemmini_block((uint32_t)row, 16, 16));
    if (rows <= 0 || columns <= 0) return;
    gemmini_config_ld(0, (uint64_t)down, GEMMINI_ONE, 0, 16);
    gemmini_mvin(from, gemmini_block((uint32_t)row, (uint32_t)rows, (uint32_t)columns));
}}
/* Sums to main memory, rows {{down}} sums apart. */
static inline void gemmini_store(int32_t *to, int64_t down, int64_t row, int64_t rows, int64_t columns) {{
    if (rows <= 0 || columns <= 0) return;
    gemmini_config_st((uint32_t)(4 * down), GEMMINI_ONE, 0);
    gemmini_mvout(to, gemmini_block(gemmini_acc_full((uint32_t)row), (uint32_t)rows, (uint32_t)columns));
}}
/* Sums as bytes: scaled, rounded to the nearest and saturated; with an activation, then not below 0. Rows {{down}} bytes apart. */
static inline void gemmini_store_i8(int8_t *to, int64_t down, int64_t row, int64_t rows, int64_t columns, const float *scale,
                                    int relu) {{
    if (rows <= 0 || columns <= 0) return;
    uint32_t bits;
    memcpy(&bits, scale, 4);
    gemmini_config_st((uint32_t)down, bits, relu);
    gemmini_mvout(to, gemmini_block(gemmini_acc((uint32_t)row), (uint32_t)rows, (uint32_t)columns));
}}
/* Up to 16 rows and columns of sums, in main memory as sums or as bytes, rows {{down}} bytes apart, and zeros beyond them. */
static inline void gemmini_load_sums(const void *from, int64_t down, int64_t row, int64_t rows, int64_t columns, int bytes) {{
    if (rows <= 0 || columns <= 0 || rows < 16 || columns < 16) gemmini_mvin(0, gemmini_block(gemmini_acc((uint32_t)row), 16, 16));
    if (rows <= 0 || columns <= 0) return;
    gemmini_config_ld(0, (uint64_t)down, GEMMINI_ONE, bytes, 16);
    gemmini_mvin(from, gemmini_block(gemmini_acc((uint32_t)row), (uint32_t)rows, (uint32_t)columns));
}}
/* One pass of the array: rows of A, against the rows of B that it holds, replace sums or are added to them. */
static inline void gemmini_pass(uint32_t a, uint32_t b, uint32_t sums) {{
    gemmini_config_ex(GEMMINI_WEIGHT_STATIONARY, 0, 0, 0, 0);
    gemmini_preload(gemmini_block(b, 16, 16), gemmini_block(sums, 16, 16));
    gemmini_compute_preloaded(gemmini_block(a, 16, 16), gemmini_block(GEMMINI_NOWHERE, 16, 16));
}}
/* Before all else: the zeros that gemmini_clear() passes. */
static inline void gemmini_begin(void) {{
    gemmini_flush();
    gemmini_config_ld(0, 0, GEMMINI_ONE, 0, 16);
    gemmini_mvin(0, gemmini_block({ZEROS}, 16, 16));
}}
"""

C: dict[str, Any] = {"headers": ("gemmini_isa.h",), "prelude": PRELUDE}
LOAD = "gemmini_load({m}, {down}, {s}, {rows}, {columns});"
STORE = "gemmini_store({m}, {down}, {acc}, {rows}, {columns});"
STORE_I8 = "gemmini_store_i8({m}, {down}, {acc}, {rows}, {columns}, {s}, %s);"
SUMS = "gemmini_load_sums({m}, %s, {acc}, {rows}, {columns}, %s);"
CLEAR = f"gemmini_pass({ZEROS}, GEMMINI_NOWHERE, gemmini_acc((uint32_t)({{acc}})));"
MULTIPLY = "gemmini_pass((uint32_t)({a}), (uint32_t)({b}), gemmini_acc_add((uint32_t)({acc})));"

INSTRUCTIONS = (
    im.instruction(
        "gemmini.mvin", "s[r,c] = m[r,c]", axes=TILE, dtypes={"s": "i8", "m": "i8"},
        places={"s": "scratchpad[r,c]", "m": "memory[r*down + c]"}, engine="load", active={"r": "rows", "c": "columns"},
        beyond="zero", work=im.Work(LATENCY, 1, ("r",)), emit=LOAD, **C,
    ),
    im.instruction(
        "gemmini.clear", "acc[r,c] = 0", axes=TILE, dtypes={"acc": "i32"}, places={"acc": "accumulator[r,c]"},
        engine="execute", work=im.Work(SIDE, 0), emit=CLEAR, **C,
    ),
    im.instruction(
        "gemmini.matmul", "acc[i,j] += i32(a[i,k]) * i32(b[k,j])", axes={"i": SIDE, "j": SIDE, "k": SIDE},
        dtypes={"acc": "i32", "a": "i8", "b": "i8"},
        places={"acc": "accumulator[i,j]", "a": "scratchpad[i,k]", "b": "scratchpad[k,j]"},
        engine="execute", work=im.Work(SIDE, 0), emit=MULTIPLY, **C,
    ),
    im.instruction(
        "gemmini.mvout", "m[r,c] = acc[r,c]", axes=TILE, dtypes={"m": "i32", "acc": "i32"},
        places={"m": "memory[r*down + c]", "acc": "accumulator[r,c]"}, engine="store",
        active={"r": "rows", "c": "columns"}, work=im.Work(LATENCY, 4, ("r",)), emit=STORE, **C,
    ),
    *(
        im.instruction(
            f"gemmini.mvin_{name}", f"acc[r,c] = {value}", axes=TILE, dtypes={"m": dtype, "acc": "i32"},
            places={"m": "memory[r*down + c]", "acc": "accumulator[r,c]"}, engine="load",
            active={"r": "rows", "c": "columns"}, beyond="zero", work=im.Work(LATENCY, beats, ("r",)), emit=SUMS % c, **C,
        )
        for name, value, dtype, beats, c in (
            ("sums", "m[r,c]", "i32", 4, ("4 * {down}", 0)),
            ("widened", "i32(m[r,c])", "i8", 1, ("{down}", 1)),
        )
    ),
    *(
        im.instruction(
            f"gemmini.mvout_{name}", f"m[r,c] = {value}", axes=TILE, dtypes={"m": "i8", "acc": "i32", "s": "f32"},
            places={"m": "memory[r*down + c]", "acc": "accumulator[r,c]", "s": "memory"}, engine="store",
            active={"r": "rows", "c": "columns"}, work=im.Work(LATENCY, 1, ("r",)), emit=STORE_I8 % activation, **C,
        )
        for name, value, activation in (
            ("i8", "round_i8(f32(acc[r,c]) * s[])", 0),
            ("relu_i8", "round_i8(relu(f32(acc[r,c]) * s[]))", 1),
        )
    ),
)  # fmt: skip

HARDWARE = im.Hardware(
    "gemmini",
    memories=(
        im.Memory("scratchpad", 16 * ZEROS, row=16),
        im.Memory("accumulator", 64 << 10, row=64),
    ),
    instructions=INSTRUCTIONS,
    description="a systolic array of 16 x 16 byte products behind a scratchpad, sums in an accumulator",
    engines=(im.Engine("load"), im.Engine("execute"), im.Engine("store")),
)
