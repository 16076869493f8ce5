"""Products of matrices."""

from __future__ import annotations

from isamap_smt.networks import operators as do
from isamap_smt.networks.graph import Var
from isamap_smt.networks.onnx.node import Node, onnx


@onnx("MatMul")
def _matmul(node: Node) -> Var:
    return do.matmul(node[0], node[1])


@onnx("Gemm")
def _gemm(node: Node) -> Var:
    turned = bool(node.attribute("transA", 0)), bool(node.attribute("transB", 0))
    return do.gemm(
        node[0], node[1], node.get(2), float(node.attribute("alpha", 1.0)), float(node.attribute("beta", 1.0)), turned
    )


@onnx("Einsum")
def _einsum(node: Node) -> Var:
    return do.einsum(node.attribute("equation"), *(node[n] for n in range(len(node.inputs))))
