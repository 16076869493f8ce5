"""An 8x8 outer-product unit: a scratchpad, accumulators of its own, one engine in, one that computes, one out.

isamap run gemm examples/outer_product.py:MACHINE --target simulate --sizes i=64,j=64,k=64
"""

import isamap_smt as im

SIDE = 8  # points of a side of the unit
TILE = {"r": SIDE, "c": SIDE}
DMA = im.Work(start=16, each=1, per=("r",))  # cycles: to set up, and for each row of 32 bytes
GATHER = im.Work(start=16, each=1, per=("r", "c"))  # the same, one number at a time
ACTIVE = {"r": "rows", "c": "columns"}


def load(name: str, memory: str, work: im.Work) -> im.Instruction:
    """Brings up to 8x8 numbers into the scratchpad, and zeros beyond."""
    return im.instruction(
        name, "s[r,c] = m[r,c]", axes=TILE, dtypes={"s": "f32", "m": "f32"}, places={"s": "scratchpad[r,c]", "m": memory},
        engine="load", active=ACTIVE, beyond="zero", work=work,
    )  # fmt: skip


INSTRUCTIONS = (
    load("load", "memory[r*down + c]", DMA),
    load("gather", "memory[r*down + c*right]", GATHER),
    im.instruction(
        "clear", "acc[r,c] = 0", axes=TILE, dtypes={"acc": "f32"}, places={"acc": "accumulators[r,c]"},
        engine="execute", work=im.Work(1, 0),
    ),
    im.instruction(
        "outer", "acc[i,j] += a[k,i] * b[k,j]", axes={"i": SIDE, "j": SIDE, "k": SIDE},
        dtypes=dict.fromkeys(("acc", "a", "b"), "f32"), rounding="fused",
        places={"acc": "accumulators[i,j]", "a": "scratchpad[k,i]", "b": "scratchpad[k,j]"},
        engine="execute", work=im.Work(4, 1, ("k",)),
    ),
    im.instruction(
        "store", "m[r,c] = acc[r,c]", axes=TILE, dtypes={"m": "f32", "acc": "f32"},
        places={"m": "memory[r*down + c]", "acc": "accumulators[r,c]"},
        engine="store", active=ACTIVE, work=DMA,
    ),
)  # fmt: skip

MACHINE = im.Hardware(
    "outer_product",
    memories=(
        im.Memory("scratchpad", 64 << 10, row=32),
        im.Memory("accumulators", 4 << 10, row=32),  # 16 of 8x8
    ),
    instructions=INSTRUCTIONS,
    description="an 8x8 f32 outer-product unit behind a scratchpad, one DMA engine in and one out",
    engines=(im.Engine("load"), im.Engine("execute"), im.Engine("store")),
)
