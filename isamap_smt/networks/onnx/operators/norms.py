"""Normalisation."""

from __future__ import annotations

import numpy as np

from isamap_smt.ir.errors import NetworkError, UncomputedError
from isamap_smt.networks import norms as of_norms
from isamap_smt.networks import operators as do
from isamap_smt.networks.graph import MOST_DIMENSIONS, Var
from isamap_smt.networks.onnx.node import Node, onnx


@onnx("BatchNormalization")
def _batch_normalization(node: Node) -> Var | list[Var]:
    x, (scale, shift, mean, variance) = node.of_rank(0, 2, MOST_DIMENSIONS), (node.of_rank(n, 1) for n in range(1, 5))
    if node.attribute("training_mode", 0) or node.outputs > 1:
        return _training(node)
    return of_norms.batch_norm(x, mean, variance, scale, shift, float(node.attribute("epsilon", 1e-5)))


def _training(node: Node) -> list[Var]:
    x, (scale, shift, mean, variance) = node[0], (node[n] for n in range(1, 5))
    axes = [n for n in range(x.rank) if n != 1]
    made, centre, root = of_norms.normalise(
        x,
        axes,
        float(node.attribute("epsilon", 1e-5)),
        of_norms.channels(scale, x.rank),
        of_norms.channels(shift, x.rank),
    )
    momentum, count = float(node.attribute("momentum", 0.9)), x.elements // x.shape[1]
    centre = node.graph.view(centre, mean.shape)
    square = do.reduce(
        do.pointwise(lambda a, b: f"{a} - {b}", x, of_norms.channels(centre, x.rank)),
        axes,
        "+=",
        lambda e: f"{e} * {e}",
        lambda t: f"{t} / {count}",
        False,
    )
    del root
    old, new = do.literal(momentum), do.literal(1 - momentum)
    return [
        made,
        *(
            do.pointwise(lambda a, b: f"{a} * {old} + {b} * {new}", a, b, to=a.dtype)
            for a, b in ((mean, centre), (variance, square))
        ),
    ]


@onnx("LayerNormalization")
def _layer_normalization(node: Node) -> list[Var]:
    x = node[0]
    axis = do.axis_of(int(node.attribute("axis", -1)), x.rank)
    return list(
        of_norms.normalise(x, range(axis, x.rank), float(node.attribute("epsilon", 1e-5)), node.get(1), node.get(2))
    )


@onnx("RMSNormalization", "SimplifiedLayerNormalization")
def _rms_normalization(node: Node) -> Var:
    x = node[0]
    axis = do.axis_of(int(node.attribute("axis", -1)), x.rank)
    return of_norms.normalise(
        x, range(axis, x.rank), float(node.attribute("epsilon", 1e-5)), node.get(1), None, centred=False
    )[0]


@onnx("InstanceNormalization")
def _instance_normalization(node: Node) -> Var:
    x = node.of_rank(0, 3, MOST_DIMENSIONS)
    scale, shift = of_norms.channels(node[1], x.rank), of_norms.channels(node[2], x.rank)
    return of_norms.normalise(x, range(2, x.rank), float(node.attribute("epsilon", 1e-5)), scale, shift)[0]


@onnx("GroupNormalization")
def _group_normalization(node: Node) -> Var:
    x, groups = node.of_rank(0, 2, MOST_DIMENSIONS), node.number("num_groups", 1, 1)
    of = groups if node.opset < 21 else x.shape[1]
    for v in (node[1], node[2]):
        if v.elements != of:
            raise NetworkError(f"{v.value} is not of {of} elements")
    return of_norms.group_norm(x, groups, node[1], node[2], float(node.attribute("epsilon", 1e-5)))


@onnx("LRN")
def _lrn(node: Node) -> Var:
    x, size = node.of_rank(0, 2, MOST_DIMENSIONS), node.number("size", 1, 1)
    alpha, beta, bias = (float(node.attribute(n, d)) for n, d in (("alpha", 1e-4), ("beta", 0.75), ("bias", 1.0)))
    index = do.names(x.rank)
    at, inner = ",".join(index), [index[0], f"{index[1]}+r-{(size - 1) // 2}", *index[2:]]
    d = do.computed_in(x.dtype)
    if d != x.dtype:
        raise UncomputedError(f"of {x.dtype} it is not computed")
    shape = ",".join(map(str, x.shape))
    e = f"X[{','.join(inner)}]"
    base = f"({do.literal(bias)} + {do.literal(alpha / size)} * S[{at}])"
    root = {0.5: f"sqrt({base})", 1.0: base, 0.75: f"(sqrt({base}) * sqrt(sqrt({base})))"}.get(
        beta, f"exp({do.literal(beta)} * log({base}))"
    )
    text = f"temporary S\nS: {d}[{shape}]\nS[{at}] += {e} * {e} where 0 <= {inner[1]} < {x.shape[1]}\nY[{at}] = X[{at}] / {root}"
    axes = {**dict(zip(index, x.shape, strict=True)), "r": size}
    return node.graph.step(text, {"X": x}, {"Y": (x.dtype, x.shape)}, axes)[0]


@onnx("MeanVarianceNormalization")
def _mean_variance(node: Node) -> Var:
    axes = do.axes_of(node.attribute("axes", [0, 2, 3]), node[0].rank)
    return of_norms.normalise(node[0], axes, 1e-9 if np.dtype(node[0].dtype.numpy).itemsize >= 4 else 1e-6, None, None)[
        0
    ]
