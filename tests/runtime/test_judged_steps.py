"""Recurrences are judged step by step: right ones pass where orbits part, and every wrong step is called wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.interpret import random_arrays
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.reference import reference
from isamap_smt.runtime.judge import STEPS, Judgement, judge, wanted
from isamap_smt.runtime.measure import judged_call

Arrays = dict[str, np.ndarray]
SIZES = {"t": 8, "b": 4, "c": 64, "j": 256}
Sums = Callable[[int, list[np.ndarray], np.ndarray], np.ndarray]


def judged(kernel: Kernel, arrays: Arrays, got: Any) -> Judgement:
    return judge(kernel, got, wanted(kernel, arrays, "reassociate", got), "reassociate")


def sigmoid(x: np.ndarray) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp(-x, dtype=x.dtype)))


def by_rows(t: int, states: list[np.ndarray], weights: np.ndarray) -> np.ndarray:
    return np.asarray(np.einsum("bk,kgj->bgj", states[t], weights))


def gru(a: Arrays, sums: Sums = by_rows, gates: tuple[int, int] = (0, 1), skipped: int = -1) -> np.ndarray:
    """The states of the library's GRU, in the arrays' own type."""
    sums_of_inputs = np.einsum("tbc,cgj->tbgj", a["X"], a["W"]) + a["bi"]
    states = [a["H0"]]
    for t, p in enumerate(sums_of_inputs):
        r = sums(t, states, a["U"]) + a["bh"]
        reset, update = (sigmoid(p[:, g] + r[:, g]) for g in gates)
        new = np.tanh(p[:, 2] + reset * r[:, 2])
        states.append(states[-1] if t == skipped else (1 - update) * new + update * states[-1])
    return np.stack(states)


@pytest.fixture(scope="module")
def layer() -> Kernel:
    return im.find_kernel("gru").with_sizes(SIZES)


@pytest.fixture(scope="module")
def drawn(layer: Kernel) -> Arrays:
    return random_arrays(layer)


@pytest.fixture(scope="module")
def wild(layer: Kernel) -> Arrays:
    """Weights far larger than any layer has: the states are chaotic."""
    rng = np.random.default_rng(0)
    return {n: rng.uniform(-1, 1, [int(e) for e in layer.tensor(n).shape]).astype(np.float32) for n in layer.inputs}


def test_right_states_pass_though_their_orbit_parts_from_the_exact_one(layer: Kernel, wild: Arrays) -> None:
    got = gru(wild)
    assert got.dtype == np.float32
    seen = judged(layer, wild, got)
    assert seen.reason == "" and seen.against == STEPS
    assert judge(layer, got, wanted(layer, wild, "reassociate")).reason  # the ends of both orbits


def test_layers_are_drawn_as_in_practice(layer: Kernel, drawn: Arrays) -> None:
    assert np.abs(drawn["U"]).max() <= 256**-0.5 and np.abs(drawn["W"]).max() <= 64**-0.5
    assert np.abs(drawn["X"]).max() > 0.99
    got = gru(drawn)
    assert judge(layer, got, wanted(layer, drawn, "reassociate")).reason == ""  # not even the ends part


def _row_of(wrong: int) -> Sums:
    def sums(t: int, states: list[np.ndarray], weights: np.ndarray) -> np.ndarray:
        order = np.arange(len(weights))
        order[wrong] = wrong - 1
        return by_rows(t, states, weights[order])

    return sums


def _stale(t: int, states: list[np.ndarray], weights: np.ndarray) -> np.ndarray:
    return by_rows(max(t - 1, 0), states, weights)


def _last_column(t: int, states: list[np.ndarray], weights: np.ndarray) -> np.ndarray:
    found = by_rows(t, states, weights)
    found[..., -1] = found[..., -2]
    return found


def _one_short(t: int, states: list[np.ndarray], weights: np.ndarray) -> np.ndarray:
    return np.asarray(np.einsum("bk,kgj->bgj", states[t][:, :-1], weights[:-1]))


@pytest.mark.parametrize("operands", ["drawn", "wild"])
@pytest.mark.parametrize(
    "mistake",
    [
        {"sums": _row_of(100)},
        {"skipped": 5},
        {"skipped": 7},
        {"sums": _stale},
        {"gates": (1, 0)},
        {"sums": _last_column},
        {"sums": _one_short},
    ],
    ids=["row", "step", "last step", "stale", "gates", "last column", "one term short"],
)
def test_a_wrong_step_is_wrong(layer: Kernel, operands: str, mistake: dict[str, Any], request: Any) -> None:
    arrays = request.getfixturevalue(operands)
    assert judged(layer, arrays, gru(arrays, **mistake)).reason.startswith("H differs by")


def test_one_element_of_one_step_is_wrong(layer: Kernel, drawn: Arrays) -> None:
    for at in ((0, 1, 2), (3, 0, 255), (8, 3, 0)):
        got = gru(drawn)
        got[at] += np.float32(0.01)
        assert judged(layer, drawn, got).reason
        got[at] = np.nan
        assert judged(layer, drawn, got).reason


def test_the_library_layer_is_right_on_this_cpu() -> None:
    for arguments in ("gru", {"t": 8, "b": 4, "c": 512, "j": 512}), ("lstm", {"t": 3, "b": 2, "c": 9, "j": 40}):
        name, sizes = arguments
        kernel = im.find_kernel(name)
        _, seen = judged_call(im.build(im.plan(kernel, "host", sizes=sizes)), kernel.with_sizes(sizes), 1)
        assert seen.reason == "" and seen.error < 5e-6


def test_points_of_one_statement_that_read_each_other_are_steps() -> None:
    """x -> x^2 - 1.9 doubles a distance at every point, 90 times."""
    kernel = im.kernel("S[i+1] = S[i]*S[i] - X[i]").with_sizes({"i": 90})
    arrays = {"X": np.full(90, 1.9, np.float32)}
    got = im.run_kernel(kernel, arrays)["S"]
    alone, steps = (reference(kernel, arrays, left=left)["S"] for left in (None, {"S": got}))
    assert np.abs(got - alone).max() > 0.1
    assert np.abs(got - steps).max() < 1e-6
    got[40] += np.float32(0.01)
    steps = reference(kernel, arrays, left={"S": got})["S"]
    assert abs(got[40] - steps[40]) > 0.009 and abs(got[41] - steps[41]) > 1e-5


def test_elements_that_are_written_again_are_the_references_own() -> None:
    """S is overwritten in each time step, and a program leaves the last one alone."""
    kernel = im.kernel("for t:\n  S[t//100,j] = S[t//100,j] + X[t,j]\n  H[t,j] = S[t//100,j]").with_sizes(
        {"t": 4, "j": 3}
    )
    arrays = random_arrays(kernel)
    got = im.run_kernel(kernel, arrays)
    got["S"][0] = 9
    right = reference(kernel, arrays, left=got)
    assert np.allclose(right["H"][:3], np.cumsum(arrays["X"].astype(np.float64), 0)[:3])
    assert np.allclose(right["S"][0], arrays["X"].astype(np.float64).sum(0))
    assert np.allclose(right["H"][3], 9)
