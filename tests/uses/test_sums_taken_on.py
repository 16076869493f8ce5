"""Sums that are added to in one memory and taken on to another before they are stored; and memories whose cells have few bits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import use_edits as edits

import isamap_hardware
import isamap_smt as im
from isamap_smt.ir.errors import HardwareError, IsamapError
from isamap_smt.ir.hardware import Memory
from isamap_smt.ir.program import IndexType, Issued, Program
from isamap_smt.proof.program import prove_program
from isamap_smt.simulator import simulate

MACHINE = isamap_hardware.load("gemmini")
KERNEL = im.kernel("C[i,j] += i32(A[i,k]) * i32(B[k,j])", dtypes={"A": "i8", "B": "i8", "C": "i32"}, name="gemm")


@cache
def program() -> Program:
    return im.stage(KERNEL, MACHINE, sizes={"k": 31}, instruction="matmul_os").program


def at(name: str, change: Callable[[Issued], Issued]) -> Program:
    return edits.edited(program(), lambda u: change(u) if u.instruction.short == name else u)


def typed(name: str, change: Callable[[IndexType], IndexType]) -> Program:
    found = next(b for b in edits.held(program()) if b.name == name)
    return edits.holding(program(), replace(found, type=change(found.type)))


def before_the_products() -> Program:
    """The sums are taken on before anything is added to them."""

    def change(loop: Any) -> Any:
        if loop.var.name != "j_tile_step":
            return loop
        take = next(n for n in loop.body if isinstance(n, Issued) and n.instruction.short == "take")
        rest = [n for n in loop.body if n is not take]
        at = next(n for n, x in enumerate(rest) if isinstance(x, Issued) and x.instruction.short == "empty")
        return replace(loop, body=(*rest[: at + 1], take, *rest[at + 1 :]))

    return edits.loops(program(), change)


def narrower(bits: int) -> Program:
    memories = tuple(replace(m, bits=bits) if m.name == "array" else m for m in MACHINE.memories)
    return replace(program(), machine=replace(MACHINE, memories=memories))


def turned(held: IndexType) -> IndexType:
    """Its cells are said to stand for other elements."""
    i, j = held.coordinates
    return replace(held, coordinates=(i + 1, j))


MUTANTS: dict[str, tuple[Callable[[], Program], str, bool]] = {
    "taken on before the products": (before_the_products, "order", True),
    "taken on while the last ones are stored": (lambda: at("take", lambda u: replace(u, awaits=())), "order", True),
    "stored before they are taken on": (lambda: at("mvout", lambda u: replace(u, awaits=())), "order", True),
    "never said to be taken on": (lambda: at("take", lambda u: replace(u, signals=())), "progress", True),
    "never begun": (lambda: edits.rewritten(program(), lambda u: () if u.instruction.short == "empty" else None), "order", True),
    "never taken on": (lambda: edits.rewritten(program(), lambda u: () if u.instruction.short == "take" else None), "order", True),
    "stored from the other slot": (
        lambda: edits.with_slot(program(), "gemmini.mvout", "acc", lambda s: 1 - s), "order", True,
    ),
    "sums of other elements": (lambda: typed("sums", turned), "program", False),
    "taken on for other elements": (lambda: typed("sums@accumulator", turned), "program", False),
    "one bit too few": (lambda: narrower(19), "scalar", True),
    "eight bits": (lambda: narrower(8), "scalar", True),
}  # fmt: skip


def goes_wrong(wrong: Program) -> bool:
    for i, j in ((1, 1), (17, 40)):
        a, b = np.full((i, 31), -128, np.int8), np.full((31, j), -128, np.int8)
        for seed in range(3):
            try:
                run = simulate(wrong, {"A": a, "B": b}, seed=seed)
            except IsamapError:
                return True
            if not run.sound or not np.array_equal(run.outputs["C"], np.full((i, j), 31 << 14)):
                return True
    return False


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_are_refuted(name: str) -> None:
    make, claim, behaves = MUTANTS[name]
    failed = prove_program(make()).failed()
    refuted = {c.claim for c in failed if c.verdict.word == "refuted"}
    assert claim in refuted, [(str(c), c.statement, c.verdict) for c in failed]
    assert goes_wrong(make()) == behaves


def test_the_program_itself_is_right() -> None:
    assert prove_program(program()).proved and not goes_wrong(program())


def test_what_else_lies_in_few_bits_is_unknown() -> None:
    """Sums that are taken on to cells of few bits, and sums that begin at what nothing bounds."""
    memories = tuple(replace(m, bits=20) if m.name == "accumulator" else m for m in MACHINE.memories)
    narrow = replace(program(), machine=replace(MACHINE, memories=memories))
    assert {(c.claim, c.verdict.word) for c in prove_program(narrow).failed()} == {("scalar", "unknown")}


@pytest.mark.parametrize(
    "fields", [{"bits": 64, "row": 16}, {"bits": 5}, {"bits": -1, "row": 16}, {"bits": 1.5, "row": 16}]
)
def test_memories_with_no_such_cells_are_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(HardwareError, match="bits"):
        Memory("array", 64, **fields)


def test_cells_of_few_bits_hold_signed_integers() -> None:
    memories = tuple(replace(m, bits=5) if m.name == "scratchpad" else m for m in MACHINE.memories)
    assert replace(MACHINE, memories=memories).memory("scratchpad").bits == 5
    wide = tuple(replace(m, bits=9) if m.name == "scratchpad" else m for m in MACHINE.memories)
    with pytest.raises(HardwareError, match="is i8, and cells of scratchpad have 9 bits"):
        replace(MACHINE, memories=wide)
