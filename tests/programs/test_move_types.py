"""A move is proved for elements of its own type alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
import statements
from mutants import rewritten

import isamap_smt as im
from isamap_smt.ir.program import Move, Node
from isamap_smt.ir.traversal import nodes_of
from isamap_smt.proof.program import prove_program
from isamap_smt.proof.program_trial import trials


@pytest.mark.parametrize(("mine", "other"), [("load_f32x1", "load_f64"), ("zero_f32x1", "zero_f64")])
def test_a_move_of_another_element_type_is_refuted(mine: str, other: str) -> None:
    """As many elements of 8 bytes as the register has of 4."""
    program = statements.blocked()
    wrong = im.find_instruction(f"avx2.{other}")

    def changed(n: Node) -> tuple[Node, ...] | None:
        return (replace(n, instruction=wrong),) if isinstance(n, Move) and n.instruction.short == mine else None

    assert any(n.instruction.short == mine for n in nodes_of(Move, program.body))
    edited = rewritten(program, changed)
    assert "source and destination have one element type" in [c.statement for c in prove_program(edited).failed()]
    found = trials(edited, 1)
    assert found is not None and "operand r is f64" in found.text, found
