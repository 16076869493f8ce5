"""oneDNN with its weights reordered ahead, through torch's own operators for that (what torch.compile emits)."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from isamap_smt.bench.case import Case
from isamap_smt.bench.operators import LAYERS_OF_BYTES, SCALE
from isamap_smt.bench.peers.with_torch import (
    channels_last,
    conv_operands,
    matrix_operands,
    packed_lstm,
    to_numpy,
)
from isamap_smt.bench.work import Unsupported, Work, latest

if TYPE_CHECKING:
    import torch


def open_case(case: Case, condition: str, threads: int, arrays: dict[str, np.ndarray], options: dict[str, Any]) -> Work:
    """Raises Unsupported where this CPU lacks what oneDNN asks for."""
    import torch

    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    try:
        return _FAMILIES[case.family](case, arrays)
    except RuntimeError as error:
        if "need the cpu support" in str(error) or "needs the cpu support" in str(error):
            raise Unsupported(str(error).splitlines()[0]) from None
        raise


def _product(case: Case, arrays: dict[str, np.ndarray]) -> Work:
    return _bytes(case, arrays) if case.elements == "u8xi8" else _linear(case, arrays)


def _linear(case: Case, arrays: dict[str, np.ndarray]) -> Work:
    import torch

    x, w = matrix_operands(case, arrays)
    packed = torch.ops.mkldnn._reorder_linear_weight(w.t().contiguous(), x.shape[0])

    def run() -> torch.Tensor:
        return torch.ops.mkldnn._linear_pointwise(x.contiguous(), packed, None, "none", [], "")

    return latest(run, to_numpy, "mkldnn._linear_pointwise, reordered weights")


def _bytes(case: Case, arrays: dict[str, np.ndarray]) -> Work:
    """u8 x i8 with scales of one and f32 out: the sum, rounded once."""
    import torch

    x, w = matrix_operands(case, arrays)
    packed = torch.ops.onednn.qlinear_prepack(w.t().contiguous(), None)
    scales, zeros = torch.ones(w.shape[1]), torch.zeros(w.shape[1], dtype=torch.int32)

    def run() -> torch.Tensor:
        return torch.ops.onednn.qlinear_pointwise(
            x.contiguous(), 1.0, 0, packed, scales, zeros, None, 1.0, 0, torch.float32, "none", [], ""
        )

    return latest(run, to_numpy, "onednn.qlinear_pointwise, u8 x i8, out f32")


def _layer(case: Case, arrays: dict[str, np.ndarray]) -> Work:
    """Bytes in and out, with bias, scales and relu behind the sum; torch's own layers are fbgemm's, which has no tiles."""
    import torch

    signed = arrays["X"].dtype == np.int8
    scales = torch.from_numpy(arrays["m"] if "m" in arrays else np.full(arrays["b"].shape, SCALE, np.float32))
    packed = torch.ops.onednn.qlinear_prepack(torch.from_numpy(arrays["W"]).t().contiguous(), list(arrays["X"].shape))
    bias, zeros = torch.from_numpy(arrays["b"].astype(np.float32)) * scales, torch.zeros(len(scales), dtype=torch.int32)
    x, kind, post = torch.from_numpy(arrays["X"]), torch.int8 if signed else torch.uint8, "relu" if signed else "none"

    def run() -> torch.Tensor:
        return torch.ops.onednn.qlinear_pointwise(x, 1.0, 0, packed, scales, zeros, bias, 1.0, 0, kind, post, [], "")

    return latest(run, to_numpy, f"onednn.qlinear_pointwise, out {kind}")


def _convolutions(case: Case, arrays: dict[str, np.ndarray]) -> Work:
    """Channels last; the weights are reordered for the image that each convolution gets."""
    import torch

    image, steps = conv_operands(case, arrays, torch.channels_last)
    apply, reorder = torch.ops.mkldnn._convolution_pointwise, torch.ops.mkldnn._reorder_convolution_weight
    calls: list[tuple[Any, ...]] = []
    t = image
    for weights, c in steps:
        how = (list(c.padding), list(c.stride), [1, 1], c.groups)
        calls.append((reorder(weights.contiguous(), *how, list(t.shape)), None, *how, "none", [], ""))
        t = apply(t, *calls[-1])

    def run() -> torch.Tensor:
        return reduce(lambda t, how: apply(t, *how), calls, image)

    return latest(run, channels_last, "mkldnn._convolution_pointwise")


_FAMILIES: dict[str, Callable[[Case, dict[str, np.ndarray]], Work]] = {
    "matmul": _product,
    "conv": _convolutions,
    "separable": _convolutions,
    **dict.fromkeys(LAYERS_OF_BYTES, _layer),
    "lstm": packed_lstm,
}
