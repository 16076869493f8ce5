"""The operators of examples/ as NumPy, torch and onnxruntime compute them, on the same arrays: to compare results and times.

Each peer is a function of the arrays and sizes that makes what can be called over and over; layouts are changed before that, by
views where the library takes views. A library that is not installed has no peers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

import isamap_smt as im
from examples import attention, contractions, convolutions, indexed, norms, onnx_quantised, windows
from isamap_smt.ir.interpret import random_arrays

Run = Callable[[], Any]
Arrays = dict[str, Any]
Sizes = dict[str, int]


@dataclass(frozen=True)
class Operator:
    """small: sizes to compare results at; usual: to take times at. exact: the peers' bits are ours."""

    kernel: im.Kernel
    small: str
    usual: str
    numpy: Callable[..., Any] | None = None
    torch: Callable[..., Any] | None = None
    onnx: Callable[..., Run] | None = None
    exact: bool = False
    values: dict[str, tuple[float, float]] = field(default_factory=dict, hash=False)

    def arrays(self, sizes: Sizes) -> Arrays:
        """Elements of every input: floats in [-1, 1), or in the range of `values`; all bytes; all indices."""
        rng = np.random.default_rng(0)
        found = random_arrays(self.kernel, sizes, rng)
        for n, (low, high) in self.values.items():
            found[n] = rng.uniform(low, high, found[n].shape).astype(found[n].dtype)
        return found

    def peers(self, arrays: Arrays, sizes: Sizes) -> dict[str, Run]:
        """What can be called, by library."""
        found: dict[str, Run] = {}
        if self.numpy is not None:
            found["numpy"] = lambda: self.numpy(arrays, sizes)  # type: ignore[misc]
        if self.torch is not None and torch() is not None:
            found["torch"] = self.torch({n: torch().from_numpy(a) for n, a in arrays.items()}, sizes)
        if self.onnx is not None and onnxruntime() is not None:
            found["onnxruntime"] = self.onnx(arrays, sizes)
        return found


def settings(text: str) -> Sizes:
    """Sizes from `i=5 j=7`."""
    pairs = (x.split("=") for x in text.split())
    return {n: int(v) for n, v in pairs}


@cache
def torch() -> Any:
    """PyTorch on one thread, or None."""
    try:
        import torch as found
    except ImportError:
        return None
    found.set_num_threads(1)
    return found


@cache
def onnxruntime() -> Any:
    """onnxruntime, where onnx is installed too, or None."""
    try:
        import onnx  # noqa: F401
        import onnxruntime as found
    except ImportError:
        return None
    return found


def session(nodes: list[tuple[str, list[str], str, dict[str, Any]]], values: Arrays, fed: str, out: Any) -> Run:
    """A session on one thread of these nodes (operator, inputs, output, attributes); `fed` is given at each run, all else constant.
    out: the element type of the last output."""
    from onnx import helper, numpy_helper

    ort = onnxruntime()
    kind = helper.np_dtype_to_tensor_dtype
    made = [helper.make_node(name, inputs, [to], **attributes) for name, inputs, to, attributes in nodes]
    info = [helper.make_tensor_value_info(fed, kind(values[fed].dtype), values[fed].shape)]
    constants = [numpy_helper.from_array(np.asarray(v), n) for n, v in values.items() if n != fed]
    result = helper.make_tensor_value_info(nodes[-1][2], kind(np.dtype(out)), None)
    graph = helper.make_graph(made, "operator", info, [result], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)])
    model.ir_version = 10
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    running = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return lambda: running.run(None, {fed: values[fed]})[0]


def _last(x: Any) -> Any:
    """Channels after all others, as torch's results are seen here."""
    return x.permute(0, *range(2, x.ndim), 1)


def _first(x: Any) -> Any:
    """A view with the channels second, as torch takes it."""
    return x.permute(0, x.ndim - 1, *range(1, x.ndim - 1))


def _convolution(a: Arrays, k: Sizes, **more: Any) -> Run:
    x = _first(a["I"])
    rank = x.ndim - 2
    w = (
        a["W"]
        .permute(rank + 1, rank, *range(rank))
        .contiguous(memory_format=torch().channels_last if rank == 2 else torch().channels_last_3d)
    )
    run = torch().nn.functional.conv2d if rank == 2 else torch().nn.functional.conv3d
    return lambda: _last(run(x, w, **more))


def _grouped(a: Arrays, k: Sizes) -> Run:
    n, h, w_, g, c = a["I"].shape
    x, r, s = _first(a["I"].reshape(n, h, w_, g * c)), k["r"], k["s"]
    w = a["W"].permute(0, 4, 3, 1, 2).reshape(g * k["k"], c, r, s).contiguous(memory_format=torch().channels_last)
    return lambda: _last(torch().nn.functional.conv2d(x, w, groups=g)).reshape(n, k["p"], k["q"], g, k["k"])


def _transposed(a: Arrays, k: Sizes) -> Run:
    x, w = _first(a["I"]), a["W"].permute(2, 3, 0, 1).contiguous()
    return lambda: _last(torch().nn.functional.conv_transpose2d(x, w, stride=k["t"]))


def _capsule(a: Arrays, k: Sizes) -> Run:
    """Rows of the matrices are images of their own, capsules and columns channels."""
    n, h, w_, c, i, m = a["I"].shape
    x = a["I"].permute(0, 4, 3, 5, 1, 2).reshape(n * i, c * m, h, w_).contiguous()
    w = a["W"].permute(3, 5, 2, 4, 0, 1).reshape(k["k"] * k["j"], c * m, k["r"], k["s"]).contiguous()
    shape = n, i, k["k"], k["j"], k["p"], k["q"]
    return lambda: torch().nn.functional.conv2d(x, w).reshape(shape).permute(0, 4, 5, 2, 1, 3)


def _batched(a: Arrays, k: Sizes) -> Run:
    n, h, w_, c = a["I"].shape
    x = a["I"].permute(0, 3, 1, 2).reshape(1, n * c, h, w_).contiguous()
    w = a["W"].permute(0, 4, 3, 1, 2).reshape(n * k["k"], c, k["r"], k["s"]).contiguous()
    shape = n, k["k"], k["p"], k["q"]
    return lambda: torch().nn.functional.conv2d(x, w, groups=n).reshape(shape).permute(0, 2, 3, 1)


def _pool(name: str, **more: Any) -> Callable[[Arrays, Sizes], Run]:
    def make(a: Arrays, k: Sizes) -> Run:
        x, run = _first(a["I"]), getattr(torch().nn.functional, name)
        return lambda: _last(run(x, (k["r"], k["s"]), k["t"], k["pad"], **more))

    return make


def _resize(a: Arrays, k: Sizes) -> Run:
    x, run = _first(a["I"]), torch().nn.functional.interpolate
    return lambda: _last(run(x, scale_factor=k["z"], mode="bilinear", align_corners=False))


def _stencil(a: Any) -> Any:
    return (a[1:-1, 1:-1] + a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:]) * 0.2


def _torch(function: Callable[[Any, Arrays], Any]) -> Callable[[Arrays, Sizes], Run]:
    """Of torch.nn.functional (and torch as its `.torch`) and the arrays."""
    return lambda a, k: lambda: function(torch(), a)


def _f(t: Any) -> Any:
    return t.nn.functional


def _softmax(x: Any) -> Any:
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def _sum(x: Any, axis: int) -> Any:
    """Running sums that begin with a 0."""
    found = np.zeros([n + (d == axis) for d, n in enumerate(x.shape)], np.float32)
    np.cumsum(x, axis, out=found[1:] if axis == 0 else found[:, 1:])
    return found


def _padded_sum(axis: int) -> Callable[[Arrays, Sizes], Run]:
    def make(a: Arrays, k: Sizes) -> Run:
        x, pad = a["X"], (0, 0, 1, 0) if axis == 0 else (1, 0)
        return lambda: _f(torch()).pad(torch().cumsum(x, axis), pad)

    return make


def _qlinear_matmul(a: Arrays, k: Sizes) -> Run:
    one = np.float32(1)
    values = {"A": a["A"], "sa": one, "za": a["za"], "B": a["B"], "sb": a["s"], "zb": a["zb"], "sy": one, "zy": a["zy"]}
    return session([("QLinearMatMul", list(values), "out", {})], values, "A", np.uint8)


def _qlinear_conv(a: Arrays, k: Sizes) -> Run:
    one, x = np.float32(1), np.ascontiguousarray(a["I"].transpose(0, 3, 1, 2))
    w = np.ascontiguousarray(a["F"].transpose(3, 2, 0, 1))
    values = {
        "x": x, "sx": one, "zx": a["z"], "w": w, "sw": a["m"], "zw": np.zeros(len(w), np.int8), "sy": one, "zy": a["zy"],
        "b": a["b"],
    }  # fmt: skip
    how = {"strides": [k["t"]] * 2, "pads": [k["pad"]] * 4}
    run = session([("QLinearConv", list(values), "out", how)], values, "x", np.uint8)
    return lambda: run().transpose(0, 2, 3, 1)


def _int8_linear(a: Arrays, k: Sizes) -> Run:
    nodes: list[tuple[str, list[str], str, dict[str, Any]]] = [
        ("MatMulInteger", ["X", "W"], "t", {}), ("Cast", ["t"], "f", {"to": 1}), ("Mul", ["f", "s"], "g", {}),
        ("Add", ["g", "b"], "out", {}),
    ]  # fmt: skip
    return session(nodes, {n: a[n] for n in ("X", "W", "s", "b")}, "X", np.float32)


OPERATORS = (
    Operator(
        attention.ATTENTION,
        "h=2 q=5 k=7 d=9",
        "h=12 q=128 k=128 d=64",
        values={"z": (0.125, 0.125)},
        torch=_torch(
            lambda t, a: _f(t).scaled_dot_product_attention(
                a["Q"][None], a["K"][None], a["V"][None], scale=float(a["z"])
            )[0]
        ),
    ),
    Operator(
        norms.LAYER_NORM,
        "i=5 n=37",
        "i=128 n=768",
        values={"g": (0.5, 2.0)},
        torch=_torch(lambda t, a: _f(t).layer_norm(a["x"], a["g"].shape, a["g"], a["b"], 1e-5)),
    ),
    Operator(
        norms.RMS_NORM,
        "i=5 n=37",
        "i=128 n=768",
        torch=_torch(lambda t, a: _f(t).rms_norm(a["x"], a["g"].shape, a["g"], 1e-6)),
    ),
    Operator(
        norms.SOFTMAX,
        "i=5 n=37",
        "i=128 n=768",
        lambda a, k: _softmax(a["x"]),
        _torch(lambda t, a: _f(t).softmax(a["x"], 1)),
    ),
    Operator(norms.LOG_SUM_EXP, "i=5 n=37", "i=128 n=768", torch=_torch(lambda t, a: t.logsumexp(a["x"], 1))),
    Operator(norms.MEAN, "i=5 n=37", "i=128 n=768", lambda a, k: a["x"].mean(1), _torch(lambda t, a: a["x"].mean(1))),
    Operator(
        norms.VARIANCE,
        "i=5 n=37",
        "i=128 n=768",
        lambda a, k: a["x"].var(1),
        _torch(lambda t, a: t.var(a["x"], 1, correction=0)),
    ),
    Operator(
        indexed.ARGMAX,
        "i=5 j=37",
        "i=128 j=1000",
        lambda a, k: a["X"].argmax(1),
        _torch(lambda t, a: t.argmax(a["X"], 1)),
        exact=True,
    ),
    Operator(indexed.CUMULATIVE_SUM, "t=5 j=37", "t=512 j=256", lambda a, k: _sum(a["X"], 0), _padded_sum(0)),
    Operator(indexed.CUMULATIVE_SUM_ALONG, "i=5 t=37", "i=256 t=512", lambda a, k: _sum(a["X"], 1), _padded_sum(1)),
    Operator(
        contractions.GELU_MLP,
        "i=5 h=19 k=7 j=13",
        "i=128 h=1024 k=256 j=256",
        torch=_torch(lambda t, a: _f(t).gelu(a["X"] @ a["W"] + a["b"]) @ a["V"]),
    ),
    Operator(
        contractions.SILU_MLP,
        "i=5 h=19 k=7 j=13",
        "i=128 h=1024 k=256 j=256",
        torch=_torch(lambda t, a: _f(t).silu(a["X"] @ a["W"] + a["b"]) @ a["V"]),
    ),
    Operator(onnx_quantised.INT8_LINEAR, "i=5 j=19 k=37", "i=128 j=256 k=256", onnx=_int8_linear),
    Operator(
        onnx_quantised.QLINEAR_MATMUL,
        "i=17 j=19 k=37",
        "i=128 j=256 k=256",
        onnx=_qlinear_matmul,
        exact=True,
        values={"s": (0.0005, 0.01)},
    ),
    Operator(
        onnx_quantised.QLINEAR_CONV,
        "n=1 p=4 q=5 k=17 r=3 s=3 c=5 t=1 pad=1",
        "n=1 p=28 q=28 k=64 r=3 s=3 c=64 t=1 pad=1",
        onnx=_qlinear_conv,
        exact=True,
        values={"m": (0.0005, 0.01)},
    ),
    Operator(
        convolutions.GROUPED, "n=1 p=5 q=7 g=2 k=9 c=3 r=3 s=2", "n=1 p=28 q=28 g=4 k=16 c=16 r=3 s=3", torch=_grouped
    ),
    Operator(
        convolutions.VOLUME,
        "n=1 p=3 q=2 v=5 k=17 c=3 r=2 s=3 w=1",
        "n=1 p=8 q=8 v=8 k=32 c=32 r=3 s=3 w=3",
        torch=_convolution,
    ),
    Operator(
        convolutions.DILATED,
        "n=1 p=5 q=6 k=17 c=3 r=3 s=2 d=2",
        "n=1 p=28 q=28 k=64 c=32 r=3 s=3 d=2",
        torch=lambda a, k: _convolution(a, k, dilation=k["d"]),
    ),
    Operator(
        convolutions.TRANSPOSED,
        "n=1 p=4 q=5 k=9 c=3 r=3 s=2 t=2",
        "n=1 p=14 q=14 k=32 c=64 r=3 s=3 t=2",
        torch=_transposed,
    ),
    Operator(
        convolutions.TRANSPOSED_BY_OUTPUT,
        "n=1 P=4 Q=5 k=9 c=3 r=3 s=2 t=2",
        "n=1 P=14 Q=14 k=32 c=64 r=3 s=3 t=2",
        torch=_transposed,
    ),
    Operator(
        convolutions.CAPSULE,
        "n=1 p=3 q=2 k=3 i=4 j=4 c=2 r=2 s=3 m=4",
        "n=1 p=6 q=6 k=16 i=4 j=4 c=8 r=3 s=3 m=4",
        torch=_capsule,
    ),
    Operator(
        convolutions.BATCHED_WEIGHTS, "n=3 p=4 q=5 k=17 c=3 r=2 s=3", "n=4 p=14 q=14 k=32 c=32 r=3 s=3", torch=_batched
    ),
    Operator(
        windows.MAX_POOL,
        "n=1 p=5 q=4 c=19 r=3 s=3 t=2 pad=1",
        "n=1 p=28 q=28 c=64 r=3 s=3 t=2 pad=1",
        torch=_pool("max_pool2d"),
        exact=True,
    ),
    Operator(
        windows.MAX_POOL_REPEATED,
        "n=1 p=5 q=4 c=19 r=3 s=3 t=2 pad=1",
        "n=1 p=28 q=28 c=64 r=3 s=3 t=2 pad=1",
        torch=_pool("max_pool2d"),
        exact=True,
    ),
    Operator(
        windows.AVERAGE_POOL,
        "n=1 p=5 q=4 c=19 r=3 s=3 t=2 pad=1",
        "n=1 p=28 q=28 c=64 r=3 s=3 t=2 pad=1",
        torch=_pool("avg_pool2d", count_include_pad=False),
    ),
    Operator(windows.BILINEAR, "n=1 H=5 W_=7 c=9 z=2", "n=1 H=28 W_=28 c=64 z=2", torch=_resize),
    Operator(
        windows.STENCIL, "i=5 j=37", "i=512 j=512", lambda a, k: _stencil(a["A"]), _torch(lambda t, a: _stencil(a["A"]))
    ),
    Operator(
        contractions.MTTKRP,
        "i=5 j=7 k=9 r=17",
        "i=64 j=64 k=64 r=32",
        lambda a, k: a["X"].reshape(len(a["X"]), -1) @ (a["B"][:, None] * a["C"][None]).reshape(-1, a["B"].shape[1]),
        _torch(lambda t, a: t.einsum("ijk,jr,kr->ir", a["X"], a["B"], a["C"])),
    ),
    Operator(
        contractions.SDDMM,
        "i=7 j=19 k=9",
        "i=256 j=256 k=64",
        lambda a, k: a["S"] * (a["A"] @ a["B"]),
        _torch(lambda t, a: a["S"] * (a["A"] @ a["B"])),
    ),
    Operator(
        contractions.GEMM_OF_A_PART,
        "i=7 j=19 k=9 o=3 rest=5",
        "i=128 j=256 k=256 o=64 rest=192",
        lambda a, k: a["A"][:, k["o"] : k["o"] + k["k"]] @ a["B"],
        lambda a, k: lambda: a["A"][:, k["o"] : k["o"] + k["k"]] @ a["B"],
    ),
    Operator(
        indexed.EMBEDDING,
        "V=9 i=5 j=19",
        "V=10000 i=512 j=768",
        lambda a, k: a["E"][a["at"]],
        _torch(lambda t, a: _f(t).embedding(a["at"], a["E"])),
        exact=True,
    ),
    Operator(
        indexed.EMBEDDING_BAG,
        "V=9 i=5 l=3 j=19",
        "V=10000 i=64 l=8 j=768",
        torch=_torch(lambda t, a: _f(t).embedding_bag(a["at"], a["E"], mode="sum", per_sample_weights=a["w"])),
    ),
)
