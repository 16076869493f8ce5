"""Values of networks: named tensors of fixed types and shapes, which a network takes and gives.

A process that only calls what was compiled before needs nothing else of a network.
"""

from __future__ import annotations

import math
from collections.abc import Mapping as Dict
from dataclasses import dataclass
from typing import Any

import numpy as np

from isamap_smt.ir.dtypes import DType, check_bools
from isamap_smt.ir.errors import ArgumentError, DTypeError, did_you_mean


@dataclass(frozen=True)
class Value:
    """A tensor of a network. shape: elements of each dimension.

    order: which of the model's dimensions each one is, where they are stored in another order. of: the model's value that it holds,
    where that has another name.
    """

    name: str
    dtype: DType
    shape: tuple[int, ...]
    order: tuple[int, ...] | None = None
    of: str = ""

    @property
    def original(self) -> str:
        """The name of the model's value that it holds."""
        return self.of or self.name

    @property
    def elements(self) -> int:
        """How many elements it has."""
        return math.prod(self.shape)

    @property
    def bytes(self) -> int:
        """What it takes in memory."""
        return self.elements * self.dtype.numpy.itemsize

    def __str__(self) -> str:
        return f"{self.name}: {self.dtype}[{', '.join(map(str, self.shape))}]"


@dataclass(frozen=True)
class Signature:
    """What a network takes and gives. inputs, outputs: names of values, in the model's order."""

    name: str
    values: Dict[str, Value]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


def checked_inputs(network: Signature, arrays: Dict[str, Any]) -> dict[str, np.ndarray]:
    """The inputs as kernels take them. Raises ArgumentError."""
    for name in arrays:
        if name not in network.inputs:
            raise ArgumentError(f"{network.name} has no input {name!r}; {did_you_mean(name, network.inputs)}")
    held = {}
    for name in network.inputs:
        if name not in arrays:
            raise ArgumentError(f"{network.name}: the input {name} is missing")
        value, array = network.values[name], np.asarray(arrays[name])
        if array.dtype != value.dtype.numpy or array.shape != value.shape:
            raise ArgumentError(f"{network.name}: the input {value} got {array.dtype}{list(array.shape)}")
        held[name] = np.ascontiguousarray(array).reshape(value.shape)
        try:
            check_bools(name, held[name])
        except DTypeError as error:
            raise ArgumentError(f"{network.name}: {error}") from None
    return held
