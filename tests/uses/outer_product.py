"""A matrix product on an 8x8 outer-product unit, by hand: three engines, a scratchpad and accumulators in slots, joined by
counters.

C[i,j] += A[k,i] * B[k,j] for any I, J, K. `load` brings tiles of A and B into the scratchpad, `execute` adds products into
an accumulator, `store` writes it out. The load of step n waits until step n - slots was executed; so loads run ahead of
the products.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import isamap_smt as im
from isamap_smt.ir.expr import FloorMod, IMin, ceil_div, sym
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import signal
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

TILE = 8
ROW, COLUMN = sym("row"), sym("column")
F32 = im.kernel("C[i] += A[i]").tensor("A").dtype


@cache
def machine() -> Hardware:
    """Scratchpad of 2048 rows of 8 numbers, eight accumulators of 8 rows, one engine in, one that computes, one out."""
    tile, active = {"r": TILE, "c": TILE}, {"r": "rows", "c": "columns"}

    def made(
        name: str, text: str, engine: str, work: im.Work, places: dict[str, str], **more: object
    ) -> im.Instruction:
        dtypes = dict.fromkeys(places, "f32")
        return im.instruction(
            name, text, **{"axes": tile} | more, dtypes=dtypes, places=places, engine=engine, work=work
        )

    held, out = {"s": "scratchpad[r,c]", "m": "memory[r*down + c]"}, {"acc": "accumulators[r,c]"}
    product = {"acc": "accumulators[i,j]", "a": "scratchpad[k,i]", "b": "scratchpad[k,j]"}
    transfer = im.Work(40, 4, ("r",))
    instructions = (
        made("load", "s[r,c] = m[r,c]", "load", transfer, held, active=active, beyond="zero"),
        made("clear", "acc[r,c] = 0", "execute", im.Work(2, 0), out),
        made(
            "multiply", "acc[i,j] += a[k,i] * b[k,j]", "execute", im.Work(4, 8, ("k",)), product, rounding="fused",
            axes=dict.fromkeys("ijk", TILE),
        ),
        made("store", "m[r,c] = acc[r,c]", "store", transfer, {"m": "memory[r*down + c]", **out}, active=active),
    )  # fmt: skip
    memories = (im.Memory("scratchpad", 2048 * 32, row=32), im.Memory("accumulators", 8 * TILE * 32, row=32))
    engines = tuple(map(im.Engine, ("load", "execute", "store")))
    return im.Hardware("outer_product", memories, instructions=instructions, engines=engines)


@dataclass(frozen=True)
class Choice:
    """slots: of each tile in the scratchpad, and of accumulators. lag, drain: how many steps, and tiles, a slot is waited
    for; by default as many as there are slots."""

    slots: int = 2
    accumulators: int = 2
    lag: int | None = None
    drain: int | None = None


def gemm(choice: Choice = Choice()) -> Program:
    """The program, for any sizes."""
    kernel = im.kernel("C[i,j] += A[k,i] * B[k,j]", name="gemm")
    i0, j0, k0 = sym("i0"), sym("j0"), sym("k0")
    m, n = number_of(j0), number_of(k0)
    size = {a.name: a.extent for a in kernel.axes}
    lag = choice.slots if choice.lag is None else choice.lag
    drain = choice.accumulators if choice.drain is None else choice.drain
    load, clear, multiply, store = machine().instructions
    r, c, i, j, k = map(sym, "rcijk")

    def tile(name: str, tensor: str, offset: int, axis: str, at: object) -> tuple[Buffer, Issued]:
        held = IndexType(
            tensor,
            (TILE * k0 + ROW, TILE * at + COLUMN),
            (TILE * k0 + ROW < size["k"], TILE * at + COLUMN < size[axis]),
            "0",
        )
        buffer = Buffer(
            name,
            F32,
            (ROW, COLUMN),
            (TILE, TILE),
            held,
            "scratchpad",
            offset=offset,
            slots=choice.slots,
            version=(i0, j0, k0),
        )
        use = Command(
            load,
            (
                ("s", Ref(name, (FloorMod(n, choice.slots),), (i0, j0, k0))),
                ("m", Ref(tensor, (TILE * k0 + r, TILE * at + c))),
            ),
            (IMin(TILE, size["k"] - TILE * k0), IMin(TILE, size[axis] - TILE * at)),
            awaits=(("executed", n + 1 - lag),), signals=("loaded_" + name,), begins=True,
        )  # fmt: skip
        return buffer, use

    a, load_a = tile("a", "A", 0, "i", i0)
    b, load_b = tile("b", "B", TILE * choice.slots, "j", j0)
    guard = (TILE * i0 + ROW < size["i"], TILE * j0 + COLUMN < size["j"])
    held = IndexType("C", (TILE * i0 + ROW, TILE * j0 + COLUMN), guard, "0")
    acc = Buffer(
        "acc", F32, (ROW, COLUMN), (TILE, TILE), held, "accumulators", slots=choice.accumulators, version=(i0, j0)
    )
    here = Ref("acc", (FloorMod(m, choice.accumulators),), (i0, j0))
    step = Ref("a", (FloorMod(n, choice.slots),), (i0, j0, k0))
    compute = Command(
        multiply, (("acc", here), ("a", step), ("b", Ref("b", step.index, step.version))),
        point=(("i", TILE * i0 + i), ("j", TILE * j0 + j), ("k", TILE * k0 + k)),
        awaits=(("loaded_a", n + 1), ("loaded_b", n + 1)), signals=("executed",),
    )  # fmt: skip
    out = Command(
        store, (("m", Ref("C", (TILE * i0 + r, TILE * j0 + c))), ("acc", here)),
        (IMin(TILE, size["i"] - TILE * i0), IMin(TILE, size["j"] - TILE * j0)),
        awaits=(("finished", m + 1),), signals=("stored",),
    )  # fmt: skip
    begin = Command(clear, (("acc", here),), awaits=(("stored", m + 1 - drain),), begins=True)
    steps = Serial(k0, ceil_div(size["k"], TILE), (load_a, load_b, compute))
    done = Signal(signal("execute"), signals=("finished",))
    tiles = Serial(j0, ceil_div(size["j"], TILE), (begin, steps, done, out))
    rows = Serial(i0, ceil_div(size["i"], TILE), (tiles,))
    return Program(None, kernel, (), (Alloc(a), Alloc(b), Alloc(acc), rows), machine=machine())
