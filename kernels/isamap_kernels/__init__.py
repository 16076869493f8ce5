"""Operators, one file per family, described with the public API of `isamap_smt` alone."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from isamap_kernels import convolution, gemm, layers, matvec, recurrent

if TYPE_CHECKING:
    from isamap_smt.language import Kernel

TEXTS = {
    "gemm": gemm.GEMM,
    "gemm_nt": gemm.GEMM_NT,
    "gemm_tn": gemm.GEMM_TN,
    "matvec": matvec.MATVEC,
    "batched_gemm": gemm.BATCHED_GEMM,
    "conv2d": convolution.CONV2D,
    "depthwise_conv2d": convolution.DEPTHWISE_CONV2D,
    "pointwise_conv2d": convolution.POINTWISE_CONV2D,
    "depthwise_separable_conv2d": convolution.DEPTHWISE_SEPARABLE_CONV2D,
    "linear_relu": layers.LINEAR_RELU,
    "linear_int8": layers.LINEAR_INT8,
    "linear_q4": layers.LINEAR_Q4,
    "two_layers": layers.TWO_LAYERS,
    "gru": recurrent.GRU,
    "lstm": recurrent.LSTM,
}

ABOUT = {
    "gemm": "matrix product",
    "gemm_nt": "matrix product, second factor transposed",
    "gemm_tn": "matrix product, first factor transposed",
    "matvec": "matrix times vector",
    "batched_gemm": "a matrix product for each element of a batch",
    "conv2d": "2-D convolution, NHWC, stride, dilation, padding",
    "depthwise_conv2d": "2-D convolution of each channel by itself",
    "pointwise_conv2d": "2-D convolution with a window of one pixel",
    "depthwise_separable_conv2d": "depthwise, then pointwise convolution",
    "linear_relu": "linear layer with bias and ReLU",
    "linear_int8": "linear layer of bytes, scaled by column",
    "linear_q4": "linear layer with weights of 4 bits in blocks",
    "two_layers": "two linear layers, ReLU between them",
    "gru": "gated recurrent unit, over time steps",
    "lstm": "long short-term memory, over time steps",
}

# networks in ONNX's format that come along: what `models` leads to
NETWORKS = {
    "resnet8": "ResNet-8 of MLPerf Tiny, a 32 x 32 image, seeded weights",
}


def models() -> dict[str, Path]:
    """The files of the networks, by name."""
    folder = Path(__file__).parent / "models"
    return {name: folder / f"{name}.onnx" for name in NETWORKS}


def names() -> tuple[str, ...]:
    """The names known to `load`."""
    return tuple(TEXTS)


@cache
def load(name: str) -> Kernel:
    """The kernel with this name, in f32 and with symbolic sizes. Raises KeyError for other names.

    >>> print(load("gemm").text)
    C[i,j] += A[i,k] * B[k,j]
    """
    from isamap_smt.language import kernel

    return kernel(TEXTS[name].strip(), name=name)
