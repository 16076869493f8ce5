"""A tensor core: registers of 32 lanes hold fragments, as of mma.m16n8k8, and a vector unit whose tiles lie in fused rows."""

from __future__ import annotations

from functools import cache
from typing import Any

import isamap_smt as im

LANES = 32
A = "rf[i//8 + 2*(k//4), (i%8)*4 + k%4]"  # of 16 x 8: four registers
B = "rf[k//4, 4*j + k%4]"  # of 8 x 8: two
C = "rf[2*(i//8) + j%2, (i%8)*4 + j//2]"  # of 16 x 8: four
FAR = "memory[r*down + c*right]"
ENGINES = ("load", "execute", "store")


def _named(place: str, first: str, second: str) -> str:
    """The same place over a move's rows and columns."""
    inside = place.removeprefix("rf[")
    return "rf[" + inside.replace(first, "r").replace(second, "c")


@cache
def tensor_core(
    registers: int = 64, a: str = A, b: str = B, c: str = C, load_a: str = "", dtypes: tuple[str, str] = ("f32", "f32"),
    whole: bool = False, lanes: int = LANES,
) -> im.Hardware:  # fmt: skip
    """registers: rows of 32 numbers of four bytes. a, b, c: places of the fragments. load_a: where loads put the first one, if not
    where it is. dtypes: of factors and of sums. whole: sums begin in 32 lanes of four registers. lanes: that a row
    has room for."""
    part: dict[str, Any] = {"active": {"r": "rows", "c": "columns"}, "work": im.Work(16, 1, ("r",))}
    factor, total = dtypes

    def load(name: str, place: str, r: int, columns: int) -> im.Instruction:
        return im.instruction(
            name, "s[r,c] = m[r,c]", axes={"r": r, "c": columns}, dtypes={"s": factor, "m": factor}, engine="load",
            places={"s": place, "m": FAR}, beyond="zero", **part,
        )  # fmt: skip

    cell, shape = ("rf[r,l]", {"r": 4, "l": LANES}) if whole else (_named(c, "i", "j"), {"r": 16, "c": 8})
    value = "a[i,k] * b[k,j]" if factor == total else f"{total}(a[i,k]) * {total}(b[k,j])"
    instructions = (
        load("load_a", load_a or _named(a, "i", "k"), 16, 8),
        load("load_b", _named(b, "k", "j"), 8, 8),
        im.instruction(
            "clear", f"x[{','.join(shape)}] = 0", axes=shape, dtypes={"x": total}, places={"x": cell}, engine="execute",
            work=im.Work(1, 0),
        ),
        im.instruction(
            "mma", f"d[i,j] += {value}", axes={"i": 16, "j": 8, "k": 8}, engine="execute", rounding="unfused",
            dtypes={"d": total, "a": factor, "b": factor}, places={"d": c, "a": a, "b": b}, work=im.Work(8, 0),
        ),
        im.instruction(
            "store", "m[r,c] = d[r,c]", axes={"r": 16, "c": 8}, dtypes={"m": total, "d": total}, engine="store",
            places={"m": FAR, "d": _named(c, "i", "j")}, **part,
        ),
        im.instruction(
            "positive", "d[r,c] = relu(d[r,c])", axes={"r": 16, "c": 8}, dtypes={"d": total}, engine="execute",
            places={"d": _named(c, "i", "j")}, work=im.Work(2, 0),
        ),
    )  # fmt: skip
    file = im.Memory("rf", 4 * lanes * registers, row=4 * lanes)
    return im.Hardware("tensor_core", (file,), instructions=instructions, engines=tuple(map(im.Engine, ENGINES)))


@cache
def fused_rows(p: int = 4, q: int = 4, n: int = 8, k: int = 8) -> im.Hardware:
    """Sums of products of a window of p x q pixels, which are rows of the scratchpads: row q*i + j for pixel (i, j)."""
    part: dict[str, Any] = {"active": {"i": "rows", "j": "pixels", "c": "columns"}, "work": im.Work(16, 1, ("i", "j"))}
    far = "memory[i*down + j*right + c*deep]"
    tile = {"i": p, "j": q, "c": n}
    row = f"{q}*i + j"
    instructions = (
        im.instruction(
            "load_pixels", "s[i,j,c] = m[i,j,c]", axes={**tile, "c": k}, dtypes=dict.fromkeys("sm", "f32"), engine="load",
            places={"s": f"pixels[{row}, c]", "m": far}, beyond="zero", **part,
        ),
        im.instruction(
            "load", "s[r,c] = m[r,c]", axes={"r": k, "c": n}, dtypes=dict.fromkeys("sm", "f32"), engine="load",
            places={"s": "weights[r,c]", "m": FAR}, beyond="zero", active={"r": "rows", "c": "columns"},
            work=im.Work(16, 1, ("r",)),
        ),
        im.instruction(
            "clear", "acc[i,j,c] = 0", axes=tile, dtypes={"acc": "f32"}, places={"acc": f"sums[{row}, c]"}, engine="execute",
            work=im.Work(1, 0),
        ),
        im.instruction(
            "multiply", "acc[i,j,c] += a[i,j,k] * b[k,c]", axes={**tile, "k": k}, dtypes=dict.fromkeys(("acc", "a", "b"), "f32"),
            places={"acc": f"sums[{row}, c]", "a": f"pixels[{row}, k]", "b": "weights[k,c]"}, engine="execute",
            rounding="unfused", work=im.Work(4, 1, ("i", "j")),
        ),
        im.instruction(
            "store", "m[i,j,c] = acc[i,j,c]", axes=tile, dtypes={"m": "f32", "acc": "f32"}, engine="store",
            places={"m": far, "acc": f"sums[{row}, c]"}, **part,
        ),
    )  # fmt: skip
    memories = (
        im.Memory("pixels", 4 * k * p * q * 6, row=4 * k), im.Memory("weights", 4 * n * k * 6, row=4 * n),
        im.Memory("sums", 4 * n * p * q * 4, row=4 * n),
    )  # fmt: skip
    return im.Hardware("fused_rows", memories, instructions=instructions, engines=tuple(map(im.Engine, ENGINES)))
