"""Quantised operators: integers with a scale and a zero point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from isamap_smt.ir.dtypes import DType, dtype
from isamap_smt.ir.errors import NetworkError, UncomputedError
from isamap_smt.networks import operators as do
from isamap_smt.networks import quantised as whole
from isamap_smt.networks import windows as of_windows
from isamap_smt.networks.graph import Var
from isamap_smt.networks.onnx.node import OPERATORS, Node, onnx
from isamap_smt.networks.onnx.operators.elementwise import onnx_type

I32 = dtype("i32")


def _along(node: Node, x: Var, factor: Var, axis: int) -> Var:
    """A scale or zero point, shaped to broadcast against x: of the whole, of each slice, or of blocks along the axis."""
    block = int(node.attribute("block_size", 0))
    if block:
        blocks = [-(-s // block) if n == axis else s for n, s in enumerate(x.shape)]
        if block < 1 or list(factor.shape) != blocks:
            raise NetworkError(
                f"{factor.value} has not one element for each block of {block} along axis {axis} of {x.value}; give it the shape "
                f"{blocks}",
                node.name,
            )
        apart = [s for n, s in enumerate(factor.shape) for s in ((s, 1) if n == axis else (s,))]
        wide = [s for n, s in enumerate(factor.shape) for s in ((s, block) if n == axis else (s,))]
        whole = do.expand(node.graph.view(factor, apart), wide)
        rows = [s * block if n == axis else s for n, s in enumerate(factor.shape)]
        return do.part(node.graph.view(whole, rows), [0] * x.rank, x.shape, [1] * x.rank)
    if factor.elements == 1:
        return node.graph.view(factor, [])
    return node.graph.view(factor, [factor.elements if n == axis else 1 for n in range(x.rank)])


def checked(node: Node, *positions: int) -> None:
    """Raise NetworkError if a known scale is no positive number."""
    for n in positions:
        if (scale := node[n].constant) is None:
            continue
        numbers = scale.astype(np.float64).reshape(-1)
        if (wrong := numbers[~(np.isfinite(numbers) & (numbers > 0))]).size:
            raise NetworkError(
                f"the scale {wrong[0]} of {node.op} is no positive number; give its input {n + 1} a scale above 0",
                node.name,
            )


@onnx("DequantizeLinear")
def _dequantize(node: Node) -> Var:
    x, scale, zero = node[0], node[1], node.get(2)
    checked(node, 1)
    asked = int(node.attribute("output_dtype", 0))
    to = onnx_type(asked) if asked else scale.dtype
    if to.is_stored:
        raise NetworkError(f"its result is not of {to}, as the scale is; give output_dtype, such as FLOAT", node.name)
    return dequantized(node, x, scale, zero, _axis(node, x, scale), to)


def _axis(node: Node, x: Var, scale: Var) -> int:
    """The axis with several scales, or blocks of one scale; 0 if there is one scale."""
    several = scale.elements > 1 or node.attribute("block_size", 0)
    return do.axis_of(int(node.attribute("axis", 1)), x.rank) if several else 0


def dequantized(node: Node, x: Var, scale: Var, zero: Var | None, axis: int = 0, to: DType = do.F32) -> Var:
    """(x - zero) * scale, computed in f32. axis: of the scales and zero points, if there are several."""
    held = None if node.attribute("block_size", 0) else whole.bytes_of(x, scale, zero, axis)
    if held is not None:
        made = do.converted(whole.number(held), to)
        node.graph.quantised[made.name] = held
        return made
    s = _along(node, x, scale, axis)
    if zero is None or (zero.constant is not None and not zero.constant.any()):
        made = do.pointwise(lambda a, b: f"{a} * {b}", x, s, to=to, within=do.F32)
        if x.dtype == I32 and to == scale.dtype:
            node.graph.quantised[made.name] = (x, scale)
        return made
    z = _along(node, x, zero, axis)
    return do.pointwise(lambda a, c, b: f"({a} - {c}) * {b}", x, z, s, to=to, within=do.F32)


@onnx("QuantizeLinear")
def _quantize(node: Node) -> Var:
    x, scale, zero = node[0], node[1], node.get(2)
    checked(node, 1)
    axis = _axis(node, x, scale)
    kind = int(node.attribute("output_dtype", 0))
    found = onnx_type(kind) if kind and zero is None else zero.dtype if zero is not None else dtype("u8")
    assert found is not None
    return quantized(node, x, scale, zero, found, axis)


def quantized(node: Node, x: Var, scale: Var, zero: Var | None, to: DType, axis: int = 0) -> Var:
    """rint(x / scale) + zero, clamped to the type. axis: of the scales and zero points, if there are several."""
    if (made := _in_integers(node, x, scale, zero, to)) is not None:
        return made
    shift = None if zero is None else _along(node, x, zero, axis)
    return _quantized(x, _along(node, x, scale, axis), shift, to, bool(node.attribute("saturate", 1)))


def _in_integers(node: Node, x: Var, scale: Var, zero: Var | None, to: DType) -> Var | None:
    """The bytes of a value made of whole numbers; None for any other value, and if the model asks for another type."""
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


def _quantized(x: Var, scale: Var, zero: Var | None, to: DType, saturate: bool = True) -> Var:
    if to.bits > 16 or (to.is_float and to.bits > 8):
        raise UncomputedError(f"to {to} it is not computed")
    if to.is_float:
        over = do.pointwise(lambda a, b: f"{a} / {b}", x, scale, to=do.F32, within=do.F32)
        moved = over if zero is None else do.pointwise(lambda a, z: f"{a} + {z}", over, zero, to=do.F32, within=do.F32)
        return do.saturated(moved, to) if saturate else do.converted(moved, to)
    if zero is None or (zero.constant is not None and not zero.constant.any()):
        return do.pointwise(lambda a, b: f"round_{to}({a} / {b})", x, scale, to=to, within=do.F32)
    return do.pointwise(lambda a, b, z: f"round_{to}(rint({a} / {b}) + {z})", x, scale, zero, to=to, within=do.F32)


@onnx("DynamicQuantizeLinear")
def _dynamic(node: Node) -> list[Var]:
    return list(dynamically(node[0]))


def dynamically(x: Var) -> tuple[Var, Var, Var]:
    """x in u8, with a scale and a zero point fitting its least and its largest element."""
    low = do.reduce(x, range(x.rank), "min=", keep=False)
    high = do.reduce(x, range(x.rank), "max=", keep=False)
    scale = do.pointwise(lambda a, b: f"(max({b}, 0) - min({a}, 0)) / 255", low, high)
    u8 = dtype("u8")
    zero = do.pointwise(lambda a, s: f"round_u8(rint((0 - min({a}, 0)) / {s}))", low, scale, to=u8, within=do.F32)
    return _quantized(x, scale, zero, u8), scale, zero


def _shifted(x: Var, zero: Var | None, axis: int | None) -> Var:
    """x less its zero point, in i32."""
    if zero is None:
        return do.converted(x, I32)
    if zero.elements > 1 and axis is not None:
        zero = x.graph.view(zero, [zero.elements if n == axis % x.rank else 1 for n in range(x.rank)])
    elif zero.elements == 1:
        zero = x.graph.view(zero, [])
    return do.pointwise(lambda a, z: f"{a} - {z}", x, zero, to=I32, within=I32)


def _one(node: Node) -> Var:
    """The scale 1: whole numbers standing for themselves."""
    return node.graph.constant(np.float32(1))


def _convolution(node: Node, x: Var, w: Var, bias: Var | None) -> Var:
    from isamap_smt.networks.onnx.operators.windows import window

    found = window(node, x, list(w.shape[2:]))
    groups = int(node.attribute("group", 1))
    return of_windows.convolution(x, w, bias, found.strides, found.dilations, found.before, found.after, groups)


def _convolved(node: Node, x: whole.Bytes, w: whole.Bytes, bias: np.ndarray) -> whole.Sum | None:
    from isamap_smt.networks.onnx.operators.windows import window

    found = window(node, x.x, list(w.x.shape[2:]))
    groups = int(node.attribute("group", 1))
    return whole.convolved(
        x, w, bias, found.before, found.after,
        lambda x, w, before, after: of_windows.convolution(
            x, w, None, found.strides, found.dilations, before, after, groups, I32
        ),
    )  # fmt: skip


@onnx("MatMulInteger")
def _matmul_integer(node: Node) -> Var:
    a = whole.bytes_of(node[0], _one(node), node.get(2), 0)
    b = whole.bytes_of(node[1], _one(node), node.get(3), 0)
    if a is not None and b is not None and (held := whole.multiplied(a, b)) is not None:
        return whole.exact(held)
    return do.matmul(_shifted(node[0], node.get(2), -2), _shifted(node[1], node.get(3), -1))


@onnx("ConvInteger")
def _conv_integer(node: Node) -> Var:
    x = whole.bytes_of(node[0], _one(node), node.get(2), 0)
    w = whole.bytes_of(node[1], _one(node), node.get(3), 0)
    if x is not None and w is not None and (held := _convolved(node, x, w, whole.NO_BIAS)) is not None:
        return whole.exact(held)
    return _convolution(node, _shifted(node[0], node.get(2), None), _shifted(node[1], node.get(3), 0), None)


def requantised(held: whole.Sum | None, unit: Var, zero: Var) -> Var | None:
    """A sum with this scale and zero point; None without a sum, a known zero point of bytes, or a scale in f32."""
    if held is None or zero.constant is None or zero.dtype not in (whole.U8, whole.I8) or unit.dtype != do.F32:
        return None
    return whole.rounded(held, unit.graph.view(unit, []), int(zero.constant.reshape(-1)[0]), zero.dtype)


@onnx("QLinearMatMul")
def _qlinear_matmul(node: Node) -> Var:
    checked(node, 1, 4, 6)
    rank = node[3].rank
    a, b = whole.bytes_of(node[0], node[1], node[2], 0), whole.bytes_of(node[3], node[4], node[5], rank - 1)
    held = None if a is None or b is None else whole.multiplied(a, b)
    if (made := requantised(held, node[6], node[7])) is not None:
        return made
    left, right = _shifted(node[0], node[2], -2), _shifted(node[3], node[5], -1)
    rows = node.graph.view(node[1], (node[1].elements, 1)) if node[1].elements > 1 else node.graph.view(node[1], [])
    columns = node.graph.view(node[4], [node[4].elements] if node[4].elements > 1 else [])
    scale = do.pointwise(lambda p, q, y: f"{p} * {q} / {y}", rows, columns, node.graph.view(node[6], []))
    return scaled(do.matmul(left, right), do.converted(scale, do.F32), node.graph.view(node[7], []))


def products(x: whole.Quantised, w: whole.Quantised) -> whole.Sum:
    """The exact sums of a product of matrices and their scale; w may have a scale and a zero point for each column."""
    a, b = whole.bytes_of(x.x, x.scale, x.zero, 0), whole.bytes_of(w.x, w.scale, w.zero, w.x.rank - 1)
    if a is not None and b is not None and (held := whole.multiplied(a, b)) is not None:
        return held
    graph = x.x.graph
    made = do.matmul(_shifted(x.x, x.zero, -2), _shifted(w.x, w.zero, -1))
    columns = graph.view(w.scale, [w.scale.elements] if w.scale.elements > 1 else [])
    return whole.Sum(made, (), do.pointwise("{} * {}".format, graph.view(x.scale, []), columns), made.shape)


def scaled(x: Var, scale: Var, zero: Var) -> Var:
    return do.pointwise(
        lambda a, s, z: f"round_{zero.dtype}(rint({a} * {s}) + {z})", x, scale, zero, to=zero.dtype, within=do.F32
    )


@onnx("QLinearConv")
def _qlinear_conv(node: Node) -> Var:
    checked(node, 1, 4, 6)
    x, w = whole.bytes_of(node[0], node[1], node[2], 0), whole.bytes_of(node[3], node[4], node[5], 0)
    bias = whole.NO_BIAS if (given := node.get(8)) is None else given.constant
    if x is not None and w is not None and bias is not None:
        held = _convolved(node, x, w, bias.reshape(-1).astype(np.int64))
        if (made := requantised(held, node[6], node[7])) is not None:
            return made
    summed = _convolution(node, _shifted(node[0], node[2], None), _shifted(node[3], node[5], 0), given)
    shape = [node[4].elements, *[1] * (summed.rank - 2)] if node[4].elements > 1 else []
    scale = do.pointwise(
        lambda p, q, y: f"{p} * {q} / {y}",
        node.graph.view(node[1], []),
        node.graph.view(node[4], shape),
        node.graph.view(node[6], []),
    )
    return scaled(summed, scale, node.graph.view(node[7], []))


# ---- Operators of floating point between DequantizeLinear and QuantizeLinear

Held = whole.Bytes | whole.Sum
IN_INTEGERS: dict[str, Callable[[Node], Held | None]] = {}
# They move elements, or choose among them: what they do to numbers they do to bytes.
MOVING = (
    "DepthToSpace", "Expand", "Flatten", "Gather", "Identity", "MaxPool", "Reshape", "Slice", "SpaceToDepth", "Squeeze", "Tile",
    "Transpose", "Unsqueeze",
)  # fmt: skip


def in_integers(node: Node) -> Var | None:
    """The result computed in whole numbers, if the operands are made of them and the operator allows it; else None."""
    make = IN_INTEGERS.get(node.op)
    if make is None or node.outputs > 1 or (held := make(node)) is None:
        return None
    made = whole.number(held) if isinstance(held, whole.Bytes) else whole.total(held)
    node.graph.quantised[made.name] = held
    return made


def _bytes(node: Node, *positions: int) -> list[whole.Bytes]:
    """The operands at these positions, if all are made of bytes."""
    xs = [node.get(n) for n in positions]
    held = [None if x is None else node.graph.quantised.get(x.name) for x in xs]
    found = [h for h in held if isinstance(h, whole.Bytes)]
    return found if len(found) == len(positions) else []


def _conv_of_bytes(node: Node) -> Held | None:
    if not (operands := _bytes(node, 0, 1)) or operands[0].axis is not None:
        return None
    bias = whole.bias_of(operands[0], operands[1], node.get(2))
    return None if bias is None else _convolved(node, operands[0], operands[1], bias)


def _matmul_of_bytes(node: Node) -> Held | None:
    operands = _bytes(node, 0, 1)
    return whole.multiplied(operands[0], operands[1]) if operands else None


def _gemm_of_bytes(node: Node) -> Held | None:
    plain = all(float(node.attribute(n, 1.0)) == 1 for n in ("alpha", "beta")) and not node.attribute("transA", 0)
    turned = bool(node.attribute("transB", 0))
    if not plain or not (operands := _bytes(node, 0, 1)) or operands[0].axis is not None:
        return None
    a, b = operands
    if b.axis not in (None, int(not turned)) or (bias := whole.bias_of(a, b, node.get(2))) is None:
        return None
    if turned:
        b = replace(b, x=do.transpose(b.x, (1, 0)), axis=None if b.axis is None else 1)
    return whole.multiplied(a, b, bias)


def _relu_of_sum(node: Node) -> Held | None:
    held = node.graph.quantised.get(node[0].name)
    return replace(held, low=True) if isinstance(held, whole.Sum) else None


def _moved_bytes(node: Node) -> Held | None:
    if not (operands := _bytes(node, 0)) or operands[0].axis is not None:
        return None
    moved = OPERATORS["", node.op](replace(node, inputs=[operands[0].x, *node.inputs[1:]]))
    return replace(operands[0], x=moved) if isinstance(moved, Var) else None


def _joined_bytes(node: Node) -> Held | None:
    operands = _bytes(node, *range(len(node.inputs)))
    if not operands or not all(operands[0].same_numbers(o) and o.x.dtype == operands[0].x.dtype for o in operands):
        return None
    return replace(operands[0], x=do.concatenate([o.x for o in operands], int(node.attribute("axis", 1))))


def _average_of_bytes(node: Node) -> Held | None:
    operands = _bytes(node, 0)
    return whole.averaged(operands[0], range(2, operands[0].x.rank)) if operands else None


def _averages_of_bytes(node: Node) -> Held | None:
    from isamap_smt.networks.onnx.operators.windows import divisors, window

    if not (operands := _bytes(node, 0)) or operands[0].axis is not None:
        return None
    x = do.converted(operands[0].x, I32)
    w = window(node, x, [int(n) for n in node.attribute("kernel_shape")])
    sums = of_windows.pool(x, "+=", w.points, w.strides, w.dilations, w.before, w.counts)
    among = divisors(x, w, bool(node.attribute("count_include_pad", 0)))
    return whole.averages(operands[0], sums, divisors(x, w, False), among)


def _product_of_bytes(node: Node) -> Held | None:
    operands = _bytes(node, 0, 1)
    return whole.product(*operands) if operands else None


IN_INTEGERS |= {
    "AveragePool": _averages_of_bytes, "Concat": _joined_bytes, "Conv": _conv_of_bytes, "Gemm": _gemm_of_bytes,
    "GlobalAveragePool": _average_of_bytes, "MatMul": _matmul_of_bytes, "Mul": _product_of_bytes, "Relu": _relu_of_sum,
    **dict.fromkeys(MOVING, _moved_bytes),
}  # fmt: skip
