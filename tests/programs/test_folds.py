"""Statements over rows in one loop over blocks of them, each with its own block of temporaries: right, and proved.

A fold that is wrong is refuted by its claim alone, and computes something else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import isamap_smt as im
from examples import norms
from isamap_smt.ir.errors import NotProvedError
from isamap_smt.ir.folds import folded, laid_out
from isamap_smt.ir.interpret import run_kernel
from isamap_smt.ir.program import Loop, Program
from isamap_smt.ir.traversal import buffers
from isamap_smt.pipeline.plan import Plan
from isamap_smt.proof.program import prove_program
from isamap_smt.simulator.run import run_program

SIZES = {"i": 42, "n": 1037}  # neither blocks nor vectors divide them
Arrays = dict[str, np.ndarray]


@cache
def softmax() -> Plan:
    return im.plan(norms.SOFTMAX, "avx2", sizes=SIZES, strategy="exact", cost_model="analytic")


@cache
def given() -> tuple[Arrays, np.ndarray]:
    """A row of NaN and one of the same number among random ones; softmax of them in f64."""
    x = np.random.default_rng(2).normal(size=(42, 1037)).astype(np.float32) * 4
    x[3], x[7, 11] = 0.5, np.nan
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    return {"x": x}, e / e.sum(1, keepdims=True)


def loop_of(program: Program) -> Loop:
    (found,) = [n for n in program.body if isinstance(n, Loop)]
    return found


def test_four_statements_share_one_loop_and_are_told() -> None:
    plan = softmax()
    assert [s.fused for s in plan.program.schedules] == [("i",)] * 4
    assert any("share blocks of" in n and ", 3, 4 and 7 " in n for n in plan.notes)
    loop = loop_of(plan.program)
    assert set(dict(loop.folds)) == {"e", "share", "top_sums", "total_sums"}
    assert "each iteration has its own block of e" in str(plan.program)


def test_rows_of_softmax_are_right_compiled_and_simulated() -> None:
    arrays, wanted = given()
    run = run_program(softmax().program, arrays)
    assert run.clean
    for found in (im.build(softmax())(**arrays), run.outputs["y"]):
        np.testing.assert_allclose(found, wanted, rtol=2e-6, atol=0)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ["LAYER_NORM", "RMS_NORM"])
def test_other_rows_are_right(name: str) -> None:
    kernel: im.Kernel = getattr(norms, name)
    plan = im.plan(kernel, "avx2", sizes=SIZES, strategy="exact", cost_model="analytic")
    assert {s.fused for s in plan.program.schedules} >= {("i",)}
    arrays = {n: np.asarray(v) for n, v in given()[0].items()}
    arrays |= {n: np.linspace(-1, 2, 1037, dtype=np.float32) for n in kernel.inputs if n != "x"}
    found, wanted = im.build(plan)(**arrays), run_kernel(kernel, arrays)["y"]
    np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=2e-6)


def _folds(program: Program, *folds: tuple[str, int]) -> Program:
    loop = loop_of(program)
    body = tuple(replace(n, folds=folds) if n is loop else n for n in program.body)
    return replace(program, body=body)


def _apart(program: Program) -> Program:
    """The last statement in a loop of its own: it reads rows of all blocks."""
    loop = loop_of(program)
    again = replace(loop, body=loop.body[-1:], folds=())
    return replace(program, body=(replace(loop, body=loop.body[:-1]), again))


WRONG: dict[str, tuple[Callable[[Program], Program], str]] = {
    "a result": (lambda p: _folds(p, ("y", 0)), "y is a result"),
    "what the caller begins": (lambda p: _folds(p, ("top", 0)), "not all assigned or begun"),
    "columns": (lambda p: _folds(p, ("e", 1)), "lies in the block of"),
    "read behind the loop": (_apart, "e is touched outside of the loop over i0"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_fold_is_refuted_by_its_claim_alone(name: str) -> None:
    change, said = WRONG[name]
    proof = prove_program(change(softmax().program))
    assert proof.word == "refuted"
    failed = proof.failed()
    assert {c.claim for c in failed} == {"forms"}
    assert any(said in str(c.verdict) or said in c.statement for c in failed)


@pytest.mark.parametrize("dimension", [2, -1])
def test_a_fold_in_a_dimension_that_is_none_is_not_proved(dimension: int) -> None:
    proof = prove_program(_folds(softmax().program, ("e", dimension)), stop=True)
    assert not proof.proved
    assert any(f"e has no dimension {dimension}" in str(c.verdict) for c in proof.failed())


@pytest.mark.parametrize("name", ["what the caller begins", "read behind the loop"])
def test_a_wrong_fold_computes_something_else(name: str) -> None:
    change, _ = WRONG[name]
    arrays, wanted = given()
    run = run_program(change(softmax().program), arrays)
    assert not run.clean or not np.allclose(run.outputs["y"], wanted, rtol=1e-3, equal_nan=True)
    with pytest.raises(NotProvedError):
        im.build(change(softmax().program))


def test_a_program_without_shared_loops_folds_nothing() -> None:
    plan = im.plan("gemm", "avx2", sizes={"i": 30, "j": 20, "k": 10}, cost_model="analytic")
    assert folded(plan.program) == ()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("n, rows, row", [(512, 32, 528), (512, 16, 512), (528, 32, 528)])
def test_rows_of_a_block_whose_lines_would_share_few_places_lie_further_apart(n: int, rows: int, row: int) -> None:
    """A column of 32 rows of 2,048 bytes has two places of eight lines."""
    sizes = {"i": 2 * rows, "n": n}
    text = "temporary e\ne[i,n] = x[i,n] + x[i,n]\ny[i,n] = e[i,n] * e[i,n]"
    plan = im.plan(im.kernel(text, name="rows"), "avx2", sizes=sizes, fix={"share.i": rows})
    assert "e" in folded(plan.program)
    assert [b.shape for name, b in buffers(laid_out(plan.program)).items() if name == "e_block"] == [(rows, row)]
    x = np.random.default_rng(1).integers(-9, 9, (2 * rows, n)).astype(np.float32)
    np.testing.assert_array_equal(run_program(plan.program, {"x": x}).outputs["y"], 4 * x * x)
