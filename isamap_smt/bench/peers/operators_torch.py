"""The operators in torch, as they are called; layers of bytes are those of torch's quantised tensors, weights packed ahead."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from isamap_smt.bench.case import Case
from isamap_smt.bench.operators import EPSILON, SCALE
from isamap_smt.bench.work import Unsupported, Work, latest

# ---- Convolutions, pooling and the other operators of the suite `operators` in torch, on views where it takes views.
#
# Each is a function of torch and of tensors and sizes by name, which makes what is called; weights are laid out for it
# before.


Given = dict[str, Any]
Run = Callable[[], Any]


def _last(x: Any) -> Any:
    """Channels after all others, as torch's results are seen here."""
    return x.permute(0, *range(2, x.ndim), 1)


def _first(x: Any) -> Any:
    """A view with the channels second, as torch takes it."""
    return x.permute(0, x.ndim - 1, *range(1, x.ndim - 1))


def _convolution(dilated: bool = False) -> Callable[[Any, Given], Run]:
    def made(torch: Any, t: Given) -> Run:
        x, more = _first(t["I"]), {"dilation": t["d"]} if dilated else {}
        rank = x.ndim - 2
        lie = torch.channels_last if rank == 2 else torch.channels_last_3d
        w = t["W"].permute(rank + 1, rank, *range(rank)).contiguous(memory_format=lie)
        run = torch.nn.functional.conv2d if rank == 2 else torch.nn.functional.conv3d
        return lambda: _last(run(x, w, **more))

    return made


def _grouped(torch: Any, t: Given) -> Run:
    n, h, w_, g, c = t["I"].shape
    x = _first(t["I"].reshape(n, h, w_, g * c))
    w = (
        t["W"]
        .permute(0, 4, 3, 1, 2)
        .reshape(g * t["k"], c, t["r"], t["s"])
        .contiguous(memory_format=torch.channels_last)
    )
    shape = n, t["p"], t["q"], g, t["k"]
    return lambda: _last(torch.nn.functional.conv2d(x, w, groups=g)).reshape(shape)


def _transposed(torch: Any, t: Given) -> Run:
    x, w = _first(t["I"]), t["W"].permute(2, 3, 0, 1).contiguous()
    return lambda: _last(torch.nn.functional.conv_transpose2d(x, w, stride=t["t"]))


def _capsule(torch: Any, t: Given) -> Run:
    """Rows of the matrices are images of their own, capsules and columns channels."""
    n, h, w_, c, i, m = t["I"].shape
    x = t["I"].permute(0, 4, 3, 5, 1, 2).reshape(n * i, c * m, h, w_).contiguous()
    w = t["W"].permute(3, 5, 2, 4, 0, 1).reshape(t["k"] * t["j"], c * m, t["r"], t["s"]).contiguous()
    shape = n, i, t["k"], t["j"], t["p"], t["q"]
    return lambda: torch.nn.functional.conv2d(x, w).reshape(shape).permute(0, 4, 5, 2, 1, 3)


def _batched(torch: Any, t: Given) -> Run:
    n, h, w_, c = t["I"].shape
    x = t["I"].permute(0, 3, 1, 2).reshape(1, n * c, h, w_).contiguous()
    w = t["W"].permute(0, 4, 3, 1, 2).reshape(n * t["k"], c, t["r"], t["s"]).contiguous()
    shape = n, t["k"], t["p"], t["q"]
    return lambda: torch.nn.functional.conv2d(x, w, groups=n).reshape(shape).permute(0, 2, 3, 1)


def _pool(name: str, **more: Any) -> Callable[[Any, Given], Run]:
    def made(torch: Any, t: Given) -> Run:
        x, run = _first(t["I"]), getattr(torch.nn.functional, name)
        return lambda: _last(run(x, (t["r"], t["s"]), t["t"], t["pad"], **more))

    return made


def _resize(torch: Any, t: Given) -> Run:
    x, run = _first(t["I"]), torch.nn.functional.interpolate
    return lambda: _last(run(x, scale_factor=t["z"], mode="bilinear", align_corners=False))


def _running(axis: int) -> Callable[[Any, Given], Run]:
    """Running sums that begin with a 0."""
    pad = (0, 0, 1, 0) if axis == 0 else (1, 0)
    return lambda torch, t: lambda: torch.nn.functional.pad(torch.cumsum(t["X"], axis), pad)


def _stencil(x: Any) -> Any:
    return (x[1:-1, 1:-1] + x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]) * 0.2


def _part(torch: Any, t: Given) -> Run:
    return lambda: t["A"][:, t["o"] : t["o"] + t["k"]] @ t["B"]


def _mlp(activation: str) -> Callable[[Any, Given], Run]:
    def made(torch: Any, t: Given) -> Run:
        act = getattr(torch.nn.functional, activation)
        return lambda: act(t["X"] @ t["W"] + t["b"]) @ t["V"]

    return made


LAYERS: dict[str, Callable[[Any, Given], Run]] = {
    "mean": lambda torch, t: lambda: t["x"].mean(1),
    "argmax": lambda torch, t: lambda: torch.argmax(t["X"], 1),
    "cumulative_sum": _running(0),
    "cumulative_sum_along": _running(1),
    "gelu_mlp": _mlp("gelu"),
    "silu_mlp": _mlp("silu"),
    "grouped_conv2d": _grouped,
    "conv3d": _convolution(),
    "dilated_conv2d": _convolution(dilated=True),
    "transposed_conv2d": _transposed,
    "transposed_conv2d_by_output": _transposed,
    "capsule_conv2d": _capsule,
    "batched_weight_conv2d": _batched,
    "max_pool": _pool("max_pool2d"),
    "max_pool_repeated": _pool("max_pool2d"),
    "average_pool": _pool("avg_pool2d", count_include_pad=False),
    "bilinear_resize": _resize,
    "stencil2d": lambda torch, t: lambda: _stencil(t["A"]),
    "mttkrp": lambda torch, t: lambda: torch.einsum("ijk,jr,kr->ir", t["X"], t["B"], t["C"]),
    "sddmm": lambda torch, t: lambda: t["S"] * (t["A"] @ t["B"]),
    "gemm_of_a_part": _part,
    "embedding": lambda torch, t: lambda: torch.nn.functional.embedding(t["at"], t["E"]),
    "embedding_bag": lambda torch, t: (
        lambda: torch.nn.functional.embedding_bag(t["at"], t["E"], mode="sum", per_sample_weights=t["w"])
    ),
}


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
