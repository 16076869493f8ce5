"""Recurrent layers: the reference against a loop over single elements, and what the tolerance lets through."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from isamap_smt.bench import recurrent
from isamap_smt.bench.bandwidth import Bandwidth, attainable
from isamap_smt.bench.case import Case, from_document
from isamap_smt.bench.contenders import OURS
from isamap_smt.bench.data import check, expected, inputs, tolerance
from isamap_smt.bench.deepbench import recurrent_case
from isamap_smt.bench.machine import Probe, cores_for
from isamap_smt.bench.run import Choice
from isamap_smt.bench.session import Session
from isamap_smt.bench.suites import SUITES, SuiteError
from isamap_smt.bench.turns import Effort, measure
from isamap_smt.ir.interpret import run_kernel

CELLS = ("gru", "lstm")
Arrays = dict[str, np.ndarray]


def small(cell: str) -> Case:
    """Seven hidden elements, five inputs, a batch of two, four steps."""
    return recurrent_case(cell, 7, 2, 4, inputs=5)


def sigmoid(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x))


def by_hand(cell: str, a: Arrays) -> np.ndarray:
    """Element by element, from the cells' definitions."""
    steps, batch, inner = a["X"].shape
    hidden = a["H0"].shape[1]
    rows = np.zeros((steps + 1 + (cell == "lstm"), batch, hidden))
    for b in range(batch):
        h = [float(v) for v in a["H0"][b]]
        c = [float(v) for v in a["C0"][b]] if cell == "lstm" else []
        rows[0, b] = h
        for t in range(steps):

            def from_input(g: int, j: int) -> float:
                return float(a["bi"][g, j]) + sum(float(a["X"][t, b, n]) * float(a["W"][n, g, j]) for n in range(inner))  # noqa: B023

            def from_state(g: int, j: int) -> float:
                return float(a["bh"][g, j]) + sum(h[k] * float(a["U"][k, g, j]) for k in range(hidden))  # noqa: B023

            after = []
            for j in range(hidden):
                gates = [(from_input(g, j), from_state(g, j)) for g in range(a["W"].shape[1])]
                if cell == "gru":
                    (ri, rh), (zi, zh), (ni, nh) = gates
                    z, new = sigmoid(zi + zh), math.tanh(ni + sigmoid(ri + rh) * nh)
                    after.append((1 - z) * new + z * h[j])
                else:
                    i, f, g, o = (x + y for x, y in gates)
                    c[j] = sigmoid(f) * c[j] + sigmoid(i) * math.tanh(g)
                    after.append(sigmoid(o) * math.tanh(c[j]))
            h = after
            rows[t + 1, b] = h
        if cell == "lstm":
            rows[-1, b] = c
    return rows


@pytest.mark.parametrize("cell", CELLS)
def test_the_reference_is_the_loop(cell: str) -> None:
    case = small(cell)
    arrays = inputs(case)
    assert np.abs(expected(case, arrays) - by_hand(cell, arrays)).max() < 1e-14


@pytest.mark.parametrize("cell", CELLS)
def test_the_reference_is_what_the_kernel_says(cell: str) -> None:
    case = small(cell)
    arrays = inputs(case)
    results = run_kernel(case.problem(), arrays, sizes=case.size)
    got = recurrent.outcome(results["H"] if cell == "gru" else results)
    assert check(got, expected(case, arrays), tolerance(case, ours=True)).right


@pytest.mark.parametrize("cell", CELLS)
def test_one_element_that_is_not_a_number_is_wrong(cell: str) -> None:
    case = small(cell)
    wanted = expected(case, inputs(case))
    allowed = tolerance(case, ours=True)
    assert allowed == recurrent.TOLERANCE
    assert check(wanted.astype(np.float32), wanted, allowed).right
    for at in (0, wanted.size // 2, wanted.size - 1):
        for value in (np.nan, np.inf, -np.inf):
            got = wanted.astype(np.float32)
            got.flat[at] = value
            assert not check(got, wanted, allowed).right
    assert not check(np.full(wanted.shape, np.nan, np.float32), wanted, allowed).right


def swapped(arrays: Arrays, name: str, first: int, second: int) -> Arrays:
    """With two gates exchanged in one array."""
    axis = arrays[name].ndim - 2
    order = list(range(arrays[name].shape[axis]))
    order[first], order[second] = second, first
    return {**arrays, name: np.take(arrays[name], order, axis=axis)}


@pytest.mark.parametrize("cell", CELLS)
def test_exchanged_gates_are_wrong(cell: str) -> None:
    case = small(cell)
    arrays = inputs(case)
    wanted = expected(case, arrays)
    gates = arrays["W"].shape[1]
    for name in ("W", "U", "bi", "bh"):
        for first in range(gates):
            for second in range(first + 1, gates):
                got = expected(case, swapped(arrays, name, first, second)).astype(np.float32)
                assert not check(got, wanted, recurrent.TOLERANCE).right, (name, first, second)


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("name", ["W", "U"])
def test_weights_of_half_precision_are_wrong(cell: str, name: str) -> None:
    case = recurrent_case(cell, 256, 2, 3)
    arrays = inputs(case)
    half = {**arrays, name: arrays[name].astype(np.float16).astype(np.float32)}
    verdict = check(expected(case, half).astype(np.float32), expected(case, arrays), recurrent.TOLERANCE)
    assert not verdict.right
    assert verdict.error < 1e-2  # it is near, and still seen


def test_the_reset_gate_stands_behind_the_product() -> None:
    """ONNX's default is in front of it: another result, which must not pass."""
    case = small("gru")
    a = {n: v.astype(np.float64) for n, v in inputs(case).items()}
    h = a["H0"]
    sums = np.einsum("bc,cgj->bgj", a["X"][0], a["W"]) + a["bi"]
    r = 1 / (1 + np.exp(-(sums[:, 0] + h @ a["U"][:, 0] + a["bh"][0])))
    z = 1 / (1 + np.exp(-(sums[:, 1] + h @ a["U"][:, 1] + a["bh"][1])))
    other = (1 - z) * np.tanh(sums[:, 2] + (r * h) @ a["U"][:, 2] + a["bh"][2]) + z * h
    wanted = expected(case, inputs(case))[1]
    assert not check(other.astype(np.float32), wanted, recurrent.TOLERANCE).right


def test_the_suites_are_deepbenchs_sizes() -> None:
    gru, lstm = ([c.name for c in SUITES[cell].cases()] for cell in CELLS)
    sizes = [f"{n}x{b} t25" for n in (2816, 2048, 1536, 2560) for b in (1, 2, 4)]
    wide = ["1536x32 t25", "512x32 t1", "1024x32 t25"]
    assert gru == [*wide, *sizes, *(f"512x{b} t1" for b in (1, 2, 4)), *(f"1024x{b} t25" for b in (1, 2, 4))]
    by_batch = {512: (16, 32), 1024: (16, 32), 2048: (16,), 1536: (8, 16), 256: (16, 32)}
    small_batches = [f"{n}x{b} t25" for n in (512, 1024, 2048, 1536, 256) for b in (1, 2, 4)]
    assert lstm == [*(f"{n}x{b} t25" for n, bs in by_batch.items() for b in bs), *small_batches]
    groups = {c.group for cell in CELLS for c in SUITES[cell].cases()}
    assert groups == {"batch 1", "batch 2-4", "batch 8-32"}


def test_operations_are_those_of_both_products() -> None:
    assert recurrent_case("gru", 512, 4, 25).operations == 25 * 2 * (2 * 4 * 512 * 3 * 512)
    assert recurrent_case("lstm", 8, 2, 3, inputs=5).operations == 3 * (2 * 2 * 5 * 4 * 8 + 2 * 2 * 8 * 4 * 8)


def test_every_step_reads_its_weights_and_biases() -> None:
    case = recurrent_case("gru", 8, 2, 3, inputs=5)
    once = 3 * 2 * 5 + 5 * 24 + 8 * 24 + 2 * 24 + 2 * 8 + 4 * 2 * 8  # X, W, U, both biases, H0, H
    again = 8 * 24 + 2 * 24
    assert case.bytes() == 4 * once
    assert case.passes() == ((4 * once, 1), (4 * again, 2))
    assert case.traffic() == 4 * (once + 2 * again)
    near, far = Bandwidth(4 * again, 100.0), Bandwidth(1 << 20, 10.0)
    assert attainable(1e3, case.passes(), 1e9, [near, far], 1) == pytest.approx(1e3 / (4 * once / 10 + 8 * again / 100))


@pytest.mark.parametrize("cell", CELLS)
def test_a_case_with_two_weights_survives_json(cell: str) -> None:
    assert from_document(small(cell).document()) == small(cell)


def test_weights_of_a_layer_are_never_free() -> None:
    gru = Choice((SUITES["gru"],), (1,), ("free",))
    with pytest.raises(SuiteError, match=r"^gru has no figures with weights free, only constant$"):
        gru.tasks()
    both = Choice((SUITES["gru"], SUITES["depthwise"]), (1,), quick=True)
    assert {(t.suite, t.condition) for t in both.tasks()} == {
        ("gru", "constant"),
        ("depthwise", "constant"),
        ("depthwise", "free"),
    }
    assert both.left_out() == ["gru has no figures with weights free, only constant"]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("cell", CELLS)
def test_a_layer_is_measured(cell: str, session: Callable[..., Session], tmp_path: Path) -> None:
    sessions = [
        session(OURS, "isamap_smt.bench.peers.ours:open_case"),
        session("in_float64"),
        session("gates_exchanged"),
    ]
    effort = Effort(turns=1, seconds=0.005, patience=120.0, plan={"timeout": 2.0})
    found = measure(small(cell), "constant", 1, sessions, Probe(cores_for(1)), tmp_path, effort, lambda _: None)
    about = found["contenders"]
    assert {n: c["status"] for n, c in about.items()} == {OURS: "ok", "in_float64": "ok", "gates_exchanged": "wrong"}
    assert about[OURS]["error"] <= recurrent.TOLERANCE
    assert about[OURS]["about"]["verdict"] == "proved"
    assert len(about[OURS]["about"]["products"]) == 2
    assert "b1" in about[OURS]["about"]["packing"] and "b2" in about[OURS]["about"]["packing"]
    assert found["best_peer"] == "in_float64"
    assert found["ratio"]["median"] > 0
