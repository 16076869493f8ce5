"""Operators of one element, or of elements at the same place."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from isamap_smt.ir.dtypes import DType, dtype, from_numpy
from isamap_smt.ir.errors import NetworkError, UncomputedError
from isamap_smt.networks import operators as do
from isamap_smt.networks.functions import BINARY, COMPARING, FAST_GELU, GELU, LOGICAL, UNARY
from isamap_smt.networks.graph import Var
from isamap_smt.networks.onnx.model import library
from isamap_smt.networks.onnx.node import OPERATORS, Node, onnx
from isamap_smt.networks.operators import BOOL, F32, computed_in, converted, literal, pointwise

# operator -> (its value, the attributes it mentions and their defaults)
_WITH_ATTRIBUTES: dict[str, tuple[str, dict[str, float]]] = {
    "Celu": ("max({x}, 0) + min(0, {alpha} * (exp({x} / {alpha}) - 1))", {"alpha": 1.0}),
    "Elu": ("select({x} < 0, {alpha} * (exp({x}) - 1), {x})", {"alpha": 1.0}),
    "HardSigmoid": ("max(0, min(1, {alpha} * {x} + {beta}))", {"alpha": 0.2, "beta": 0.5}),
    "LeakyRelu": ("select({x} < 0, {alpha} * {x}, {x})", {"alpha": 0.01}),
    "Selu": (
        "{gamma} * select({x} > 0, {x}, {alpha} * (exp({x}) - 1))",
        {"alpha": 1.67326319217681884765625, "gamma": 1.05070102214813232421875},
    ),
    "Shrink": (
        "select({x} < -{lambd}, {x} + {bias}, select({x} > {lambd}, {x} - {bias}, {x} * 0))", {"lambd": 0.5, "bias": 0.0}
    ),
    "Swish": ("{x} * sigmoid({alpha} * {x})", {"alpha": 1.0}),
    "ThresholdedRelu": ("select({x} > {alpha}, {x}, {x} * 0)", {"alpha": 1.0}),
}  # fmt: skip


def _filled(text: str, **values: str) -> Callable[..., str]:
    def value(x: str, y: str = "") -> str:
        return text.format(x=x, y=y, **values)

    return value


def _unary(node: Node) -> Var:
    return node[0] if node.op == "Identity" else do.unary(node.op, node[0])


def _with_attributes(node: Node) -> Var:
    text, defaults = _WITH_ATTRIBUTES[node.op]
    values = {n: literal(np.float32(node.attribute(n, d)).item()) for n, d in defaults.items()}
    if computed_in(node[0].dtype) != F32:
        values = {n: literal(node.attribute(n, d)) for n, d in defaults.items()}
    return pointwise(_filled(text, **values), node[0])


def _binary(node: Node) -> Var:
    return do.binary(node.op, node[0], node[1])


def _comparison(node: Node) -> Var:
    return do.compared(node.op, node[0], node[1])


def _logical(node: Node) -> Var:
    return do.logical(node.op, node[0], node[1])


for _table, _make in (
    (UNARY, _unary), (_WITH_ATTRIBUTES, _with_attributes), (BINARY, _binary), (COMPARING, _comparison), (LOGICAL, _logical),
):  # fmt: skip
    OPERATORS |= {("", _name): _make for _name in _table}


@onnx("Not")
def _not(node: Node) -> Var:
    return pointwise(lambda x: f"not {x}", node[0])


@onnx("BitwiseNot")
def _bitwise_not(node: Node) -> Var:
    x = node[0]
    return pointwise(lambda a: f"{x.dtype.high} - {a}" if x.dtype.kind == "u" else f"-1 - {a}", x)


@onnx("BitShift")
def _shift(node: Node) -> Var:
    sign = {"LEFT": "<<", "RIGHT": ">>"}[node.choice("direction", "", ("LEFT", "RIGHT"))]
    return pointwise(lambda x, y: f"{x} {sign} {y}", node[0], node[1], to=node[0].dtype)


@onnx("Div")
def _div(node: Node) -> Var:
    return do.divided(node[0], node[1])


@onnx("Mod")
def _mod(node: Node) -> Var:
    x, y = node[0], node[1]
    if x.dtype.is_float:
        text = "fmod({}, {})" if node.attribute("fmod", 0) else "{} % {}"
        return pointwise(text.format, x, y, to=x.dtype)
    if not node.attribute("fmod", 0) or x.dtype.kind == "u":
        return pointwise(lambda a, b: f"{a} % {b}", x, y, to=x.dtype)
    return pointwise(lambda a, b: f"select({a} < 0, -(-{a} % abs({b})), {a} % abs({b}))", x, y, to=x.dtype)


@onnx("Pow")
def _pow(node: Node) -> Var:
    return do.power(node[0], node[1])


def _folded(node: Node) -> Var:
    made, text = node[0], BINARY["Add" if node.op in ("Sum", "Mean") else node.op]
    for n in range(1, len(node.inputs)):
        made = pointwise(_filled(text), made, node[n], to=made.dtype)
    return made


OPERATORS |= {("", _name): _folded for _name in ("Max", "Min", "Sum")}


@onnx("Mean")
def _mean(node: Node) -> Var:
    total, count = _folded(node), len(node.inputs)
    return pointwise(lambda x: f"{x} / {count}", total)


@onnx("Clip")
def _clip(node: Node) -> Var:
    x = node[0]
    low, high = node.get(1), node.get(2)
    if node.opset < 11:
        made = [
            node.graph.constant(np.array(node.attributes[n], x.dtype.numpy)) if n in node.attributes else None
            for n in ("min", "max")
        ]
        low, high = made
    return do.clip(x, low, high)


@onnx("Gelu")
def _gelu(node: Node) -> Var:
    tanh = node.choice("approximate", "none", ("none", "tanh")) == "tanh"
    return pointwise(_filled(FAST_GELU if tanh else GELU), node[0])


@onnx("Where")
def _where(node: Node) -> Var:
    return do.where(node[0], node[1], node[2])


@onnx("IsNaN")
def _is_nan(node: Node) -> Var:
    return pointwise(lambda x: f"select({x} == {x}, 0, 1)", node[0], to=BOOL, within=computed_in(node[0].dtype))


@onnx("IsInf")
def _is_inf(node: Node) -> Var:
    x = node[0]
    most = {"f64": 1.7976931348623157e308}.get(x.dtype.name, 3.4028234663852886e38)
    tests = []
    if node.attribute("detect_positive", 1):
        tests.append(f"select({{x}} > {most!r}, 1, 0)")
    if node.attribute("detect_negative", 1):
        tests.append(f"select({{x}} < -{most!r}, 1, 0)")
    text = f"max({tests[0]}, {tests[1]})" if len(tests) == 2 else tests[0] if tests else "select({x} < {x}, 1, 0)"
    return pointwise(_filled(text), x, to=BOOL, within=computed_in(x.dtype))


def onnx_type(number: int) -> DType:
    """The type of this number in ONNX. Raises NetworkError."""
    try:
        of = np.dtype(library().helper.tensor_dtype_to_np_dtype(int(number)))
    except (KeyError, TypeError, ValueError):
        raise NetworkError(f"element type {number} is unknown") from None
    found = from_numpy(of)
    if found is None:
        raise NetworkError(f"elements of type {of} are not computed with")
    return found


@onnx("Cast")
def _cast(node: Node) -> Var:
    return _cast_to(node, onnx_type(node.attribute("to")))


@onnx("CastLike")
def _cast_like(node: Node) -> Var:
    return _cast_to(node, node[1].dtype)


def _cast_to(node: Node, to: DType) -> Var:
    """In another type.

    Floating point of 8 bits or fewer saturates unless the node says otherwise. Whole numbers narrower than a byte keep
    the low bits.
    """
    x = node[0]
    if to.is_scale and x.dtype != to:
        return _power_of_two(node, x, to)
    if to.is_part and not to.is_float and x.dtype.is_float:
        x = converted(x, dtype("i32"))
    if to.is_float and to.bits <= 8 and x.dtype != to and node.attribute("saturate", 1):
        return do.saturated(x, to)
    return converted(x, to)


# Times it, in f64, the nearest power of two is the next one that is not below, or not above: 1.5 * 2^n is where that turns.
_TOWARDS = {"up": np.nextafter(1.5, 0).item(), "down": 0.75, "nearest": 1.0}


def _power_of_two(node: Node, x: Var, to: DType) -> Var:
    """Rounded as the node says, within the type's ends unless it says otherwise."""
    mode, clamped = node.choice("round_mode", "up", _TOWARDS), bool(node.attribute("saturate", 1))
    if mode == "nearest" and not clamped:
        return converted(x, to)
    if x.dtype.bits == 64 and not x.dtype.is_float:
        raise UncomputedError(
            f"{x.dtype} to {to} is computed with round_mode nearest and saturate 0; cast it to double first"
        )
    low, high = (literal(e) for e in to.ends)
    within = "min(max({}, {}), {})" if clamped else "{}"
    text = f"{to}({within.format('{}', low, high)} * {literal(_TOWARDS[mode])})"
    return pointwise(text.format, x, to=to, within=do.F64)


@onnx("Binarizer", domain="ai.onnx.ml")
def _binarizer(node: Node) -> Var:
    threshold = literal(float(node.attribute("threshold", 0.0)))
    return pointwise(lambda x: f"select({x} > {threshold}, 1, 0)", node[0])


@onnx("Dropout")
def _dropout(node: Node) -> list[Var]:
    training = node.known(2)
    if training is not None and training.any():
        ratio = node.known(1)
        if ratio is None or ratio.any():
            raise UncomputedError("training draws random numbers")
    kept = do.filled(node.graph, np.ones((), np.bool_), node[0].shape) if node.outputs > 1 else None
    return [node[0]] if kept is None else [node[0], kept]
