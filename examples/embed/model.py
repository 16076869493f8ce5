"""Writes model.onnx: a convolution, a pooling and ten scores for an image of 28 x 28 points; the weights are seeded.

python model.py
"""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

rng = np.random.default_rng(0)


def weights(name: str, *shape: int) -> onnx.TensorProto:
    """Weights that keep values near 1."""
    array = rng.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))
    return numpy_helper.from_array(array.astype(np.float32), name)


graph = helper.make_graph(
    [
        helper.make_node("Conv", ["image", "W1", "B1"], ["c"], name="conv", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c"], ["r"], name="relu"),
        helper.make_node("MaxPool", ["r"], ["p"], name="pool", kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Flatten", ["p"], ["f"], name="flatten"),
        helper.make_node("Gemm", ["f", "W2", "B2"], ["l"], name="linear", transB=1),
        helper.make_node("Softmax", ["l"], ["scores"], name="softmax"),
    ],
    "digits",
    [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 1, 28, 28])],
    [helper.make_tensor_value_info("scores", TensorProto.FLOAT, [1, 10])],
    [weights("W1", 8, 1, 3, 3), weights("B1", 8), weights("W2", 10, 8 * 14 * 14), weights("B2", 10)],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
onnx.checker.check_model(model)
onnx.save(model, "model.onnx")
