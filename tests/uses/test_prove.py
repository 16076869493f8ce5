"""Programs of uses: right ones are proved for all sizes, wrong ones are refuted by the claim they break, in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import outer_product as outer
import pytest
import use_edits as edits
import vector_length
import vector_tile
from judged import wrong
from use_mutants import MUTANTS, RIGHT, UNDECIDED, Mutant

from isamap_encodings.solve import recording
from isamap_encodings.z3_check import cvc5_answer
from isamap_smt.ir.expr import sym
from isamap_smt.ir.program import Program
from isamap_smt.pipeline.staged import stage
from isamap_smt.proof.program import prove_program
from tests.families import part


@pytest.mark.parametrize("right", RIGHT, ids=lambda m: m.name)
def test_right_programs_are_proved(right: Mutant) -> None:
    proof = prove_program(right.make())
    assert proof.proved, [str(c) for c in proof.failed()]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.name)
def test_mutants_are_refuted(mutant: Mutant) -> None:
    failed = prove_program(mutant.make()).failed()
    found = [c for c in failed if c.claim == mutant.claim and c.verdict.word == "refuted"]
    assert found, [(str(c), c.statement) for c in failed]
    assert any(mutant.says in getattr(c.verdict, "text", "") for c in found), [c.verdict for c in found]


@pytest.mark.parametrize("program", UNDECIDED, ids=lambda m: m.name)
def test_what_is_not_recognised_is_unknown(program: Mutant) -> None:
    failed = prove_program(program.make()).failed()
    assert {(c.claim, c.verdict.word) for c in failed} == {(program.claim, "unknown")}
    assert wrong(program.make()) == ""


@pytest.mark.one_in(3)
@pytest.mark.parametrize("program", [*MUTANTS, *RIGHT], ids=lambda m: m.name)
def test_the_simulator_agrees(program: Mutant) -> None:
    """What is refuted goes wrong when it is run, but for programs that only say something wrong of themselves; what is proved
    does not."""
    found = wrong(program.make())
    assert bool(found) == (program.behaves and bool(program.claim)), found


def test_a_refutation_reads_like_what_happens() -> None:
    (first, *_) = prove_program(MUTANTS[0].make()).failed()
    assert str(first.verdict.text) == (
        "load a puts nothing in the place of what multiply acc still uses of a: "
        "load a 2 overwrites slot 0 of a before multiply acc 0 has used it (I=1 J=1 K=17)"
    )


def test_a_register_tile_is_proved_in_the_same_form() -> None:
    proof = prove_program(vector_tile.gemm())
    assert proof.proved, [str(c) for c in proof.failed()]
    assert wrong(vector_tile.gemm(28), ((28, 1, 1), (28, 33, 2), (28, 64, 5)), 1) == ""


def test_registers_that_meet_are_refuted() -> None:
    """Two vectors of B in one register."""
    program = vector_tile.gemm()
    narrow = edits.holding(program, *(replace(b, slots=1) for b in edits.held(program) if b.name == "b"))
    names = {c.claim for c in prove_program(narrow).failed() if c.verdict.word == "refuted"}
    assert "memory" in names


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", part(range(60), lambda n: n % 2 == 0))
def test_random_edits(seed: int) -> None:
    """Nothing is proved that goes wrong. More of it: python -m benchmarks.fuzz_uses."""
    told, program = edits.random_program(seed)
    if prove_program(program).proved:
        assert wrong(program, seeds=3) == "", told


def test_one_proof_for_every_vector_length() -> None:
    proof = prove_program(vector_length.gemm())
    assert proof.proved, [str(c) for c in proof.failed()]
    for length in (1, 4, 7, 16):
        assert wrong(vector_length.gemm(length), ((8, 1, 1), (8, 17, 3), (8, 32, 2)), 1) == ""


def test_a_step_longer_than_a_vector_is_refuted_for_some_length() -> None:
    failed = prove_program(vector_length.gemm(skip=1)).failed()
    assert {c.claim for c in failed if c.verdict.word == "refuted"} == {"coverage"}
    assert wrong(vector_length.gemm(4, skip=1), ((8, 17, 3),), 1)


def lowered() -> Program:
    """The double-buffered product of the described machine, sizes open."""
    machine = Path(__file__).parents[2] / "examples" / "outer_product.py"
    pins = {f"slots.{o}": 2 for o in ("a", "b", "acc")}
    return stage("gemm_tn", f"{machine}:MACHINE", fix=pins).program


@pytest.mark.parametrize(
    "make",
    [outer.gemm, lowered, vector_tile.gemm, vector_length.gemm],
    ids=["engines", "lowered", "registers", "any length"],
)
def test_cvc5_agrees(make: Callable[[], Program]) -> None:
    with recording() as asked:
        assert prove_program(make()).proved
    assert [q.name for q in asked if cvc5_answer(q.smtlib) != q.answer] == []
    assert sum(q.answer == "unsat" for q in asked) > 50


def test_a_name_that_nothing_defines_is_refuted() -> None:
    """No claim can be stated of it; the simulator comes upon it at sizes that are told."""
    lost = edits.edited(outer.gemm(), lambda u: replace(u, awaits=tuple((c, e + sym("lost")) for c, e in u.awaits)))
    (claim,) = prove_program(lost).failed()
    assert claim.verdict.word == "refuted" and "nothing defines lost" in claim.verdict.text
    assert claim.verdict.witness


@pytest.mark.parametrize("field", ["starts", "assigned"])
def test_outputs_begin_at_0_and_hold_nothing_else(field: str) -> None:
    program = lowered()
    proof = prove_program(replace(program, **{field: program.kernel.outputs}))
    assert {c.claim for c in proof.failed()} == {"begun"}
    assert "outputs of a program for engines begin at 0" in str(proof.failed()[0].verdict)
