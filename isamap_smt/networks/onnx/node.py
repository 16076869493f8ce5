"""One node of an ONNX model, as the operators see it: values of a graph in, attributes by name."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from isamap_smt.ir.errors import NetworkError, UncomputedError
from isamap_smt.networks.graph import Graph, Var

Operator = Callable[["Node"], Var | Sequence[Var | None]]
MOST_NUMBERS = 4096  # of an input that decides about shapes
# (domain, operator) -> what computes it
OPERATORS: dict[tuple[str, str], Operator] = {}


@dataclass
class Node:
    """A node to import.

    inputs: None for each optional one left out. opset: of the node's domain. outputs: the number wanted.
    """

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
            raise NetworkError(f"{self.op} lacks its input {position + 1}", self.name)
        return x

    def get(self, position: int) -> Var | None:
        """An optional input."""
        return self.inputs[position] if position < len(self.inputs) else None

    def of_rank(self, position: int, least: int, most: int | None = None) -> Var:
        """An input of `least` to `most` dimensions; exactly `least` if `most` is left out. Raises NetworkError."""
        x = self[position]
        if not least <= x.rank <= (least if most is None else most):
            raise NetworkError(f"{self.op} does not take {x.value} as its input {position + 1}", self.name)
        return x

    def numbers(self, name: str, default: Sequence[int], least: int = 0) -> list[int]:
        """An attribute of as many whole numbers as its default has, none below `least`. Raises NetworkError."""
        found = [int(n) for n in self.attributes.get(name, default)]
        if len(found) != len(default) or min(found, default=least) < least:
            raise NetworkError(f"the attribute {name} of {self.op} is {found}", self.name)
        return found

    def number(self, name: str, default: int, least: int = 0) -> int:
        """A whole number as attribute, not below `least`. Raises NetworkError."""
        found = int(self.attributes.get(name, default))
        if found < least:
            raise NetworkError(f"the attribute {name} of {self.op} is {found}", self.name)
        return found

    def choice(self, name: str, default: str, among: Container[str]) -> str:
        """An attribute among these words. Raises NetworkError."""
        found = str(self.attributes.get(name, default))
        if found not in among:
            raise NetworkError(f"the attribute {name} of {self.op} is {found!r}", self.name)
        return found

    def attribute(self, name: str, default: Any = None) -> Any:
        """An attribute, or the default."""
        return self.attributes.get(name, default)

    def known(self, position: int, name: str = "") -> np.ndarray | None:
        """The constant at this input, or the attribute of this name (older opsets); None if neither is there.

        Raises NetworkError if the input is no constant: shapes would depend on data.
        """
        if (x := self.get(position)) is not None:
            if x.extents is not None:
                raise UncomputedError(f"input {position + 1} of {self.op} depends on a size that is open", self.name)
            if x.constant is None:
                behind = self.graph.inputs_of(x)
                given = ", ".join(f"{n!r}: ..." for n in behind)
                raise UncomputedError(
                    f"input {position + 1} of {self.op} decides about shapes and must be known; it follows from "
                    f"{', '.join(behind)}: give constants={{{given}}}",
                    self.name,
                )
            return x.constant
        value = self.attributes.get(name) if name else None
        return None if value is None else np.asarray(value)

    def whole(self, position: int, name: str = "") -> list[Any] | None:
        """known(), as whole numbers, or extents. Raises NetworkError for more of them than shapes have."""
        if (x := self.get(position)) is not None and x.extents is not None and x.extents.size <= MOST_NUMBERS:
            return list(x.extents.reshape(-1))
        found = self.known(position, name)
        if found is None:
            return None
        if found.size > MOST_NUMBERS or found.dtype.kind not in "iub":
            raise NetworkError(f"{found.size} numbers of {found.dtype} say nothing about shapes", self.name)
        return [int(n) for n in np.asarray(found).reshape(-1)]

    def wanted(self, position: int, name: str = "", count: int | None = None) -> list[Any]:
        """whole(), required to be there; `count` of them."""
        found = self.whole(position, name)
        if found is None:
            raise NetworkError(f"{self.op} lacks its {name or f'input {position + 1}'}", self.name)
        if count is not None and len(found) != count:
            raise NetworkError(
                f"{self.op} wants {count} numbers, and not {len(found)}, as its input {position + 1}", self.name
            )
        return found

    def scalar(self, position: int) -> Any:
        """The one element of a constant input. Raises NetworkError."""
        found = self.known(position)
        if found is None or found.size != 1:
            raise NetworkError(f"input {position + 1} of {self.op} is one number", self.name)
        return found.reshape(-1)[0]

    def whole_scalar(self, position: int) -> int:
        """The one element of a constant input, as a whole number. Raises NetworkError."""
        found = float(self.scalar(position))
        if not found.is_integer():
            raise NetworkError(f"input {position + 1} of {self.op} is {found}", self.name)
        return int(found)


def onnx(*names: str, domain: str = "") -> Callable[[Operator], Operator]:
    """Registers a function for these operators."""

    def registered(make: Operator) -> Operator:
        for name in names:
            OPERATORS[domain, name] = make
        return make

    return registered
