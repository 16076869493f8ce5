"""An array of 16x16 products of bytes, with two pads that DMA fills and sums beside it. Pads, bus and load engines are parameters.

isamap sweep examples/weight_array.py:MACHINE --over kib=1,4,16 --over bus=8,32 gemm@i=64,j=128,k=128
"""

import isamap_smt as im


def MACHINE(kib: int = 16, bus: int = 16, dmas: int = 1) -> im.Hardware:
    """kib: of each pad. bus: bytes a cycle. dmas: engines that load, one or two."""
    tile = {"r": 16, "c": 16}
    part = {"active": {"r": "rows", "c": "columns"}}

    def load(name: str, engine: str) -> im.Instruction:
        return im.instruction(
            name,
            "s[r,c] = m[r,c]",
            axes=tile,
            dtypes={"s": "i8", "m": "i8"},
            engine=engine,
            beyond="zero",
            places={"s": f"{name[-1]}_pad[r,c]", "m": "memory[r*down + c]"},
            work=im.Work(40, 16 / bus, ("r",)),
            front={"r": "above"},
            **part,
        )

    instructions = (
        load("load_a", "dma_in"),
        load("load_b", "dma_in" if dmas == 1 else "dma_in2"),
        im.instruction(
            "clear",
            "acc[r,c] = 0",
            axes=tile,
            dtypes={"acc": "i32"},
            places={"acc": "sums[r,c]"},
            engine="array",
            work=im.Work(1, 0),
        ),
        im.instruction(
            "product",
            "acc[i,j] += i32(a[i,k]) * i32(b[k,j])",
            axes={"i": 16, "j": 16, "k": 16},
            dtypes={"acc": "i32", "a": "i8", "b": "i8"},
            engine="array",
            work=im.Work(4, 1, ("i",)),
            places={"acc": "sums[i,j]", "a": "a_pad[i,k]", "b": "b_pad[k,j]"},
        ),
        im.instruction(
            "store",
            "m[r,c] = s[r,c]",
            axes=tile,
            dtypes={"m": "i32", "s": "i32"},
            engine="dma_out",
            places={"m": "memory[r*down + c]", "s": "sums[r,c]"},
            work=im.Work(40, 64 / bus, ("r",)),
            **part,
        ),
    )
    memories = (
        im.Memory("a_pad", kib << 10, row=16),
        im.Memory("b_pad", kib << 10, row=16),
        im.Memory("sums", 16 << 10, row=64),
    )
    engines = ("dma_in", "dma_in2", "array", "dma_out") if dmas == 2 else ("dma_in", "array", "dma_out")
    return im.Hardware("array", memories, (), instructions, "an array of 16x16", engines=tuple(map(im.Engine, engines)))
