"""Outputs at every n-th element, or the other way round, are written by vectors, and what lies between stays as it was."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.expr import FloorDiv, FloorMod, evaluate, sym
from isamap_smt.ir.kernel import Access
from isamap_smt.proof.program_kernel_order import injective

TEXTS = {"y[2*i] = x[i] * 2": (0, 2), "y[3*i+2] = x[i] * 2": (2, 3), "y[I-1-i] = x[i] * 2": (-1, -1)}


@pytest.mark.parametrize("text", TEXTS)
def test_between_the_elements(text: str) -> None:
    start, step = TEXTS[text]
    plan = im.plan(im.kernel(text), "scalar")
    assert plan.program.schedules  # no fallback to portable C
    run = im.build(plan)
    for n in (1, 8, 37):
        x = np.arange(1, n + 1, dtype=np.float32)
        for out in (None, np.full(run(x).shape, 7, np.float32)):
            wanted = np.zeros(run(x).shape, np.float32) if out is None else out.copy()
            wanted[start::step][:n] = 2 * x
            np.testing.assert_array_equal(run(x) if out is None else run(x, out=out), wanted)


I, J, S = map(sym, "ijS")


@pytest.mark.parametrize(
    ("index", "one"),
    [
        ((I, J), True), ((2 * I, J), True), ((5 - I, 3 * J + S), True), ((J, I, S), True), ((FloorDiv(I, 2), J), False),
        ((I + J,), False), ((4 * J + I,), False), ((FloorMod(I, 2), J), False), ((J,), False), ((S * I, J), False),
        ((I, I), False), ((I - FloorDiv(I, 2), J), False), ((I * I, J), False), ((0 * I, J), False),
    ],
)  # fmt: skip
def test_an_element_of_its_own(index: tuple[Any, ...], one: bool) -> None:
    """Never said where two points of a box meet."""
    (statement,) = im.kernel("axis i < 4\naxis j < 3\ny[i,j] = x[i,j]").statements
    assert injective(replace(statement, target=Access("y", index))) is one
    cells = [tuple(evaluate(i, {"i": a, "j": b, "S": 0}) for i in index) for a, b in product(range(4), range(3))]
    assert not one or len(set(cells)) == len(cells)
