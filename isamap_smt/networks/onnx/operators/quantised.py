"""Quantised operators: integers with a scale and a zero point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from isamap_smt.ir.dtypes import DType, dtype
from isamap_smt.ir.errors import UncomputedError
from isamap_smt.networks import operators as do
from isamap_smt.networks import quantised as whole
from isamap_smt.networks import windows as of_windows
from isamap_smt.networks.graph import Var
from isamap_smt.networks.onnx.node import OPERATORS, Node, onnx
from isamap_smt.networks.onnx.operators.elementwise import onnx_type

I32 = dtype("i32")


def _along(node: Node, x: Var, factor: Var, axis: int) -> Var:
    """A scale or zero point so that it broadcasts against x: of the whole, of each slice, or of blocks along the axis."""
    block = int(node.attribute("block_size", 0))
    if block:
        apart = [s for n, s in enumerate(factor.shape) for s in ((s, 1) if n == axis else (s,))]
        wide = [s for n, s in enumerate(factor.shape) for s in ((s, block) if n == axis else (s,))]
        whole = do.expand(node.graph.view(factor, apart), wide)
        rows = [s * block if n == axis else s for n, s in enumerate(factor.shape)]
        return do.part(node.graph.view(whole, rows), [0] * x.rank, x.shape, [1] * x.rank)
    if factor.elements == 1:
        return node.graph.view(factor, [])
    return node.graph.view(factor, [factor.elements if n == axis else 1 for n in range(x.rank)])


@onnx("DequantizeLinear")
def _dequantize(node: Node) -> Var:
    x, scale, zero = node[0], node[1], node.get(2)
    axis = do.axis_of(int(node.attribute("axis", 1)), x.rank) if scale.elements > 1 else 0
    held = None if node.attribute("block_size", 0) else whole.bytes_of(x, scale, zero, axis)
    if held is not None:
        made = do.converted(whole.number(held), scale.dtype)
        node.graph.quantised[made.name] = held
        return made
    to, s = scale.dtype, _along(node, x, scale, axis)
    if zero is None or (zero.constant is not None and not zero.constant.any()):
        made = do.pointwise(lambda a, b: f"{a} * {b}", x, s, to=to, within=do.F32)
        if x.dtype == I32:
            node.graph.quantised[made.name] = (x, scale)
        return made
    z = _along(node, x, zero, axis)
    return do.pointwise(lambda a, c, b: f"({a} - {c}) * {b}", x, z, s, to=to, within=do.F32)


@onnx("QuantizeLinear")
def _quantize(node: Node) -> Var:
    x, scale, zero = node[0], node[1], node.get(2)
    axis = do.axis_of(int(node.attribute("axis", 1)), x.rank) if scale.elements > 1 else 0
    kind = int(node.attribute("output_dtype", 0))
    found = onnx_type(kind) if kind and zero is None else zero.dtype if zero is not None else dtype("u8")
    assert found is not None
    if (made := _in_integers(node, x, scale, zero, found)) is not None:
        return made
    return _quantized(x, _along(node, x, scale, axis), None if zero is None else _along(node, x, zero, axis), found)


def _in_integers(node: Node, x: Var, scale: Var, zero: Var | None, to: DType) -> Var | None:
    """The bytes of a value that is made of whole numbers; None where it is not, or the model asks for another type."""
    held = node.graph.quantised.get(x.name)
    if to not in (whole.U8, whole.I8) or scale.elements != 1 or (zero is not None and zero.constant is None):
        return None
    point = 0 if zero is None or zero.constant is None else int(zero.constant.reshape(-1)[0])
    if isinstance(held, whole.Sum) and scale.dtype == do.F32:
        return whole.rounded(held, node.graph.view(scale, []), point, to)
    if isinstance(held, whole.Bytes):
        asked = whole.Bytes(held.x, scale, point + (whole.HALF if to == whole.I8 else 0), None, to)
        return whole.as_declared(held.x, to) if held.same_numbers(asked) else None
    return None


def _quantized(x: Var, scale: Var, zero: Var | None, to: DType) -> Var:
    if to.is_float or to.bits > 16:
        raise UncomputedError(f"to {to} it is not computed")
    if zero is None or (zero.constant is not None and not zero.constant.any()):
        return do.pointwise(lambda a, b: f"round_{to}({a} / {b})", x, scale, to=to, within=do.F32)
    return do.pointwise(lambda a, b, z: f"round_{to}(rint({a} / {b}) + {z})", x, scale, zero, to=to, within=do.F32)


@onnx("DynamicQuantizeLinear")
def _dynamic(node: Node) -> list[Var]:
    x = node[0]
    low = do.reduce(x, range(x.rank), "min=", keep=False)
    high = do.reduce(x, range(x.rank), "max=", keep=False)
    scale = do.pointwise(lambda a, b: f"(max({b}, 0) - min({a}, 0)) / 255", low, high)
    u8 = dtype("u8")
    zero = do.pointwise(lambda a, s: f"round_u8(rint((0 - min({a}, 0)) / {s}))", low, scale, to=u8, within=do.F32)
    return [_quantized(x, scale, zero, u8), scale, zero]


def _shifted(x: Var, zero: Var | None, axis: int | None) -> Var:
    """x less its zero point, in i32."""
    if zero is None:
        return do.converted(x, I32)
    if zero.elements > 1 and axis is not None:
        zero = x.graph.view(zero, [zero.elements if n == axis % x.rank else 1 for n in range(x.rank)])
    elif zero.elements == 1:
        zero = x.graph.view(zero, [])
    return do.pointwise(lambda a, z: f"{a} - {z}", x, zero, to=I32, within=I32)


@onnx("MatMulInteger")
def _matmul_integer(node: Node) -> Var:
    return do.matmul(_shifted(node[0], node.get(2), -2), _shifted(node[1], node.get(3), -1))


@onnx("ConvInteger")
def _conv_integer(node: Node) -> Var:
    from isamap_smt.networks.onnx.operators.windows import window

    x, w = _shifted(node[0], node.get(2), None), _shifted(node[1], node.get(3), 0)
    found = window(node, x, list(w.shape[2:]))
    return of_windows.convolution(
        x, w, None, found.strides, found.dilations, found.before, found.after, int(node.attribute("group", 1))
    )


@onnx("QLinearMatMul")
def _qlinear_matmul(node: Node) -> Var:
    a, b = _shifted(node[0], node[2], -2), _shifted(node[3], node[5], -1)
    product = do.matmul(a, b)
    rows = node.graph.view(node[1], (node[1].elements, 1)) if node[1].elements > 1 else node.graph.view(node[1], [])
    columns = node.graph.view(node[4], [node[4].elements] if node[4].elements > 1 else [])
    scale = do.pointwise(lambda p, q, y: f"{p} * {q} / {y}", rows, columns, node.graph.view(node[6], []))
    return _scaled(product, do.converted(scale, do.F32), node.graph.view(node[7], []))


def _scaled(x: Var, scale: Var, zero: Var) -> Var:
    return do.pointwise(
        lambda a, s, z: f"round_{zero.dtype}(rint({a} * {s}) + {z})", x, scale, zero, to=zero.dtype, within=do.F32
    )


@onnx("QLinearConv")
def _qlinear_conv(node: Node) -> Var:
    from isamap_smt.networks.onnx.operators.windows import window

    x, w = _shifted(node[0], node[2], None), _shifted(node[3], node[5], 0)
    found = window(node, x, list(w.shape[2:]))
    made = of_windows.convolution(
        x, w, node.get(8), found.strides, found.dilations, found.before, found.after, int(node.attribute("group", 1))
    )
    shape = [node[4].elements, *[1] * (x.rank - 2)] if node[4].elements > 1 else []
    scale = do.pointwise(
        lambda p, q, y: f"{p} * {q} / {y}",
        node.graph.view(node[1], []),
        node.graph.view(node[4], shape),
        node.graph.view(node[6], []),
    )
    return _scaled(made, scale, node.graph.view(node[7], []))


# ---- Operators of floating point between DequantizeLinear and QuantizeLinear

Follows = Callable[[Node, Var], Any]
IN_INTEGERS: dict[str, Follows] = {}
# They move elements, or choose among them: what they do to numbers they do to bytes.
MOVING = (
    "DepthToSpace", "Expand", "Flatten", "Identity", "MaxPool", "Reshape", "Slice", "SpaceToDepth", "Squeeze", "Tile", "Transpose",
    "Unsqueeze",
)  # fmt: skip


def follow(node: Node, made: Var) -> None:
    """Record of a result which whole numbers it is made of, where its operands are."""
    make = IN_INTEGERS.get(node.op)
    if make is not None and node.outputs < 2 and made.constant is None and (held := make(node, made)) is not None:
        node.graph.quantised[made.name] = held


def _operand(node: Node, position: int, kind: Any) -> Any:
    x = node.get(position)
    held = None if x is None else node.graph.quantised.get(x.name)
    return held if isinstance(held, kind) else None


def _follow_conv(node: Node, made: Var) -> Any:
    from isamap_smt.networks.onnx.operators.windows import window

    x, w = (_operand(node, n, whole.Bytes) for n in (0, 1))
    if x is None or w is None:
        return None
    found = window(node, node[0], list(node[1].shape[2:]))
    groups = int(node.attribute("group", 1))
    return whole.convolved(
        x, w, node.get(2), groups, found.before, found.after,
        lambda x, w, before, after: of_windows.convolution(
            x, w, None, found.strides, found.dilations, before, after, groups, whole.I32
        ),
    )  # fmt: skip


def _follow_matmul(node: Node, made: Var) -> Any:
    a, b = (_operand(node, n, whole.Bytes) for n in (0, 1))
    return None if a is None or b is None else whole.multiplied(a, b)


def _follow_gemm(node: Node, made: Var) -> Any:
    a, b = (_operand(node, n, whole.Bytes) for n in (0, 1))
    plain = all(float(node.attribute(n, 1.0)) == 1 for n in ("alpha", "beta")) and not node.attribute("transA", 0)
    if a is None or b is None or not plain or (b.axis is not None and b.axis != 1 - int(node.attribute("transB", 0))):
        return None
    if node.attribute("transB", 0):
        b = replace(b, x=do.transpose(b.x, (1, 0)), axis=None if b.axis is None else 1)
    return whole.multiplied(a, b, node.get(2))


def _follow_relu(node: Node, made: Var) -> Any:
    held = _operand(node, 0, whole.Sum)
    return None if held is None else whole.relu(held)


def _follow_moved(node: Node, made: Var) -> Any:
    held = _operand(node, 0, whole.Bytes)
    if held is None or held.axis is not None:
        return None
    moved = OPERATORS["", node.op](replace(node, inputs=[held.x, *node.inputs[1:]]))
    return replace(held, x=moved) if isinstance(moved, Var) else None


IN_INTEGERS |= {
    "Conv": _follow_conv, "MatMul": _follow_matmul, "Gemm": _follow_gemm, "Relu": _follow_relu,
    **dict.fromkeys(MOVING, _follow_moved),
}  # fmt: skip
