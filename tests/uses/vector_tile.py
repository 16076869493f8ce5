"""A matrix product in registers, by hand: 14 rows of two vectors of 16 numbers, one core, one register of A and two of B at a time.

C[i,j] += A[i,k] * B[k,j] for a multiple of 14 rows and any J, K. Registers are rows of a memory, named by the loops that code
unrolls.
"""

from __future__ import annotations

import isamap_smt as im
from isamap_smt.ir.expr import IMax, IMin, ceil_div, sym
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.program import Alloc, Buffer, Command, IndexType, Issued, Loop, Program, Ref, Serial

LANES, ROWS, VECTORS = 16, 14, 2
ROW, LANE = sym("row"), sym("lane")
F32 = im.kernel("C[i] += A[i]").tensor("A").dtype


def machine() -> Hardware:
    """One core with 32 registers."""

    def made(name: str, text: str, **more: object) -> im.Instruction:
        names = [n for n in ("acc", "r", "a", "b", "m") if f"{n}[" in text]
        places = {n: "memory" if n == "m" else "registers[0,l]" for n in names}
        dtypes = dict.fromkeys(names, "f32")
        return im.instruction(name, text, axes={"l": LANES}, dtypes=dtypes, places=places, engine="core", **more)

    active = {"l": "active"}
    instructions = (
        made("zero", "acc[l] = 0"),
        made("load", "r[l] = m[l]", active=active, beyond="zero"),
        made("broadcast", "r[l] = m[]"),
        made("fma", "acc[l] += a[l] * b[l]", rounding="fused"),
        made("store", "m[l] = acc[l]", active=active),
    )
    registers = im.Memory("registers", 32 * 4 * LANES, row=4 * LANES)
    return Hardware("vectors", (registers,), instructions=instructions, engines=(im.Engine("core"),))


def gemm(rows: int = 896) -> Program:
    """The program; `rows` of C, a multiple of 14."""
    kernel = im.kernel("C[i,j] += A[i,k] * B[k,j]", name="gemm", sizes={"i": rows})
    size = {a.name: a.extent for a in kernel.axes}
    zero, load, broadcast, fma, store = machine().instructions
    i0, j0, k0, iu, ju, l = map(sym, ("i0", "j0", "k0", "iu", "ju", "l"))
    row, first = ROWS * i0 + iu, LANES * (VECTORS * j0 + ju)
    active = (IMax(0, IMin(LANES, size["j"] - first)),)

    def nest(*uses: Issued) -> Loop:
        return Serial(iu, ROWS, (Serial(ju, VECTORS, uses),))

    def register(name: str, first: int, slots: int, version: tuple[object, ...], held: IndexType) -> Buffer:
        return Buffer(name, F32, (ROW, LANE), (1, LANES), held, "registers", offset=first, slots=slots, version=version)

    lane = first + LANE
    inside = (lane < size["j"],)
    acc = register("acc", 0, ROWS * VECTORS, (i0, j0, iu, ju), IndexType("C", (row, lane), inside, "0"))
    b = register("b", 28, VECTORS, (i0, j0, k0, ju), IndexType("B", (k0, lane), inside, "0"))
    a = register("a", 30, 1, (i0, j0, k0, iu), IndexType("A", (row, k0), (), "0"))
    in_acc = Ref("acc", (VECTORS * iu + ju,), (i0, j0, iu, ju))
    in_b, in_a = Ref("b", (ju,), (i0, j0, k0, ju)), Ref("a", (0,), (i0, j0, k0, iu))
    load_b = Command(load, (("r", in_b), ("m", Ref("B", (k0, first + l)))), active, begins=True)
    load_a = Command(broadcast, (("r", in_a), ("m", Ref("A", (row, k0)))), begins=True)
    point = (("i", row), ("j", first + l), ("k", k0))
    compute = Command(fma, (("acc", in_acc), ("a", in_a), ("b", in_b)), point=point)
    of_row = (load_a, Serial(ju, VECTORS, (compute,)))
    step = (Serial(ju, VECTORS, (load_b,)), Serial(iu, ROWS, of_row))
    tile = (
        nest(Command(zero, (("acc", in_acc),), begins=True)),
        Serial(k0, size["k"], step),
        nest(Command(store, (("m", Ref("C", (row, first + l))), ("acc", in_acc)), active)),
    )
    columns = Serial(j0, ceil_div(size["j"], LANES * VECTORS), tile)
    body = (Alloc(acc), Alloc(b), Alloc(a), Serial(i0, rows // ROWS, (columns,)))
    return Program(None, kernel, (), body, machine=machine())
