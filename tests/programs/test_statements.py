"""Kernels of several statements: what is lowered is proved and runs right; every trap of an epilogue is refuted."""

from __future__ import annotations

from dataclasses import replace

import pytest
import statements
from mutants import rewritten

import isamap_smt as im
from isamap_encodings.verdict import Refuted
from isamap_smt.ir.expr import sym
from isamap_smt.ir.program import Node, Use
from isamap_smt.proof.program import prove_program
from isamap_smt.proof.program_trial import trials


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", statements.ORIGINALS)
def test_proved_and_runs_right(name: str) -> None:
    program = statements.ORIGINALS[name]()
    proof = prove_program(program)
    assert proof.proved, [(c.claim, c.statement, c.verdict) for c in proof.failed()]
    assert trials(program, 6) is None


@pytest.mark.parametrize("name", statements.TRAPS)
def test_refuted_by_its_claim_and_wrong_when_run(name: str) -> None:
    make, claim = statements.TRAPS[name]
    program = make()
    refuted = {c.claim for c in prove_program(program).failed() if isinstance(c.verdict, Refuted)}
    assert claim in refuted, refuted
    assert trials(program, 12) is not None


@pytest.mark.parametrize("name", statements.UNCOVERED)
def test_never_proved(name: str) -> None:
    program = statements.UNCOVERED[name]()
    proof = prove_program(program)
    assert not proof.proved
    assert any(isinstance(c.verdict, Refuted) for c in proof.failed())
    assert trials(program, 12) is not None


@pytest.mark.parametrize("name", ["layer_without_its_mapping", "layer_named_as_the_other"])
def test_instructions_need_the_proof_of_their_own_statement(name: str) -> None:
    """Nothing is wrong when it runs; but what the instructions compute is not what was proved."""
    assert not prove_program(getattr(statements, name)()).proved


def test_a_statement_that_reads_other_elements_of_its_own_output_is_unknown() -> None:
    """Its result depends on the order in which it runs, which no claim covers."""
    program = statements.blocked(statements.GEMM + "C[i,j] = C[i,j] + C[i,0]")
    proof = prove_program(program)
    assert proof.word == "unknown"
    assert any("reads other elements of its own output" in str(c.verdict) for c in proof.failed())


def test_a_statement_that_the_kernel_has_not_is_no_program() -> None:
    """The prover does not end in an error of its own."""
    proof = prove_program(statements.beyond())
    assert not proof.proved
    assert any("no statement 8" in str(c.verdict) for c in proof.failed())


@pytest.mark.parametrize(
    "further", ["D[i,j] max= C[i,k] + X[k,j]", "D[i] += C[j,i] * X[i,j]", "D[i,j] max= C[k,j] + X[i,k]"]
)
def test_a_further_statement_may_name_its_axes_otherwise(further: str) -> None:
    """The loops of the further statement count its own j, which is not the j of the product that it reads."""
    text = f"axis j < I\naxis k < I\nC[i,j] += A[i,k] * B[k,j]\n{further}"
    planned = im.plan(im.kernel(text).with_dtypes(dict.fromkeys("ABCDX", "f32")), "scalar")
    assert planned.proof.proved


def test_what_a_use_has_no_meaning_for_is_not_passed_over() -> None:
    """Nothing runs by it, so nothing may be concluded from it either."""
    program = statements.whole()
    for odd in (
        {"awaits": (("c", 1),)},
        {"signals": ("c",)},
        {"begins": True},
        {"cells": (1,)},
        {"where": (sym("i0") < 1,)},
    ):
        changed = rewritten(program, lambda n, odd=odd: (replace(n, **odd),) if isinstance(n, Use) else None)
        assert any("has no meaning for" in str(c.verdict) for c in prove_program(changed).failed()), odd


def test_a_move_has_the_operands_of_its_instruction() -> None:
    def renamed(n: Node) -> tuple[Node, ...] | None:
        return (
            (replace(n, operands=tuple((f"{o}x", r) for o, r in n.operands)),)
            if isinstance(n, Use) and n.moves
            else None
        )

    assert any("and is given" in str(c.verdict) for c in prove_program(rewritten(statements.whole(), renamed)).failed())
