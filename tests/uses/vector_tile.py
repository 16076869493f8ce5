"""A matrix product in registers, by hand: 14 rows of two vectors of 16 numbers, one core, one register of A and two of B at a time.

C[i,j] += A[i,k] * B[k,j] for a multiple of 14 rows and any J, K. Registers are rows of a memory, named by the loops that code
unrolls.
"""

from __future__ import annotations

import isamap_smt as im
from isamap_smt.ir.expr import IMax, IMin, ceil_div, sym
from isamap_smt.ir.graph import ADDRESSED, KEPT, MAIN, ZERO, Engine, Machine, MachineInstruction, Memory, Operand
from isamap_smt.ir.program import IndexType
from isamap_smt.ir.uses import BufferPlace, CountedLoop, SlottedBuffer, TensorPlace, Use, UseProgram

LANES, ROWS, VECTORS = 16, 14, 2
ROW, LANE = sym("row"), sym("lane")


def machine() -> Machine:
    """One core with 32 registers."""
    l = sym("l")

    def made(name: str, text: str, *operands: Operand, masked: bool = False) -> MachineInstruction:
        extents = (("l", "active"),) if masked else ()
        beyond = ZERO if name == "load" else KEPT
        return MachineInstruction(name, "core", im.kernel(text, sizes={"l": LANES}), operands, extents, beyond, least=0)

    def register(name: str) -> Operand:
        return Operand(name, "registers", 0, l)

    main = Operand("m", "main")
    instructions = (
        made("zero", "acc[l] = 0", register("acc")),
        made("load", "r[l] = m[l]", register("r"), main, masked=True),
        made("broadcast", "r[l] = m[]", register("r"), main),
        made("fma", "acc[l] += a[l] * b[l]", register("acc"), register("a"), register("b")),
        made("store", "m[l] = acc[l]", main, register("acc"), masked=True),
    )
    return Machine(
        "vectors", (Memory("registers", ADDRESSED, 32, LANES), Memory("main", MAIN)), (Engine("core"),), instructions
    )


def gemm(rows: int = 896) -> UseProgram:
    """The program; `rows` of C, a multiple of 14."""
    kernel = im.kernel("C[i,j] += A[i,k] * B[k,j]", name="gemm", sizes={"i": rows})
    size = {a.name: a.extent for a in kernel.axes}
    zero, load, broadcast, fma, store = machine().instructions
    i0, j0, k0, iu, ju, l = map(sym, ("i0", "j0", "k0", "iu", "ju", "l"))
    row, first = ROWS * i0 + iu, LANES * (VECTORS * j0 + ju)
    active = (("active", IMax(0, IMin(LANES, size["j"] - first))),)

    def nest(n: str, *uses: Use) -> CountedLoop:
        return CountedLoop(iu, ROWS, sym(f"row_{n}"), (CountedLoop(ju, VECTORS, sym(f"vector_{n}"), uses),))

    lane = first + LANE
    inside = (lane < size["j"],)
    acc = SlottedBuffer(
        "acc",
        "registers",
        0,
        1,
        ROWS * VECTORS,
        (i0, j0, iu, ju),
        (ROW, LANE),
        IndexType("C", (row, lane), inside, "0"),
    )
    b = SlottedBuffer(
        "b", "registers", 28, 1, VECTORS, (i0, j0, k0, ju), (ROW, LANE), IndexType("B", (k0, lane), inside, "0")
    )
    a = SlottedBuffer("a", "registers", 30, 1, 1, (i0, j0, k0, iu), (ROW, LANE), IndexType("A", (row, k0), (), "0"))
    in_acc = BufferPlace("acc", VECTORS * iu + ju, (i0, j0, iu, ju))
    in_b, in_a = BufferPlace("b", ju, (i0, j0, k0, ju)), BufferPlace("a", 0, (i0, j0, k0, iu))
    load_b = Use(load, (("r", in_b), ("m", TensorPlace("B", (k0, first + l)))), active, begins=True)
    load_a = Use(broadcast, (("r", in_a), ("m", TensorPlace("A", (row, k0)))), begins=True)
    point = (("i", row), ("j", first + l), ("k", k0))
    compute = Use(fma, (("acc", in_acc), ("a", in_a), ("b", in_b)), point=point)
    of_row = (load_a, CountedLoop(ju, VECTORS, sym("vector_f"), (compute,)))
    step = (CountedLoop(ju, VECTORS, sym("vector_b"), (load_b,)), CountedLoop(iu, ROWS, sym("row_a"), of_row))
    tile = (
        nest("z", Use(zero, (("acc", in_acc),), begins=True)),
        CountedLoop(k0, size["k"], sym("step"), step),
        nest("s", Use(store, (("m", TensorPlace("C", (row, first + l))), ("acc", in_acc)), active)),
    )
    columns = CountedLoop(j0, ceil_div(size["j"], LANES * VECTORS), sym("tile"), tile)
    return UseProgram(kernel, machine(), (acc, b, a), (CountedLoop(i0, rows // ROWS, sym("band"), (columns,)),))
