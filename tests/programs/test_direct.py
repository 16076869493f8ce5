"""What is computed over memory alone is proved where the kernel's order is kept, and refuted (and wrong) where it is not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import sympy as sp
from direct import ALL, BEFORE, BETWEEN, CHAIN, LATER, OWN, ROUND, SHIFT, STATE, TURNS, TWICE, made
from mutants import rewritten

from isamap_encodings.verdict import Refuted
from isamap_smt.ir.program import Loop, Node, Parallel, Program
from isamap_smt.ir.traversal import nodes_of
from isamap_smt.proof.program import prove_program
from isamap_smt.proof.program_trial import trials
from tests.programs.loop_kinds import of_kind
from tests.programs.portable import is_element


def _upside_down(axis: str) -> Callable[[Program], Program]:
    """The loop over an axis runs from its end."""

    def change(program: Program) -> Program:
        loop = next(n for n in nodes_of(Loop, program.body) if n.axis == axis)

        def f(n: Node) -> Any:
            if is_element(n):
                turned = {loop.var: loop.count - 1 - loop.var}
                moved = tuple(replace(r, index=_put(r.index, turned)) for r in n.reads)
                point = tuple((a, sp.sympify(e).subs(turned)) for a, e in n.point)
                return (replace(n.placed(replace(n.dst, index=_put(n.dst.index, turned)), *moved), point=point),)
            return None

        return rewritten(program, f)

    return change


def _put(index: tuple[Any, ...], table: dict[Any, Any]) -> tuple[Any, ...]:
    return tuple(sp.sympify(i).subs(table) for i in index)


def _by_threads(axis: str) -> Callable[[Program], Program]:
    def f(n: Node) -> Any:
        return (of_kind(Parallel, n),) if isinstance(n, Loop) and n.axis == axis else None

    return lambda program: rewritten(program, f)


def _swapped(first: int) -> Callable[[Program], Program]:
    """Two neighbouring statements change places, in the body of their turns or at the top."""

    def swap(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        return (*nodes[:first], nodes[first + 1], nodes[first], *nodes[first + 2 :])

    def change(program: Program) -> Program:
        if program.kernel.recurrences:
            turns = program.body[0]
            assert isinstance(turns, Loop)
            return replace(program, body=(replace(turns, body=swap(turns.body)),))
        return replace(program, body=swap(program.body))

    return change


def _exchanged(program: Program) -> Program:
    """The inner loop comes first."""

    def f(n: Node) -> Any:
        if isinstance(n, Loop) and isinstance(n.body[0], Loop):
            inner = n.body[0]
            return (replace(inner, body=(replace(n, body=inner.body),)),)
        return None

    return rewritten(program, f)


TRAPS = [
    (TWICE, _exchanged), (TWICE, _upside_down("i")), (ROUND, _upside_down("i")), (SHIFT, _upside_down("i")),
    (CHAIN, _upside_down("i")), (CHAIN, _by_threads("i")), (SHIFT, _by_threads("i")), (TWICE, _by_threads("i")),
    (BEFORE, _swapped(0)), (BETWEEN, _swapped(0)), (BETWEEN, _swapped(1)), (TURNS, _swapped(0)), (LATER, _swapped(0)),
    (STATE, _upside_down("t")), (LATER, _upside_down("t")),
]  # fmt: skip


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("text", ALL)
def test_the_kernels_own_order_is_proved_and_runs_right(text: str, parallel: bool) -> None:
    program = made(text, parallel)
    proof = prove_program(program)
    assert proof.proved, [(c.claim, c.statement, c.verdict) for c in proof.failed()]
    assert trials(program, 10) is None


@pytest.mark.parametrize(("text", "change"), TRAPS, ids=range(len(TRAPS)))
def test_another_order_is_refuted_and_wrong_when_run(text: str, change: Callable[[Program], Program]) -> None:
    program = change(made(text))
    proof = prove_program(program)
    refuted = {c.claim for c in proof.failed() if isinstance(c.verdict, Refuted)}
    assert "order" in refuted, [(c.claim, c.statement, c.verdict) for c in proof.failed()]
    assert trials(program, 20) is not None


@pytest.mark.parametrize(
    ("text", "change"), [(TWICE, _exchanged), (BEFORE, _swapped(0)), (BETWEEN, _swapped(1)), (LATER, _swapped(0))]
)
def test_no_other_claim_refutes_it(text: str, change: Callable[[Program], Program]) -> None:
    assert {c.claim for c in prove_program(change(made(text))).failed()} == {"order"}


def test_sums_may_come_in_any_order() -> None:
    program = _exchanged(made("C[i+j] += A[i,j]"))
    assert prove_program(program).proved


def test_a_sum_that_reads_what_it_adds_to_keeps_its_order() -> None:
    program = _upside_down("k")(made(OWN))
    assert any(c.claim == "order" and isinstance(c.verdict, Refuted) for c in prove_program(program).failed())
