"""The operators in NumPy, as one writes them in f32."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from isamap_smt.bench.case import Case
from isamap_smt.bench.operators import EPSILON, SCALE
from isamap_smt.bench.work import Unsupported, Work, latest

Arrays = dict[str, Any]  # sizes among them
_HALF, _ONE = np.float32(0.5), np.float32(1)


def work(case: Case, arrays: Arrays) -> Work:
    """A function of the arrays. Raises Unsupported for what NumPy has no function for."""
    if case.family not in _OPERATORS:
        raise Unsupported(f"NumPy has nothing for {case.family}")
    run, given = _OPERATORS[case.family], {**case.size, **arrays}
    return latest(lambda: run(given), np.asarray, f"NumPy's {case.family}")


def _softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(-1, keepdims=True))
    return np.divide(e, e.sum(-1, keepdims=True), out=e)


def _log_sum_exp(a: Arrays) -> np.ndarray:
    top = a["x"].max(1, keepdims=True)
    return np.asarray(np.log(np.exp(a["x"] - top).sum(1)) + top[:, 0])


def _layer_norm(a: Arrays) -> np.ndarray:
    x = a["x"] - a["x"].mean(1, keepdims=True)
    r = 1 / np.sqrt((x * x).mean(1, keepdims=True) + np.float32(EPSILON["layer_norm"]))
    return np.asarray(x * r * a["g"] + a["b"])


def _rms_norm(a: Arrays) -> np.ndarray:
    x = a["x"]
    return np.asarray(x / np.sqrt((x * x).mean(1, keepdims=True) + np.float32(EPSILON["rms_norm"])) * a["g"])


def _gelu_tanh(a: Arrays) -> np.ndarray:
    x = a["x"]
    inner = np.float32(math.sqrt(2 / math.pi)) * (x + np.float32(0.044715) * x * x * x)
    return np.asarray(_HALF * x * (_ONE + np.tanh(inner)))


def _attention(a: Arrays) -> np.ndarray:
    return np.asarray(_softmax(a["Q"] @ a["K"].transpose(0, 2, 1) * a["z"]) @ a["V"])


def _causal(a: Arrays) -> np.ndarray:
    scores = a["Q"] @ a["K"].transpose(0, 2, 1) * a["z"]
    scores[:, np.triu(np.ones(scores.shape[1:], np.bool_), 1)] = -np.inf
    return np.asarray(_softmax(scores) @ a["V"])


def _layer(a: Arrays) -> np.ndarray:
    """Through f32, whose sums of these are exact and go through BLAS; integers do not."""
    sums = a["X"].astype(np.float32) @ a["W"].astype(np.float32) + a["b"].astype(np.float32)
    if "m" in a:
        return np.asarray(np.clip(np.rint(sums * a["m"]), 0, 255).astype(np.uint8))
    return np.asarray(np.clip(np.rint(np.maximum(sums * SCALE, 0)), -128, 127).astype(np.int8))


def _running(axis: int) -> Callable[[Arrays], np.ndarray]:
    """Running sums that begin with a 0."""

    def made(a: Arrays) -> np.ndarray:
        x = a["X"]
        found = np.zeros([n + (d == axis) for d, n in enumerate(x.shape)], np.float32)
        np.cumsum(x, axis, out=found[1:] if axis == 0 else found[:, 1:])
        return found

    return made


def _stencil(x: np.ndarray) -> np.ndarray:
    return np.asarray((x[1:-1, 1:-1] + x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]) * np.float32(0.2))


_OPERATORS: dict[str, Callable[[Arrays], Any]] = {
    "row_sum": lambda a: a["x"].sum(1),
    "row_max": lambda a: a["x"].max(1),
    "column_sum": lambda a: a["x"].sum(0),
    "column_max": lambda a: a["x"].max(0),
    "dot": lambda a: np.dot(a["x"], a["z"]),
    "log_sum_exp": _log_sum_exp,
    "add": lambda a: a["x"] + a["z"],
    "scale_add_relu": lambda a: np.maximum(a["x"] * a["g"] + a["b"] + a["z"], 0),
    "gelu_tanh": _gelu_tanh,
    "silu": lambda a: a["x"] / (_ONE + np.exp(-a["x"])),
    "softmax": lambda a: _softmax(a["x"]),
    "layer_norm": _layer_norm,
    "rms_norm": _rms_norm,
    "attention": _attention,
    "causal_attention": _causal,
    "qlinear": _layer,
    "linear": _layer,
    "mean": lambda a: a["x"].mean(1),
    "argmax": lambda a: a["X"].argmax(1),
    "cumulative_sum": _running(0),
    "cumulative_sum_along": _running(1),
    "stencil2d": lambda a: _stencil(a["A"]),
    "mttkrp": lambda a: a["X"].reshape(len(a["X"]), -1) @ (a["B"][:, None] * a["C"][None]).reshape(-1, a["B"].shape[1]),
    "sddmm": lambda a: a["S"] * (a["A"] @ a["B"]),
    "gemm_of_a_part": lambda a: a["A"][:, a["o"] : a["o"] + a["k"]] @ a["B"],
    "embedding": lambda a: a["E"][a["at"]],
}
