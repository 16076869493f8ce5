"""Operators of onnxruntime's domain com.microsoft, which its optimiser and exporters write."""

from __future__ import annotations

from isamap_smt.ir.errors import NetworkError
from isamap_smt.networks import norms as of_norms
from isamap_smt.networks import operators as do
from isamap_smt.networks.functions import FAST_GELU, GELU
from isamap_smt.networks.graph import Var
from isamap_smt.networks.onnx.node import Node, onnx
from isamap_smt.networks.onnx.schema import MICROSOFT


def _plus(x: Var, more: Var | None) -> Var:
    return x if more is None else do.pointwise("{} + {}".format, x, more, to=x.dtype)


@onnx("Gelu", "BiasGelu", domain=MICROSOFT)
def _gelu(node: Node) -> Var:
    return do.applied(GELU, _plus(node[0], node.get(1)))


@onnx("FastGelu", domain=MICROSOFT)
def _fast_gelu(node: Node) -> Var:
    return do.applied(FAST_GELU, _plus(node[0], node.get(1)))


@onnx("QuickGelu", domain=MICROSOFT)
def _quick_gelu(node: Node) -> Var:
    alpha = do.literal(float(node.attribute("alpha", 1.702)))
    return do.pointwise(lambda x: f"{x} * sigmoid({alpha} * {x})", node[0])


@onnx("FusedMatMul", domain=MICROSOFT)
def _fused_matmul(node: Node) -> Var:
    a, b = (_turned(node, n, s) for n, s in enumerate("AB"))
    made, alpha = do.matmul(a, b), float(node.attribute("alpha", 1.0))
    return made if alpha == 1.0 else do.pointwise(lambda x: f"{x} * {do.literal(alpha)}", made)


def _turned(node: Node, position: int, which: str) -> Var:
    """An operand with its first dimension behind its batches, then its last two in the other order; vectors stay."""
    x = node[position]
    order = list(range(x.rank))
    if node.attribute(f"transBatch{which}", 0):
        if x.rank < 3:
            raise NetworkError(f"{x.value} has no batches for transBatch{which}", node.name)
        order = [*order[1:-1], 0, order[-1]]
    if node.attribute(f"trans{which}", 0) and x.rank > 1:
        order[-2:] = order[:-3:-1]
    return do.transpose(x, order)


@onnx("SkipLayerNormalization", domain=MICROSOFT)
def _skip_layer_normalization(node: Node) -> list[Var | None]:
    whole = _skipped(node, 4)
    epsilon = float(node.attribute("epsilon", 1e-12))
    made = of_norms.normalise(whole, [whole.rank - 1], epsilon, _row(node, 2, whole), _row(node, 3, whole))[0]
    return _results(node, made, whole)


@onnx("SkipSimplifiedLayerNormalization", domain=MICROSOFT)
def _skip_simplified(node: Node) -> list[Var | None]:
    whole = _skipped(node, 3)
    epsilon = float(node.attribute("epsilon", 1e-12))
    made = of_norms.normalise(whole, [whole.rank - 1], epsilon, _row(node, 2, whole), None, centred=False)[0]
    return _results(node, made, whole)


def _skipped(node: Node, bias: int) -> Var:
    """The sum that is normalised. The skipped value may lack the batch, or have one of 1."""
    x, skip = node[0], node[1]
    if (
        x.rank not in (2, 3)
        or skip.rank > x.rank
        or skip.shape[-2:] != x.shape[-2:]
        or any(n != 1 for n in skip.shape[:-2] if skip.shape != x.shape)
    ):
        raise NetworkError(f"{skip.value} is not skipped to {x.value}", node.name)
    return _plus(_plus(x, skip), _row(node, bias, x))


def _row(node: Node, position: int, x: Var) -> Var | None:
    """An input that has one element for each of a row, if it is there."""
    found = node.get(position)
    if found is not None and found.shape != x.shape[-1:]:
        raise NetworkError(f"{found.value} has not one element for each of a row of {x.value}", node.name)
    return found


def _results(node: Node, made: Var, whole: Var) -> list[Var | None]:
    """The result, and the sum as the fourth; the two between are of training."""
    return [made] if node.outputs == 1 else [made, None, None, whole]
