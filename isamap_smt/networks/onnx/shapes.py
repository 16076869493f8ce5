"""Operators on open shapes, computed by exporters before they reshape, by nodes such as `Shape`, `Gather` and `Concat`.

Elements are whole numbers and extents (networks/extents.py). Whatever computes elements of data with them is a kernel,
as always.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from isamap_smt.ir.errors import NetworkError
from isamap_smt.networks.onnx.node import Node

Array = np.ndarray


def computed(node: Node) -> Array | None:
    """The result, if an input holds extents and this operator only arranges and combines numbers; else None."""
    if node.op not in _OPERATORS or not any(x is not None and x.extents is not None for x in node.inputs):
        return None
    given = [None if x is None else _numbers(x) for x in node.inputs]
    if any(g is None and x is not None for g, x in zip(given, node.inputs, strict=True)):
        return None
    return _OPERATORS[node.op](node, given)


def _numbers(x: Any) -> Array | None:
    if x.extents is not None:
        return np.asarray(x.extents)
    return None if x.constant is None or x.constant.dtype.kind not in "iub" else x.constant.astype(object)


def _whole(found: Array | None, otherwise: Any = None) -> list[int]:
    return list(otherwise or ()) if found is None else [int(n) for n in found.reshape(-1)]


def _two(op: Callable[[Any, Any], Any]) -> Callable[[Node, list[Any]], Array]:
    each = np.frompyfunc(op, 2, 1)
    return lambda node, given: np.asarray(each(given[0], given[1]), object)


def _cast(node: Node, given: list[Any]) -> Array | None:
    whole = node.attribute("to") in (2, 3, 4, 5, 6, 7, 12, 13)  # integers, as ONNX numbers its types
    return given[0] if whole else None


def _gather(node: Node, given: list[Any]) -> Array:
    at = np.asarray(given[1]).astype(np.int64)
    return np.asarray(np.take(given[0], at, axis=int(node.attribute("axis", 0))), object)


def _concat(node: Node, given: list[Any]) -> Array:
    return np.concatenate(given, axis=int(node.attribute("axis", 0)))


def _axes(node: Node, given: list[Any]) -> list[int]:
    return _whole(given[1] if len(given) > 1 else None, node.attribute("axes"))


def _unsqueeze(node: Node, given: list[Any]) -> Array:
    return np.expand_dims(given[0], tuple(_axes(node, given)))


def _squeeze(node: Node, given: list[Any]) -> Array:
    return np.squeeze(given[0], tuple(_axes(node, given)) or None)


def _slice(node: Node, given: list[Any]) -> Array:
    starts, ends, axes, steps = (
        _whole(given[n] if len(given) > n else None, node.attribute(name))
        for n, name in enumerate(("starts", "ends", "axes", "steps"), 1)
    )
    cut = [slice(None)] * given[0].ndim
    for n, (start, end) in enumerate(zip(starts, ends, strict=True)):
        cut[axes[n] if axes else n] = slice(start, end, steps[n] if steps else 1)
    return np.asarray(given[0][tuple(cut)], object)


def _reduced(op: Callable[[Any, Any], Any], start: int) -> Callable[[Node, list[Any]], Array | None]:
    def reduce(node: Node, given: list[Any]) -> Array | None:
        if _axes(node, given) not in ([], [0]) or given[0].ndim != 1:
            return None
        found: Any = start
        for n in given[0]:
            found = op(found, n)
        return np.array([found] if node.attribute("keepdims", 1) else found, object)

    return reduce


def _where(node: Node, given: list[Any]) -> Array:
    return np.asarray(np.where(np.asarray(given[0]).astype(bool), given[1], given[2]), object)


def _divided(a: Any, b: Any) -> Any:
    if b == 0:
        raise NetworkError("it divides by 0")
    return a // b if isinstance(a, int) and isinstance(b, int) and a >= 0 < b else _exactly(a, b)


def _exactly(a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int):
        return int(a / b)
    return a // b


_OPERATORS: dict[str, Callable[[Node, list[Any]], Array | None]] = {
    "Identity": lambda node, given: given[0],
    "Cast": _cast,
    "Gather": _gather,
    "Concat": _concat,
    "Unsqueeze": _unsqueeze,
    "Squeeze": _squeeze,
    "Slice": _slice,
    "Reshape": lambda node, given: given[0].reshape(_whole(given[1])),
    "Add": _two(lambda a, b: a + b),
    "Sub": _two(lambda a, b: a - b),
    "Mul": _two(lambda a, b: a * b),
    "Div": _two(_divided),
    "Equal": _two(lambda a, b: a == b),
    "Min": _two(min),
    "Max": _two(max),
    "Where": _where,
    "ReduceProd": _reduced(lambda a, b: a * b, 1),
    "ReduceSum": _reduced(lambda a, b: a + b, 0),
}
