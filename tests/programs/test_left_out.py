"""Guards that the output's element decides: masks cut loads and stores, and each way of getting that wrong is refuted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import sympy as sp

import isamap_smt as im
from isamap_smt.codegen.boundary import left_out
from isamap_smt.codegen.nest import build_nest
from isamap_smt.ir.program import Alloc, If, Loop, Move, Node, Program
from isamap_smt.ir.traversal import nodes_of, walk
from isamap_smt.proof.program import prove_program
from isamap_smt.simulator.run import run_program

SIZES = {"q": 21, "k": 19, "d": 3}
TILE = {"register.q": 3, "register.k": 8}


@cache
def scores() -> Program:
    """Rows of scores up to the diagonal, k in eight lanes."""
    kernel = im.kernel("S[q,k] += Q[q,d]*K[d,k] where k <= q", name="scores")
    return im.plan(kernel, "avx2", sizes=SIZES, instruction="fmadd_ps", fix=TILE).program


def rewritten(change: Callable[[Node], tuple[Node, ...]]) -> Program:
    """The program with each node changed, from the inside out."""

    def nodes(body: tuple[Node, ...]) -> tuple[Node, ...]:
        return tuple(new for n in body for new in change(inside(n)))

    def inside(n: Node) -> Node:
        return replace(n, body=nodes(n.body)) if isinstance(n, Loop | If) else n

    return replace(scores(), body=nodes(scores().body))


def stores(n: Node) -> bool:
    """Whether it takes accumulators to the scores."""
    return isinstance(n, Move) and n.instruction.kind == "store" and bool(n.active)


def one_lane_more() -> Program:
    return rewritten(
        lambda n: (replace(n, active=tuple(e + 1 for e in n.active)),) if stores(n) else (n,)  # type: ignore[union-attr]
    )


def one_lane_less() -> Program:
    return rewritten(
        lambda n: (replace(n, active=tuple(e - 1 for e in n.active)),) if stores(n) else (n,)  # type: ignore[union-attr]
    )


def cells_for_all() -> Program:
    """The accumulators' type says nothing of the guard."""

    def change(n: Node) -> tuple[Node, ...]:
        if not isinstance(n, Alloc) or not n.buffer.name.startswith("acc"):
            return (n,)
        held = n.buffer.type
        return (Alloc(replace(n.buffer, type=replace(held, guard=held.guard[:-1]))),)

    return rewritten(change)


def a_tile_too_many_passed_by() -> Program:
    """Tiles of which one cell stands for an element are passed by, too."""

    def change(n: Node) -> tuple[Node, ...]:
        if isinstance(n, If) and any(isinstance(x, Alloc) and x.buffer.name.startswith("acc") for x in n.body):
            return (replace(n, condition=tuple(sp.Ge(c.lhs, 1, evaluate=False) for c in n.condition)),)
        return (n,)

    return rewritten(change)


def never_cut() -> Program:
    """Whole vectors are stored where masks should cut them."""

    def change(n: Node) -> tuple[Node, ...]:
        if isinstance(n, If) and any(stores(x) for x, _ in walk(n.body)) and n.condition[0].func is sp.Lt:
            return ()
        if (
            isinstance(n, If)
            and any(x.instruction.kind == "store" for x in nodes_of(Move, n.body))
            and n.condition[0].func is sp.Ge
            and not any(isinstance(x, Alloc) for x in n.body)
        ):
            return n.body
        return (n,)

    return rewritten(change)


def test_the_program_is_proved_and_right() -> None:
    program = scores()
    assert [str(g) for g in left_out(build_nest(program.schedule))] == ["k <= q"]
    assert prove_program(program).proved
    assert wrong(program) is None


@pytest.mark.parametrize(
    "mutant",
    [one_lane_more, one_lane_less, cells_for_all, a_tile_too_many_passed_by, never_cut],
    ids=lambda f: f.__name__,
)
def test_a_mutant_is_refuted_and_goes_wrong(mutant: Callable[[], Program]) -> None:
    program = mutant()
    assert program != scores()
    proof = prove_program(program)
    assert proof.word == "refuted", [(c.claim, c.statement, c.verdict) for c in proof.failed()]
    if mutant is not cells_for_all:  # which says something wrong of itself alone
        assert wrong(program) is not None


def wrong(program: Program) -> str | None:
    """What is wrong with a run, elements above the diagonal included: they keep what they held."""
    random = np.random.default_rng(5)
    Q, K, S = (random.integers(-4, 5, shape).astype(np.float32) for shape in ((21, 3), (3, 19), (21, 19)))
    run = run_program(program, {"Q": Q, "K": K}, {"S": S}, SIZES)
    below = np.arange(19)[None] <= np.arange(21)[:, None]
    if not run.clean:
        return str(run.findings)
    return None if np.array_equal(run.outputs["S"], np.where(below, S + Q @ K, S)) else "other values"
