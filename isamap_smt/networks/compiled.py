"""A network compiled for this CPU: kernels called one after the other, on one arena."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from collections.abc import Mapping as Dict
from typing import Any

import numpy as np

from isamap_smt.ir.kernel import Tensor
from isamap_smt.networks.graph import Network, Step, Value, View
from isamap_smt.networks.interpret import as_given, checked_inputs
from isamap_smt.networks.plan import NetworkPlan, callers, plan_network, roots
from isamap_smt.networks.proof import require_network_proof
from isamap_smt.pipeline.build import build
from isamap_smt.runtime.memory import lasting_empty


class CompiledNetwork:
    """`network(**inputs)` or `network(*inputs)` returns the outputs by name. One call at a time: the arena is the network's own."""

    def __init__(self, planned: NetworkPlan, *, cc: str | None = None) -> None:
        """Builds each kernel, packs the constants once. Raises BuildError, and what build() raises."""
        self.plan, self.network, self.proof = planned, planned.network, require_network_proof(planned)
        self._lock = threading.Lock()
        self._whole = _aligned(planned.peak)
        self._held = _arrays(planned, self._whole)
        kernels = {q: build(p, cc=cc) for q, p in planned.plans.items()}
        self._runs: list[Callable[[], None]] = []
        self.nodes: list[str] = []
        for step, needed in zip(self.network.kernels, planned.work, strict=True):
            question = planned.question(step)
            compiled: Any = kernels[question]
            packed = set(compiled.constants)
            work = {t: _part(self._whole, place, compiled.kernel.tensor(t)) for t, place in needed.temporaries}
            if packed:
                compiled = compiled.pack(**{t: self._held[v] for t, v in step.reads if t in packed})
            inputs = {t: self._held[v] for t, v in step.reads if t not in packed}
            out = {t: self._held[v] for t, v in step.writes}
            alone = next(iter(out.values())) if len(out) == 1 else out
            call = compiled.prepare(**inputs, out=alone, work=work, threads=planned.threads, accumulate=False)
            self._runs.append(call.run)
            self.nodes.append(step.node)

    def __call__(self, *arrays: Any, **named: Any) -> dict[str, np.ndarray]:
        """The outputs. Raises ArgumentError for inputs of another name, type or shape, and what kernels raise for their values."""
        given = checked_inputs(self.network, dict(zip(self.network.inputs, arrays, strict=False)) | named)
        with self._lock:
            for name, array in given.items():
                np.copyto(self._held[name], array)
            self.run()
            return {n: as_given(self.network, n, self._held[n]).copy() for n in self.network.outputs}

    def traced(self, arrays: Dict[str, Any]) -> Iterator[tuple[str, str, np.ndarray]]:
        """One run, step by step: the node, the value and its elements, before anything else takes their place."""
        given = checked_inputs(self.network, arrays)
        with self._lock:
            for name, array in given.items():
                np.copyto(self._held[name], array)
            runs, nodes = iter(self._runs), iter(self.nodes)
            node = self.network.name
            for step in self.network.steps:
                if isinstance(step, Step):
                    node = next(nodes)
                    next(runs)()
                for name in step.results:
                    yield node, name, self._held[name].copy()

    def run(self) -> None:
        """Every kernel once, on what the arena holds."""
        for run in self._runs:
            run()

    def __repr__(self) -> str:
        return f"CompiledNetwork({self.network.name}, {len(self._runs)} kernels, {self.plan.peak:,} bytes)"


def _aligned(count: int) -> np.ndarray:
    """So many bytes; zeros, as indices that are data are looked at when calls are prepared."""
    whole = lasting_empty(count)
    whole.fill(0)
    return whole


def _part(whole: np.ndarray, place: int, of: Value | Tensor) -> np.ndarray:
    """The array of a value, or of a tensor, in the arena."""
    shape = tuple(map(int, of.shape))
    end = place + math.prod(shape) * of.dtype.bytes
    return whole[place:end].view(of.dtype.numpy).reshape(shape)


def _arrays(planned: NetworkPlan, whole: np.ndarray) -> dict[str, np.ndarray]:
    """The arrays of all values: constants, those of the caller, and parts of the arena."""
    network = planned.network
    held = dict(network.constants)
    for name in callers(network):
        value = network.values[name]
        held[name] = _part(_aligned(value.bytes), 0, value)
    held |= {name: _part(whole, place, network.values[name]) for name, place in planned.places.items()}
    root = roots(network)
    for step in network.steps:
        if isinstance(step, View):
            held[step.result] = held[root[step.source]].reshape(network.values[step.result].shape)
    return held


def compile_network(
    network: Network, hardware: str = "host", *, cc: str | None = None, **options: Any
) -> CompiledNetwork:
    """plan_network() and CompiledNetwork in one."""
    return CompiledNetwork(plan_network(network, hardware, **options), cc=cc)
