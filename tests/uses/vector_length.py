"""A matrix product in vectors of any length, by hand: one proof for all lengths, one program for each.

Four rows of C at a time, a vector of each; a step of columns is as long as a vector.
"""

from __future__ import annotations

from typing import Any

import isamap_smt as im
from isamap_smt.ir.expr import IMin, ceil_div, sym
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.program import Alloc, Buffer, Command, IndexType, Issued, Loop, Program, Ref, Serial

ROWS = 4
ROW, LANE = sym("row"), sym("lane")
VL = im.parameter("L")
F32 = im.kernel("C[i] += A[i]").tensor("A").dtype


def machine(length: Any) -> Hardware:
    """32 registers of so many numbers, which may be a machine parameter."""

    def made(name: str, text: str, **more: object) -> im.Instruction:
        names = [n for n in ("acc", "r", "a", "b", "m") if f"{n}[" in text]
        places = {n: "memory" if n == "m" else "registers[0,l]" for n in names}
        dtypes = dict.fromkeys(names, "f32")
        return im.instruction(name, text, axes={"l": length}, dtypes=dtypes, places=places, engine="core", **more)

    active = {"l": "active"}
    instructions = (
        made("zero", "acc[l] = 0"),
        made("load", "r[l] = m[l]", active=active, beyond="zero"),
        made("broadcast", "r[l] = m[]"),
        made("fma", "acc[l] += a[l] * b[l]", rounding="fused"),
        made("store", "m[l] = acc[l]", active=active),
    )
    registers = im.Memory("registers", 32 * 4 * length, row=4 * length)
    return Hardware("vectors", (registers,), instructions=instructions, engines=(im.Engine("core"),))


def gemm(length: int | None = None, rows: int = 8, skip: int = 0) -> Program:
    """The program for vectors of this length; None for all lengths at once. skip: how much further a step goes than a vector."""
    kernel = im.kernel("C[i,j] += A[i,k] * B[k,j]", name="gemm", sizes={"i": rows})
    size = {a.name: a.extent for a in kernel.axes}
    zero, load, broadcast, fma, store = machine(VL if length is None else length).instructions
    i0, j0, k0, iu, l = map(sym, ("i0", "j0", "k0", "iu", "l"))
    vector: Any = VL if length is None else length
    at = sym("at") if length is None else (vector + skip) * j0
    row = ROWS * i0 + iu
    active = (IMin(vector, size["j"] - at),)
    inside = (at + LANE < size["j"],)
    version = (i0, j0, iu)

    def register(name: str, first: int, slots: int, of: tuple[Any, ...], held: IndexType) -> Buffer:
        return Buffer(name, F32, (ROW, LANE), (1, vector), held, "registers", offset=first, slots=slots, version=of)

    # A type speaks of the contents' columns by the step's base, which is one number for each j0.
    acc = register("acc", 0, ROWS, version, IndexType("C", (row, at + LANE), inside, "0"))
    b = register("b", ROWS, 1, (i0, j0, k0), IndexType("B", (k0, at + LANE), inside, "0"))
    a = register("a", ROWS + 1, 1, (i0, j0, k0, iu), IndexType("A", (row, k0), (), "0"))
    in_acc, in_b, in_a = (
        Ref("acc", (iu,), version),
        Ref("b", (0,), (i0, j0, k0)),
        Ref("a", (0,), (i0, j0, k0, iu)),
    )

    def each_row(*uses: Issued) -> Loop:
        return Serial(iu, ROWS, uses)

    load_b = Command(load, (("r", in_b), ("m", Ref("B", (k0, at + l)))), active, begins=True)
    load_a = Command(broadcast, (("r", in_a), ("m", Ref("A", (row, k0)))), begins=True)
    point = (("i", row), ("j", at + l), ("k", k0))
    compute = Command(fma, (("acc", in_acc), ("a", in_a), ("b", in_b)), point=point)
    out = Command(store, (("m", Ref("C", (row, at + l))), ("acc", in_acc)), active)
    tile = (
        each_row(Command(zero, (("acc", in_acc),), begins=True)),
        Serial(k0, size["k"], (load_b, each_row(load_a, compute))),
        each_row(out),
    )
    if length is None:
        columns = Serial(j0, sym("columns"), tile, step=VL + skip, base=at, extent=size["j"])
    else:
        columns = Serial(j0, ceil_div(size["j"], vector + skip), tile)
    body = (Alloc(acc), Alloc(b), Alloc(a), Serial(i0, rows // ROWS, (columns,)))
    return Program(None, kernel, (), body, machine=machine(vector), parameters=("L",) if length is None else ())
