"""TVM's VTA, default configuration: products of bytes with blocks of 16 x 16 weights, sums and arithmetic in an accumulator.

Three engines: load (inputs, weights), compute (biases, products, arithmetic on sums), store. Main memory is addressed
by elements of 16 bytes (inputs and outputs), 64 (sums) and 256 (weights), so tensors end in axes of 16, as TVM packs
them. A block of weights is [out][in], 16 rows of the memory `wgt`. Tiles here are 16 rows: a use counts them in the
inner loop of its instruction.

A stored value was last written by a product or by arithmetic: loads and resets do not write the hardware's memory
`out`. `shift` is by 0 to 15; all sources agree on these.

Cycles are assumptions from the sources: a vector a cycle, 16 bytes a cycle on the bus, 40 cycles until memory
answers. No clock was measured, and no result depends on them.
"""

from __future__ import annotations

from typing import Any

import isamap_smt as im

SIDE = 16
TILE = {"r": SIDE, "c": SIDE}
LATENCY = 40  # cycles
SHIFTS = 15  # the most

C: dict[str, Any] = {"headers": ("vta_stream.h",)}
PLACED: dict[str, Any] = {"axes": TILE, "active": {"r": "rows"}}
ARITHMETIC = (
    ("max", "max(acc[r,c], i32(imm[]))", "VTA_MAX", ()),
    ("min", "min(acc[r,c], i32(imm[]))", "VTA_MIN", ()),
    ("add", "acc[r,c] + i32(imm[])", "VTA_ADD", ()),
    ("shift", "acc[r,c] >> i32(imm[])", "VTA_SHR", (("imm", 0, SHIFTS),)),
)
OF_TWO = (
    ("max", "max(acc[r,c], src[r,c])", "VTA_MAX"),
    ("min", "min(acc[r,c], src[r,c])", "VTA_MIN"),
    ("add", "acc[r,c] + src[r,c]", "VTA_ADD"),
)

INSTRUCTIONS = (
    im.instruction(
        "vta.load_inp", "s[r,c] = m[r,c]", dtypes={"s": "i8", "m": "i8"},
        places={"s": "inp[r,c]", "m": "memory[r*down + c]"}, engine="load", beyond="zero",
        work=im.Work(LATENCY, 1, ("r",)), front={"r": "front"}, emit="vta_load_inp({s}, {m}, {down}, {front}, {rows});",
        **PLACED, **C,
    ),
    im.instruction(
        "vta.load_wgt", "s[r,c] = m[r,c]", dtypes={"s": "i8", "m": "i8"}, places={"s": "wgt[r,c]", "m": "memory"},
        engine="load", beyond="zero", work=im.Work(LATENCY, 1, ("r",)), emit="vta_load_wgt({s}, {m}, {rows});", **PLACED, **C,
    ),
    im.instruction(
        "vta.load_acc", "acc[r,c] = m[r,c]", dtypes={"acc": "i32", "m": "i32"},
        places={"acc": "acc[r,c]", "m": "memory[r*down + c]"}, engine="compute", beyond="zero",
        work=im.Work(LATENCY, 4, ("r",)), emit="vta_load_acc({acc}, {m}, {down}, {rows});", **PLACED, **C,
    ),
    im.instruction(
        "vta.reset", "acc[r,c] = 0", axes=TILE, dtypes={"acc": "i32"}, places={"acc": "acc[r,c]"}, engine="compute",
        work=im.Work(SIDE, 0), emit="vta_reset({acc});", **C,
    ),
    im.instruction(
        "vta.gemm", "acc[i,o] += i32(inp[i,k]) * i32(wgt[o,k])", axes={"i": SIDE, "o": SIDE, "k": SIDE},
        dtypes={"acc": "i32", "inp": "i8", "wgt": "i8"},
        places={"acc": "acc[i,o]", "inp": "inp[i,k]", "wgt": "wgt[o,k]"}, engine="compute",
        work=im.Work(SIDE, 0), emit="vta_gemm({acc}, {inp}, {wgt});", **C,
    ),
    *(
        im.instruction(
            f"vta.{name}", f"acc[r,c] = {value}", axes=TILE, dtypes={"acc": "i32", "imm": "i16"},
            places={"acc": "acc[r,c]", "imm": "code"}, engine="compute", assume=assume,
            work=im.Work(SIDE, 0), emit=f"vta_alu({operation}, {{acc}}, {{imm}});", **C,
        )
        for name, value, operation, assume in ARITHMETIC
    ),
    *(
        im.instruction(
            f"vta.{name}_acc", f"acc[r,c] = {value}", axes=TILE, dtypes={"acc": "i32", "src": "i32"},
            places={"acc": "acc[r,c]", "src": "acc[r,c]"}, engine="compute",
            work=im.Work(SIDE, 0), emit=f"vta_alu_acc({operation}, {{acc}}, {{src}});", **C,
        )
        for name, value, operation in OF_TWO
    ),
    im.instruction(
        "vta.store", "m[r,c] = i8(acc[r,c])", dtypes={"m": "i8", "acc": "i32"},
        places={"m": "memory[r*down + c]", "acc": "acc[r,c]"}, engine="store",
        work=im.Work(LATENCY, 1, ("r",)), emit="vta_store({m}, {down}, {acc}, {rows});", **PLACED, **C,
    ),
)  # fmt: skip

HARDWARE = im.Hardware(
    "vta",
    memories=(
        im.Memory("inp", 2048 * 16, row=16),
        im.Memory("wgt", 1024 * 256, row=16),
        im.Memory("acc", 2048 * 64, row=64),
    ),
    instructions=INSTRUCTIONS,
    description="VTA: vectors of 16 bytes against blocks of 16 x 16 weights, with arithmetic on the sums",
    engines=(im.Engine("load"), im.Engine("compute"), im.Engine("store")),
)
