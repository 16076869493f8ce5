"""A case as a model of ONNX."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from isamap_smt.bench.work import Unsupported

Arrays = dict[str, np.ndarray]
_LARGEST = 2**31  # bytes of a model


@dataclass(frozen=True)
class Graph:
    """operands by name, in ONNX's layouts; weights: the constant ones, always: those that are under each condition.

    outputs: shape by name, elements of `kind`. version: of ONNX's operators.

    result(outputs) is the kernel's own.
    """

    operands: Arrays
    weights: tuple[str, ...]
    nodes: list[Any]
    outputs: dict[str, tuple[int, ...]]
    result: Callable[[Arrays], np.ndarray]
    kind: np.dtype
    always: tuple[str, ...] = ()
    version: int = 17


def model(asked: Graph, condition: str) -> Any:
    """Constant weights are an initializer. Raises Unsupported for those above the format's limit."""
    import onnx
    from onnx import helper, numpy_helper

    held = asked.operands
    constant = {n: held[n] for n in (*asked.always, *(asked.weights if condition == "constant" else ()))}
    if sum(a.nbytes for a in constant.values()) >= _LARGEST:
        raise Unsupported("the weights are larger than an ONNX model may be (2 GiB)")
    kinds = {n: helper.np_dtype_to_tensor_dtype(a.dtype) for n, a in held.items()}
    inputs = [helper.make_tensor_value_info(n, kinds[n], a.shape) for n, a in held.items() if n not in constant]
    out = helper.np_dtype_to_tensor_dtype(asked.kind)
    outputs = [helper.make_tensor_value_info(n, out, shape) for n, shape in asked.outputs.items()]
    initial = [numpy_helper.from_array(a, n) for n, a in constant.items()]
    made = helper.make_graph(asked.nodes, "case", inputs, outputs, initial)
    domains = dict.fromkeys(n.domain for n in asked.nodes if n.domain)
    versions = [helper.make_opsetid("", asked.version), *(helper.make_opsetid(d, 1) for d in domains)]
    found = helper.make_model(made, opset_imports=versions, ir_version=8 if asked.version <= 17 else 10)
    onnx.checker.check_model(found)
    return found
