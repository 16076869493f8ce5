"""Operators of ATen of one element, or of elements at the same place."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from isamap_smt.ir.dtypes import DType, dtype
from isamap_smt.ir.errors import UncomputedError
from isamap_smt.networks import operators as do
from isamap_smt.networks.functions import COMPARING, FAST_GELU, GELU, SILU, UNARY
from isamap_smt.networks.graph import Var
from isamap_smt.networks.operators import BOOL, computed_in, literal
from isamap_smt.networks.torch.call import OPERATORS, Call, aten
from isamap_smt.networks.torch.tensors import type_of


def of_each(c: Call, text: str, x: Var, **numbers: float) -> Var:
    """A function of one element, in the type of the result; whole numbers are converted to it first."""
    filled = text.format(x="{x}", **{n: literal(float(v)) for n, v in numbers.items()})
    if not all(map(math.isfinite, numbers.values())):
        raise UncomputedError(f"its numbers {list(numbers.values())} are not all finite")
    return do.pointwise(lambda e: filled.format(x=e), x, to=c.to, within=computed_in(c.to))


def of_both(c: Call, text: str, a: Any, b: Any, within: DType | None = None) -> Var:
    """A function of two elements: numbers, or values of any types, converted to the type of the result first."""
    within = within or computed_in(c.to)
    x, y = c.var(a, within), c.var(b, within)
    return do.pointwise(lambda p, q: text.format(x=p, y=q), x, y, to=c.to, within=within)


# ---- Of one element

# Those of ONNX that ATen has under the same name.
_NAMED = {n.lower(): text for n, text in UNARY.items() if n not in ("Abs", "Identity", "Sign", "Softplus", "Softsign")}
_OTHERS = {
    # Where 1 + x or exp(x) has lost bits of x, the second step makes up for it (Kahan).
    "expm1": (
        "select(exp({x}) == 1, {x}, select(exp({x}) - 1 == -1, -1, "
        "select({x} > 60, exp({x}), (exp({x}) - 1) * {x} / log(exp({x})))))"
    ),
    "log1p": "select(1 + {x} == 1, {x}, select({x} > 1e16, log({x}), log(1 + {x}) * {x} / (1 + {x} - 1)))",
    "hardsigmoid": "max(0, min(1, {x} / 6 + 0.5))",
    "log2": "log({x}) * 1.4426950408889634",
    "log10": "log({x}) * 0.4342944819032518",
    "relu6": "min(max({x}, 0), 6)",
    "rsqrt": "1 / sqrt({x})",
    "silu": SILU,
    "trunc": "select({x} < 0, ceil({x}), floor({x}))",
}


def _function(text: str) -> Callable[..., Var]:
    return lambda c, self: of_each(c, text, self)


for _name, _text in (_NAMED | _OTHERS).items():
    OPERATORS[f"{_name}.default"] = _function(_text)


@aten("abs", "sign", "sgn")
def _of_sign(c: Call, self: Var) -> Var:
    if self.dtype == BOOL:
        raise UncomputedError("of truth values it is not computed")
    return do.unary({"abs": "Abs"}.get(c.op.partition(".")[0], "Sign"), self)


@aten("gelu")
def _gelu(c: Call, self: Var, approximate: str = "none") -> Var:
    return of_each(c, FAST_GELU if approximate == "tanh" else GELU, self)


@aten("leaky_relu")
def _leaky_relu(c: Call, self: Var, negative_slope: float = 0.01) -> Var:
    return of_each(c, "select({x} < 0, {slope} * {x}, {x})", self, slope=negative_slope)


@aten("elu")
def _elu(c: Call, self: Var, alpha: float = 1, scale: float = 1, input_scale: float = 1) -> Var:
    text = "select({x} > 0, {scale} * {x}, {below} * (exp({inside} * {x}) - 1))"
    return of_each(c, text, self, scale=scale, below=alpha * scale, inside=input_scale)


@aten("softplus")
def _softplus(c: Call, self: Var, beta: float = 1, threshold: float = 20) -> Var:
    text = "select({x} * {b} > {t}, {x}, (max({x} * {b}, 0) + log(1 + exp(-abs({x} * {b})))) / {b})"
    return of_each(c, text, self, b=beta, t=threshold)


@aten("hardtanh")
def _hardtanh(c: Call, self: Var, min_val: float = -1, max_val: float = 1) -> Var:
    return _clamp(c, self, min_val, max_val)


@aten("clamp", "clamp.Tensor")
def _clamp(c: Call, self: Var, min: Any = None, max: Any = None) -> Var:
    x = do.converted(self, c.to)
    for end, text in ((min, "max({x}, {y})"), (max, "min({x}, {y})")):
        x = x if end is None else of_both(c, text, x, end)
    return x


@aten("clamp_min", "clamp_min.Tensor")
def _clamp_min(c: Call, self: Var, min: Any) -> Var:
    return _clamp(c, self, min)


@aten("clamp_max", "clamp_max.Tensor")
def _clamp_max(c: Call, self: Var, max: Any) -> Var:
    return _clamp(c, self, None, max)


@aten("isinf")
def _isinf(c: Call, self: Var) -> Var:
    if not self.dtype.is_float:
        raise UncomputedError(f"of {self.dtype} it is not computed")
    return do.pointwise(
        lambda e: f"select({e} - {e} == 0, 0, select({e} == {e}, 1, 0))", self, to=BOOL, within=computed_in(self.dtype)
    )


@aten("isnan")
def _isnan(c: Call, self: Var) -> Var:
    return do.pointwise(lambda e: f"select({e} == {e}, 0, 1)", self, to=BOOL, within=computed_in(self.dtype))


@aten("logical_not", "bitwise_not")
def _not(c: Call, self: Var) -> Var:
    if self.dtype == BOOL:
        return do.pointwise(lambda e: f"not {e}", self)
    if c.op.startswith("logical"):
        return do.pointwise(lambda e: f"select({e} == 0, 1, 0)", self, to=BOOL, within=computed_in(self.dtype))
    top = self.dtype.high if self.dtype.kind == "u" else -1
    return do.pointwise(lambda e: f"{literal(top)} - {e}", self)


@aten("_to_copy", "to.dtype")
def _converted(c: Call, self: Var, dtype: Any = None) -> Var:
    return self if dtype is None else do.converted(self, type_of(dtype))


@aten("clone", "alias", "detach", "detach_copy", "lift_fresh_copy", "lift_fresh", "positive")
def _itself(c: Call, self: Var) -> Var:
    return self


@aten("dropout", "alpha_dropout", "feature_dropout")
def _dropout(c: Call, input: Var, p: float, train: bool) -> Var:
    if train and p > 0:
        raise UncomputedError("training draws random numbers")
    return input


@aten("native_dropout")
def _native_dropout(c: Call, input: Var, p: float, train: bool | None) -> list[Var | None]:
    c.only(0)
    return [_dropout(c, input, p, bool(train)), None]


# ---- Of two


@aten("add.Tensor", "add.Scalar")
def _add(c: Call, self: Any, other: Any, alpha: Any = 1) -> Var:
    return _sum(c, "+", self, other, alpha)


@aten("sub.Tensor", "sub.Scalar")
def _sub(c: Call, self: Any, other: Any, alpha: Any = 1) -> Var:
    return _sum(c, "-", self, other, alpha)


@aten("rsub.Tensor", "rsub.Scalar")
def _rsub(c: Call, self: Any, other: Any, alpha: Any = 1) -> Var:
    return _sum(c, "-", other, self, 1) if alpha == 1 else _sum(c, "+", other, of_both(c, "{x} * {y}", self, -alpha), 1)


def _sum(c: Call, sign: str, a: Any, b: Any, alpha: Any) -> Var:
    if c.to == BOOL:
        raise UncomputedError("of truth values it is not computed")
    if not isinstance(alpha, int | float):
        raise UncomputedError(f"its factor {alpha} is no number")
    if alpha != 1:
        factor = literal(float(alpha) if c.to.is_float else alpha)
        return of_both(c, f"{{x}} {sign} {factor} * {{y}}", a, b)
    x, y = c.var(a, computed_in(c.to)), c.var(b, computed_in(c.to))
    if sign == "+" and x.dtype == y.dtype == c.to:
        return do.binary("Add", x, y)
    return of_both(c, f"{{x}} {sign} {{y}}", x, y)


@aten("mul.Tensor", "mul.Scalar")
def _mul(c: Call, self: Any, other: Any) -> Var:
    if c.to == BOOL:
        return of_both(c, "{x} & {y}", self, other, BOOL)
    x, y = c.var(self, computed_in(c.to)), c.var(other, computed_in(c.to))
    return do.binary("Mul", x, y) if x.dtype == y.dtype == c.to else of_both(c, "{x} * {y}", x, y)


@aten("div.Tensor", "div.Scalar", "true_divide.Tensor")
def _div(c: Call, self: Any, other: Any) -> Var:
    return of_both(c, "{x} / {y}", self, other)


@aten("div.Tensor_mode", "div.Scalar_mode")
def _div_mode(c: Call, self: Any, other: Any, rounding_mode: str | None) -> Var:
    if rounding_mode == "floor" and not c.to.is_float:
        return of_both(c, "{x} // {y}", self, other)
    if rounding_mode == "trunc" and not c.to.is_float:
        return do.divided(do.converted(c.var(self, c.to), c.to), do.converted(c.var(other, c.to), c.to))
    texts = {None: "{x} / {y}", "trunc": "select({x} / {y} < 0, ceil({x} / {y}), floor({x} / {y}))"}
    if rounding_mode not in texts:
        raise UncomputedError(f"its rounding mode {rounding_mode} is not computed")
    return of_both(c, texts[rounding_mode], self, other)


@aten("maximum")
def _maximum(c: Call, self: Var, other: Var) -> Var:
    return of_both(c, "max({x}, {y})", self, other)


@aten("minimum")
def _minimum(c: Call, self: Var, other: Var) -> Var:
    return of_both(c, "min({x}, {y})", self, other)


@aten("pow.Tensor_Scalar", "pow.Tensor_Tensor", "pow.Scalar")
def _pow(c: Call, self: Any, exponent: Any) -> Var:
    return do.power(do.converted(c.var(self, c.to), c.to), c.var(exponent, computed_in(c.to)))


@aten("square")
def _square(c: Call, self: Var) -> Var:
    return of_each(c, "{x} * {x}", self)


@aten("fmod.Tensor", "fmod.Scalar", "remainder.Tensor", "remainder.Scalar")
def _remaining(c: Call, self: Any, other: Any) -> Var:
    name = c.op.partition(".")[0]
    if name == "fmod" and not c.to.is_float:
        raise UncomputedError(f"of {c.to} it is not computed")
    return of_both(c, "fmod({x}, {y})" if name == "fmod" else "{x} % {y}", self, other)


def _compared(name: str) -> Callable[..., Var]:
    text = f"select({COMPARING[name]}, 1, 0)" if name != "NotEqual" else f"select({COMPARING['Equal']}, 0, 1)"

    def made(c: Call, self: Any, other: Any) -> Var:
        assert c.promoted is not None
        within = dtype("i8") if c.promoted == BOOL else computed_in(c.promoted)
        return of_both(c, text, self, other, within)

    return made


for _name, _onnx in {
    "eq": "Equal", "ne": "NotEqual", "lt": "Less", "le": "LessOrEqual", "gt": "Greater", "ge": "GreaterOrEqual",
}.items():  # fmt: skip
    OPERATORS |= {f"{_name}.{kind}": _compared(_onnx) for kind in ("Tensor", "Scalar")}


def _bits(sign: str) -> Callable[..., Var]:
    def made(c: Call, self: Any, other: Any) -> Var:
        x, y = (do.converted(c.var(v, c.to), c.to) for v in (self, other))
        return do.pointwise(lambda p, q: f"{p} {sign} {q}", x, y)

    return made


for _name, _sign in {"and": "&", "or": "|", "xor": "^"}.items():
    _kinds = (f"bitwise_{_name}.Tensor", f"bitwise_{_name}.Scalar", f"__{_name}__.Tensor", f"logical_{_name}.default")
    OPERATORS |= {kind: _bits(_sign) for kind in _kinds}


# ---- Of three


@aten("where.self", "where.ScalarOther", "where.ScalarSelf", "where.Scalar")
def _where(c: Call, condition: Var, self: Any, other: Any) -> Var:
    x, y = (c.var(v, c.to) for v in (self, other))
    if c.to == BOOL:
        return do.pointwise(lambda p, q, r: f"({p} & {q}) | ((not {p}) & {r})", condition, x, y)
    return do.where(condition, do.converted(x, c.to), do.converted(y, c.to))


@aten("masked_fill.Scalar", "masked_fill.Tensor")
def _masked_fill(c: Call, self: Var, mask: Var, value: Any) -> Var:
    return _where(c, mask, value, self)


@aten("addcmul")
def _addcmul(c: Call, self: Var, tensor1: Var, tensor2: Var, value: Any = 1) -> Var:
    return of_both(c, "{x} + {y}", self, of_both(c, f"{literal(value)} * {{x}} * {{y}}", tensor1, tensor2))


@aten("lerp.Scalar", "lerp.Tensor")
def _lerp(c: Call, self: Var, end: Var, weight: Any) -> Var:
    w = c.var(weight, computed_in(c.to))
    return do.pointwise(lambda a, b, t: f"{a} + {t} * ({b} - {a})", self, end, w, to=c.to, within=computed_in(c.to))
