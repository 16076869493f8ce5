"""Machines of one multiplying instruction on 8 x 8 tiles, of any element types, for tests of what contracts say."""

from __future__ import annotations

import isamap_smt as im
from isamap_smt.ir.dtypes import dtype

SIDE = 8
ACTIVE = {"r": "rows", "c": "columns"}


def load(name: str, memory: str, of: str, cells: str = "r,c") -> im.Instruction:
    """Brings up to 8 x 8 elements, and zeros beyond."""
    return im.instruction(
        name, "s[r,c] = m[r,c]", axes={"r": SIDE, "c": SIDE}, dtypes={"s": of, "m": of},
        places={"s": f"{memory}[{cells}]", "m": "memory[r*down + c*right]"},
        engine="load", active=ACTIVE, beyond="zero", work=im.Work(16, 1, ("r",)),
    )  # fmt: skip


def clear(of: str) -> im.Instruction:
    """Sums begin at 0."""
    return im.instruction(
        "clear", "acc[r,c] = 0", axes={"r": SIDE, "c": SIDE}, dtypes={"acc": of}, places={"acc": "sums[r,c]"},
        engine="execute", work=im.Work(1, 0),
    )  # fmt: skip


def store(of: str, memory: str = "sums") -> im.Instruction:
    """Takes up to 8 x 8 elements to main memory."""
    return im.instruction(
        "store", "m[r,c] = acc[r,c]", axes={"r": SIDE, "c": SIDE}, dtypes={"m": of, "acc": of},
        places={"m": "memory[r*down + c*right]", "acc": f"{memory}[r,c]"},
        engine="store", active=ACTIVE, work=im.Work(16, 1, ("r",)),
    )  # fmt: skip


def rows(name: str, of: str, count: int = 128, width: int = SIDE) -> im.Memory:
    """An addressed memory of so many rows of elements."""
    return im.Memory(name, count * width * dtype(of).bytes, row=width * dtype(of).bytes)


def tile_machine(
    contract: str,
    a: str = "f32",
    b: str = "f32",
    acc: str = "f32",
    rounding: str = "unfused",
    k: int = SIDE,
    exact: str | None = None,
) -> im.Hardware:
    """acc[i,j] from a[k,i] and b[k,j], each type in a memory of its own."""
    multiply = im.instruction(
        "multiply", contract, axes={"i": SIDE, "j": SIDE, "k": k}, dtypes={"acc": acc, "a": a, "b": b}, rounding=rounding,
        exact=exact, places={"acc": "sums[i,j]", "a": "left[k,i]", "b": "right[k,j]"}, engine="execute", work=im.Work(4, 1, ("k",)),
    )  # fmt: skip
    return im.Hardware(
        "tiles", (rows("left", a), rows("right", b), rows("sums", acc)), (),
        (load("load_a", "left", a), load("load_b", "right", b), clear(acc), multiply, store(acc)),
        engines=(im.Engine("load"), im.Engine("execute"), im.Engine("store")),
    )  # fmt: skip
