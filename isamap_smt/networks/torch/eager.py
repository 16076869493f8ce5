"""Operators without a kernel, called in torch: the back end `torch` of networks/foreign.py.

Its model of a call is a text of JSON: the operator's name, and the arguments by theirs. It names no code but torch's
operators.
"""

from __future__ import annotations

import json
from collections.abc import Mapping as Dict
from typing import Any

import numpy as np
import torch

from isamap_smt.ir.errors import UncomputedError
from isamap_smt.networks.foreign import Evaluate
from isamap_smt.networks.graph import Var
from isamap_smt.networks.torch.tensors import array_of, tensor_of

_KINDS = {
    torch.dtype: "dtype",
    torch.device: "device",
    torch.layout: "layout",
    torch.memory_format: "memory_format",
}


def written(target: Any, given: Dict[str, Any], names: Dict[str, str]) -> bytes:
    """A call as the back end reads it; names: of the inputs, by those of the values. Raises UncomputedError."""

    def encoded(x: Any) -> Any:
        if isinstance(x, Var):
            return {"value": names[x.name]}
        if isinstance(x, list | tuple):
            return [encoded(e) for e in x]
        if type(x) in _KINDS:
            return {_KINDS[type(x)]: str(x).removeprefix("torch.")}
        if x is None or type(x) in (bool, int, float, str):
            return x
        raise UncomputedError(f"its argument {x!r} depends on a size, or is nothing that is written down")

    packet = target._schema.name.split("::")
    call = {"operator": [*packet, target._overloadname], "arguments": {n: encoded(x) for n, x in given.items()}}
    return json.dumps(call).encode()


def evaluate(model: bytes) -> Evaluate:
    """The function of a call written by written()."""
    call = json.loads(model)
    space, packet, overload = call["operator"]
    target = getattr(getattr(getattr(torch.ops, space), packet), overload)

    def run(arrays: Dict[str, np.ndarray]) -> dict[str, Any]:
        def decoded(x: Any) -> Any:
            if isinstance(x, list):
                return [decoded(e) for e in x]
            if not isinstance(x, dict):
                return x
            ((kind, name),) = x.items()
            if kind == "value":
                return tensor_of(arrays[name])
            return torch.device(name) if kind == "device" else getattr(torch, name)

        with torch.no_grad():
            made = target(**{n: decoded(x) for n, x in call["arguments"].items()})
        results = made if isinstance(made, list | tuple) else [made]
        return {f"r{n}": np.asarray(array_of(r)) for n, r in enumerate(results) if isinstance(r, torch.Tensor)}

    return run
