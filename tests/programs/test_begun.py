"""Claim 18: nothing that is read or given back depends on what memory held; lowering proposes where no fill is needed."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import isamap_smt as im
from isamap_encodings.verdict import Refuted, Unknown
from isamap_smt.codegen.lower import lower, lower_points
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.interpret import random_arrays, run_kernel
from isamap_smt.ir.program import Program
from isamap_smt.proof.kernel_begun import answer, needs_no_fill, questions
from isamap_smt.proof.program import prove_program
from isamap_smt.simulator.run import run_program
from tests.oracle.random_steps import steps

SIZES = {"T": 4, "J": 3, "K": 5}
LATER = "temporary A\nfor t:\n  A[t,j] = X[t,j] + 1\n  Y[t,j] = A[t+1,j] where t+1 < T"
DIAGONAL = "temporary H\naxis j < T\naxis m < T\nH[0,j] = H0[j]\nfor t:\n  H[t+1,t] = X[t]\nY[t,m] = H[t,m]"
# a row of a sum is read of which the first two have no term, in a statement further up than the sum
SUMS = (
    "for t:\n  Q[t,j] = S[t-1,j] where t >= 1\n  S[t,j] += X[t,k] * W[k,j] where t >= 2\nY[t,j] = S[t,j] where t >= 2"
)
# the tensor that is filled, and why it is, in words of the counterexample
FILLED = {
    "later": (LATER, "A", "at J=1 T=2 j=0 t=0: statement 2 needs A[1,0]; statement 1 writes it later, at t=1 j=0"),
    "from the end": (LATER.replace("A[t+1,j] where t+1 < T", "A[T-1-t,j]"), "A", "T=2 j=0 t=0: statement 2 needs A[1,0]"),
    "an output": (LATER.replace("temporary A\n", ""), "A", "at J=1 T=2 j=0 t=0: statement 2 needs A[1,0]"),
    "from the end of an output": (
        LATER.replace("temporary A\n", "").replace("A[t+1,j] where t+1 < T", "A[T-1-t,j]"), "A", "needs A[1,0]",
    ),
    "diagonal": (DIAGONAL, "H", "at T=2 m=1 t=1: statement 3 needs H[1,1]; no statement writes it"),
    "diagonal of an output": (DIAGONAL.replace("temporary H\n", ""), "H", "needs H[1,1]; no statement writes it"),
    "sums": (SUMS, "S", "at J=1 K=1 T=2 j=0 t=1: statement 1 needs S[0,0]; no statement writes it"),
    "sums that nobody sees": ("temporary S\n" + SUMS, "S", "needs S[0,0]; no statement writes it"),
    "a result with a guard": ("Y[i] = X[i] where i >= 1", "Y", "at I=1: the caller needs Y[0]; no statement writes it"),
    "a part of a tensor": ("temporary A\nA: [2*I]\nA[2*i] = X[i]\nY[i] = A[i]", "A", "needs A[1]; no statement writes it"),
    "a sum over what has no values": (
        "temporary A\nA[i] = X[i] where i >= 2\nA[i] += Z[i,k]\nY[i] = A[i]", "A", "statement 2 needs A[0]",
    ),
    "read before the statement": ("temporary A\nY[i] = A[i]\nA[i] = X[i]\nZ[i] = A[i]", "A", "statement 1 needs A[0]"),
}  # fmt: skip
# every element that is needed is there before
UNFILLED = {
    "a state": ("temporary H\nH[0,j] = Z[j]\nfor t:\n  H[t+1,j] = H[t,j] + X[t,j]\nY[t,j] = H[t+1,j]", ("H", "Y")),
    "two steps back": ("temporary H\nfor t:\n  H[t,j] = X[t,j]\n  Y[t,j] = H[t-2,j] where t >= 2", ("H",)),
    "from the end": ("temporary H\nfor t:\n  H[T-1-t,j] = X[t,j]\nY[t,j] = H[t,j]", ("H", "Y")),
    "joined": ("temporary H\naxis k < 4\nH[4*i+k] = X[i,k]\nY[i] = H[i]", ("H", "Y")),
    "in two parts": (
        "temporary H\nH[i] = X[i] where i < 3\nH[i] = Z[i] where i >= 3\nY[i] = H[i]", ("H", "Y"),
    ),
    "under one mask": ("temporary H\nH[q,k] = X[q,k] where k <= q\nY[q] max= H[q,k] where k <= q", ("H",)),
    "data": ("temporary H\nidx: i32\nH: [V,J]\nH[v,j] = X[v,j]\nY[i,j] = H[idx[i],j]", ("H", "Y")),
    "added to": ("Y[i] = X[i]\nY[i] += Z[i,k]", ("Y",)),
}  # fmt: skip


def compared(program: Program) -> list[str]:
    """The results of a program in which memory held poison, where they are not the interpreter's; and what was found."""
    kernel = program.kernel
    sizes = {n: v for n, v in (SIZES | {"I": 5, "V": 6, "Q": 4}).items() if n in kernel.free_sizes}
    arrays = random_arrays(kernel, sizes, np.random.default_rng(1))
    run = run_program(program, arrays, None, sizes)
    want = run_kernel(kernel, arrays, None, sizes)
    wrong = [
        n for n in kernel.results if not np.array_equal(run.outputs[n], want[n], equal_nan=want[n].dtype.kind == "f")
    ]
    return [*wrong, *map(str, run.findings)]


def unfilled(program: Program, tensor: str) -> Program:
    """The program without that fill."""
    return replace(program, assigned=(*program.assigned, tensor))


@pytest.mark.parametrize("fixed", [False, True], ids=["open", "fixed"])
@pytest.mark.parametrize("name", FILLED)
def test_what_is_needed_before_it_is_written_is_filled(name: str, fixed: bool) -> None:
    text, tensor, why = FILLED[name]
    kernel = im.kernel(text, name="mine")
    kernel = kernel.with_sizes({n: v for n, v in SIZES.items() if fixed and n in kernel.free_sizes})
    program = lower_points(kernel)
    assert tensor not in program.unfilled
    assert not compared(program)

    proof = prove_program(unfilled(program, tensor))
    failed = [c for c in proof.failed() if c.claim == "begun"]
    assert proof.word == "refuted"
    assert all(isinstance(c.verdict, Refuted) for c in failed)
    assert fixed or any(why in str(c.verdict.text) for c in failed if isinstance(c.verdict, Refuted)), failed
    assert compared(unfilled(program, tensor))


@pytest.mark.parametrize("name", UNFILLED)
def test_what_is_written_before_it_is_needed_is_not_filled(name: str) -> None:
    text, tensors = UNFILLED[name]
    program = lower_points(im.kernel(text, name="mine"))
    assert program.unfilled == tensors
    proof = prove_program(program)
    assert proof.proved, proof.failed()
    assert not compared(program)


@pytest.mark.parametrize("fixed", [False, True], ids=["open", "fixed"])
@pytest.mark.parametrize(
    "name", ["later", "from the end", "an output", "from the end of an output", "diagonal", "sums"]
)
def test_the_compiled_kernel_reads_nothing_that_nobody_wrote(name: str, fixed: bool) -> None:
    kernel = im.kernel(FILLED[name][0], name="mine")
    sizes = {n: v for n, v in SIZES.items() if n in kernel.free_sizes}
    compiled = im.compile(kernel, "scalar", sizes=sizes if fixed else {})
    arrays = random_arrays(kernel, sizes, np.random.default_rng(1))
    want = run_kernel(kernel, arrays, None, sizes)
    for _ in range(3):  # the second call and those behind it take a way of their own, and memory of the first
        made = compiled(**arrays, sizes={} if fixed else sizes)
        found = made if isinstance(made, dict) else {kernel.results[0]: made}
        for n, array in found.items():
            np.testing.assert_allclose(array, want[n], rtol=1e-5, atol=1e-5)
            array.fill(np.nan)


@pytest.mark.parametrize("text", [SUMS, "temporary S\n" + SUMS])
def test_the_proof_alone_refutes_sums_that_are_read_without_a_term(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where what lowering looks at is left out."""
    schedule = im.plan(im.kernel(text, name="mine"), "scalar").schedule
    monkeypatch.setattr("isamap_smt.codegen.begin._begins_all", lambda *_: True)
    program = lower(schedule)
    assert program.starts == ("S",)
    proof = prove_program(program)
    assert {c.claim for c in proof.failed()} == {"begun"}
    assert any("statement 1 needs S[0,0]; no statement writes it" in str(c.verdict) for c in proof.failed())


EMPTY = {
    "total": "X: f32[N]\nY: f32[]\naxis i < N - 1\nY[] += X[i+1]",
    "sum": "X: f32[N,5]\nY: f32[5]\naxis i < N - 1\nY[j] += X[i+1,j]",
    "maximum": "X: f32[N,5]\nY: f32[5]\naxis i < N - 1\nY[j] max= X[i+1,j]",
    "of a temporary": "temporary T\nX: f32[N,5]\nY: f32[5]\naxis i < N - 1\nT[j] += X[i+1,j]\nY[j] = relu(T[j])",
    "of a parameter": "param s >= 0\nX: f32[s,5]\nY: f32[5]\naxis i < s\nY[j] += X[i,j]",
}


@pytest.mark.needs("avx2", "fma")
@pytest.mark.parametrize("name", EMPTY)
def test_a_sum_that_may_be_empty_does_not_begin_in_accumulators(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of no points no loop around the accumulators has a turn: nothing would be begun, and nothing stored."""
    kernel = im.kernel(EMPTY[name], name="mine")
    sizes = {n: {"N": 1, "s": 0}[n] for n in kernel.free_sizes}
    arrays = {"X": np.full((sizes.get("N", 0), 5)[: len(kernel.tensor("X").shape)], 7, np.float32)}
    planned = im.plan(kernel, "avx2")
    assert not {"Y", "T"} & set(planned.program.starts)
    compiled, want = im.build(planned), run_kernel(kernel, arrays, None, sizes)["Y"]
    for _ in range(4):
        made = compiled(**arrays)
        np.testing.assert_array_equal(made, want)
        made.fill(np.nan)
    monkeypatch.setattr("isamap_smt.codegen.begin._begins_all", lambda *_: True)
    wrong = lower(*planned.program.schedules) if planned.program.schedules else None
    if wrong is not None and wrong.starts:
        assert prove_program(wrong).word != "proved"


def test_ordinary_kernels_ask_the_solver_nothing() -> None:
    text = "temporary M, E, S\nM[i] max= X[i,j]\nE[i,j] = exp(X[i,j] - M[i])\nS[i] += E[i,j]\nY[i,j] = E[i,j] / S[i]"
    kernel = im.kernel(text, name="softmax")
    assert all(q.goals is None for n in ("E", "Y") for q in questions(kernel, n))


def test_a_guess_that_misses_is_no_counterexample() -> None:
    """Each element of A is assigned, at a point that no guess finds: by one that divides."""
    kernel = im.kernel("temporary A\nA: [I]\nA[i//2] = X[i]\nY[i] = A[i//2]", name="mine")
    (asked,) = questions(kernel, "A")
    assert isinstance(answer(kernel, asked, []), Unknown)
    assert not needs_no_fill(kernel, "A")


@cache
def _drawn(number: int) -> im.Kernel | None:
    try:
        return im.kernel(str(steps(random.Random(f"begun {number}"))), name="steps")
    except IsamapError:
        return None


@pytest.mark.parametrize("numbers", [range(25), pytest.param(range(25, 400), marks=pytest.mark.exhaustive)], ids=str)
def test_random_time_steps_read_nothing_that_nobody_wrote(numbers: range) -> None:
    """In the simulator, which knows of no claim."""
    assigned = 0
    for kernel in filter(None, map(_drawn, numbers)):
        program = lower_points(kernel)
        assigned += len(program.assigned)
        try:
            assert not compared(program), kernel
        except IsamapError:
            continue  # it has no meaning at these sizes
    assert assigned > len(numbers) // 4
