"""What blocks of rows ask for while they compute: the next rows, and the lines of the result; and what a proof refuses of it."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp

import isamap_smt as im
from isamap_smt.codegen.lower import asking
from isamap_smt.ir.expr import sym
from isamap_smt.ir.program import Compute, If, Loop, Move, Prefetch, Ref
from isamap_smt.ir.traversal import nodes_of, walk
from isamap_smt.pipeline.plan import Plan
from isamap_smt.proof.program import prove_program

CENTRED = """
temporary top, e, total
top[i] max= x[i,n]
e[i,n] = abs(x[i,n] - top[i])
total[i] += e[i,n]
y[i,n] = e[i,n] + total[i]
"""
SIZES = {"i": 64, "n": 768}


@functools.cache
def planned(text: str) -> Plan:
    return im.plan(im.kernel(text), "avx2", sizes=SIZES, strategy="exact", cost_model="analytic")


def shared(plan: Plan) -> Loop:
    (loop,) = (n for n in plan.program.body if isinstance(n, Loop) and len({x.statement for x in computes(n)}) > 1)
    return loop


def computes(loop: Loop) -> list[Compute]:
    return list(nodes_of(Compute, loop.body))


def asked(plan: Plan) -> list[tuple[int, str, Prefetch]]:
    """(statement before which, tensor that is loaded, what is asked for) of every load."""
    found: list[tuple[int, str, Prefetch]] = []
    loads: list[Move] = []
    for node, _ in walk(plan.program.body):
        if isinstance(node, Move) and node.memory is not None:
            loads.append(node)
        if isinstance(node, Compute):
            found += [(node.statement, m.memory.name, p) for m in loads for p in m.prefetch if m.memory]
            loads = []
    return found


def test_rows_that_are_read_again_bring_the_next_ones_and_those_of_the_result() -> None:
    plan = planned(CENTRED)
    rows, found = shared(plan).step, asked(plan)
    assert {(x, p.distance if p.place is None else p.place.name) for _, x, p in found} == {
        ("x", rows * 768 * 4),
        ("x", "y"),
    }
    assert {plan.program.kernel.statements[n].target.tensor for n, _, _ in found} == {"e"}


def bare(plan: Plan) -> list[tuple[Any, ...]]:
    """What stands in the shared loop, asking for nothing."""
    return [(with_prefetch(n, ()),) for n in shared(plan).body]


def asker(plan: Plan) -> int:
    """Which of the nodes in the shared loop asks."""
    (one,) = (
        n for n, (node, (bare_one,)) in enumerate(zip(shared(plan).body, bare(plan), strict=True)) if node != bare_one
    )
    return one


def test_rows_that_are_read_once_ask_for_nothing() -> None:
    plan = planned(CENTRED)
    nests = bare(plan)[asker(plan) :]
    assert asking(plan.program.kernel, nests, shared(plan), [1 << 20] * len(nests)) == tuple(nests)


def test_blocks_that_the_first_cache_does_not_hold_ask_for_nothing() -> None:
    plan = planned(CENTRED)
    loop, kernel = shared(plan), plan.program.kernel
    nests = bare(plan)
    both = 2 * int(loop.step) * 768 * 4  # the next rows of x, and those of y

    def asked_with(room: int) -> tuple[tuple[Any, ...], ...]:
        return asking(kernel, nests, loop, [room if n == asker(plan) else 0 for n in range(len(nests))])

    assert asked_with(both - 1) == tuple(nests)
    assert tuple(n for (n,) in asked_with(both)) == loop.body


def test_only_the_longest_statement_that_reads_rows_again_asks_for_them() -> None:
    plan = planned(CENTRED)
    schedules = plan.program.schedules
    assert [bool(s.streams) for s in schedules] == [s.proved.mapping.statement.target.tensor == "e" for s in schedules]


@pytest.mark.needs("avx2", "fma")
def test_they_change_no_value() -> None:
    plan = planned(CENTRED)
    assert plan.proof.word == "proved"
    compiled = im.build(plan)
    assert "im_y" in next(
        line for line in compiled.source.splitlines() if "__builtin_prefetch" in line and "im_y" in line
    )
    x = np.random.default_rng(1).integers(-9, 10, (64, 768)).astype(np.float32)
    e = np.abs(x - x.max(1, keepdims=True))
    np.testing.assert_array_equal(compiled(x=x), e + e.sum(1, keepdims=True))


def with_prefetch(node: Any, prefetch: tuple[Prefetch, ...]) -> Any:
    """The same node whose loads ask for this, where they ask for anything."""
    if isinstance(node, Loop | If):
        return replace(node, body=tuple(with_prefetch(n, prefetch) for n in node.body))
    return replace(node, prefetch=prefetch) if isinstance(node, Move) and node.prefetch else node


def proof_with(place: Ref) -> Any:
    program = planned(CENTRED).program
    body = tuple(with_prefetch(n, (Prefetch(sp.S.Zero, place=place),)) for n in program.body)
    return prove_program(replace(program, body=body))


@pytest.mark.parametrize(
    ("place", "said"),
    [
        (Ref("z", (sp.S.Zero, sp.S.Zero)), "z is neither a tensor nor a buffer in scope"),
        (Ref("y", (sym("nowhere"), sp.S.Zero)), "nothing defines nowhere where it is used"),
    ],
)
def test_a_place_that_is_none_is_refused(place: Ref, said: str) -> None:
    proof = proof_with(place)
    assert proof.word != "proved"
    assert said in str(proof.failed)


def test_a_place_beyond_the_tensor_may_be_asked_for() -> None:
    assert proof_with(Ref("y", (sp.Integer(64), sp.S.Zero))).word == "proved"
