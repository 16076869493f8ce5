"""A network's results beside those of others: onnxruntime, or the interpreter."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping as Dict
from dataclasses import dataclass
from typing import Any

import numpy as np

from isamap_smt.ir.errors import NetworkError
from isamap_smt.networks.compiled import CompiledNetwork
from isamap_smt.networks.graph import Network
from isamap_smt.networks.interpret import run_network
from isamap_smt.networks.values import Signature, Value

ALLOWED = {
    "f64": 1e-6,
    "f32": 1e-3,
    "bf16": 5e-2,
    "f16": 1e-2,
}  # of the largest element: roundings of many layers add up


@dataclass(frozen=True)
class Difference:
    """The first wrong result. node: the step; value: its name in the model; error: relative; allowed: its tolerance."""

    node: str
    value: str
    error: float
    allowed: float

    def __str__(self) -> str:
        return f"{self.value}, by {self.node}, is off by {self.error:.1e} of its largest element; {self.allowed:.0e} is allowed"


def error_of(got: np.ndarray, wanted: np.ndarray) -> float:
    """The largest difference over the largest wanted element; infinite if shapes differ, or one alone is finite."""
    a, b = np.asarray(got, np.float64), np.asarray(wanted, np.float64)
    if a.shape != b.shape:
        return np.inf
    if not a.size:
        return 0.0
    both = np.isfinite(a) & np.isfinite(b)
    alike = both | (a == b) | (np.isnan(a) & np.isnan(b))
    if not alike.all():
        return np.inf
    scale = float(np.abs(b[both]).max(initial=0.0)) or 1.0
    return float(np.abs(a[both] - b[both]).max(initial=0.0)) / scale


def allowed(value: Value) -> float:
    """The relative error explained by rounding; for integers, one step of their largest number, 127 at most."""
    return ALLOWED.get(value.dtype.name, 1 / max(1, min(value.dtype.high, 127)) if not value.dtype.is_float else 1e-3)


def onnxruntime_session(model: bytes, threads: int = 1, more: Dict[str, Any] | None = None) -> Any:
    """A session of onnxruntime with all its optimisations. more: values to give back beside the outputs. Raises NetworkError."""
    try:
        import onnx
        import onnxruntime
    except ImportError:
        raise NetworkError("comparing needs onnxruntime: pip install onnx onnxruntime") from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    if more:
        proto = onnx.load_from_string(model)
        there = {o.name for o in proto.graph.output}
        for name in more:
            if name not in there:
                proto.graph.output.append(onnx.helper.make_empty_tensor_value_info(name))
        model = proto.SerializeToString()
    try:
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its classes are private
        raise NetworkError(f"onnxruntime refuses the model: {str(error).splitlines()[0][:300]}") from None


def first_difference(
    compiled: CompiledNetwork, arrays: Dict[str, np.ndarray], reference: Callable[[list[str]], Dict[str, np.ndarray]]
) -> Difference | None:
    """The first value, in step order, differing from the reference.

    reference(names): the model's values of these names.
    """
    network = compiled.network
    seen: list[tuple[str, str, np.ndarray]] = []
    labels = {**network.labels, **{n: n for n in network.outputs}}
    for node, name, array in compiled.traced(arrays):
        if name in labels:
            seen.append((node, name, array))
    wanted = reference([labels[name] for _, name, _ in seen])
    for node, name, array in seen:
        value, other, there = network.values[name], wanted.get(labels[name]), array
        if other is None:
            continue
        if value.order is not None:
            there = np.transpose(array, np.argsort(value.order))
        if (found := _difference(node, labels[name], value, there, other)) is not None:
            return found
    return None


def output_difference(
    network: Signature, got: Dict[str, np.ndarray], wanted: Dict[str, np.ndarray]
) -> Difference | None:
    """The first output differing from the reference; nothing is known of the steps."""
    found = (_difference(network.name, n, network.values[n], got[n], wanted[n]) for n in network.outputs)
    return next((d for d in found if d is not None), None)


def _difference(node: str, name: str, value: Value, got: np.ndarray, wanted: Any) -> Difference | None:
    """None if rounding explains the difference."""
    error = error_of(got, np.asarray(wanted))
    return None if error <= allowed(value) else Difference(node, name, error, allowed(value))


def by_interpreter(network: Network, arrays: Dict[str, np.ndarray]) -> Callable[[list[str]], Dict[str, np.ndarray]]:
    """The interpreter as the reference; it gives the outputs alone."""
    return lambda names: {n: a for n, a in run_network(network, arrays).items() if n in names}
