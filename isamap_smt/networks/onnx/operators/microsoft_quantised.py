"""onnxruntime's operators of bytes, as its static quantisation writes them in the format QOperator.

Each is an operator of floating point behind DequantizeLinear and before QuantizeLinear, so it is computed as these
three are: in integers if the operator allows it, else in f32. Products of matrices are exact sums, multiplied by their
scale once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from isamap_smt.ir.errors import NetworkError, UncomputedError
from isamap_smt.networks import operators as do
from isamap_smt.networks import quantised as whole
from isamap_smt.networks.graph import Var
from isamap_smt.networks.onnx.node import OPERATORS, Node, onnx
from isamap_smt.networks.onnx.operators.quantised import (
    checked,
    dequantized,
    dynamically,
    in_integers,
    products,
    quantized,
    requantised,
    scaled,
)
from isamap_smt.networks.onnx.schema import MICROSOFT

OPSET = 21  # of the operators of floating point
NUMBER, ROW = "one number", "one number, or one for each column"


def _of(node: Node, at: int) -> whole.Quantised:
    """A value, with the next inputs as its scale and zero point: one number each. Raises NetworkError."""
    made = whole.Quantised(node[at], node[at + 1], node.get(at + 2))
    _one_number(node, at + 1, at + 2)
    checked(node, at + 1)
    return made


def _one_number(node: Node, *positions: int) -> None:
    """Raise NetworkError if an input has other than one element."""
    for n in positions:
        if (x := node.get(n)) is not None and x.elements != 1:
            raise NetworkError(f"input {n + 1} of {node.op} is {x.value}, and must be {NUMBER}", node.name)


def _columns(node: Node, w: Var, *positions: int) -> None:
    """Raise NetworkError if an input has neither one element nor one for each column of w."""
    for n in positions:
        if (x := node.get(n)) is not None and (x.rank > 1 or x.elements not in (1, w.shape[-1])):
            raise NetworkError(f"input {n + 1} of {node.op} is {x.value}, and must be {ROW} of {w.value}", node.name)


def _number_of(node: Node, at: int) -> Var:
    x = _of(node, at)
    return dequantized(node, x.x, x.scale, x.zero)


def _in_bytes(node: Node, made: Var, at: int, like: Var) -> Var:
    """A number in bytes; its scale and zero point are at these inputs."""
    _one_number(node, at, at + 1)
    checked(node, at)
    zero = node.get(at + 1)
    return quantized(node, made, node[at], zero, like.dtype if zero is None else zero.dtype)


def _computed(node: Node, op: str, inputs: list[Var | None]) -> Var:
    """ONNX's operator of floating point."""
    asked = replace(node, op=op, inputs=inputs, opset=int(node.attribute("opset", OPSET)), outputs=1)
    if (held := in_integers(asked)) is not None:
        return held
    made = OPERATORS["", op](asked)
    assert isinstance(made, Var)
    return made


def _between(op: str, *operands: int, image: bool = False, **defaults: int) -> Callable[[Node], Var]:
    """Operands at these inputs, the result's scale and zero point behind the last; an image may have its channels last.

    defaults: of attributes, if ONNX's operator has others.
    """

    def made(node: Node) -> Var:
        node = replace(node, attributes={**defaults, **node.attributes})
        values = [_of(node, n) for n in operands]
        rank, turned = values[0].x.rank, image and bool(node.attribute("channels_last", 0))
        if image and rank < 3:
            raise NetworkError(f"{values[0].x.value} is no image of channels", node.name)
        if turned:
            values = [replace(v, x=do.transpose(v.x, (0, rank - 1, *range(1, rank - 1)))) for v in values]
        found = _computed(node, op, [dequantized(node, v.x, v.scale, v.zero) for v in values])
        found = _in_bytes(node, found, operands[-1] + 3, values[0].x)
        return do.transpose(found, (0, *range(2, rank), 1)) if turned else found

    return made


for _op, _made in {
    "Add": _between("Add", 0, 3),
    "AveragePool": _between("AveragePool", 0, image=True),
    "GlobalAveragePool": _between("GlobalAveragePool", 0, image=True),
    "LeakyRelu": _between("LeakyRelu", 0),
    "Mul": _between("Mul", 0, 3),
    "Sigmoid": _between("Sigmoid", 0),
    "Softmax": _between("Softmax", 0, axis=-1),
}.items():
    onnx(f"QLinear{_op}", domain=MICROSOFT)(_made)


@onnx("QLinearConcat", domain=MICROSOFT)
def _joined(node: Node) -> Var:
    """Each part is brought to the result's scale, then moved."""
    starts = range(2, len(node.inputs), 3)
    if (len(node.inputs) - 2) % 3 or not starts:
        raise NetworkError(
            f"{node.op} has {len(node.inputs)} inputs, and must have a scale and a zero point of its result, then an array, "
            "its scale and its zero point, of each part",
            node.name,
        )
    parts = [_in_bytes(node, _number_of(node, n), 0, node[n]) for n in starts]
    axis, first = do.axis_of(int(node.attribute("axis")), parts[0].rank), parts[0]
    for n, p in zip(starts, parts, strict=True):
        if p.rank != first.rank or any(
            s != f for k, (s, f) in enumerate(zip(p.shape, first.shape, strict=True)) if k != axis
        ):
            raise NetworkError(f"{node[n].value} does not stand behind {node[2].value} along axis {axis}", node.name)
    return do.concatenate(parts, axis)


@onnx("QLinearWhere", domain=MICROSOFT)
def _where(node: Node) -> Var:
    x, y = (_in_bytes(node, _number_of(node, n), 7, node[n]) for n in (1, 4))
    return do.where(node[0], x, y)


# ---- Products of matrices


def _plus(made: Var, bias: Var | None) -> Var:
    return made if bias is None else do.pointwise("{} + {}".format, made, bias)


@onnx("QGemm", domain=MICROSOFT)
def _gemm(node: Node) -> Var:
    a, w = _of(node, 0), whole.Quantised(node[3], node[4], node[5])
    unit, zero = node.get(7), node.get(8)
    if (unit is None) != (zero is None):
        raise NetworkError(
            f"{node.op} has one of a scale and a zero point of its result, and must have both or none", node.name
        )
    x, b = (
        do.transpose(v, (1, 0)) if v.rank == 2 and node.attribute(f"trans{s}", 0) else v
        for v, s in ((a.x, "A"), (w.x, "B"))
    )
    if (x.rank, b.rank) != (2, 2) or x.shape[1] != b.shape[0]:
        raise NetworkError(f"{a.x.value} and {w.x.value} have no product; {node.op} wants [M,K] and [K,N]", node.name)
    _columns(node, b, 4, 5)
    checked(node, 4)
    alpha = float(node.attribute("alpha", 1.0))
    scale = a.scale if alpha == 1 else do.pointwise(lambda s: f"{s} * {do.literal(alpha)}", a.scale)
    held, shape = products(replace(a, x=x, scale=scale), replace(w, x=b)), (x.shape[0], b.shape[1])
    if (bias := node.get(6)) is not None:
        if do.broadcast(bias.shape, shape) != shape:
            raise NetworkError(f"{bias.value} does not broadcast to {shape[0]} rows of {shape[1]}", node.name)
        held = replace(held, terms=(*held.terms, bias))
    if unit is None or zero is None:
        return whole.total(held)
    _one_number(node, 7, 8)
    checked(node, 7)
    if (made := requantised(held, unit, zero)) is not None:
        return made
    factor = do.pointwise("{} / {}".format, held.scale, node.graph.view(unit, []))
    return scaled(whole.exact(held), factor, node.graph.view(zero, []))


@onnx("MatMulIntegerToFloat", domain=MICROSOFT)
def _matmul(node: Node) -> Var:
    if node[2].elements != 1:
        raise UncomputedError(f"{node[2].value} is the scale of {node[0].value}, and only {NUMBER} is computed")
    _one_number(node, 4)
    checked(node, 2, 3)
    return _product(
        node, whole.Quantised(node[0], node[2], node.get(4)), whole.Quantised(node[1], node[3], node.get(5)), 3, 5
    )


@onnx("DynamicQuantizeMatMul", domain=MICROSOFT)
def _dynamic(node: Node) -> Var:
    checked(node, 2)
    return _product(node, whole.Quantised(*dynamically(node[0])), whole.Quantised(node[1], node[2], node.get(3)), 2, 3)


def _product(node: Node, a: whole.Quantised, w: whole.Quantised, *columns: int) -> Var:
    """In f32. columns: the inputs with the scale and the zero point of w; behind the last is the bias."""
    if not a.x.rank or not w.x.rank or a.x.shape[-1] != w.x.shape[max(w.x.rank - 2, 0)]:
        raise NetworkError(f"{a.x.value} and {w.x.value} have no product", node.name)
    _columns(node, w.x, *columns)
    bias = node.get(columns[-1] + 1)
    if bias is not None and bias.shape != (w.x.shape[-1],):
        raise NetworkError(f"{bias.value} has not one element for each column of {w.x.value}", node.name)
    return _plus(whole.total(products(a, w)), bias)
