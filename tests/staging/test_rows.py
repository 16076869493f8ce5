"""A move is refuted where a tile lies otherwise than its place says, and goes wrong in the simulator."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from use_edits import described as on_its_machine
from use_edits import edited

import isamap_smt as im
from isamap_smt.ir.addresses import Steps
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.program import Issued, Program

MACHINE = f"{Path(__file__).parents[2] / 'examples' / 'outer_product.py'}:MACHINE"


def test_rows_of_columns_are_refuted() -> None:
    """A[i,k] is gathered; brought by rows the same program would read other elements."""
    program = im.stage("gemm", MACHINE).program
    assert im.prove_program(program).proved
    load = program.machine.instruction("load")

    def by_rows(use: Issued) -> Issued:
        return replace(use, instruction=load) if use.instruction.name == "gather" else use

    failed = im.prove_program(on_its_machine(edited(program, by_rows))).failed()
    assert [(c.claim, c.verdict.word) for c in failed] == [("precondition", "refuted")]
    assert "lie at r*down + c, as load a takes them: fails at" in failed[0].verdict.text  # type: ignore[union-attr]
    assert wrong(on_its_machine(edited(program, by_rows))) == {"A"}


def test_rows_that_do_not_touch_are_refuted_where_the_place_says_so() -> None:
    """A tile without gaps is 64 numbers; in a matrix that is wider its rows lie apart."""
    program = im.stage("gemm", MACHINE).program

    def dense(use: Issued) -> Issued:
        return replace(use, instruction=described(use.instruction, ())) if use.instruction.name == "load" else use

    failed = im.prove_program(on_its_machine(edited(program, dense))).failed()
    assert [(c.claim, c.subject, c.verdict.word) for c in failed] == [("precondition", "load b", "refuted")]
    assert "lie at 8*r + c" in failed[0].verdict.text  # type: ignore[union-attr]
    assert wrong(on_its_machine(edited(program, dense))) == {"B"}


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("steps", "right"),
    [(("down", "right"), True), (("down", 1), True), ((19, 1), True), ((19, "right"), True), ((18, 1), False), ((), False),
     (("down", 2), False)],
)  # fmt: skip
def test_steps_are_those_of_the_tensor(steps: Steps, right: bool) -> None:
    """B has 19 columns."""
    program = im.stage(im.kernel("C[i,j] += A[i,k] * B[k,j]", sizes={"j": 19}), MACHINE).program

    def other(use: Issued) -> Issued:
        return replace(use, instruction=described(use.instruction, steps)) if use.instruction.name == "load" else use

    assert im.prove_program(on_its_machine(edited(program, other))).proved == right
    assert (wrong(on_its_machine(edited(program, other))) == set()) == right


def test_a_tile_without_gaps_is_moved_as_one() -> None:
    """Where C has as many columns as a tile, its tiles are rows one after another."""
    machine = im.find_hardware(MACHINE)
    store = replace(machine.instruction("store"), steps=())
    dense = replace(machine, instructions=tuple(store if i.name == "store" else i for i in machine.instructions))
    plan = im.stage(im.kernel("C[i,j] += A[i,k] * B[k,j]", sizes={"j": 8}), dense)
    assert im.prove_program(plan.program).proved and wrong(plan.program) == set()


def described(instruction: Instruction, steps: Steps) -> Instruction:
    return replace(instruction, steps=(("m", steps),) if steps else ())


def wrong(program: Program) -> set[str]:
    """The tensors whose elements the simulator sees elsewhere than they should be; the result is right where there are none."""
    sizes = {"I": 9, "J": 19, "K": 17} | {n: 8 for n in ("J",) if program.kernel.tensor("C").shape[1] == 8}
    draw = np.random.default_rng(1)
    a, b = (draw.standard_normal(s, np.float32) for s in ((sizes["I"], sizes["K"]), (sizes["K"], sizes["J"])))
    seen = im.simulate(program, {"A": a, "B": b})
    found = {n for n in "ABC" for race in seen.races if f" {n}[" in race.text and "does not lie at" in race.text}
    assert bool(found) or np.allclose(seen.outputs["C"], a @ b, atol=1e-4)
    return found
