"""What a network means: its steps run one after the other by the interpreter, on NumPy arrays."""

from __future__ import annotations

from collections.abc import Mapping as Dict
from typing import Any

import numpy as np

from isamap_smt.ir.errors import ArgumentError, did_you_mean
from isamap_smt.networks.graph import Network, as_seen


def run_network(network: Network, arrays: Dict[str, Any]) -> dict[str, np.ndarray]:
    """The outputs by name. Raises ArgumentError for other inputs, NetworkError for a back end that fails."""
    held = dict(network.constants) | checked_inputs(network, arrays)
    for step in network.steps:
        held |= step.computed(network.values, held)
    return {n: as_given(network, n, held[n]) for n in network.outputs}


def as_given(network: Network, name: str, array: np.ndarray) -> np.ndarray:
    """An output as NumPy sees it: truth values as bool."""
    return as_seen(network.values[name], array)


def checked_inputs(network: Network, arrays: Dict[str, Any]) -> dict[str, np.ndarray]:
    """The inputs as kernels take them. Raises ArgumentError."""
    for name in arrays:
        if name not in network.inputs:
            raise ArgumentError(f"{network.name} has no input {name!r}; {did_you_mean(name, network.inputs)}")
    held = {}
    for name in network.inputs:
        if name not in arrays:
            raise ArgumentError(f"{network.name}: the input {name} is missing")
        value, array = network.values[name], np.asarray(arrays[name])
        if array.dtype != value.numpy or array.shape != value.shape:
            raise ArgumentError(f"{network.name}: the input {value} got {array.dtype}{list(array.shape)}")
        array = np.ascontiguousarray(array).reshape(value.shape)
        held[name] = array.view(np.uint8) if value.truth else array
    return held
