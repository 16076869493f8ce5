"""Writes at indices that are data, asked from the output: each element looks for the updates that are for it."""

from __future__ import annotations

from isamap_smt.ir.errors import NetworkError
from isamap_smt.networks import operators as do
from isamap_smt.networks.graph import Var
from isamap_smt.networks.onnx.node import Node, onnx

MOST_COMPARED = 1 << 26  # pairs of an output's element and an update
# reduction -> (how updates are taken together, of none, how that joins what is there)
_REDUCED = {
    "none": ("+=", "0", ""),
    "add": ("+=", "0", " + "),
    "mul": ("*=", "1", " * "),
    "max": ("max=", "", ""),
    "min": ("min=", "", ""),
}


@onnx("ScatterElements", "Scatter")
def _scatter_elements(node: Node) -> Var:
    x, updates = node[0], node[2]
    axis = do.along(x, int(node.attribute("axis", 0)))
    if node[1].shape != updates.shape or x.rank != updates.rank:
        raise NetworkError(f"{updates.value} at {node[1].value} do not go into {x.value}")
    if any(u > s for n, (u, s) in enumerate(zip(updates.shape, x.shape, strict=True)) if n != axis):
        raise NetworkError(f"{updates.value} are more than {x.value} has")
    found = do.wrapped(node[1], x.shape[axis])
    index, inner = do.names(x.rank), do.names(x.rank)
    inner[axis] = "u"
    sizes = dict(zip(index, x.shape, strict=True))
    tests = [f"{i} < {n}" for i, n, s in zip(index, updates.shape, x.shape, strict=True) if i != index[axis] and n < s]
    guard = f" where {' and '.join(tests)}" if tests else ""
    match = f"i64(J[{','.join(inner)}]) == i64({index[axis]})"
    axes = {**sizes, "u": updates.shape[axis]}
    return _combined(node, x, updates, {"J": found}, match, ",".join(inner), index, axes, guard)


@onnx("ScatterND")
def _scatter_nd(node: Node) -> Var:
    g, x, indices, updates = node.graph, node[0], node[1], node[2]
    if not indices.rank or not 1 <= indices.shape[-1] <= x.rank:
        raise NetworkError(f"{indices.value} are no places of {x.value}")
    depth, rows = indices.shape[-1], indices.elements // indices.shape[-1]
    flat = g.view(indices, (rows, depth))
    columns = [g.view(do.part(flat, [0, n], [rows, 1], [1, 1]), (rows,)) for n in range(depth)]
    columns = [do.wrapped(c, x.shape[n]) for n, c in enumerate(columns)]
    updates = g.view(updates, (rows, *x.shape[depth:]))
    index = do.names(x.rank)
    # one place of the first dimensions together, so that one comparison finds it
    place, scale, at = columns[-1], 1, ""
    for n in reversed(range(depth)):
        at = f"{scale} * {index[n]}" + (f" + {at}" if at else "")
        if n < depth - 1:
            place = do.pointwise(f"{{}} + {scale} * {{}}".format, place, columns[n])
        scale *= x.shape[n]
    axes = {**dict(zip(index, x.shape, strict=True)), "u": rows}
    inner = ",".join(["u", *index[depth:]])
    return _combined(node, x, updates, {"J": place}, f"i64(J[u]) == i64({at})", inner, index, axes, "")


def _combined(
    node: Node, x: Var, updates: Var, reads: dict[str, Var], match: str, inner: str, index: list[str], axes: dict[str, int],
    guard: str,
) -> Var:  # fmt: skip
    """x, and at each place the updates that match it."""
    how = node.attribute("reduction", "none")
    if how not in _REDUCED:
        raise NetworkError(f"no reduction {how!r}")
    if x.elements * axes["u"] > MOST_COMPARED:
        raise NetworkError(
            f"{axes['u']:,} updates of {x.elements:,} elements: each two are compared, and {MOST_COMPARED:,} at most"
        )
    op, neutral, joined = _REDUCED[how]
    at, d = f"[{','.join(index)}]", x.dtype
    within = do.computed_in(d)
    shape = ",".join(map(str, x.shape))
    own = f"{within}(X{at})"
    u = f"{within}(U[{inner}])"
    if not updates.elements:
        return x
    if how == "none":  # the last of several
        text = (
            f"temporary M, T\nM: i64[{shape}]\nT: {within}[{shape}]\nM{at} max= select({match}, i64(u), i64(-1)){guard}\n"
            f"T{at} += select(i64(u) == M{at}, {u}, {within}(0)){guard}\nY{at} = {d}(select(i64(0) <= M{at}, T{at}, {own}))"
        )
    elif how in ("add", "mul"):
        text = (
            f"temporary T\nT: {within}[{shape}]\nT{at} {op} select({match}, {u}, {within}({neutral})){guard}\n"
            f"Y{at} = {d}({own}{joined}T{at})"
        )
    else:
        text = f"temporary T\nT: {within}[{shape}]\nT{at} {op} select({match}, {u}, {own}){guard}\nY{at} = {d}({how}({own}, T{at}))"
    return node.graph.step(text, {"X": x, "U": updates, **reads}, {"Y": (d, x.shape)}, axes, x.truth)[0]
