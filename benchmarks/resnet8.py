"""Makes kernels/isamap_kernels/models/resnet8.onnx: python -m benchmarks.resnet8

The network for images of MLPerf Tiny (three residual blocks of 16, 32 and 64 channels), as it is after training: norms are in
the convolutions. Weights are drawn (He et al. 2015), and classes mean nothing.
"""

from __future__ import annotations

from math import prod
from typing import Any

import onnx

import isamap_kernels
from benchmarks.onnx_graph import Graph

SEED = 8


def _layer(g: Graph, name: str, *shape: int) -> list[str]:
    """Names of the weights and the bias of a layer."""
    return [
        g.weight(*shape, rows=prod(shape[1:]), name=f"{name}.weight"),
        g.weight(shape[0], scale=0.1, name=f"{name}.bias"),
    ]


def _conv(g: Graph, x: str, name: str, before: int, after: int, size: int = 3, stride: int = 1) -> str:
    """A convolution of stride 1 or 2 whose result has ceil(n / stride) points."""
    pads = [0] * 4 if size == 1 else [1] * 4 if stride == 1 else [0, 0, 1, 1]
    layer = _layer(g, name, after, before, size, size)
    return str(g.do("Conv", x, *layer, name=name, strides=[stride] * 2, pads=pads))


def _block(g: Graph, x: str, name: str, before: int, after: int, stride: int) -> str:
    first = g.do("Relu", _conv(g, x, f"{name}.conv1", before, after, 3, stride), name=f"{name}.relu1")
    second = _conv(g, first, f"{name}.conv2", after, after)
    beside = x if stride == 1 else _conv(g, x, f"{name}.shortcut", before, after, 1, stride)
    return str(g.do("Relu", g.do("Add", second, beside, name=f"{name}.sum"), name=f"{name}.relu2"))


def resnet8() -> Any:
    """The ModelProto."""
    g = Graph(SEED)
    x = g.do("Relu", _conv(g, g.input("image", 1, 3, 32, 32), "conv", 3, 16), name="relu")
    before = 16
    for number, (after, stride) in enumerate(((16, 1), (32, 2), (64, 2)), 1):
        x, before = _block(g, x, f"block{number}", before, after, stride), after
    x = g.do("Flatten", g.do("GlobalAveragePool", x, name="pool"), name="features")
    x = g.do("Softmax", g.do("Gemm", x, *_layer(g, "dense", 10, 64), name="dense", transB=1), name="classes")
    g.output(x, 1, 10)
    return g.model("resnet8")


if __name__ == "__main__":
    onnx.save(resnet8(), isamap_kernels.models()["resnet8"])
