"""The library's kernels in the layout of other libraries: images channels first, gates as rows of one matrix."""

from __future__ import annotations

import numpy as np

from isamap_smt.bench.case import Case


def conv_views(case: Case, arrays: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """(image N C H W, weights K C R S, or C 1 R S for depthwise), as views of what lies channels last."""
    image, w = arrays["I"].transpose(0, 3, 1, 2), arrays["W"]
    if case.kernel == "depthwise_conv2d":
        return image, w.transpose(2, 0, 1)[:, None]
    if case.kernel == "pointwise_conv2d":
        return image, w.T[:, :, None, None]
    return image, w.transpose(3, 2, 0, 1)


def conv_options(case: Case) -> tuple[tuple[int, int], tuple[int, int], int]:
    """(stride, padding, groups)."""
    size = case.size
    stride, padding = (size.get("sp", 1), size.get("sq", 1)), (size.get("pp", 0), size.get("pq", 0))
    return stride, padding, size["c"] if case.kernel == "depthwise_conv2d" else 1


def gate_rows(array: np.ndarray, order: tuple[int, ...]) -> np.ndarray:
    """Weights [c, gate, j] as the matrix [gate * J + j, c], biases [gate, j] as a vector, with the gates in this order."""
    rows = array.transpose(1, 2, 0) if array.ndim == 3 else array
    taken = rows[list(order)]
    return np.ascontiguousarray(taken.reshape(-1, *taken.shape[2:]))
