"""Rows of capability: operators of ONNX as functions of another library, and a model of such operators run by them.

A row is an operator, and a function of its attributes and inputs. It refuses other cases when the model is loaded, or
at its first call. No function writes into its inputs.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping as Dict
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np

from isamap_smt.ir.errors import NetworkError
from isamap_smt.networks.onnx.model import array_of, library

Attributes = Dict[str, Any]
Row = Callable[..., Any]  # (attributes, *inputs), None for one that is left out: the result, or a tuple of them
LEAST_OPSET = 13  # from which on axes of sums and softmax are what rows take them for


@dataclass(frozen=True)
class Library:
    """rows: by operator. array_in, array_out: an array of NumPy as the library's, and back."""

    name: str
    rows: Dict[str, Row]
    array_in: Callable[[np.ndarray], Any]
    array_out: Callable[[Any], Any]


def evaluate(by: Library, model: bytes) -> Callable[[Dict[str, np.ndarray]], dict[str, Any]]:
    """A function for a model's outputs. Raises NetworkError for an operator without a row."""
    onnx = library()
    proto = onnx.load_from_string(model)
    opset = next((o.version for o in proto.opset_import if o.domain in ("", "ai.onnx")), 0)
    for node in proto.graph.node:
        if node.domain not in ("", "ai.onnx") or node.op_type not in by.rows:
            raise NetworkError(f"{by.name} has no row for {node.domain + '.' if node.domain else ''}{node.op_type}")
    if opset < LEAST_OPSET:
        raise NetworkError(f"rows are of opset {LEAST_OPSET} and later, and the model is of {opset}")
    held = {t.name: by.array_in(array_of(t, None)) for t in proto.graph.initializer}
    calls = [(by.rows[n.op_type], _attributes(onnx, n), tuple(n.input), tuple(n.output)) for n in proto.graph.node]
    inputs = [i.name for i in proto.graph.input if i.name not in held]
    outputs = [o.name for o in proto.graph.output]

    def run(arrays: Dict[str, np.ndarray]) -> dict[str, Any]:
        known: dict[str, Any] = {"": None, **held}
        known.update((n, by.array_in(arrays[n])) for n in inputs)
        for row, attributes, reads, writes in calls:
            made = row(attributes, *[known[n] for n in reads])
            known.update(zip(writes, made if isinstance(made, tuple) else (made,), strict=False))
        return {n: by.array_out(known[n]) for n in outputs}

    return run


def _attributes(onnx: Any, node: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for a in node.attribute:
        value = array_of(a.t, None) if a.type == onnx.AttributeProto.TENSOR else onnx.helper.get_attribute_value(a)
        found[a.name] = value.decode() if isinstance(value, bytes) else value
    return found


def unless(wrong: Any, what: str) -> None:
    """Raise NetworkError for a case refused by a row."""
    if wrong:
        raise NetworkError(f"no row for {what}")


def whole(x: Any) -> list[int]:
    """The elements of a tensor of indices."""
    return [int(n) for n in np.asarray(x).reshape(-1)]


def each(function: Callable[..., Any]) -> Row:
    """A row of inputs alone."""
    return lambda _, *x: function(*x)


def folded(function: Callable[..., Any]) -> Row:
    """A row of any number of inputs, two at a time."""
    return lambda _, *x: reduce(function, x)


def reshaped(a: Attributes, x: Any, shape: Any) -> Any:
    """Reshape: 0 keeps a dimension."""
    wanted = whole(shape)
    kept = [x.shape[n] if e == 0 and not a.get("allowzero") else e for n, e in enumerate(wanted)]
    return x.reshape(tuple(kept))


def flattened(a: Attributes, x: Any) -> Any:
    """Flatten."""
    axis = a.get("axis", 1)
    axis += len(x.shape) if axis < 0 else 0
    return x.reshape((int(np.prod(x.shape[:axis], dtype=np.int64)), -1))


def squeezed(_: Attributes, x: Any, axes: Any = None) -> Any:
    """Squeeze."""
    rank = len(x.shape)
    gone = [n for n, e in enumerate(x.shape) if e == 1] if axes is None else [n % rank for n in whole(axes)]
    return x.reshape(tuple(e for n, e in enumerate(x.shape) if n not in gone))


def unsqueezed(_: Attributes, x: Any, axes: Any) -> Any:
    """Unsqueeze."""
    rank = len(x.shape) + len(whole(axes))
    new, old = {n % rank for n in whole(axes)}, iter(x.shape)
    return x.reshape(tuple(1 if n in new else next(old) for n in range(rank)))


def sliced(_: Attributes, x: Any, starts: Any, ends: Any, axes: Any = None, steps: Any = None) -> Any:
    """Slice, forwards."""
    starts, ends = whole(starts), whole(ends)
    steps = [1] * len(starts) if steps is None else whole(steps)
    unless(min(steps) < 1, "a Slice backwards")
    found = [slice(None)] * len(x.shape)
    for axis, *ends_of in zip(range(len(starts)) if axes is None else whole(axes), starts, ends, steps, strict=True):
        found[axis] = slice(*ends_of)
    return x[tuple(found)]


def parts(a: Attributes, x: Any, split: Any, count: int) -> list[tuple[int, int]]:
    """Start and end of each part of Split."""
    length = x.shape[a.get("axis", 0)]
    size = -(-length // count)
    sizes = whole(split) if split is not None else [min(size, length - n * size) for n in range(count)]
    ends = np.cumsum([0, *sizes])
    return [(int(b), int(e)) for b, e in pairwise(ends)]
