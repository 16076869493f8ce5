"""Sums with epilogues by hand: T[i,j] += X[i,k] * W[k,j] in tiles of 4, on a machine of integers that a test describes.

Three engines: `load` brings tiles of X and W (and may begin sums), `execute` begins, adds and changes sums, `store` writes results.
Every tile of sums has one slot of two; loads wait for the products before them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from judged import runs_wrong

import isamap_smt as im
from isamap_smt.ir.dtypes import DTYPES
from isamap_smt.ir.errors import AssumedError, IsamapError
from isamap_smt.ir.expr import FloorMod, IMin, ceil_div, evaluate, sym
from isamap_smt.ir.instruction import Instruction, signal
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.phases import joined, phase_kernels
from isamap_smt.ir.program import (
    Alloc,
    Buffer,
    Command,
    IndexType,
    Issued,
    Node,
    Program,
    Ref,
    Serial,
    Signal,
    number_of,
)
from isamap_smt.ir.traversal import nodes_of

SIDE = 4
ROW, COLUMN = sym("row"), sym("column")
R, C = sym("r"), sym("c")
I0, J0, K0 = sym("i0"), sym("j0"), sym("k0")
TILE, BOTH = {"r": SIDE, "c": SIDE}, {"r": "rows", "c": "columns"}
ACC = "accumulators[r,c]"
FAR = "memory[r*down + c]"
ENGINES = ("load", "execute", "store")
SIZES = tuple({"I": i, "J": j, "K": k, "M": i} for i, j, k in ((1, 1, 1), (4, 9, 5), (5, 4, 8), (9, 6, 3)))


def made(name: str, text: str, engine: str, places: dict[str, str], dtypes: dict[str, str], **more: Any) -> Instruction:
    """An instruction over the cells of a tile."""
    return im.instruction(name, text, **{"axes": TILE} | more, places=places, dtypes=dtypes, engine=engine)


def load(element: str = "i8", far: str = "") -> Instruction:
    """Tiles of factors, zeros beyond. far: type in main memory, where that is another."""
    types = {"s": element, "m": far or element}
    return made(
        "load", "s[r,c] = m[r,c]", "load", {"s": "scratchpad[r,c]", "m": FAR}, types, active=BOTH, beyond="zero"
    )


def clear(**more: Any) -> Instruction:
    return made("clear", "acc[r,c] = 0", "execute", {"acc": ACC}, {"acc": "i32"}, **more)


def begun(value: str = "m[r,c]", far: str = FAR, **more: Any) -> Instruction:
    """Begins sums at elements of main memory."""
    given = {"active": BOTH, "beyond": "zero"} | more
    return made("begun", f"acc[r,c] = {value}", "load", {"acc": ACC, "m": far}, {"acc": "i32", "m": "i32"}, **given)


def multiply(value: str = "i32(a[i,k]) * i32(b[k,j])", element: str = "i8", **more: Any) -> Instruction:
    return made(
        "multiply", f"acc[i,j] += {value}", "execute",
        {"acc": "accumulators[i,j]", "a": "scratchpad[i,k]", "b": "scratchpad[k,j]"},
        {"acc": "i32", "a": element, "b": element}, axes=dict.fromkeys("ijk", SIDE), **more,
    )  # fmt: skip


def update(value: str, name: str = "update", **more: Any) -> Instruction:
    """Changes sums in place. The value reads acc[r,c], and of main memory m[r,c] or n[c]."""
    places, types = {"acc": ACC}, {"acc": "i32"}
    for operand, far in (("m[", FAR), ("n[", "memory")):
        if operand in value:
            places[operand[0]], types[operand[0]] = far, "i32"
    return made(name, f"acc[r,c] = {value}", "execute", places, types, **more)


def store(value: str = "acc[r,c]", result: str = "i32", **more: Any) -> Instruction:
    """Writes results."""
    types = {"m": result, "acc": "i32"} | more.pop("types", {})
    places = {"m": FAR, "acc": ACC} | more.pop("at", {})
    return made("store", f"m[r,c] = {value}", "store", places, types, active=BOTH, **more)


def machine(*instructions: Instruction) -> im.Hardware:
    """A scratchpad of 64 rows of a tile, and 8 tiles of sums."""
    widths = {DTYPES[t.dtype.name].bytes for i in instructions for t in i.kernel.tensors
              if i.operand(t.name).memory == "scratchpad"}  # fmt: skip
    wide = max(widths, default=1)
    memories = (
        im.Memory("scratchpad", 64 * SIDE * wide, row=SIDE * wide),
        im.Memory("accumulators", 8 * SIDE * SIDE * 4, row=SIDE * 4),
    )
    unlike = {i.name: i for i in instructions}
    return im.Hardware("summing", memories, instructions=tuple(unlike.values()), engines=tuple(map(im.Engine, ENGINES)))


@dataclass(frozen=True)
class Step:
    """A use where the sums lie. places: of its other operands. active: where these are others than those of the tile. engine: that
    its instruction says. around: loops of its own."""

    instruction: Instruction
    places: dict[str, Ref] = field(default_factory=dict)
    active: tuple[Any, ...] | None = None
    around: tuple[tuple[Any, int], ...] = ()
    begins: bool = False


def element(tensor: str, *index: Any) -> Ref:
    """Of a tensor in main memory, at the cell of a tile: with R and C in its index, or at [i,j] of it."""
    return Ref(tensor, index if index else (SIDE * I0 + R, SIDE * J0 + C))


def program(
    kernel: Kernel, begin: Step, steps: Sequence[Step], loads: Instruction, adds: Instruction, mark: str = ""
) -> Program:
    """The last of the steps stores. mark: behind the names of buffers, loops and counters."""
    size = dict(zip("ijk", (a.extent for a in kernel.axes), strict=False))
    m, n = number_of(J0), number_of(K0)
    total, result = kernel.statements[0].target.tensor, kernel.statements[-1].target.tensor
    x, w = (a.tensor for a in kernel.statements[0].inputs)

    def tile(name: str, tensor: str, offset: int, at: tuple[Any, Any], ends: tuple[Any, Any]) -> tuple[Buffer, Issued]:
        coordinates = (SIDE * at[0] + ROW, SIDE * at[1] + COLUMN)
        guard = tuple(c < e for c, e in zip(coordinates, ends, strict=True))
        dtype = loads.kernel.tensor("s").dtype
        buffer = Buffer(
            name, dtype, (ROW, COLUMN), (SIDE, SIDE), IndexType(tensor, coordinates, guard, "0"), "scratchpad",
            offset=offset, slots=1, version=(I0, J0, K0),
        )  # fmt: skip
        places = (("s", Ref(name, (0,), (I0, J0, K0))), ("m", Ref(tensor, (SIDE * at[0] + R, SIDE * at[1] + C))))
        active = tuple(IMin(SIDE, e - SIDE * o) for o, e in zip(at, ends, strict=True))
        return buffer, Command(loads, places, active, awaits=(("added", n),), signals=("loaded",), begins=True)

    a, load_a = tile("tile_x", x, 0, (I0, K0), (size["i"], size["k"]))
    b, load_b = tile("tile_w", w, SIDE, (K0, J0), (size["k"], size["j"]))
    whole = (IMin(SIDE, size["i"] - SIDE * I0), IMin(SIDE, size["j"] - SIDE * J0))
    sums = (SIDE * I0 + ROW, SIDE * J0 + COLUMN)
    held = IndexType(total, sums, (sums[0] < size["i"], sums[1] < size["j"]), "0")
    acc = Buffer(
        "acc",
        adds.kernel.tensor("acc").dtype,
        (ROW, COLUMN),
        (SIDE, SIDE),
        held,
        "accumulators",
        slots=2,
        version=(I0, J0),
    )
    here = Ref("acc", (FloorMod(m, 2),), (I0, J0))

    def use(step: Step, **more: Any) -> Node:
        i = step.instruction
        places = {"acc": here, "m": element(result)} | step.places
        active = step.active if step.active is not None else whole if i.active else ()
        found: Node = Command(i, tuple((o.name, places[o.name]) for o in i.operands), active, **more)
        for var, count in reversed(step.around):
            found = Serial(var, count, (found,))
        return found

    *updates, last = steps
    inner = {a_.name: a_.symbol for a_ in adds.kernel.axes}
    compute = Command(
        adds, (("acc", here), ("a", Ref("tile_x", (0,), (I0, J0, K0))), ("b", Ref("tile_w", (0,), (I0, J0, K0)))),
        point=tuple((a_.name, SIDE * o + inner[q]) for a_, q, o in zip(kernel.axes, "ijk", (I0, J0, K0), strict=False)),
        awaits=(("loaded", 2 * (n + 1)),), signals=("added",),
    )  # fmt: skip
    tiles = (
        use(begin, awaits=(("stored", m - 1),), signals=("begun",), begins=True),
        Signal(signal("execute"), awaits=(("begun", m + 1),)),
        Serial(K0, ceil_div(size["k"], SIDE), (load_a, load_b, compute)),
        *(use(u, begins=u.begins) for u in updates),
        Signal(signal("execute"), signals=("finished",)),
        use(last, awaits=(("finished", m + 1),), signals=("stored",)),
    )
    rows = Serial(I0, ceil_div(size["i"], SIDE), (Serial(J0, ceil_div(size["j"], SIDE), tiles),))
    used = [s.instruction for s in (begin, *steps)]
    return Program(None, kernel, (), (Alloc(a), Alloc(b), Alloc(acc), rows), machine=machine(loads, adds, *used))


def wrong(
    made: Program, sizes: Sequence[dict[str, int]] = SIZES, seeds: int = 3, extreme: bool = False, plainly: int = 0
) -> str:
    """What the simulator finds wrong with it at one of these sizes; '' for nothing. extreme: integers of all sizes. plainly: so
    many runs by an executor that shares nothing with the simulator, too."""
    k = made.kernel
    for number, at in enumerate(sizes):
        known = {n: v for n, v in at.items() if n in k.free_sizes}
        rng = np.random.default_rng(number)
        arrays = {n: drawn(rng, k, n, known, extreme) for n in k.inputs}
        try:
            want = im.run_kernel(k, arrays, sizes=known)
        except AssumedError:
            continue
        except IsamapError as e:
            return f"{at}: {e}"
        if said := runs_wrong(made, arrays, known, want, seeds, plainly):
            return f"{at}: {said}"
    return ""


def drawn(rng: np.random.Generator, k: Kernel, name: str, sizes: dict[str, int], extreme: bool) -> np.ndarray:
    """Elements of an input."""
    t = k.tensor(name)
    shape = [int(evaluate(e, sizes)) for e in t.shape]
    if t.dtype.is_float:
        return np.asarray(rng.integers(-4, 5, shape) / 4, t.dtype.numpy)
    if extreme:
        ends = [t.dtype.low, t.dtype.low + 1, 0, 1, t.dtype.high - 1, t.dtype.high]
        return rng.choice(np.asarray(ends, t.dtype.numpy), shape)
    return rng.integers(max(-9, t.dtype.low), 9, shape, dtype=t.dtype.numpy, endpoint=True)


def together(parts: Sequence[Program], kernel: Kernel) -> Program:
    """Programs of the kernel's phases as one, on a machine with all their instructions."""
    made_ = joined(parts, kernel)
    used = [u.instruction for u in nodes_of(Issued, made_.body) if u.instruction.kind != "signal"]
    return replace(made_, machine=machine(*used))


TWO = """temporary T
temporary H
T[i,j] += i32(X[i,k]) * i32(W[k,j])
H[i,j] = sat_i8(T[i,j])
Y[i,m] += i32(H[i,j]) * i32(V[j,m])"""
BYTES = dict.fromkeys("XWHV", "i8") | dict.fromkeys("TYb", "i32")


def two_phases() -> Program:
    """Two sums, one after the other."""
    kernel = im.kernel(TWO, dtypes=types_of(TWO), name="two")
    first, second = phase_kernels(kernel)
    narrow, wide = Step(store("sat_i8(acc[r,c])", "i8")), Step(replace(store(), name="store_i32"))
    parts = [program(k, Step(clear()), [s], load(), multiply()) for k, s in ((first, narrow), (second, wide))]
    return together(parts, kernel)


def kernel_of(after: str, **types: str) -> Kernel:
    """The sum of products of bytes, and what is computed of it."""
    text = f"temporary T\nT[i,j] += i32(X[i,k]) * i32(W[k,j])\n{after}"
    return im.kernel(text, dtypes=types_of(text) | types, name="summed")


def types_of(text: str) -> dict[str, str]:
    """Of the tensors that a text speaks of."""
    return {n: d for n, d in BYTES.items() if f"{n}[" in text}
