"""One node of an ONNX model, as the operators see it: values of a graph in, attributes by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from isamap_smt.ir.errors import NetworkError
from isamap_smt.networks.graph import Graph, Var

Operator = Callable[["Node"], Var | Sequence[Var]]
# (domain, operator) -> what computes it
OPERATORS: dict[tuple[str, str], Operator] = {}


@dataclass
class Node:
    """inputs: None where an optional one is left out. opset: of the node's domain. outputs: how many results are wanted."""

    op: str
    name: str
    opset: int
    graph: Graph
    inputs: list[Var | None]
    outputs: int = 1
    attributes: dict[str, Any] = field(default_factory=dict)

    def __getitem__(self, position: int) -> Var:
        x = self.get(position)
        if x is None:
            raise NetworkError(f"{self.name}: {self.op} lacks its input {position + 1}")
        return x

    def get(self, position: int) -> Var | None:
        """An optional input."""
        return self.inputs[position] if position < len(self.inputs) else None

    def attribute(self, name: str, default: Any = None) -> Any:
        """An attribute, or the default."""
        return self.attributes.get(name, default)

    def known(self, position: int, name: str = "") -> np.ndarray | None:
        """The constant at this input, or the attribute of this name (older opsets); None where neither is there.

        Raises NetworkError where the input is no constant: shapes would depend on data.
        """
        if (x := self.get(position)) is not None:
            if x.constant is None:
                behind = self.graph.inputs_of(x)
                given = ", ".join(f"{n!r}: ..." for n in behind)
                raise NetworkError(
                    f"{self.name}: input {position + 1} of {self.op} decides about shapes and must be known; it follows from "
                    f"{', '.join(behind)}: give constants={{{given}}}"
                )
            return x.constant
        value = self.attributes.get(name) if name else None
        return None if value is None else np.asarray(value)

    def whole(self, position: int, name: str = "") -> list[int] | None:
        """known(), as whole numbers."""
        found = self.known(position, name)
        return None if found is None else [int(n) for n in np.asarray(found).reshape(-1)]


def onnx(*names: str, domain: str = "") -> Callable[[Operator], Operator]:
    """Registers what computes these operators."""

    def registered(make: Operator) -> Operator:
        for name in names:
            OPERATORS[domain, name] = make
        return make

    return registered
