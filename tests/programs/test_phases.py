"""Guards that fail whole loops: remainders are taken apart into phases, and what all lanes share is tested around executions."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp
from marks import unmarked
from mutants import rewritten

import isamap_smt as im
from examples import convolutions, windows
from isamap_smt.bench import references as want
from isamap_smt.ir.expr import FloorMod
from isamap_smt.ir.program import If, Loop
from isamap_smt.ir.rewrite import Rewrite
from isamap_smt.ir.scalar import Read, rewrite_reads
from isamap_smt.ir.traversal import nodes_of
from isamap_smt.mapping import digits
from isamap_smt.mapping.digits import phases, split_axes
from isamap_smt.proof.program import prove_program
from isamap_smt.proof.split import prove_split

lowering = sys.modules["isamap_smt.codegen.lower"]

SIZES = {"n": 1, "P": 5, "Q": 4, "k": 19, "c": 3, "r": 3, "s": 2, "t": 2}
NEIGHBOURS = """
X: [9,20]
S: [10,21]
axis i < 9
axis t < 20
for t:
  S[i,t+1] = S[i+1,t] + X[i,t]
"""


@pytest.fixture(scope="module")
def plan() -> im.Plan:
    return im.plan(convolutions.TRANSPOSED_BY_OUTPUT, "avx2", sizes=SIZES)


@pytest.fixture(scope="module")
def apart() -> Rewrite:
    kernel = convolutions.TRANSPOSED_BY_OUTPUT.with_sizes(SIZES)
    found = split_axes(kernel, phases(kernel.statements[0]))
    assert found is not None
    return found


def test_a_transposed_convolution_has_a_loop_for_each_phase(plan: im.Plan) -> None:
    assert plan.split is not None
    assert plan.split.split.low_digits
    assert [(one.row.axis, one.row.parts) for one in plan.split.split.chain] == [
        ("y", 2),
        ("r", 2),
        ("x", 2),
    ]  # s has but two points
    assert plan.instruction is not None
    assert plan.instruction.axes


@pytest.mark.one_in(3)
@pytest.mark.parametrize("t", [1, 2, 3, pytest.param(4, marks=pytest.mark.exhaustive)])
def test_strides(t: int) -> None:
    sizes = {**SIZES, "t": t}
    rng = np.random.default_rng(t)
    image, weights = (rng.integers(-4, 5, s).astype(np.float32) for s in ((1, 5, 4, 3), (3, 2, 3, 19)))
    run = im.compile(convolutions.TRANSPOSED_BY_OUTPUT, "host", sizes=sizes)
    assert np.array_equal(run(image, weights), want.transposed(image, weights, t))


def test_quotients_are_exact_under_the_guard(apart: Rewrite) -> None:
    index = next(a.index for a in apart.kernel.statements[0].inputs if a.tensor == "I")
    assert not any(sp.sympify(i).has(FloorMod) for i in index)
    assert str(index[1]) == "-r_by2 + y_by2"
    assert prove_split(apart).proved


def _with(split: Rewrite, change: Any) -> Rewrite:
    s = split.kernel.statements[0]
    return replace(split, kernel=replace(split.kernel, statements=(change(s),)))


def _moved(s: Any) -> Any:
    """One row further along."""
    return replace(s, value=rewrite_reads(s.value, lambda r: Read(r.args[0], r.index[0], r.index[1] + 1, *r.index[2:])))


def _other_phase(s: Any) -> Any:
    """Points of the other remainder."""
    other = (sp.Eq(g.lhs, 1) if isinstance(g, sp.Eq) else g for g in s.guard)
    return replace(s, guard=tuple(other))


def _every_phase(s: Any) -> Any:
    """No remainder is asked for."""
    return replace(s, guard=tuple(g for g in s.guard if not isinstance(g, sp.Eq)))


def _one_less(s: Any) -> Any:
    """The first row of the image is left out."""
    first = (sp.Ge(g.lhs - 1, 0) if isinstance(g, sp.Ge) else g for g in s.guard)
    return replace(s, guard=tuple(first))


@pytest.mark.parametrize(
    ("change", "claims"),
    [
        (_moved, {"program"}),
        (_other_phase, {"bounds", "coverage", "program"}),
        (_every_phase, {"bounds", "program"}),
        (_one_less, {"coverage"}),
    ],
)
def test_wrong_phases_are_refuted(apart: Rewrite, change: Any, claims: set[str]) -> None:
    failed = prove_split(_with(apart, change)).failed()
    assert failed
    assert {c.claim for c in failed} <= claims


@pytest.mark.parametrize("kernel", [convolutions.TRANSPOSED_BY_OUTPUT, windows.MAX_POOL])
def test_executions_without_their_tests_are_refuted(kernel: im.Kernel, plan: im.Plan) -> None:
    sizes = {"n": 1, "p": 3, "q": 3, "c": 8, "r": 3, "s": 3, "t": 2, "pad": 1}
    program = (
        plan.program if kernel is convolutions.TRANSPOSED_BY_OUTPUT else im.plan(kernel, "avx2", sizes=sizes).program
    )
    assert program.schedules
    tests = dict.fromkeys(nodes_of(If, unmarked(program).body))
    found = [prove_program(rewritten(program, lambda n, t=t: n.body if n == t else None)) for t in tests]
    assert sum(not proof.proved for proof in found) >= 2


def test_a_guard_that_no_operand_decides_keeps_vectors() -> None:
    kernel = im.kernel(
        "X: [6,33]\naxis q < 6\naxis r < 5\naxis d < 33\nM[q,d] max= X[q,d] * w[r] where (q + r) % 2 == 1", name="mine"
    )
    run = im.compile(kernel, "host")
    assert run.program.schedules[0].proved.mapping.instruction.axes
    rng = np.random.default_rng(3)
    x, w = rng.integers(-9, 9, (6, 33)).astype(np.float32), rng.integers(-9, 9, 5).astype(np.float32)
    expected = np.full((6, 33), -np.inf, np.float32)
    for q in range(6):
        for r in range(5):
            if (q + r) % 2 == 1:
                expected[q] = np.maximum(expected[q], x[q] * w[r])
    assert np.array_equal(run(X=x, w=w), expected)


LEFT_OVER: dict[str, Any] = {
    "y % 2 == 0": lambda y, r: (y % 2 == 0) & (r >= 0),
    "(y + r) % 2 == 0": lambda y, r: (y + r) % 2 == 0,
    "(r - y) % 3 == 1": lambda y, r: (r - y) % 3 == 1,
    "y % 2 == 1 and r <= y": lambda y, r: (y % 2 == 1) & (r <= y),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("guard", LEFT_OVER)
@pytest.mark.parametrize("sizes", [{"y": 13, "j": 5, "r": 30}, {"y": 7, "j": 19, "r": 9}])
def test_digits_of_which_points_are_left_over(guard: str, sizes: dict[str, int]) -> None:
    """Neither the output nor an operand is touched beyond its last row, and what the guard leaves out is begun all the same."""
    plan = im.plan(im.kernel(f"O[y,j] += A[y,r] * B[r,j] where {guard}"), "host", sizes=sizes)
    assert plan.program.schedules
    assert plan.split is not None
    rng = np.random.default_rng(3)
    a, b = (rng.integers(-4, 5, s).astype(np.float32) for s in ((sizes["y"], sizes["r"]), (sizes["r"], sizes["j"])))
    holds = LEFT_OVER[guard](np.arange(sizes["y"])[:, None], np.arange(sizes["r"]))
    assert np.array_equal(im.build(plan)(a, b), (a * holds) @ b)


def test_digits_that_are_given_up_say_why(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no program of phases is proved instructions take the whole kernel, and the fault is told."""
    monkeypatch.setattr(digits, "decided_by_output", lambda s: ())
    kernel = im.kernel("O[y,j] += A[y,r] * B[r,j] where y % 2 == 0", name="given_up")
    plan = im.plan(kernel, "host", sizes={"y": 13, "j": 16, "r": 30})
    assert plan.program.schedules
    assert plan.split is None
    assert [
        n for n in plan.notes if "y in digits, the low one of 2" in n and "given up: " in n and "fault of isamap" in n
    ]


def test_running_sums_along_rows_go_a_few_rows_at_a_time() -> None:
    kernel = im.kernel("for t:\n  S[i,t+1] = S[i,t] + X[i,t]", name="mine")
    plan = im.plan(kernel, "scalar")
    (block,) = (n for n in plan.program.body if isinstance(n, Loop))
    assert (block.axis, block.step) == ("i", lowering.CHAINS)
    (time,) = block.body
    assert isinstance(time, Loop)
    assert time.axis == "t"


def test_rows_that_meet_are_not_taken_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lowering leaves them; where it did not, the order would be refuted."""
    kernel = im.kernel(NEIGHBOURS, name="mine")
    assert prove_program(lowering.lower_points(kernel)).proved
    monkeypatch.setattr(lowering, "_across", lambda *_: "i")
    failed = prove_program(lowering.lower_points(kernel)).failed()
    assert "order" in {c.claim for c in failed}
