"""Reductions that begin in registers: which ones do, that calls give the same with and without `out`, and that the proof asks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import toys
from mutants import rewritten

import isamap_smt as im
from isamap_smt.codegen.lower import lower
from isamap_smt.ir.interpret import random_arrays, run_kernel
from isamap_smt.ir.program import Compute, Move, Node, Program, use_of
from isamap_smt.ir.traversal import walk
from isamap_smt.mapping.moves import find_start
from isamap_smt.proof.program import prove_program
from isamap_smt.proof.program_trial import trials
from isamap_smt.simulator.run import run_program
from tests.codegen.pinned import CONVOLUTIONS, Case

NOT_BEGUN = ("conv fused pixels", "conv window")  # their outputs are scattered
TWICE = "C[i,j] += A[i,k] * B[k,j]\nC[i,j] += D[i,m] * E[m,j]"


def _plan(kernel: im.Kernel, **options: Any) -> im.Plan:
    return im.plan(kernel, "scalar", **options)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("text", "sizes", "starts"),
    [
        ("C[i,j] += A[i,k] * B[k,j]", {}, ("C",)),
        (TWICE, {}, ("C",)),
        ("temporary T\nT[i,j] += A[i,k] * B[k,j]\nC[i,j] = relu(T[i,j])", {}, ("T",)),
        ("C[i,j] += A[i,k] * B[k,j] where k <= i", {}, ("C",)),
        ("C[i,j] += A[i,k] * B[k,j] where i < k", {}, ()),  # nothing is added to the last row
        ("C[i,j] max= A[i,k] * B[k,j]", {}, ("C",)),
        ("C[i,j] min= A[i,k] * B[k,j]", {}, ("C",)),
        ("C[i,j] max= A[i,k] * B[k,j] where i < k", {}, ()),
        ("C: i32\nC[i,j] max= i32(A[i,k]) * i32(B[k,j])", {}, ("C",)),
    ],
)
def test_which_sums_begin_by_themselves(text: str, sizes: dict[str, int], starts: tuple[str, ...]) -> None:
    plan = _plan(im.kernel(text, name="mine"), sizes=sizes)
    assert plan.program.starts == starts
    assert plan.proof.proved
    assert trials(plan.program, 6) is None
    for name in starts:
        begin = {"max=": "-2147483648" if "i32" in text else "-inf", "min=": "inf"}
        assert f"{name} begins at {next((b for op, b in begin.items() if op in text), '0')}" in str(plan.program)


@pytest.mark.parametrize(("op", "number"), [("+", "0"), ("min", "oo")])
def test_a_maximum_that_begins_elsewhere_is_refuted(op: str, number: str) -> None:
    program = im.plan(im.kernel("C[j] max= A[k,j]", name="mine"), "avx2").program
    assert program.starts == ("C",)

    begin = find_start(im.find_hardware("avx2"), program.schedules[0].proved.mapping.instruction, "to", op)
    assert begin is not None

    def elsewhere(n: Node) -> Any:
        return (use_of(begin, n.register),) if isinstance(n, Move) and n.instruction.kind == "zero" else None

    mutant = rewritten(program, elsewhere)
    wrong = prove_program(mutant).failed()
    assert {c.claim for c in wrong} == {"progress"}
    assert all("begins at -oo" in c.statement and f"it begins at {number}" in str(c.verdict) for c in wrong), wrong
    assert trials(mutant, 6) is not None


@pytest.mark.parametrize("text", ["C[i,j] += A[i,k] * B[k,j]", TWICE])
@pytest.mark.parametrize("block", [4, 1000])
def test_calls_with_and_without_out(text: str, block: int) -> None:
    kernel = im.kernel(text, name="mine")
    compiled = im.compile(kernel, "scalar")
    sizes = {a.name: n for a, n in zip(kernel.axes, (5, 7, block, 3), strict=False)}
    arrays = random_arrays(kernel, {str(a.extent): sizes[a.name] for a in kernel.axes}, np.random.default_rng(block))
    want = run_kernel(kernel, arrays)["C"]
    call = compiled.prepare(**arrays)
    call.result.fill(np.nan)
    for _ in range(3):
        call.run()
        np.testing.assert_array_equal(call.result, compiled(**arrays))
    np.testing.assert_allclose(call.result, want, rtol=1e-4, atol=1e-4)
    out = np.full_like(want, 100.0)
    call = compiled.prepare(**arrays, out=out)
    for turn in (1, 2):
        call.run()
        np.testing.assert_allclose(out, 100.0 + turn * want, rtol=1e-4, atol=1e-3)


def test_blocks_of_the_reduction_are_added_to_the_first() -> None:
    program = toys.packed_gemm()
    assert program.starts == ("C",)
    assert "if fresh? - k0 >= 1:" in str(program)
    asked = [c.statement for c in prove_program(program).claims if c.claim in ("begun", "progress")]
    assert "every element of the result C is begun" in asked
    assert "C begins at 0 in the kernel" in asked
    assert any(a.endswith("only where nothing was added to its elements before") for a in asked)
    assert any(a.startswith("acc stands for other elements wherever") for a in asked)
    assert any("begun and stored at an earlier visit" in a for a in asked)


@pytest.mark.parametrize("case", CONVOLUTIONS, ids=lambda c: c.name)
def test_windows_with_little_padding_are_seen_through(case: Case) -> None:
    program = case.program()
    assert program.starts == (() if case.name in NOT_BEGUN else ("O",))


def test_scattered_outputs_are_loaded() -> None:
    assert toys.staged_gemm().starts == ()


def test_what_a_later_sum_reads_at_a_border_begins_nothing() -> None:
    text = (
        "temporary T\nT[h,x,c] += Y[h,x,d] * V[d,c]\n"
        "O[p,q,c] += T[2*p+r-1,2*q+s-1,c] * W[r,s,c] where 0 <= 2*p+r-1 < H and 0 <= 2*q+s-1 < X"
    )
    sizes = {"h": 56, "x": 56, "c": 32, "d": 16, "p": 28, "q": 28, "r": 3, "s": 3}
    program = im.plan(im.kernel(text, name="mine"), "avx2", sizes=sizes).program
    moves = [n for n, _ in walk(program.body) if isinstance(n, Move) and n.instruction.kind == "zero"]
    assert {m.register.name for m in moves} == {"acc", "acc_2"}
    proof = prove_program(program)
    assert proof.proved, [str(c) for c in proof.failed()]


def test_an_element_that_may_receive_no_point_is_not_said_to_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lowering leaves it out by itself; where it did not, the claim would not be proved."""
    # The claim that stays open is run at sizes about the tiles.
    tiles = {"register.i": 2, "register.j": 2, "tile.i": 4, "tile.j": 4, "tile.k": 4}
    kernel = im.kernel("C[i,j] += A[i,k] * B[k,j] where i < k", name="mine")
    asked = "every element of the result C is begun"
    assert _plan(kernel, fix=tiles).program.starts == ()
    monkeypatch.setattr("isamap_smt.codegen.begin._begins_all", lambda *_: True)
    program = lower(_plan(kernel, fix=tiles).schedule)
    assert program.starts == ("C",)
    found = [c for c in prove_program(program).failed() if c.claim == "begun"]
    assert any("no point of the reduction is found for some element" in str(c.verdict) for c in found), found
    complete = lower(_plan(im.kernel("C[i,j] += A[i,k] * B[k,j] where k <= i", name="mine"), fix=tiles).schedule)
    assert asked in [c.statement for c in prove_program(complete).claims if c.verdict.word == "proved"]


def _two_mapped_sums() -> Program:
    kernel = im.kernel("A: i32\nB: i32\nC: i32\nC[j] += A[i] * B[j]\nC[j] += A[i] * B[j]", name="mine")
    program = im.plan(kernel, "avx2", sizes={"J": 37}).program
    assert len(program.schedules) == 2
    assert program.starts == ("C",)
    return program


def _refuted(program: Program) -> bool:
    return any(c.claim == "progress" and c.verdict.word == "refuted" for c in prove_program(program).failed())


def test_a_later_sum_that_is_mapped_loads_what_the_first_began() -> None:
    program = _two_mapped_sums()
    proof = prove_program(program)
    assert proof.proved, [str(c) for c in proof.failed()]
    assert trials(program, 6) is None


def test_a_later_sum_that_comes_first_is_refuted() -> None:
    program = _two_mapped_sums()
    body = list(program.body)
    first, second = (n for n, x in enumerate(body) if any(isinstance(y, Compute) for y, _ in walk((x,))))
    body[first], body[second] = body[second], body[first]
    assert _refuted(replace(program, body=tuple(body)))


def test_a_later_sum_that_is_zeroed_is_refuted() -> None:
    program = _two_mapped_sums()
    begun, second = (n for n in program.body if any(isinstance(y, Compute) for y, _ in walk((n,))))
    zero = next(n.instruction for n, _ in walk((begun,)) if isinstance(n, Move) and n.instruction.kind == "zero")
    store = next(n for n, _ in walk((second,)) if isinstance(n, Move) and n.instruction.kind.endswith("store"))

    def zeroed(n: Node) -> Any:
        if isinstance(n, Move) and n.register.name == store.register.name and n.instruction.kind.endswith("load"):
            return (use_of(zero, n.register),)
        return None

    assert _refuted(rewritten(program, zeroed))


BATCH_OF_ONE = """\
x: f32[1,24,40]
w: f32[40,32]
T: f32[{rows},24,32]
y: f32[{rows},24,32]
axis i < 24
axis j < 32
axis k < 40
temporary T
T[0,i,j] += x[0,i,k] * w[k,j]
y[{row},i,j] = relu(T[{row},i,j])
"""


def _planned(rows: int, row: str) -> im.Plan:
    return im.plan(im.kernel(BATCH_OF_ONE.format(rows=rows, row=row)), "avx2", cost_model="analytic")


def test_a_sum_in_a_batch_of_one_begins_in_registers_and_ends_in_its_tile() -> None:
    plan = _planned(1, "0")
    text = str(plan.program)
    assert "avx2.zero_f32" in text and "each iteration has its own block of T" in text
    rng = np.random.default_rng(5)
    x, w = rng.normal(size=(1, 24, 40)).astype(np.float32), rng.normal(size=(40, 32)).astype(np.float32)
    run = run_program(plan.program, {"x": x, "w": w})
    assert run.clean
    np.testing.assert_allclose(run.outputs["y"], np.maximum(x @ w, 0), rtol=1e-5, atol=1e-5)


def test_rows_to_which_nothing_is_added_do_not_begin_in_registers() -> None:
    plan = _planned(2, "n")
    assert "avx2.zero_f32" not in str(plan.program)
    rng = np.random.default_rng(6)
    x, w = rng.normal(size=(1, 24, 40)).astype(np.float32), rng.normal(size=(40, 32)).astype(np.float32)
    run = run_program(plan.program, {"x": x, "w": w})
    assert run.clean
    np.testing.assert_allclose(
        run.outputs["y"], np.stack([np.maximum(x[0] @ w, 0), np.zeros((24, 32))]), rtol=1e-5, atol=1e-5
    )
