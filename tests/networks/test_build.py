"""Networks written in Python: what the functions compute, and what they refuse."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import NetworkError

rng = np.random.default_rng(0)
IMAGE = rng.standard_normal((2, 4, 6, 5)).astype(np.float32)
ROWS = rng.standard_normal((3, 8)).astype(np.float32)
W = rng.standard_normal((6, 2, 3, 3)).astype(np.float32)
M = rng.standard_normal((8, 5)).astype(np.float32)
B = rng.standard_normal(5).astype(np.float32)


def run(made: Any, **arrays: np.ndarray) -> np.ndarray:
    return im.run_network(im.network({"y": made}), arrays)["y"]


def windows(x: np.ndarray, size: int, step: int) -> np.ndarray:
    return np.lib.stride_tricks.sliding_window_view(x, (size, size), (2, 3))[:, :, ::step, ::step]


def grouped(x: np.ndarray) -> np.ndarray:
    """A convolution in two groups, padded by 1, stride 2."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    seen = windows(padded, 3, 2)
    parts = [np.einsum("nchwrs,mcrs->nmhw", seen[:, 2 * g : 2 * g + 2], W[3 * g : 3 * g + 3]) for g in (0, 1)]
    return np.concatenate(parts, 1)


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def normal(x: np.ndarray) -> np.ndarray:
    return (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)


ERF = np.vectorize(math.erf)
CASES: list[tuple[Callable[[Any], Any], np.ndarray, Callable[[np.ndarray], np.ndarray]]] = [
    (lambda x: im.relu(x - 0.5), ROWS, lambda x: np.maximum(x - 0.5, 0)),
    (lambda x: 1 / (x * x + 2) - x, ROWS, lambda x: 1 / (x * x + 2) - x),
    (lambda x: x + ROWS, ROWS, lambda x: x + ROWS),
    (im.gelu, ROWS, lambda x: 0.5 * x * (1 + ERF(x / np.sqrt(2)))),
    (lambda x: im.silu(im.tanh(im.sigmoid(x))), ROWS, lambda x: (t := np.tanh(1 / (1 + np.exp(-x)))) / (1 + np.exp(-t))),
    (lambda x: x @ M, ROWS, lambda x: x @ M),
    (lambda x: im.linear(x, M, B), ROWS, lambda x: x @ M + B),
    (lambda x: im.conv2d(x, W, stride=2, pad=1, groups=2), IMAGE, grouped),
    (lambda x: im.max_pool2d(x, 2), IMAGE, lambda x: windows(x, 2, 2).max((-1, -2))),
    (lambda x: im.average_pool2d(x, 2, stride=1), IMAGE, lambda x: windows(x, 2, 1).mean((-1, -2))),
    (im.softmax, ROWS, softmax),
    (lambda x: im.layer_norm(x, M[:, 0]), ROWS, lambda x: normal(x) * M[:, 0]),
    (lambda x: im.layer_norm(x, shift=M[:, 0]), ROWS, lambda x: normal(x) + M[:, 0]),
    (lambda x: im.mean(x, [0, 2]), IMAGE, lambda x: x.mean((0, 2))),
    (lambda x: im.reshape(im.transpose(x, (0, 2, 3, 1)), (2, -1)), IMAGE, lambda x: x.transpose(0, 2, 3, 1).reshape(2, -1)),
    (lambda x: im.concatenate([x, x * 2, ROWS], axis=1), ROWS, lambda x: np.concatenate([x, 2 * x, ROWS], 1)),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(CASES)))
def test_a_function_computes_what_it_says(number: int) -> None:
    made, x, wanted = CASES[number]
    np.testing.assert_allclose(run(made(im.input("x", x.shape)), x=x), wanted(x), rtol=1e-5, atol=1e-5)


def test_values_of_different_inputs_meet() -> None:
    a, b = im.input("a", (3, 8)), im.input("b", (8, 3))
    made = im.network({"p": a @ b, "q": im.relu(a)}, name="two")
    assert (made.name, made.inputs, made.outputs) == ("two", ("a", "b"), ("p", "q"))
    got = im.run_network(made, {"a": ROWS, "b": ROWS.T.copy()})
    np.testing.assert_allclose(got["p"], ROWS @ ROWS.T, rtol=1e-5)
    assert (got["q"] == np.maximum(ROWS, 0)).all()


def test_elements_are_found_by_indices() -> None:
    at = np.array([2, -1, 0])
    assert (run(im.take(ROWS, im.input("at", (3,), "i64")), at=at) == ROWS[at]).all()


def test_a_network_is_compiled() -> None:
    x = im.input("x", IMAGE.shape)
    y = im.max_pool2d(im.relu(im.conv2d(x, W, pad=1, groups=2) + 0.25), 2)
    made = im.compile_network(im.network({"y": y}))
    np.testing.assert_allclose(made(IMAGE)["y"], run(y, x=IMAGE), rtol=1e-5, atol=1e-5)


REFUSED: list[tuple[Callable[[Any], Any], str]] = [
    (lambda x: x + np.zeros(5, np.float32), "do not broadcast"),
    (lambda x: x @ x, "has 8 columns"),
    (lambda x: im.max_pool2d(x, 2), "is no image"),
    (lambda x: im.conv2d(x, W), "no images"),
    (lambda x: im.reshape(x, (5, 5)), "24 elements"),
    (lambda x: im.softmax(x, 2), "axis 2"),
    (lambda x: x + im.input("x", (3, 8)), "two values are called 'x'"),
    (lambda x: im.network({}), "has results"),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_what_does_not_fit_is_refused(number: int) -> None:
    made, words = REFUSED[number]
    with pytest.raises(NetworkError, match=words):
        made(im.input("x", (3, 8)))
