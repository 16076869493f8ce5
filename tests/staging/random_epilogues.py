"""Legal plans, drawn at random, of sums with epilogues and of several sums in phases, on machines of integers."""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "uses"))

import summed
from random_programs import random_decision

import isamap_smt as im
from isamap_encodings.staging_bound import bound
from isamap_encodings.staging_problem import Numbers, choices
from isamap_smt.codegen.staged import lower_stages
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import FloorDiv, FloorMod
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.phases import joined, phase_kernels
from isamap_smt.ir.program import Program
from isamap_smt.mapping.runs import tilings
from isamap_smt.scheduling.staged import decoded, scheduled
from isamap_smt.scheduling.staged_problem import question
from isamap_smt.search import MappingSet, find_mappings

SUM = "T[i,j] += i32(X[i,k]) * i32(W[k,j])"
IN_RUNS = (  # whose tiles are moved in runs, or in one run of two axes
    "T[p,q,j] += i32(X[p,q,k]) * i32(W[k,j])", "T[p,q,j] += i32(X[p,2*q,k]) * i32(W[k,j])",
    "X: [P, Q, K]\nT[p,q,j] += i32(X[p + r - 1,q,k]) * i32(W[r,k,j]) where 0 <= p + r - 1 < P",
    "X: [P, Q, K]\nT[p,q,j] += i32(X[p,q + r - 1,k]) * i32(W[r,k,j]) where 0 <= q + r - 1 < Q",
)  # fmt: skip
# what is computed of a sum, with the type of the result
AFTER = (
    ("T[i,j]", "i32"), ("T[i,j] + b[j]", "i32"), ("T[i,j] + R[i,j]", "i32"), ("relu(T[i,j] + b[j])", "i32"),
    ("max(T[i,j] + R[i,j] + b[j], 0)", "i32"), ("min(max(T[i,j] + 3, -20), 20)", "i32"), ("relu(T[i,j])", "i32"),
    ("sat_i8(T[i,j])", "i8"), ("sat_i8(i32(T[i,j] + b[j]))", "i8"), ("sat_i8(max(T[i,j], -5))", "i8"), ("i8(T[i,j] + 7)", "i8"),
    ("round_i8(f32(T[i,j] + b[j]) * s[])", "i8"), ("round_i8(f32(T[i,j]) * s[])", "i8"), ("i8(relu(T[i,j] + b[j]))", "i8"),
)  # fmt: skip
# and the sums that follow: each reads H, bytes that the first one left
NEXT = (
    ("U[i,m] += i32(H[i,j]) * i32(V[j,m])", "Z[i,m] = U[i,m]"),
    ("U[i,m] += i32(H[i,j]) * i32(V[j,m])", "Z[i,m] = relu(U[i,m] + c[m])"),
    ("U[m,j] += i32(V[m,i]) * i32(H[i,j])", "Z[m,j] = U[m,j]"),
    ("U[m,j] += i32(V[m,i]) * i32(H[i,j])", "Z[m,j] = U[m,j] + c[j]"),
)
TYPES = dict.fromkeys("XWHV", "i8") | dict.fromkeys("TUZRbc", "i32") | {"s": "f32"}
SOME = (
    "begin_tile",
    "begin_row",
    "add_tile",
    "add_row",
    "add_held",
    "bring_tile",
    "bring_row",
)  # instructions that a machine may lack
KEPT = "array[r,c]"  # of sums that stay in the array, in 19 bits: 15 products of any bytes
TRIES = 50


@dataclass(frozen=True)
class DrawnEpilogue:
    """words: which. sizes: of all axes by symbol, of which the program's open ones may be others. bound: on its time."""

    words: str
    sizes: dict[str, int]
    program: Program
    bound: float = 0.0


@cache
def machine(side: int, tiles: int, without: frozenset[str] = frozenset()) -> im.Hardware:
    """Tiles of side x side sums, so many of them, and twice as many of factors. without: instructions that it has not."""
    tile, parts = {"r": side, "c": side}, {"r": "rows", "c": "columns"}
    far, acc = "memory[r*down + c*right]", summed.ACC
    sums, moved = {"acc": acc}, {"active": parts, "beyond": "zero"}

    def made(
        name: str, text: str, engine: str, places: dict[str, str], more: dict[str, str], **about: object
    ) -> Instruction:
        types = dict.fromkeys(places, "i32") | more
        return im.instruction(name, text, **{"axes": tile} | about, places=places, dtypes=types, engine=engine)

    product = {"acc": "accumulators[i,j]", "a": "scratchpad[i,k]", "b": "scratchpad[k,j]"}
    bytes_ = {"a": "i8", "b": "i8"}
    cube = dict.fromkeys("ijk", side)
    number, store = {"acc": acc, "x": "code"}, {"m": far, "acc": acc}
    instructions = (
        made("load", "s[r,c] = m[r,c]", "load", {"s": "scratchpad[r,c]", "m": far}, {"s": "i8", "m": "i8"}, **moved),
        made("clear", "acc[r,c] = 0", "execute", sums, {}),
        made("begin_tile", "acc[r,c] = m[r,c]", "load", {"acc": acc, "m": far}, {}, **moved),
        made("begin_row", "acc[r,c] = m[c]", "load", {"acc": acc, "m": "memory"}, {}, **moved),
        made("multiply", "acc[i,j] += i32(a[i,k]) * i32(b[k,j])", "execute", product, bytes_, axes=cube),
        made("empty", "sums[r,c] = 0", "execute", {"sums": KEPT}, {}),
        made(
            "multiply_kept", "sums[i,j] += i32(a[i,k]) * i32(b[k,j])", "execute",
            {"sums": "array[i,j]", "a": "scratchpad[i,k]", "b": "scratchpad[k,j]"}, bytes_, axes=cube,
        ),
        made("take", "acc[r,c] = sums[r,c]", "execute", {"acc": acc, "sums": KEPT}, {}),
        made("add_tile", "acc[r,c] = acc[r,c] + m[r,c]", "execute", {"acc": acc, "m": far}, {}, active=parts),
        made("add_row", "acc[r,c] = acc[r,c] + m[c]", "execute", {"acc": acc, "m": "memory"}, {}, active=parts),
        made("bring_tile", "acc[r,c] = m[r,c]", "execute", {"acc": acc, "m": far}, {}, **moved),
        made("bring_row", "acc[r,c] = m[c]", "execute", {"acc": acc, "m": "memory"}, {}, **moved),
        made("add_held", "acc[r,c] = acc[r,c] + held[r,c]", "execute", {"acc": acc, "held": acc}, {}),
        made("positive", "acc[r,c] = relu(acc[r,c])", "execute", sums, {}),
        made("add", "acc[r,c] = acc[r,c] + i32(x[])", "execute", number, {"x": "i8"}),
        made("most", "acc[r,c] = min(acc[r,c], i32(x[]))", "execute", number, {"x": "i8"}),
        made("least", "acc[r,c] = max(acc[r,c], i32(x[]))", "execute", number, {"x": "i8"}),
        *(
            made(name, f"m[r,c] = {value}", "store", store | more, {"m": kind} | dict.fromkeys(more, "f32"), active=parts)
            for name, value, kind, more in (
                ("store", "acc[r,c]", "i32", {}), ("store_low", "i8(acc[r,c])", "i8", {}),
                ("store_clamped", "sat_i8(acc[r,c])", "i8", {}),
                ("store_scaled", "round_i8(f32(acc[r,c]) * s[])", "i8", {"s": "memory"}),
            )
        ),
    )  # fmt: skip
    memories = (
        im.Memory("scratchpad", side * side * 2 * tiles, row=side),
        im.Memory("accumulators", side * side * 4 * tiles, row=side * 4),
        im.Memory("array", side * side * 8, row=side * 4, bits=19),
    )
    own = tuple(i for i in instructions if i.name not in without)
    host = (im.Engine("host", host=True),) if tiles == 3 else ()
    return im.Hardware("summing", memories, instructions=own, engines=(*map(im.Engine, summed.ENGINES), *host))


def in_one_memory(hardware: im.Hardware) -> im.Hardware:
    """The same machine with bytes and sums in rows of one scratchpad."""
    pad, acc = (hardware.memory(m) for m in ("scratchpad", "accumulators"))
    one = im.Memory("scratchpad", (pad.rows + acc.rows) * acc.row, row=acc.row)
    found = tuple(
        replace(i, places=tuple((o, pad.name if m == acc.name else m) for o, m in i.places))
        for i in hardware.instructions
    )
    rest = tuple(m for m in hardware.memories if m not in (pad, acc))
    return replace(hardware, memories=(one, *rest), instructions=found)


def laid_out(hardware: im.Hardware, side: int) -> im.Hardware:
    """The same machine with tiles in fragments: two rows of factors are one row of the scratchpad, and sums are shuffled."""

    def at(memory: str, row: Any, column: Any) -> tuple[Any, Any]:
        if memory == "scratchpad":
            return FloorDiv(row, 2), side * FloorMod(row, 2) + column
        return 2 * FloorDiv(row, 2) + FloorMod(column, 2), side // 2 * FloorMod(row, 2) + FloorDiv(column, 2)

    def changed(i: Instruction) -> Instruction:
        places = dict(i.places)
        return replace(i, cells=tuple((o, *at(places[o], row, column)) for o, row, column in i.cells))

    memories = tuple(replace(m, row=2 * side) if m.name == "scratchpad" else m for m in hardware.memories)
    return replace(hardware, memories=memories, instructions=tuple(map(changed, hardware.instructions)))


def random_kernel(rng: random.Random, phases: bool, runs: bool = False) -> Kernel:
    """A sum with what is computed of it, or two sums. runs: a sum over images."""
    value, kind = rng.choice([a for a in AFTER if a[1] == "i8"] if phases else AFTER)
    result, lines = ("H" if phases else "Y"), ["temporary T", SUM]
    at = "[j,i]" if not phases and rng.random() < 0.2 else "[i,j]"
    lines.append(f"{result}{at} = {value}")
    if phases:
        total, last = rng.choice(NEXT)
        lines = ["temporary H", "temporary U", *lines, total, last]
    text = "\n".join(lines)
    if runs:
        text = text.replace(SUM, rng.choice(IN_RUNS)).replace("T[i,j]", "T[p,q,j]")
        text = text.replace("[i,j]", rng.choice(["[p,q,j]", "[q,p,j]", "[p,q,j]"])).replace("[j,i]", "[j,p,q]")
    types = {n: d for n, d in (TYPES | {"Y": kind}).items() if f"{n}[" in text}
    return im.kernel(text, dtypes=types, name="drawn")


def draw_epilogue(
    seed: int, phases: bool = False, runs: bool = False, together: bool = False, layouts: bool = False
) -> DrawnEpilogue:
    """Raises ScheduleError where no legal plan is drawn. runs: of mappings that fuse axes, at sizes that are known. together:
    bytes and sums lie in one memory. layouts: tiles lie in fragments."""
    rng = random.Random(seed)
    for _ in range(TRIES):
        without = frozenset(n for n in SOME if rng.random() < 0.5)
        kernel, shape = random_kernel(rng, phases, runs), rng.choice([(4, 8), (4, 2), (8, 4), (4, 3)])
        hardware = machine(*shape, without)
        hardware = in_one_memory(hardware) if together else laid_out(hardware, shape[0]) if layouts else hardware
        sizes = {str(a.extent): rng.randint(1, 14) for a in kernel.axes}
        if runs:
            sizes = {str(a.extent): rng.randint(2, 6 if a.name in "pqr" else 14) for a in kernel.axes}
        known = (
            sizes
            if runs
            else {}
            if rng.random() < 0.5
            else {n: v for n, v in sizes.items() if v > 1 and rng.random() < 0.7}
        )
        try:
            fixed = kernel.with_sizes(known)
            drawn = [_drawn(rng, k, hardware, sizes, runs) for k in phase_kernels(fixed)]
        except ScheduleError:
            continue
        program, least = joined([p for p, _ in drawn], fixed), sum(b for _, b in drawn)
        return DrawnEpilogue(f"{kernel.text.strip()!r} {sizes} known {known}", sizes, program, least)
    raise ScheduleError(f"no legal plan in {TRIES} draws")


@cache
def _mappings(kernel: Kernel, compute: Instruction) -> MappingSet:
    return find_mappings(kernel, compute).finished()


def _in_digits(p: im.ProvedMapping, kernel: Kernel) -> list[im.ProvedMapping]:
    m, names = p.mapping, {o.name: str(o.row) for o in p.mapping.instruction.operands}
    made = (im.prove(im.fuse(kernel, m.instruction, axes, "any", partial=True)) for axes in tilings(m, names))
    return [p for p in made if isinstance(p, im.ProvedMapping)]


def _drawn(
    rng: random.Random, kernel: Kernel, hardware: im.Hardware, sizes: dict[str, int], runs: bool = False
) -> tuple[Program, float]:
    """Any legal plan of one phase, and a bound on its time."""
    summed_over = [a.extent for a in kernel.axes if a.name in kernel.statements[0].reduction_axes]
    kept = random.Random(kernel.text + str(sizes)).random() < 0.8 and all(e.is_Integer for e in summed_over)
    found = list(_mappings(kernel, hardware.instruction("multiply_kept" if kept else "multiply")))
    if runs:
        found = [m for p in found if len(dict(p.mapping.groups)["i"]) > 1 for m in (p, *_in_digits(p, kernel))]
    if not found:
        raise ScheduleError("nothing maps")
    proved = rng.choice(found)
    asked = question(proved.mapping, hardware, {n: sizes.get(n, 1) for n in sizes}, {})
    decision = random_decision(rng, asked.problem, 400)
    least = float(bound(asked.problem, choices(asked.problem, decision), Numbers()) / asked.ticks)
    return lower_stages(scheduled(proved, *decoded(proved.mapping, asked, decision)), hardware), least


def what_goes_wrong(
    drawn: DrawnEpilogue, program: Program, seeds: int = 2, also: tuple[dict[str, int], ...] = (), plainly: int = 0
) -> str:
    """At the sizes of the plan, at some others and at those of `also`; with small elements and with the largest."""
    rng = random.Random(drawn.words)
    others = [{n: rng.randint(1, 14) for n in drawn.sizes} for _ in range(2)]
    at = [drawn.sizes, *others, *({**drawn.sizes, **a} for a in also)]
    return summed.wrong(program, at, seeds, plainly=plainly) or summed.wrong(
        program, at[:2], 1, extreme=True, plainly=min(plainly, 1)
    )
