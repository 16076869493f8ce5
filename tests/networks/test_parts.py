"""A result that is put together of parts: those that compute the parts write them in their places, as one kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.language import kernel as read_kernel
from isamap_smt.networks.graph import Network, Step
from isamap_smt.networks.rewrite import rewritten
from isamap_smt.networks.same import same_values


@cache
def fire(kept: bool = False) -> Network:
    """Two convolutions and a pooled image, side by side. kept: the first one is an output, too."""
    rng = np.random.default_rng(0)
    x = im.input("x", (1, 5, 6, 7))
    w, v = (rng.standard_normal(s).astype(np.float32) for s in ((3, 5, 1, 1), (4, 5, 3, 3)))
    one, more = im.relu(im.conv2d(x, w)), im.relu(im.conv2d(x, v, pad=1))
    y = im.concatenate([one, more, im.max_pool2d(x, 3, stride=1, pad=1)], axis=1)
    return im.network({"y": y, **({"one": one} if kept else {})}, name="fire")


def joined() -> tuple[Network, Step]:
    network = rewritten(fire(), "scalar")[0]
    return network, next(s for s in network.kernels if len(s.kernel.statements) > 3)


def test_parts_are_computed_in_their_places() -> None:
    _, step = joined()
    written = [s for s in step.kernel.statements if s.target.tensor == step.writes[0][0]]
    assert len(written) == 3


def test_a_part_that_others_read_is_copied() -> None:
    network = rewritten(fire(kept=True), "avx2")[0]
    assert len(network.kernels) > len(rewritten(fire(), "avx2")[0].kernels)


@pytest.mark.parametrize("kept", [False, True])
def test_compiled_it_is_as_numpy_says(kept: bool) -> None:
    model = fire(kept)
    x = np.random.default_rng(1).standard_normal((1, 5, 6, 7)).astype(np.float32)
    compiled = im.compile_network(model)
    assert compiled.proof.proved
    found, w, v = compiled(x), *(c for c in model.constants.values() if c.ndim == 4)
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    seen = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
    lowest = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=-np.inf)
    pooled = np.lib.stride_tricks.sliding_window_view(lowest, (3, 3), (2, 3)).max((4, 5))
    one = np.maximum(np.einsum("nchw,mc->nmhw", x, w[:, :, 0, 0]), 0)
    more = np.maximum(np.einsum("nchwrq,mcrq->nmhw", seen, v), 0)
    np.testing.assert_allclose(found["y"], np.concatenate([one, more, pooled], 1), rtol=1e-4, atol=1e-5)


def _part(text: str, old: str, new: str) -> str:
    return text.replace(old, new, 1) if old in text else ""


REST = ", r1_1, r2_1]"  # of the index of a part
WRONG: dict[str, Callable[[str], str]] = {
    "one place further": lambda t: _part(t, f" + 3{REST} = relu", f" + 4{REST} = relu"),
    "over the first": lambda t: _part(t, f" + 3{REST} = relu", f"{REST} = relu"),
    "another operator": lambda t: _part(t, f" + 3{REST} = relu", f" + 3{REST} = abs"),
    "no bias": lambda t: _part(t, "max=", "min="),
}


@pytest.mark.parametrize("name", WRONG)
def test_every_wrong_part_is_refuted(name: str) -> None:
    network, step = joined()
    text = WRONG[name](im.to_text(step.kernel))
    assert text
    wrong = replace(step, kernel=read_kernel(text, name="step"))
    other = replace(network, steps=tuple(wrong if s is step else s for s in network.steps))
    assert step.results[0] in [c.subject for c in same_values(fire(), other) if c.verdict.word != "proved"]


def test_parts_in_another_order_are_the_same() -> None:
    network, step = joined()
    lines = im.to_text(step.kernel).splitlines()
    sums = [n for n, x in enumerate(lines) if "+=" in x]
    first = sums[0]
    moved = [*lines[:first], *lines[sums[1] : sums[1] + 2], *lines[first : sums[1]], *lines[sums[1] + 2 :]]
    again = replace(step, kernel=read_kernel("\n".join(moved), name="step"))
    other = replace(network, steps=tuple(again if s is step else s for s in network.steps))
    assert all(c.verdict.word == "proved" for c in same_values(fire(), other))


@pytest.mark.parametrize("seed", range(8))
def test_a_frame_of_one_number_is_written_around_what_is_computed(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = tuple(int(rng.integers(1, 6)) for _ in range(4))
    sides = [(int(rng.integers(0, 3)), int(rng.integers(0, 3))) if rng.random() < 0.6 else (0, 0) for _ in shape]
    sides[3] = (1, 2)
    network = im.network({"y": im.pad(im.relu(im.input("x", shape)), sides, value=-1.5)}, name="framed")
    compiled = im.compile_network(network)
    assert compiled.proof.proved
    assert len(compiled.plan.network.kernels) == 1
    x = rng.standard_normal(shape).astype(np.float32)
    np.testing.assert_array_equal(compiled(x)["y"], np.pad(np.maximum(x, 0), sides, constant_values=-1.5))
