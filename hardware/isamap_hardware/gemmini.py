"""Gemmini, a systolic array of 16 x 16 beside a RISC-V core: sums of products of bytes, in a scratchpad and an accumulator.

Default configuration (ucb-bar/gemmini 8c3f992): 256 KiB of scratchpad in rows of 16 bytes, 64 KiB of accumulator in rows of 16
sums. Three controllers load, execute and store; each is an engine here, and so is the core that calls: it and Gemmini do not
watch what the other does to main memory. The array holds weights, or sums. Each use finds what it needs configured: its C
remembers the last configurations, and issues another one where it has to. `clear` sends what the rows ZEROS hold, zeros, through
an array without weights; the description's scratchpad ends before them.

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
SHORTEST = 4  # cycles of a pass of fewer rows; what it puts into the array went there beside the pass before it
WIRES = 20  # bits of a sum that stays in the array: the RTL's wires between its elements
MOST = 1 << 30  # of a scale in the code: products stay below 2^63, where all sources convert them alike

PRELUDE = f"""\
/* What the three kinds of loads, the array and the stores were configured for last; 0: for nothing yet. */
static struct gemmini_state {{ uint64_t loads[3], stores; uint32_t next; int relu, flows; }} gemmini_now;
/* A kind of load with rows so many bytes apart; bytes: they go to the accumulator. It is configured unless one of the three is. */
static inline uint32_t gemmini_kind(uint64_t stride, int bytes) {{
    const uint64_t wanted = (stride << 1 | (uint64_t)bytes) + 1;
    for (uint32_t k = 0; k < 3; k++)
        if (gemmini_now.loads[k] == wanted) return k;
    const uint32_t k = gemmini_now.next;
    gemmini_now.next = (k + 1) % 3;
    gemmini_now.loads[k] = wanted;
    gemmini_config_ld(k, stride, GEMMINI_ONE, bytes, 16);
    return k;
}}
/* Up to 16 rows and columns to a local address, from rows that are so many bytes apart, and zeros beyond them. */
static inline void gemmini_fill(const void *from, uint64_t stride, uint32_t to, int64_t rows, int64_t columns, int bytes) {{
    const int some = rows > 0 && columns > 0;
    const uint32_t kind = gemmini_kind(some ? stride : 0, bytes);
    for (int part = !(rows < 16 || columns < 16); part <= some; part++) {{
        const void *const source = part ? from : 0;
        const uint64_t block = part ? gemmini_block(to, (uint32_t)rows, (uint32_t)columns) : gemmini_block(to, 16, 16);
        if (kind == 0) gemmini_mvin(source, block);
        if (kind == 1) gemmini_mvin2(source, block);
        if (kind == 2) gemmini_mvin3(source, block);
    }}
}}
/* Sums to main memory, rows so many bytes apart: as they are, or as bytes, scaled, rounded to the nearest and saturated. */
static inline void gemmini_store(void *to, uint32_t stride, uint32_t from, int64_t rows, int64_t columns, float scale, int relu) {{
    if (rows <= 0 || columns <= 0) return;
    const union {{ float number; uint32_t bits; }} read = {{scale}};
    const uint64_t wanted = (uint64_t)read.bits << 32 | stride;
    if (gemmini_now.stores != wanted + 1 || gemmini_now.relu != relu) gemmini_config_st(stride, read.bits, relu);
    gemmini_now.stores = wanted + 1;
    gemmini_now.relu = relu;
    gemmini_mvout(to, gemmini_block(from, (uint32_t)rows, (uint32_t)columns));
}}
/* Which operand stays in the array from now on. */
static inline void gemmini_flow(int dataflow) {{
    if (gemmini_now.flows != dataflow + 1) gemmini_config_ex(dataflow, 0, 0, 0, 0);
    gemmini_now.flows = dataflow + 1;
}}
/* One pass of the array: rows of A, against the rows of B that it holds, replace sums or are added to them. */
static inline void gemmini_pass(uint32_t a, uint32_t b, uint32_t sums) {{
    gemmini_flow(GEMMINI_WEIGHT_STATIONARY);
    gemmini_preload(gemmini_block(b, 16, 16), gemmini_block(sums, 16, 16));
    gemmini_compute_preloaded(gemmini_block(a, 16, 16), gemmini_block(GEMMINI_NOWHERE, 16, 16));
}}
/* One row of zeros passes the array, which holds B from then on; and one of rows of A, whose products with what it holds are added
   to sums. */
static inline void gemmini_hold(uint32_t b) {{
    gemmini_flow(GEMMINI_WEIGHT_STATIONARY);
    gemmini_preload(gemmini_block(b, 16, 16), gemmini_block(GEMMINI_NOWHERE, 16, 16));
    gemmini_compute_preloaded(gemmini_block({ZEROS}, 1, 16), gemmini_block(GEMMINI_NOWHERE, 16, 16));
}}
static inline void gemmini_again(uint32_t a, uint32_t sums) {{
    gemmini_flow(GEMMINI_WEIGHT_STATIONARY);
    gemmini_preload(gemmini_block(GEMMINI_NOWHERE, 16, 16), gemmini_block(sums, 16, 16));
    gemmini_compute_accumulated(gemmini_block(a, 16, 16), gemmini_block(GEMMINI_NOWHERE, 16, 16));
}}
/* One pass with sums that stay in the array: products of rows of A and B, or none, are added to zeros (fresh) or to what it holds.
   The sums go on to local rows, or nowhere; no more is added to them then. */
static inline void gemmini_keep(uint32_t a, uint32_t b, uint32_t sums, int fresh) {{
    const uint64_t nowhere = gemmini_block(GEMMINI_NOWHERE, 16, 16), rows = gemmini_block(a, 16, 16);
    gemmini_flow(GEMMINI_OUTPUT_STATIONARY);
    gemmini_preload(nowhere, gemmini_block(sums, 16, 16));
    if (fresh) gemmini_compute_preloaded(rows, gemmini_block(b, 16, 16));
    else gemmini_compute_accumulated(rows, gemmini_block(b, 16, 16));
}}
/* Before all else: nothing is configured, and zeros lie where gemmini.clear finds them. */
static inline void gemmini_begin(void) {{
    gemmini_flush();
    gemmini_now = (struct gemmini_state){{{{0}}}};
    gemmini_fill(0, 0, {ZEROS}, 0, 0, 0);
}}
"""

C: dict[str, Any] = {"headers": ("gemmini_isa.h",), "prelude": PRELUDE}
LOAD = "gemmini_fill({m}, (uint64_t)({down}), (uint32_t)({s}), {rows}, {columns}, 0);"
STORE = "gemmini_store({m}, (uint32_t)(4 * ({down})), gemmini_acc_full((uint32_t)({acc})), {rows}, {columns}, 1.0f, 0);"
BYTES = "gemmini_store({m}, (uint32_t)({down}), gemmini_acc((uint32_t)({acc})), {rows}, {columns}, %s, %d);"
SUMS = "gemmini_fill({m}, (uint64_t)(%d * ({down})), gemmini_acc((uint32_t)({acc})), {rows}, {columns}, %d);"
CLEAR = f"gemmini_pass({ZEROS}, GEMMINI_NOWHERE, gemmini_acc((uint32_t)({{acc}})));"
MULTIPLY = "gemmini_pass((uint32_t)({a}), (uint32_t)({b}), gemmini_acc_add((uint32_t)({acc})));"
HOLD = "gemmini_hold((uint32_t)({b}));"
AGAIN = "gemmini_again((uint32_t)({a}), gemmini_acc_add((uint32_t)({acc})));"
KEEP = "gemmini_keep((uint32_t)({a}), (uint32_t)({b}), GEMMINI_NOWHERE, 0);"
EMPTY = f"gemmini_keep({ZEROS}, GEMMINI_NOWHERE, GEMMINI_NOWHERE, 1);"
TAKE = f"gemmini_keep({ZEROS}, GEMMINI_NOWHERE, gemmini_acc((uint32_t)({{acc}})), 0);"

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
        "gemmini.hold", "w[r,c] = b[r,c]", axes=TILE, dtypes={"w": "i8", "b": "i8"},
        places={"w": "weights[r,c]", "b": "scratchpad[r,c]"}, engine="execute", work=im.Work(SHORTEST, 0), emit=HOLD, **C,
    ),
    im.instruction(
        "gemmini.matmul_held", "acc[i,j] += i32(a[i,k]) * i32(w[k,j])", axes={"i": SIDE, "j": SIDE, "k": SIDE},
        dtypes={"acc": "i32", "a": "i8", "w": "i8"},
        places={"acc": "accumulator[i,j]", "a": "scratchpad[i,k]", "w": "weights[k,j]"},
        engine="execute", work=im.Work(SIDE, 0), emit=AGAIN, **C,
    ),
    im.instruction(
        "gemmini.empty", "sums[r,c] = 0", axes=TILE, dtypes={"sums": "i32"}, places={"sums": "array[r,c]"},
        engine="execute", work=im.Work(SIDE, 0), emit=EMPTY, **C,
    ),
    im.instruction(
        "gemmini.matmul_os", "sums[i,j] += i32(a[i,k]) * i32(b[k,j])", axes={"i": SIDE, "j": SIDE, "k": SIDE},
        dtypes={"sums": "i32", "a": "i8", "b": "i8"},
        places={"sums": "array[i,j]", "a": "scratchpad[i,k]", "b": "scratchpad[k,j]"},
        engine="execute", work=im.Work(SIDE, 0), emit=KEEP, **C,
    ),
    im.instruction(
        "gemmini.take", "acc[r,c] = sums[r,c]", axes=TILE, dtypes={"acc": "i32", "sums": "i32"},
        places={"acc": "accumulator[r,c]", "sums": "array[r,c]"}, engine="execute", work=im.Work(SIDE, 0), emit=TAKE, **C,
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
            ("sums", "m[r,c]", "i32", 4, (4, 0)),
            ("widened", "i32(m[r,c])", "i8", 1, (1, 1)),
        )
    ),
    *(
        im.instruction(
            f"gemmini.mvout_{name}", f"m[r,c] = {value}", axes=TILE, dtypes={"m": "i8", "acc": "i32", "s": "f32"},
            places={"m": "memory[r*down + c]", "acc": "accumulator[r,c]", "s": place}, engine="store",
            active={"r": "rows", "c": "columns"}, work=im.Work(LATENCY, 1, ("r",)), emit=BYTES % c, assume=assume, **C,
        )
        for name, value, place, assume, c in (
            ("i8", "round_i8(f32(acc[r,c]) * s[])", "memory", (), ("*{s}", 0)),
            ("i8_by", "round_i8(f32(acc[r,c]) * s[])", "code", (("s", -MOST, MOST),), ("{s}", 0)),
            ("relu_i8_by", "round_i8(relu(f32(acc[r,c]) * s[]))", "code", (("s", 0, MOST),), ("{s}", 1)),
        )
    ),
)  # fmt: skip

HARDWARE = im.Hardware(
    "gemmini",
    memories=(
        im.Memory("scratchpad", 16 * ZEROS, row=16),
        im.Memory("accumulator", 64 << 10, row=64),
        im.Memory("weights", 16 * 16, row=16),
        im.Memory("array", 16 * 64, row=64, bits=WIRES),
    ),
    instructions=INSTRUCTIONS,
    description="a systolic array of 16 x 16 byte products behind a scratchpad, sums in an accumulator",
    engines=(im.Engine("load"), im.Engine("execute"), im.Engine("store"), im.Engine("host", host=True)),
)
