"""Operators that no kernel expresses, computed by another library: a back end, which is asked for by name and proves nothing.

A back end gets copies of what its node reads. What it gives is looked at at each run, and copied to where the network has it.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping as Dict
from typing import Any

import numpy as np

from isamap_smt.ir.errors import NetworkError, did_you_mean

Evaluate = Callable[[Dict[str, np.ndarray]], Dict[str, Any]]
Backend = Callable[[bytes], Evaluate]


def _onnxruntime(model: bytes) -> Evaluate:
    from isamap_smt.networks.against import onnxruntime_session

    session = onnxruntime_session(model)
    names = [o.name for o in session.get_outputs()]
    return lambda arrays: dict(zip(names, session.run(names, dict(arrays)), strict=True))


def _reference(model: bytes) -> Evaluate:
    from onnx import load_from_string
    from onnx.reference import ReferenceEvaluator

    evaluator = ReferenceEvaluator(load_from_string(model))
    return lambda arrays: dict(zip(evaluator.output_names, evaluator.run(None, dict(arrays)), strict=True))


def _torch(model: bytes) -> Evaluate:
    from isamap_smt.networks.torch.eager import evaluate

    return evaluate(model)


BACKENDS: dict[str, Backend] = {"onnxruntime": _onnxruntime, "reference": _reference, "torch": _torch}


def register_backend(name: str, backend: Backend) -> None:
    """A back end for `from_onnx(foreign=name)`. backend(model): a function from arrays to arrays, each by name.

    model: the bytes of an ONNX model of one node. Raises NetworkError where another back end has the name.
    """
    if BACKENDS.setdefault(name, backend) is not backend:
        raise NetworkError(f"there is a back end {name!r} already")


def check_backend(name: str) -> str:
    """The name. Raises NetworkError where no back end has it."""
    if name not in BACKENDS:
        raise NetworkError(f"there is no back end {name!r}; {did_you_mean(name, BACKENDS)}")
    return name


def evaluator(backend: str, model: bytes, node: str) -> Evaluate:
    """What computes a model of one node. Raises NetworkError with the node's name where the back end refuses it."""
    make = BACKENDS[check_backend(backend)]
    try:
        return make(model)
    except Exception as error:
        raise _failed(backend, node, error) from error


def evaluated(backend: str, node: str, evaluate: Evaluate, arrays: Dict[str, np.ndarray]) -> Dict[str, Any]:
    """The results of one call, by name. Raises NetworkError for whatever goes wrong in it."""
    try:
        found = evaluate({n: np.array(a, order="C") for n, a in arrays.items()})
        return {str(n): a for n, a in found.items()}
    except Exception as error:
        raise _failed(backend, node, error) from error


def _failed(backend: str, node: str, error: Exception) -> NetworkError:
    told = (str(error).splitlines() or [type(error).__name__])[0][:300]
    return NetworkError(f"the back end {backend} fails: {''.join(c if c.isprintable() else '?' for c in told)}", node)
