"""Gemmini, a systolic array of 16 x 16 beside a RISC-V core: sums of products of bytes, in a scratchpad and an accumulator.

Default configuration (ucb-bar/gemmini 8c3f992): 256 KiB of scratchpad in rows of 16 bytes, 64 KiB of accumulator in
rows of 16 sums. Three controllers load, execute and store; each is an engine here, and so is the calling core: it and
Gemmini do not watch each other's accesses to main memory. The array holds weights, or sums. The configurations of loads
(three kinds), of the array and of stores are states, one of each controller. Commands write them and others need them:
it is proved that each use finds the state it needs. `clear` sends zeros, the content of the rows ZEROS, through an
array without weights; the description's scratchpad ends before them.

Cycles are assumptions from the sources: a row of the array a cycle, 16 bytes a cycle on the bus, 40 cycles until memory
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
ONE = 0x3F800000  # the bits of the scale 1
MOST = 1 << 30  # of a scale in the code: products stay below 2^63, where all sources convert them alike

PRELUDE = f"""\
/* Rows from `above` to before `rows`, up to 16, and up to 16 columns, to a local address, and zeros around them; as one kind of
   loads (0, 1 or 2) is configured. */
static inline void gemmini_fill(uint32_t kind, const void *from, uint32_t to, int64_t above, int64_t rows, int64_t columns) {{
    const int some = rows > above && columns > 0;
    for (int part = !(above > 0 || rows < 16 || columns < 16); part <= some; part++) {{
        const void *const source = part ? from : 0;
        const uint64_t block = part ? gemmini_block(to + (uint32_t)above, (uint32_t)(rows - above), (uint32_t)columns)
                                    : gemmini_block(to, 16, 16);
        if (kind == 0) gemmini_mvin(source, block);
        if (kind == 1) gemmini_mvin2(source, block);
        if (kind == 2) gemmini_mvin3(source, block);
    }}
}}
/* Sums to main memory, as stores are configured. */
static inline void gemmini_store(void *to, uint32_t from, int64_t rows, int64_t columns) {{
    if (rows <= 0 || columns <= 0) return;
    gemmini_mvout(to, gemmini_block(from, (uint32_t)rows, (uint32_t)columns));
}}
/* Cells of a state, as the command that writes them takes them. */
static inline void gemmini_set_loads(uint32_t kind, const int64_t *cells) {{
    gemmini_config_ld(kind, (uint64_t)cells[0], (uint32_t)cells[2], (int)cells[1], (uint32_t)cells[3]);
}}
static inline void gemmini_set_stores(const int64_t *cells) {{
    gemmini_config_st((uint32_t)cells[0], (uint32_t)cells[1], (int)cells[2]);
}}
static inline void gemmini_set_array(const int64_t *cells) {{
    gemmini_config_ex((int)cells[0], (int)cells[1], (uint32_t)cells[2], (int)cells[3], (int)cells[4]);
}}
/* One pass of the array: rows of A, against the rows of B that it holds, replace sums or are added to them. */
static inline void gemmini_pass(uint32_t a, uint32_t b, uint32_t sums) {{
    gemmini_preload(gemmini_block(b, 16, 16), gemmini_block(sums, 16, 16));
    gemmini_compute_preloaded(gemmini_block(a, 16, 16), gemmini_block(GEMMINI_NOWHERE, 16, 16));
}}
/* One row of zeros passes the array, which holds B from then on; and one of rows of A, whose products with what it holds are added
   to sums. */
static inline void gemmini_hold(uint32_t b) {{
    gemmini_preload(gemmini_block(b, 16, 16), gemmini_block(GEMMINI_NOWHERE, 16, 16));
    gemmini_compute_preloaded(gemmini_block({ZEROS}, 1, 16), gemmini_block(GEMMINI_NOWHERE, 16, 16));
}}
static inline void gemmini_again(uint32_t a, uint32_t sums) {{
    gemmini_preload(gemmini_block(GEMMINI_NOWHERE, 16, 16), gemmini_block(sums, 16, 16));
    gemmini_compute_accumulated(gemmini_block(a, 16, 16), gemmini_block(GEMMINI_NOWHERE, 16, 16));
}}
/* One pass with sums that stay in the array: products of rows of A and B, or none, are added to zeros (fresh) or to what it holds.
   The sums go on to local rows, or nowhere; no more is added to them then. */
static inline void gemmini_keep(uint32_t a, uint32_t b, uint32_t sums, int fresh) {{
    const uint64_t nowhere = gemmini_block(GEMMINI_NOWHERE, 16, 16), rows = gemmini_block(a, 16, 16);
    gemmini_preload(nowhere, gemmini_block(sums, 16, 16));
    if (fresh) gemmini_compute_preloaded(rows, gemmini_block(b, 16, 16));
    else gemmini_compute_accumulated(rows, gemmini_block(b, 16, 16));
}}
/* Before all else: zeros lie where gemmini.clear finds them. What this configures, no program relies on. */
static inline void gemmini_begin(void) {{
    gemmini_flush();
    gemmini_config_ld(0, 0, GEMMINI_ONE, 0, 16);
    gemmini_fill(0, 0, {ZEROS}, 0, 0, 0);
}}
"""

C: dict[str, Any] = {"headers": ("gemmini_isa.h",), "prelude": PRELUDE}
LOAD = "gemmini_fill({loads}, {m}, (uint32_t)({s}), {above}, {rows}, {columns});"
STORE = "gemmini_store({m}, gemmini_acc_full((uint32_t)({acc})), {rows}, {columns});"
BYTES = "gemmini_store({m}, gemmini_acc((uint32_t)({acc})), {rows}, {columns});"
SUMS = "gemmini_fill({loads}, {m}, gemmini_acc((uint32_t)({acc})), 0, {rows}, {columns});"
CLEAR = f"gemmini_pass({ZEROS}, GEMMINI_NOWHERE, gemmini_acc((uint32_t)({{acc}})));"
MULTIPLY = "gemmini_pass((uint32_t)({a}), (uint32_t)({b}), gemmini_acc_add((uint32_t)({acc})));"
HOLD = "gemmini_hold((uint32_t)({b}));"
AGAIN = "gemmini_again((uint32_t)({a}), gemmini_acc_add((uint32_t)({acc})));"
KEEP = "gemmini_keep((uint32_t)({a}), (uint32_t)({b}), GEMMINI_NOWHERE, 0);"
EMPTY = f"gemmini_keep({ZEROS}, GEMMINI_NOWHERE, GEMMINI_NOWHERE, 1);"
TAKE = f"gemmini_keep({ZEROS}, GEMMINI_NOWHERE, gemmini_acc((uint32_t)({{acc}})), 0);"

# What commands find configured. Stores as they are have no scale, and are configured with ONE all the same.
WEIGHTS_LOADED = ("passes[0] = 1", "passes[1] = 0", "passes[2] = 0")  # of weights or zeros, which way round they lie
WEIGHTS_STAY = (*WEIGHTS_LOADED, "passes[3] = 0", "passes[4] = 0")
A_TRANSPOSED = (*WEIGHTS_LOADED, "passes[3] = 1", "passes[4] = 0")
B_TRANSPOSED = (*WEIGHTS_LOADED, "passes[3] = 0", "passes[4] = 1")
SUMS_STAY = tuple(f"passes[{n}] = 0" for n in range(5))


def loaded(down: str, narrow: int) -> tuple[str, ...]:
    """Rows so many bytes apart; narrow: bytes on their way to the accumulator."""
    return (f"loads[0] = {down}", f"loads[1] = {narrow}", f"loads[2] = {ONE}", f"loads[3] = {SIDE}")


def stored(down: str, scale: Any, relu: int) -> tuple[str, ...]:
    """Rows so many bytes apart, scaled; relu: none of them negative."""
    return (f"stores[0] = {down}", f"stores[1] = {scale}", f"stores[2] = {relu}")


def configures(name: str, state: str, engine: str, cells: int, emit: str, least: int | None = None) -> im.Instruction:
    """The command that writes all cells of a set of a state. least: the smallest number it takes."""
    return im.instruction(
        f"gemmini.{name}", "cfg[x] = new[x]", axes={"x": cells}, dtypes={"cfg": "i64", "new": "i64"},
        places={"cfg": f"{state}[x]", "new": "code"}, engine=engine, work=im.Work(1, 0), emit=emit,
        assume=() if least is None else (("new", least, 2**63 - 1),), **C,
    )  # fmt: skip


INSTRUCTIONS = (
    configures("config_ld", "loads", "load", 4, "gemmini_set_loads({loads}, {new});"),
    configures("config_ex", "passes", "execute", 5, "gemmini_set_array({new});"),
    # a stride of stores has 32 bits and no sign: rows are not stored upwards
    configures("config_st", "stores", "store", 3, "gemmini_set_stores({new});", 0),
    im.instruction(
        "gemmini.mvin", "s[r,c] = m[r,c]", axes=TILE, dtypes={"s": "i8", "m": "i8"},
        places={"s": "scratchpad[r,c]", "m": "memory[r*down + c]"}, engine="load", active={"r": "rows", "c": "columns"},
        front={"r": "above"}, beyond="zero", work=im.Work(LATENCY, 1, ("r",)), needs=loaded("down", 0), emit=LOAD, **C,
    ),
    im.instruction(
        "gemmini.clear", "acc[r,c] = 0", axes=TILE, dtypes={"acc": "i32"}, places={"acc": "accumulator[r,c]"},
        engine="execute", work=im.Work(SIDE, 0), needs=WEIGHTS_LOADED, emit=CLEAR, **C,
    ),
    *(
        im.instruction(
            f"gemmini.{name}", f"acc[i,j] += i32(a[{a}]) * i32(b[{b}])", axes={"i": SIDE, "j": SIDE, "k": SIDE},
            dtypes={"acc": "i32", "a": "i8", "b": "i8"},
            places={"acc": "accumulator[i,j]", "a": f"scratchpad[{a}]", "b": f"scratchpad[{b}]"},
            engine="execute", work=im.Work(SIDE, 0), needs=needs, emit=MULTIPLY, **C,
        )
        for name, a, b, needs in (
            ("matmul", "i,k", "k,j", WEIGHTS_STAY),
            ("matmul_at", "k,i", "k,j", A_TRANSPOSED),
            ("matmul_bt", "i,k", "j,k", B_TRANSPOSED),
        )
    ),
    im.instruction(
        "gemmini.hold", "w[r,c] = b[r,c]", axes=TILE, dtypes={"w": "i8", "b": "i8"},
        places={"w": "weights[r,c]", "b": "scratchpad[r,c]"}, engine="execute", work=im.Work(SHORTEST, 0), needs=WEIGHTS_STAY,
        emit=HOLD, **C,
    ),
    im.instruction(
        "gemmini.matmul_held", "acc[i,j] += i32(a[i,k]) * i32(w[k,j])", axes={"i": SIDE, "j": SIDE, "k": SIDE},
        dtypes={"acc": "i32", "a": "i8", "w": "i8"},
        places={"acc": "accumulator[i,j]", "a": "scratchpad[i,k]", "w": "weights[k,j]"},
        engine="execute", work=im.Work(SIDE, 0), needs=WEIGHTS_STAY, emit=AGAIN, **C,
    ),
    im.instruction(
        "gemmini.empty", "sums[r,c] = 0", axes=TILE, dtypes={"sums": "i32"}, places={"sums": "array[r,c]"},
        engine="execute", work=im.Work(SIDE, 0), needs=SUMS_STAY, emit=EMPTY, **C,
    ),
    im.instruction(
        "gemmini.matmul_os", "sums[i,j] += i32(a[i,k]) * i32(b[k,j])", axes={"i": SIDE, "j": SIDE, "k": SIDE},
        dtypes={"sums": "i32", "a": "i8", "b": "i8"},
        places={"sums": "array[i,j]", "a": "scratchpad[i,k]", "b": "scratchpad[k,j]"},
        engine="execute", work=im.Work(SIDE, 0), needs=SUMS_STAY, emit=KEEP, **C,
    ),
    im.instruction(
        "gemmini.take", "acc[r,c] = sums[r,c]", axes=TILE, dtypes={"acc": "i32", "sums": "i32"},
        places={"acc": "accumulator[r,c]", "sums": "array[r,c]"}, engine="execute", work=im.Work(SIDE, 0), needs=SUMS_STAY,
        emit=TAKE, **C,
    ),
    im.instruction(
        "gemmini.mvout", "m[r,c] = acc[r,c]", axes=TILE, dtypes={"m": "i32", "acc": "i32"},
        places={"m": "memory[r*down + c]", "acc": "accumulator[r,c]"}, engine="store",
        active={"r": "rows", "c": "columns"}, work=im.Work(LATENCY, 4, ("r",)), needs=stored("4*down", ONE, 0), emit=STORE, **C,
    ),
    *(
        im.instruction(
            f"gemmini.mvin_{name}", f"acc[r,c] = {value}", axes=TILE, dtypes={"m": dtype, "acc": "i32"},
            places={"m": "memory[r*down + c]", "acc": "accumulator[r,c]"}, engine="load",
            active={"r": "rows", "c": "columns"}, beyond="zero", work=im.Work(LATENCY, beats, ("r",)),
            needs=loaded(*c), emit=SUMS, **C,
        )
        for name, value, dtype, beats, c in (
            ("sums", "m[r,c]", "i32", 4, ("4*down", 0)),
            ("widened", "i32(m[r,c])", "i8", 1, ("down", 1)),
        )
    ),
    *(
        im.instruction(
            f"gemmini.mvout_{name}", f"m[r,c] = {value}", axes=TILE, dtypes={"m": "i8", "acc": "i32", "s": "f32"},
            places={"m": "memory[r*down + c]", "acc": "accumulator[r,c]", "s": place}, engine="store",
            active={"r": "rows", "c": "columns"}, work=im.Work(LATENCY, 1, ("r",)), needs=stored("down", "s", relu),
            emit=BYTES, assume=assume, **C,
        )
        for name, value, place, assume, relu in (
            ("i8", "round_i8(f32(acc[r,c]) * s[])", "memory", (), 0),
            ("i8_by", "round_i8(f32(acc[r,c]) * s[])", "code", (("s", -MOST, MOST),), 0),
            ("relu_i8_by", "round_i8(relu(f32(acc[r,c]) * s[]))", "code", (("s", 0, MOST),), 1),
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
        im.Memory(
            "loads", 3 * 4 * 8, count=3, kind="state"
        ),  # of each kind: stride in bytes, narrow, scale, rows to the next block
        im.Memory("passes", 5 * 8, kind="state"),  # dataflow, ReLU, shift, A transposed, B transposed
        im.Memory("stores", 3 * 8, kind="state"),  # stride in bytes, bits of the scale, ReLU
    ),
    instructions=INSTRUCTIONS,
    description="a systolic array of 16 x 16 byte products behind a scratchpad, sums in an accumulator",
    engines=(im.Engine("load"), im.Engine("execute"), im.Engine("store"), im.Engine("host", host=True)),
)
