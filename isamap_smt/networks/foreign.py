"""Nodes computed by another library: a back end, asked for by name, proving nothing.

A back end gets copies of its nodes' inputs, unless it writes into none of them. Its results are checked at each run,
and copied to their places in the network.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping as Dict
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from isamap_smt.ir.errors import NetworkError, did_you_mean

Evaluate = Callable[[Dict[str, np.ndarray]], Dict[str, Any]]
Backend = Callable[[bytes], Evaluate]


@dataclass(frozen=True)
class Reader:
    """A function from arrays to arrays, writing into none of its inputs and keeping none: it needs no copies."""

    run: Evaluate

    def __call__(self, arrays: Dict[str, np.ndarray]) -> Dict[str, Any]:
        """The results, by name."""
        return self.run(arrays)


def _onnxruntime(model: bytes, threads: int = 1) -> Evaluate:
    from isamap_smt.networks.against import onnxruntime_session

    session = onnxruntime_session(model, threads)
    names = [o.name for o in session.get_outputs()]
    return Reader(lambda arrays: dict(zip(names, session.run(names, dict(arrays)), strict=True)))


def _reference(model: bytes) -> Evaluate:
    from onnx import load_from_string
    from onnx.reference import ReferenceEvaluator

    evaluator = ReferenceEvaluator(load_from_string(model))
    return lambda arrays: dict(zip(evaluator.output_names, evaluator.run(None, dict(arrays)), strict=True))


def _torch(model: bytes, threads: int = 1) -> Evaluate:
    if model.startswith(b"{"):  # a call of its own; a model of ONNX begins with the number of a field
        from isamap_smt.networks.torch.eager import evaluate

        return evaluate(model)
    import torch

    from isamap_smt.networks.onnx import rows
    from isamap_smt.networks.torch.by_torch import TORCH

    run = rows.evaluate(TORCH, model)

    def on_threads(arrays: Dict[str, np.ndarray]) -> Dict[str, Any]:
        before = torch.get_num_threads()
        try:
            if before != threads:
                torch.set_num_threads(threads)
            with torch.inference_mode():
                return run(arrays)
        finally:
            if before != threads:
                torch.set_num_threads(before)

    return Reader(on_threads)


def _numpy(model: bytes) -> Evaluate:
    from isamap_smt.networks.onnx import rows
    from isamap_smt.networks.onnx.by_numpy import NUMPY

    run = rows.evaluate(NUMPY, model)

    def quietly(arrays: Dict[str, np.ndarray]) -> Dict[str, Any]:
        with np.errstate(all="ignore"):
            return run(arrays)

    return Reader(quietly)


BACKENDS: dict[str, Backend] = {"numpy": _numpy, "onnxruntime": _onnxruntime, "reference": _reference, "torch": _torch}
_THREADED: tuple[Callable[..., Evaluate], ...] = (_onnxruntime, _torch)  # NumPy's products take the threads of its BLAS
_NEEDS = {"onnxruntime": "onnxruntime", "torch": "torch"}


def register_backend(name: str, backend: Backend) -> None:
    """A back end for `foreign=name` and `place=[name]`. backend(model): a function from arrays to arrays, each by name.

    model: the bytes of an ONNX model, of one node or of several in a row. Raises NetworkError if another back end has
    the name.
    """
    if BACKENDS.setdefault(name, backend) is not backend:
        raise NetworkError(f"there is a back end {name!r} already")


def check_backend(name: str) -> str:
    """The name. Raises NetworkError if no back end has it, or if its library is not installed."""
    if name not in BACKENDS:
        raise NetworkError(f"there is no back end {name!r}; {did_you_mean(name, BACKENDS)}")
    if (package := _NEEDS.get(name)) is not None and find_spec(package) is None:
        raise NetworkError(f"the back end {name} is not installed: pip install {package}")
    return name


def evaluator(backend: str, model: bytes, node: str, threads: int = 1) -> Evaluate:
    """The back end's function for a model. Raises NetworkError with the node's name if the back end refuses it."""
    make: Callable[..., Evaluate] = BACKENDS[check_backend(backend)]
    try:
        return make(model, threads) if make in _THREADED else make(model)
    except Exception as error:
        raise _failed(backend, node, error) from error


def evaluated(backend: str, node: str, evaluate: Evaluate, arrays: Dict[str, np.ndarray]) -> Dict[str, Any]:
    """The results of one call, by name. Raises NetworkError for whatever goes wrong in it."""
    try:
        given = arrays if isinstance(evaluate, Reader) else {n: np.array(a, order="C") for n, a in arrays.items()}
        return {str(n): a for n, a in evaluate(given).items()}
    except Exception as error:
        raise _failed(backend, node, error) from error


def _failed(backend: str, node: str, error: Exception) -> NetworkError:
    told = (str(error).splitlines() or [type(error).__name__])[0][:300]
    return NetworkError(f"the back end {backend} fails: {''.join(c if c.isprintable() else '?' for c in told)}", node)
