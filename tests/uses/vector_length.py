"""A matrix product in vectors of any length, by hand: one proof for all lengths, one program for each.

Four rows of C at a time, a vector of each; a step of columns is as long as a vector.
"""

from __future__ import annotations

from typing import Any

import isamap_smt as im
from isamap_smt.ir.expr import IMin, ceil_div, sym
from isamap_smt.ir.graph import ADDRESSED, KEPT, MAIN, ZERO, Engine, Machine, MachineInstruction, Memory, Operand
from isamap_smt.ir.program import IndexType
from isamap_smt.ir.uses import BufferPlace, CountedLoop, SlottedBuffer, TensorPlace, Use, UseProgram

ROWS = 4
ROW, LANE = sym("row"), sym("lane")
VL = sym("L")  # the extent of the axis l, where it is left open


def machine(length: int | None) -> Machine:
    """32 registers of so many numbers, or of any number."""
    l, sizes = sym("l"), {} if length is None else {"l": length}

    def made(name: str, text: str, *operands: Operand, masked: bool = False, beyond: str = KEPT) -> MachineInstruction:
        extents = (("l", "active"),) if masked else ()
        return MachineInstruction(name, "core", im.kernel(text, sizes=sizes), operands, extents, beyond)

    def register(name: str) -> Operand:
        return Operand(name, "registers", 0, l)

    main = Operand("m", "main")
    instructions = (
        made("zero", "acc[l] = 0", register("acc")),
        made("load", "r[l] = m[l]", register("r"), main, masked=True, beyond=ZERO),
        made("broadcast", "r[l] = m[]", register("r"), main),
        made("fma", "acc[l] += a[l] * b[l]", register("acc"), register("a"), register("b")),
        made("store", "m[l] = acc[l]", main, register("acc"), masked=True),
    )
    memories = (Memory("registers", ADDRESSED, 32, VL if length is None else length), Memory("main", MAIN))
    return Machine("vectors", memories, (Engine("core"),), instructions)


def gemm(length: int | None = None, rows: int = 8, skip: int = 0) -> UseProgram:
    """The program for vectors of this length; None for all lengths at once. skip: how much further a step goes than a vector."""
    kernel = im.kernel("C[i,j] += A[i,k] * B[k,j]", name="gemm", sizes={"i": rows})
    size = {a.name: a.extent for a in kernel.axes}
    zero, load, broadcast, fma, store = machine(length).instructions
    i0, j0, k0, iu, l = map(sym, ("i0", "j0", "k0", "iu", "l"))
    vector: Any = VL if length is None else length
    at = sym("at") if length is None else (vector + skip) * j0
    row = ROWS * i0 + iu
    active = (("active", IMin(vector, size["j"] - at)),)
    inside = (at + LANE < size["j"],)
    version = (i0, j0, iu)

    def register(name: str, first: int, slots: int, of: tuple[Any, ...], held: IndexType) -> SlottedBuffer:
        return SlottedBuffer(name, "registers", first, 1, slots, of, (ROW, LANE), held)

    # A type speaks of the contents' columns by the step's base, which is one number for each j0.
    acc = register("acc", 0, ROWS, version, IndexType("C", (row, at + LANE), inside, "0"))
    b = register("b", ROWS, 1, (i0, j0, k0), IndexType("B", (k0, at + LANE), inside, "0"))
    a = register("a", ROWS + 1, 1, (i0, j0, k0, iu), IndexType("A", (row, k0), (), "0"))
    in_acc, in_b, in_a = (
        BufferPlace("acc", iu, version),
        BufferPlace("b", 0, (i0, j0, k0)),
        BufferPlace("a", 0, (i0, j0, k0, iu)),
    )

    def each_row(number: str, *uses: Use) -> CountedLoop:
        return CountedLoop(iu, ROWS, sym(number), uses)

    load_b = Use(load, (("r", in_b), ("m", TensorPlace("B", (k0, at + l)))), active, begins=True)
    load_a = Use(broadcast, (("r", in_a), ("m", TensorPlace("A", (row, k0)))), begins=True)
    point = (("i", row), ("j", at + l), ("k", k0))
    compute = Use(fma, (("acc", in_acc), ("a", in_a), ("b", in_b)), point=point)
    out = Use(store, (("m", TensorPlace("C", (row, at + l))), ("acc", in_acc)), active)
    tile = (
        each_row("row_z", Use(zero, (("acc", in_acc),), begins=True)),
        CountedLoop(k0, size["k"], sym("step"), (load_b, each_row("row_f", load_a, compute))),
        each_row("row_s", out),
    )
    if length is None:
        columns = CountedLoop(j0, sym("columns"), sym("tile"), tile, sym("at"), VL + skip, size["j"])
    else:
        columns = CountedLoop(j0, ceil_div(size["j"], vector + skip), sym("tile"), tile)
    bands = CountedLoop(i0, rows // ROWS, sym("band"), (columns,))
    return UseProgram(kernel, machine(length), (acc, b, a), (bands,), ("L",) if length is None else ())
