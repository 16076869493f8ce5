"""Weight-stationary arrays: weights are held in the array while rows of the other factor pass it. Sums begin at 0 or at a bias."""

from __future__ import annotations

from functools import cache

import isamap_smt as im


@cache
def array(rows: int = 32, columns: int = 32, passed: int = 32, kib: int = 256, sums: int = 512) -> im.Hardware:
    """rows, columns: of the array. passed: rows in one pass. kib: of each pad. sums: rows of accumulators."""
    part = {"active": {"r": "rows", "c": "columns"}}

    def load(name: str, memory: str, r: int, c: int) -> im.Instruction:
        return im.instruction(
            name, "s[r,c] = m[r,c]", axes={"r": r, "c": c}, dtypes={"s": "i8", "m": "i8"}, engine="dma_in", beyond="zero",
            places={"s": f"{memory}[r,c]", "m": "memory[r*down + c]"}, work=im.Work(40, c / 16, ("r",)), **part,
            front={"r": "above"},
        )  # fmt: skip

    def store(name: str, value: str, kind: str) -> im.Instruction:
        return im.instruction(
            name, f"m[r,c] = {value}", axes={"r": passed, "c": columns}, dtypes={"m": kind, "acc": "i32"}, engine="dma_out",
            places={"m": "memory[r*down + c]", "acc": "sums[r,c]"}, work=im.Work(40, columns / 4, ("r",)), **part,
        )  # fmt: skip

    tile = {"r": passed, "c": columns}
    instructions = (
        load("load_a", "pad", passed, rows), load("load_w", "weights", rows, columns),
        im.instruction(
            "hold", "w[k,j] = g[k,j]", axes={"k": rows, "j": columns}, dtypes={"w": "i8", "g": "i8"}, engine="execute",
            places={"w": "array[k,j]", "g": "weights[k,j]"}, work=im.Work(rows, 0),
        ),
        im.instruction(
            "clear", "acc[r,c] = 0", axes=tile, dtypes={"acc": "i32"}, places={"acc": "sums[r,c]"}, engine="execute",
            work=im.Work(1, 0),
        ),
        im.instruction(
            "load_bias", "acc[r,c] = m[c]", axes=tile, dtypes={"acc": "i32", "m": "i32"}, engine="dma_in", beyond="zero",
            places={"acc": "sums[r,c]", "m": "memory"}, work=im.Work(40, columns / 4, ("r",)), **part,
        ),
        im.instruction(
            "matmul", "acc[i,j] += i32(a[i,k]) * i32(w[k,j])", axes={"i": passed, "j": columns, "k": rows}, engine="execute",
            dtypes={"acc": "i32", "a": "i8", "w": "i8"}, work=im.Work(4, 1, ("i",)),
            places={"acc": "sums[i,j]", "a": "pad[i,k]", "w": "array[k,j]"},
        ),
        store("store", "acc[r,c]", "i32"), store("store_clamped", "sat_i8(acc[r,c])", "i8"),
    )  # fmt: skip
    memories = (
        im.Memory("pad", kib << 10, row=rows), im.Memory("weights", kib << 10, row=columns),
        im.Memory("array", 2 * rows * columns, row=columns), im.Memory("sums", 4 * columns * sums, row=4 * columns),
    )  # fmt: skip
    engines = tuple(map(im.Engine, ("dma_in", "execute", "dma_out")))
    return im.Hardware("array", memories, (), instructions, "weight-stationary", engines=engines)
