"""The library's kernels in the layout of other libraries: images channels first, gates as rows of one matrix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from isamap_smt.bench.case import Case

Size = dict[str, int]


@dataclass(frozen=True)
class Convolution:
    """One convolution as libraries take it. weights: K C R S, or C 1 R S with as many groups as channels, as a view of
    what lies channels last; name: the kernel's for them.
    """

    name: str
    weights: np.ndarray
    stride: tuple[int, int] = (1, 1)
    padding: tuple[int, int] = (0, 0)
    groups: int = 1


def convolutions(case: Case, arrays: dict[str, np.ndarray]) -> tuple[np.ndarray, list[Convolution]]:
    """(image N C H W, as a view of what lies channels last; the convolutions that it goes through, in their order)."""
    steps = [made(name, arrays[name], case.size) for name, made in _STEPS[case.kernel]]
    return arrays["I"].transpose(0, 3, 1, 2), steps


def _dense(name: str, w: np.ndarray, size: Size) -> Convolution:
    return Convolution(name, w.transpose(3, 2, 0, 1), *_window(size))


def _depthwise(name: str, w: np.ndarray, size: Size) -> Convolution:
    return Convolution(name, w.transpose(2, 0, 1)[:, None], *_window(size), size["c"])


def _pointwise(name: str, w: np.ndarray, size: Size) -> Convolution:
    return Convolution(name, w.T[:, :, None, None])


def _window(size: Size) -> tuple[tuple[int, int], tuple[int, int]]:
    """(stride, padding)."""
    return (size["sp"], size["sq"]), (size["pp"], size["pq"])


_STEPS: dict[str, tuple[tuple[str, Callable[[str, np.ndarray, Size], Convolution]], ...]] = {
    "conv2d": (("W", _dense),),
    "depthwise_conv2d": (("W", _depthwise),),
    "pointwise_conv2d": (("W", _pointwise),),
    "depthwise_separable_conv2d": (("D", _depthwise), ("W", _pointwise)),
}


def gate_rows(array: np.ndarray, order: tuple[int, ...]) -> np.ndarray:
    """Weights [c, gate, j] as the matrix [gate * J + j, c], biases [gate, j] as a vector, with the gates in this order."""
    rows = array.transpose(1, 2, 0) if array.ndim == 3 else array
    taken = rows[list(order)]
    return np.ascontiguousarray(taken.reshape(-1, *taken.shape[2:]))
