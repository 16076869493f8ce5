"""onnxruntime on the CPU, a model of one node for each layer. Constant weights are an initializer, which it packs when it loads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from isamap_smt.bench.case import Case
from isamap_smt.bench.peers.layouts import convolutions, gate_rows
from isamap_smt.bench.recurrent import outcome
from isamap_smt.bench.work import Unsupported, Work

Arrays = dict[str, np.ndarray]
_GATES = {"gru": (1, 0, 2), "lstm": (0, 3, 1, 2)}  # ONNX has them as z r h, and i o f c


@dataclass(frozen=True)
class Graph:
    """operands by name, in ONNX's layouts; weights: the constant ones; outputs: shape by name.

    result(outputs) is the kernel's own.
    """

    operands: Arrays
    weights: tuple[str, ...]
    nodes: list[Any]
    outputs: dict[str, tuple[int, ...]]
    result: Callable[[Arrays], np.ndarray]


def graph(case: Case, arrays: Arrays) -> Graph:
    """The case as ONNX says it."""
    return _GRAPHS[case.family](case, arrays)


def _product(case: Case, arrays: Arrays) -> Graph:
    """MatMulInteger takes no transposed operands: turning them round is part of the call unless they are constant."""
    from onnx import helper

    made = helper.make_node
    if case.elements == "u8xi8":
        turned = {"TN": "x", "NT": "w"}.get(case.form)
        turns = [made("Transpose", [turned], ["t"], perm=[1, 0])] if turned else []
        nodes = [*turns, made("MatMulInteger", ["t" if n == turned else n for n in "xw"], ["y"])]
    elif case.form == "NN":
        nodes = [made("MatMul", ["x", "w"], ["y"])]
    else:
        nodes = [made("Gemm", ["x", "w"], ["y"], transA=int(case.form == "TN"), transB=int(case.form == "NT"))]
    return Graph(
        {"x": arrays["A"], "w": arrays["B"]}, ("w",), nodes, {"y": case.shapes()["C"]}, lambda found: found["y"]
    )


def _convolutions(case: Case, arrays: Arrays) -> Graph:
    """Channels first; each convolution reads what the one before it gave."""
    from onnx import helper

    image, steps = convolutions(case, arrays)
    images = ["x", *(f"t{n}" for n in range(1, len(steps))), "y"]
    nodes = [
        helper.make_node(
            "Conv", [x, c.name], [y], strides=list(c.stride), pads=[*c.padding, *c.padding], group=c.groups
        )
        for c, x, y in zip(steps, images[:-1], images[1:], strict=True)
    ]
    n, p, q, k = case.shapes()["O"]
    operands = {name: np.ascontiguousarray(a) for name, a in (("x", image), *((c.name, c.weights) for c in steps))}
    result = lambda found: np.ascontiguousarray(found["y"].transpose(0, 2, 3, 1))  # noqa: E731
    return Graph(operands, tuple(c.name for c in steps), nodes, {"y": (n, k, p, q)}, result)


def _layer(case: Case, arrays: Arrays) -> Graph:
    """One direction, which has an axis of its own; the GRU's reset gate behind the product."""
    from onnx import helper

    size, order = case.size, _GATES[case.family]
    biases = [gate_rows(arrays[n], order) for n in ("bi", "bh")]
    operands = {
        "x": arrays["X"],
        "w": gate_rows(arrays["W"], order)[None],
        "r": gate_rows(arrays["U"], order)[None],
        "b": np.concatenate(biases)[None],
        "h": arrays["H0"][None],
    }
    outputs: dict[str, tuple[int, ...]] = {"y": (size["t"], 1, size["b"], size["j"])}
    inputs, names = ["x", "w", "r", "b", "", "h"], ["y"]
    options: dict[str, Any] = {"hidden_size": size["j"]}
    if case.family == "lstm":
        operands["c"] = arrays["C0"][None]
        outputs["memory"] = (1, size["b"], size["j"])
        inputs, names = [*inputs, "c"], ["y", "", "memory"]
    else:
        options["linear_before_reset"] = 1
    node = helper.make_node(case.family.upper(), inputs, names, **options)

    def result(found: Arrays) -> np.ndarray:
        states = np.concatenate([arrays["H0"][None], found["y"][:, 0]])
        return outcome({"H": states, "C": found["memory"]} if "memory" in found else states)

    return Graph(operands, ("w", "r", "b"), [node], outputs, result)


_GRAPHS: dict[str, Callable[[Case, Arrays], Graph]] = {
    "matmul": _product,
    "conv": _convolutions,
    "separable": _convolutions,
    **dict.fromkeys(_GATES, _layer),
}


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
