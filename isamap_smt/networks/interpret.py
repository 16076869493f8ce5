"""The meaning of a network: its steps run one after the other by the interpreter, on NumPy arrays."""

from __future__ import annotations

from collections.abc import Mapping as Dict
from typing import Any

import numpy as np

from isamap_smt.networks.graph import Network
from isamap_smt.networks.values import checked_inputs, sizes_of


def run_network(network: Network, arrays: Dict[str, Any]) -> dict[str, np.ndarray]:
    """The outputs by name. Raises ArgumentError for other inputs, NetworkError for a back end that fails."""
    held = dict(network.constants) | checked_inputs(network, arrays)
    sizes = sizes_of(network, held)
    for step in network.steps:
        held |= step.computed(network.values, held, sizes)
    return {n: held[n] for n in network.outputs}
