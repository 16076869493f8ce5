"""Small models in ONNX's format, with seeded weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator


def model(
    nodes: list[Any], inputs: dict[str, Any], outputs: dict[str, Any], weights: dict[str, np.ndarray], opset: int = 17
) -> Any:
    """A ModelProto: inputs and outputs are shapes of f32, or (shape, type)."""

    def info(name: str, told: Any) -> Any:
        shape, kind = told if isinstance(told, tuple) else (told, onnx.TensorProto.FLOAT)
        return helper.make_tensor_value_info(name, kind, shape)

    graph = helper.make_graph(
        nodes,
        "small",
        [info(n, s) for n, s in inputs.items()],
        [info(n, s) for n, s in outputs.items()],
        [numpy_helper.from_array(a, n) for n, a in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


def node(op: str, inputs: list[str], outputs: list[str], **attributes: Any) -> Any:
    """A node that is named as its first result."""
    return helper.make_node(op, inputs, outputs, name=outputs[0], **attributes)


def weight(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Weights that keep values near 1."""
    return (rng.standard_normal(shape) / np.sqrt(np.prod(shape[1:]) or 1)).astype(np.float32)


def convolutional(seed: int = 0) -> Any:
    """Convolutions with norm, pooling, a residual, a depthwise one, a flattened layer and softmax."""
    rng = np.random.default_rng(seed)
    weights = {
        "W1": weight(rng, 8, 3, 3, 3),
        "B1": weight(rng, 8),
        "W2": weight(rng, 8, 8, 1, 1),
        "W3": weight(rng, 8, 1, 3, 3),
    }
    weights |= {n: np.abs(weight(rng, 8)) + np.float32(0.5) for n in ("g", "b", "m", "v")}
    weights |= {"W4": weight(rng, 16, 8 * 16), "B4": weight(rng, 16)}
    nodes = [
        node("Conv", ["x", "W1", "B1"], ["c1"], pads=[1] * 4, strides=[2, 2]),
        node("Relu", ["c1"], ["r1"]),
        node("MaxPool", ["r1"], ["p1"], kernel_shape=[3, 3], pads=[1] * 4, strides=[2, 2]),
        node("Conv", ["p1", "W2"], ["c2"]),
        node("BatchNormalization", ["c2", "g", "b", "m", "v"], ["bn"]),
        node("Conv", ["bn", "W3"], ["dw"], group=8, pads=[1] * 4),
        node("Add", ["dw", "p1"], ["ad"]),
        node("Relu", ["ad"], ["r2"]),
        node("Flatten", ["r2"], ["fl"]),
        node("Gemm", ["fl", "W4", "B4"], ["lg"], transB=1),
        node("Softmax", ["lg"], ["y"]),
    ]
    return model(nodes, {"x": [1, 3, 16, 16]}, {"y": [1, 16]}, weights)


def expected(proto: Any, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """What ONNX's reference computes."""
    names = [o.name for o in proto.graph.output]
    return dict(zip(names, ReferenceEvaluator(proto).run(None, arrays), strict=True))
