"""Broadcasts, transposes and strided moves are ways: the plan takes the move that brings elements as they lie."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import vectors
from judged import runs_wrong
from random_vectors import draw_vectors, what_goes_wrong
from use_edits import uses

import isamap_smt as im
from isamap_smt.ir.expr import evaluate
from isamap_smt.proof.program import prove_program

SIZES = {"i": 9, "j": 19}
MACHINE = vectors.in_ways(vectors.machine(), 4, 8)


def only(*loads: str) -> im.Hardware:
    """The machine without other moves of tiles from main memory."""
    own = tuple(i for i in MACHINE.instructions if i.engine != "load" or i.name in loads)
    return replace(MACHINE, instructions=own)


@pytest.mark.parametrize(
    ("text", "loads"),
    [
        ("Y[i,j] = X[i,j] * G[j]", {"load_rows", "load_row"}), ("Y[i,j] = X[i,j] * M[i]", {"load_rows", "load_side"}),
        ("Y[i,j] = X[i,j] * A[]", {"load_rows", "load_one"}), ("Y[i,j] = X[j,i] * Z[i,j]", {"load_rows", "load_turned"}),
        ("Y[i,j] = X[2*i,3*j] + Z[i,j]", {"load_rows", "load_apart"}), ("Y[i,j] = X[2*i,3*j] * A[]", {"load_apart", "load_one"}),
        ("Y[i,j] = G[j] * M[i]", {"load_row", "load_side"}),
    ],
)  # fmt: skip
def test_each_way_brings_what_lies_so(text: str, loads: set[str]) -> None:
    kernel = im.kernel(text, name="ways")
    plan = im.stage(kernel, only(*loads), sizes=SIZES)
    assert plan.proof.proved
    assert {u.instruction.name for u in uses(plan.program) if u.instruction.name.startswith("load")} == loads
    fixed, rng = kernel.with_sizes(SIZES), np.random.default_rng(0)
    shapes = {n: [int(evaluate(e, {})) for e in fixed.tensor(n).shape] for n in fixed.inputs}
    arrays = {n: rng.integers(-5, 6, s).astype(np.float32) for n, s in shapes.items()}
    assert not runs_wrong(plan.program, arrays, {}, im.run_kernel(fixed, arrays), 2, 2)


def test_a_turned_result_is_stored_turned() -> None:
    plan = im.stage(im.kernel("Y[j,i] = exp(X[i,j])", name="ways"), only("load_rows"), sizes=SIZES)
    assert {u.instruction.name for u in uses(plan.program)} >= {"load_rows", "store_turned"}


@pytest.mark.parametrize("seed", (2, 3, 6, 7, 8, 12))
def test_random_plans(seed: int) -> None:
    d = draw_vectors(seed, ways=True)
    proof = prove_program(d.program)
    assert proof.proved, (d.words, proof.failed()[:2])
    assert not what_goes_wrong(d, d.program), d.words
