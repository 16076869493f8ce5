"""Makes kernels/isamap_kernels/models/resnet8.onnx: python -m benchmarks.resnet8

The network for images of MLPerf Tiny (three residual blocks of 16, 32 and 64 channels), as it is after training: norms are in
the convolutions. Weights are drawn (He et al. 2015), and classes mean nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import isamap_kernels

SEED = 8


class _Model:
    def __init__(self) -> None:
        self.rng = np.random.default_rng(SEED)
        self.nodes: list[Any] = []
        self.weights: list[Any] = []

    def node(self, op: str, inputs: list[str], name: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(op, inputs, [name], name=name, **attributes))
        return name

    def layer(self, name: str, *shape: int) -> list[str]:
        """Names of the weights and the bias of a layer."""
        drawn = self.rng.standard_normal(shape) * np.sqrt(2 / np.prod(shape[1:]))
        for array, what in ((drawn, "weight"), (0.1 * self.rng.standard_normal(shape[0]), "bias")):
            self.weights.append(numpy_helper.from_array(array.astype(np.float32), f"{name}.{what}"))
        return [f"{name}.weight", f"{name}.bias"]

    def conv(self, x: str, name: str, before: int, after: int, size: int = 3, stride: int = 1) -> str:
        """A convolution of stride 1 or 2 whose result has ceil(n / stride) points."""
        pads = [0] * 4 if size == 1 else [1] * 4 if stride == 1 else [0, 0, 1, 1]
        return self.node(
            "Conv", [x, *self.layer(name, after, before, size, size)], name, strides=[stride] * 2, pads=pads
        )

    def block(self, x: str, name: str, before: int, after: int, stride: int) -> str:
        first = self.node("Relu", [self.conv(x, f"{name}.conv1", before, after, 3, stride)], f"{name}.relu1")
        second = self.conv(first, f"{name}.conv2", after, after)
        beside = x if stride == 1 else self.conv(x, f"{name}.shortcut", before, after, 1, stride)
        return self.node("Relu", [self.node("Add", [second, beside], f"{name}.sum")], f"{name}.relu2")


def resnet8() -> Any:
    """The ModelProto."""
    m = _Model()
    x = m.node("Relu", [m.conv("image", "conv", 3, 16)], "relu")
    before = 16
    for number, (after, stride) in enumerate(((16, 1), (32, 2), (64, 2)), 1):
        x, before = m.block(x, f"block{number}", before, after, stride), after
    x = m.node("Flatten", [m.node("GlobalAveragePool", [x], "pool")], "features")
    m.node("Softmax", [m.node("Gemm", [x, *m.layer("dense", 10, 64)], "dense", transB=1)], "classes")
    graph = helper.make_graph(
        m.nodes,
        "resnet8",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 3, 32, 32])],
        [helper.make_tensor_value_info("classes", TensorProto.FLOAT, [1, 10])],
        m.weights,
    )
    return helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8, producer_name="isamap-smt"
    )


if __name__ == "__main__":
    onnx.save(resnet8(), isamap_kernels.models()["resnet8"])
