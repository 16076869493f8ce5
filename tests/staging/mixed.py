"""Machines whose memories hold elements of several types: bytes beside sums of products, and one file of vector registers."""

from __future__ import annotations

from functools import cache
from typing import Any

import isamap_smt as im

FAR = "memory[r*down + c*right]"
BOTH = {"r": "rows", "c": "columns"}
ENGINES = ("load", "execute", "store")


def _made(
    name: str, text: str, engine: str, places: dict[str, str], axes: dict[str, int], **more: Any
) -> im.Instruction:
    """types: of its operands by name, i32 of others."""
    types = more.pop("types", {})
    return im.instruction(
        name, text, axes=axes, dtypes={n: types.get(n, "i32") for n in places}, places=places, engine=engine, **more
    )


def _moves(memory: str, dtype: str, tile: dict[str, int]) -> list[im.Instruction]:
    """Of tiles of one type: in, with zeros beyond, and out."""
    types = dict.fromkeys("sm", dtype)
    places = {"s": f"{memory}[r,c]", "m": FAR}
    about = {"types": types, "active": BOTH, "work": im.Work(16, 1, ("r",))}
    return [
        _made(f"load_{dtype}", "s[r,c] = m[r,c]", "load", places, tile, beyond="zero", **about),
        _made(f"store_{dtype}", "m[r,c] = s[r,c]", "store", places, tile, **about),
    ]


@cache
def one_pad(
    side: int = 8, rows: int = 96, bandwidth: float | None = None, banks: int = 0, adds: bool = False
) -> im.Hardware:
    """Products of bytes and their sums, in rows of one scratchpad. rows: of it, each of `side` sums. adds: an instruction adds two
    tiles of sums."""
    tile, types = {"r": side, "c": side}, {"a": "i8", "b": "i8"}
    acc = {"acc": "pad[r,c]"}
    instructions = (
        *_moves("pad", "i8", tile), *_moves("pad", "i32", tile),
        _made("clear", "acc[r,c] = 0", "execute", acc, tile, work=im.Work(1, 0)),
        _made("clear_bytes", "z[r,c] = 0", "execute", {"z": "pad[r,c]"}, tile, work=im.Work(0, 0), types={"z": "i8"}),
        _made(
            "begun", "acc[r,c] = m[c]", "load", {**acc, "m": "memory"}, tile, active=BOTH, beyond="zero",
            work=im.Work(16, 1, ("r",)),
        ),
        _made(
            "multiply", "acc[i,j] += i32(a[i,k]) * i32(b[k,j])", "execute",
            {"acc": "pad[i,j]", "a": "pad[i,k]", "b": "pad[k,j]"}, dict.fromkeys("ijk", side), types=types,
            work=im.Work(4, 1, ("i",)),
        ),
        _made(
            "store_clamped", "m[r,c] = sat_i8(acc[r,c])", "store", {"m": FAR, **acc}, tile, types={"m": "i8"},
            active=BOTH, work=im.Work(16, 1, ("r",)),
        ),
        _made("at_least", "acc[r,c] = max(acc[r,c], x[])", "execute", {**acc, "x": "code"}, tile, work=im.Work(2, 1, ("r",))),
    )  # fmt: skip
    if adds:
        places = dict.fromkeys("yab", "pad[r,c]")
        add = _made("add", "y[r,c] = a[r,c] + b[r,c]", "execute", places, tile, work=im.Work(2, 1, ("r",)))
        instructions = (*instructions, add)
    pad = im.Memory("pad", 4 * side * rows, row=4 * side, bandwidth=bandwidth, banks=banks)
    return im.Hardware("one_pad", (pad,), instructions=instructions, engines=tuple(map(im.Engine, ENGINES)))


REGISTERS = {  # instructions of the vector unit: text, and types of their operands; i32 of others
    "widen": ("y[r,c] = i32(a[r,c])", {"a": "i8"}), "to_f32": ("y[r,c] = f32(a[r,c])", {"y": "f32"}),
    "narrow": ("y[r,c] = sat_i8(a[r,c])", {"y": "i8"}), "round": ("y[r,c] = round_i8(a[r,c])", {"y": "i8", "a": "f32"}),
    "add": ("y[r,c] = a[r,c] + b[r,c]", {}), "add_f32": ("y[r,c] = a[r,c] + b[r,c]", dict.fromkeys("yab", "f32")),
    "scale": ("y[r,c] = a[r,c] * x[]", dict.fromkeys("yax", "f32")), "times": ("y[r,c] = a[r,c] * b[r,c]", {}),
    "larger": ("y[r,c] = max(a[r,c], b[r,c])", {}), "larger_i8": ("y[r,c] = max(a[r,c], b[r,c])", dict.fromkeys("yab", "i8")),
}  # fmt: skip


@cache
def registers(rows: int = 4, columns: int = 8, tiles: int = 12) -> im.Hardware:
    """A vector unit with one file of registers, whose rows hold bytes, whole numbers or floats. tiles: that it has room for."""
    tile = {"r": rows, "c": columns}
    every = dict.fromkeys("yab", "file[r,c]") | {"x": "code"}
    made = [
        _made(
            name, text, "execute", {o: p for o, p in every.items() if f"{o}[" in text}, tile, types=types,
            work=im.Work(2, 1, ("r",)),
        )
        for name, (text, types) in REGISTERS.items()
    ]  # fmt: skip
    sums = {"m": "file[r,0]", "a": "file[r,c]"}
    made += [
        _made("row_sum", "m[r] += i32(a[r,c])", "execute", sums, tile, types={"a": "i8"}, work=im.Work(4, 1, ("r",))),
        _made("row_sum_f32", "m[r] += a[r,c]", "execute", sums, tile, types=dict.fromkeys("ma", "f32"), work=im.Work(4, 1, ("r",))),
        *(
            _made(f"clear_{d}", "m[r] = 0", "execute", {"m": "file[r,0]"}, {"r": rows}, types={"m": d}, work=im.Work(1, 0))
            for d in ("i8", "f32", "i32")
        ),
        *(
            _made(
                f"store_column_{d}", "m[r] = v[r]", "store", {"v": "file[r,0]", "m": "memory[r*down]"}, {"r": rows},
                types=dict.fromkeys("mv", d), active={"r": "rows"}, work=im.Work(16, 1, ("r",)),
            )
            for d in ("f32", "i32")
        ),
    ]  # fmt: skip
    moves = [i for d in ("f32", "i8", "i32") for i in _moves("file", d, tile)]
    file = im.Memory("file", 4 * rows * columns * tiles, row=4 * columns)
    return im.Hardware("registers", (file,), instructions=(*made, *moves), engines=tuple(map(im.Engine, ENGINES)))
