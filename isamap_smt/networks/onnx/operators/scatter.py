"""Writes at indices given as data: the old elements, and over them the updates, one after the other."""

from __future__ import annotations

from collections.abc import Sequence

from isamap_smt.ir.errors import NetworkError
from isamap_smt.networks import operators as do
from isamap_smt.networks.graph import Var
from isamap_smt.networks.onnx.node import Node, onnx

# reduction -> how an update changes what is there; of several without one the last one stays
_REDUCED = {"none": "=", "add": "+=", "mul": "*=", "max": "max=", "min": "min="}


@onnx("ScatterElements", "Scatter")
def _scatter_elements(node: Node) -> Var:
    x, updates = node[0], node[2]
    axis = do.along(x, int(node.attribute("axis", 0)))
    if node[1].shape != updates.shape or x.rank != updates.rank:
        raise NetworkError(f"{updates.value} at {node[1].value} do not go into {x.value}")
    if any(u > s for n, (u, s) in enumerate(zip(updates.shape, x.shape, strict=True)) if n != axis):
        raise NetworkError(f"{updates.value} are more than {x.value} has")
    found = do.wrapped(node[1], x.shape[axis])
    index = do.names(2 * x.rank)[x.rank :]
    inside = list(index)
    inside[axis] = f"J[{','.join(index)}]"
    return _written(node, x, updates, {"J": found}, index, inside)


@onnx("ScatterND")
def _scatter_nd(node: Node) -> Var:
    g, x, indices, updates = node.graph, node[0], node[1], node[2]
    if not indices.rank or not 1 <= indices.shape[-1] <= x.rank:
        raise NetworkError(f"{indices.value} are no places of {x.value}")
    depth, rows = indices.shape[-1], indices.elements // indices.shape[-1]
    flat = g.view(indices, (rows, depth))
    columns = [g.view(do.part(flat, [0, n], [rows, 1], [1, 1]), (rows,)) for n in range(depth)]
    found = {f"J{n}": do.wrapped(c, x.shape[n]) for n, c in enumerate(columns)}
    updates = g.view(updates, (rows, *x.shape[depth:]))
    row, *rest = do.names(2 * x.rank + 1)[x.rank : 2 * x.rank + 1 - depth]
    return _written(node, x, updates, found, [row, *rest], [*(f"{n}[{row}]" for n in found), *rest])


@onnx("TensorScatter")
def _tensor_scatter(node: Node) -> Var:
    """Rows of a cache, written from each batch's index on; a circular one goes on at its start after its end."""
    x, updates = node[0], node[1]
    axis, mode = do.along(x, int(node.attribute("axis", -2))), node.attribute("mode", "linear")
    if not axis or mode not in ("linear", "circular"):
        raise NetworkError(f"no rows are written along dimension {axis}, {mode}")
    if any(u > s or (u < s and n != axis) for n, (u, s) in enumerate(zip(updates.shape, x.shape, strict=True))):
        raise NetworkError(f"{updates.value} are no rows of {x.value}")
    index = do.names(2 * x.rank)[x.rank :]
    inside, found = list(index), node.get(2)
    if found is not None:
        inside[axis] = f"J[{index[0]}] + {index[axis]}"
    if mode == "circular":
        inside[axis] = f"({inside[axis]}) % {x.shape[axis]}"
    return _written(node, x, updates, {} if found is None else {"J": found}, index, inside)


def _written(
    node: Node, x: Var, updates: Var, reads: dict[str, Var], index: Sequence[str], inside: Sequence[str]
) -> Var:
    """x, and over it the updates: each at `index` of its own goes to the place `inside`."""
    how = node.attribute("reduction", "none")
    if how not in _REDUCED:
        raise NetworkError(f"no reduction {how!r}")
    if not updates.elements:
        return x
    own, d = do.names(x.rank), x.dtype
    within, at = do.computed_in(d), f"[{','.join(own)}]"
    axes = dict(zip([*own, *index], [*x.shape, *updates.shape], strict=True))
    u, to = f"U[{','.join(index)}]", f"[{','.join(inside)}] {_REDUCED[how]} "
    if within == d or how == "none":
        text = f"Y{at} = X{at}\nY{to}{u}"
    else:  # rounded once
        text = f"temporary T\nT: {within}[{','.join(map(str, x.shape))}]\n"
        text += f"T{at} = {within}(X{at})\nT{to}{within}({u})\nY{at} = {d}(T{at})"
    return node.graph.step(text, {"X": x, "U": updates, **reads}, {"Y": (d, x.shape)}, axes)[0]
