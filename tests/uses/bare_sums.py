"""A sum with elements that no product is added to, by hand: T[4*i,j]. Two contents of its buffer may stand for one of those.

Contents p hold rows 2*p - 2 to 2*p + 1 of T. Products are added to contents 1 and 3, which are stored; the bias is added to two
rows of each of 1, 2, 3 and 4. So what stands for rows 2, 3, 6 and 7 is stored without it.
"""

from __future__ import annotations

from typing import Any

import summed as s
import sympy as sp

import isamap_smt as im
from isamap_smt.ir.dtypes import DTYPES
from isamap_smt.ir.expr import sym
from isamap_smt.ir.instruction import Instruction, signal
from isamap_smt.ir.program import (
    Alloc,
    Buffer,
    Command,
    IndexType,
    Issued,
    Program,
    Ref,
    Serial,
    Signal,
    number_of,
)

TEXT = """T: [8,4]
X: [2,4]
W: [4,4]
b: [4]
Y: [8,4]
temporary T
T[4*i,j] += i32(X[i,k]) * i32(W[k,j])
Y[d,j] = T[d,j] + b[j]"""
P, I, U, Q = map(sym, ("p0", "i0", "u0", "q0"))
ZERO = sp.S.Zero


def program() -> Program:
    """For the one size of its kernel."""
    kernel = im.kernel(TEXT, dtypes=s.types_of(TEXT), name="bare").with_sizes({"i": 2, "j": 4, "k": 4, "d": 8})
    row_of_x = _load("load_row", "s[c] = m[c]", {"s": "scratchpad[0,c]", "m": "memory"}, axes={"c": s.SIDE})
    tile_of_w = _load("load_tile", "s[r,c] = m[r,c]", {"s": "scratchpad[r,c]", "m": s.FAR})
    adds = s.made(
        "multiply", "acc[j] += i32(a[k]) * i32(b[k,j])", "execute",
        {"acc": "accumulators[0,j]", "a": "scratchpad[0,k]", "b": "scratchpad[k,j]"},
        {"acc": "i32", "a": "i8", "b": "i8"}, axes=dict.fromkeys("jk", s.SIDE),
    )  # fmt: skip
    half, clear = s.update("acc[r,c] + n[c]", axes={"r": 2, "c": s.SIDE}), s.clear()
    types = dict.fromkeys(("m", "acc"), "i32")
    store = s.made("store", "m[r,c] = acc[r,c]", "store", {"m": s.FAR, "acc": s.ACC}, types)
    x, w = Ref("tile_x", (ZERO,), (I,)), Ref("tile_w", (ZERO,), (I,))
    n, filled = number_of(I), {"begins": True, "awaits": (("added", number_of(I)),), "signals": ("loaded",)}
    product = Command(
        adds, (("acc", _sums(2 * I + 1)), ("a", x), ("b", w)), point=(("i", I), ("j", sym("j")), ("k", sym("k"))),
        awaits=(("loaded", 2 * n + 2),), signals=("added",),
    )  # fmt: skip
    body = (
        *map(Alloc, _buffers()),
        Serial(P, 5, (Command(clear, (("acc", _sums(P)),), begins=True),)),
        Serial(
            I,
            2,
            (
                Command(row_of_x, (("s", x), ("m", Ref("X", (I, s.C)))), **filled),
                Command(tile_of_w, (("s", w), ("m", Ref("W", (s.R, s.C)))), **filled),
                product,
            ),
        ),
        Serial(U, 4, (Command(half, (("acc", _sums(U + 1)), ("n", Ref("b", (s.C,))))),)),
        Signal(signal("execute"), signals=("finished",)),
        Serial(Q, 2, (_stored(store),)),
    )
    return Program(None, kernel, (), body, machine=s.machine(row_of_x, tile_of_w, adds, half, store, clear))


def _sums(content: Any) -> Ref:
    return Ref("acc", (content,), (content,))


def _stored(store: Instruction) -> Issued:
    places = (("m", Ref("Y", (4 * Q + s.R, s.C))), ("acc", _sums(2 * Q + 1)))
    return Command(store, places, awaits=(("finished", sp.S.One),))


def _load(name: str, text: str, places: dict[str, str], **more: Any) -> Instruction:
    return s.made(name, text, "load", places, dict.fromkeys("sm", "i8"), **more)


def _buffers() -> tuple[Buffer, ...]:
    row, cells, side = 2 * P - 2 + s.ROW, (s.ROW, s.COLUMN), (s.SIDE, s.SIDE)
    sums = IndexType("T", (row, s.COLUMN), (row >= 0, row < 8), "0")
    x, w = IndexType("X", (I, s.COLUMN), (), "0"), IndexType("W", (s.ROW, s.COLUMN), (), "0")
    return (
        Buffer("acc", DTYPES["i32"], cells, side, sums, "accumulators", slots=5, version=(P,)),
        Buffer("tile_x", DTYPES["i8"], cells, (1, s.SIDE), x, "scratchpad", slots=1, version=(I,)),
        Buffer("tile_w", DTYPES["i8"], cells, side, w, "scratchpad", offset=4, slots=1, version=(I,)),
    )
