"""A program of a core uses instructions as its machine's description says them, C and all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest

import isamap_smt as im
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.program import If, Loop, Node, Program, Use
from isamap_smt.ir.traversal import nodes_of
from isamap_smt.proof.program import prove_program

SOFTMAX = "temporary M, S\nM[i] max= X[i,j]\nS[i] += exp(X[i,j]-M[i])\nY[i,j] = exp(X[i,j]-M[i])/S[i]"


@cache
def planned(name: str) -> Program:
    kernel = im.kernel(SOFTMAX, name="softmax") if name == "softmax" else name
    return im.plan(kernel, "avx2").program


def changed(program: Program, change: Callable[[Instruction], Instruction]) -> Program:
    def nodes(body: tuple[Node, ...]) -> tuple[Node, ...]:
        return tuple(
            replace(n, body=nodes(n.body)) if isinstance(n, Loop | If)
            else replace(n, instruction=change(n.instruction)) if isinstance(n, Use) and not n.instruction.portable
            else n
            for n in body
        )  # fmt: skip

    return replace(program, ahead=nodes(program.ahead), body=nodes(program.body))


def used(program: Program) -> list[Instruction]:
    nodes = nodes_of(Use, program)
    return list(dict.fromkeys(n.instruction for n in nodes if not n.instruction.portable))


@pytest.mark.parametrize("name", ["gemm", "softmax"])
def test_another_c_of_the_same_contract_is_refuted_by_this_claim_alone(name: str) -> None:
    """Each instruction of the program in turn, those that isamap made among them."""
    program = planned(name)
    assert prove_program(program).proved
    for i in used(program):
        other = replace(i, emit=i.emit.replace("_mm256", "other_mm256"))
        failed = prove_program(changed(program, lambda x, i=i, other=other: other if x == i else x)).failed()
        found = [c for c in failed if "as its description says it" in c.statement]
        assert other == i or (found and found[0].verdict.word == "refuted"), i.name
        if i.kind != "compute":  # of what computes, other claims ask that it is the mapping's
            assert other == i or len(failed) == 1, [str(c) for c in failed]
