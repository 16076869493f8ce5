"""The operators in torch, as they are called; layers of bytes are those of torch's quantised tensors, weights packed ahead."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from isamap_smt.bench.case import Case
from isamap_smt.bench.operators import EPSILON, SCALE
from isamap_smt.bench.peers.layers_torch import LAYERS
from isamap_smt.bench.work import Unsupported, Work, latest

Arrays = dict[str, np.ndarray]


def work(case: Case, arrays: Arrays) -> Work:
    """A function of tensors over the arrays' memory, without gradients."""
    import torch

    torch.set_grad_enabled(False)
    if case.family in ("qlinear", "linear"):
        return _layer(arrays)
    made = _OPERATORS.get(case.family) or LAYERS.get(case.family)
    if made is None:
        raise Unsupported(f"torch has no function for {case.family}")
    tensors = {**case.size, **{n: torch.from_numpy(a) for n, a in arrays.items()}}
    return latest(
        made(torch, tensors), lambda t: np.asarray(t.numpy().reshape(case.shapes()[case.dtypes[-1][0]])), case.family
    )


def _heads(causal: bool) -> Callable[[Any, dict[str, Any]], Callable[[], Any]]:
    """The scale is torch's own: one over the root of the length of a head's vectors."""

    def made(torch: Any, t: dict[str, Any]) -> Callable[[], Any]:
        q, k, v = (t[n][None] for n in "QKV")
        attend = torch.nn.functional.scaled_dot_product_attention
        return lambda: attend(q, k, v, is_causal=causal)

    return made


def _layer(a: Arrays) -> Work:
    """linear_relu takes bytes without a sign: signed ones are moved up by 128 ahead, and a signed result is moved back for the
    check."""
    import torch

    warnings.filterwarnings("ignore", category=DeprecationWarning)
    shift = 128 if a["X"].dtype == np.int8 else 0
    bytes_ = torch.from_numpy((a["X"].astype(np.int16) + shift).astype(np.uint8))
    scales = torch.from_numpy(a["m"] if "m" in a else np.full(a["b"].shape, SCALE, np.float32))
    zeros = torch.zeros(len(scales), dtype=torch.int64)
    x = torch._make_per_tensor_quantized_tensor(bytes_, 1.0, shift)
    columns = torch.from_numpy(np.ascontiguousarray(a["W"].T))
    w = torch._make_per_channel_quantized_tensor(columns, scales.double(), zeros, 0)
    packed = torch.ops.quantized.linear_prepack(w, torch.from_numpy(a["b"].astype(np.float32)) * scales)
    result = lambda y: (y.int_repr().numpy().astype(np.int16) - shift).astype(a["X"].dtype)  # noqa: E731
    return latest(lambda: torch.ops.quantized.linear_relu(x, packed, 1.0, shift), result, "quantized.linear_relu")


_OPERATORS: dict[str, Callable[[Any, dict[str, Any]], Callable[[], Any]]] = {
    "row_sum": lambda torch, t: lambda: torch.sum(t["x"], 1),
    "row_max": lambda torch, t: lambda: torch.amax(t["x"], 1),
    "column_sum": lambda torch, t: lambda: torch.sum(t["x"], 0),
    "column_max": lambda torch, t: lambda: torch.amax(t["x"], 0),
    "dot": lambda torch, t: lambda: torch.dot(t["x"], t["z"]),
    "log_sum_exp": lambda torch, t: lambda: torch.logsumexp(t["x"], 1),
    "add": lambda torch, t: lambda: torch.add(t["x"], t["z"]),
    "scale_add_relu": lambda torch, t: lambda: torch.addcmul(t["b"], t["x"], t["g"]).add_(t["z"]).relu_(),
    "gelu": lambda torch, t: lambda: torch.nn.functional.gelu(t["x"]),
    "gelu_tanh": lambda torch, t: lambda: torch.nn.functional.gelu(t["x"], approximate="tanh"),
    "silu": lambda torch, t: lambda: torch.nn.functional.silu(t["x"]),
    "softmax": lambda torch, t: lambda: torch.softmax(t["x"], 1),
    "layer_norm": lambda torch, t: (
        lambda: torch.layer_norm(t["x"], t["g"].shape, t["g"], t["b"], EPSILON["layer_norm"])
    ),
    "rms_norm": lambda torch, t: lambda: torch.rms_norm(t["x"], t["g"].shape, t["g"], EPSILON["rms_norm"]),
    "attention": _heads(False),
    "causal_attention": _heads(True),
}
