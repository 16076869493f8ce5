"""Depthwise separable convolutions: MobileNet's sizes, exact inputs with two weights, and what a case counts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from isamap_smt.bench.bandwidth import Bandwidth, attainable
from isamap_smt.bench.case import CONDITIONS, Case
from isamap_smt.bench.contenders import CONTENDERS, OURS
from isamap_smt.bench.data import check, expected, inputs, tolerance
from isamap_smt.bench.deepbench import conv_case
from isamap_smt.bench.machine import Probe, cores_for
from isamap_smt.bench.session import Session
from isamap_smt.bench.suites import SUITES
from isamap_smt.bench.turns import Effort, measure

CASES = {c.name: c for c in SUITES["separable"].cases()}
PIXELS, CHANNELS, OUT = 6 * 5, 16, 24


def small() -> Case:
    """Six by five pixels, 16 channels to 24, 3x3."""
    return conv_case("depthwise_separable_conv2d", (1, 6, 5, OUT, CHANNELS, 3, 3), 1, 1, "x")


def test_the_suite_is_mobilenets_table() -> None:
    """Howard et al., 2017, table 1, each size once: input, channels, and the output of the pointwise layer."""
    blocks = {n: (c.shapes()["D"][-1], c.shapes()["O"][1:], c.size["sp"]) for n, c in CASES.items()}
    assert blocks == {
        "112x112x32->64 3x3": (32, (112, 112, 64), 1),
        "112x112x64->128 3x3 s2": (64, (56, 56, 128), 2),
        "56x56x128->128 3x3": (128, (56, 56, 128), 1),
        "56x56x128->256 3x3 s2": (128, (28, 28, 256), 2),
        "28x28x256->256 3x3": (256, (28, 28, 256), 1),
        "28x28x256->512 3x3 s2": (256, (14, 14, 512), 2),
        "14x14x512->512 3x3": (512, (14, 14, 512), 1),
        "14x14x512->1024 3x3 s2": (512, (7, 7, 1024), 2),
        "7x7x1024->1024 3x3": (1024, (7, 7, 1024), 1),
    }
    assert {(c.family, c.group, c.form, c.weights) for c in CASES.values()} == {
        ("separable", "separable", "3x3", ("D", "W"))
    }


def test_a_block_has_the_image_of_its_depthwise_layer() -> None:
    images = [c.shapes()["I"] for c in SUITES["depthwise"].cases()]
    assert [c.shapes()["I"] for c in CASES.values()] == images


def test_operations_are_those_of_both_products() -> None:
    assert small().operations == 2 * PIXELS * CHANNELS * 9 + 2 * PIXELS * CHANNELS * OUT
    assert small().reduction == 9 * CHANNELS


def test_what_lies_between_the_products_costs_no_traffic() -> None:
    once = 4 * (PIXELS * CHANNELS + 9 * CHANNELS + CHANNELS * OUT + PIXELS * OUT)  # I, D, W, O
    assert small().passes() == ((once, 1),)
    assert small().bytes() == small().traffic() == once
    memory = [Bandwidth(1 << 20, 10.0)]
    assert attainable(1e3, small().passes(), 1e9, memory, 1) == pytest.approx(1e3 / (once / 10))


@pytest.mark.parametrize("name", CASES)
def test_no_partial_sum_can_be_rounded(name: str) -> None:
    """In any order: the sums of all absolute values are representable, so every part of them is."""
    arrays = {n: np.abs(a) for n, a in inputs(CASES[name]).items()}
    assert expected(CASES[name], arrays).max() <= 2**24
    assert 9 * arrays["I"].max() * arrays["D"].max() <= 2**24
    assert all(a.dtype == np.float32 and np.array_equal(a, np.rint(a)) for a in arrays.values())


@pytest.mark.parametrize("name", CASES)
def test_both_weights_are_as_wide_as_that_allows(name: str) -> None:
    """Two products of 3 and one of what is left, in each channel."""
    arrays, channels = inputs(CASES[name]), CASES[name].size["c"]
    left = 2**24 // (9 * channels * 9)
    window, pixel = np.abs(arrays["D"]).max(axis=(0, 1)), np.abs(arrays["W"]).max(axis=1)
    assert (window * pixel <= 3 * left).all()
    assert 0.99 * left < window.max() <= left and 0.99 * left < pixel.max() <= left
    assert (np.minimum(window, pixel) > 0).all()


@pytest.mark.parametrize("weights", ["D", "W"])
def test_weights_of_fewer_bits_are_wrong(weights: str) -> None:
    case = CASES["28x28x256->256 3x3"]
    arrays = inputs(case)
    rounded = {**arrays, weights: arrays[weights].astype(ml_dtypes.bfloat16).astype(np.float32)}
    verdict = check(expected(case, rounded).astype(np.float32), expected(case, arrays), tolerance(case, ours=False))
    assert not verdict.right
    assert verdict.error < 1e-2  # it is near, and still seen


def test_who_takes_part() -> None:
    found = {w: {c.name for c in CONTENDERS.values() if c.plays(small(), w, 2)} for w in CONDITIONS}
    free = {OURS, "torch", "torch-channels-last", "onnxruntime"}
    assert found == {"free": free, "constant": free | {"onednn"}}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_block_is_measured(condition: str, session: Callable[..., Session], tmp_path: Path) -> None:
    sessions = [
        session(OURS, "isamap_smt.bench.peers.ours:open_case"),
        session("in_float64"),
        session("window_in_bfloat16"),
    ]
    effort = Effort(turns=1, seconds=0.005, patience=120.0, plan={"timeout": 2.0})
    found = measure(small(), condition, 1, sessions, Probe(cores_for(1)), tmp_path, effort, lambda _: None)
    about = found["contenders"]
    assert {n: c["status"] for n, c in about.items()} == {OURS: "ok", "in_float64": "ok", "window_in_bfloat16": "wrong"}
    assert about[OURS]["exact"]
    assert about[OURS]["about"]["verdict"] == "proved"
    assert len(about[OURS]["about"]["products"]) == 2
    assert found["best_peer"] == "in_float64"
    assert found["operations"] == small().operations
    assert found["bytes"] == small().bytes()
