"""Moves whose cells lie otherwise than their places say are refuted, and the interpreter of programs sees them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import toys
from mutants import rewritten

from isamap_encodings.verdict import Refuted
from isamap_smt.ir.addresses import Steps
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.program import Move, Node, Program
from isamap_smt.proof.program import prove_program
from isamap_smt.simulator.run import run_program

DOT = toys.dot_gemm()  # B is packed in groups of two for four lanes: 2*l + e
PLACES: dict[Steps, bool] = {
    ("stride", 1): True,
    ("down", "right"): True,
    (2, "right"): True,
    (3, 1): False,
    (1, 4): False,
    ("stride", 2): False,
    (4, "right"): False,
}


def placed(steps: Steps) -> Program:
    """The program on a machine that says of its loads of B that their cells lie so."""

    def load(i: Instruction) -> Instruction:
        return replace(i, steps=(("m", steps),)) if i.short == "load_i8x2" else i

    def f(n: Node) -> tuple[Node, ...] | None:
        return (replace(n, instruction=load(n.instruction)),) if isinstance(n, Move) else None

    assert DOT.schedule is not None and DOT.schedule.hardware is not None
    there = DOT.schedule.hardware
    there = replace(there, instructions=tuple(map(load, there.instructions)))
    return replace(rewritten(DOT, f), schedule=replace(DOT.schedule, hardware=there))


@pytest.mark.parametrize(("steps", "right"), PLACES.items())
def test_a_use_keeps_what_the_place_says(steps: Steps, right: bool) -> None:
    program = placed(steps)
    failed = prove_program(program).failed()
    assert {c.claim for c in failed} == (set() if right else {"precondition"})
    assert all(isinstance(c.verdict, Refuted) and " lie at " in c.statement for c in failed)
    random = np.random.default_rng(1)
    a, b = random.integers(0, 9, (5, 6), np.uint8), random.integers(-9, 9, (6, 9), np.int8)
    run = run_program(program, {"A": a, "B": b})
    assert run.clean == right
    if not right:
        assert any("lanes do not lie as its place says in B_packed" in str(x) for x in run.findings)
