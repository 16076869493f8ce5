"""Operators of onnxruntime's domain com.microsoft, as written by its optimiser and exporters."""

from __future__ import annotations

import math

import numpy as np

from isamap_smt.ir.dtypes import dtype
from isamap_smt.ir.errors import NetworkError, UncomputedError
from isamap_smt.networks import norms as of_norms
from isamap_smt.networks import operators as do
from isamap_smt.networks.functions import FAST_GELU, GELU
from isamap_smt.networks.graph import Graph, Var
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


@onnx("MatMulNBits", domain=MICROSOFT)
def _matmul_of_blocks(node: Node) -> Var:
    """A times weights of 4 or 8 bits in bytes, lower bits first: (element - zero point) * scale of each block of a row.

    accuracy_level 4 allows A in bytes, too: each block of a row by a scale of its own.
    """
    a, b, scales, bits = node[0], node[1], node[2], node.number("bits", 4)
    inner, columns, block = (node.number(n, 0, 1) for n in ("K", "N", "block_size"))
    if bits not in (4, 8) or node.get(4) is not None:
        raise UncomputedError(
            f"of {bits} bits{', in groups of their own' if node.get(4) is not None else ''} it is not computed"
        )
    if block % 2 or not a.rank or a.shape[-1] != inner:
        raise NetworkError(f"{a.value} has no rows of {inner} in blocks of {block}", node.name)
    blocks, per = -(-inner // block), 8 // bits
    half, rows = block // per, math.prod(a.shape[:-1])
    if b.elements != columns * blocks * half or scales.elements != columns * blocks:
        raise NetworkError(
            f"{b.value} and {scales.value} are no {columns} rows of {blocks} blocks of {block}", node.name
        )
    graph, within = node.graph, do.computed_in(a.dtype)
    wide = graph.view(a, (rows, inner))
    if blocks * block > inner:
        wide = do.pad(wide, [0, 0], [0, blocks * block - inner])
    reads = {
        "X": graph.view(wide, (rows, blocks, half, per)), "W": graph.view(b, (columns, blocks, half)),
        "S": graph.view(scales, (columns, blocks)),
    }  # fmt: skip
    if (given := node.get(3)) is not None:
        reads["Z"] = _zero_points(node, given, columns, blocks, bits)
    if (bias := node.get(5)) is not None and bias.shape != (columns,):
        raise NetworkError(f"{bias.value} has not one element for each of {columns} columns", node.name)
    last = "T[m,n]" if bias is None else f"T[m,n] + {within}(C[n])"
    reads |= {} if bias is None else {"C": bias}
    axes = {"m": rows, "n": columns, "b": blocks, "h": half}
    parts = ["i32(W[n,b,h]) & 15", "i32(W[n,b,h]) >> 4"] if bits == 4 else ["i32(W[n,b,h])"]
    if node.number("accuracy_level", 0) == 4 and within == do.F32:
        moved = "i32(Z[n,b]) * R[m,b]" if given is not None else "R[m,b]"
        reads |= _in_bytes(graph, reads.pop("X"), 1 if given is not None else 1 << (bits - 1))
        terms = (f"({part}) * i32(Q[m,b,{p},h])" for p, part in enumerate(parts))
        text = (
            f"temporary P, T\nP: i32[{rows},{columns},{blocks}]\nT: {within}[{rows},{columns}]\n"
            f"P[m,n,b] += {' + '.join(terms)}\n"
            f"T[m,n] += f32(P[m,n,b] - {moved}) * f32(S[n,b]) * D[m,b]\nY[m,n] = {a.dtype}({last})"
        )
    else:
        zero = "Z[n,b]" if given is not None else str(1 << (bits - 1))
        scaled = (f"({within}({part}) - {within}({zero})) * {within}(S[n,b])" for part in parts)
        terms = (f"{within}(X[m,b,h,{p}]) * ({weight})" for p, weight in enumerate(scaled))
        text = f"temporary T\nT: {within}[{rows},{columns}]\nT[m,n] += {' + '.join(terms)}\nY[m,n] = {a.dtype}({last})"
    made = graph.step(text, reads, {"Y": (a.dtype, (rows, columns))}, axes)[0]
    return graph.view(made, (*a.shape[:-1], columns))


_LEAST = 1e-36  # 127 times its reciprocal is a number


def _in_bytes(graph: Graph, x: Var, zero: int) -> dict[str, Var]:
    """Blocks of rows as Q * D: signed bytes, in the order of the halves of weights, and a scale. R: a block's sum, times `zero`."""
    rows, blocks, half, per = x.shape
    text = (
        f"temporary A, F, G\nA: f32[{rows},{blocks}]\nF: f32[{rows},{blocks}]\nG: i32[{rows},{blocks}]\n"
        f"A[m,b] max= abs(f32(X[m,b,h,p]))\nD[m,b] = max(A[m,b], {_LEAST}) / 127.0\nF[m,b] = 127.0 / max(A[m,b], {_LEAST})\n"
        f"Q[m,b,p,h] = round_i8(f32(X[m,b,h,p]) * F[m,b])\nG[m,b] += i32(Q[m,b,p,h])\nR[m,b] = {zero} * G[m,b]"
    )
    writes = {
        "Q": (dtype("i8"), (rows, blocks, per, half)), "D": (dtype("f32"), (rows, blocks)), "R": (dtype("i32"), (rows, blocks)),
    }  # fmt: skip
    made = graph.step(text, {"X": x}, writes, {"m": rows, "b": blocks, "h": half, "p": per})
    return dict(zip(writes, made, strict=True))


def _zero_points(node: Node, given: Var, columns: int, blocks: int, bits: int) -> Var:
    """One zero point for each block of each row, unpacked like the weights."""
    held = given.constant
    if held is None:
        raise UncomputedError("zero points that are no constant are not unpacked")
    if held.size == columns * -(-blocks * bits // 8):
        packed = held.reshape(columns, -1)
        apart = packed if bits == 8 else np.stack([packed & 15, packed >> 4], -1).reshape(columns, -1)
        return node.graph.constant(apart[:, :blocks].astype(np.float32))
    raise NetworkError(f"{given.value} are no zero points of {blocks} blocks in {columns} rows", node.name)


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
    """The sum to normalise. The skipped value may lack the batch, or have one of 1."""
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
    """An input with one element for each of a row, if it is there."""
    found = node.get(position)
    if found is not None and found.shape != x.shape[-1:]:
        raise NetworkError(f"{found.value} has not one element for each of a row of {x.value}", node.name)
    return found


def _results(node: Node, made: Var, whole: Var) -> list[Var | None]:
    """The result, and the sum as the fourth; the two between are of training."""
    return [made] if node.outputs == 1 else [made, None, None, whole]
