"""onnxruntime on the CPU, a model of one node for each layer. Constant weights are an initializer, which it packs when it loads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from isamap_smt.bench.case import Case
from isamap_smt.bench.operators import OPERATORS
from isamap_smt.bench.peers import operators_onnx
from isamap_smt.bench.peers.layouts import convolutions, gate_rows
from isamap_smt.bench.peers.onnx_graph import Graph, model
from isamap_smt.bench.recurrent import outcome
from isamap_smt.bench.work import Work

Arrays = dict[str, np.ndarray]
_F32 = np.dtype(np.float32)
_GATES = {"gru": (1, 0, 2), "lstm": (0, 3, 1, 2)}  # ONNX has them as z r h, and i o f c


def graph(case: Case, arrays: Arrays) -> Graph:
    """The case as ONNX says it."""
    if case.family in OPERATORS:
        return operators_onnx.graph(case, arrays)
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
    kind = case.problem().tensor("C").dtype.numpy if case.elements == "u8xi8" else _F32
    return Graph(
        {"x": arrays["A"], "w": arrays["B"]}, ("w",), nodes, {"y": case.shapes()["C"]}, lambda found: found["y"], kind
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
    return Graph(operands, tuple(c.name for c in steps), nodes, {"y": (n, k, p, q)}, result, _F32)


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

    return Graph(operands, ("w", "r", "b"), [node], outputs, result, _F32)


_GRAPHS: dict[str, Callable[[Case, Arrays], Graph]] = {
    "matmul": _product,
    "conv": _convolutions,
    "separable": _convolutions,
    **dict.fromkeys(_GATES, _layer),
}


def open_case(case: Case, condition: str, threads: int, arrays: dict[str, np.ndarray], options: dict[str, Any]) -> Work:
    """Inputs and outputs stay bound to the same memory. Raises Unsupported for weights above the format's limit."""
    import onnxruntime

    asked = graph(case, arrays)
    made = model(asked, condition)
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads, settings.inter_op_num_threads = threads, 1
    settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    session = onnxruntime.InferenceSession(made.SerializeToString(), settings, providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    for name, array in asked.operands.items():
        if name in [i.name for i in session.get_inputs()]:
            binding.bind_ortvalue_input(name, onnxruntime.OrtValue.ortvalue_from_numpy(array))
    held = {n: onnxruntime.OrtValue.ortvalue_from_shape_and_type(s, asked.kind) for n, s in asked.outputs.items()}
    for name, value in held.items():
        binding.bind_ortvalue_output(name, value)
    nodes = " ".join(n.op_type for n in made.graph.node)
    result = lambda: asked.result({n: v.numpy() for n, v in held.items()})  # noqa: E731
    return Work(lambda: session.run_with_iobinding(binding), result, {"call": nodes})
