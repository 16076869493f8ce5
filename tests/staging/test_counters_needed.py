"""Each signal and each await of a lowered double-buffered product is needed, or said to be redundant, with why."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import sympy as sp
from engines import machine
from use_edits import edited, loops, unawaited, unsignalled
from use_edits import uses as uses_of

from isamap_encodings.verdict import Refuted
from isamap_smt.ir.expr import sym
from isamap_smt.ir.instruction import signal
from isamap_smt.ir.program import Issued, Loop, Program, Serial, Signal
from isamap_smt.pipeline.staged import stage
from isamap_smt.proof.program import prove_program
from isamap_smt.simulator import simulate
from tests.families import with_one

Edit = Callable[[Program], Program]
SAME_TIME = "the load of a before it on its engine waits for the same step, which releases a and b at once"
FIRST = "b is filled after a by the same engine, and is waited for"
REDUNDANT = {
    "await released_b": SAME_TIME,
    "both released_b": SAME_TIME,
    "await filled_a": FIRST,
    "both filled_a": FIRST,
}
COUNTERS = ("filled_a", "filled_b", "released_a", "released_b", "finished", "stored")
EVERY = [f"{what} {counter}" for what in ("await", "signal", "both") for counter in COUNTERS]
LATE = r"\w+ \w+ \d+ (overwrites slot \d+ of|uses|reads) \w+ before \w+ \w+ \d+ has (used|filled|added to) it"
NEVER = r"\w+ \w+ \d+ waits for \w+ >= \d+, which is \d+ by then, for ever"


@cache
def double_buffered(step: int) -> Program:
    """C[i,j] += A[k,i]*B[k,j] of open sizes, all stages in two slots; in steps of so many tiles along i and j."""
    pins = {f"slots.{o}": 2 for o in ("a", "b", "acc")} | {"via.a": "load", "via.b": "load"}
    pins |= {"tile.i_tile": step, "tile.j_tile": step, "tile.k_tile": 1}
    return stage("gemm_tn", machine(), fix=pins).program


def without(program: Program, what: str, counter: str) -> Program:
    """The program without the await of the counter, without its signal, or without both."""
    changed = program if what == "signal" else unawaited(program, counter)
    return changed if what == "await" else unsignalled(changed, counter)


def shown(program: Program, sizes: dict[str, int]) -> str:
    """What goes wrong at some sizes: a race, a deadlock or a wrong result under some seed."""
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-4, 5, (sizes["K"], sizes[n])).astype(np.float32) for n in "IJ")
    for seed in range(6):
        run = simulate(program, {"A": a, "B": b}, seed=seed)
        if run.deadlock or run.races:
            return run.deadlock or run.races[0].text
        if not np.array_equal(run.outputs["C"], a.T @ b):
            return "another result"
    return ""


def test_each_counter_has_one_await_and_one_signal() -> None:
    for step in (1, 2):
        uses = uses_of(double_buffered(step))
        for found in ([c for u in uses for c, _ in u.awaits], [c for u in uses for c in u.signals]):
            assert sorted(found) == sorted(COUNTERS)


@pytest.mark.parametrize(("dropped", "step"), with_one(EVERY, [1, 2]))
def test_each_is_needed_or_redundant(dropped: str, step: int) -> None:
    program = without(double_buffered(step), *dropped.split())
    proof = prove_program(program)
    if dropped in REDUNDANT:
        assert proof.proved, [(str(c), c.statement) for c in proof.failed()]
        assert all(shown(program, {"I": i, "J": j, "K": k}) == "" for i, j, k in ((1, 1, 1), (20, 33, 17), (40, 9, 33)))
        return
    failed = [c.verdict for c in proof.failed()]
    assert failed and all(isinstance(v, Refuted) for v in failed), failed
    texts = [v.text for v in failed if isinstance(v, Refuted)]
    assert any(re.search(NEVER if dropped.startswith("signal") else LATE, t) for t in texts), texts
    assert all(re.search(f"{NEVER}|{LATE}", t) for t in texts), texts
    for verdict in failed:
        assert isinstance(verdict, Refuted)
        assert shown(program, {n: int(verdict.witness[n]) for n in "IJK"}), verdict.text


def test_a_signal_that_is_doubled_is_refuted() -> None:
    """Of each counter that somebody needs; who awaits it goes on too early."""
    for counter in COUNTERS:

        def twice(u: Issued, counter: str = counter) -> Issued:
            return replace(u, signals=tuple(c for s in u.signals for c in ((s, s) if s == counter else (s,))))

        proof = prove_program(edited(double_buffered(1), twice))
        assert proof.word == ("proved" if f"both {counter}" in REDUNDANT else "refuted"), counter


@pytest.mark.parametrize(("count", "word"), [(2, "proved"), (0, "refuted"), (sym("I") - 20, "refuted")])
def test_an_await_in_a_loop_counts_where_the_loop_has_an_iteration(count: object, word: str) -> None:
    """The loads of a wait in a loop that stands before them; where it has no iteration, nothing waits."""
    program = unawaited(double_buffered(1), "released_a")

    def change(x: Loop) -> Loop:
        if x.var.name != "k_tile_step":
            return x
        waiting = Signal(signal("load"), awaits=(("released_a", x.number - 1),))
        return replace(x, body=(Serial(sym("w"), sp.sympify(count), (waiting,)), *x.body))

    changed = loops(program, change)
    proof = prove_program(changed)
    assert proof.word == word, [(str(c), c.statement) for c in proof.failed()]
    assert bool(shown(changed, {"I": 20, "J": 20, "K": 40})) == (word == "refuted")
