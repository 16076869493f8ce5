"""Operators of one element, or of elements at the same place."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from isamap_smt.ir.dtypes import dtype, from_numpy
from isamap_smt.ir.errors import NetworkError, UncomputedError
from isamap_smt.networks.functions import FAST_GELU, GELU, UNARY
from isamap_smt.networks.graph import Var
from isamap_smt.networks.onnx.model import library
from isamap_smt.networks.onnx.node import OPERATORS, Node, onnx
from isamap_smt.networks.operators import F32, affine, computed_in, converted, is_factor, literal, pointwise

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
# operator -> its value of two
_BINARY = {
    "Add": "{x} + {y}",
    "BitwiseAnd": "{x} & {y}",
    "BitwiseOr": "{x} | {y}",
    "BitwiseXor": "{x} ^ {y}",
    "Mul": "{x} * {y}",
    "PRelu": "select({x} < 0, {y} * {x}, {x})",
    "Sub": "{x} - {y}",
}
_COMPARING = {
    "Equal": "{x} == {y}", "Greater": "{x} > {y}", "GreaterOrEqual": "{x} >= {y}", "Less": "{x} < {y}", "LessOrEqual": "{x} <= {y}",
}  # fmt: skip
_LOGICAL = {"And": "{x} * {y}", "Or": "max({x}, {y})", "Xor": "{x} + {y} - 2 * {x} * {y}"}


def _filled(text: str, **values: str) -> Callable[..., str]:
    def value(x: str, y: str = "") -> str:
        return text.format(x=x, y=y, **values)

    return value


def _unary(node: Node) -> Var:
    x, text = node[0], UNARY[node.op]
    if node.op == "Identity":
        return x
    if node.op in ("Sign", "Abs") and x.dtype.kind == "u":
        text = "min({x}, 1)" if node.op == "Sign" else "{x}"
    return pointwise(_filled(text), x)


def _with_attributes(node: Node) -> Var:
    text, defaults = _WITH_ATTRIBUTES[node.op]
    values = {n: literal(np.float32(node.attribute(n, d)).item()) for n, d in defaults.items()}
    if computed_in(node[0].dtype) != F32:
        values = {n: literal(node.attribute(n, d)) for n, d in defaults.items()}
    return pointwise(_filled(text, **values), node[0])


def _binary(node: Node) -> Var:
    x, y = node[0], node[1]
    if node.op == "PRelu" and x.dtype.kind == "u":
        return x
    if node.op in ("Add", "Mul"):
        for value, other in ((x, y), (y, x)):
            if is_factor(value, other):
                return affine(value, *((other, None) if node.op == "Mul" else (None, other)))
    return pointwise(_filled(_BINARY[node.op]), x, y, to=x.dtype)


def _comparison(node: Node) -> Var:
    within = computed_in(node[0].dtype)
    return pointwise(_filled(f"select({_COMPARING[node.op]}, 1, 0)"), node[0], node[1], within=within, truth=True)


def _logical(node: Node) -> Var:
    return pointwise(_filled(_LOGICAL[node.op]), node[0], node[1], truth=True)


for _table, _make in (
    (UNARY, _unary), (_WITH_ATTRIBUTES, _with_attributes), (_BINARY, _binary), (_COMPARING, _comparison), (_LOGICAL, _logical),
):  # fmt: skip
    OPERATORS |= {("", _name): _make for _name in _table}


@onnx("Not")
def _not(node: Node) -> Var:
    return pointwise(lambda x: f"1 - {x}", node[0], truth=True)


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
    x, y = node[0], node[1]
    if x.dtype.is_float:
        return pointwise(lambda a, b: f"{a} / {b}", x, y, to=x.dtype)
    if x.dtype.kind == "u":
        return pointwise(lambda a, b: f"{a} // {b}", x, y, to=x.dtype)
    towards_zero = (
        "select({a} < 0, select({b} < 0, -{a} // -{b}, -(-{a} // {b})), select({b} < 0, -({a} // -{b}), {a} // {b}))"
    )
    return pointwise(lambda a, b: towards_zero.format(a=a, b=b), x, y, to=x.dtype)


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
    x, y = node[0], node[1]
    if y.constant is not None and y.elements == 1:
        exponent = float(y.constant.reshape(-1)[0])
        if exponent in (0.5, -0.5) and x.dtype.is_float:
            return pointwise(lambda a: f"{a} ** {literal(exponent)}", x)
        if exponent.is_integer() and 1 <= abs(exponent) <= 16 and (exponent > 0 or x.dtype.is_float):
            return pointwise(lambda a: f"{a} ** {literal(int(exponent))}", x)
    within = x.dtype if x.dtype.is_float and x.dtype.bits >= 32 else F32 if x.dtype.is_float else dtype("f64")
    a, b = converted(x, within), converted(y, within)
    return converted(pointwise(lambda p, q: f"pow({p}, {q})", a, b), x.dtype)


def _folded(node: Node, text: str) -> Var:
    made = node[0]
    for n in range(1, len(node.inputs)):
        made = pointwise(_filled(text), made, node[n], to=node[0].dtype)
    return made


@onnx("Max")
def _max(node: Node) -> Var:
    return _folded(node, "max({x}, {y})")


@onnx("Min")
def _min(node: Node) -> Var:
    return _folded(node, "min({x}, {y})")


@onnx("Sum")
def _sum(node: Node) -> Var:
    return _folded(node, "{x} + {y}")


@onnx("Mean")
def _mean(node: Node) -> Var:
    total, count = _folded(node, "{x} + {y}"), len(node.inputs)
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
    if low is not None:
        x = pointwise(lambda a, b: f"max({a}, {b})", x, low, to=x.dtype)
    return x if high is None else pointwise(lambda a, b: f"min({a}, {b})", x, high, to=x.dtype)


@onnx("Gelu")
def _gelu(node: Node) -> Var:
    tanh = node.choice("approximate", "none", ("none", "tanh")) == "tanh"
    return pointwise(_filled(FAST_GELU if tanh else GELU), node[0])


@onnx("Where")
def _where(node: Node) -> Var:
    condition, x, y = node[0], node[1], node[2]
    within = computed_in(x.dtype)
    return (
        pointwise(lambda c, a, b: f"select({c} != 0, {a}, {b})", converted(condition, within), x, y, to=x.dtype)
        if not x.truth
        else (pointwise(lambda c, a, b: f"select({c} != 0, {a}, {b})", condition, x, y, truth=True))
    )


@onnx("IsNaN")
def _is_nan(node: Node) -> Var:
    return pointwise(lambda x: f"select({x} == {x}, 0, 1)", node[0], within=computed_in(node[0].dtype), truth=True)


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
    return pointwise(_filled(text), x, within=computed_in(x.dtype), truth=True)


def onnx_type(number: int) -> tuple[np.dtype, bool]:
    """The type of this number in ONNX, as kernels hold it, and whether it is that of truth values. Raises NetworkError."""
    try:
        of = np.dtype(library().helper.tensor_dtype_to_np_dtype(int(number)))
    except (KeyError, TypeError, ValueError):
        raise NetworkError(f"element type {number} is unknown") from None
    truth = of == np.bool_
    if not truth and from_numpy(of) is None:
        raise NetworkError(f"elements of type {of} are not computed with")
    return np.dtype(np.uint8) if truth else of, bool(truth)


@onnx("Cast")
def _cast(node: Node) -> Var:
    held, truth = onnx_type(node.attribute("to"))
    return _to(node[0], held, truth)


@onnx("CastLike")
def _cast_like(node: Node) -> Var:
    return _to(node[0], node[1].dtype.numpy, node[1].truth)


def _to(x: Var, held: np.dtype, truth: bool) -> Var:
    to = from_numpy(held)
    assert to is not None
    return converted(x, to, truth)


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
    kept = (
        node.graph.constant(np.ones(node.graph.room(node[0].shape, np.bool_), np.bool_)) if node.outputs > 1 else None
    )
    return [node[0]] if kept is None else [node[0], kept]
