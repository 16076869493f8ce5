"""The state of a recurrence keeps two rows of memory where each time step reads one and writes the next; elsewhere it may not."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.codegen.lower import lower_points
from isamap_smt.ir.folds import folded
from isamap_smt.ir.interpret import run_kernel
from isamap_smt.ir.program import Loop, Program
from isamap_smt.pipeline.plan import Plan
from isamap_smt.proof.kernel_begun import needs_no_fill
from isamap_smt.proof.program import prove_program
from isamap_smt.simulator.run import run_program

STATE = """
temporary H, G
axis t < 5
axis j < 18
H: f32[6, 18]
H[0,j] = s[j]
for t:
  G[t,j] = H[t,j] * a[t,j]
  H[t+1,j] = G[t,j] + H[t,j] * b[j]
y[j] = H[5,j]
"""
FIRST = STATE + "z[j] = H[0,j]\n"  # a row that others have taken the place of
EARLY = STATE.replace("y[j] =", "y[j] = H[4,j] +")  # the last two rows are both there
RESULT = STATE.replace("temporary H, G", "temporary G")
LATER = STATE.replace(
    "H[t,j] * a[t,j]", "H[t,j] * a[t,j] + select(t == 1, H[5,j], 0)"
)  # reads what no time step has written
WITHOUT = STATE.replace("H[0,j] = s[j]\n", "").replace(
    "H[5,j]", "H[5,j] + s[j]"
)  # its first row is what the memory holds


@cache
def plan(text: str = STATE) -> Plan:
    return im.plan(im.kernel(text, name="state"), "avx2", strategy="exact", cost_model="analytic")


@cache
def arrays() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(5)
    return {n: rng.normal(size=s).astype(np.float32) for n, s in (("s", 18), ("a", (5, 18)), ("b", 18))}


def rings(program: Program) -> dict[str, int]:
    return {t: d for n in program.body if isinstance(n, Loop) for t, d in n.rings}


def with_rings(program: Program, *found: tuple[str, int], folds: tuple[tuple[str, int], ...] | None = None) -> Program:
    body = tuple(
        replace(n, rings=found, folds=n.folds if folds is None else folds)
        if isinstance(n, Loop) and n.axis == "t"
        else n
        for n in program.body
    )
    return replace(program, body=body)


@pytest.mark.parametrize("text", [STATE, EARLY])
def test_two_rows_are_kept_and_right(text: str) -> None:
    program = plan(text).program
    assert rings(program) == {"H": 0}
    assert "two rows of H are kept" in str(program)
    wanted = run_kernel(program.kernel, arrays())
    run = run_program(program, arrays())
    assert run.clean
    for name, found in (*run.outputs.items(), ("y", im.build(plan(text))(**arrays()))):
        if name in wanted:
            np.testing.assert_allclose(found, wanted[name], rtol=1e-6)


@pytest.mark.parametrize("text", [FIRST, RESULT, LATER, WITHOUT])
def test_other_states_keep_all_rows(text: str) -> None:
    program = plan(text).program
    assert "H" not in folded(program)
    assert not prove_program(with_rings(program, ("H", 0))).proved
    found = run_program(with_rings(program, ("H", 0)), arrays()).outputs
    if text is FIRST:
        assert not np.allclose(found["z"], run_kernel(program.kernel, arrays())["z"])


def test_whether_every_row_is_assigned_is_read_off_the_kernel() -> None:
    assert [needs_no_fill(plan(t).kernel, "H") for t in (STATE, EARLY, LATER, WITHOUT)] == [
        True,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize("found", [("H", 1), ("H", 2), ("G", 0), ("y", 0)])
def test_wrong_rings_are_not_proved(found: tuple[str, int]) -> None:
    proof = prove_program(with_rings(plan().program, found))
    assert not proof.proved
    assert {c.claim for c in proof.failed()} == {"forms"}


def test_a_block_of_one_row_is_too_few_for_a_state() -> None:
    """As a fold, H would lie in one row, which is read and written in one time step."""
    program = with_rings(plan().program, folds=(("H", 0), ("G", 0)))
    proof = prove_program(program)
    assert not proof.proved
    assert {c.claim for c in proof.failed()} == {"forms"}


def test_one_loop_alone_keeps_the_two_rows() -> None:
    """A loop over a single element touches no more than two, either."""
    kernel = im.kernel(STATE.replace("18", "1"), name="state")
    assert rings(lower_points(kernel)) == {"H": 0}
    assert prove_program(lower_points(kernel)).proved
