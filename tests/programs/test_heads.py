"""Causal attention, head after head and a few rows each: loops in loops that fold, and products left out step by step.

A fold or a test that is wrong is refuted, and computes something else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import sympy as sp

import isamap_smt as im
from examples.attention import CAUSAL
from isamap_smt.ir.errors import NotProvedError
from isamap_smt.ir.program import If, Loop, Node, Program
from isamap_smt.ir.traversal import nodes_of
from isamap_smt.pipeline import choose
from isamap_smt.pipeline.plan import Plan
from isamap_smt.proof.program import prove_program
from isamap_smt.simulator.run import run_program

SIZES = {"h": 2, "q": 60, "k": 160, "d": 16}
Arrays = dict[str, np.ndarray]


@cache
def attention() -> Plan:
    return im.plan(CAUSAL, "avx2", sizes=SIZES, strategy="exact", cost_model="analytic")


@cache
def given() -> tuple[Arrays, np.ndarray]:
    """Random scores, of which those behind the diagonal are larger; attention in f64."""
    rng = np.random.default_rng(5)
    q, k, v = (rng.normal(size=(2, SIZES[a], 16)).astype(np.float32) for a in "qkk")
    k[:, 60:] *= 9
    scores = np.einsum("hqd,hkd->hqk", q.astype(np.float64), k) / 4
    scores = np.where(np.tri(60, 160, dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(2, keepdims=True))
    wanted = np.einsum("hqk,hkd->hqd", weights, v.astype(np.float64)) / weights.sum(2, keepdims=True)
    return {"Q": q, "K": k, "V": v, "z": np.array(0.25, np.float32)}, wanted


def right(program: Program) -> bool:
    arrays, wanted = given()
    run = run_program(program, arrays)
    return run.clean and np.allclose(run.outputs["Y"], wanted, rtol=1e-4, atol=1e-5, equal_nan=True)


def loops(program: Program) -> tuple[Loop, Loop]:
    """The two that the statements share."""
    outer = next(n for n in program.body if isinstance(n, Loop) and n.folds)
    return outer, next(n for n in outer.body if isinstance(n, Loop) and n.folds)


def test_statements_share_two_loops_and_fold_in_both() -> None:
    plan = attention()
    assert {s.fused for s in plan.program.schedules} == {("h", "q")}
    assert any("share blocks of" in n and "along q, for each h" in n for n in plan.notes)
    outer, inner = loops(plan.program)
    assert dict(outer.folds)["E"] == 0 and dict(inner.folds)["E"] == 1
    assert set(dict(inner.folds)) >= {"S", "M_sums", "E"}


def test_attention_is_right_compiled_and_simulated() -> None:
    arrays, wanted = given()
    assert right(attention().program)
    np.testing.assert_allclose(im.build(attention())(**arrays), wanted, rtol=1e-4, atol=1e-5)


def _changed(nodes: tuple[Node, ...], change: Callable[[Node], Node]) -> tuple[Node, ...]:
    def one(node: Node) -> Node:
        if isinstance(node, Loop | If):
            node = replace(node, body=_changed(node.body, change))
        return change(node)

    return tuple(map(one, nodes))


def _with(program: Program, change: Callable[[Node], Node]) -> Program:
    return replace(program, body=_changed(program.body, change))


def _folds(program: Program, which: int, change: Callable[[dict[str, int]], dict[str, int]]) -> Program:
    var = loops(program)[which].var

    def one(node: Node) -> Node:
        here = isinstance(node, Loop) and node.var == var and bool(node.folds)
        return replace(node, folds=tuple(change(dict(node.folds)).items())) if here else node  # type: ignore[union-attr]

    return _with(program, one)


def _steps(program: Program) -> tuple[If, If]:
    """The test for steps at which the whole tile lies inside, and the one for those at the border."""
    inside = [n for n in nodes_of(Loop, program.body) if len(n.body) == 2]
    whole, border = next(  # of the products with the values; maxima and sums before them go eight columns at a time
        x.body for x in reversed(inside) if all(isinstance(n, If) and str(x.var) in str(n.condition) for n in x.body)
    )
    assert isinstance(whole, If) and isinstance(border, If)
    assert (len(whole.condition), len(border.condition)) == (1, 2)
    return whole, border


def _later(relation: sp.Rel, points: int) -> sp.Rel:
    return relation.func(relation.lhs + points, relation.rhs, evaluate=False)


def _whole_too_often(program: Program) -> Program:
    """Steps count as inside where one row of the tile is outside, and are no steps of the border then."""
    whole, border = _steps(program)
    (inside,) = whole.condition
    outside = border.condition
    new = {
        whole: replace(whole, condition=(_later(inside, 1),)),
        border: replace(border, condition=(_later(outside[0], 1), *outside[1:])),
    }
    return _with(program, lambda n: new.get(n, n) if isinstance(n, If) else n)


def _border_too_seldom(program: Program) -> Program:
    """The last step of the border counts as outside."""
    _, border = _steps(program)
    low, some = border.condition
    new = replace(border, condition=(low, _later(some, -1)))
    return _with(program, lambda n: new if n == border else n)


def _both(program: Program) -> Program:
    """A step inside is also computed as one of the border."""
    _, border = _steps(program)
    new = replace(border, condition=border.condition[1:])
    return _with(program, lambda n: new if n == border else n)


def _without(folds: dict[str, int]) -> dict[str, int]:
    return {t: d for t, d in folds.items() if t != "E"}


WRONG: dict[str, Callable[[Program], Program]] = {
    "the loop around does not fold it": lambda p: _folds(p, 0, _without),
    "both loops fold one dimension": lambda p: _folds(p, 1, lambda f: {**f, "E": 0}),
    "a dimension that the inner loop does not count": lambda p: _folds(p, 1, lambda f: {**f, "E": 2}),
    "whole too often": _whole_too_often,
    "border too seldom": _border_too_seldom,
    "inside and at the border": _both,
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_refuted(name: str) -> None:
    program = WRONG[name](attention().program)
    proof = prove_program(program)
    assert not proof.proved
    with pytest.raises(NotProvedError):
        im.build(program)


# whole too often: the weights there are what the memory held, which may be 0
@pytest.mark.parametrize("name", ["border too seldom", "inside and at the border"])
def test_a_wrong_test_computes_something_else(name: str) -> None:
    assert not right(WRONG[name](attention().program))


def test_what_reads_two_sums_is_counted_by_the_axes_that_its_loops_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """D has lanes h.q, O has lanes h.q.d, and the quotient stands in the loop over h.q.d."""
    monkeypatch.setattr(
        choose, "DESCRIBED", replace(choose.DESCRIBED, pack_elements=0.0)
    )  # else lanes of d alone cost less
    text = "temporary D, O\nD[h,q] += E[h,q,k]\nO[h,q,d] += E[h,q,k] * V[h,k,d]\nY[h,q,d] = O[h,q,d] / D[h,q]"
    plan = im.plan(im.kernel(text), "avx512", sizes={"h": 4, "q": 5, "k": 7, "d": 3})
    assert not any("element by element" in n for n in plan.notes)
    assert {s.proved.mapping.id for s in plan.program.schedules} == {"l=h.q;x0=E", "l=h.q.d;a=E,b=V"}
    rng = np.random.default_rng(2)
    E, V = (rng.integers(1, 9, shape).astype(np.float32) for shape in ((4, 5, 7), (4, 7, 3)))
    run = run_program(plan.program, {"E": E, "V": V})
    assert run.clean and np.array_equal(run.outputs["Y"], E @ V / E.sum(2, keepdims=True))
    shorter = replace(plan.program, body=_shorter(plan.program.body))
    assert shorter != plan.program and "coverage" in {c.claim for c in prove_program(shorter).failed()}


def _shorter(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """The same, with the loop over single points of h.q.d one point short."""
    return tuple(map(_one_shorter, nodes))


def _one_shorter(node: Node) -> Node:
    if isinstance(node, Loop) and node.axis == "h.q.d" and node.step == 1:
        return replace(node, count=node.count - 1)
    return replace(node, body=_shorter(node.body)) if isinstance(node, Loop | If) else node
