"""onnxruntime on the CPU, a model of one node. Constant weights are an initializer, which it packs when it loads."""

from __future__ import annotations

from typing import Any

import numpy as np

from isamap_smt.bench.case import Case
from isamap_smt.bench.peers.layouts import conv_options, conv_views
from isamap_smt.bench.work import Unsupported, Work

_LARGEST = 2**31  # bytes of a model


def open_case(case: Case, condition: str, threads: int, arrays: dict[str, np.ndarray], options: dict[str, Any]) -> Work:
    """Input and output stay bound to the same memory. Raises Unsupported for weights above the format's limit."""
    import onnxruntime

    model = _model(case, condition, arrays)
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads, settings.inter_op_num_threads = threads, 1
    settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), settings, providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    for name, array in _operands(case, arrays).items():
        if name in [i.name for i in session.get_inputs()]:
            binding.bind_ortvalue_input(name, onnxruntime.OrtValue.ortvalue_from_numpy(array))
    held = onnxruntime.OrtValue.ortvalue_from_shape_and_type(_shape(case), _kind(case))
    binding.bind_ortvalue_output("y", held)

    def result() -> np.ndarray:
        found: np.ndarray = held.numpy()
        return np.ascontiguousarray(found.transpose(0, 2, 3, 1)) if case.family == "conv" else found

    nodes = " ".join(n.op_type for n in model.graph.node)
    return Work(lambda: session.run_with_iobinding(binding), result, {"call": nodes})


def _operands(case: Case, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """x and w: images and weights channels first, matrices as they lie."""
    if case.family == "conv":
        return dict(zip("xw", map(np.ascontiguousarray, conv_views(case, arrays)), strict=True))
    return {"x": arrays["A"], "w": arrays["B"]}


def _shape(case: Case) -> tuple[int, ...]:
    """The output's, channels first."""
    shape = case.shapes()[case.problem().outputs[0]]
    return (shape[0], shape[3], shape[1], shape[2]) if case.family == "conv" else shape


def _kind(case: Case) -> type:
    return np.int32 if case.elements == "u8xi8" else np.float32


def _nodes(case: Case) -> list[Any]:
    """MatMulInteger takes no transposed operands: turning them round is part of the call unless they are constant."""
    from onnx import helper

    if case.family == "conv":
        stride, padding, groups = conv_options(case)
        return [
            helper.make_node("Conv", ["x", "w"], ["y"], strides=list(stride), pads=[*padding, *padding], group=groups)
        ]
    if case.elements == "u8xi8":
        turned = {"TN": "x", "NT": "w"}.get(case.form)
        turns = [helper.make_node("Transpose", [turned], ["t"], perm=[1, 0])] if turned else []
        return [*turns, helper.make_node("MatMulInteger", ["t" if n == turned else n for n in "xw"], ["y"])]
    if case.form == "NN":
        return [helper.make_node("MatMul", ["x", "w"], ["y"])]
    return [helper.make_node("Gemm", ["x", "w"], ["y"], transA=int(case.form == "TN"), transB=int(case.form == "NT"))]


def _model(case: Case, condition: str, arrays: dict[str, np.ndarray]) -> Any:
    """Constant weights are an initializer."""
    import onnx
    from onnx import helper, numpy_helper

    held = _operands(case, arrays)
    constant = {"w": held["w"]} if condition == "constant" else {}
    if sum(a.nbytes for a in constant.values()) >= _LARGEST:
        raise Unsupported("the weights are larger than an ONNX model may be (2 GiB)")
    kinds = {n: helper.np_dtype_to_tensor_dtype(a.dtype) for n, a in held.items()}
    inputs = [helper.make_tensor_value_info(n, kinds[n], a.shape) for n, a in held.items() if n not in constant]
    out = helper.make_tensor_value_info("y", helper.np_dtype_to_tensor_dtype(np.dtype(_kind(case))), _shape(case))
    initial = [numpy_helper.from_array(a, n) for n, a in constant.items()]
    graph = helper.make_graph(_nodes(case), "case", inputs, [out], initial)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model
