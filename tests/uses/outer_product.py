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
from isamap_smt.ir.graph import ADDRESSED, MAIN, ZERO, Engine, Machine, MachineInstruction, Memory, Operand, Work
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.program import IndexType
from isamap_smt.ir.uses import BufferPlace, CountedLoop, SlottedBuffer, TensorPlace, Use, UseProgram

TILE = 8
ROW, COLUMN = sym("row"), sym("column")


def _contract(text: str, **sizes: int) -> Kernel:
    return im.kernel(text, sizes=sizes)


@cache
def machine() -> Machine:
    """Scratchpad of 2048 rows of 8 numbers, eight accumulators of 8 rows, one engine in, one that computes, one out."""
    r, c, i, j, k = map(sym, "rcijk")
    tile = {"r": TILE, "c": TILE}
    load = MachineInstruction(
        "load", "load", _contract("s[r,c] = m[r,c]", **tile),
        (Operand("s", "scratchpad", r, c), Operand("m", "main", steps=("down", 1))),
        (("r", "rows"), ("c", "columns")), ZERO, Work(40, 4, ("r",)),
    )  # fmt: skip
    clear = MachineInstruction(
        "clear", "execute", _contract("acc[r,c] = 0", **tile), (Operand("acc", "accumulators", r, c),), work=Work(2, 0)
    )
    multiply = MachineInstruction(
        "multiply", "execute", _contract("acc[i,j] += a[k,i] * b[k,j]", i=TILE, j=TILE, k=TILE),
        (Operand("acc", "accumulators", i, j), Operand("a", "scratchpad", k, i), Operand("b", "scratchpad", k, j)),
        work=Work(4, 8, ("k",)),
    )  # fmt: skip
    store = MachineInstruction(
        "store", "store", _contract("m[r,c] = acc[r,c]", **tile),
        (Operand("m", "main", steps=("down", 1)), Operand("acc", "accumulators", r, c)),
        (("r", "rows"), ("c", "columns")), work=Work(40, 4, ("r",)),
    )  # fmt: skip
    done = MachineInstruction("done", "execute", work=Work(1, 0))
    memories = (
        Memory("scratchpad", ADDRESSED, 2048, TILE),
        Memory("accumulators", ADDRESSED, 8 * TILE, TILE),
        Memory("main", MAIN),
    )
    engines = (Engine("load"), Engine("execute"), Engine("store"))
    return Machine("outer_product", memories, engines, (load, clear, multiply, store, done))


@dataclass(frozen=True)
class Choice:
    """slots: of each tile in the scratchpad, and of accumulators. lag, drain: how many steps, and tiles, a slot is waited
    for; by default as many as there are slots."""

    slots: int = 2
    accumulators: int = 2
    lag: int | None = None
    drain: int | None = None


def gemm(choice: Choice = Choice()) -> UseProgram:
    """The program, for any sizes."""
    kernel = im.kernel("C[i,j] += A[k,i] * B[k,j]", name="gemm")
    m, n = sym("tile"), sym("step")
    i0, j0, k0 = sym("i0"), sym("j0"), sym("k0")
    size = {a.name: a.extent for a in kernel.axes}
    lag = choice.slots if choice.lag is None else choice.lag
    drain = choice.accumulators if choice.drain is None else choice.drain
    load, clear, multiply, store, done = machine().instructions
    r, c, i, j, k = map(sym, "rcijk")

    def tile(name: str, tensor: str, offset: int, axis: str, at: object) -> tuple[SlottedBuffer, Use]:
        held = IndexType(
            tensor,
            (TILE * k0 + ROW, TILE * at + COLUMN),
            (TILE * k0 + ROW < size["k"], TILE * at + COLUMN < size[axis]),
            "0",
        )
        buffer = SlottedBuffer(name, "scratchpad", offset, TILE, choice.slots, (i0, j0, k0), (ROW, COLUMN), held)
        use = Use(
            load,
            (
                ("s", BufferPlace(name, FloorMod(n, choice.slots), (i0, j0, k0))),
                ("m", TensorPlace(tensor, (TILE * k0 + r, TILE * at + c))),
            ),
            (("rows", IMin(TILE, size["k"] - TILE * k0)), ("columns", IMin(TILE, size[axis] - TILE * at))),
            (("executed", n + 1 - lag),), ("loaded_" + name,), begins=True,
        )  # fmt: skip
        return buffer, use

    a, load_a = tile("a", "A", 0, "i", i0)
    b, load_b = tile("b", "B", TILE * choice.slots, "j", j0)
    guard = (TILE * i0 + ROW < size["i"], TILE * j0 + COLUMN < size["j"])
    held = IndexType("C", (TILE * i0 + ROW, TILE * j0 + COLUMN), guard, "0")
    acc = SlottedBuffer("acc", "accumulators", 0, TILE, choice.accumulators, (i0, j0), (ROW, COLUMN), held)
    here = BufferPlace("acc", FloorMod(m, choice.accumulators), (i0, j0))
    step = BufferPlace("a", FloorMod(n, choice.slots), (i0, j0, k0))
    compute = Use(
        multiply, (("acc", here), ("a", step), ("b", BufferPlace("b", step.slot, step.version))), (),
        (("loaded_a", n + 1), ("loaded_b", n + 1)), ("executed",),
        (("i", TILE * i0 + i), ("j", TILE * j0 + j), ("k", TILE * k0 + k)),
    )  # fmt: skip
    out = Use(
        store, (("m", TensorPlace("C", (TILE * i0 + r, TILE * j0 + c))), ("acc", here)),
        (("rows", IMin(TILE, size["i"] - TILE * i0)), ("columns", IMin(TILE, size["j"] - TILE * j0))),
        (("finished", m + 1),), ("stored",),
    )  # fmt: skip
    begin = Use(clear, (("acc", here),), (), (("stored", m + 1 - drain),), begins=True)
    steps = CountedLoop(k0, ceil_div(size["k"], TILE), n, (load_a, load_b, compute))
    tiles = CountedLoop(j0, ceil_div(size["j"], TILE), m, (begin, steps, Use(done, signals=("finished",)), out))
    rows = CountedLoop(i0, ceil_div(size["i"], TILE), sym("band"), (tiles,))
    return UseProgram(kernel, machine(), (a, b, acc), (rows,))
