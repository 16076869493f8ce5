"""The rows of NumPy: the ONNX operators it computes."""

from __future__ import annotations

from typing import Any

import numpy as np

from isamap_smt.networks.onnx.operators.elementwise import onnx_type
from isamap_smt.networks.onnx.rows import (
    Attributes,
    Library,
    Row,
    each,
    flattened,
    folded,
    reshaped,
    sliced,
    squeezed,
    unless,
    unsqueezed,
    whole,
)

_UNARY: dict[str, Any] = {
    "Abs": np.abs, "Acos": np.arccos, "Asin": np.arcsin, "Atan": np.arctan, "Ceil": np.ceil, "Cos": np.cos, "Cosh": np.cosh,
    "Exp": np.exp, "Floor": np.floor, "Identity": lambda x: x, "IsNaN": np.isnan, "Log": np.log, "Neg": np.negative,
    "Not": np.logical_not, "Reciprocal": np.reciprocal, "Relu": lambda x: np.maximum(x, 0), "Round": np.rint,
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)), "Sign": np.sign, "Sin": np.sin, "Sinh": np.sinh, "Sqrt": np.sqrt,
    "Tan": np.tan, "Tanh": np.tanh, "Det": np.linalg.det,
}  # fmt: skip
_BINARY: dict[str, Any] = {
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "And": np.logical_and,
    "Or": np.logical_or, "Xor": np.logical_xor, "Equal": np.equal, "Less": np.less, "LessOrEqual": np.less_equal,
    "Greater": np.greater, "GreaterOrEqual": np.greater_equal, "MatMul": np.matmul, "Where": np.where,
}  # fmt: skip
_MANY: dict[str, Any] = {"Max": np.maximum, "Min": np.minimum, "Sum": np.add}
_REDUCED: dict[str, Any] = {
    "ReduceSum": np.sum, "ReduceMean": np.mean, "ReduceMax": np.max, "ReduceMin": np.min, "ReduceProd": np.prod,
}  # fmt: skip


def _reduced(function: Any) -> Row:
    def row(a: Attributes, x: np.ndarray, axes: Any = None) -> Any:
        over = tuple(whole(axes) if axes is not None else a.get("axes", ()))
        if not over and a.get("noop_with_empty_axes"):
            return x
        return np.asarray(function(x, axis=over or None, keepdims=bool(a.get("keepdims", 1)))).astype(x.dtype)

    return row


def _arg(function: Any) -> Row:
    def row(a: Attributes, x: np.ndarray) -> Any:
        unless(a.get("select_last_index"), "the last index")
        return function(x, axis=a.get("axis", 0), keepdims=bool(a.get("keepdims", 1)))

    return row


def _softmax(a: Attributes, x: np.ndarray) -> Any:
    made = np.exp(x - x.max(axis=a.get("axis", -1), keepdims=True))
    return made / made.sum(axis=a.get("axis", -1), keepdims=True)


def _gemm(a: Attributes, x: np.ndarray, y: np.ndarray, z: Any = None) -> Any:
    made = np.matmul(x.T if a.get("transA") else x, y.T if a.get("transB") else y)
    made = made if a.get("alpha", 1.0) == 1.0 else made * x.dtype.type(a["alpha"])
    return made if z is None else made + z * x.dtype.type(a.get("beta", 1.0))


def _cumulated(a: Attributes, x: np.ndarray, axis: Any) -> Any:
    unless(a.get("exclusive") or a.get("reverse"), "exclusive and reverse sums")
    return np.cumsum(x, axis=whole(axis)[0], dtype=x.dtype)


def _top(a: Attributes, x: np.ndarray, k: Any) -> Any:
    """The first of equal ones comes first."""
    unless(x.dtype.kind != "f", "TopK of integers")
    axis, largest = a.get("axis", -1), a.get("largest", 1)
    at = np.argsort(-x if largest else x, axis=axis, kind="stable")
    at = np.take(at, np.arange(whole(k)[0]), axis=axis)
    return np.take_along_axis(x, at, axis), at


def _cast(a: Attributes, x: np.ndarray) -> Any:
    of = onnx_type(a["to"]).numpy
    unless(of.isbuiltin != 1, f"a Cast to {of}")
    return x.astype(of)


def _floats(function: Any) -> Row:
    """For floating point alone, of one type: integers are divided otherwise, and mixed types are promoted."""

    def row(_: Attributes, x: np.ndarray, y: np.ndarray) -> Any:
        unless(x.dtype.kind != "f" or x.dtype != y.dtype, f"{x.dtype} with {y.dtype}")
        return function(x, y)

    return row


def _einsum(a: Attributes, *x: np.ndarray) -> Any:
    unless(any(e.dtype.kind not in "biuf" for e in x), "an Einsum of these types")
    return np.einsum(a["equation"], *x, optimize=True)


def _scattered(a: Attributes, x: np.ndarray, at: np.ndarray, values: np.ndarray) -> Any:
    kind, made = a.get("reduction", "none"), x.copy()
    unless(kind not in ("none", "add"), f"a Scatter by {kind}")
    index = tuple(np.moveaxis(at, -1, 0))
    if kind == "add":
        np.add.at(made, index, values)
    else:
        made[index] = values
    return made


def _padded(a: Attributes, x: np.ndarray, pads: Any, value: Any = None, axes: Any = None) -> Any:
    unless(axes is not None or a.get("mode", "constant") != "constant", "this Pad")
    ends = np.asarray(whole(pads)).reshape(2, -1).T
    unless(ends.min(initial=0) < 0, "a Pad that cuts")
    return np.pad(x, ends, constant_values=0 if value is None else np.asarray(value).item())


def _fourier(a: Attributes, x: np.ndarray, length: Any = None, axis: Any = None) -> Any:
    at = whole(axis)[0] if axis is not None else a.get("axis", -2)
    unless(x.shape[-1] not in (1, 2), "DFT of more than two parts")
    at += x.ndim if at < 0 else 0
    n = None if length is None else whole(length)[0]
    inverse, onesided = a.get("inverse", 0), a.get("onesided", 0)
    unless(inverse and onesided, "an inverse DFT of one side")
    z = x[..., 0] if x.shape[-1] == 1 else x[..., 0] + x.dtype.type(1) * 1j * x[..., 1]
    unless(onesided and np.iscomplexobj(z), "one side of complex numbers")
    made = (np.fft.rfft if onesided else np.fft.ifft if inverse else np.fft.fft)(z, n, axis=at)
    return np.stack([made.real, made.imag], -1).astype(x.dtype)


def _concatenated(a: Attributes, *x: np.ndarray) -> Any:
    return np.concatenate(x, axis=a["axis"])


def _expanded(_: Attributes, x: np.ndarray, shape: Any) -> Any:
    return np.broadcast_to(x, np.broadcast_shapes(x.shape, tuple(whole(shape))))


ROWS: dict[str, Row] = {
    **{n: each(f) for n, f in (*_UNARY.items(), *_BINARY.items())},
    **{n: folded(f) for n, f in _MANY.items()},
    **{n: _reduced(f) for n, f in _REDUCED.items()},
    "ArgMax": _arg(np.argmax),
    "ArgMin": _arg(np.argmin),
    "Cast": _cast,
    "Clip": lambda _, x, low=None, high=None: np.clip(x, low, high),
    "Compress": lambda a, x, c: np.compress(c, x, axis=a.get("axis")),
    "Concat": _concatenated,
    "CumSum": _cumulated,
    "DFT": _fourier,
    "Div": _floats(np.divide),
    "Einsum": _einsum,
    "Expand": _expanded,
    "Flatten": flattened,
    "Gather": lambda a, x, at: np.take(x, at, axis=a.get("axis", 0)),
    "GatherElements": lambda a, x, at: np.take_along_axis(x, at, axis=a.get("axis", 0)),
    "Gemm": _gemm,
    "NonZero": lambda _, x: np.array(np.nonzero(x)),
    "Pad": _padded,
    "Pow": _floats(np.power),
    "Reshape": reshaped,
    "ScatterND": _scattered,
    "Slice": sliced,
    "Softmax": _softmax,
    "Squeeze": squeezed,
    "Tile": lambda _, x, times: np.tile(x, whole(times)),
    "TopK": _top,
    "Transpose": lambda a, x: np.transpose(x, a.get("perm")),
    "Trilu": lambda a, x, k=0: (np.triu if a.get("upper", 1) else np.tril)(x, whole(k)[0]),
    "Unsqueeze": unsqueezed,
}
NUMPY = Library("numpy", ROWS, lambda x: x, lambda x: x)
