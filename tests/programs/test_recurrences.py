"""Kernels with recurrences: what is lowered is proved and runs right, every trap is refuted and wrong when it runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import recurrences
import toys
from mutants import rewritten

import isamap_smt as im
from isamap_encodings.verdict import Refuted
from isamap_smt.codegen.lower import lower
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import sym
from isamap_smt.ir.interpret import random_arrays
from isamap_smt.ir.program import Loop, Node
from isamap_smt.ir.traversal import nodes_of
from isamap_smt.proof.program import prove_program
from isamap_smt.proof.program_trial import trials


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", recurrences.ORIGINALS)
def test_proved_and_runs_right(name: str) -> None:
    program = recurrences.ORIGINALS[name]()
    proof = prove_program(program)
    assert proof.proved, [(c.claim, c.statement, c.verdict) for c in proof.failed()]
    assert trials(program, 6) is None


@pytest.mark.parametrize("name", recurrences.TRAPS)
def test_refuted_by_its_claim_and_wrong_when_run(name: str) -> None:
    make, claim = recurrences.TRAPS[name]
    program = make()
    refuted = {c.claim for c in prove_program(program).failed() if isinstance(c.verdict, Refuted)}
    assert claim in refuted, refuted
    assert trials(program, 12) is not None


def test_reading_what_a_later_turn_writes_is_unknown() -> None:
    """The time steps read the state before it is overwritten, which no claim covers."""
    text = recurrences.CELL.replace("H[t,b,k]", "H[t+2,b,k]")
    proof = prove_program(recurrences.cell(text))
    assert proof.word == "unknown"
    assert any("is written later" in str(c.verdict) for c in proof.failed())


@pytest.mark.parametrize(
    ("loops", "parallel"), [("b:2 t:1 j:4 k:1", None), ("t:4 b:2 t:1 j:4 k:1", None), ("t:1 b:2 j:4 k:1", 0)]
)
def test_time_steps_are_counted_by_the_outermost_loop(loops: str, parallel: int | None) -> None:
    with pytest.raises(ScheduleError, match="time step"):
        recurrences.cell(loops=loops, parallel=parallel)


def test_time_steps_are_not_spread_over_lanes() -> None:
    m = im.fuse(im.kernel(recurrences.CELL), toys.FMA, {"l": ("t",)})
    with pytest.raises(ScheduleError, match="time step"):
        lower(toys.schedule(m, "t:4 b:2 j:1 k:1", 3, {"b": 2, "t": 4}))


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "product",
    ["R[t,b,j] += H[t,b,k] * U[k,j] where 1 <= t", "R[t,b,j] += H[t-s-1,b,k] * U[k,j] where 0 <= t-s-1"],
)
def test_a_guard_on_the_turn_is_tested_where_the_state_is_read(product: str) -> None:
    """A padded copy ahead of the time steps would hold states that are not there yet."""
    spans = "axis k < J\naxis s < 2\n" if "s" in product else "axis k < J\n"
    text = f"{spans}for t:\n  {product}\n  H[t+1,b,j] = relu(R[t,b,j] + X[t,b,j])\n"
    planned = im.plan(im.kernel(text), "avx2")
    assert planned.proof.proved
    assert trials(planned.program, 6) is None


def test_values_that_grow_beyond_whole_numbers_refute_nothing() -> None:
    """Of a state assigned twice a time step no mapped program is proved; its rounded values are no counterexample."""
    text = (
        "param s >= 2\naxis k < J\nfor t:\n  R[t,j] += H[s*t,k] * U[k,j]\n"
        "  H[s*t+1,j] = R[t,j] + X[t,j]\n  H[s*t+s,j] = R[t,j] - X[t,j]\n"
    )
    planned = im.plan(im.kernel(text), "scalar")
    assert any("assigned more than once" in n for n in planned.notes)
    assert not any("refuted" in n for n in planned.notes)
    assert planned.schedule is None
    assert trials(planned.program, 6) is None


def test_a_state_with_two_elements_a_time_step() -> None:
    """Each is assigned once: 2*t+1 and 2*t+2 have steps that are numbers."""
    text = (
        "axis k < J\nfor t:\n  R[t,j] += H[2*t,k] * U[k,j]\n"
        "  H[2*t+1,j] = R[t,j] + X[t,j]\n  H[2*t+2,j] = R[t,j] - X[t,j]\n"
    )
    planned = im.plan(im.kernel(text), "scalar")
    assert planned.schedule is not None and planned.proof.proved
    assert trials(planned.program, 6) is None
    wrong = im.plan(im.kernel(text.replace("H[2*t+1,j]", "H[2*t,j]")), "scalar")
    assert wrong.schedule is None  # the product of a time step is not read before its state is overwritten


def test_a_loop_runs_backwards_where_a_loop_around_it_is_odd() -> None:
    program = recurrences.to_and_fro()

    def f(n: Node) -> Any:
        return (replace(n, backwards=sym("b0")),) if isinstance(n, Loop) and n.backwards is not None else None

    proof = prove_program(rewritten(program, f))
    assert proof.word == "refuted"
    assert all("nothing defines b0" in str(c.verdict) for c in proof.failed())


@pytest.mark.one_in(2)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", ["gru", "lstm"])
def test_compiled_layers_that_go_to_and_fro(name: str, threads: int) -> None:
    kernel = im.find_kernel(name)
    planned = im.plan(kernel, "host", sizes={"b": 3, "j": 100, "c": 7, "t": 5}, threads=threads, constant=("U",))
    assert any(n.backwards is not None for n in nodes_of(Loop, planned.program.body))
    arrays = random_arrays(planned.program.kernel, {}, np.random.default_rng(1))
    expected = im.run_kernel(planned.program.kernel, arrays)
    compiled = im.build(planned)
    compiled.pack(U=arrays["U"])
    found = compiled(**{n: a for n, a in arrays.items() if n in compiled.kernel.inputs}, threads=threads)
    for n, x in (found if isinstance(found, dict) else {"H": found}).items():
        assert np.allclose(x, expected[n], rtol=1e-4, atol=1e-5)
