"""The rows of torch: the ONNX operators it computes."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from isamap_smt.networks.onnx.operators.elementwise import onnx_type
from isamap_smt.networks.onnx.rows import (
    Attributes,
    Library,
    Row,
    each,
    flattened,
    folded,
    parts,
    reshaped,
    sliced,
    squeezed,
    unless,
    unsqueezed,
    whole,
)
from isamap_smt.networks.torch.tensors import array_of, tensor_of, torch_type

_UNARY: dict[str, Any] = {
    "Abs": torch.abs, "Acos": torch.acos, "Asin": torch.asin, "Atan": torch.atan, "Ceil": torch.ceil, "Cos": torch.cos,
    "Cosh": torch.cosh, "Det": torch.linalg.det, "Erf": torch.erf, "Exp": torch.exp, "Floor": torch.floor, "Identity": lambda x: x,
    "IsNaN": torch.isnan, "Log": torch.log, "Neg": torch.neg, "Not": torch.logical_not, "Reciprocal": torch.reciprocal,
    "Relu": torch.relu, "Round": torch.round, "Sigmoid": torch.sigmoid, "Sign": torch.sign, "Sin": torch.sin, "Sinh": torch.sinh,
    "Softplus": functional.softplus, "Sqrt": torch.sqrt, "Tan": torch.tan, "Tanh": torch.tanh, "HardSwish": functional.hardswish,
}  # fmt: skip
_BINARY: dict[str, Any] = {
    "Add": torch.add, "Sub": torch.sub, "Mul": torch.mul, "And": torch.logical_and,
    "Or": torch.logical_or, "Xor": torch.logical_xor, "Equal": torch.eq, "Less": torch.lt, "LessOrEqual": torch.le,
    "Greater": torch.gt, "GreaterOrEqual": torch.ge, "MatMul": torch.matmul, "Where": torch.where,
}  # fmt: skip
_MANY: dict[str, Any] = {"Max": torch.maximum, "Min": torch.minimum, "Sum": torch.add}
_REDUCED: dict[str, Any] = {
    "ReduceSum": torch.sum, "ReduceMean": torch.mean, "ReduceMax": torch.amax, "ReduceMin": torch.amin,
}  # fmt: skip


def _reduced(function: Any) -> Row:
    def row(a: Attributes, x: Tensor, axes: Any = None) -> Any:
        over = list(whole(axes) if axes is not None else a.get("axes", ()))
        if not over and a.get("noop_with_empty_axes"):
            return x
        return function(x, dim=over or list(range(x.dim())), keepdim=bool(a.get("keepdims", 1))).to(x.dtype)

    return row


def _arg(function: Any) -> Row:
    def row(a: Attributes, x: Tensor) -> Any:
        unless(a.get("select_last_index"), "the last index")
        return function(x, dim=a.get("axis", 0), keepdim=bool(a.get("keepdims", 1)))

    return row


def _floats(function: Any) -> Row:
    """For floating point alone, of one type: integers are divided otherwise, and mixed types are promoted."""

    def row(_: Attributes, x: Tensor, y: Tensor) -> Any:
        unless(not x.is_floating_point() or x.dtype != y.dtype, f"{x.dtype} with {y.dtype}")
        return function(x, y)

    return row


def _gemm(a: Attributes, x: Tensor, y: Tensor, z: Any = None) -> Any:
    x, y = (x.T if a.get("transA") else x), (y.T if a.get("transB") else y)
    if z is None:
        return torch.matmul(x, y) * a.get("alpha", 1.0)
    return torch.addmm(z, x, y, beta=a.get("beta", 1.0), alpha=a.get("alpha", 1.0))


def _cumulated(a: Attributes, x: Tensor, axis: Any) -> Any:
    unless(a.get("exclusive") or a.get("reverse"), "exclusive and reverse sums")
    return torch.cumsum(x, whole(axis)[0], dtype=x.dtype)


def _top(a: Attributes, x: Tensor, k: Any) -> Any:
    """The first of equal ones comes first."""
    axis = a.get("axis", -1)
    made, at = torch.sort(x, dim=axis, descending=bool(a.get("largest", 1)), stable=True)
    count = whole(k)[0]
    return made.narrow(axis, 0, count), at.narrow(axis, 0, count)


def _spatial(a: Attributes, x: Tensor, kernel: list[int]) -> tuple[list[int], list[int], list[int]]:
    """Strides, dilations and pads on either side. Raises NetworkError for other pads."""
    rank = len(kernel)
    pads = a.get("pads", [0] * 2 * rank)
    unless(
        a.get("auto_pad", "NOTSET") not in ("NOTSET", "VALID") or list(pads[:rank]) != list(pads[rank:]), "these pads"
    )
    unless(x.dim() != rank + 2 or rank > 3, f"{rank} spatial dimensions")
    return a.get("strides", [1] * rank), a.get("dilations", [1] * rank), list(pads[:rank])


def _conv(a: Attributes, x: Tensor, w: Tensor, b: Any = None) -> Any:
    strides, dilations, pads = _spatial(a, x, list(w.shape[2:]))
    function = (functional.conv1d, functional.conv2d, functional.conv3d)[x.dim() - 3]
    return function(x, w, b, strides, pads, dilations, a.get("group", 1))


def _max_pool(a: Attributes, x: Tensor) -> Any:
    strides, dilations, pads = _spatial(a, x, a["kernel_shape"])
    unless(a.get("ceil_mode") or a.get("storage_order"), "this MaxPool")
    function = (functional.max_pool1d, functional.max_pool2d, functional.max_pool3d)[x.dim() - 3]
    return function(x, a["kernel_shape"], strides, pads, dilations)


def _batch_norm(a: Attributes, x: Tensor, scale: Tensor, bias: Tensor, mean: Tensor, var: Tensor) -> Any:
    unless(a.get("training_mode"), "training")
    return functional.batch_norm(x, mean, var, scale, bias, eps=a.get("epsilon", 1e-5))


def _layer_norm(a: Attributes, x: Tensor, scale: Tensor, bias: Any = None) -> Any:
    axis = a.get("axis", -1)
    over = list(x.shape[axis:])
    unless(list(scale.shape) != over, "this LayerNormalization")
    return functional.layer_norm(x, over, scale, bias, a.get("epsilon", 1e-5))


def _gelu(a: Attributes, x: Tensor) -> Any:
    return functional.gelu(x, approximate=a.get("approximate", "none"))


def _clip(_: Attributes, x: Tensor, low: Any = None, high: Any = None) -> Any:
    return x if low is None and high is None else torch.clamp(x, low, high)


def _scattered(a: Attributes, x: Tensor, at: Tensor, values: Tensor) -> Any:
    kind = a.get("reduction", "none")
    unless(kind not in ("none", "add"), f"a Scatter by {kind}")
    return torch.index_put(x, tuple(at.long().unbind(-1)), values, accumulate=kind == "add")


def _scattered_elements(a: Attributes, x: Tensor, at: Tensor, values: Tensor) -> Any:
    kind, axis, at = a.get("reduction", "none"), a.get("axis", 0), at.long()
    unless(kind not in ("none", "add"), f"a Scatter by {kind}")
    at = torch.where(at < 0, at + x.shape[axis], at)
    return torch.scatter_add(x, axis, at, values) if kind == "add" else torch.scatter(x, axis, at, values)


def _gathered(a: Attributes, x: Tensor, at: Tensor) -> Any:
    axis = a.get("axis", 0) % x.dim()
    index = torch.where(at < 0, at + x.shape[axis], at).reshape(-1)
    made = torch.index_select(x, axis, index)
    return made.reshape((*x.shape[:axis], *at.shape, *x.shape[axis + 1 :]))


def _gathered_elements(a: Attributes, x: Tensor, at: Tensor) -> Any:
    axis, at = a.get("axis", 0), at.long()
    return torch.gather(x, axis, torch.where(at < 0, at + x.shape[axis], at))


def _fourier(a: Attributes, x: Tensor, length: Any = None, axis: Any = None) -> Any:
    at = whole(axis)[0] if axis is not None else a.get("axis", -2)
    at += x.dim() if at < 0 else 0
    unless(x.shape[-1] not in (1, 2), "DFT of more than two parts")
    n = None if length is None else whole(length)[0]
    inverse, onesided = a.get("inverse", 0), a.get("onesided", 0)
    unless(inverse and onesided, "an inverse DFT of one side")
    z = x[..., 0] if x.shape[-1] == 1 else torch.view_as_complex(x.contiguous())
    unless(onesided and z.is_complex(), "one side of complex numbers")
    made = (torch.fft.rfft if onesided else torch.fft.ifft if inverse else torch.fft.fft)(z, n, dim=at)
    return torch.view_as_real(made)


def _grid_sample(a: Attributes, x: Tensor, grid: Tensor) -> Any:
    modes = {"linear": "bilinear", "bilinear": "bilinear", "nearest": "nearest"}
    unless(a.get("mode", "linear") not in modes, "this GridSample")
    return functional.grid_sample(
        x, grid, modes[a.get("mode", "linear")], a.get("padding_mode", "zeros"), bool(a.get("align_corners", 0))
    )


def _split(a: Attributes, x: Tensor, split: Any = None) -> Any:
    unless(split is None and "num_outputs" not in a, "a Split into parts that are not told")
    axis = a.get("axis", 0)
    return tuple(x.narrow(axis, b, e - b) for b, e in parts(a, x, split, a.get("num_outputs", 1)))


ROWS: dict[str, Row] = {
    **{n: each(f) for n, f in (*_UNARY.items(), *_BINARY.items())},
    **{n: folded(f) for n, f in _MANY.items()},
    **{n: _reduced(f) for n, f in _REDUCED.items()},
    "ArgMax": _arg(torch.argmax),
    "ArgMin": _arg(torch.argmin),
    "BatchNormalization": _batch_norm,
    "Cast": lambda a, x: x.to(torch_type(onnx_type(a["to"]))),
    "Clip": _clip,
    "Concat": lambda a, *x: torch.cat(x, a["axis"]),
    "Conv": _conv,
    "CumSum": _cumulated,
    "DFT": _fourier,
    "Div": _floats(torch.div),
    "Einsum": lambda a, *x: torch.einsum(a["equation"], *x),
    "Elu": lambda a, x: functional.elu(x, a.get("alpha", 1.0)),
    "Expand": lambda _, x, shape: x.expand(np.broadcast_shapes(tuple(x.shape), tuple(whole(shape)))),
    "Flatten": flattened,
    "Gather": _gathered,
    "GatherElements": _gathered_elements,
    "Gelu": _gelu,
    "Gemm": _gemm,
    "GlobalAveragePool": lambda _, x: x.mean(dim=list(range(2, x.dim())), keepdim=True),
    "GridSample": _grid_sample,
    "LayerNormalization": _layer_norm,
    "LeakyRelu": lambda a, x: functional.leaky_relu(x, a.get("alpha", 0.01)),
    "LogSoftmax": lambda a, x: torch.log_softmax(x, a.get("axis", -1)),
    "MaxPool": _max_pool,
    "NonZero": lambda _, x: torch.nonzero(x).T,
    "Pow": _floats(torch.pow),
    "Reshape": reshaped,
    "ScatterElements": _scattered_elements,
    "ScatterND": _scattered,
    "Slice": sliced,
    "Softmax": lambda a, x: torch.softmax(x, a.get("axis", -1)),
    "Split": _split,
    "Squeeze": squeezed,
    "Tile": lambda _, x, times: torch.tile(x, whole(times)),
    "TopK": _top,
    "Transpose": lambda a, x: x.permute(a.get("perm") or list(range(x.dim()))[::-1]),
    "Trilu": lambda a, x, k=0: (torch.triu if a.get("upper", 1) else torch.tril)(x, whole(k)[0]),
    "Unsqueeze": unsqueezed,
}
# torch has no tensors that are only read, and says so of each
TORCH = Library("torch", ROWS, lambda x: tensor_of(x if x.flags.writeable else x.copy()), array_of)
