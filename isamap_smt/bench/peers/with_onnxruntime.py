"""onnxruntime on the CPU, a model of one node for each layer. Constant weights are an initializer, which it packs when it loads."""

from __future__ import annotations

from typing import Any

import numpy as np

from isamap_smt.bench.case import Case
from isamap_smt.bench.peers.onnx_nodes import Graph, graph
from isamap_smt.bench.work import Unsupported, Work

_LARGEST = 2**31  # bytes of a model


def open_case(case: Case, condition: str, threads: int, arrays: dict[str, np.ndarray], options: dict[str, Any]) -> Work:
    """Inputs and outputs stay bound to the same memory. Raises Unsupported for weights above the format's limit."""
    import onnxruntime

    asked = graph(case, arrays)
    kind = np.int32 if case.elements == "u8xi8" else np.float32
    model = _model(asked, condition, kind)
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads, settings.inter_op_num_threads = threads, 1
    settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), settings, providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    for name, array in asked.operands.items():
        if name in [i.name for i in session.get_inputs()]:
            binding.bind_ortvalue_input(name, onnxruntime.OrtValue.ortvalue_from_numpy(array))
    held = {n: onnxruntime.OrtValue.ortvalue_from_shape_and_type(s, kind) for n, s in asked.outputs.items()}
    for name, value in held.items():
        binding.bind_ortvalue_output(name, value)
    nodes = " ".join(n.op_type for n in model.graph.node)
    result = lambda: asked.result({n: v.numpy() for n, v in held.items()})  # noqa: E731
    return Work(lambda: session.run_with_iobinding(binding), result, {"call": nodes})


def _model(asked: Graph, condition: str, kind: type) -> Any:
    """Constant weights are an initializer. kind: the element type of the outputs."""
    import onnx
    from onnx import helper, numpy_helper

    held = asked.operands
    constant = {n: held[n] for n in asked.weights} if condition == "constant" else {}
    if sum(a.nbytes for a in constant.values()) >= _LARGEST:
        raise Unsupported("the weights are larger than an ONNX model may be (2 GiB)")
    kinds = {n: helper.np_dtype_to_tensor_dtype(a.dtype) for n, a in held.items()}
    inputs = [helper.make_tensor_value_info(n, kinds[n], a.shape) for n, a in held.items() if n not in constant]
    out = helper.np_dtype_to_tensor_dtype(np.dtype(kind))
    outputs = [helper.make_tensor_value_info(n, out, shape) for n, shape in asked.outputs.items()]
    initial = [numpy_helper.from_array(a, n) for n, a in constant.items()]
    made = helper.make_graph(asked.nodes, "case", inputs, outputs, initial)
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model
