"""Kernels of several statements: what is lowered is proved and runs right; every trap of an epilogue is refuted."""

from __future__ import annotations

from dataclasses import replace

import pytest
import statements
from mutants import rewritten

import isamap_smt as im
from isamap_encodings.verdict import Refuted
from isamap_smt.ir.dtypes import dtype
from isamap_smt.ir.errors import LanguageError
from isamap_smt.ir.expr import sym
from isamap_smt.ir.instruction import signal
from isamap_smt.ir.portable import copying
from isamap_smt.ir.program import Compute, Copy, Issued, Move, Node, Point, Portable, Ref, Signal, Use
from isamap_smt.ir.traversal import map_parts, nodes_of
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


def test_what_a_use_has_no_meaning_for_cannot_be_written() -> None:
    """Each kind of use has its own fields: nothing runs by others, so nothing may be concluded from them."""
    uses = list(nodes_of(Use, statements.whole()))
    assert {type(u) for u in uses} == {Compute, Move, Point}
    for use in uses:
        for name in ("awaits", "signals", "begins", "cells", "where", "fill", "sets", "number"):
            with pytest.raises(TypeError, match=name):
                replace(use, **{name: 1})  # type: ignore[arg-type]


def test_a_use_is_of_an_instruction_of_its_kind() -> None:
    """A move where a computation stood, and any other kind: none is made."""
    found = {type(u): u.instruction for u in nodes_of(Use, statements.whole())}
    found |= {Copy: copying(dtype("f32"), dtype("f32")), Signal: signal("load")}
    for kind, own in found.items():
        assert kind(own).instruction is own
        for instruction in found.values():
            if instruction is not own:
                with pytest.raises(LanguageError, match=f"is no instruction of a {kind.__name__}"):
                    kind(instruction)
        for base in (Use, Portable, Issued):  # what kinds have in common is no kind
            with pytest.raises(LanguageError, match=f"is no instruction of a {base.__name__}"):
                base(own)


def test_a_core_issues_nothing_by_an_engine() -> None:
    program = statements.whole()
    proof = prove_program(replace(program, body=(*program.body, Signal(signal("load")))))
    assert any("is issued by an engine" in str(c.verdict) for c in proof.failed())


def test_contents_are_those_of_engines() -> None:
    def meant(n: Node) -> tuple[Node, ...] | None:
        if not isinstance(n, Use):
            return None
        return (map_parts(n, {Ref: lambda r: replace(r, version=(sym("i0"),))}),)

    changed = rewritten(statements.whole(), meant)
    assert any("has no meaning for" in str(c.verdict) for c in prove_program(changed).failed())


def test_a_move_has_the_operands_of_its_instruction() -> None:
    def renamed(n: Node) -> tuple[Node, ...] | None:
        return (replace(n, operands=tuple((f"{o}x", r) for o, r in n.operands)),) if isinstance(n, Move) else None

    assert any("and is given" in str(c.verdict) for c in prove_program(rewritten(statements.whole(), renamed)).failed())
