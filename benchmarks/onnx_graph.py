"""ONNX graphs written node by node, with seeded weights of He's scale (2015), which keeps values in range through all layers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Graph:
    """A graph under construction. Each call returns the name of a value."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []

    def input(self, name: str, *shape: int, integer: bool = False) -> str:
        self.inputs.append(
            helper.make_tensor_value_info(name, TensorProto.INT64 if integer else TensorProto.FLOAT, shape)
        )
        return name

    def output(self, value: str, *shape: int, name: str = "") -> None:
        """name: of the output, where the value's own does not say what it is."""
        if name:
            self.nodes.append(helper.make_node("Identity", [value], [name], name=f"{name}.out"))
        self.outputs.append(helper.make_tensor_value_info(name or value, TensorProto.FLOAT, shape))

    def constant(self, array: Any, name: str = "") -> str:
        name = name or f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def weight(self, *shape: int, rows: int | None = None, scale: float | None = None, name: str = "") -> str:
        """rows: how many terms a sum over the weights has; scale: instead of He's."""
        scale = math.sqrt(2 / (rows or shape[0])) if scale is None else scale
        return self.constant((self.rng.standard_normal(shape) * scale).astype(np.float32), name)

    def do(self, op: str, *inputs: Any, results: int = 1, name: str = "", **attributes: Any) -> Any:
        """Numbers and arrays among the inputs become constants. name: of the node, and of its result."""
        number = len(self.nodes)
        names = [name or f"v{number}"] if results == 1 else [f"v{number}.{k}" for k in range(results)]
        given = [i if isinstance(i, str) else self.constant(i) for i in inputs]
        self.nodes.append(helper.make_node(op, given, names, name=name or f"{op.lower()}{number}", **attributes))
        return names[0] if results == 1 else names

    def model(self, name: str) -> Any:
        graph = helper.make_graph(self.nodes, name, self.inputs, self.outputs, self.constants)
        made = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8, producer_name="isamap-smt"
        )
        onnx.checker.check_model(made)
        return made
